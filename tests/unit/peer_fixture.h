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
    PEERS = 16,
    SLOTS = 24,       // most of a match
    KEPT = 512,       // ticks whose frames are kept; more than any delay here
    DELAY_TICKS = 90, // of 1.5 s
};

struct received_event {
    uint32_t event_tick; // tick of its arrival
    uint32_t tick;       // tick of its arrival less the delay
    struct raim_wire_event event;
};

// A protocol client. Its handle is its index.
struct peer {
    bool open, welcome_sent, is_over;
    bool is_idle; // sends no inputs
    uint32_t welcomes;
    struct raim_welcome welcome;
    struct raim_wire_phase phase;   // from the last phase message
    struct raim_wire_limits limits; // since the WELCOME
    struct raim_goodbye goodbye;
    uint32_t roster_sent;
    struct raim_roster_entry roster[SLOTS]; // by slot
    struct received_event *received;        // by sequence number, relative to the WELCOME's
    uint32_t received_count, received_capacity;
    uint32_t chat_rejections;           // CHAT_REJECTED messages
    struct raim_chat_rejected rejected; // the last one
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

struct test_match {
    struct raim_match_def def;
    struct raim_match *match;
    struct raim_map *map;
    bool is_far; // messages are delayed and may be lost
    struct peer peers[PEERS];
    raim_player truth[KEPT][SLOTS]; // by tick modulo KEPT
};

static inline struct raim_match_def usual_def(void)
{
    struct raim_match_def def = raim_match_default_def();
    def.sight = false;
    def.tuning.max_players = 8;
    def.max_connections = PEERS;
    def.tuning.resume_grace_s = 0; // a disconnect ends the session
    def.spectator_delay_s = DELAY_TICKS / 60.0;
    return def;
}

// Definitions with a change.
static inline struct raim_match_def with_bots(struct raim_match_def def, uint32_t bots)
{
    def.bots = bots;
    return def;
}

static inline struct raim_match_def with_players(struct raim_match_def def, uint32_t max_players)
{
    def.tuning.max_players = max_players;
    return def;
}

static inline struct raim_match_def with_spectators(struct raim_match_def def, uint32_t max)
{
    def.tuning.max_spectators = max;
    return def;
}

static inline struct raim_match_def with_delay(struct raim_match_def def, double spectator_delay_s)
{
    def.spectator_delay_s = spectator_delay_s;
    return def;
}

static inline struct raim_match_def live(struct raim_match_def def)
{
    return with_delay(def, 0);
}

static inline struct raim_match_def with_grace(struct raim_match_def def, double seconds)
{
    def.tuning.resume_grace_s = seconds;
    return def;
}

static inline void forget_peer(struct peer *peer)
{
    free(peer->memory);
    free(peer->received);
    memset(peer, 0, sizeof *peer);
}

static inline void leave(struct test_match *test, uint32_t handle)
{
    if (handle < test->def.max_connections) // fewer where the successor has fewer
        raim_match_disconnect(test->match, handle);
    forget_peer(&test->peers[handle]);
}

static inline void destroy_test_match(void *object)
{
    struct test_match *test = object;
    for (uint32_t i = 0; i < PEERS && i < test->def.max_connections; i++)
        leave(test, i);
    raim_match_destroy(test->match);
    raim_map_destroy(test->map);
    free(test);
}

// Where a test opens many; the others are closed after it.
static inline void close_test_match(struct test_match *test)
{
    test_end_now(test);
}

static inline struct test_match *open_test_match(struct raim_match_def def)
{
    const raim_box boxes[] = {{{-300, -300}, {-100, -100}}, {{100, -50}, {300, 20}}};
    struct test_match *test = calloc(1, sizeof *test);
    test_at_end(destroy_test_match, test);
    test->map = fixture_map(boxes, 2);
    def.map = test->map;
    def.seed = raim_random_next(&chance);
    test->def = def;
    test->match = raim_match_create(&def);
    assert_non_null(test->match);
    assert_true(raim_match_world(test->match)->max_players <= SLOTS);
    return test;
}

// Delivers a message in memory of exactly its size, so that ASan detects a read beyond.
static inline void to_match(struct test_match *test, uint32_t handle, bool reliable,
                            const uint8_t *data, size_t size)
{
    uint8_t *exact = malloc(size);
    memcpy(exact, data, size);
    raim_match_receive(test->match, handle, reliable, exact, size);
    free(exact);
}

// Joins from an address and its network; 0: unknown.
static inline struct peer *join_from(struct test_match *test, uint32_t handle, uint64_t origin,
                                     uint64_t network, const struct raim_hello *hello)
{
    uint8_t bytes[RAIM_MAX_MESSAGE_BYTES], token[RAIM_TOKEN_BYTES];
    struct peer *peer = &test->peers[handle];
    assert_false(peer->open);
    peer->open = true;
    for (size_t i = 0; i < sizeof token; i++)
        token[i] = (uint8_t)chance_int(0, 255);
    raim_match_connect(test->match, handle, token);
    if (origin != 0 || network != 0)
        raim_match_set_origin(test->match, handle, origin, network);
    to_match(test, handle, true, bytes, raim_hello_write(hello, bytes, sizeof bytes));
    return peer;
}

static inline struct peer *connect_peer(struct test_match *test, uint32_t handle,
                                        const struct raim_hello *hello)
{
    return join_from(test, handle, 0, 0, hello);
}

static inline struct peer *play(struct test_match *test, uint32_t handle)
{
    return connect_peer(test, handle,
                        &(struct raim_hello){.version = RAIM_PROTOCOL_VERSION, .name = "player"});
}

static inline struct peer *watch(struct test_match *test, uint32_t handle, uint32_t target)
{
    return connect_peer(test, handle,
                        &(struct raim_hello){.version = RAIM_PROTOCOL_VERSION,
                                             .watch = true,
                                             .target = target,
                                             .name = "spectator"});
}

// Continues the session of a token.
static inline struct peer *resume(struct test_match *test, uint32_t handle, const uint8_t *token)
{
    struct raim_hello hello = {.version = RAIM_PROTOCOL_VERSION,
                               .capabilities = RAIM_CAPABILITY_VOTES | RAIM_CAPABILITY_ADMIN,
                               .resume = true,
                               .name = "again"};
    memcpy(hello.token, token, sizeof hello.token);
    return connect_peer(test, handle, &hello);
}

static inline struct raim_wire_frame *frame_at(struct peer *peer, uint32_t tick)
{
    return peer->frame_ticks[tick % KEPT] == tick ? &peer->frames[tick % KEPT] : NULL;
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
        .has_health = rules.health > 1,
    };
}

