// SPDX-License-Identifier: MIT
// Fuzzes portable checkpoints: the members of a document, to which the target adds the digest if
// the first byte is even. One that is read is written alike; a match continues from it with nobody
// and no score that it does not have, or is unchanged.
#define _GNU_SOURCE
#include "fuzz.h"

#include "digest.h"
#include "fuzz_checkpoint.h"
#include "portable_checkpoint.h"

#include <stdio.h>

// The caller frees it.
static char *document(struct fuzz_input *input, size_t *size)
{
    char *text = NULL;
    const uint8_t kind = fuzz_byte(input);
    const unsigned long long digest = raim_digest(input->bytes, input->left);
    text = malloc(input->left + 64);
    assert(text != NULL);
    memcpy(text, input->bytes, input->left);
    *size = input->left;
    if (kind % 2 == 0)
        *size += (size_t)sprintf(text + input->left, ",\"digest\":\"%016llx\"}", digest);
    return text;
}

static void check_rewritten(const struct portable_checkpoint *block, const char *kept)
{
    const char *why;
    char *kept_again;
    const size_t block_size = portable_checkpoint_size(portable_checkpoint_rows(block));
    size_t size = block_size + (kept != NULL ? strlen(kept) : 0);
    char *bytes = malloc(size);
    assert(bytes != NULL);
    memcpy(bytes, block, block_size);
    memcpy(bytes + block_size, kept != NULL ? kept : "", size - block_size);
    char *text = portable_checkpoint_encode(bytes, &size);
    assert(text != NULL);
    struct portable_checkpoint *again = portable_checkpoint_decode(text, size, &kept_again, &why);
    assert(again != NULL && memcmp(again, block, block_size) == 0);
    free(again);
    free(kept_again);
    free(text);
    free(bytes);
}

static bool has_score(const struct portable_checkpoint *block, const struct raim_match_player *row)
{
    for (uint32_t i = 0; i < block->match.players; i++)
        if (strcmp(block->rows[i].name, row->name) == 0 && block->rows[i].bot == row->bot &&
            block->rows[i].score == row->score)
            return true;
    return row->bot && row->score == 0;
}

static void check_match(const struct raim_map *map, const struct portable_checkpoint *block)
{
    struct raim_match_player rows[16];
    struct raim_match *match = fuzz_heir(map);
    const uint32_t tick = raim_match_tick(match);
    const bool good = raim_match_import(match, &block->match, block->rows);
    const uint32_t count = raim_match_players(match, rows, 16);
    assert(good || (raim_match_tick(match) == tick && raim_match_playing(match) == 0));
    for (uint32_t i = 0; good && i < count; i++)
        assert(has_score(block, &rows[i]));
    fuzz_join(match, 0, true);
    fuzz_step(match, 5);
    raim_match_destroy(match);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct raim_map *map;
    char *kept;
    const char *why;
    struct fuzz_input input = {data, size};
    if (map == NULL)
        map = fuzz_map();
    size_t length;
    char *text = document(&input, &length);
    uint8_t *exact = fuzz_copy((const uint8_t *)text, length); // of exactly its size
    free(text);
    struct portable_checkpoint *block =
        portable_checkpoint_decode((const char *)exact, length, &kept, &why);
    assert(block != NULL || (kept == NULL && why != NULL));
    if (block != NULL) {
        check_rewritten(block, kept);
        check_match(map, block);
    }
    free(block);
    free(kept);
    free(exact);
    return 0;
}
