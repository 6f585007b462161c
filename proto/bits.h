// SPDX-License-Identifier: MIT
// Bit streams: the first bit written is the lowest bit of the first byte. Errors are sticky and
// checked once at the end; the last byte is padded with zero bits, which the reader verifies.
// Writing a value out of its range is a bug of the caller and asserted. Reading one is an error of
// the bytes: the reader fails and returns 0, the least value or "" from then on. Thread rule of
// this folder: functions keep no state, so any thread may call them with its own memory.
#pragma once

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

// Writes values into a fixed buffer, which is borrowed. It is plain data, so a copy saves a
// position to return to.
typedef struct raim_writer {
    uint8_t *bytes;
    size_t capacity; // bytes
    size_t size;     // bytes written
    uint64_t pending;
    uint32_t pending_bits; // not yet in `bytes`, below 32 between calls
    bool overflow;
} raim_writer;

typedef struct raim_reader {
    const uint8_t *bytes;
    size_t size;   // bytes
    size_t offset; // bits
    bool failed;
} raim_reader;

// A writer at the beginning of a buffer of `capacity` bytes.
static inline raim_writer raim_writer_make(uint8_t *bytes, size_t capacity)
{
    return (raim_writer){.bytes = bytes, .capacity = capacity};
}

// Bits written so far; meaningless after an overflow.
static inline size_t raim_writer_bits(const raim_writer *writer)
{
    return writer->size * 8 + writer->pending_bits;
}

// Whether everything written so far fits, and one more bit would.
static inline bool raim_writer_has_room(const raim_writer *writer)
{
    return !writer->overflow && raim_writer_bits(writer) < writer->capacity * 8;
}

// Writes the low `count` bits of a value, 0 to 32; the other bits must be zero.
static inline void raim_write_bits(raim_writer *writer, uint32_t value, uint32_t count)
{
    assert(count <= 32 && (count == 32 || value >> count == 0));
    const uint64_t pending = writer->pending | (uint64_t)value << writer->pending_bits;
    const uint32_t pending_bits = writer->pending_bits + count;
    if (pending_bits < 32) {
        writer->pending = pending;
        writer->pending_bits = pending_bits;
        return;
    }
    writer->pending = pending >> 32;
    writer->pending_bits = pending_bits - 32;
    if (writer->capacity - writer->size < 4) {
        writer->overflow = true;
        return;
    }
    uint8_t *end = writer->bytes + writer->size; // compiles to one store
    end[0] = (uint8_t)pending;
    end[1] = (uint8_t)(pending >> 8);
    end[2] = (uint8_t)(pending >> 16);
    end[3] = (uint8_t)(pending >> 24);
    writer->size += 4;
}

// Ends the message: pads the last byte and returns the size, or 0 when it did not fit.
static inline size_t raim_writer_finish(raim_writer *writer)
{
    const uint32_t tail = (writer->pending_bits + 7) / 8;
    writer->overflow = writer->overflow || tail > writer->capacity - writer->size;
    if (writer->overflow)
        return 0;
    for (uint32_t i = 0; i < tail; i++)
        writer->bytes[writer->size++] = (uint8_t)(writer->pending >> (8 * i));
    return writer->size;
}

// A reader at the beginning of `size` bytes, which it borrows.
static inline raim_reader raim_reader_make(const uint8_t *bytes, size_t size)
{
    return (raim_reader){.bytes = bytes, .size = size};
}

// Reads `count` bits, 0 to 32. Returns 0 after an error.
static inline uint32_t raim_read_bits(raim_reader *reader, uint32_t count)
{
    assert(count <= 32);
    if (reader->failed || count > reader->size * 8 - reader->offset) {
        reader->failed = true;
        return 0;
    }
    uint64_t value = 0;
    const uint8_t *first = reader->bytes + reader->offset / 8;
    const size_t left = reader->size - reader->offset / 8;
    if (left >= 8) { // compiles to one load
        value = (uint64_t)first[0] | (uint64_t)first[1] << 8 | (uint64_t)first[2] << 16 |
                (uint64_t)first[3] << 24 | (uint64_t)first[4] << 32 | (uint64_t)first[5] << 40 |
                (uint64_t)first[6] << 48 | (uint64_t)first[7] << 56;
    } else {
        for (size_t i = 0; i < left; i++)
            value |= (uint64_t)first[i] << (8 * i);
    }
    value >>= reader->offset % 8;
    reader->offset += count;
    return (uint32_t)(value & (((uint64_t)1 << count) - 1));
}

// Reads the zero bits up to the end of a byte. The reader rejects others.
static inline void raim_read_padding(raim_reader *reader)
{
    const uint32_t padding = (uint32_t)(-reader->offset % 8);
    reader->failed = reader->failed || raim_read_bits(reader, padding) != 0;
}

// True when all bytes were read without an error, up to the zero padding of the last one.
static inline bool raim_reader_done(raim_reader *reader)
{
    const size_t left = reader->size * 8 - reader->offset;
    return !reader->failed && left < 8 && raim_read_bits(reader, (uint32_t)left) == 0;
}

// --- Values built from bits ---

static inline void raim_write_bool(raim_writer *writer, bool value)
{
    raim_write_bits(writer, value, 1);
}

static inline bool raim_read_bool(raim_reader *reader)
{
    return raim_read_bits(reader, 1) != 0;
}

// A number in two's complement of `count` bits, 2 to 32. The value must fit.
void raim_write_signed(raim_writer *writer, int32_t value, uint32_t count);
int32_t raim_read_signed(raim_reader *reader, uint32_t count);

// Variable-length numbers, short for small values: groups of three bits, lowest first, each
// preceded by a 1; a 0 ends them. The reader rejects more than 32 bits and redundant groups.
void raim_write_count(raim_writer *writer, uint32_t value);
uint32_t raim_read_count(raim_reader *reader);

// An integer from min to max, inclusive, in as few bits as the range needs. The reader rejects
// other values.
void raim_write_ranged(raim_writer *writer, uint32_t value, uint32_t min, uint32_t max);
uint32_t raim_read_ranged(raim_reader *reader, uint32_t min, uint32_t max);

// A number from 1 to below `end` in `count` bits. The reader rejects other values.
void raim_write_code(raim_writer *writer, uint32_t value, uint32_t count, uint32_t end);
uint32_t raim_read_code(raim_reader *reader, uint32_t count, uint32_t end);

// The 64 bits of a finite IEEE 754 double, low half first. The reader rejects infinities and NaNs.
void raim_write_double(raim_writer *writer, double value);
double raim_read_double(raim_reader *reader);

// A byte string of at most `max` bytes, preceded by its length. The reader adds the closing NUL, so
// `text` needs max + 1 bytes. It rejects NUL bytes inside.
void raim_write_text(raim_writer *writer, const char *text, uint32_t max);
void raim_read_text(raim_reader *reader, char *text, uint32_t max);

// So many bytes.
void raim_write_bytes(raim_writer *writer, const uint8_t *bytes, uint32_t count);
void raim_read_bytes(raim_reader *reader, uint8_t *bytes, uint32_t count);

// Bits that the values 0 to max need.
static inline uint32_t raim_bits_for(uint32_t max)
{
    uint32_t bits = 0;
    for (; max != 0; max >>= 1)
        bits++;
    return bits;
}
