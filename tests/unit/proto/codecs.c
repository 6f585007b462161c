// SPDX-License-Identifier: MIT
// The codecs of codecs.h.
#include "codecs.h"

#include <math.h>

static void draw_bytes(uint8_t *bytes, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        bytes[i] = (uint8_t)chance_magnitude(8);
}

// Draws a member of a list of fields.
#define DRAW(encoding, ...) DRAW_##encoding(__VA_ARGS__)
#define DRAW_U(name, bits) message->name = chance_magnitude(bits);
#define DRAW_PLAYER(name, bits) message->name = chance_magnitude(bits);
#define DRAW_BOOL(name, bits) message->name = chance_bool();
#define DRAW_RANGED(name, least, most) message->name = (uint32_t)chance_int(least, most);
#define DRAW_COUNT(name, bits) message->name = chance_magnitude(bits);
#define DRAW_CODE(name, bits, end) message->name = (uint32_t)chance_int(1, (end)-1);
#define DRAW_TEXT(name, most) chance_text(message->name, most);
#define DRAW_BYTES(name, size) draw_bytes(message->name, size);
#define DRAW_SIZED(name, size, most) draw_bytes(message->name, message->size);
#define DRAW_PART(name, part) draw_##part(&message->name);
#define DRAW_IF(condition, ...) RAIM_WRITE_IF(condition, __VA_ARGS__)
#define DRAW_STRUCT(name, LIST)                                                                    \
    static void draw_##name(struct raim_##name *message)                                           \
    {                                                                                              \
        LIST(DRAW)                                                                                 \
    }

DRAW_STRUCT(wire_phase, RAIM_PHASE_FIELDS)
DRAW_STRUCT(roster_entry, RAIM_ROSTER_ENTRY_FIELDS)
DRAW_STRUCT(vote_subject, RAIM_VOTE_SUBJECT_FIELDS)
DRAW_STRUCT(vote_tally, RAIM_VOTE_TALLY_FIELDS)
DRAW_STRUCT(vote_request, RAIM_VOTE_REQUEST_FIELDS)

static void draw_hello(struct raim_hello *message)
{
    message->version = RAIM_PROTOCOL_VERSION;
    RAIM_HELLO_FIELDS(DRAW)
}

static void draw_welcome(struct raim_welcome *message)
{
    RAIM_WELCOME_FIELDS(DRAW)
    message->version = RAIM_PROTOCOL_VERSION;
    message->shots = (uint32_t)chance_int(1, RAIM_WIRE_BULLETS / (int)message->max_players);
    message->player = 0; // a spectator
    if (chance_bool())
        message->player = (uint32_t)chance_int(1, 63) * RAIM_WIRE_PLAYERS +
                          (uint32_t)chance_int(0, (int)message->max_players - 1);
    for (int i = 0; i < 4; i++)
        message->border[i] = chance_signed(RAIM_WIRE_COORDINATE_BITS);
    message->rule_count = (uint32_t)chance_int(0, RAIM_WIRE_RULES);
    for (uint32_t i = 0; i < message->rule_count; i++)
        message->rules[i] = ldexp(chance_between(-1, 1), chance_int(-30, 30));
    chance_text(message->arena, RAIM_MAX_ARENA_BYTES);
    chance_text(message->map_name, RAIM_MAX_TITLE_BYTES);
    draw_wire_phase(&message->phase);
    chance_text(message->motd, RAIM_MAX_MOTD_BYTES);
}

static void draw_obstacles(union message *message)
{
    message->obstacles.count = 1 + chance_magnitude(31) % MAX_LISTED;
    for (uint32_t i = 0; i < message->obstacles.count; i++) {
        struct raim_wire_obstacle *obstacle = &message->obstacles.items[i];
        obstacle->count = (uint32_t)chance_int(3, RAIM_WIRE_POINTS);
        obstacle->seams = chance_bits(obstacle->count);
        for (uint32_t j = 0; j < 2 * obstacle->count; j++)
            obstacle->points[j / 2][j % 2] = chance_signed(RAIM_WIRE_COORDINATE_BITS);
    }
}

