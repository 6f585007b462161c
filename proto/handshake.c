// SPDX-License-Identifier: MIT
// Writes and reads the messages of entering.
#include "handshake.h"

enum { RULE_COUNT_BITS = 5 };
static_assert(RAIM_WIRE_REWIND < 1 << 6, "a rewind fits its bits");

size_t raim_hello_write(const struct raim_hello *message, uint8_t *bytes, size_t capacity)
{
    raim_writer begun = raim_message_write(RAIM_MESSAGE_HELLO, bytes, capacity);
    raim_writer *writer = &begun;
    raim_write_bits(writer, RAIM_HELLO_MAGIC, 32);
    raim_write_bits(writer, message->version, 16);
    RAIM_HELLO_FIELDS(RAIM_WRITE)
    return raim_writer_finish(writer);
}

bool raim_hello_read(raim_reader *reader, struct raim_hello *message)
{
    const uint32_t magic = raim_read_bits(reader, 32);
    *message = (struct raim_hello){.version = raim_read_bits(reader, 16)};
    if (reader->failed || magic != RAIM_HELLO_MAGIC)
        return false;
    if (message->version != RAIM_PROTOCOL_VERSION)
        return true;
    RAIM_HELLO_FIELDS(RAIM_READ)
    return raim_reader_done(reader);
}

size_t raim_welcome_write(const struct raim_welcome *message, uint8_t *bytes, size_t capacity)
{
    raim_writer begun = raim_message_write(RAIM_MESSAGE_WELCOME, bytes, capacity);
    raim_writer *writer = &begun;
    RAIM_WELCOME_FIELDS(RAIM_WRITE)
    for (int i = 0; i < 4; i++)
        raim_write_signed(writer, message->border[i], RAIM_WIRE_COORDINATE_BITS);
    raim_write_bits(writer, message->rule_count, RULE_COUNT_BITS);
    for (uint32_t i = 0; i < message->rule_count; i++)
        raim_write_double(writer, message->rules[i]);
    raim_write_text(writer, message->arena, RAIM_MAX_ARENA_BYTES);
    raim_write_text(writer, message->map_name, RAIM_MAX_TITLE_BYTES);
    raim_phase_write(writer, &message->phase);
    raim_write_text(writer, message->motd, RAIM_MAX_MOTD_BYTES);
    return raim_writer_finish(writer);
}

bool raim_welcome_read(raim_reader *reader, struct raim_welcome *message)
{
    *message = (struct raim_welcome){0};
    RAIM_WELCOME_FIELDS(RAIM_READ)
    for (int i = 0; i < 4; i++)
        message->border[i] = raim_read_signed(reader, RAIM_WIRE_COORDINATE_BITS);
    message->rule_count = raim_read_bits(reader, RULE_COUNT_BITS);
    for (uint32_t i = 0; i < message->rule_count; i++)
        message->rules[i] = raim_read_double(reader);
    raim_read_text(reader, message->arena, RAIM_MAX_ARENA_BYTES);
    raim_read_text(reader, message->map_name, RAIM_MAX_TITLE_BYTES);
    raim_phase_read(reader, &message->phase);
    raim_read_text(reader, message->motd, RAIM_MAX_MOTD_BYTES);
    return raim_reader_done(reader) && message->version == RAIM_PROTOCOL_VERSION &&
           message->max_players * message->shots <= RAIM_WIRE_BULLETS &&
           message->player % RAIM_WIRE_PLAYERS < message->max_players;
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
