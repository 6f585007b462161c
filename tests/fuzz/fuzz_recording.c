// SPDX-License-Identifier: MIT
// Fuzzes recordings: bytes of any kind, a good file with some bytes changed, and one with a changed
// scene or recording input that all checksums approve of. A recording is rejected with a reason,
// stops at a fault, or plays to its end, with a world in every tick that a match could have.
#include "fuzz.h"

#include "fuzz_checkpoint.h"
#include "recording.h"
#include "recording_input.h"
#include "recording_scene.h"
#include "recording_writer.h"
#include "validate.h"

enum { TICKS = 90, MAX_BYTES = 1 << 17, MAX_STEPS = 300 };

// A good recording in its parts.
struct parts {
    uint8_t scene[4096];
    size_t scene_size;
    uint8_t records[MAX_BYTES];
    size_t ends[TICKS + 1]; // of the chunks
    size_t count;
};

static void take(struct parts *parts, struct raim_recording_input *records)
{
    size_t size;
    const size_t start = parts->count > 0 ? parts->ends[parts->count - 1] : 0;
    const uint8_t *chunk = raim_recording_input_take(records, &size);
    assert(chunk != NULL && size <= MAX_BYTES - start);
    memcpy(parts->records + start, chunk, size);
    parts->ends[parts->count++] = start + size;
}

static void record(struct parts *parts)
{
    struct raim_map *map = fuzz_map();
    struct raim_match *match = fuzz_new_match(map);
    struct raim_recording_scene scene;
    raim_match_scene(match, &scene);
    parts->scene_size = raim_recording_scene_write(&scene, parts->scene, sizeof parts->scene);
    assert(parts->scene_size > 0);
    void *memory = malloc(raim_recording_input_bytes(raim_match_world(match)));
    assert(memory != NULL);
    struct raim_recording_input *records =
        raim_recording_input_init(memory, raim_match_world(match));
    raim_match_record(match, records, 1);
    take(parts, records);
    for (uint32_t i = 0; i < TICKS; i++) {
        if (i < FUZZ_CLIENTS)
            fuzz_join(match, i, false);
        if (i == 60)
            raim_match_disconnect(match, 1);
        fuzz_step(match, 1);
        take(parts, records);
    }
    raim_match_destroy(match);
    raim_map_destroy(map);
    free(memory);
}

// Puts bytes of the input at places of the input.
static void spoil(struct fuzz_input *input, uint8_t *bytes, size_t size, uint32_t edits)
{
    for (; edits > 0 && input->left > 0; edits--) {
        const size_t at = fuzz_pair(input) % size;
        bytes[at] = fuzz_byte(input);
    }
}

// Writes the recording of changed parts; what the writer rejects ends it. The caller frees it.
static uint8_t *write(struct fuzz_input *input, const struct parts *good, size_t *size)
{
    static struct parts parts;
    parts = *good;
    const uint8_t what = fuzz_byte(input);
    if (what & 1)
        spoil(input, parts.scene, parts.scene_size, fuzz_byte(input));
    if (what & 2)
        spoil(input, parts.records + parts.ends[0], parts.ends[parts.count - 1] - parts.ends[0],
              fuzz_byte(input));
    if (what & 4)
        spoil(input, parts.records + 1, parts.ends[0] - 1, fuzz_byte(input));
    struct raim_recording_writer *writer = raim_recording_writer_create();
    assert(writer != NULL);
    uint8_t *file = NULL;
    *size = 0;
    if (raim_recording_writer_begin(writer, parts.scene, parts.scene_size, 0, 0)) {
        for (size_t i = 0; i < parts.count; i++) {
            const size_t start = i > 0 ? parts.ends[i - 1] : 0;
            if (!raim_recording_writer_append(writer, parts.records + start, parts.ends[i] - start))
                break;
        }
        raim_recording_writer_end(writer);
        const uint8_t *bytes = raim_recording_writer_take(writer, size);
        file = fuzz_copy(bytes, *size);
        if (*size > 0)
            spoil(input, file, *size, what >> 3);
    }
    raim_recording_writer_destroy(writer);
    return file;
}

static void check(struct raim_recording *recording)
{
    const struct raim_recording_info *info = raim_recording_info(recording);
    const struct raim_world *world = raim_recording_world(recording);
    const uint32_t slots = info->max_players;
    assert(raim_recording_tick(recording) <= info->ticks);
    assert(world->tick == info->first_tick + raim_recording_tick(recording) ||
           raim_recording_fault(recording) != NULL);
    assert(raim_world_is_valid(world, raim_recording_map(recording)));
    uint32_t count;
    const struct raim_recording_line *lines = raim_recording_chat(recording, &count);
    assert(count <= RAIM_RECORDING_MAX_CHAT);
    for (uint32_t i = 0; i < count; i++)
        assert(strlen(lines[i].text) <= RAIM_MAX_CHAT_BYTES);
    for (uint32_t slot = 0; slot < slots; slot += 1 + slots / 8) {
        const uint64_t *players, *bullets;
        const char *name = raim_recording_name(recording, slot, NULL);
        assert(name == NULL || strlen(name) <= RAIM_MAX_NAME_BYTES);
        if (raim_recording_sent(recording, slot, &players, &bullets))
            assert(players[0] == players[0] && bullets[0] == bullets[0]); // can be read
        (void)raim_recording_traffic(recording, slot);
    }
}

static void play(struct raim_recording *recording, uint32_t where)
{
    check(recording);
    uint32_t steps = 0;
    while (steps++ < MAX_STEPS && raim_recording_step(recording))
        check(recording);
    raim_recording_overlook(recording);
    raim_recording_step(recording);
    const uint32_t ticks = raim_recording_info(recording)->ticks;
    if (ticks <= MAX_STEPS) {
        const bool is_there = raim_recording_seek(recording, where % (ticks + 1));
        assert(is_there || raim_recording_fault(recording) != NULL);
        check(recording);
    }
}

struct file {
    const uint8_t *bytes;
    size_t size;
};

static bool read_file(void *context, uint64_t offset, void *bytes, size_t count)
{
    const struct file *file = context;
    assert(offset <= file->size && count <= file->size - offset);
    memcpy(bytes, file->bytes + offset, count);
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct parts *good;
    if (good == NULL) {
        good = calloc(1, sizeof *good);
        assert(good != NULL);
        record(good);
    }
    struct fuzz_input input = {data, size};
    const uint8_t kind = fuzz_byte(&input);
    size_t file_size = input.left;
    uint8_t *bytes =
        kind == 255 ? fuzz_copy(input.bytes, input.left) : write(&input, good, &file_size);
    if (bytes == NULL)
        return 0;
    char error[RAIM_RECORDING_ERROR_BYTES] = "";
    struct file file = {bytes, file_size};
    struct raim_recording_summary summary;
    const struct raim_recording_source source = {file_size, read_file, &file};
    const bool is_listed = raim_recording_peek(&source, &summary, error, sizeof error);
    assert(is_listed || error[0] != '\0');
    struct raim_recording_rest rest;
    const bool has_rest = raim_recording_rebuild(bytes, file_size, &rest, error, sizeof error);
    assert(!has_rest || rest.keep <= file_size);
    free(rest.index);
    error[0] = '\0';
    struct raim_recording *recording = raim_recording_open(bytes, file_size, error, sizeof error);
    if (recording != NULL) {
        assert(has_rest && raim_recording_info(recording)->is_complete == is_listed);
        play(recording, kind);
    } else {
        assert(error[0] != '\0' && strlen(error) < sizeof error);
    }
    raim_recording_close(recording);
    free(bytes);
    return 0;
}