// Reads a WELCOME, the first or a later one, which resets the peer.
static inline void read_welcome(struct peer *peer, raim_reader *reader)
{
    assert_true(raim_welcome_read(reader, &peer->welcome));
    peer->welcome_sent = true;
    peer->welcomes++;
    peer->phase = peer->welcome.phase;
    peer->limits = limits_of(&peer->welcome);
    peer->any = false;
    peer->received_count = 0;
    peer->roster_sent = 0;
    memset(peer->roster, 0, sizeof peer->roster);
    const size_t frame_bytes = raim_wire_frame_bytes(&peer->limits);
    free(peer->memory);
    peer->memory = calloc(KEPT, frame_bytes);
    for (size_t i = 0; i < KEPT; i++) {
        raim_wire_frame_init(&peer->frames[i], &peer->limits,
                             (uint8_t *)peer->memory + i * frame_bytes);
        peer->frame_ticks[i] = (uint32_t)i + 1; // none
    }
}

static inline void read_snapshot(struct test_match *test, struct peer *peer, raim_reader *reader)
{
    if (!peer->welcome_sent)
        return;
    struct raim_snapshot_header header;
    const struct raim_wire_frame *baseline = NULL;
    const uint32_t near_tick = peer->any ? peer->newest : peer->welcome.tick;
    assert_true(raim_snapshot_read_header(reader, &peer->limits, near_tick, &header));
    if (header.baseline_age == 0 && header.epoch != peer->welcome.epoch) {
        assert_true(test->is_far); // it overtook its WELCOME
        return;
    }
    if (raim_tick_diff(header.tick, peer->any ? peer->newest : peer->welcome.tick) <= 0) {
        assert_true(test->is_far); // overtaken by a newer one
        return;
    }
    if (header.baseline_age > 0) {
        baseline = frame_at(peer, header.tick - header.baseline_age);
        assert_non_null(baseline);
    }
    struct raim_wire_frame *frame = &peer->frames[header.tick % KEPT];
    assert_true(raim_snapshot_read(reader, &header, &peer->limits, baseline, frame));
    peer->frame_ticks[header.tick % KEPT] = header.tick;
    // Events and snapshots are late by exactly the WELCOME's delay.
    const uint32_t now = raim_match_tick(test->match);
    assert_true(test->is_far || header.tick + peer->welcome.delay_ticks == now);
    peer->any = true;
    peer->newest = header.tick;
    peer->snapshots++;
}

