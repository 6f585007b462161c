// SPDX-License-Identifier: MIT
// Lists of fields: rows FIELD(ENCODING, member, limits) in the order of the wire. A list is the
// only description of its message, or of a part of one: RAIM_MEMBER makes its struct of it,
// RAIM_WRITE and RAIM_READ its codec, between a raim_writer or a raim_reader and a `message`; tests
// and the dissector derive what they need. Encodings have the names of PROTOCOL.md:
//
//     U(name, bits)               a number, up to 32 bits
//     PLAYER(name, 16)            a player's id
//     BOOL(name, 1)
//     RANGED(name, least, most)
//     COUNT(name, 32)
//     CODE(name, bits, end)       from 1 to below `end`, as u(bits)
//     TEXT(name, most)            at most so many bytes
//     BYTES(name, size)           u(8) x size
//     SIZED(name, size, most)     u(8) x the member `size`
//     PART(name, part)            struct raim_PART, which has a list of its own
//     IF(condition, rows)         rows that are sent only where a condition of `message` holds
#pragma once

#include "bits.h"

#define RAIM_MEMBER(encoding, ...) RAIM_MEMBER_##encoding(__VA_ARGS__)
#define RAIM_MEMBER_U(name, bits) uint32_t name;
#define RAIM_MEMBER_PLAYER(name, bits) uint32_t name;
#define RAIM_MEMBER_BOOL(name, bits) bool name;
#define RAIM_MEMBER_RANGED(name, least, most) uint32_t name;
#define RAIM_MEMBER_COUNT(name, bits) uint32_t name;
#define RAIM_MEMBER_CODE(name, bits, end) uint32_t name;
#define RAIM_MEMBER_TEXT(name, most) char name[(most) + 1];
#define RAIM_MEMBER_BYTES(name, size) uint8_t name[size];
#define RAIM_MEMBER_SIZED(name, size, most) uint8_t name[most];
#define RAIM_MEMBER_PART(name, part) struct raim_##part name;
#define RAIM_MEMBER_IF(condition, ...) __VA_ARGS__

#define RAIM_WRITE(encoding, ...) RAIM_WRITE_##encoding(__VA_ARGS__)
#define RAIM_WRITE_U(name, bits) raim_write_bits(writer, message->name, bits);
#define RAIM_WRITE_PLAYER(name, bits) raim_write_bits(writer, message->name, bits);
#define RAIM_WRITE_BOOL(name, bits) raim_write_bool(writer, message->name);
#define RAIM_WRITE_RANGED(name, least, most) raim_write_ranged(writer, message->name, least, most);
#define RAIM_WRITE_COUNT(name, bits) raim_write_count(writer, message->name);
#define RAIM_WRITE_CODE(name, bits, end) raim_write_code(writer, message->name, bits, end);
#define RAIM_WRITE_TEXT(name, most) raim_write_text(writer, message->name, most);
#define RAIM_WRITE_BYTES(name, size) raim_write_bytes(writer, message->name, size);
#define RAIM_WRITE_SIZED(name, size, most) raim_write_bytes(writer, message->name, message->size);
#define RAIM_WRITE_PART(name, part) write_##part(writer, &message->name);
#define RAIM_WRITE_IF(condition, ...)                                                              \
    if (condition) {                                                                               \
        __VA_ARGS__                                                                                \
    }

#define RAIM_READ(encoding, ...) RAIM_READ_##encoding(__VA_ARGS__)
#define RAIM_READ_U(name, bits) message->name = raim_read_bits(reader, bits);
#define RAIM_READ_PLAYER(name, bits) message->name = raim_read_bits(reader, bits);
#define RAIM_READ_BOOL(name, bits) message->name = raim_read_bool(reader);
#define RAIM_READ_RANGED(name, least, most) message->name = raim_read_ranged(reader, least, most);
#define RAIM_READ_COUNT(name, bits) message->name = raim_read_count(reader);
#define RAIM_READ_CODE(name, bits, end) message->name = raim_read_code(reader, bits, end);
#define RAIM_READ_TEXT(name, most) raim_read_text(reader, message->name, most);
#define RAIM_READ_BYTES(name, size) raim_read_bytes(reader, message->name, size);
#define RAIM_READ_SIZED(name, size, most)                                                          \
    reader->failed = reader->failed || message->size > (most);                                     \
    raim_read_bytes(reader, message->name, reader->failed ? 0 : message->size);
#define RAIM_READ_PART(name, part) read_##part(reader, &message->name);
#define RAIM_READ_IF(condition, ...) RAIM_WRITE_IF(condition, __VA_ARGS__)

// Functions write_PART and read_PART for the struct of a list.
#define RAIM_PART_CODEC(part, LIST)                                                                \
    static void write_##part(raim_writer *writer, const struct raim_##part *message)               \
    {                                                                                              \
        LIST(RAIM_WRITE)                                                                           \
    }                                                                                              \
    static void read_##part(raim_reader *reader, struct raim_##part *message)                      \
    {                                                                                              \
        LIST(RAIM_READ)                                                                            \
    }
