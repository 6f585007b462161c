// SPDX-License-Identifier: MIT
// Clients whose path carries less than a whole message: everything that they are sent, a large map,
// a large roster, full snapshots and the longest offer of votes among it, keeps to their limit,
// beside clients without one.
#include "handshake.h"
#include "match.h"
#include "message.h"
#include "test.h"
#include "vote.h"

enum {
    CLIENTS = 200,
    OBSTACLES = 64,
    SPAWNS = 200,
};

static struct raim_map *map;
static struct raim_match *match;
static size_t largest[CLIENTS][RAIM_MESSAGE_KINDS]; // bytes

static uint32_t limit_of(uint32_t client)
{
    return client % 2 == 0 ? RAIM_SMALL_MESSAGE_BYTES + client % 5 : RAIM_MAX_MESSAGE_BYTES;
}

static void receive(uint32_t client, bool reliable, const uint8_t *bytes, size_t size)
{
    assert_true(size > 0);
    raim_match_receive(match, client, reliable, bytes, size);
}

static void join(uint32_t client)
{
    struct raim_hello hello = {.version = RAIM_PROTOCOL_VERSION,
                               .capabilities = RAIM_CAPABILITY_PINGS | RAIM_CAPABILITY_VOTES |
                                               RAIM_CAPABILITY_ADMIN};
    const uint8_t token[RAIM_TOKEN_BYTES] = {(uint8_t)client, 1};
    uint8_t bytes[RAIM_MAX_MESSAGE_BYTES];
    snprintf(hello.name, sizeof hello.name, "a name of some length %02x", client);
    raim_match_connect(match, client, token);
    if (client % 2 == 0)
        raim_match_limit_messages(match, client, limit_of(client));
    raim_match_set_origin(match, client, client + 1, client + 1);
    receive(client, true, bytes, raim_hello_write(&hello, bytes, sizeof bytes));
}

static void tick(void)
{
    struct raim_outgoing outgoing;
    raim_match_step(match);
    while (raim_match_outgoing(match, &outgoing)) {
        assert_in_range(outgoing.size, 1, limit_of(outgoing.client));
        raim_reader reader = raim_reader_make(outgoing.data, outgoing.size);
        size_t *most = &largest[outgoing.client][raim_message_read(&reader)];
        *most = outgoing.size > *most ? outgoing.size : *most;
    }
}

// All players see each other.
static struct raim_map *make_map(void)
{
    static struct raim_obstacle_def obstacles[OBSTACLES];
    raim_vec2 spawns[SPAWNS];
    struct raim_map_problem problem;
    for (int i = 0; i < OBSTACLES; i++) {
        const raim_vec2 at = {-750 + i * 20, 390};
        obstacles[i] = (struct raim_obstacle_def){
            .points = {at, {at.x + 10, at.y}, {at.x + 10, at.y + 9}, {at.x, at.y + 9}}, .count = 4};
    }
    for (int i = 0; i < SPAWNS; i++)
        spawns[i] = (raim_vec2){-700 + i % 20 * 70, -300 + i / 20 * 60};
    const struct raim_map_def def = {
        .name = "small",
        .border = {{-780, -400}, {780, 400}},
        .obstacles = obstacles,
        .obstacle_count = OBSTACLES,
        .spawns = spawns,
        .spawn_count = SPAWNS,
    };
    return raim_map_create(&def, &problem);
}

static int set_up(void **state)
{
    static char names[RAIM_WIRE_VOTE_MAPS][RAIM_MAX_TITLE_BYTES + 1];
    const char *maps[RAIM_WIRE_VOTE_MAPS];
    (void)state;
    map = make_map();
    assert_non_null(map);
    struct raim_match_def def = raim_match_default_def();
    def.map = map;
    def.rules.player_radius = 8;
    def.tuning.max_players = CLIENTS;
    def.max_connections = CLIENTS;
    match = raim_match_create(&def);
    assert_non_null(match);
    for (int i = 0; i < RAIM_WIRE_VOTE_MAPS; i++) {
        snprintf(names[i], sizeof names[i], "%0*d", RAIM_MAX_TITLE_BYTES, i);
        maps[i] = names[i];
    }
    raim_match_set_vote_maps(match, maps, RAIM_WIRE_VOTE_MAPS);
    memset(largest, 0, sizeof largest);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    raim_match_destroy(match);
    raim_map_destroy(map);
    return 0;
}

TEST(a_limit_holds_for_every_message_and_messages_fill_it, set_up, tear_down)
{
    const struct raim_chat chat = {"something that fills a good part of the events of this tick"};
    uint8_t bytes[RAIM_MAX_MESSAGE_BYTES];
    for (uint32_t i = 0; i < CLIENTS; i++)
        join(i);
    for (int i = 0; i < 400; i++) {
        const uint32_t client = (uint32_t)i % CLIENTS;
        receive(client, true, bytes, raim_chat_write(&chat, bytes, sizeof bytes));
        tick();
    }
    static const enum raim_message_kind filled[] = {RAIM_MESSAGE_OBSTACLES, RAIM_MESSAGE_ROSTER,
                                                    RAIM_MESSAGE_EVENTS};
    for (uint32_t i = 0; i < CLIENTS; i++) {
        for (size_t kind = 0; kind < sizeof filled / sizeof filled[0]; kind++)
            assert_in_range(largest[i][filled[kind]], limit_of(i) - 50, limit_of(i));
        assert_true(largest[i][RAIM_MESSAGE_WELCOME] > 0);
        assert_true(largest[i][RAIM_MESSAGE_VOTE] > RAIM_SMALL_MESSAGE_BYTES - 50);
    }
}
