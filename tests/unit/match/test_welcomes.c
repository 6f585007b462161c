// SPDX-License-Identifier: MIT
// Many clients that join at once: how many a tick welcomes, and in which order.
#include "arena_fixture.h"
#include "handshake.h"
#include "match.h"
#include "message.h"
#include "test.h"

enum {
    CLIENTS = 400,
    MAX = 512,       // messages after which a tick welcomes no further client
    MAX_OF_ONE = 24, // messages of a welcome here
};

static struct raim_map *map;
static struct raim_match *match;
static uint32_t welcomes[CLIENTS]; // by client
static uint32_t playing;           // clients that have a snapshot or events
static uint32_t most_messages;     // of welcomes in one tick
static bool plays[CLIENTS];

static int set_up(void **state)
{
    (void)state;
    const raim_box box = {{-300, -300}, {-100, -100}};
    map = fixture_map(&box, 1);
    struct raim_match_def def = raim_match_default_def();
    def.map = map;
    def.tuning.max_players = CLIENTS;
    def.max_connections = CLIENTS;
    def.tuning.resume_grace_s = 0;
    match = raim_match_create(&def);
    assert_non_null(match);
    memset(welcomes, 0, sizeof welcomes);
    memset(plays, 0, sizeof plays);
    playing = most_messages = 0;
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    raim_match_destroy(match);
    raim_map_destroy(map);
    return 0;
}

static void join(uint32_t client)
{
    const struct raim_hello hello = {.version = RAIM_PROTOCOL_VERSION, .name = "player"};
    const uint8_t token[RAIM_TOKEN_BYTES] = {(uint8_t)client, (uint8_t)(client >> 8), 1};
    uint8_t bytes[RAIM_MAX_MESSAGE_BYTES];
    raim_match_connect(match, client, token);
    raim_match_receive(match, client, true, bytes, raim_hello_write(&hello, bytes, sizeof bytes));
}

static void tick(void)
{
    struct raim_outgoing outgoing;
    uint32_t messages = 0;
    raim_match_step(match);
    while (raim_match_outgoing(match, &outgoing)) {
        messages += outgoing.reliable;
        raim_reader reader = raim_reader_make(outgoing.data, outgoing.size);
        welcomes[outgoing.client] +=
            outgoing.reliable && raim_message_read(&reader) == RAIM_MESSAGE_WELCOME;
        playing += !outgoing.reliable && !plays[outgoing.client];
        plays[outgoing.client] = plays[outgoing.client] || !outgoing.reliable;
    }
    most_messages = messages > most_messages ? messages : most_messages;
}

TEST(a_tick_welcomes_some_of_many_clients_and_the_next_ticks_the_rest, set_up, tear_down)
{
    for (uint32_t i = 0; i < CLIENTS; i++)
        join(i);
    for (int i = 0; i < CLIENTS * MAX_OF_ONE / MAX + 2; i++)
        tick();
    for (uint32_t i = 0; i < CLIENTS; i++)
        assert_int_equal(welcomes[i], 1);
    assert_int_equal(playing, CLIENTS);
    assert_in_range(most_messages, MAX, MAX + MAX_OF_ONE);
}

TEST(those_who_join_again_and_again_delay_nobody, set_up, tear_down)
{
    enum { RESTLESS = CLIENTS / 2 };
    for (uint32_t i = 0; i < CLIENTS; i++)
        join(i);
    for (int i = 0; i < 2 * CLIENTS * MAX_OF_ONE / MAX; i++) {
        tick();
        for (uint32_t client = 0; client < RESTLESS; client++)
            join(client);
    }
    // Who lacks too many events is welcomed again.
    for (uint32_t i = 0; i < CLIENTS; i++)
        assert_true(welcomes[i] > 0);
}
