// SPDX-License-Identifier: MIT
// Writes and reads the messages of entering and leaving.
#include "handshake.h"

#include <assert.h>

enum { RULE_COUNT_BITS = 5, VIEW_BITS = 16, PLAYER_ID_BITS = 16, DELAY_BITS = 16 };
enum { GRACE_BITS = 16, REWIND_BITS = 6 };
static_assert(RAIM_WIRE_REWIND < 1 << REWIND_BITS, "a rewind fits its bits");

static const struct {
    const char *name, *text;
} reasons[RAIM_REASONS] = {
    [RAIM_REASON_NONE] = {"none", ""},
    [RAIM_REASON_LEFT] = {"left", ""},
    [RAIM_REASON_LOST] = {"lost", ""},
    [RAIM_REASON_SHUTDOWN] = {"shutdown", "the server is shutting down"},
    [RAIM_REASON_VERSION] = {"version", "this server speaks protocol version "},
    [RAIM_REASON_FULL] = {"full", "the arena is full: "},
    [RAIM_REASON_NAME] = {"name",
                          "a name is visible, of 1 to 24 bytes of UTF-8, and unlike \"admin\""},
    [RAIM_REASON_SILENT] = {"silent", "no HELLO came in time"},
    [RAIM_REASON_MALFORMED] = {"malformed", "the HELLO could not be read"},
    [RAIM_REASON_RESUMED] = {"resumed", "the session was resumed by another connection"},
    [RAIM_REASON_KICKED] = {"kicked", ""},
    [RAIM_REASON_DRAINING] = {"draining", "the server will shut down and admits no new players"},
    [RAIM_REASON_BANNED] = {"banned", ""},
    [RAIM_REASON_RESTART] = {"restart", "the server is restarting"},
    [RAIM_REASON_ACCESS] = {"access", "this arena needs an access token that is valid for it"},
    [RAIM_REASON_IDLE] = {"idle", "the arena is full, and you were idle"},
    [RAIM_REASON_CHANNELS] = {"channels", "connect with two channels"},
    [RAIM_REASON_PASSWORD] = {"password", "this arena needs its password"},
};

const char *raim_reason_name(uint32_t reason)
{
    return reason < RAIM_REASONS ? reasons[reason].name : "unknown";
}

const char *raim_reason_text(enum raim_reason reason)
{
    assert(reason < RAIM_REASONS);
    return reasons[reason].text;
}

enum { KIND_BITS = 4 };

raim_writer raim_message_write(enum raim_message_kind kind, uint8_t *bytes, size_t capacity)
{
    raim_writer writer = raim_writer_make(bytes, capacity);
    if (kind == RAIM_MESSAGE_SNAPSHOT)
        raim_write_bool(&writer, true);
    else
        raim_write_bits(&writer, (uint32_t)kind << 1, 1 + KIND_BITS);
    return writer;
}

uint32_t raim_message_read(raim_reader *reader)
{
    if (raim_read_bool(reader))
        return RAIM_MESSAGE_SNAPSHOT;
    const uint32_t kind = raim_read_bits(reader, KIND_BITS);
    return kind != RAIM_MESSAGE_SNAPSHOT ? kind : 0;
}

static void write_token(raim_writer *writer, const uint8_t token[RAIM_TOKEN_BYTES])
{
    for (int i = 0; i < RAIM_TOKEN_BYTES; i++)
        raim_write_bits(writer, token[i], 8);
}

static void read_token(raim_reader *reader, uint8_t token[RAIM_TOKEN_BYTES])
{
    for (int i = 0; i < RAIM_TOKEN_BYTES; i++)
        token[i] = (uint8_t)raim_read_bits(reader, 8);
}

size_t raim_hello_write(const struct raim_hello *hello, uint8_t *bytes, size_t capacity)
{
    raim_writer writer = raim_message_write(RAIM_MESSAGE_HELLO, bytes, capacity);
    raim_write_bits(&writer, RAIM_HELLO_MAGIC, 32);
    raim_write_bits(&writer, hello->version, 16);
    raim_write_bits(&writer, hello->capabilities, RAIM_WIRE_CAPABILITIES);
    raim_write_bool(&writer, hello->watch);
    if (hello->watch)
        raim_write_bits(&writer, hello->target, PLAYER_ID_BITS);
    raim_write_bool(&writer, hello->resume);
    if (hello->resume)
        write_token(&writer, hello->token);
    raim_write_bits(&writer, hello->access_size, 8);
    for (uint32_t i = 0; i < hello->access_size; i++)
        raim_write_bits(&writer, hello->access[i], 8);
    raim_write_text(&writer, hello->name, RAIM_MAX_NAME_BYTES);
    return raim_writer_finish(&writer);
}

