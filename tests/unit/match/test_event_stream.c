// SPDX-License-Identifier: MIT
// Events over the unreliable channel: every client takes what the match logged, once and in order,
// over any network; bursts leave room for snapshots; a client that lacks too much is welcomed anew;
// lies about events are refused or cost a message a tick.
#include "match_internal.h"
#include "seat_fixture.h"

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

static void send_one(const struct table *table, struct packet packet, const void *data, size_t size)
{
    packet.due = raim_match_tick(table->match) + latency;
    if (!packet.reliable)
        packet.due += (uint32_t)chance_int(0, 2); // so some overtake others
    packet.size = size;
    memcpy(packet.bytes, data, size);
    assert_true(packet_count < FLIGHT);
    packets[packet_count] = malloc(sizeof packet);
    *packets[packet_count++] = packet;
}

static void send_packet(const struct table *table, struct packet packet, const void *data,
                        size_t size)
{
    if (!packet.reliable && chance_between(0, 1) < loss)
        return;
    send_one(table, packet, data, size);
    if (!packet.reliable && chance_int(0, 19) == 0)
        send_one(table, packet, data, size); // twice
}

static void deliver_due(struct table *table)
{
    size_t kept = 0;
    const size_t count = packet_count;
    for (size_t i = 0; i < count; i++) {
        struct packet *packet = packets[i];
        if (packet->due != raim_match_tick(table->match)) {
            packets[kept++] = packet;
            continue;
        }
        if (packet->to_match)
            to_match(table, packet->handle, false, packet->bytes, packet->size);
        else
            to_seat(table, &table->seats[packet->handle], packet->bytes, packet->size);
        free(packet);
    }
    packet_count = kept;
}

static void log_events(const struct table *table)
{
    const struct raim_event_log *log = &table->match->log;
    for (uint32_t i = log->was_due[RAIM_AUDIENCE_LIVE]; i != log->due[RAIM_AUDIENCE_LIVE]; i++) {
        assert_int_equal(i, first_logged + logged_count);
        assert_true(logged_count < LOGGED);
        logged[logged_count++] = raim_event_log_at(log, i)->event;
    }
}

static void acknowledge(struct table *table, uint32_t handle)
{
    const struct seat *seat = &table->seats[handle];
    uint8_t bytes[RAIM_MAX_MESSAGE_BYTES];
    const struct raim_input_message message = {
        .tick = raim_match_tick(table->match) + latency + 2,
        .has_snapshot = seat->any,
        .snapshot = seat->newest,
        .events = (uint16_t)next_event(seat),
        .count = 1,
        .inputs = {{.move_x = (int8_t)chance_int(-1, 1),
                    .fire = true,
                    .aim = (uint16_t)chance_int(0, 65535)}},
    };
    if (seat->welcome_sent)
        send_packet(table, (struct packet){.to_match = true, .handle = handle}, bytes,
                    raim_input_write(&message, bytes, sizeof bytes));
}

static void step_far(struct table *table)
{
    struct raim_outgoing out;
    raim_match_step(table->match);
    log_events(table);
    while (raim_match_outgoing(table->match, &out))
        send_packet(table, (struct packet){.reliable = out.reliable, .handle = out.client},
                    out.data, out.size);
    deliver_due(table);
    for (uint32_t handle = 0; handle < SEATS; handle++)
        if (table->seats[handle].open)
            acknowledge(table, handle);
}

static void assert_took_all(const struct table *table, const struct seat *seat)
{
    assert_int_equal(seat->welcomes, 1);
    assert_int_equal(next_event(seat), table->match->log.end);
    const uint32_t skipped = seat->welcome.event_sequence - first_logged;
    for (uint32_t i = 0; i < seat->received_count; i++) {
        uint8_t one[RAIM_MAX_EVENT_BYTES], other[RAIM_MAX_EVENT_BYTES];
        const size_t size = raim_event_write(&seat->received[i].event, one);
        assert_int_equal(raim_event_write(&logged[skipped + i], other), size);
        assert_memory_equal(one, other, size);
    }
}

