// SPDX-License-Identifier: MIT
// Events over the unreliable channel: every client takes what the match logged, once and in order,
// over any network; bursts leave room for snapshots; a client that lacks too much is welcomed anew;
// lies about events are rejected or cost a message a tick.
#include "match_internal.h"
#include "peer_fixture.h"

enum { FLIGHT = 1 << 14, LOGGED = 1 << 13 };

// --- lossy lines ---

struct packet {
    uint32_t due, handle;
    bool reliable, to_match;
    size_t size;
    uint8_t bytes[RAIM_MAX_MESSAGE_BYTES];
};

static struct packet *packets[FLIGHT];
static size_t packet_count;
static double loss;
static uint32_t latency; // ticks one way
static struct raim_wire_event logged[LOGGED];
static uint32_t first_logged, logged_count;

static void send_one(const struct test_match *test, struct packet packet, const void *data,
                     size_t size)
{
    packet.due = raim_match_tick(test->match) + latency;
    if (!packet.reliable)
        packet.due += (uint32_t)chance_int(0, 2); // so some overtake others
    packet.size = size;
    memcpy(packet.bytes, data, size);
    assert_true(packet_count < FLIGHT);
    packets[packet_count] = malloc(sizeof packet);
    *packets[packet_count++] = packet;
}

static void send_packet(const struct test_match *test, struct packet packet, const void *data,
                        size_t size)
{
    if (!packet.reliable && chance_between(0, 1) < loss)
        return;
    send_one(test, packet, data, size);
    if (!packet.reliable && chance_int(0, 19) == 0)
        send_one(test, packet, data, size); // twice
}

static void deliver_due(struct test_match *test)
{
    size_t kept = 0;
    const size_t count = packet_count;
    for (size_t i = 0; i < count; i++) {
        struct packet *packet = packets[i];
        if (packet->due != raim_match_tick(test->match)) {
            packets[kept++] = packet;
            continue;
        }
        if (packet->to_match)
            to_match(test, packet->handle, false, packet->bytes, packet->size);
        else
            to_peer(test, &test->peers[packet->handle], packet->bytes, packet->size);
        free(packet);
    }
    packet_count = kept;
}

static void log_events(const struct test_match *test)
{
    const struct raim_event_log *log = &test->match->log;
    for (uint32_t i = log->was_due[RAIM_AUDIENCE_LIVE]; i != log->due[RAIM_AUDIENCE_LIVE]; i++) {
        assert_int_equal(i, first_logged + logged_count);
        assert_true(logged_count < LOGGED);
        logged[logged_count++] = raim_event_log_at(log, i)->event;
    }
}

static void acknowledge(struct test_match *test, uint32_t handle)
{
    const struct peer *peer = &test->peers[handle];
    uint8_t bytes[RAIM_MAX_MESSAGE_BYTES];
    const struct raim_input_message message = {
        .tick = raim_match_tick(test->match) + latency + 2,
        .has_snapshot = peer->any,
        .snapshot = peer->newest,
        .events = (uint16_t)next_event(peer),
        .count = 1,
        .inputs = {{.move_x = (int8_t)chance_int(-1, 1),
                    .fire = true,
                    .aim = (uint16_t)chance_int(0, 65535)}},
    };
    if (peer->welcome_sent)
        send_packet(test, (struct packet){.to_match = true, .handle = handle}, bytes,
                    raim_input_write(&message, bytes, sizeof bytes));
}

static void step_far(struct test_match *test)
{
    struct raim_outgoing out;
    raim_match_step(test->match);
    log_events(test);
    while (raim_match_outgoing(test->match, &out))
        send_packet(test, (struct packet){.reliable = out.reliable, .handle = out.client}, out.data,
                    out.size);
    deliver_due(test);
    for (uint32_t handle = 0; handle < PEERS; handle++)
        if (test->peers[handle].open)
            acknowledge(test, handle);
}

static void assert_took_all(const struct test_match *test, const struct peer *peer)
{
    assert_int_equal(peer->welcomes, 1);
    assert_int_equal(next_event(peer), test->match->log.end);
    const uint32_t skipped = peer->welcome.event_sequence - first_logged;
    for (uint32_t i = 0; i < peer->received_count; i++) {
        uint8_t one[RAIM_MAX_EVENT_BYTES], other[RAIM_MAX_EVENT_BYTES];
        const size_t size = raim_event_write(&peer->received[i].event, one);
        assert_int_equal(raim_event_write(&logged[skipped + i], other), size);
        assert_memory_equal(one, other, size);
    }
}

