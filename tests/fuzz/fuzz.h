// SPDX-License-Identifier: MIT
// Common part of the fuzz targets: the entry point that libFuzzer and replay.c call, and a cursor
// that turns the bytes of an input into choices. A violated property is a failed assertion.
#pragma once

#ifdef NDEBUG
#error "without assertions a target proves nothing"
#endif

#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// Runs the target on any bytes; returns 0. State that outlives the call must not change what a
// later one does.
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// What is left of an input. Behind the end all bytes are 0.
struct fuzz_input {
    const uint8_t *bytes;
    size_t left;
};

static inline uint8_t fuzz_byte(struct fuzz_input *input)
{
    if (input->left == 0)
        return 0;
    input->left--;
    return *input->bytes++;
}

// Lowest byte first.
static inline uint16_t fuzz_pair(struct fuzz_input *input)
{
    const unsigned low = fuzz_byte(input);
    return (uint16_t)(low | (unsigned)fuzz_byte(input) << 8);
}

// The next bytes, `wanted` or as many as there are. Borrows from the input.
static inline const uint8_t *fuzz_block(struct fuzz_input *input, size_t wanted, size_t *size)
{
    const uint8_t *block = input->bytes;
    *size = wanted < input->left ? wanted : input->left;
    input->bytes += *size;
    input->left -= *size;
    return block;
}

// The same in memory of exactly its size, so that ASan sees who reads beyond; the caller frees it.
static inline uint8_t *fuzz_copy(const uint8_t *bytes, size_t size)
{
    uint8_t *copy = malloc(size > 0 ? size : 1);
    assert(copy != NULL);
    if (size > 0)
        memcpy(copy, bytes, size);
    return copy;
}