static void play_far(double lost, uint32_t one_way)
{
    struct raim_match_def def = usual_def();
    def.bots = 12;
    struct table *table = open_table(def);
    table->is_far = true;
    latency = one_way;
    first_logged = table->match->log.due[RAIM_AUDIENCE_LIVE];
    logged_count = 0;
    for (uint32_t handle = 0; handle < 6; handle++)
        play(table, handle);
    watch(table, 6, 0);
    watch(table, 7, 0);
    loss = lost;
    for (int i = 0; i < 2500; i++) {
        if (chance_int(0, 9) == 0)
            raim_match_say(table->match, "something longer than nothing");
        step_far(table);
    }
    // Pausing ends kills; then everybody catches up over the same lines.
    raim_match_pause(table->match, true);
    for (int i = 0; i < DELAY_TICKS + 1500; i++)
        step_far(table);
    uint32_t repeated = 0, ahead = 0;
    for (uint32_t handle = 0; handle < 8; handle++) {
        assert_took_all(table, &table->seats[handle]);
        assert_true(table->seats[handle].received_count > 200);
        repeated += table->seats[handle].repeated;
        ahead += table->seats[handle].ahead;
    }
    printf("loss %.2f, %u ticks one way: %u events, each client ignored %u repeated, %u early\n",
           lost, one_way, logged_count, repeated / 8, ahead / 8);
    assert_int_equal(counts(table).refused[RAIM_REFUSED_ACK], 0);
    while (packet_count > 0)
        free(packets[--packet_count]);
    close_table(table);
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

TEST(a_thousand_joins_leave_room_for_snapshots)
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
            next = (uint16_t)match->clients[0].events.acked;
        if (i >= 20 && next != (uint16_t)match->log.end)
            ticks_until_all = i - 19;
        const struct raim_input_message message = {
            .tick = tick + 1,
            .has_snapshot = snapshots > 0,
            .snapshot = match->clients[0].sent_tick,
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
    assert_int_equal(raim_match_counts(match).refused[RAIM_REFUSED_ACK], 0);
    raim_match_destroy(match);
    raim_map_destroy((struct raim_map *)def.map);
}

// --- clients that do not acknowledge, and liars ---

TEST(a_client_that_lacks_too_much_is_welcomed_anew)
{
    struct table *table = open_table(usual_def());
    struct seat *seat = play(table, 0), *idle = play(table, 1);
    ticks(table, 5);
    assert_true(idle->any);
    table->is_far = true;
    idle->is_over = true; // it sends nothing from now on
    const struct raim_event_log *log = &table->match->log;
    uint32_t snapshot_before = 0;
    for (uint32_t i = 0; i <= log->capacity; i++) {
        assert_int_equal(idle->welcomes, 1);
        snapshot_before = idle->newest;
        assert_true(raim_match_say(table->match, "x"));
        tick(table);
    }
    ticks(table, 2);
    assert_int_equal(idle->welcomes, 2);
    assert_int_equal(idle->roster_sent, idle->welcome.roster_count);
    assert_int_equal(seat->welcomes, 1);
    assert_int_equal(idle->welcome.epoch, 2);
    // An acknowledgement that was on its way names a snapshot that the client has discarded.
    send_input(table, 1, raim_match_tick(table->match) + 1, true, snapshot_before);
    assert_false(table->match->clients[1].has_acked);
    // Now it takes part again.
    idle->is_over = false;
    raim_match_say(table->match, "y");
    ticks(table, 60);
    assert_int_equal(next_event(idle), log->end);
    assert_string_equal(idle->received[idle->received_count - 1].event.text, "y");
    assert_int_equal(idle->welcomes, 2);
    assert_int_equal(counts(table).refused[RAIM_REFUSED_ACK], 0);
    close_table(table);
}

// An INPUT of a client that acknowledges the newest snapshot and events up to `next`.
static void claim(struct table *table, uint32_t handle, uint32_t next)
{
    uint8_t bytes[RAIM_MAX_MESSAGE_BYTES];
    const struct raim_input_message message = {
        .tick = raim_match_tick(table->match) + 1,
        .has_snapshot = true,
        .snapshot = table->seats[handle].newest,
        .events = (uint16_t)next,
        .count = 1,
    };
    to_match(table, handle, false, bytes, raim_input_write(&message, bytes, sizeof bytes));
}

TEST(lies_about_events_are_refused_or_cost_one_message_a_tick)
{
    struct raim_match_def def = usual_def();
    def.bots = 12;
    struct table *table = open_table(def);
    struct seat *liar = play(table, 0);
    ticks(table, 5);
    table->is_far = true;
    liar->is_over = true; // its INPUTs are those below
    const uint32_t first = next_event(liar);
    struct raim_outgoing out;
    size_t most = 0;
    for (int i = 0; i < 400; i++) {
        raim_match_say(table->match, "a text of some length, so that many events are long");
        raim_match_step(table->match);
        while (raim_match_outgoing(table->match, &out)) {
            const size_t size = events_bytes(out.data, out.size);
            most = size > most ? size : most;
            if (!out.reliable)
                to_seat(table, liar, out.data, out.size);
        }
        claim(table, 0, first); // has all snapshots and no event
        claim(table, 0, first - 1000);
    }
    assert_in_range(most, 400, 512);
    assert_int_equal(counts(table).refused[RAIM_REFUSED_ACK], 0);
    const uint32_t acked = table->match->clients[0].events.acked;
    claim(table, 0, table->match->log.end + 1);
    claim(table, 0, table->match->log.end + 32000);
    assert_int_equal(counts(table).refused[RAIM_REFUSED_ACK], 2);
    assert_int_equal(table->match->clients[0].events.acked, acked);
    close_table(table);
}