static inline void apply(struct peer *peer, const struct raim_wire_event *event)
{
    struct raim_roster_entry *entry = &peer->roster[event->player % RAIM_WIRE_PLAYERS];
    struct raim_roster_entry *victim = &peer->roster[event->victim % RAIM_WIRE_PLAYERS];
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
        for (uint32_t i = 0; i < SLOTS && event->phase.round != peer->phase.round; i++)
            peer->roster[i].score = peer->roster[i].deaths = 0;
        peer->phase = event->phase;
    }
}

// The nth event of a kind that a peer received; NULL: none.
static inline const struct received_event *received_of(const struct peer *peer,
                                                       enum raim_wire_event_kind kind, uint32_t n)
{
    for (uint32_t i = 0; i < peer->received_count; i++)
        if (peer->received[i].event.kind == kind && n-- == 0)
            return &peer->received[i];
    return NULL;
}

static inline uint32_t count_received(const struct peer *peer, enum raim_wire_event_kind kind)
{
    uint32_t count = 0;
    while (received_of(peer, kind, count) != NULL)
        count++;
    return count;
}

// The number of the first event that has not arrived.
static inline uint32_t next_event(const struct peer *peer)
{
    return peer->welcome.event_sequence + peer->received_count;
}

static inline struct received_event *next_received(struct peer *peer)
{
    if (peer->received_count == peer->received_capacity) {
        peer->received_capacity = peer->received_capacity > 0 ? 2 * peer->received_capacity : 64;
        peer->received = realloc(peer->received, peer->received_capacity * sizeof *peer->received);
        assert_non_null(peer->received);
    }
    return &peer->received[peer->received_count++];
}

static inline void take_events(struct test_match *test, struct peer *peer,
                               const struct raim_events_message *events)
{
    const uint32_t now = raim_match_tick(test->match);
    for (uint32_t i = 0; i < events->count; i++) {
        const int32_t ahead = (int16_t)(events->sequence + i - next_event(peer));
        peer->ahead += ahead > 0;
        peer->repeated += ahead < 0;
        if (ahead != 0)
            continue;
        *next_received(peer) = (struct received_event){
            .event_tick = now,
            .tick = now - peer->welcome.delay_ticks,
            .event = events->events[i],
        };
        apply(peer, &events->events[i]);
    }
    assert_true(test->is_far || peer->ahead == 0);
}

static inline void read_events(struct test_match *test, struct peer *peer, raim_reader *reader)
{
    struct raim_events_message events;
    assert_true(raim_events_read(reader, &events));
    if (peer->welcome_sent && events.epoch != peer->welcome.epoch) {
        assert_true(test->is_far);
        return;
    }
    const bool has_roster = peer->welcome_sent && peer->roster_sent == peer->welcome.roster_count;
    assert_true(has_roster || test->is_far); // without it, they come again
    if (has_roster)
        take_events(test, peer, &events);
    if (reader->offset == 8 * reader->size)
        return;
    assert_int_equal(raim_message_read(reader), RAIM_MESSAGE_SNAPSHOT);
    read_snapshot(test, peer, reader);
}

