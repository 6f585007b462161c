// SPDX-License-Identifier: MIT
// Writes the file of a stream: takes records from its ring, has frames compressed, and appends
// them.
#define _GNU_SOURCE
#include "log.h"
#include "recorder_internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

void recorder_stream_free(struct recorder_stream *stream)
{
    recording_file_close(&stream->file);
    raim_recording_writer_destroy(stream->writer);
    record_ring_destroy(&stream->ring);
    free(stream->chunk);
    free(stream->frames);
    free(stream);
}

// Adds the file, which has its final name, and the clips that were cut from it to the recordings.
static void add_to_recordings(struct recorder_stream *stream)
{
    struct recordings *recordings = stream->recorder->recordings;
    const int directory = stream->file.directory;
    recordings_add(recordings, directory, stream->file.name);
    for (uint32_t i = 0; i < stream->clip_count; i++)
        recordings_add(recordings, directory, stream->clips[i]);
    stream->clip_count = 0;
}

// Makes a recording of the whole frames of a file that cannot be continued.
static void complete(struct recorder_stream *stream)
{
    char error[RECORDING_FILE_ERROR_BYTES];
    struct recording_file *file = &stream->file;
    recording_file_unlock(file);
    switch (recording_file_complete(file->directory, file->name, error, sizeof error)) {
    case RECORDING_FILE_COMPLETED:
    case RECORDING_FILE_AS_IT_IS:
        add_to_recordings(stream);
        break;
    case RECORDING_FILE_FAILED:
        stream->recorder->has_leftovers = true;
        break;
    case RECORDING_FILE_REMOVED:
    case RECORDING_FILE_BUSY:
        break;
    }
    recording_file_close(file);
}

// Ends a recording that cannot be written any more. Says so once until a file is finished.
static void fail(struct recorder_stream *stream, const char *problem)
{
    const char *arena = stream->begin.arena;
    atomic_store(&stream->has_failed, true);
    if (!stream->is_reported)
        log_arena_warning(arena, "recording failed arena=%s file=%s: %s", arena, stream->begin.name,
                          problem);
    stream->is_reported = true;
    if (stream->is_writing)
        complete(stream);
    stream->is_writing = false;
    atomic_fetch_add(&stream->failed, 1);
}

// Appends what the writer has completed. Returns false if it cannot be written.
static bool append_completed(struct recorder_stream *stream, size_t *size)
{
    const uint8_t *bytes = raim_recording_writer_take(stream->writer, size);
    if (bytes == NULL)
        *size = 0;
    if (bytes == NULL || recording_file_append(&stream->file, bytes, *size)) {
        atomic_fetch_add(&stream->bytes, *size);
        return true;
    }
    fail(stream, strerror(errno));
    return false;
}

// Makes room for the bytes of a record and copies them. Returns NULL when memory runs out.
static const uint8_t *copy_record(struct recorder_stream *stream, size_t offset, size_t size)
{
    if (size > stream->chunk_capacity || stream->chunk == NULL) {
        uint8_t *larger = realloc(stream->chunk, size + size / 2 + 1);
        if (larger == NULL)
            return NULL;
        stream->chunk = larger;
        stream->chunk_capacity = size + size / 2 + 1;
    }
    record_ring_copy(&stream->ring, offset, stream->chunk, size);
    return stream->chunk;
}

// Begins the file of a recording, with its head.
static void begin(struct recorder_stream *stream, const struct record_head *head)
{
    struct recorder_begin *begin = &stream->begin;
    record_ring_copy(&stream->ring, 0, begin, sizeof *begin);
    const size_t scene_size = head->size - sizeof *begin;
    const uint8_t *scene = copy_record(stream, sizeof *begin, scene_size);
    if (stream->writer == NULL)
        stream->writer = raim_recording_writer_create();
    stream->frame_count = stream->clip_count = 0;
    if (scene == NULL || stream->writer == NULL ||
        !raim_recording_writer_begin(stream->writer, scene, scene_size, begin->first_tick,
                                     begin->start_ms)) {
        fail(stream, strerror(ENOMEM));
        return;
    }
    const int directory = recordings_directory(stream->recorder->recordings);
    if (directory < 0 || !recording_file_begin(&stream->file, directory, begin->name)) {
        fail(stream, strerror(errno));
        return;
    }
    stream->is_writing = true;
    append_completed(stream, &stream->head_size);
}

