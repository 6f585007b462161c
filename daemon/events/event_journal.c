// SPDX-License-Identifier: MIT
// Keeps the events in a ring, and has the store append them to the journal, which is rewritten with
// the kept ones when it has grown to twice their number. A line of the journal is "ID KIND JSON";
// one that is not, as of a newer version, stays where it is until it is as old as what is
// forgotten.
#define _GNU_SOURCE
#include "event_journal.h"

#include "json_writer.h"
#include "log.h"
#include "state_file.h"
#include "store.h"
#include "text_buffer.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    KIND_BYTES = 32,
    NUMBERS_PER_S = 1 << 20,
    RETRY_EVENTS = 256, // after a failure, the journal is tried again once in so many events
};

// The largest number that a journal or the clock may begin with: numbers stay below 2^53 even if
// one of them is wrong.
static const uint64_t MAX_FIRST_ID = (UINT64_C(1) << 53) - (UINT64_C(1) << 40);

static const off_t MAX_JOURNAL_BYTES = 3 * (off_t)EVENT_JOURNAL_MAX_BYTES; // that are read

struct event_journal {
    struct store *store; // NULL: no journal
    const char *name;
    uint64_t change; // the last one of the journal; 0: it was rejected, or there was none
    uint32_t lines;
    size_t bytes_written; // to the journal since it was last rewritten
    uint32_t failed;      // events since the journal could be written
    uint64_t newest, skipped, forgotten;
    struct watchers readers;
    struct watcher store_watcher; // what is written can be read

    uint32_t first, count; // of the ring
    size_t bytes;
    struct journal_event ring[EVENT_JOURNAL_MAX];
};

// Whether it is a line that was not understood: such one has no kind, the number of the event
// before it, and is only kept.
static bool is_unread(const struct journal_event *event)
{
    return event->kind == NULL;
}

static size_t size_of(const struct journal_event *event)
{
    return (is_unread(event) ? 0 : strlen(event->kind)) + strlen(event->text) + sizeof *event;
}

static struct journal_event *at(struct event_journal *events, uint32_t index)
{
    return &events->ring[(events->first + index) % EVENT_JOURNAL_MAX];
}

static void forget_oldest(struct event_journal *events)
{
    struct journal_event *oldest = at(events, 0);
    events->bytes -= size_of(oldest);
    free(oldest->kind);
    free(oldest->text);
    events->first = (events->first + 1) % EVENT_JOURNAL_MAX;
    events->count--;
    events->forgotten++;
}

// Takes both texts; `kind` is NULL for a line that was not understood.
static void keep(struct event_journal *events, uint64_t id, char *kind, char *text)
{
    const struct journal_event event = {.id = id, .kind = kind, .text = text};
    const size_t size = size_of(&event);
    while (events->count > 0 &&
           (events->count == EVENT_JOURNAL_MAX || events->bytes + size > EVENT_JOURNAL_MAX_BYTES))
        forget_oldest(events);
    *at(events, events->count) = event;
    events->count++;
    events->bytes += size;
    events->newest = id;
}

// --- The journal ---

// Keeps the event of a line. Returns false if it is none.
static bool read_line(struct event_journal *events, const char *line)
{
    char kind[KIND_BYTES];
    uint64_t id;
    int length = 0;
    if (sscanf(line, "%16" SCNu64 " %31[a-z_] %n", &id, kind, &length) != 2 || length == 0 ||
        id <= events->newest || id > MAX_FIRST_ID || !json_text_is_object(line + length))
        return false;
    char *copy = strdup(kind), *text = strdup(line + length);
    if (copy == NULL || text == NULL) {
        free(copy);
        free(text);
        return false;
    }
    keep(events, id, copy, text);
    return true;
}

static void read_lines(struct event_journal *events, FILE *in)
{
    char *line = NULL;
    size_t capacity = 0;
    ssize_t length;
    uint32_t number = 0, unread = 0, first = 0;
    // A line without its end was being written when the process died.
    while ((length = getline(&line, &capacity, in)) > 0 && line[length - 1] == '\n') {
        number++;
        line[length - 1] = '\0';
        if (read_line(events, line))
            continue;
        first = unread++ == 0 ? number : first;
        char *copy = strlen(line) == (size_t)length - 1 ? strdup(line) : NULL;
        if (copy != NULL)
            keep(events, events->newest, NULL, copy);
    }
    free(line);
    store_note_unread(events->store, events->name, first, unread);
}

static void read_journal(struct event_journal *events)
{
    const char *problem = "its path is too long";
    char path[PATH_MAX];
    struct stat status;
    errno = ENAMETOOLONG;
    const int file = store_path(events->store, events->name, path)
                         ? state_file_open(path, O_RDONLY, STATE_FILE_SECRET, &problem)
                         : -1;
    if (file < 0 && errno != ENOENT)
        log_warning("events not read: \"%s\": %s", events->name, problem);
    if (file < 0)
        return;
    FILE *in = fdopen(file, "r");
    if (in == NULL || fstat(file, &status) != 0 || status.st_size > MAX_JOURNAL_BYTES) {
        log_warning("events not read: \"%s\" is too long", events->name);
    } else {
        read_lines(events, in);
    }
    if (in != NULL)
        fclose(in);
    else
        close(file);
}

