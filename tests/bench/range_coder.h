// SPDX-License-Identifier: MIT
// A binary arithmetic coder whose probabilities adapt: a rival of plain bits. A range is split by
// each decision and loses its top byte when that is settled, as in LZMA (I. Pavlov) after Martin's
// range encoding (1979); the ending is cut to the fewest bytes that still say it.
#pragma once

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Odds are the probability of a 0, out of ODDS_ONE.
enum { ODDS_BITS = 15, ODDS_ONE = 1 << ODDS_BITS, ODDS_RATE = 6 };
#define ODDS_EVEN (ODDS_ONE / 2)

// What is done with the decisions: they are written, read, or only counted.
enum coding { CODING_WRITE, CODING_READ, CODING_COUNT };

struct range_coder {
    uint8_t *bytes; // only read from in CODING_READ
    size_t capacity;
    size_t size; // written, or read
    uint32_t low, range;
    uint32_t code; // of a reader: how far the message lies above `low`
    bool overflow;
    uint16_t *odds;        // of each context; they adapt
    uint64_t (*counts)[2]; // zeros and ones seen in each context, with CODING_COUNT
};

// A reader takes what lies behind the end for zeros.
static inline uint32_t range_coder_next(struct range_coder *coder)
{
    const uint32_t byte = coder->size < coder->capacity ? coder->bytes[coder->size] : 0;
    coder->size++;
    return byte;
}

static inline void range_coder_begin(struct range_coder *coder, enum coding coding)
{
    coder->range = UINT32_MAX;
    if (coding == CODING_READ)
        for (int i = 0; i < 4; i++)
            coder->code = coder->code << 8 | range_coder_next(coder);
}

static inline void range_coder_put(struct range_coder *coder, uint32_t byte)
{
    if (coder->size < coder->capacity)
        coder->bytes[coder->size++] = (uint8_t)byte;
    else
        coder->overflow = true;
}

// Adds to `low`, whose carry runs into the bytes that are out already.
static inline void range_coder_raise(struct range_coder *coder, uint32_t by)
{
    coder->low += by;
    if (coder->low < by)
        for (size_t i = coder->size; i > 0 && ++coder->bytes[i - 1] == 0; i--)
            ;
}

static inline bool range_coder_split(struct range_coder *coder, enum coding coding, uint32_t bound,
                                     bool bit)
{
    if (coding == CODING_READ) {
        bit = coder->code >= bound;
        coder->code -= bit ? bound : 0;
    } else if (bit) {
        range_coder_raise(coder, bound);
    }
    coder->range = bit ? coder->range - bound : bound;
    while (coder->range < 1u << 24) {
        coder->range <<= 8;
        if (coding == CODING_READ) {
            coder->code = coder->code << 8 | range_coder_next(coder);
        } else {
            range_coder_put(coder, coder->low >> 24);
            coder->low <<= 8;
        }
    }
    return bit;
}

// A decision in a context. Readers pass anything; everybody gets the bit.
static inline bool range_coder_bit(struct range_coder *coder, enum coding coding, uint32_t context,
                                   bool bit)
{
    if (coding == CODING_COUNT) {
        coder->counts[context][bit]++;
        return bit;
    }
    uint16_t *odds = &coder->odds[context];
    bit = range_coder_split(coder, coding, (coder->range >> ODDS_BITS) * *odds, bit);
    *odds =
        (uint16_t)(bit ? *odds - (*odds >> ODDS_RATE) : *odds + ((ODDS_ONE - *odds) >> ODDS_RATE));
    return bit;
}

// `count` bits that nothing is known of, highest first.
static inline uint32_t range_coder_plain(struct range_coder *coder, enum coding coding,
                                         uint32_t count, uint32_t value)
{
    if (coding == CODING_COUNT)
        return value;
    uint32_t result = 0;
    while (count-- > 0)
        result = result << 1 |
                 range_coder_split(coder, coding, coder->range >> 1, (value >> count & 1) != 0);
    return result;
}

// `count` bits, highest first, each in the context of those before it: 2^count contexts.
static inline uint32_t range_coder_tree(struct range_coder *coder, enum coding coding,
                                        uint32_t context, uint32_t count, uint32_t value)
{
    uint32_t node = 1;
    for (uint32_t i = count; i-- > 0;)
        node = node << 1 | range_coder_bit(coder, coding, context + node, (value >> i & 1) != 0);
    return node - (1u << count);
}

// Ends a written message and returns its size, or 0 where it did not fit.
static inline size_t range_coder_finish(struct range_coder *coder)
{
    // Of the numbers in the range, one that ends in the most zeros, which need not be told.
    for (uint32_t shift = 32; shift > 0; shift -= 8) {
        const uint32_t rest = shift == 32 ? UINT32_MAX : (1u << shift) - 1;
        const uint32_t up = (uint32_t)-coder->low & rest;
        if (up >= coder->range)
            continue;
        range_coder_raise(coder, up);
        break;
    }
    for (; coder->low != 0; coder->low <<= 8)
        range_coder_put(coder, coder->low >> 24);
    while (coder->size > 0 && coder->bytes[coder->size - 1] == 0)
        coder->size--;
    return coder->overflow ? 0 : coder->size;
}
