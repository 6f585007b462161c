// SPDX-License-Identifier: MIT
// Makes recordings of recording inputs.
#include "recording_writer.h"

#include "recording_frame.h"
#include "recording_head.h"
#include "recording_index.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

// Bytes that grow.
struct buffer {
    uint8_t *bytes;
    size_t size, capacity;
};

struct raim_recording_writer {
    struct raim_packer *packer;
    struct raim_recording_head head; // of the file
    struct raim_recording_index index;
    struct buffer frame; // the contents of the data frame that is being collected
    struct buffer file;  // bytes to be taken
    struct buffer peeked;
    uint64_t written; // bytes of the file up to now
    bool is_open, has_taken;
};

static bool reserve(struct buffer *buffer, size_t more)
{
    if (more <= buffer->capacity - buffer->size)
        return true;
    const size_t needed = buffer->size + more;
    const size_t capacity = needed > 2 * buffer->capacity ? needed : 2 * buffer->capacity;
    uint8_t *bytes = realloc(buffer->bytes, capacity);
    if (bytes == NULL)
        return false;
    buffer->bytes = bytes;
    buffer->capacity = capacity;
    return true;
}

struct raim_recording_writer *raim_recording_writer_create(void)
{
    struct raim_recording_writer *writer = calloc(1, sizeof *writer);
    if (writer == NULL)
        return NULL;
    writer->packer = raim_packer_create();
    if (writer->packer == NULL) {
        free(writer);
        return NULL;
    }
    return writer;
}

void raim_recording_writer_destroy(struct raim_recording_writer *writer)
{
    if (writer == NULL)
        return;
    raim_packer_destroy(writer->packer);
    raim_recording_index_free(&writer->index);
    free(writer->frame.bytes);
    free(writer->file.bytes);
    free(writer->peeked.bytes);
    free(writer);
}

// Forgets what was taken. Call it before bytes are added.
static void begin_output(struct raim_recording_writer *writer)
{
    if (writer->has_taken)
        writer->file.size = 0;
    writer->has_taken = false;
}

bool raim_recording_writer_begin(struct raim_recording_writer *writer, const uint8_t *scene,
                                 size_t scene_size, uint32_t first_tick, int64_t start_unix_ms)
{
    const size_t size = raim_recording_head_bytes(scene_size);
    char error[RAIM_RECORDING_ERROR_BYTES];
    raim_recording_index_free(&writer->index);
    writer->frame.size = writer->file.size = 0;
    writer->written = 0;
    writer->has_taken = writer->is_open = false;
    if (!reserve(&writer->file, size))
        return false;
    raim_recording_head_write(scene, scene_size, first_tick, start_unix_ms, writer->file.bytes);
    if (!raim_recording_head_read(writer->file.bytes, size, &writer->head, NULL, error,
                                  sizeof error))
        return false;
    writer->file.size = size;
    writer->written = size;
    writer->is_open = true;
    return true;
}

// Compresses the collected frame and appends it to what a buffer holds. Returns its size; 0: no
// memory.
static size_t pack(struct raim_recording_writer *writer, struct buffer *buffer)
{
    const size_t bound = raim_packed_bound(writer->frame.size);
    return reserve(buffer, bound)
               ? raim_pack(writer->packer, writer->frame.bytes, writer->frame.size,
                           buffer->bytes + buffer->size, bound)
               : 0;
}

static bool complete_frame(struct raim_recording_writer *writer)
{
    if (writer->frame.size == 0)
        return true;
    begin_output(writer);
    const size_t size = pack(writer, &writer->file);
    if (size == 0 ||
        raim_recording_index_add(&writer->index, &writer->head.scene, writer->written, size,
                                 writer->frame.bytes, writer->frame.size) != RAIM_INDEX_OK)
        return false;
    writer->frame.size = 0;
    writer->file.size += size;
    writer->written += size;
    return true;
}

bool raim_recording_writer_append(struct raim_recording_writer *writer, const uint8_t *chunk,
                                  size_t size)
{
    const bool is_keyframe = size > 0 && chunk[0] == RAIM_RECORD_KEYFRAME;
    if (!writer->is_open || (!is_keyframe && writer->frame.size == 0) ||
        writer->frame.size + size > RAIM_RECORDING_MAX_FRAME_BYTES ||
        (is_keyframe && !complete_frame(writer)) || !reserve(&writer->frame, size)) {
        writer->is_open = false;
        return false;
    }
    memcpy(writer->frame.bytes + writer->frame.size, chunk, size);
    writer->frame.size += size;
    return true;
}

bool raim_recording_writer_end(struct raim_recording_writer *writer)
{
    size_t size;
    writer->is_open = false;
    const bool is_complete = complete_frame(writer);
    if (writer->index.frame_count == 0)
        return false;
    begin_output(writer);
    uint8_t *index = raim_recording_index_write(&writer->index, &size);
    const bool has_room = index != NULL && reserve(&writer->file, size);
    if (has_room) {
        memcpy(writer->file.bytes + writer->file.size, index, size);
        writer->file.size += size;
    }
    free(index);
    return is_complete && has_room;
}

const uint8_t *raim_recording_writer_take(struct raim_recording_writer *writer, size_t *size)
{
    begin_output(writer);
    *size = writer->file.size;
    writer->has_taken = true;
    return *size > 0 ? writer->file.bytes : NULL;
}

const uint8_t *raim_recording_writer_peek(struct raim_recording_writer *writer, size_t *size)
{
    writer->peeked.size = 0;
    *size = writer->frame.size > 0 ? pack(writer, &writer->peeked) : 0;
    return *size > 0 ? writer->peeked.bytes : NULL;
}
