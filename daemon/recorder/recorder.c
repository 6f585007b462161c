// SPDX-License-Identifier: MIT
// The recorder's thread, and the sides of the threads that use it.
#define _GNU_SOURCE
#include "recorder_internal.h"

#include "monotonic.h"

#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    POLL_MS = 250,        // while a file is being written; a worker does not signal each tick
    IDLE_POLL_MS = 60000, // otherwise: recordings become too old
    TRIM_MS = 10000,
    BYTES_PER_SLOT = 6 * 1024, // some 20 seconds of a busy player
};

#define COUNTS(member) METRIC_OF(struct recorder_counts, member)

static const struct metric count_rows[] = {
    {"now", NULL, "Whether the arena is being recorded.", METRIC_FLAG, COUNTS(is_running)},
    {"begun", "raimd_recordings_begun_total", "Recordings begun.", METRIC_COUNTER, COUNTS(begun)},
    {"finished", "raimd_recordings_finished_total", "Recordings finished.", METRIC_COUNTER,
     COUNTS(finished)},
    {"dropped", "raimd_recordings_dropped_total",
     "Recordings that ended early because the recorder was too slow.", METRIC_COUNTER,
     COUNTS(dropped)},
    {"failed", "raimd_recordings_failed_total",
     "Recordings that ended early or never began because they could not be written.",
     METRIC_COUNTER, COUNTS(failed)},
    {"bytes", "raimd_recorded_bytes_total", "Bytes written to recordings.", METRIC_COUNTER,
     COUNTS(bytes)},
};

const struct metric_table recorder_metrics = {
    .group = "recording",
    .meaning = "Recordings of the arena, counted since the start.",
    METRIC_ROWS(count_rows)};

static void *run(void *argument);

// --- The main thread's side ---

struct recorder *recorder_open(const char *path, const struct recordings_limits *limits,
                               const struct wakeup *wakeup, char *error, size_t capacity)
{
    struct recordings *recordings = recordings_open(path, limits, wakeup, error, capacity);
    if (recordings == NULL)
        return NULL;
    struct recorder *recorder = calloc(1, sizeof *recorder);
    if (recorder == NULL || !wakeup_open(&recorder->wakeup)) {
        snprintf(error, capacity, "%s", strerror(errno));
        recordings_close(recordings);
        free(recorder);
        return NULL;
    }
    recorder->recordings = recordings;
    recorder->main_wakeup = wakeup;
    pthread_mutex_init(&recorder->mutex, NULL);
    return recorder;
}

bool recorder_start(struct recorder *recorder, char *error, size_t capacity)
{
    const int problem = pthread_create(&recorder->thread, NULL, run, recorder);
    recorder->is_started = problem == 0;
    if (problem != 0)
        snprintf(error, capacity, "cannot start the recorder: %s", strerror(problem));
    return problem == 0;
}

// Frees the streams of a recorder whose thread never ran.
static void free_streams(struct recorder *recorder)
{
    while (recorder->streams != NULL) {
        struct recorder_stream *stream = recorder->streams;
        recorder->streams = stream->next;
        recorder_stream_free(stream);
    }
}

void recorder_close(struct recorder *recorder)
{
    if (recorder == NULL)
        return;
    atomic_store(&recorder->is_stopping, true);
    wakeup_signal(&recorder->wakeup);
    if (recorder->is_started)
        pthread_join(recorder->thread, NULL);
    free_streams(recorder);
    recordings_close(recorder->recordings);
    wakeup_close(&recorder->wakeup);
    pthread_mutex_destroy(&recorder->mutex);
    free(recorder);
}

void recorder_set_limits(struct recorder *recorder, const struct recordings_limits *limits)
{
    recordings_set_limits(recorder->recordings, limits);
    atomic_store(&recorder->is_trim_due, true);
    wakeup_signal(&recorder->wakeup);
}

struct recordings *recorder_recordings(const struct recorder *recorder)
{
    return recorder->recordings;
}

bool recorder_move(struct recorder *recorder, const char *path, char *error, size_t capacity)
{
    if (!recordings_move(recorder->recordings, path, error, capacity))
        return false;
    wakeup_signal(&recorder->wakeup); // the new directory is to be scanned
    return true;
}

struct recorder_stream *recorder_open_stream(struct recorder *recorder, size_t world_bytes,
                                             uint32_t slots)
{
    struct recorder_stream *stream = calloc(1, sizeof *stream);
    if (stream == NULL ||
        !record_ring_create(&stream->ring, 2 * world_bytes + (size_t)slots * BYTES_PER_SLOT)) {
        free(stream);
        return NULL;
    }
    stream->recorder = recorder;
    stream->file = (struct recording_file){.directory = -1, .file = -1};
    pthread_mutex_lock(&recorder->mutex);
    stream->next = recorder->streams;
    recorder->streams = stream;
    pthread_mutex_unlock(&recorder->mutex);
    return stream;
}

