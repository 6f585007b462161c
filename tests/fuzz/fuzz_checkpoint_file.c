// SPDX-License-Identifier: MIT
// Fuzzes damaged, truncated or replaced checkpoint files with optionally corrected digests: a
// rejected file leaves the match unchanged byte for byte, an accepted one equals the checkpoint
// that the match then saves, and no checkpoint is restored more often than permitted.
#define _GNU_SOURCE
#include "fuzz.h"

#include "checkpoint_file.h"
#include "digest.h"
#include "fuzz_checkpoint.h"
#include "fuzz_file.h"

enum { MAX_AGE_S = 1000000 }; // the good file grows old
enum { FRONT_BYTES = 64, SLOT_BYTES_AT = 12 };
enum { SLOT_HEAD = 48, PLACES_AT = 32, MATCH_AT = 36, PATH_AT = 44 };

static char path[128], bad_path[sizeof path + 4];
static struct raim_map *map;
static uint8_t *good; // the file of a match in full swing
static size_t good_size;

static void clean_up(void)
{
    unlink(path);
    unlink(bad_path);
}

static void read_good(void)
{
    FILE *file = fopen(path, "re");
    assert(file != NULL);
    assert(fseek(file, 0, SEEK_END) == 0);
    good_size = (size_t)ftell(file);
    rewind(file);
    good = malloc(good_size);
    assert(good != NULL && fread(good, 1, good_size, file) == good_size);
    fclose(file);
}

static void set_up(void)
{
    char error[256];
    fuzz_make_directory("checkpoint_file");
    snprintf(path, sizeof path, "%s/duel.checkpoint", fuzz_directory);
    snprintf(bad_path, sizeof bad_path, "%s.bad", path);
    atexit(clean_up);
    map = fuzz_map();
    struct raim_match *match = fuzz_played(map);
    struct checkpoint *checkpoint = checkpoint_create(fuzz_directory, "duel");
    const struct checkpoint_address addresses[RAIM_MAX_PLAYERS] = {{.low = 1, .port = 1}};
    const struct checkpoint_map played = {.path = "maps/duel.conf"};
    assert(checkpoint_bind(checkpoint, match, &played, addresses, error, sizeof error));
    raim_match_step(match);
    checkpoint_save(checkpoint, match, addresses);
    checkpoint_destroy(checkpoint);
    raim_match_destroy(match);
    read_good();
}

static uint32_t number_at(const uint8_t *bytes)
{
    uint32_t number;
    memcpy(&number, bytes, sizeof number);
    return number;
}

// Makes the digests those of what is there, as far as there is room for that.
static void mend(uint8_t *bytes, size_t size)
{
    if (size < FRONT_BYTES)
        return;
    const size_t slot_bytes = number_at(bytes + SLOT_BYTES_AT);
    for (size_t slot = 0; slot < 2; slot++) {
        const size_t at = FRONT_BYTES + slot * slot_bytes;
        if (at + SLOT_HEAD > size)
            return;
        const size_t whole = SLOT_HEAD + number_at(bytes + at + PLACES_AT) * (size_t)8 +
                             number_at(bytes + at + MATCH_AT) + number_at(bytes + at + PATH_AT);
        if (whole > size - at)
            continue;
        const uint64_t digest = raim_digest(bytes + at + 8, whole - 8);
        memcpy(bytes + at, &digest, sizeof digest);
    }
}

// An input is edits: where, in two bytes, and what is put there. Its first byte says how far apart
// places are, whether digests are mended, and how much of the file is kept; 255: the input is the
// file.
static void spoil(struct fuzz_input *input)
{
    const uint8_t kind = fuzz_byte(input);
    if (kind == 255) {
        fuzz_write_file(path, input->bytes, input->left);
        return;
    }
    uint8_t *bytes = fuzz_copy(good, good_size);
    while (input->left > 0) {
        const size_t at = (fuzz_pair(input) * (size_t)(1 + kind % 16)) % good_size;
        bytes[at] = fuzz_byte(input);
    }
    if ((kind & 16) != 0)
        mend(bytes, good_size);
    fuzz_write_file(path, bytes, kind < 192 ? good_size : good_size * (kind - 191u) / 64);
    free(bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct raim_match *match; // a new one
    static uint8_t *before, *after;
    static size_t match_size;
    if (map == NULL)
        set_up();
    if (match == NULL) {
        match = fuzz_new_match(map);
        match_size = raim_match_checkpoint_size(match);
        before = calloc(1, match_size);
        after = calloc(1, match_size);
        assert(before != NULL && after != NULL);
        raim_match_save(match, before);
    }
    struct fuzz_input input = {data, size};
    spoil(&input);
    char map_name[RAIM_MAP_NAME_BYTES];
    struct checkpoint_address addresses[RAIM_MAX_PLAYERS];
    for (uint32_t times = 1;; times++) {
        struct checkpoint *checkpoint = checkpoint_create(fuzz_directory, "duel");
        struct checkpoint_map where;
        const bool has_map = checkpoint_find_map(checkpoint, MAX_AGE_S, &where, map_name);
        assert(!has_map || strnlen(map_name, sizeof map_name) < sizeof map_name);
        assert(!has_map || strnlen(where.path, sizeof where.path) < sizeof where.path);
        const struct checkpoint_result result =
            checkpoint_restore(checkpoint, match, MAX_AGE_S, addresses);
        checkpoint_destroy(checkpoint);
        assert(result.verdict != CHECKPOINT_NONE && times <= CHECKPOINT_MAX_RESTORES + 1);
        if (result.verdict != CHECKPOINT_RESTORED) {
            assert(result.verdict == CHECKPOINT_EXPIRED || result.why[0] != '\0');
            break;
        }
        assert(times <= CHECKPOINT_MAX_RESTORES && has_map);
        fuzz_step(match, 3);
        raim_match_destroy(match);
        match = fuzz_new_match(map);
    }
    raim_match_save(match, after);
    assert(memcmp(before, after, match_size) == 0);
    return 0;
}
