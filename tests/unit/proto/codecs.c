// SPDX-License-Identifier: MIT
// The codecs of codecs.h.
#include "codecs.h"

#include <math.h>

static void draw_bytes(uint8_t *bytes, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        bytes[i] = (uint8_t)chance_magnitude(8);
}

static void draw_phase(struct raim_wire_phase *phase)
{
    phase->phase = (enum raim_phase)chance_int(0, RAIM_PHASES - 1);
    phase->round = chance_magnitude(16);
    phase->has_end = chance_bool();
    phase->end_tick = phase->has_end ? chance_magnitude(32) : 0;
    phase->score_limit = chance_magnitude(32);
    if (phase->phase == RAIM_PHASE_BREAK) {
        phase->winner = chance_magnitude(16);
        chance_text(phase->next_map, RAIM_MAX_TITLE_BYTES);
    }
}

static void draw_hello(union message *message)
{
    struct raim_hello *hello = &message->hello;
    hello->version = RAIM_PROTOCOL_VERSION;
    hello->capabilities = chance_magnitude(32);
    hello->watch = chance_bool();
    hello->target = hello->watch ? chance_magnitude(16) : 0;
    hello->resume = chance_bool();
    draw_bytes(hello->token, hello->resume ? RAIM_TOKEN_BYTES : 0);
    hello->access_size = chance_magnitude(8);
    draw_bytes(hello->access, hello->access_size);
    chance_text(hello->name, RAIM_MAX_NAME_BYTES);
}