static void print_line(struct text_buffer *out, const struct journal_event *event)
{
    if (is_unread(event))
        text_buffer_print(out, "%s\n", event->text);
    else
        text_buffer_print(out, "%" PRIu64 " %s %s\n", event->id, event->kind, event->text);
}

// Replaces the journal by one of the kept events. It is not synced to the disk: it has to survive
// the process, not the machine.
static void rewrite(struct event_journal *events)
{
    struct text_buffer text = {0};
    for (uint32_t i = 0; i < events->count; i++)
        print_line(&text, at(events, i));
    events->lines = events->count;
    events->bytes_written = text.size;
    const size_t size = text.size;
    events->change = store_replace(events->store, events->name, text_buffer_take(&text), size,
                                   STATE_FILE_PROCESS);
}

static void append(struct event_journal *events)
{
    struct text_buffer text = {0};
    print_line(&text, at(events, events->count - 1));
    events->lines++;
    events->bytes_written += text.size;
    const size_t size = text.size;
    events->change = store_append(events->store, events->name, text_buffer_take(&text), size);
}

// Whether the journal, as far as is known, has all that was posted.
static bool is_whole(const struct event_journal *events)
{
    return events->change != 0 &&
           store_outcome(events->store, events->name, events->change) != STORE_FAILED;
}

// Whether readers may see an event: the next process has it, too, or that is not waited for any
// more.
static bool is_shown(const struct event_journal *events, const struct journal_event *event)
{
    return event->change == 0 || event->change <= store_written(events->store) ||
           store_is_late(events->store);
}

// --- Public ---

void event_journal_watch(struct event_journal *events, struct watcher *watcher)
{
    watchers_add(&events->readers, watcher);
}

void event_journal_unwatch(struct event_journal *events, struct watcher *watcher)
{
    watchers_remove(&events->readers, watcher);
}

static void tell_readers(void *context)
{
    const struct event_journal *events = context;
    watchers_call(&events->readers);
}

struct event_journal *event_journal_open(struct store *store, const char *name, int64_t now_s)
{
    struct event_journal *events = calloc(1, sizeof *events);
    if (events == NULL)
        return NULL;
    if (store_has_directory(store)) {
        events->store = store;
        events->name = name;
        events->store_watcher = (struct watcher){.run = tell_readers, .context = events};
        store_watch(store, &events->store_watcher);
        read_journal(events);
    }
    // Beyond whatever the last process could not write.
    const uint64_t begin = (uint64_t)(now_s > 0 ? now_s : 0) * NUMBERS_PER_S;
    if (events->newest < begin && begin <= MAX_FIRST_ID)
        events->newest = begin;
    if (events->count > 0)
        rewrite(events); // without a line that was cut off
    return events;
}

void event_journal_close(struct event_journal *events)
{
    if (events == NULL)
        return;
    if (events->store != NULL)
        store_unwatch(events->store, &events->store_watcher);
    while (events->count > 0)
        forget_oldest(events);
    free(events);
}

void event_journal_add(struct event_journal *events, const char *kind, char *text)
{
    char *copy = text != NULL ? strdup(kind) : NULL;
    if (copy == NULL) {
        log_warning("event lost kind=%s: out of memory", kind);
        free(text);
        return;
    }
    keep(events, events->newest + 1, copy, text);
    if (events->store == NULL) {
        tell_readers(events);
        return;
    }
    // A rewrite costs milliseconds.
    const bool is_long = events->lines >= 2 * EVENT_JOURNAL_MAX ||
                         events->bytes_written >= 2 * EVENT_JOURNAL_MAX_BYTES;
    const bool can_append = is_whole(events);
    if (can_append ? is_long : events->failed % RETRY_EVENTS == 0)
        rewrite(events);
    else if (can_append)
        append(events);
    else
        events->change = 0;
    at(events, events->count - 1)->change = events->change;
    events->skipped += events->change == 0;
    events->failed = can_append ? 0 : events->failed + 1;
    if (is_shown(events, at(events, events->count - 1)))
        tell_readers(events);
}

// The index of the first event with a larger number.
static uint32_t find_after(const struct event_journal *events, uint64_t id)
{
    uint32_t low = 0, high = events->count; // the first event after `id` lies between them
    while (low < high) {
        const uint32_t middle = (low + high) / 2;
        if (events->ring[(events->first + middle) % EVENT_JOURNAL_MAX].id > id)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

const struct journal_event *event_journal_next(const struct event_journal *events, uint64_t id)
{
    const struct journal_event *event;
    for (uint32_t index = find_after(events, id); index < events->count; index++)
        if (event = &events->ring[(events->first + index) % EVENT_JOURNAL_MAX], !is_unread(event))
            return is_shown(events, event) ? event : NULL;
    return NULL;
}

uint32_t event_journal_count_after(const struct event_journal *events, uint64_t id)
{
    return events->count - find_after(events, id);
}

uint64_t event_journal_newest(const struct event_journal *events)
{
    return events->newest;
}

uint64_t event_journal_forgotten(const struct event_journal *events)
{
    const struct journal_event *oldest = &events->ring[events->first];
    return events->count == 0 ? events->newest : oldest->id - !is_unread(oldest);
}

uint64_t event_journal_forgotten_count(const struct event_journal *events)
{
    return events->forgotten;
}

uint64_t event_journal_unwritten(const struct event_journal *events)
{
    return events->skipped +
           (events->store != NULL ? store_failures(events->store, events->name) : 0);
}
