// SPDX-License-Identifier: MIT
// Clients of a match that use the protocol's readers alone, so that tests see every message.
#pragma once

#include "arena_fixture.h"
#include "chance.h"
#include "chat.h"
#include "events_fixture.h"
#include "handshake.h"
#include "input.h"
#include "match.h"
#include "roster.h"
#include "snapshot.h"
#include "test.h"
#include "vote.h"

enum {
    SEATS = 16,
    SLOTS = 24,       // most of a match
    KEPT = 512,       // ticks whose frames are kept; more than any delay here
    HEARD = 1 << 14,  // events
    DELAY_TICKS = 90, // of 1.5 s
};

// A protocol client. Its handle is its index.
struct seat {
    bool open, welcome_sent, is_over;
    bool is_idle; // sends no inputs
    uint32_t welcomes;
    struct raim_welcome welcome;
    struct raim_wire_phase phase;   // from the last phase message
    struct raim_wire_limits limits; // since the WELCOME
    struct raim_goodbye goodbye;
    uint32_t roster_sent;
    struct raim_roster_entry roster[SLOTS]; // by slot
    struct {
        uint32_t event_tick; // tick of its arrival
        uint32_t tick;       // tick of its arrival less the delay
        struct raim_wire_event event;
    } received[HEARD]; // by sequence number, relative to the WELCOME's
    uint32_t received_count;
    uint32_t chat_refusals, chat_refusal; // CHAT_REFUSED messages, and the last one's reason
    struct raim_vote_offer vote_offer;
    struct raim_vote_report vote_reports[RAIM_VOTE_REPORTS]; // the last of each kind
    uint32_t vote_counts[RAIM_VOTE_REPORTS];                 // how many of each kind
    uint32_t repeated, ahead; // events that were received before, or behind a gap
    bool any;                 // snapshots
    uint32_t newest, snapshots;
    uint32_t frame_ticks[KEPT];
    struct raim_wire_frame frames[KEPT]; // by tick modulo KEPT
    uint64_t *memory;
};

struct table {
    struct raim_match_def def;
    struct raim_match *match;
    struct raim_map *map;
    bool is_far; // messages are delayed and may be lost
    struct seat seats[SEATS];
    raim_player truth[KEPT][SLOTS]; // by tick modulo KEPT
};

static inline struct raim_match_def usual_def(void)
{
    struct raim_match_def def = raim_match_default_def();
    def.sight = false;
    def.tuning.max_players = 8;
    def.max_connections = SEATS;
    def.tuning.resume_grace_s = 0; // a disconnect ends the session
    def.spectator_delay_s = DELAY_TICKS / 60.0;
    return def;
}

static inline struct table *open_table(struct raim_match_def def)
{
    const raim_box boxes[] = {{{-300, -300}, {-100, -100}}, {{100, -50}, {300, 20}}};
    struct table *table = calloc(1, sizeof *table);
    table->map = fixture_map(boxes, 2);
    def.map = table->map;
    def.seed = raim_random_next(&chance);
    table->def = def;
    table->match = raim_match_create(&def);
    assert_non_null(table->match);
    assert_true(raim_match_world(table->match)->max_players <= SLOTS);
    return table;
}

static inline void stand_up(struct table *table, uint32_t handle)
{
    if (handle < table->def.max_connections) // fewer where the successor has fewer
        raim_match_disconnect(table->match, handle);
    free(table->seats[handle].memory);
    memset(&table->seats[handle], 0, sizeof table->seats[handle]);
}

static inline void close_table(struct table *table)
{
    for (uint32_t i = 0; i < SEATS && i < table->def.max_connections; i++)
        stand_up(table, i);
    raim_match_destroy(table->match);
    raim_map_destroy(table->map);
    free(table);
}

// Delivers a message in memory of exactly its size, so that ASan detects a read beyond.
static inline void to_match(struct table *table, uint32_t handle, bool reliable,
                            const uint8_t *data, size_t size)
{
    uint8_t *exact = malloc(size);
    memcpy(exact, data, size);
    raim_match_receive(table->match, handle, reliable, exact, size);
    free(exact);
}