bool raim_hello_read(raim_reader *reader, struct raim_hello *hello)
{
    const uint32_t magic = raim_read_bits(reader, 32);
    *hello = (struct raim_hello){.version = raim_read_bits(reader, 16)};
    if (reader->failed || magic != RAIM_HELLO_MAGIC)
        return false;
    if (hello->version != RAIM_PROTOCOL_VERSION)
        return true;
    hello->capabilities = raim_read_bits(reader, RAIM_WIRE_CAPABILITIES);
    hello->watch = raim_read_bool(reader);
    if (hello->watch)
        hello->target = raim_read_bits(reader, PLAYER_ID_BITS);
    hello->resume = raim_read_bool(reader);
    if (hello->resume)
        read_token(reader, hello->token);
    hello->access_size = raim_read_bits(reader, 8);
    for (uint32_t i = 0; i < hello->access_size; i++)
        hello->access[i] = (uint8_t)raim_read_bits(reader, 8);
    raim_read_text(reader, hello->name, RAIM_MAX_NAME_BYTES);
    return raim_reader_done(reader);
}

size_t raim_welcome_write(const struct raim_welcome *welcome, uint8_t *bytes, size_t capacity)
{
    raim_writer writer = raim_message_write(RAIM_MESSAGE_WELCOME, bytes, capacity);
    raim_write_bits(&writer, welcome->version, 16);
    raim_write_bits(&writer, welcome->capabilities, RAIM_WIRE_CAPABILITIES);
    raim_write_bits(&writer, welcome->player, PLAYER_ID_BITS);
    raim_write_bits(&writer, welcome->delay_ticks, DELAY_BITS);
    write_token(&writer, welcome->token);
    raim_write_bits(&writer, welcome->grace_s, GRACE_BITS);
    raim_write_bits(&writer, welcome->tick, 32);
    raim_write_bits(&writer, welcome->event_sequence, 32);
    raim_write_bits(&writer, welcome->epoch, RAIM_EPOCH_BITS);
    raim_write_ranged(&writer, welcome->tick_hz, 10, 240);
    raim_write_ranged(&writer, welcome->max_players, 1, RAIM_WIRE_PLAYERS);
    raim_write_ranged(&writer, welcome->shots, 1, RAIM_WIRE_BULLETS);
    raim_write_bits(&writer, welcome->max_rewind, REWIND_BITS);
    raim_write_bits(&writer, welcome->view_width, VIEW_BITS);
    raim_write_bits(&writer, welcome->view_height, VIEW_BITS);
    raim_write_bool(&writer, welcome->sight);
    raim_write_ranged(&writer, welcome->obstacle_count, 0, RAIM_WIRE_OBSTACLES);
    raim_write_ranged(&writer, welcome->roster_count, 0, RAIM_WIRE_PLAYERS);
    for (int i = 0; i < 4; i++)
        raim_write_signed(&writer, welcome->border[i], RAIM_WIRE_COORDINATE_BITS);
    raim_write_bits(&writer, welcome->rule_count, RULE_COUNT_BITS);
    for (uint32_t i = 0; i < welcome->rule_count; i++)
        raim_write_double(&writer, welcome->rules[i]);
    raim_write_text(&writer, welcome->arena, RAIM_MAX_ARENA_BYTES);
    raim_write_text(&writer, welcome->map_name, RAIM_MAX_TITLE_BYTES);
    raim_phase_write(&writer, &welcome->phase);
    raim_write_text(&writer, welcome->motd, RAIM_MAX_MOTD_BYTES);
    return raim_writer_finish(&writer);
}

bool raim_welcome_read(raim_reader *reader, struct raim_welcome *welcome)
{
    *welcome = (struct raim_welcome){0};
    welcome->version = raim_read_bits(reader, 16);
    welcome->capabilities = raim_read_bits(reader, RAIM_WIRE_CAPABILITIES);
    welcome->player = raim_read_bits(reader, PLAYER_ID_BITS);
    welcome->delay_ticks = raim_read_bits(reader, DELAY_BITS);
    read_token(reader, welcome->token);
    welcome->grace_s = raim_read_bits(reader, GRACE_BITS);
    welcome->tick = raim_read_bits(reader, 32);
    welcome->event_sequence = raim_read_bits(reader, 32);
    welcome->epoch = raim_read_bits(reader, RAIM_EPOCH_BITS);
    welcome->tick_hz = raim_read_ranged(reader, 10, 240);
    welcome->max_players = raim_read_ranged(reader, 1, RAIM_WIRE_PLAYERS);
    welcome->shots = raim_read_ranged(reader, 1, RAIM_WIRE_BULLETS);
    welcome->max_rewind = raim_read_bits(reader, REWIND_BITS);
    welcome->view_width = raim_read_bits(reader, VIEW_BITS);
    welcome->view_height = raim_read_bits(reader, VIEW_BITS);
    welcome->sight = raim_read_bool(reader);
    welcome->obstacle_count = raim_read_ranged(reader, 0, RAIM_WIRE_OBSTACLES);
    welcome->roster_count = raim_read_ranged(reader, 0, RAIM_WIRE_PLAYERS);
    for (int i = 0; i < 4; i++)
        welcome->border[i] = raim_read_signed(reader, RAIM_WIRE_COORDINATE_BITS);
    welcome->rule_count = raim_read_bits(reader, RULE_COUNT_BITS);
    for (uint32_t i = 0; i < welcome->rule_count; i++)
        welcome->rules[i] = raim_read_double(reader);
    raim_read_text(reader, welcome->arena, RAIM_MAX_ARENA_BYTES);
    raim_read_text(reader, welcome->map_name, RAIM_MAX_TITLE_BYTES);
    raim_phase_read(reader, &welcome->phase);
    raim_read_text(reader, welcome->motd, RAIM_MAX_MOTD_BYTES);
    return raim_reader_done(reader) && welcome->version == RAIM_PROTOCOL_VERSION &&
           welcome->max_players * welcome->shots <= RAIM_WIRE_BULLETS &&
           welcome->player % RAIM_WIRE_PLAYERS < welcome->max_players;
}

