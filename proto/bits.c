// SPDX-License-Identifier: MIT
// Values built from bits.
#include "bits.h"

#include <math.h>

void raim_write_signed(raim_writer *writer, int32_t value, uint32_t count)
{
    assert(count >= 2 && count <= 32);
    assert(value >= -((int64_t)1 << (count - 1)) && value < (int64_t)1 << (count - 1));
    raim_write_bits(writer, (uint32_t)value & (uint32_t)(((uint64_t)1 << count) - 1), count);
}

int32_t raim_read_signed(raim_reader *reader, uint32_t count)
{
    assert(count >= 2 && count <= 32);
    const int64_t value = raim_read_bits(reader, count);
    const int64_t sign = (int64_t)1 << (count - 1);
    return (int32_t)((value ^ sign) - sign);
}

void raim_write_count(raim_writer *writer, uint32_t value)
{
    for (; value != 0; value >>= 3) {
        raim_write_bool(writer, true);
        raim_write_bits(writer, value & 7, 3);
    }
    raim_write_bool(writer, false);
}

uint32_t raim_read_count(raim_reader *reader)
{
    uint64_t value = 0;
    uint32_t last = 1;
    for (uint32_t shift = 0; raim_read_bool(reader); shift += 3) {
        last = raim_read_bits(reader, 3);
        if (shift <= 30)
            value |= (uint64_t)last << shift;
        // Every number has one encoding, so a highest group of zero is rejected, and so is an
        // overflow.
        reader->failed = reader->failed || shift > 30 || value > UINT32_MAX;
    }
    reader->failed = reader->failed || last == 0;
    return reader->failed ? 0 : (uint32_t)value;
}

void raim_write_ranged(raim_writer *writer, uint32_t value, uint32_t min, uint32_t max)
{
    assert(value >= min && value <= max);
    raim_write_bits(writer, value - min, raim_bits_for(max - min));
}

uint32_t raim_read_ranged(raim_reader *reader, uint32_t min, uint32_t max)
{
    const uint32_t above = raim_read_bits(reader, raim_bits_for(max - min));
    reader->failed = reader->failed || above > max - min;
    return reader->failed ? min : min + above;
}

void raim_write_code(raim_writer *writer, uint32_t value, uint32_t count, uint32_t end)
{
    assert(value > 0 && value < end);
    raim_write_bits(writer, value, count);
}

uint32_t raim_read_code(raim_reader *reader, uint32_t count, uint32_t end)
{
    const uint32_t value = raim_read_bits(reader, count);
    reader->failed = reader->failed || value == 0 || value >= end;
    return value;
}

void raim_write_double(raim_writer *writer, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    assert(isfinite(value));
    raim_write_bits(writer, (uint32_t)bits, 32);
    raim_write_bits(writer, (uint32_t)(bits >> 32), 32);
}

double raim_read_double(raim_reader *reader)
{
    const uint64_t low = raim_read_bits(reader, 32);
    const uint64_t bits = low | (uint64_t)raim_read_bits(reader, 32) << 32;
    double value;
    memcpy(&value, &bits, sizeof value);
    reader->failed = reader->failed || !isfinite(value);
    return reader->failed ? 0 : value;
}

void raim_write_text(raim_writer *writer, const char *text, uint32_t max)
{
    const size_t length = strlen(text);
    raim_write_ranged(writer, (uint32_t)length, 0, max);
    for (size_t i = 0; i < length; i++)
        raim_write_bits(writer, (uint8_t)text[i], 8);
}

void raim_read_text(raim_reader *reader, char *text, uint32_t max)
{
    const uint32_t length = raim_read_ranged(reader, 0, max);
    for (uint32_t i = 0; i < length; i++) {
        text[i] = (char)raim_read_bits(reader, 8);
        reader->failed = reader->failed || text[i] == '\0';
    }
    text[length] = '\0';
    if (reader->failed)
        text[0] = '\0';
}

void raim_write_bytes(raim_writer *writer, const uint8_t *bytes, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        raim_write_bits(writer, bytes[i], 8);
}

void raim_read_bytes(raim_reader *reader, uint8_t *bytes, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        bytes[i] = (uint8_t)raim_read_bits(reader, 8);
}
