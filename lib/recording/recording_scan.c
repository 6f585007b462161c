// SPDX-License-Identifier: MIT
// Reads files without an index.
#include "recording_scan.h"

#include "recording_writer.h"

#include <stdlib.h>

// All frames together are at most this many bytes of contents, so that a small file cannot take
// long.
static const uint64_t most_contents = (uint64_t)16 << 30;

bool raim_recording_scan(struct raim_recording_index *index, struct raim_packer *packer,
                         const struct raim_recording_head *head, const uint8_t *bytes, size_t size)
{
    uint8_t *contents = NULL;
    size_t capacity = 0;
    uint64_t total = 0;
    bool has_memory = true;
    for (size_t at = head->size; at < size;) {
        const struct raim_frame frame = raim_frame_at(bytes + at, size - at);
        total += frame.contents_size;
        if (frame.kind != RAIM_FRAME_DATA || total > most_contents)
            break;
        if (frame.contents_size > capacity) {
            free(contents);
            contents = malloc(frame.contents_size);
            capacity = frame.contents_size;
        }
        has_memory = contents != NULL;
        if (!has_memory || !raim_unpack(packer, bytes + at, &frame, contents))
            break;
        const enum raim_index_result result = raim_recording_index_add(
            index, &head->scene, at, frame.size, contents, frame.contents_size);
        has_memory = result != RAIM_INDEX_MEMORY;
        if (result != RAIM_INDEX_OK)
            break;
        at += frame.size;
    }
    free(contents);
    return has_memory;
}

size_t raim_recording_head_size(const uint8_t *bytes, size_t size)
{
    struct raim_recording_head head;
    char error[RAIM_RECORDING_ERROR_BYTES];
    return raim_recording_head_read(bytes, size, &head, NULL, error, sizeof error) ? head.size : 0;
}

static bool rebuild(const uint8_t *bytes, size_t size, const struct raim_recording_head *head,
                    struct raim_recording_rest *rest, char *error, size_t capacity)
{
    struct raim_recording_index index;
    const bool is_complete = raim_recording_index_find(&index, bytes, size);
    raim_recording_index_free(&index);
    if (is_complete) {
        rest->keep = size;
        return true;
    }
    struct raim_packer *packer = raim_packer_create();
    const bool has_memory =
        packer != NULL && raim_recording_scan(&index, packer, head, bytes, size);
    raim_packer_destroy(packer);
    if (has_memory && index.frame_count > 0) {
        rest->keep = (size_t)index.end;
        rest->index = raim_recording_index_write(&index, &rest->index_size);
    }
    raim_recording_index_free(&index);
    if (rest->index == NULL)
        raim_recording_explain(error, capacity,
                               (const char *const[]){rest->keep > 0 || !has_memory
                                                         ? "there is no memory for it"
                                                         : "it holds no whole frame",
                                                     NULL});
    return rest->index != NULL;
}

bool raim_recording_rebuild(const uint8_t *bytes, size_t size, struct raim_recording_rest *rest,
                            char *error, size_t capacity)
{
    struct raim_recording_head head;
    *rest = (struct raim_recording_rest){0};
    return raim_recording_head_read(bytes, size, &head, NULL, error, capacity) &&
           rebuild(bytes, size, &head, rest, error, capacity);
}