// Notes a frame that has been appended. Without memory it is missing in clips.
static void note_frame(struct recorder_stream *stream, size_t size)
{
    if (stream->frame_count == stream->frame_capacity) {
        const uint32_t capacity = stream->frame_capacity == 0 ? 64 : 2 * stream->frame_capacity;
        struct recorder_frame *longer = realloc(stream->frames, capacity * sizeof *longer);
        if (longer == NULL)
            return;
        stream->frames = longer;
        stream->frame_capacity = capacity;
    }
    stream->frames[stream->frame_count++] =
        (struct recorder_frame){.offset = stream->file.size - size, .tick = stream->frame_tick};
}

static void add_chunk(struct recorder_stream *stream, const struct record_head *head)
{
    size_t size;
    const uint8_t *chunk = copy_record(stream, 0, head->size);
    if (chunk == NULL || !raim_recording_writer_append(stream->writer, chunk, head->size)) {
        fail(stream, strerror(ENOMEM));
        return;
    }
    if (!append_completed(stream, &size))
        return;
    if (size > 0)
        note_frame(stream, size);
    stream->tick = head->tick;
    if (head->kind == RECORDER_KEYFRAME)
        stream->frame_tick = head->tick;
}

void recorder_stream_end(struct recorder_stream *stream)
{
    size_t size;
    if (!stream->is_writing)
        return;
    const char *arena = stream->begin.arena;
    struct recording_file *file = &stream->file;
    if (!raim_recording_writer_end(stream->writer)) {
        fail(stream, strerror(ENOMEM));
        return;
    }
    if (!append_completed(stream, &size))
        return;
    if (!recording_file_finish(file)) {
        fail(stream, strerror(errno));
        return;
    }
    log_arena_info(arena, "recording finished arena=%s file=%s bytes=%llu seconds=%u", arena,
                   file->name, (unsigned long long)file->size,
                   (stream->tick - stream->begin.first_tick + stream->begin.tick_hz / 2) /
                       stream->begin.tick_hz);
    add_to_recordings(stream);
    recording_file_close(file);
    atomic_fetch_add(&stream->finished, 1);
    stream->is_writing = stream->is_reported = false;
    atomic_store(&stream->recorder->is_trim_due, true);
    if (stream->recorder->has_leftovers) {
        stream->recorder->has_leftovers = false; // the disk has room again
        recordings_complete(stream->recorder->recordings);
    }
}

static void handle(struct recorder_stream *stream, const struct record_head *head)
{
    switch ((enum recorder_record)head->kind) {
    case RECORDER_BEGIN:
        begin(stream, head);
        break;
    case RECORDER_KEYFRAME:
    case RECORDER_CHUNK:
        if (stream->is_writing)
            add_chunk(stream, head);
        break;
    case RECORDER_DROPPED:
        log_arena_warning(stream->begin.arena,
                          "recording dropped arena=%s file=%s: it could not be written fast enough",
                          stream->begin.arena, stream->begin.name);
        recorder_stream_end(stream);
        break;
    case RECORDER_END:
        recorder_stream_end(stream);
        break;
    }
}

void recorder_stream_drain(struct recorder_stream *stream)
{
    struct record_head head;
    while (record_ring_peek(&stream->ring, &head)) {
        handle(stream, &head);
        record_ring_release(&stream->ring, &head);
    }
}

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
        ; // it has logged why
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