void recorder_close_stream(struct recorder_stream *stream)
{
    if (stream == NULL)
        return;
    struct recorder *recorder = stream->recorder;
    pthread_mutex_lock(&recorder->mutex);
    for (uint32_t i = 0; i < recorder->command_count; i++)
        if (recorder->commands[i].stream == stream)
            recorder->commands[i].stream = NULL;
    pthread_mutex_unlock(&recorder->mutex);
    atomic_store(&stream->is_closing, true); // the recorder's thread may free it from now on
    wakeup_signal(&recorder->wakeup);
}

struct recorder_counts recorder_stream_counts(const struct recorder_stream *stream)
{
    return (struct recorder_counts){
        .begun = atomic_load_explicit(&stream->begun, memory_order_relaxed),
        .finished = atomic_load_explicit(&stream->finished, memory_order_relaxed),
        .dropped = atomic_load_explicit(&stream->dropped, memory_order_relaxed),
        .failed = atomic_load_explicit(&stream->failed, memory_order_relaxed),
        .bytes = atomic_load_explicit(&stream->bytes, memory_order_relaxed),
    };
}

static bool post(struct recorder *recorder, const struct recorder_command *command)
{
    pthread_mutex_lock(&recorder->mutex);
    const bool has_room = recorder->command_count + recorder->answer_count < RECORDER_COMMANDS;
    if (has_room)
        recorder->commands[recorder->command_count++] = *command;
    pthread_mutex_unlock(&recorder->mutex);
    wakeup_signal(&recorder->wakeup);
    return has_room;
}

bool recorder_command_clip(struct recorder *recorder, struct recorder_stream *stream,
                           uint32_t seconds, uint32_t number)
{
    return post(recorder,
                &(struct recorder_command){
                    .is_clip = true, .stream = stream, .seconds = seconds, .number = number});
}

bool recorder_command_change(struct recorder *recorder, enum recorder_change change,
                             const char *name, uint32_t number)
{
    struct recorder_command command = {.change = change, .number = number};
    snprintf(command.name, sizeof command.name, "%s", name);
    return post(recorder, &command);
}

bool recorder_take_answer(struct recorder *recorder, struct recorder_answer *answer)
{
    pthread_mutex_lock(&recorder->mutex);
    const bool has_one = recorder->answer_count > 0;
    if (has_one) {
        *answer = recorder->answers[0];
        recorder->answer_count--;
        memmove(&recorder->answers[0], &recorder->answers[1],
                recorder->answer_count * sizeof recorder->answers[0]);
    }
    pthread_mutex_unlock(&recorder->mutex);
    return has_one;
}

// --- The worker's side ---

// Ends the recording because the ring is full; an end always fits.
static bool drop(struct recorder_stream *stream)
{
    const struct record_head head = {.kind = RECORDER_DROPPED};
    const bool fits = record_ring_begin(&stream->ring, &head, 0);
    if (fits)
        record_ring_submit(&stream->ring);
    atomic_fetch_add_explicit(&stream->dropped, 1, memory_order_relaxed);
    wakeup_signal(&stream->recorder->wakeup);
    return false;
}

bool recorder_begin(struct recorder_stream *stream, const struct recorder_begin *begin,
                    const uint8_t *scene, size_t scene_size)
{
    const struct record_head head = {.size = (uint32_t)(sizeof *begin + scene_size),
                                     .kind = RECORDER_BEGIN,
                                     .tick = begin->first_tick};
    atomic_fetch_add_explicit(&stream->begun, 1, memory_order_relaxed);
    atomic_store_explicit(&stream->has_failed, false, memory_order_relaxed);
    if (!record_ring_begin(&stream->ring, &head, sizeof head)) {
        atomic_fetch_add_explicit(&stream->dropped, 1, memory_order_relaxed);
        return false;
    }
    record_ring_add(&stream->ring, begin, sizeof *begin);
    record_ring_add(&stream->ring, scene, scene_size);
    record_ring_submit(&stream->ring);
    wakeup_signal(&stream->recorder->wakeup);
    return true;
}

bool recorder_put(struct recorder_stream *stream, uint32_t tick, bool has_keyframe,
                  const uint8_t *chunk, size_t size)
{
    const struct record_head head = {.size = (uint32_t)size,
                                     .kind = has_keyframe ? RECORDER_KEYFRAME : RECORDER_CHUNK,
                                     .tick = tick};
    if (!record_ring_begin(&stream->ring, &head, sizeof head))
        return drop(stream);
    record_ring_add(&stream->ring, chunk, size);
    record_ring_submit(&stream->ring);
    if (record_ring_is_half_full(&stream->ring))
        wakeup_signal(&stream->recorder->wakeup);
    return true;
}

void recorder_end(struct recorder_stream *stream)
{
    const struct record_head head = {.kind = RECORDER_END};
    const bool fits = record_ring_begin(&stream->ring, &head, 0);
    assert(fits); // begin and put have left room for it
    if (fits)
        record_ring_submit(&stream->ring);
    wakeup_signal(&stream->recorder->wakeup);
}

