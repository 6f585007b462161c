// SPDX-License-Identifier: MIT
// PINGS: who receives the round trips of whom, when, and in how many bytes.
#include "pings.h"
#include "transition_fixture.h"

enum { PERIOD = 2 * 60, HEADER_BYTES = 8 }; // ticks; of ENet's command for an unreliable packet

// What a connection has received of PINGS.
struct received {
    uint32_t messages, epoch;
    size_t bytes;
    bool has[RAIM_WIRE_PLAYERS];
    uint8_t values[RAIM_WIRE_PLAYERS];
};

static void take(struct received *received, const struct raim_outgoing *out)
{
    struct raim_pings pings;
    raim_reader reader = raim_reader_make(out->data, out->size);
    if (raim_message_read(&reader) != RAIM_MESSAGE_PINGS)
        return;
    assert_false(out->reliable);
    assert_true(raim_pings_read(&reader, &pings));
    received->messages++;
    received->epoch = pings.epoch;
    received->bytes += out->size + HEADER_BYTES;
    for (uint32_t i = 0; i < pings.count; i++) {
        received->has[pings.first + i] = true;
        received->values[pings.first + i] = pings.values[i];
    }
}

static struct received listen(struct test_match *test, uint32_t handle, int count)
{
    struct received received = {0};
    struct raim_outgoing out;
    for (int i = 0; i < count; i++) {
        raim_match_step(test->match);
        while (raim_match_outgoing(test->match, &out))
            if (out.client == handle)
                take(&received, &out);
    }
    return received;
}

static uint32_t slot_of(const struct test_match *test, uint32_t handle)
{
    return test->match->connections[handle].slot;
}

TEST(who_asks_receives_everybodys_round_trip)
{
    struct test_match *test = open_test_match(with_bots(usual_def(), 1));
    enter(test, 0, RAIM_CAPABILITY_PINGS, false);
    enter(test, 1, 0, false);
    listen(test, 0, 2);
    raim_match_set_rtt(test->match, 1, 37, 0);
    const struct received received = listen(test, 0, PERIOD);
    assert_int_equal(received.messages, 1);
    assert_int_equal(raim_ping_to_ms(received.values[slot_of(test, 1)]), 40);
    assert_int_equal(raim_ping_to_ms(received.values[slot_of(test, 0)]), -1); // not measured yet
    assert_true(received.has[0]);
    assert_int_equal(raim_ping_to_ms(received.values[0]), -1); // the bot
    assert_int_equal(listen(test, 1, 2 * PERIOD).messages, 0);
    // A player that is away has none.
    const uint32_t slot = slot_of(test, 1);
    raim_match_disconnect(test->match, 1);
    raim_match_set_rtt(test->match, 0, 12, 0);
    const struct received later = listen(test, 0, PERIOD);
    assert_int_equal(raim_ping_to_ms(later.values[slot]), -1);
    assert_int_equal(raim_ping_to_ms(later.values[slot_of(test, 0)]), 10);
}

TEST(a_late_spectator_receives_none)
{
    struct test_match *test = open_test_match(with_delay(usual_def(), 0.5));
    enter(test, 0, 0, false);
    enter(test, 1, RAIM_CAPABILITY_PINGS, true);
    listen(test, 1, 2);
    raim_match_set_rtt(test->match, 0, 30, 0);
    assert_int_equal(listen(test, 1, 2 * PERIOD).messages, 0);
}

TEST(a_new_match_goes_on_in_its_own_epoch)
{
    struct test_match *test = open_test_match(usual_def());
    enter(test, 0, RAIM_CAPABILITY_PINGS, false);
    listen(test, 0, 2);
    raim_match_set_rtt(test->match, 0, 30, 0);
    assert_int_equal(listen(test, 0, PERIOD).epoch, 1);
    succeed(test, usual_def(), true);
    const struct received received = listen(test, 0, PERIOD);
    assert_int_equal(received.epoch, 2);
    assert_int_equal(raim_ping_to_ms(received.values[slot_of(test, 0)]), 30);
}

// By the document a message in two seconds at most: less than half a byte of a client per tick.
TEST(a_hundred_slots_take_turns_and_cost_less_than_half_a_byte_a_tick)
{
    enum { CLIENTS = 100, TURNS = (CLIENTS + RAIM_PINGS_SLOTS - 1) / RAIM_PINGS_SLOTS };
    struct raim_match_def def = usual_def();
    def.tuning.max_players = CLIENTS;
    def.max_connections = CLIENTS;
    def.tuning.max_spectators = 0;
    def.map = fixture_map(NULL, 0);
    static struct test_match test;
    test.match = raim_match_create(&def);
    assert_non_null(test.match);
    uint8_t bytes[RAIM_MAX_MESSAGE_BYTES];
    const uint8_t token[RAIM_TOKEN_BYTES] = {0};
    for (uint32_t handle = 0; handle < CLIENTS; handle++) {
        struct raim_hello hello = {.version = RAIM_PROTOCOL_VERSION,
                                   .capabilities = RAIM_CAPABILITY_PINGS};
        snprintf(hello.name, sizeof hello.name, "name %u", handle);
        raim_match_connect(test.match, handle, token);
        raim_match_receive(test.match, handle, true, bytes,
                           raim_hello_write(&hello, bytes, sizeof bytes));
        raim_match_set_rtt(test.match, handle, 10 * (handle % 60), 0);
    }
    listen(&test, 50, 10);
    const struct received received = listen(&test, 50, TURNS * PERIOD);
    printf("%.2f bytes a tick\n", (double)received.bytes / (TURNS * PERIOD));
    assert_int_equal(received.messages, TURNS);
    assert_true(2 * received.bytes < TURNS * PERIOD);
    for (uint32_t handle = 0; handle < CLIENTS; handle++)
        assert_int_equal(raim_ping_to_ms(received.values[slot_of(&test, handle)]),
                         10 * (handle % 60));
    raim_match_destroy(test.match);
    raim_map_destroy((struct raim_map *)def.map);
}

TEST(values_round_to_10_ms_and_end_at_620)
{
    const uint32_t rows[][2] = {{0, 0},     {4, 0},     {5, 10},    {14, 10},
                                {619, 620}, {620, 620}, {625, 620}, {UINT32_MAX - 1, 620}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        assert_int_equal(raim_ping_to_ms(raim_ping_of_ms(rows[i][0])), rows[i][1]);
}
