// SPDX-License-Identifier: MIT
// Cuts a clip: a file of the head, the newest whole frames, and the frame that is being collected.
#define _GNU_SOURCE
#include "log.h"
#include "recorder_internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// Returns where the frames begin that cover the time from `tick` on.
static uint64_t find_offset(const struct recorder_stream *stream, uint32_t tick)
{
    uint64_t offset = stream->file.size; // the frame that is being collected
    if ((int32_t)(stream->frame_tick - tick) <= 0)
        return offset;
    for (uint32_t i = stream->frame_count; i > 0; i--) {
        offset = stream->frames[i - 1].offset;
        if ((int32_t)(stream->frames[i - 1].tick - tick) <= 0)
            break;
    }
    return offset;
}

// Puts the head and the frames from `offset` on together. Returns NULL with errno. The caller frees
// them.
static uint8_t *collect(struct recorder_stream *stream, uint64_t offset, size_t *size)
{
    size_t open_size = 0;
    const uint8_t *open_frame = raim_recording_writer_peek(stream->writer, &open_size);
    const size_t whole_size = (size_t)(stream->file.size - offset);
    if (open_frame == NULL)
        open_size = 0;
    *size = stream->head_size + whole_size + open_size;
    uint8_t *bytes = malloc(*size);
    if (bytes == NULL)
        return NULL;
    if (recording_file_read(&stream->file, 0, bytes, stream->head_size) &&
        recording_file_read(&stream->file, offset, bytes + stream->head_size, whole_size)) {
        if (open_size > 0)
            memcpy(bytes + stream->head_size + whole_size, open_frame, open_size);
        return bytes;
    }
    const int problem = errno;
    free(bytes);
    errno = problem;
    return NULL;
}

// Writes a file of these bytes and their index. Returns false with errno.
static bool write_file(struct recorder_stream *stream, const char *name, const uint8_t *bytes,
                       const struct raim_recording_rest *rest)
{
    struct recording_file file;
    const int directory = recordings_directory(stream->recorder->recordings);
    if (directory < 0 || !recording_file_begin(&file, directory, name))
        return false;
    const bool is_written =
        recording_file_append(&file, bytes, rest->keep) &&
        (rest->index == NULL || recording_file_append(&file, rest->index, rest->index_size)) &&
        recording_file_finish(&file);
    const int problem = errno;
    if (!is_written)
        recording_file_remove(&file);
    recording_file_close(&file);
    errno = problem;
    return is_written;
}

void recorder_stream_clip(struct recorder_stream *stream, uint32_t seconds,
                          struct recorder_answer *answer)
{
    size_t size;
    char name[RECORDING_NAME_BYTES];
    struct recording_name parts;
    struct raim_recording_rest rest = {0};
    if (!stream->is_writing || !recording_name_read(stream->file.name, &parts)) {
        snprintf(answer->problem, sizeof answer->problem, "the arena is not being recorded");
        return;
    }
    if (stream->clip_count == RECORDER_STREAM_CLIPS) {
        snprintf(answer->problem, sizeof answer->problem, "there are %d clips of this recording",
                 RECORDER_STREAM_CLIPS);
        return;
    }
    parts.start_s = time(NULL);
    parts.is_clip = true;
    recording_name_write(&parts, name);
    const uint32_t from = stream->tick - seconds * stream->begin.tick_hz;
    uint8_t *bytes = collect(stream, find_offset(stream, from), &size);
    if (bytes == NULL)
        snprintf(answer->problem, sizeof answer->problem, "%s", strerror(errno));
    else if (!raim_recording_rebuild(bytes, size, &rest, answer->problem, sizeof answer->problem))
        ; // it has told why
    else if (!write_file(stream, name, bytes, &rest))
        snprintf(answer->problem, sizeof answer->problem, "%s", strerror(errno));
    else {
        memcpy(answer->clip, name, sizeof answer->clip);
        memcpy(stream->clips[stream->clip_count++], name, sizeof name);
        log_arena_info(stream->begin.arena, "clip finished arena=%s file=%s", stream->begin.arena,
                       name);
    }
    free(rest.index);
    free(bytes);
}