static void draw_welcome(union message *message)
{
    struct raim_welcome *welcome = &message->welcome;
    *welcome = (struct raim_welcome){
        .version = RAIM_PROTOCOL_VERSION,
        .capabilities = chance_magnitude(32),
        .delay_ticks = chance_magnitude(16),
        .grace_s = chance_magnitude(16),
        .tick = chance_magnitude(32),
        .event_sequence = chance_magnitude(32),
        .epoch = chance_bits(RAIM_EPOCH_BITS),
        .tick_hz = (uint32_t)chance_int(10, 240),
        .max_players = (uint32_t)chance_int(1, RAIM_WIRE_PLAYERS),
        .max_rewind = (uint32_t)chance_int(0, RAIM_WIRE_REWIND),
        .view_width = chance_magnitude(16),
        .view_height = chance_magnitude(16),
        .sight = chance_bool(),
        .obstacle_count = (uint32_t)chance_int(0, RAIM_WIRE_OBSTACLES),
        .roster_count = (uint32_t)chance_int(0, RAIM_WIRE_PLAYERS),
        .rule_count = (uint32_t)chance_int(0, RAIM_WIRE_RULES),
    };
    welcome->shots = (uint32_t)chance_int(1, RAIM_WIRE_BULLETS / (int)welcome->max_players);
    if (chance_bool()) // a player, not a spectator
        welcome->player = (uint32_t)chance_int(1, 63) * RAIM_WIRE_PLAYERS +
                          (uint32_t)chance_int(0, (int)welcome->max_players - 1);
    draw_bytes(welcome->token, RAIM_TOKEN_BYTES);
    for (int i = 0; i < 4; i++)
        welcome->border[i] = chance_signed(RAIM_WIRE_COORDINATE_BITS);
    for (uint32_t i = 0; i < welcome->rule_count; i++)
        welcome->rules[i] = ldexp(chance_between(-1, 1), chance_int(-30, 30));
    chance_text(welcome->arena, RAIM_MAX_ARENA_BYTES);
    chance_text(welcome->map_name, RAIM_MAX_TITLE_BYTES);
    draw_phase(&welcome->phase);
    chance_text(welcome->motd, RAIM_MAX_MOTD_BYTES);
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

static void draw_entry(struct raim_roster_entry *entry)
{
    entry->player = chance_bits(16);
    entry->bot = chance_bool();
    entry->score = chance_magnitude(32);
    entry->deaths = chance_magnitude(32);
    chance_text(entry->name, RAIM_MAX_NAME_BYTES);
}

static void draw_roster(union message *message)
{
    message->roster.count = 1 + chance_magnitude(31) % MAX_LISTED;
    for (uint32_t i = 0; i < message->roster.count; i++)
        draw_entry(&message->roster.items[i]);
}

static void draw_event(struct raim_wire_event *event)
{
    event->kind = (enum raim_wire_event_kind)chance_int(0, RAIM_WIRE_EVENT_KINDS - 1);
    switch (event->kind) {
    case RAIM_WIRE_JOINED:
        draw_entry(&event->entry);
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
        draw_phase(&event->phase);
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
static void draw_input(union message *message)
{
    struct raim_input_message *input = &message->input;
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

static void draw_goodbye(union message *message)
{
    message->goodbye.reason = chance_magnitude(8);
    chance_text(message->goodbye.text, RAIM_MAX_TEXT_BYTES);
}

static void draw_client_goodbye(union message *message)
{
    draw_goodbye(message);
    draw_bytes(message->client_goodbye.token, RAIM_TOKEN_BYTES);
}

static void draw_chat(union message *message)
{
    chance_text(message->chat, RAIM_MAX_CHAT_BYTES);
}

static void draw_chat_rejected(union message *message)
{
    message->number = chance_bits(8);
}

static void draw_watch(union message *message)
{
    message->number = chance_bits(16);
}

static void draw_notice(union message *message)
{
    message->notice.kind = (enum raim_notice_kind)chance_int(0, RAIM_NOTICE_KINDS - 1);
    chance_text(message->notice.text, RAIM_MAX_NOTICE_BYTES);
}

static void draw_pings(union message *message)
{
    message->pings.epoch = chance_bits(RAIM_EPOCH_BITS);
    message->pings.count = (uint32_t)chance_int(1, RAIM_PINGS_SLOTS);
    message->pings.first = (uint32_t)chance_int(0, RAIM_WIRE_PLAYERS - (int)message->pings.count);
    for (uint32_t i = 0; i < message->pings.count; i++)
        message->pings.values[i] = (uint8_t)chance_int(0, RAIM_PING_MAX);
}

static void draw_subject(struct raim_vote_subject *subject)
{
    subject->kind = (uint32_t)chance_int(1, RAIM_VOTE_KINDS - 1);
    subject->player = raim_vote_has_player(subject->kind) ? chance_bits(16) : 0;
    if (subject->kind == RAIM_VOTE_EXTEND)
        subject->minutes = (uint32_t)chance_int(1, RAIM_VOTE_MAX_MINUTES);
    if (subject->kind == RAIM_VOTE_MAP)
        chance_text(subject->map, RAIM_MAX_TITLE_BYTES);
    chance_text(subject->reason, RAIM_MAX_VOTE_REASON_BYTES);
}

static void draw_vote_request(union message *message)
{
    struct raim_vote_request *request = &message->vote_request;
    request->action = (uint32_t)chance_int(0, RAIM_VOTE_ACTIONS - 1);
    if (request->action == RAIM_VOTE_CALL)
        draw_subject(&request->subject);
    else
        request->number = chance_bits(8);
    if (request->action == RAIM_VOTE_CAST)
        request->choice = (uint32_t)chance_int(0, RAIM_VOTE_CHOICES - 1);
}

static void draw_offer(struct raim_vote_offer *offer)
{
    offer->kinds = chance_bits(16);
    offer->map_count = (uint32_t)chance_int(0, RAIM_WIRE_VOTE_MAPS);
    for (uint32_t i = 0; i < offer->map_count; i++)
        chance_text(offer->maps[i], RAIM_MAX_TITLE_BYTES);
}

static void draw_vote_report(union message *message)
{
    struct raim_vote_report *report = &message->vote.report;
    report->kind = (uint32_t)chance_int(0, RAIM_VOTE_REPORTS - 1);
    if (report->kind == RAIM_VOTE_OFFER) {
        draw_offer(&message->vote.offer);
    } else if (report->kind == RAIM_VOTE_REJECTED) {
        report->rejection = (uint32_t)chance_int(1, 31);
        report->amount = chance_bits(12);
    } else if (report->kind == RAIM_VOTE_BEGAN) {
        report->number = chance_bits(8);
        draw_subject(&report->subject);
        report->caller = chance_bits(16);
        chance_text(report->caller_name, RAIM_MAX_NAME_BYTES);
        if (raim_vote_has_player(report->subject.kind))
            chance_text(report->target_name, RAIM_MAX_NAME_BYTES);
        report->left_ms = (uint32_t)chance_int(0, RAIM_VOTE_MAX_LEFT_MS);
    } else {
        report->number = chance_bits(8);
        report->tally = (struct raim_vote_tally){.yes = chance_bits(10),
                                                 .no = chance_bits(10),
                                                 .electors = chance_bits(10),
                                                 .needed = chance_bits(10)};
        if (report->kind == RAIM_VOTE_TALLY)
            report->choice = (uint32_t)chance_int(0, RAIM_VOTE_CHOICES - 1);
        else
            report->outcome = (uint32_t)chance_int(1, RAIM_VOTE_OUTCOMES - 1);
    }
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

// A writer and a reader of a member of the message.
#define CODEC(name, value)                                                                         \
    static size_t write_##name(union message *message, uint8_t *bytes, size_t capacity)            \
    {                                                                                              \
        return raim_##name##_write(value, bytes, capacity);                                        \
    }                                                                                              \
    static bool read_##name(raim_reader *reader, union message *message)                           \
    {                                                                                              \
        return raim_##name##_read(reader, value);                                                  \
    }

CODEC(hello, &message->hello)
CODEC(welcome, &message->welcome)
CODEC(goodbye, &message->goodbye)
CODEC(client_goodbye, &message->client_goodbye)
CODEC(input, &message->input)
CODEC(chat, message->chat)
CODEC(notice, &message->notice)
CODEC(pings, &message->pings)
CODEC(vote_request, &message->vote_request)

static size_t write_watch(union message *message, uint8_t *bytes, size_t capacity)
{
    return raim_watch_write(message->number, bytes, capacity);
}

static bool read_watch(raim_reader *reader, union message *message)
{
    return raim_watch_read(reader, &message->number);
}

static size_t write_chat_rejected(union message *message, uint8_t *bytes, size_t capacity)
{
    return raim_chat_rejected_write(message->number, bytes, capacity);
}

static bool read_chat_rejected(raim_reader *reader, union message *message)
{
    return raim_chat_rejected_read(reader, &message->number);
}

const struct codec codecs[] = {
    {"hello", RAIM_MESSAGE_HELLO, draw_hello, write_hello, read_hello},
    {"welcome", RAIM_MESSAGE_WELCOME, draw_welcome, write_welcome, read_welcome},
    {"obstacles", RAIM_MESSAGE_OBSTACLES, draw_obstacles, write_obstacles, read_obstacles},
    {"roster", RAIM_MESSAGE_ROSTER, draw_roster, write_roster, read_roster},
    {"input", RAIM_MESSAGE_INPUT, draw_input, write_input, read_input},
    {"events", RAIM_MESSAGE_EVENTS, draw_events, write_all_events, read_all_events},
    {"goodbye", RAIM_MESSAGE_GOODBYE, draw_goodbye, write_goodbye, read_goodbye},
    {"client_goodbye", RAIM_MESSAGE_GOODBYE, draw_client_goodbye, write_client_goodbye,
     read_client_goodbye},
    {"chat", RAIM_MESSAGE_CHAT, draw_chat, write_chat, read_chat},
    {"chat rejected", RAIM_MESSAGE_CHAT_REJECTED, draw_chat_rejected, write_chat_rejected,
     read_chat_rejected},
    {"watch", RAIM_MESSAGE_WATCH, draw_watch, write_watch, read_watch},
    {"notice", RAIM_MESSAGE_NOTICE, draw_notice, write_notice, read_notice},
    {"pings", RAIM_MESSAGE_PINGS, draw_pings, write_pings, read_pings},
    {"vote request", RAIM_MESSAGE_VOTE, draw_vote_request, write_vote_request, read_vote_request},
    {"vote report", RAIM_MESSAGE_VOTE, draw_vote_report, write_vote_report, read_vote_report},
};
const size_t codec_count = sizeof codecs / sizeof *codecs;

bool codec_read(const struct codec *codec, const uint8_t *bytes, size_t size,
                union message *message)
{
    raim_reader reader = raim_reader_make(bytes, size);
    return raim_message_read(&reader) == (uint32_t)codec->kind && codec->read(&reader, message);
}