static void draw_roster(union message *message)
{
    message->roster.count = 1 + chance_magnitude(31) % MAX_LISTED;
    for (uint32_t i = 0; i < message->roster.count; i++)
        draw_roster_entry(&message->roster.items[i]);
}

static void draw_event(struct raim_wire_event *event)
{
    event->kind = (enum raim_wire_event_kind)chance_int(0, RAIM_WIRE_EVENT_KINDS - 1);
    switch (event->kind) {
    case RAIM_WIRE_JOINED:
        draw_roster_entry(&event->entry);
        event->player = event->entry.player;
        break;
    case RAIM_WIRE_LEFT:
        event->player = chance_bits(16);
        event->reason = chance_magnitude(8);
        break;
    case RAIM_WIRE_KILL:
        event->player = chance_bits(16);
        event->victim = chance_bits(16);
        event->score = chance_magnitude(32);
        event->deaths = chance_magnitude(32);
        event->rewind = (uint32_t)chance_int(0, RAIM_WIRE_REWIND);
        break;
    case RAIM_WIRE_CHAT:
        event->by_operator = chance_bool();
        event->player = event->by_operator ? 0 : chance_bits(16);
        chance_text(event->text, RAIM_MAX_CHAT_BYTES);
        break;
    case RAIM_WIRE_PHASE:
        draw_wire_phase(&event->phase);
        break;
    case RAIM_WIRE_OTHER:
    case RAIM_WIRE_EVENT_KINDS:
        event->type = chance_bits(8);
        event->size = chance_magnitude(5);
        draw_bytes((uint8_t *)event->text, event->size);
        break;
    }
}

static void draw_events(union message *message)
{
    message->events.epoch = chance_bits(RAIM_EPOCH_BITS);
    message->events.sequence = (uint16_t)chance_bits(16);
    message->events.count = 1 + chance_magnitude(31) % 8;
    for (uint32_t i = 0; i < message->events.count; i++)
        draw_event(&message->events.events[i]);
}

// A few directions only, so that inputs repeat.
static void draw_input(struct raim_input_message *input)
{
    input->tick = chance_magnitude(32);
    input->has_snapshot = chance_bool();
    input->snapshot =
        input->has_snapshot ? input->tick + (uint32_t)(int16_t)chance_magnitude(16) : 0;
    input->events = (uint16_t)chance_magnitude(16);
    input->count = (uint32_t)chance_int(1, RAIM_MAX_INPUTS);
    for (uint32_t i = 0; i < input->count; i++) {
        if (i > 0 && chance_bool()) {
            input->inputs[i] = input->inputs[i - 1];
            continue;
        }
        input->inputs[i].move_x = (int8_t)chance_int(-1, 1);
        input->inputs[i].move_y = (int8_t)chance_int(-1, 1);
        input->inputs[i].fire = chance_bool();
        input->inputs[i].aim = (uint16_t)(chance_bool() ? 0 : chance_bits(16));
        input->inputs[i].view_age =
            (uint8_t)(input->inputs[i].fire ? chance_int(0, RAIM_WIRE_REWIND) : 0);
    }
}

static void draw_pings(struct raim_pings *message)
{
    message->epoch = chance_bits(RAIM_EPOCH_BITS);
    message->count = (uint32_t)chance_int(1, RAIM_PINGS_SLOTS);
    message->first = (uint32_t)chance_int(0, RAIM_WIRE_PLAYERS - (int)message->count);
    for (uint32_t i = 0; i < message->count; i++)
        message->values[i] = (uint8_t)chance_int(0, RAIM_PING_MAX);
}

static void draw_offer(struct raim_vote_offer *offer)
{
    offer->kinds = chance_bits(16);
    offer->map_count = (uint32_t)chance_int(0, RAIM_WIRE_VOTE_MAPS);
    for (uint32_t i = 0; i < offer->map_count; i++)
        chance_text(offer->maps[i], RAIM_MAX_TITLE_BYTES);
}

static void draw_vote_report(union message *all)
{
    struct raim_vote_report *message = &all->vote.report;
    RAIM_VOTE_REPORT_FIELDS(DRAW)
    if (message->kind == RAIM_VOTE_OFFER)
        draw_offer(&all->vote.offer);
}