static inline void read_roster(struct peer *peer, raim_reader *reader)
{
    struct raim_roster_entry entries[SLOTS];
    uint32_t count;
    assert_true(raim_roster_read(reader, entries, SLOTS, &count));
    peer->roster_sent += count;
    for (uint32_t i = 0; i < count; i++)
        peer->roster[entries[i].player % RAIM_WIRE_PLAYERS] = entries[i];
}

static inline void read_vote(struct peer *peer, raim_reader *reader)
{
    struct raim_vote_report report;
    assert_true(raim_vote_report_read(reader, &report, &peer->vote_offer));
    peer->vote_reports[report.kind] = report;
    peer->vote_counts[report.kind]++;
}

static inline void to_peer(struct test_match *test, struct peer *peer, const uint8_t *data,
                           size_t size)
{
    raim_reader reader = raim_reader_make(data, size);
    switch (raim_message_read(&reader)) {
    case RAIM_MESSAGE_WELCOME:
        read_welcome(peer, &reader);
        break;
    case RAIM_MESSAGE_ROSTER:
        read_roster(peer, &reader);
        break;
    case RAIM_MESSAGE_EVENTS:
        read_events(test, peer, &reader);
        break;
    case RAIM_MESSAGE_SNAPSHOT:
        read_snapshot(test, peer, &reader);
        break;
    case RAIM_MESSAGE_GOODBYE:
        assert_true(raim_goodbye_read(&reader, &peer->goodbye));
        break;
    case RAIM_MESSAGE_CHAT_REJECTED:
        assert_true(raim_chat_rejected_read(&reader, &peer->rejected));
        peer->chat_rejections++;
        break;
    case RAIM_MESSAGE_VOTE:
        read_vote(peer, &reader);
        break;
    default:
        break;
    }
}

static inline void deliver(struct test_match *test)
{
    struct raim_outgoing out;
    while (raim_match_outgoing(test->match, &out)) {
        struct peer *peer = &test->peers[out.client];
        peer->is_over = peer->is_over || out.close;
        to_peer(test, peer, out.data, out.size);
    }
}

static inline void send_input(struct test_match *test, uint32_t handle, uint32_t tick,
                              bool has_snapshot, uint32_t snapshot)
{
    uint8_t bytes[RAIM_MAX_MESSAGE_BYTES];
    struct raim_input_message message = {
        .tick = tick,
        .has_snapshot = has_snapshot,
        .snapshot = snapshot,
        .events = (uint16_t)next_event(&test->peers[handle]),
        .count = 1,
    };
    if (!test->peers[handle].is_idle)
        message.inputs[0] = (raim_wire_input){
            .move_x = (int8_t)chance_int(-1, 1),
            .move_y = (int8_t)chance_int(-1, 1),
            .fire = true,
            .view_age = (uint8_t)chance_int(0, RAIM_WIRE_REWIND),
            .aim = (uint16_t)chance_int(0, 65535),
        };
    to_match(test, handle, false, bytes, raim_input_write(&message, bytes, sizeof bytes));
}

static inline void say(struct test_match *test, uint32_t handle, const char *text)
{
    uint8_t bytes[RAIM_MAX_MESSAGE_BYTES];
    const struct raim_chat chat = raim_chat_of(text);
    to_match(test, handle, true, bytes, raim_chat_write(&chat, bytes, sizeof bytes));
}

static inline void say_goodbye(struct test_match *test, uint32_t handle)
{
    uint8_t bytes[RAIM_MAX_MESSAGE_BYTES];
    struct raim_client_goodbye client_goodbye = {.reason = RAIM_REASON_LEFT};
    memcpy(client_goodbye.token, test->peers[handle].welcome.token, sizeof client_goodbye.token);
    to_match(test, handle, true, bytes,
             raim_client_goodbye_write(&client_goodbye, bytes, sizeof bytes));
}