static void write_obstacle(raim_writer *writer, const struct raim_wire_obstacle *obstacle)
{
    raim_write_bool(writer, true);
    raim_write_ranged(writer, obstacle->count, 3, RAIM_WIRE_POINTS);
    raim_write_bits(writer, obstacle->seams, obstacle->count);
    for (uint32_t i = 0; i < obstacle->count; i++) {
        raim_write_signed(writer, obstacle->points[i][0], RAIM_WIRE_COORDINATE_BITS);
        raim_write_signed(writer, obstacle->points[i][1], RAIM_WIRE_COORDINATE_BITS);
    }
}

size_t raim_obstacles_write(const struct raim_wire_obstacle *obstacles, uint32_t count,
                            uint32_t *written, uint8_t *bytes, size_t capacity)
{
    raim_writer writer = raim_message_write(RAIM_MESSAGE_OBSTACLES, bytes, capacity);
    for (*written = 0; *written < count; ++*written) {
        const raim_writer before = writer;
        write_obstacle(&writer, &obstacles[*written]);
        if (!raim_writer_has_room(&writer)) { // for the list's final bit
            writer = before;
            break;
        }
    }
    raim_write_bool(&writer, false);
    return *written > 0 ? raim_writer_finish(&writer) : 0;
}

bool raim_obstacles_read(raim_reader *reader, struct raim_wire_obstacle *obstacles,
                         uint32_t capacity, uint32_t *count)
{
    *count = 0;
    while (raim_read_bool(reader)) {
        if (*count == capacity)
            return false;
        struct raim_wire_obstacle *obstacle = &obstacles[(*count)++];
        obstacle->count = raim_read_ranged(reader, 3, RAIM_WIRE_POINTS);
        obstacle->seams = raim_read_bits(reader, obstacle->count);
        for (uint32_t i = 0; i < obstacle->count; i++) {
            obstacle->points[i][0] = raim_read_signed(reader, RAIM_WIRE_COORDINATE_BITS);
            obstacle->points[i][1] = raim_read_signed(reader, RAIM_WIRE_COORDINATE_BITS);
        }
    }
    return raim_reader_done(reader) && *count > 0;
}

static void write_goodbye(raim_writer *writer, const struct raim_goodbye *goodbye)
{
    raim_write_bits(writer, goodbye->reason, 8);
    raim_write_text(writer, goodbye->text, RAIM_MAX_TEXT_BYTES);
}

static void read_goodbye(raim_reader *reader, struct raim_goodbye *goodbye)
{
    goodbye->reason = raim_read_bits(reader, 8);
    raim_read_text(reader, goodbye->text, RAIM_MAX_TEXT_BYTES);
}

size_t raim_goodbye_write(const struct raim_goodbye *goodbye, uint8_t *bytes, size_t capacity)
{
    raim_writer writer = raim_message_write(RAIM_MESSAGE_GOODBYE, bytes, capacity);
    write_goodbye(&writer, goodbye);
    return raim_writer_finish(&writer);
}

bool raim_goodbye_read(raim_reader *reader, struct raim_goodbye *goodbye)
{
    read_goodbye(reader, goodbye);
    return raim_reader_done(reader);
}

size_t raim_client_goodbye_write(const struct raim_client_goodbye *client_goodbye, uint8_t *bytes,
                                 size_t capacity)
{
    raim_writer writer = raim_message_write(RAIM_MESSAGE_GOODBYE, bytes, capacity);
    write_goodbye(&writer, &client_goodbye->goodbye);
    for (int i = 0; i < RAIM_TOKEN_BYTES; i++)
        raim_write_bits(&writer, client_goodbye->token[i], 8);
    return raim_writer_finish(&writer);
}

bool raim_client_goodbye_read(raim_reader *reader, struct raim_client_goodbye *client_goodbye)
{
    read_goodbye(reader, &client_goodbye->goodbye);
    for (int i = 0; i < RAIM_TOKEN_BYTES; i++)
        client_goodbye->token[i] = (uint8_t)raim_read_bits(reader, 8);
    return raim_reader_done(reader);
}
