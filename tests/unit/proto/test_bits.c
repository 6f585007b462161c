// SPDX-License-Identifier: MIT
// Bit streams: round trips, overflow of writers, and rejection of malformed bytes.
#include "bits.h"
#include "hostile.h"

#include <math.h>

enum { TEXT_MAX = 20 };

enum value_kind { BITS, BOOL, SIGNED, COUNT, RANGED, DOUBLE, TEXT, VALUE_KINDS };

struct value {
    enum value_kind kind;
    uint32_t bits, min, max; // how it is written
    uint32_t number;
    int32_t negative;
    double real;
    char text[TEXT_MAX + 1];
};

static uint32_t chance_from(uint32_t min, uint32_t max)
{
    return min + (uint32_t)(chance_bits(32) % ((uint64_t)max - min + 1));
}

static struct value chance_value(void)
{
    struct value value = {.kind = (enum value_kind)chance_int(0, VALUE_KINDS - 1)};
    value.bits = (uint32_t)chance_int(value.kind == SIGNED ? 2 : 0, 32);
    const uint32_t one = chance_magnitude(32), other = chance_magnitude(32);
    value.min = one < other ? one : other;
    value.max = one < other ? other : one;
    value.number = value.kind == BOOL     ? chance_bits(1)
                   : value.kind == BITS   ? chance_bits(value.bits)
                   : value.kind == RANGED ? chance_from(value.min, value.max)
                                          : chance_magnitude(32);
    if (value.kind == SIGNED)
        value.negative = chance_signed(value.bits);
    value.real = ldexp(chance_between(-1, 1), chance_int(-1070, 1023));
    chance_text(value.text, TEXT_MAX);
    return value;
}

static void write_value(raim_writer *writer, const struct value *value)
{
    switch (value->kind) {
    case BITS:
        raim_write_bits(writer, value->number, value->bits);
        break;
    case BOOL:
        raim_write_bool(writer, value->number != 0);
        break;
    case SIGNED:
        raim_write_signed(writer, value->negative, value->bits);
        break;
    case COUNT:
        raim_write_count(writer, value->number);
        break;
    case RANGED:
        raim_write_ranged(writer, value->number, value->min, value->max);
        break;
    case DOUBLE:
        raim_write_double(writer, value->real);
        break;
    case TEXT:
    case VALUE_KINDS:
        raim_write_text(writer, value->text, TEXT_MAX);
        break;
    }
}

// Reads a value of the same kind and range.
static struct value read_value(raim_reader *reader, const struct value *like)
{
    struct value value = *like;
    switch (like->kind) {
    case BITS:
        value.number = raim_read_bits(reader, like->bits);
        break;
    case BOOL:
        value.number = raim_read_bool(reader);
        break;
    case SIGNED:
        value.negative = raim_read_signed(reader, like->bits);
        break;
    case COUNT:
        value.number = raim_read_count(reader);
        break;
    case RANGED:
        value.number = raim_read_ranged(reader, like->min, like->max);
        break;
    case DOUBLE:
        value.real = raim_read_double(reader);
        break;
    case TEXT:
    case VALUE_KINDS:
        raim_read_text(reader, value.text, TEXT_MAX);
        break;
    }
    return value;
}

TEST(values_survive_writing_and_reading)
{
    enum { MAX = 40 };
    struct value values[MAX];
    uint8_t bytes[MAX * (TEXT_MAX + 1)];
    for (int i = 0; i < 20000; i++) {
        const int count = chance_int(0, MAX);
        raim_writer writer = raim_writer_make(bytes, sizeof bytes);
        for (int j = 0; j < count; j++) {
            values[j] = chance_value();
            write_value(&writer, &values[j]);
        }
        const size_t bits = raim_writer_bits(&writer);
        const size_t size = raim_writer_finish(&writer);
        assert_int_equal(size, (bits + 7) / 8);
        raim_reader reader = raim_reader_make(bytes, size);
        for (int j = 0; j < count; j++) {
            const struct value value = read_value(&reader, &values[j]);
            assert_int_equal(value.number, values[j].number);
            assert_int_equal(value.negative, values[j].negative);
            assert_true(memcmp(&value.real, &values[j].real, sizeof value.real) == 0);
            assert_string_equal(value.text, values[j].text);
        }
        assert_int_equal(reader.offset, bits);
        assert_true(raim_reader_done(&reader));
    }
}

TEST(first_bit_is_the_lowest_of_the_first_byte)
{
    uint8_t bytes[8];
    raim_writer writer = raim_writer_make(bytes, sizeof bytes);
    raim_write_bits(&writer, 1, 1);
    raim_write_bits(&writer, 0x5, 3);
    raim_write_bits(&writer, 0xABCDE, 20);
    raim_write_signed(&writer, -2, 5);
    const uint8_t wanted[] = {0xEB, 0xCD, 0xAB, 0x1E};
    assert_int_equal(raim_writer_finish(&writer), sizeof wanted);
    assert_memory_equal(bytes, wanted, sizeof wanted);
}

