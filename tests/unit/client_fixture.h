// SPDX-License-Identifier: MIT
// A client connected to a scripted server: each test sends the messages that it needs.
#pragma once

#include "client.h"
#include "events_fixture.h"
#include "handshake.h"
#include "input.h"
#include "roster.h"
#include "snapshot.h"
#include "test.h"

enum { TICK_HZ = 60, PLAYERS = 16, SHOTS = 8, OWN_SLOT = 0, FIRST_TICK = 100, FIRST_EVENT = 7 };
enum { MAX_REWIND = 9, GRACE_S = 30 };
enum { OWN = RAIM_MAX_PLAYERS, OTHER, BEYOND = OWN + PLAYERS };

static uint8_t bytes[RAIM_MAX_MESSAGE_BYTES];
static uint64_t now_us = 1;

// Delivers the first `size` bytes of `bytes` in memory of exactly that size, so that ASan detects a
// read beyond.
static inline bool receive(struct raim_client *client, size_t size)
{
    uint8_t *exact = malloc(size);
    assert_non_null(exact);
    memcpy(exact, bytes, size);
    const bool good = raim_client_receive(client, now_us, exact, size);
    free(exact);
    return good;
}

static inline struct raim_welcome good_welcome(void)
{
    struct raim_welcome message = {
        .version = RAIM_PROTOCOL_VERSION,
        .player = OWN,
        .tick = FIRST_TICK,
        .event_sequence = FIRST_EVENT,
        .tick_hz = TICK_HZ,
        .max_players = PLAYERS,
        .shots = SHOTS,
        .max_rewind = MAX_REWIND,
        .grace_s = GRACE_S,
        .roster_count = 1,
        .border = {0, 0, 32000, 32000},
        .rule_count = RAIM_RULE_COUNT,
    };
    raim_rules rules = raim_rules_default();
    for (int i = 0; i < RAIM_RULE_COUNT; i++)
        message.rules[i] = *raim_rule_value(&rules, i);
    return message;
}

static inline void destroy_client(void *client)
{
    raim_client_destroy(client);
}

// A client that has not tried to connect yet. It is destroyed after the test.
static inline struct raim_client *create_client(const struct raim_client_def *def)
{
    struct raim_client *client = raim_client_create(def);
    assert_non_null(client);
    test_at_end(destroy_client, client);
    return client;
}

static inline struct raim_hello hello_of(struct raim_client *client)
{
    struct raim_hello hello;
    raim_reader reader =
        raim_reader_make(bytes, raim_client_write_hello(client, now_us, bytes, sizeof bytes));
    assert_int_equal(raim_message_read(&reader), RAIM_MESSAGE_HELLO);
    assert_true(raim_hello_read(&reader, &hello));
    return hello;
}

static inline struct raim_client *client_of(const struct raim_client_def *def)
{
    struct raim_client *client = create_client(def);
    assert_true(raim_client_wants_connection(client, now_us));
    hello_of(client);
    return client;
}

static inline struct raim_client *test_client(void)
{
    const struct raim_client_def def = raim_client_default_def();
    return client_of(&def);
}

static inline bool welcome(struct raim_client *client, const struct raim_welcome *message)
{
    return receive(client, raim_welcome_write(message, bytes, sizeof bytes));
}

static inline bool tell_roster(struct raim_client *client, const struct raim_roster_entry *entries,
                               uint32_t count)
{
    uint32_t written;
    return receive(client, raim_roster_write(entries, count, &written, bytes, sizeof bytes));
}

static inline bool tell_events(struct raim_client *client, uint32_t sequence,
                               const struct raim_wire_event *events, uint32_t count)
{
    static struct raim_events_message message;
    message.sequence = (uint16_t)sequence;
    message.count = count;
    memcpy(message.events, events, count * sizeof *events);
    return receive(client, write_events(&message, bytes, sizeof bytes));
}

// A client that was welcomed plays or watches.
static inline void enter_again(struct raim_client *client, const struct raim_welcome *message)
{
    assert_true(welcome(client, message));
    assert_true(tell_roster(client, &(struct raim_roster_entry){.player = OWN, .name = "one"}, 1));
    assert_int_equal(raim_client_get_state(client), RAIM_CLIENT_PLAYING);
}

static inline struct raim_client *enter(const struct raim_welcome *message)
{
    struct raim_client *client = test_client();
    enter_again(client, message);
    return client;
}

static inline struct raim_client *player(void)
{
    const struct raim_welcome message = good_welcome();
    return enter(&message);
}

static inline struct raim_client *spectator(void)
{
    struct raim_welcome message = good_welcome();
    message.player = RAIM_NOBODY;
    return enter(&message);
}

// --- Snapshots ---

static inline struct raim_wire_limits limits_of_test(void)
{
    const raim_rules rules = raim_rules_default();
    const struct raim_stride stride = raim_world_stride(&rules, TICK_HZ);
    return (struct raim_wire_limits){.players = PLAYERS,
                                     .shots = SHOTS,
                                     .history = raim_wire_history(TICK_HZ),
                                     .stride = stride.straight,
                                     .diagonal = stride.diagonal,
                                     .max_rewind = MAX_REWIND};
}

// A frame without visible entities. It reuses the memory of the previous one.
static inline struct raim_wire_frame empty_frame(uint32_t tick)
{
    static uint64_t memory[1024];
    const struct raim_wire_limits limits = limits_of_test();
    struct raim_wire_frame frame;
    assert_true(raim_wire_frame_bytes(&limits) <= sizeof memory);
    memset(memory, 0, sizeof memory);
    raim_wire_frame_init(&frame, &limits, memory);
    frame.tick = tick;
    frame.self = (raim_wire_self){.slot = OWN_SLOT, .steers = true, .alive = true, .margin = 3};
    return frame;
}

static inline bool show_delta(struct raim_client *client, const struct raim_wire_frame *baseline,
                              const struct raim_wire_frame *frame)
{
    const struct raim_wire_limits limits = limits_of_test();
    return receive(client, raim_snapshot_write(&limits, baseline, frame, bytes, sizeof bytes));
}

static inline bool show(struct raim_client *client, const struct raim_wire_frame *frame)
{
    return show_delta(client, NULL, frame);
}

static inline bool show_empty(struct raim_client *client, uint32_t tick)
{
    const struct raim_wire_frame frame = empty_frame(tick);
    return show(client, &frame);
}

// Writes the next input as soon as it is due, within a tenth of a second.
static inline size_t press_input(struct raim_client *client, const raim_input *input)
{
    for (int i = 0; i < 100 && !raim_client_is_input_due(client, now_us); i++)
        now_us += 1000;
    return raim_client_write_input(client, now_us, input, bytes, sizeof bytes);
}

static inline size_t press(struct raim_client *client)
{
    return press_input(client, &(raim_input){.move_x = 1, .aim = 12345});
}

// Reads the INPUT of `size` bytes in `bytes`.
static inline struct raim_input_message read_message(size_t size)
{
    struct raim_input_message message = {0};
    raim_reader reader = raim_reader_make(bytes, size);
    assert_int_equal(raim_message_read(&reader), RAIM_MESSAGE_INPUT);
    assert_true(raim_input_read(&reader, &message));
    return message;
}

// Writes an input, which must be sent, and reads the message.
static inline struct raim_input_message pressed(struct raim_client *client)
{
    return read_message(press(client));
}