static size_t write_vote_report(union message *message, uint8_t *bytes, size_t capacity)
{
    return message->vote.report.kind == RAIM_VOTE_OFFER
               ? raim_vote_offer_write(&message->vote.offer, bytes, capacity)
               : raim_vote_report_write(&message->vote.report, bytes, capacity);
}

static bool read_vote_report(raim_reader *reader, union message *message)
{
    return raim_vote_report_read(reader, &message->vote.report, &message->vote.offer);
}

static size_t write_obstacles(union message *message, uint8_t *bytes, size_t capacity)
{
    return raim_obstacles_write(message->obstacles.items, message->obstacles.count,
                                &message->obstacles.count, bytes, capacity);
}

static bool read_obstacles(raim_reader *reader, union message *message)
{
    return raim_obstacles_read(reader, message->obstacles.items, MAX_LISTED,
                               &message->obstacles.count);
}

static size_t write_roster(union message *message, uint8_t *bytes, size_t capacity)
{
    return raim_roster_write(message->roster.items, message->roster.count, &message->roster.count,
                             bytes, capacity);
}

static bool read_roster(raim_reader *reader, union message *message)
{
    return raim_roster_read(reader, message->roster.items, MAX_LISTED, &message->roster.count);
}

static size_t write_all_events(union message *message, uint8_t *bytes, size_t capacity)
{
    return write_events(&message->events, bytes, capacity);
}

static bool read_all_events(raim_reader *reader, union message *message)
{
    return raim_events_read(reader, &message->events) && raim_reader_done(reader);
}

// Of a message that is a member of its own name.
#define CODEC(name)                                                                                \
    static void draw_one_##name(union message *message)                                            \
    {                                                                                              \
        draw_##name(&message->name);                                                               \
    }                                                                                              \
    static size_t write_##name(union message *message, uint8_t *bytes, size_t capacity)            \
    {                                                                                              \
        return raim_##name##_write(&message->name, bytes, capacity);                               \
    }                                                                                              \
    static bool read_##name(raim_reader *reader, union message *message)                           \
    {                                                                                              \
        return raim_##name##_read(reader, &message->name);                                         \
    }

CODEC(hello)
CODEC(welcome)
CODEC(input)
CODEC(pings)
CODEC(vote_request)

#define PLAIN_CODEC(name, kind, LIST)                                                              \
    DRAW_STRUCT(name, LIST)                                                                        \
    CODEC(name)
RAIM_PLAIN_MESSAGES(PLAIN_CODEC)

#define PLAIN_ROW(name, kind, LIST)                                                                \
    {#name, RAIM_MESSAGE_##kind, draw_one_##name, write_##name, read_##name},

const struct codec codecs[] = {
    {"hello", RAIM_MESSAGE_HELLO, draw_one_hello, write_hello, read_hello},
    {"welcome", RAIM_MESSAGE_WELCOME, draw_one_welcome, write_welcome, read_welcome},
    {"obstacles", RAIM_MESSAGE_OBSTACLES, draw_obstacles, write_obstacles, read_obstacles},
    {"roster", RAIM_MESSAGE_ROSTER, draw_roster, write_roster, read_roster},
    {"input", RAIM_MESSAGE_INPUT, draw_one_input, write_input, read_input},
    {"events", RAIM_MESSAGE_EVENTS, draw_events, write_all_events, read_all_events},
    {"pings", RAIM_MESSAGE_PINGS, draw_one_pings, write_pings, read_pings},
    RAIM_PLAIN_MESSAGES(PLAIN_ROW){"vote request", RAIM_MESSAGE_VOTE, draw_one_vote_request,
                                   write_vote_request, read_vote_request},
    {"vote report", RAIM_MESSAGE_VOTE, draw_vote_report, write_vote_report, read_vote_report},
};
const size_t codec_count = sizeof codecs / sizeof *codecs;

bool codec_read(const struct codec *codec, const uint8_t *bytes, size_t size,
                union message *message)
{
    raim_reader reader = raim_reader_make(bytes, size);
    return raim_message_read(&reader) == (uint32_t)codec->kind && codec->read(&reader, message);
}