static inline struct seat *connect_seat(struct table *table, uint32_t handle,
                                        const struct raim_hello *hello)
{
    uint8_t bytes[RAIM_MAX_MESSAGE_BYTES];
    struct seat *seat = &table->seats[handle];
    assert_false(seat->open);
    seat->open = true;
    uint8_t token[RAIM_TOKEN_BYTES];
    for (size_t i = 0; i < sizeof token; i++)
        token[i] = (uint8_t)chance_int(0, 255);
    raim_match_connect(table->match, handle, token);
    to_match(table, handle, true, bytes, raim_hello_write(hello, bytes, sizeof bytes));
    return seat;
}

static inline struct seat *play(struct table *table, uint32_t handle)
{
    return connect_seat(table, handle,
                        &(struct raim_hello){.version = RAIM_PROTOCOL_VERSION, .name = "player"});
}

static inline struct seat *watch(struct table *table, uint32_t handle, uint32_t target)
{
    return connect_seat(table, handle,
                        &(struct raim_hello){.version = RAIM_PROTOCOL_VERSION,
                                             .watch = true,
                                             .target = target,
                                             .name = "spectator"});
}

static inline struct raim_wire_frame *frame_at(struct seat *seat, uint32_t tick)
{
    return seat->frame_ticks[tick % KEPT] == tick ? &seat->frames[tick % KEPT] : NULL;
}

static inline struct raim_wire_limits limits_of(const struct raim_welcome *welcome)
{
    raim_rules rules;
    assert_int_equal(welcome->rule_count, RAIM_RULE_COUNT);
    for (int i = 0; i < RAIM_RULE_COUNT; i++)
        *raim_rule_value(&rules, i) = welcome->rules[i];
    const struct raim_stride stride = raim_world_stride(&rules, welcome->tick_hz);
    return (struct raim_wire_limits){
        .players = welcome->max_players,
        .shots = welcome->shots,
        .history = raim_wire_history(welcome->tick_hz),
        .stride = stride.straight,
        .diagonal = stride.diagonal,
        .max_rewind = welcome->max_rewind,
    };
}

// Reads a WELCOME, the first or a later one, which resets the seat.
static inline void read_welcome(struct seat *seat, raim_reader *reader)
{
    assert_true(raim_welcome_read(reader, &seat->welcome));
    seat->welcome_sent = true;
    seat->welcomes++;
    seat->phase = seat->welcome.phase;
    seat->limits = limits_of(&seat->welcome);
    seat->any = false;
    seat->received_count = 0;
    seat->roster_sent = 0;
    memset(seat->roster, 0, sizeof seat->roster);
    const size_t frame_bytes = raim_wire_frame_bytes(&seat->limits);
    free(seat->memory);
    seat->memory = calloc(KEPT, frame_bytes);
    for (size_t i = 0; i < KEPT; i++) {
        raim_wire_frame_init(&seat->frames[i], &seat->limits,
                             (uint8_t *)seat->memory + i * frame_bytes);
        seat->frame_ticks[i] = (uint32_t)i + 1; // none
    }
}

static inline void read_snapshot(struct table *table, struct seat *seat, raim_reader *reader)
{
    if (!seat->welcome_sent)
        return;
    struct raim_snapshot_header header;
    const struct raim_wire_frame *baseline = NULL;
    const uint32_t near_tick = seat->any ? seat->newest : seat->welcome.tick;
    assert_true(raim_snapshot_read_header(reader, &seat->limits, near_tick, &header));
    if (header.baseline_age == 0 && header.epoch != seat->welcome.epoch) {
        assert_true(table->is_far); // it overtook its WELCOME
        return;
    }
    if (raim_tick_diff(header.tick, seat->any ? seat->newest : seat->welcome.tick) <= 0) {
        assert_true(table->is_far); // overtaken by a newer one
        return;
    }
    if (header.baseline_age > 0) {
        baseline = frame_at(seat, header.tick - header.baseline_age);
        assert_non_null(baseline);
    }
    struct raim_wire_frame *frame = &seat->frames[header.tick % KEPT];
    assert_true(raim_snapshot_read(reader, &header, &seat->limits, baseline, frame));
    seat->frame_ticks[header.tick % KEPT] = header.tick;
    // Events and snapshots are late by exactly the WELCOME's delay.
    const uint32_t now = raim_match_tick(table->match);
    assert_true(table->is_far || header.tick + seat->welcome.delay_ticks == now);
    seat->any = true;
    seat->newest = header.tick;
    seat->snapshots++;
}