static void play_far(double lost, uint32_t one_way)
{
    struct test_match *test = open_test_match(with_bots(usual_def(), 12));
    test->is_far = true;
    latency = one_way;
    first_logged = test->match->log.due[RAIM_AUDIENCE_LIVE];
    logged_count = 0;
    for (uint32_t handle = 0; handle < 6; handle++)
        play(test, handle);
    watch(test, 6, 0);
    watch(test, 7, 0);
    loss = lost;
    for (int i = 0; i < 2500; i++) {
        if (chance_int(0, 9) == 0)
            raim_match_say(test->match, "something longer than nothing");
        step_far(test);
    }
    // Pausing ends kills; then everybody catches up over the same lines.
    raim_match_pause(test->match, true);
    for (int i = 0; i < DELAY_TICKS + 1500; i++)
        step_far(test);
    uint32_t repeated = 0, ahead = 0;
    for (uint32_t handle = 0; handle < 8; handle++) {
        assert_took_all(test, &test->peers[handle]);
        assert_true(test->peers[handle].received_count > 200);
        repeated += test->peers[handle].repeated;
        ahead += test->peers[handle].ahead;
    }
    printf("loss %.2f, %u ticks one way: %u events, each client ignored %u repeated, %u early\n",
           lost, one_way, logged_count, repeated / 8, ahead / 8);
    assert_int_equal(counts(test).rejected[RAIM_REJECTED_ACK], 0);
    while (packet_count > 0)
        free(packets[--packet_count]);
}

TEST(everybody_takes_what_was_logged_over_any_line)
{
    play_far(0, 1);
    play_far(0.01, 2);
    play_far(0.2, 5); // 20 %, a round trip of 150 ms and more
    play_far(0.4, 9);
}

// --- bursts ---

// The bytes of a message that its events take.
static size_t events_bytes(const uint8_t *data, size_t size)
{
    static struct raim_events_message events;
    raim_reader reader = raim_reader_make(data, size);
    if (raim_message_read(&reader) != RAIM_MESSAGE_EVENTS)
        return 0;
    assert_true(raim_events_read(&reader, &events));
    return reader.offset / 8;
}

TEST(a_thousand_joins_leave_arena_for_snapshots)
{
    enum { JOINS = 999 };
    struct raim_match_def def = usual_def();
    def.tuning.max_players = 1000;
    def.max_connections = 1000;
    def.tuning.max_spectators = 0;
    def.map = fixture_map(NULL, 0);
    struct raim_match *match = raim_match_create(&def);
    assert_non_null(match);
    uint8_t bytes[RAIM_MAX_MESSAGE_BYTES];
    uint8_t token[RAIM_TOKEN_BYTES] = {0};
    struct raim_outgoing out;
    uint32_t events_left = 0, snapshots = 0;
    uint16_t next = 0;
    int ticks_until_all = 0;
    for (int i = 0; i < 200; i++) {
        for (uint32_t handle = i == 0 ? 0 : 1; handle <= (i == 20 ? JOINS : 0); handle++) {
            struct raim_hello hello = {.version = RAIM_PROTOCOL_VERSION};
            snprintf(hello.name, sizeof hello.name, "a somewhat long n %u", handle);
            raim_match_connect(match, handle, token);
            raim_match_receive(match, handle, true, bytes,
                               raim_hello_write(&hello, bytes, sizeof bytes));
            events_left += handle > 0;
        }
        raim_match_step(match);
        const uint32_t tick = raim_match_tick(match);
        bool has_snapshot = false;
        while (raim_match_outgoing(match, &out)) {
            if (out.client != 0 || out.reliable)
                continue;
            assert_true(out.size <= RAIM_MAX_MESSAGE_BYTES);
            assert_true(events_bytes(out.data, out.size) <= 512);
            raim_reader reader = raim_reader_make(out.data, out.size);
            has_snapshot = read_past_events(&reader, &next) == RAIM_MESSAGE_SNAPSHOT;
            snapshots += has_snapshot;
        }
        if (i == 0)
            next = (uint16_t)match->connections[0].events.acked;
        if (i >= 20 && next != (uint16_t)match->log.end)
            ticks_until_all = i - 19;
        const struct raim_input_message message = {
            .tick = tick + 1,
            .has_snapshot = snapshots > 0,
            .snapshot = match->connections[0].sent_tick,
            .events = next,
            .count = 1,
            .inputs = {{.move_x = (int8_t)(i % 3 - 1)}}, // so there is something to send
        };
        raim_match_receive(match, 0, false, bytes, raim_input_write(&message, bytes, sizeof bytes));
    }
    printf("%u joins, taken after %d ticks, %u snapshots in 200\n", events_left, ticks_until_all,
           snapshots);
    assert_int_equal(events_left, JOINS);
    assert_int_equal(next, (uint16_t)match->log.end);
    assert_in_range(ticks_until_all, 30, 80);
    assert_true(snapshots > 150);
    assert_int_equal(raim_match_counts(match).rejected[RAIM_REJECTED_ACK], 0);
    raim_match_destroy(match);
    raim_map_destroy((struct raim_map *)def.map);
}