TEST(writer_says_when_it_does_not_fit_and_stays_inside)
{
    for (int i = 0; i < 200000; i++) {
        const size_t capacity = (size_t)chance_int(0, 24);
        uint8_t *bytes = malloc(capacity + (capacity == 0));
        assert_non_null(bytes);
        raim_writer writer = raim_writer_make(bytes, capacity);
        size_t bits = 0;
        for (int j = chance_int(0, 20); j > 0; j--) {
            const uint32_t count = (uint32_t)chance_int(0, 32);
            raim_write_bits(&writer, chance_bits(count), count);
            bits += count;
            assert_int_equal(raim_writer_has_room(&writer), bits < capacity * 8);
        }
        assert_int_equal(raim_writer_finish(&writer), bits <= capacity * 8 ? (bits + 7) / 8 : 0);
        free(bytes);
    }
}

TEST(reader_fails_beyond_the_end_and_stays_failed)
{
    const uint8_t bytes[] = {0xFF, 0xFF};
    raim_reader reader = raim_reader_make(bytes, sizeof bytes);
    assert_int_equal(raim_read_bits(&reader, 10), 0x3FF);
    assert_int_equal(raim_read_bits(&reader, 7), 0);
    assert_true(reader.failed);
    assert_int_equal(raim_read_bits(&reader, 1), 0);
    assert_false(raim_reader_done(&reader));
}

TEST(padding_is_zero_and_nothing_trails)
{
    const uint8_t bytes[] = {0x01, 0x00};
    raim_reader reader = raim_reader_make(bytes, 1);
    raim_read_bits(&reader, 1);
    assert_true(raim_reader_done(&reader));
    reader = raim_reader_make(bytes, 1);
    assert_false(raim_reader_done(&reader)); // eight bits are no padding
    reader = raim_reader_make(bytes, 2);
    raim_read_bits(&reader, 1);
    assert_false(raim_reader_done(&reader));
    const uint8_t padded_with_one[] = {0x81};
    reader = raim_reader_make(padded_with_one, 1);
    raim_read_bits(&reader, 1);
    assert_false(raim_reader_done(&reader));
}

static bool reads_count(uint64_t bits, uint32_t wanted)
{
    uint8_t bytes[8];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)(bits >> (8 * i));
    raim_reader reader = raim_reader_make(bytes, sizeof bytes);
    const uint32_t value = raim_read_count(&reader);
    assert_int_equal(value, reader.failed ? 0 : wanted);
    return !reader.failed;
}

TEST(a_count_has_one_spelling)
{
    assert_true(reads_count(0x0, 0));
    assert_true(reads_count(0xF, 7));
    assert_true(reads_count(0x31, 8));  // groups 0 and 1
    assert_false(reads_count(0x1, 0));  // 0 with a redundant group
    assert_false(reads_count(0x1F, 7)); // 7 with a redundant group
    const uint64_t ten_sevens = 0xFFFFFFFFFF;
    assert_true(reads_count(ten_sevens | UINT64_C(0x7) << 40, UINT32_MAX));
    assert_false(reads_count(ten_sevens | UINT64_C(0x9) << 40, 0));  // 33 bits
    assert_false(reads_count(ten_sevens | UINT64_C(0x37) << 40, 0)); // twelve groups
}

TEST(numbers_outside_their_range_are_rejected)
{
    for (uint32_t above = 0; above < 16; above++) {
        const uint8_t byte = (uint8_t)above;
        raim_reader reader = raim_reader_make(&byte, 1);
        const uint32_t value = raim_read_ranged(&reader, 5, 14);
        assert_int_equal(reader.failed, above > 9);
        assert_int_equal(value, above > 9 ? 5 : 5 + above);
    }
}

TEST(only_finite_doubles_pass)
{
    const double values[] = {NAN, INFINITY, -INFINITY, -0.0, 0x1p-1074, -0x1.fffffffffffffp1023};
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        uint64_t bits;
        memcpy(&bits, &values[i], sizeof bits);
        uint8_t bytes[8];
        for (size_t j = 0; j < sizeof bytes; j++)
            bytes[j] = (uint8_t)(bits >> (8 * j));
        raim_reader reader = raim_reader_make(bytes, sizeof bytes);
        const double value = raim_read_double(&reader);
        assert_int_equal(reader.failed, i < 3);
        assert_true(i < 3 ? value == 0 : memcmp(&value, &values[i], sizeof value) == 0);
    }
}

TEST(text_holds_no_nul)
{
    const uint8_t bytes[] = {3, 'a', 0, 'b'};
    char text[256];
    raim_reader reader = raim_reader_make(bytes, sizeof bytes);
    raim_read_text(&reader, text, 255);
    assert_true(reader.failed);
    assert_string_equal(text, "");
}

TEST(random_bytes_never_lead_a_reader_astray)
{
    for (int i = 0; i < 200000; i++) {
        const size_t size = (size_t)chance_int(1, 32);
        uint8_t *bytes = malloc(size);
        assert_non_null(bytes);
        for (size_t j = 0; j < size; j++)
            bytes[j] = (uint8_t)(chance_bits(8) | (chance_bool() ? 0x11 : 0));
        raim_reader reader = raim_reader_make(bytes, size);
        for (int j = chance_int(1, 12); j > 0; j--) {
            const struct value like = chance_value();
            const struct value value = read_value(&reader, &like);
            if (like.kind == RANGED)
                assert_in_range(value.number, like.min, like.max);
            assert_true(strlen(value.text) <= TEXT_MAX);
            assert_true(reader.offset <= size * 8);
        }
        raim_reader_done(&reader);
        free(bytes);
    }
}
