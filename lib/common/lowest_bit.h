// SPDX-License-Identifier: MIT
// Finds the lowest set bit of a word: how bit sets are enumerated. The compiler's builtin is one
// instruction; compilers without it get a binary search.
// Thread rule: the functions are pure; any thread may call them.
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Returns the index, 0 to 63, of the lowest bit that is set. At least one must be.
static inline uint32_t raim_lowest_bit_search(uint64_t bits)
{
    uint32_t index = 0;
    for (uint32_t width = 32; width > 0; width /= 2) {
        if ((bits & (((uint64_t)1 << width) - 1)) == 0) {
            bits >>= width;
            index += width;
        }
    }
    return index;
}

// As raim_lowest_bit_search, by the fastest means of the compiler.
static inline uint32_t raim_lowest_bit(uint64_t bits)
{
#ifdef __GNUC__
    return (uint32_t)__builtin_ctzll(bits);
#else
    return raim_lowest_bit_search(bits);
#endif
}

#ifdef __cplusplus
}
#endif