bool recorder_has_failed(const struct recorder_stream *stream)
{
    return atomic_load_explicit(&stream->has_failed, memory_order_relaxed);
}

// --- The thread ---

static void trim(struct recorder *recorder, uint64_t unfinished_bytes)
{
    const uint64_t now_ms = monotonic_ms();
    const bool is_due = atomic_exchange(&recorder->is_trim_due, false);
    if (!is_due && now_ms - recorder->trimmed_ms < TRIM_MS)
        return;
    recorder->trimmed_ms = now_ms;
    recordings_trim(recorder->recordings, unfinished_bytes, time(NULL));
}

// Removes a stream from the list.
static void unlink_stream(struct recorder *recorder, const struct recorder_stream *stream)
{
    pthread_mutex_lock(&recorder->mutex);
    struct recorder_stream **link = &recorder->streams;
    while (*link != stream)
        link = &(*link)->next;
    *link = stream->next;
    pthread_mutex_unlock(&recorder->mutex);
}

// The stream after another one, or the first.
static struct recorder_stream *next_stream(struct recorder *recorder,
                                           const struct recorder_stream *stream)
{
    pthread_mutex_lock(&recorder->mutex);
    struct recorder_stream *next = stream != NULL ? stream->next : recorder->streams;
    pthread_mutex_unlock(&recorder->mutex);
    return next;
}

// Writes what the workers have recorded. Returns the bytes of files in progress.
static uint64_t serve_streams(struct recorder *recorder, bool *is_writing)
{
    uint64_t bytes = 0;
    struct recorder_stream *next;
    *is_writing = false;
    for (struct recorder_stream *stream = next_stream(recorder, NULL); stream != NULL;
         stream = next) {
        const bool is_closing = atomic_load(&stream->is_closing); // before its last records
        recorder_stream_drain(stream);
        next = next_stream(recorder, stream);
        if (is_closing) {
            recorder_stream_end(stream);
            unlink_stream(recorder, stream);
            recorder_stream_free(stream);
            continue;
        }
        *is_writing = *is_writing || stream->is_writing;
        bytes += stream->is_writing ? stream->file.size : 0;
    }
    return bytes;
}

static void change_recording(struct recorder *recorder, const struct recorder_command *command,
                             struct recorder_answer *answer)
{
    struct recordings *recordings = recorder->recordings;
    const bool is_done =
        command->change == RECORDER_DELETE
            ? recordings_delete(recordings, command->name)
            : recordings_keep(recordings, command->name, command->change == RECORDER_KEEP);
    if (!is_done)
        snprintf(answer->problem, sizeof answer->problem, "%s",
                 errno == ENOENT ? "no such recording" : strerror(errno));
}

static void serve_commands(struct recorder *recorder)
{
    for (bool is_done = false; !is_done;) {
        struct recorder_command command = {0};
        pthread_mutex_lock(&recorder->mutex);
        is_done = recorder->command_count == 0;
        if (!is_done)
            command = recorder->commands[0];
        pthread_mutex_unlock(&recorder->mutex);
        if (is_done)
            break;
        struct recorder_answer answer = {.number = command.number};
        if (!command.is_clip)
            change_recording(recorder, &command, &answer);
        else if (command.stream != NULL)
            recorder_stream_clip(command.stream, command.seconds, &answer);
        else
            snprintf(answer.problem, sizeof answer.problem, "the arena has ended");
        pthread_mutex_lock(&recorder->mutex);
        recorder->command_count--;
        memmove(&recorder->commands[0], &recorder->commands[1],
                recorder->command_count * sizeof recorder->commands[0]);
        recorder->answers[recorder->answer_count++] = answer;
        pthread_mutex_unlock(&recorder->mutex);
        wakeup_signal(recorder->main_wakeup);
    }
}

static void *run(void *argument)
{
    struct recorder *recorder = argument;
    const struct sched_param none = {0};
    pthread_setname_np(pthread_self(), "raimd-recorder");
    // A wakeup of it does not preempt a tick on the same CPU.
    if (sched_getscheduler(0) == SCHED_OTHER)
        sched_setscheduler(0, SCHED_BATCH, &none);
    for (bool is_stopping = false; !is_stopping;) {
        bool is_writing;
        wakeup_clear(&recorder->wakeup);
        is_stopping = atomic_load(&recorder->is_stopping); // before the last records
        if (recordings_scan(recorder->recordings))
            atomic_store(&recorder->is_trim_due, true);
        const uint64_t bytes = serve_streams(recorder, &is_writing);
        serve_commands(recorder);
        trim(recorder, bytes);
        struct pollfd wait = {.fd = recorder->wakeup.descriptor, .events = POLLIN};
        if (!is_stopping)
            poll(&wait, 1, is_writing ? POLL_MS : IDLE_POLL_MS);
    }
    return NULL;
}