// Plays one step and delivers all messages. Spectators send inputs as if they played.
static inline void tick(struct test_match *test)
{
    raim_match_step(test->match);
    const uint32_t now = raim_match_tick(test->match);
    const struct raim_world *world = raim_match_world(test->match);
    memcpy(test->truth[now % KEPT], raim_world_players_const(world),
           world->max_players * sizeof(raim_player));
    deliver(test);
    for (uint32_t i = 0; i < PEERS; i++)
        if ((test->peers[i].any || test->peers[i].received_count > 0) && !test->peers[i].is_over)
            send_input(test, i, now + 1, test->peers[i].any, test->peers[i].newest);
}

static inline void ticks(struct test_match *test, int count)
{
    while (count-- > 0)
        tick(test);
}

// Two players, in the peers 0 and 1.
static inline struct test_match *open_two(struct raim_match_def def)
{
    struct test_match *test = open_test_match(def);
    play(test, 0);
    play(test, 1);
    ticks(test, 5);
    assert_true(test->peers[0].any && test->peers[1].any);
    return test;
}

static inline struct raim_match_counts counts(const struct test_match *test)
{
    return raim_match_counts(test->match);
}

static inline uint64_t rejected(const struct test_match *test, enum raim_rejection rejection)
{
    return raim_match_counts(test->match).rejected[rejection];
}

// The row of a player; its id is RAIM_NOBODY where there is none.
static inline struct raim_match_player row_of(const struct test_match *test, uint32_t id)
{
    struct raim_match_player rows[SLOTS];
    const uint32_t count = raim_match_players(test->match, rows, SLOTS);
    for (uint32_t i = 0; i < count; i++)
        if (rows[i].id == id)
            return rows[i];
    return (struct raim_match_player){.id = RAIM_NOBODY};
}

// Another match of the same definition, as another process would make it.
static inline struct raim_match *make_successor(const struct test_match *test)
{
    struct raim_match_def def = test->def;
    def.seed = raim_random_next(&chance);
    struct raim_match *match = raim_match_create(&def);
    assert_non_null(match);
    return match;
}

// The match from now on.
static inline void go_on_with(struct test_match *test, struct raim_match *match)
{
    raim_match_destroy(test->match);
    test->match = match;
}

struct checkpoint {
    uint8_t *bytes; // of exactly its size; freed after the test
    size_t size;
};

static inline struct checkpoint save(const struct test_match *test)
{
    struct checkpoint saved = {.size = raim_match_checkpoint_size(test->match)};
    saved.bytes = freed(malloc(saved.size));
    raim_match_save(test->match, saved.bytes);
    return saved;
}

// Goes on with a match that is restored from a checkpoint; all connections are gone.
static inline void restart(struct test_match *test)
{
    const struct checkpoint saved = save(test);
    struct raim_match *next = make_successor(test);
    assert_null(raim_match_checkpoint_fault(next, saved.bytes, saved.size));
    assert_true(raim_match_restore(next, saved.bytes, saved.size));
    for (uint32_t i = 0; i < PEERS; i++)
        leave(test, i);
    go_on_with(test, next);
}

static inline void assert_goodbye(const struct peer *peer, enum raim_reason reason,
                                  const char *text)
{
    assert_true(peer->is_over);
    assert_int_equal(peer->goodbye.reason, reason);
    if (text != NULL)
        assert_string_equal(peer->goodbye.text, text);
}

// Joins with capabilities.
static inline struct peer *enter(struct test_match *test, uint32_t handle, uint32_t capabilities,
                                 bool watch)
{
    return connect_peer(test, handle,
                        &(struct raim_hello){.version = RAIM_PROTOCOL_VERSION,
                                             .capabilities = capabilities,
                                             .watch = watch,
                                             .name = "player"});
}