// --- clients that do not acknowledge, and liars ---

TEST(a_client_that_lacks_too_much_is_welcomed_anew)
{
    struct test_match *test = open_test_match(usual_def());
    struct peer *peer = play(test, 0), *idle = play(test, 1);
    ticks(test, 5);
    assert_true(idle->any);
    test->is_far = true;
    idle->is_over = true; // it sends nothing from now on
    const struct raim_event_log *log = &test->match->log;
    uint32_t snapshot_before = 0;
    for (uint32_t i = 0; i <= log->capacity; i++) {
        assert_int_equal(idle->welcomes, 1);
        snapshot_before = idle->newest;
        assert_true(raim_match_say(test->match, "x"));
        tick(test);
    }
    ticks(test, 2);
    assert_int_equal(idle->welcomes, 2);
    assert_int_equal(idle->roster_sent, idle->welcome.roster_count);
    assert_int_equal(peer->welcomes, 1);
    assert_int_equal(idle->welcome.epoch, 2);
    // An acknowledgement that was on its way names a snapshot that the client has discarded.
    send_input(test, 1, raim_match_tick(test->match) + 1, true, snapshot_before);
    assert_false(test->match->connections[1].has_acked);
    // Now it takes part again.
    idle->is_over = false;
    raim_match_say(test->match, "y");
    ticks(test, 60);
    assert_int_equal(next_event(idle), log->end);
    assert_string_equal(idle->received[idle->received_count - 1].event.text, "y");
    assert_int_equal(idle->welcomes, 2);
    assert_int_equal(counts(test).rejected[RAIM_REJECTED_ACK], 0);
}

// An INPUT of a client that acknowledges the newest snapshot and events up to `next`.
static void claim(struct test_match *test, uint32_t handle, uint32_t next)
{
    uint8_t bytes[RAIM_MAX_MESSAGE_BYTES];
    const struct raim_input_message message = {
        .tick = raim_match_tick(test->match) + 1,
        .has_snapshot = true,
        .snapshot = test->peers[handle].newest,
        .events = (uint16_t)next,
        .count = 1,
    };
    to_match(test, handle, false, bytes, raim_input_write(&message, bytes, sizeof bytes));
}

TEST(lies_about_events_are_rejected_or_cost_one_message_a_tick)
{
    struct test_match *test = open_test_match(with_bots(usual_def(), 12));
    struct peer *liar = play(test, 0);
    ticks(test, 5);
    test->is_far = true;
    liar->is_over = true; // its INPUTs are those below
    const uint32_t first = next_event(liar);
    struct raim_outgoing out;
    size_t most = 0;
    for (int i = 0; i < 400; i++) {
        raim_match_say(test->match, "a text of some length, so that many events are long");
        raim_match_step(test->match);
        while (raim_match_outgoing(test->match, &out)) {
            const size_t size = events_bytes(out.data, out.size);
            most = size > most ? size : most;
            if (!out.reliable)
                to_peer(test, liar, out.data, out.size);
        }
        claim(test, 0, first); // has all snapshots and no event
        claim(test, 0, first - 1000);
    }
    assert_in_range(most, 400, 512);
    assert_int_equal(counts(test).rejected[RAIM_REJECTED_ACK], 0);
    const uint32_t acked = test->match->connections[0].events.acked;
    claim(test, 0, test->match->log.end + 1);
    claim(test, 0, test->match->log.end + 32000);
    assert_int_equal(counts(test).rejected[RAIM_REJECTED_ACK], 2);
    assert_int_equal(test->match->connections[0].events.acked, acked);
}