static inline void apply(struct seat *seat, const struct raim_wire_event *event)
{
    struct raim_roster_entry *entry = &seat->roster[event->player % RAIM_WIRE_PLAYERS];
    struct raim_roster_entry *victim = &seat->roster[event->victim % RAIM_WIRE_PLAYERS];
    if (event->kind == RAIM_WIRE_JOINED)
        *entry = event->entry;
    else if (event->kind == RAIM_WIRE_LEFT && entry->player == event->player)
        *entry = (struct raim_roster_entry){0};
    else if (event->kind == RAIM_WIRE_KILL) {
        if (entry->player == event->player)
            entry->score = event->score;
        if (victim->player == event->victim)
            victim->deaths = event->deaths;
    } else if (event->kind == RAIM_WIRE_PHASE) {
        for (uint32_t i = 0; i < SLOTS && event->phase.round != seat->phase.round; i++)
            seat->roster[i].score = seat->roster[i].deaths = 0;
        seat->phase = event->phase;
    }
}

// The number of the first event that has not arrived.
static inline uint32_t next_event(const struct seat *seat)
{
    return seat->welcome.event_sequence + seat->received_count;
}

static inline void take_events(struct table *table, struct seat *seat,
                               const struct raim_events_message *events)
{
    const uint32_t now = raim_match_tick(table->match);
    for (uint32_t i = 0; i < events->count; i++) {
        const int32_t ahead = (int16_t)(events->sequence + i - next_event(seat));
        seat->ahead += ahead > 0;
        seat->repeated += ahead < 0;
        if (ahead != 0)
            continue;
        assert_true(seat->received_count < HEARD);
        seat->received[seat->received_count].event_tick = now;
        seat->received[seat->received_count].tick = now - seat->welcome.delay_ticks;
        seat->received[seat->received_count++].event = events->events[i];
        apply(seat, &events->events[i]);
    }
    assert_true(table->is_far || seat->ahead == 0);
}

static inline void read_events(struct table *table, struct seat *seat, raim_reader *reader)
{
    struct raim_events_message events;
    assert_true(raim_events_read(reader, &events));
    if (seat->welcome_sent && events.epoch != seat->welcome.epoch) {
        assert_true(table->is_far);
        return;
    }
    const bool has_roster = seat->welcome_sent && seat->roster_sent == seat->welcome.roster_count;
    assert_true(has_roster || table->is_far); // without it, they come again
    if (has_roster)
        take_events(table, seat, &events);
    if (reader->offset == 8 * reader->size)
        return;
    assert_int_equal(raim_message_read(reader), RAIM_MESSAGE_SNAPSHOT);
    read_snapshot(table, seat, reader);
}

static inline void read_roster(struct seat *seat, raim_reader *reader)
{
    struct raim_roster_entry entries[SLOTS];
    uint32_t count;
    assert_true(raim_roster_read(reader, entries, SLOTS, &count));
    seat->roster_sent += count;
    for (uint32_t i = 0; i < count; i++)
        seat->roster[entries[i].player % RAIM_WIRE_PLAYERS] = entries[i];
}

static inline void read_vote(struct seat *seat, raim_reader *reader)
{
    struct raim_vote_report report;
    assert_true(raim_vote_report_read(reader, &report, &seat->vote_offer));
    seat->vote_reports[report.kind] = report;
    seat->vote_counts[report.kind]++;
}

