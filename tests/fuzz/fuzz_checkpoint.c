// SPDX-License-Identifier: MIT
// Fuzzes damaged checkpoints, for an equal match and for one with other rules: a rejected
// checkpoint leaves the match unchanged, and an accepted one plays on like any other match, with
// resuming clients.
#include "fuzz.h"

#include "fuzz_checkpoint.h"

enum { TICKS = 30 };

// The caller frees it.
static uint8_t *save(const struct raim_map *map, size_t *size)
{
    struct raim_match *match = fuzz_played(map);
    *size = raim_match_checkpoint_size(match);
    uint8_t *bytes = calloc(1, *size);
    assert(bytes != NULL);
    raim_match_save(match, bytes);
    raim_match_destroy(match);
    return bytes;
}

// An input is edits: where, in two bytes, and what is put there; with a first byte of 255 it is
// instead the checkpoint's beginning.
static uint8_t *spoil(struct fuzz_input *input, const uint8_t *good, size_t *size)
{
    uint8_t *bytes = fuzz_copy(good, *size);
    const uint8_t kind = fuzz_byte(input);
    if (kind == 255) {
        size_t taken;
        const uint8_t *block = fuzz_block(input, *size, &taken);
        memcpy(bytes, block, taken);
        return bytes;
    }
    while (input->left > 0) {
        // Places far behind each other are as near as others.
        const size_t at = (fuzz_pair(input) * (size_t)(1 + kind % 64)) % *size;
        bytes[at] = fuzz_byte(input);
    }
    if (kind >= 192)
        *size = *size * (kind - 192u) / 64;
    return bytes;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct raim_map *map;
    static uint8_t *good;
    static size_t good_size;
    if (map == NULL) {
        map = fuzz_map();
        good = save(map, &good_size);
    }
    struct fuzz_input input = {data, size};
    struct raim_match *match = size % 2 == 0 ? fuzz_new_match(map) : fuzz_heir(map);
    const uint32_t tick = raim_match_tick(match);
    const struct raim_match_counts counts = raim_match_counts(match);
    size_t spoilt_size = good_size;
    uint8_t *exact = spoil(&input, good, &spoilt_size);
    uint8_t *bytes = fuzz_copy(exact, spoilt_size); // of exactly its size
    free(exact);
    if (!raim_match_restore(match, bytes, spoilt_size)) {
        const struct raim_match_counts after = raim_match_counts(match);
        assert(raim_match_tick(match) == tick);
        assert(after.players == counts.players && after.away == counts.away &&
               after.bots == counts.bots);
    }
    free(bytes);
    for (uint32_t client = 0; client < FUZZ_CLIENTS; client++)
        fuzz_join(match, client, client != 1);
    fuzz_step(match, TICKS);
    raim_match_destroy(match);
    return 0;
}