static inline void to_seat(struct table *table, struct seat *seat, const uint8_t *data, size_t size)
{
    raim_reader reader = raim_reader_make(data, size);
    switch (raim_message_read(&reader)) {
    case RAIM_MESSAGE_WELCOME:
        read_welcome(seat, &reader);
        break;
    case RAIM_MESSAGE_ROSTER:
        read_roster(seat, &reader);
        break;
    case RAIM_MESSAGE_EVENTS:
        read_events(table, seat, &reader);
        break;
    case RAIM_MESSAGE_SNAPSHOT:
        read_snapshot(table, seat, &reader);
        break;
    case RAIM_MESSAGE_GOODBYE:
        assert_true(raim_goodbye_read(&reader, &seat->goodbye));
        break;
    case RAIM_MESSAGE_CHAT_REFUSED:
        assert_true(raim_chat_refused_read(&reader, &seat->chat_refusal));
        seat->chat_refusals++;
        break;
    case RAIM_MESSAGE_VOTE:
        read_vote(seat, &reader);
        break;
    default:
        break;
    }
}

static inline void deliver(struct table *table)
{
    struct raim_outgoing out;
    while (raim_match_outgoing(table->match, &out)) {
        struct seat *seat = &table->seats[out.client];
        seat->is_over = seat->is_over || out.close;
        to_seat(table, seat, out.data, out.size);
    }
}

static inline void send_input(struct table *table, uint32_t handle, uint32_t tick,
                              bool has_snapshot, uint32_t snapshot)
{
    uint8_t bytes[RAIM_MAX_MESSAGE_BYTES];
    struct raim_input_message message = {
        .tick = tick,
        .has_snapshot = has_snapshot,
        .snapshot = snapshot,
        .events = (uint16_t)next_event(&table->seats[handle]),
        .count = 1,
    };
    if (!table->seats[handle].is_idle)
        message.inputs[0] = (raim_wire_input){
            .move_x = (int8_t)chance_int(-1, 1),
            .move_y = (int8_t)chance_int(-1, 1),
            .fire = true,
            .view_age = (uint8_t)chance_int(0, RAIM_WIRE_REWIND),
            .aim = (uint16_t)chance_int(0, 65535),
        };
    to_match(table, handle, false, bytes, raim_input_write(&message, bytes, sizeof bytes));
}

static inline void say(struct table *table, uint32_t handle, const char *text)
{
    uint8_t bytes[RAIM_MAX_MESSAGE_BYTES];
    to_match(table, handle, true, bytes, raim_chat_write(text, bytes, sizeof bytes));
}

static inline void say_goodbye(struct table *table, uint32_t handle)
{
    uint8_t bytes[RAIM_MAX_MESSAGE_BYTES];
    struct raim_farewell farewell = {.goodbye = {.reason = RAIM_REASON_LEFT}};
    memcpy(farewell.token, table->seats[handle].welcome.token, sizeof farewell.token);
    to_match(table, handle, true, bytes, raim_farewell_write(&farewell, bytes, sizeof bytes));
}

// Plays one step and delivers all messages. Spectators send inputs as if they played.
static inline void tick(struct table *table)
{
    raim_match_step(table->match);
    const uint32_t now = raim_match_tick(table->match);
    const struct raim_world *world = raim_match_world(table->match);
    memcpy(table->truth[now % KEPT], raim_world_players_const(world),
           world->max_players * sizeof(raim_player));
    deliver(table);
    for (uint32_t i = 0; i < SEATS; i++)
        if ((table->seats[i].any || table->seats[i].received_count > 0) && !table->seats[i].is_over)
            send_input(table, i, now + 1, table->seats[i].any, table->seats[i].newest);
}

static inline void ticks(struct table *table, int count)
{
    while (count-- > 0)
        tick(table);
}

static inline struct raim_match_counts counts(const struct table *table)
{
    return raim_match_counts(table->match);
}
