// SPDX-License-Identifier: MIT
// A queue of changes under a mutex that is held for moments, and the thread that writes them.
#define _GNU_SOURCE
#include "store.h"

#include "log.h"
#include "loop.h"
#include "monotonic.h"
#include "wakeup.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

enum change_kind { CHANGE_REPLACE, CHANGE_APPEND, CHANGE_REMOVE, CHANGE_SYNC };

struct change {
    struct change *next;
    enum change_kind kind;
    enum state_file_durability durability;
    uint64_t number;    // its own, or that of the oldest change whose place it has taken
    uint64_t posted_ms; // likewise
    char *bytes;        // owned; NULL: none
    size_t size;
    store_encoder *encode; // makes the content of `bytes`; NULL: they are the content
    char name[];
};

// A file that is appended to, or whose last change has failed.
struct file {
    struct file *next;
    int descriptor; // to append, the writer's; -1: closed
    int error;      // of the last change; 0: it is written
    uint64_t failures;
    char name[];
};

// A name in the directory.
struct entry {
    struct entry *next;
    char name[];
};

struct store {
    char directory[PATH_MAX]; // "": nothing is kept
    int locked;               // the directory; -1: it is not
    int64_t restored_s;
    struct wakeup wakeup; // of the main thread, signalled after each change
    pthread_t thread;

    // Main thread only.
    struct loop_source *changes, *late_timer;
    struct watchers watchers;
    bool is_running, only_reads, was_late, was_full;
    uint64_t unread;
    struct entry *entries; // once every change is written

    pthread_mutex_t lock; // guards what follows
    pthread_cond_t has_work;
    bool is_ending;
    bool is_writing;      // the first change, without the lock
    struct change *first; // of those that wait, by number
    size_t waiting_bytes;
    uint64_t newest; // number that was given
    uint64_t lost;
    struct file *files;
};

// --- Names; main thread ---

static struct entry **find_entry(struct store *store, const char *name)
{
    struct entry **link = &store->entries;
    while (*link != NULL && strcmp((*link)->name, name) != 0)
        link = &(*link)->next;
    return link;
}

// Returns false when memory runs out.
static bool add_entry(struct store *store, const char *name)
{
    if (*find_entry(store, name) != NULL)
        return true;
    struct entry *entry = calloc(1, sizeof *entry + strlen(name) + 1);
    if (entry == NULL)
        return false;
    strcpy(entry->name, name);
    entry->next = store->entries;
    store->entries = entry;
    return true;
}

static void remove_entry(struct entry **link)
{
    struct entry *entry = *link;
    if (entry == NULL)
        return;
    *link = entry->next;
    free(entry);
}

// Returns false when memory runs out.
static bool read_entries(struct store *store)
{
    DIR *listing = store->directory[0] != '\0' ? opendir(store->directory) : NULL;
    bool good = true;
    if (listing == NULL)
        return true;
    for (struct dirent *found; good && (found = readdir(listing)) != NULL;)
        good = add_entry(store, found->d_name);
    closedir(listing);
    return good;
}

// Reads what `raimctl restore` has left. What is no time counts as now.
static void read_restored(struct store *store)
{
    char path[PATH_MAX], text[32] = "";
    const char *problem;
    if (!store_has(store, STATE_FILE_RESTORED) || !store_path(store, STATE_FILE_RESTORED, path))
        return;
    const int file = state_file_open(path, O_RDONLY, STATE_FILE_SECRET, &problem);
    if (file >= 0 && read(file, text, sizeof text - 1) > 0)
        store->restored_s = strtoll(text, NULL, 10);
    if (file >= 0)
        close(file);
    if (store->restored_s <= 0)
        store->restored_s = time(NULL);
}

struct store *store_create(const char *directory)
{
    struct store *store = calloc(1, sizeof *store);
    if (store == NULL)
        return NULL;
    if (directory != NULL &&
        snprintf(store->directory, sizeof store->directory, "%s", directory) >= PATH_MAX) {
        free(store);
        return NULL;
    }
    store->locked = store->wakeup.descriptor = -1;
    pthread_mutex_init(&store->lock, NULL);
    pthread_cond_init(&store->has_work, NULL);
    if (read_entries(store)) {
        read_restored(store);
        return store;
    }
    store_close(store);
    return NULL;
}

int64_t store_restored_s(const struct store *store)
{
    return store != NULL ? store->restored_s : 0;
}

bool store_lock(struct store *store)
{
    if (store->directory[0] == '\0')
        return true;
    // The directory itself, because a full disk has no room for a file of locks.
    store->locked = open(store->directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return store->locked < 0 || flock(store->locked, LOCK_EX | LOCK_NB) == 0 ||
           errno != EWOULDBLOCK;
}

bool store_has_directory(const struct store *store)
{
    return store != NULL && store->directory[0] != '\0';
}

// Whether changes of a file are written at all.
static bool is_kept(const struct store *store, const char *name)
{
    return !store->only_reads && (name[0] == '/' || store_has_directory(store));
}

void store_only_read(struct store *store)
{
    store->only_reads = true;
}

bool store_path(const struct store *store, const char *name, char path[PATH_MAX])
{
    if (name[0] == '/')
        return snprintf(path, PATH_MAX, "%s", name) < PATH_MAX;
    return store_has_directory(store) &&
           snprintf(path, PATH_MAX, "%s/%s", store->directory, name) < PATH_MAX;
}

bool store_has(const struct store *store, const char *name)
{
    return store_has_directory(store) && *find_entry((struct store *)store, name) != NULL;
}

bool store_is_running(const struct store *store)
{
    return store != NULL && store->is_running;
}

void store_note_unread(struct store *store, const char *name, uint32_t first, uint32_t lines)
{
    if (lines == 0)
        return;
    log_warning("lines not understood, file is kept unchanged file=\"%s/%s\" line=%" PRIu32
                " lines=%" PRIu32,
                store->directory, name, first, lines);
    store->unread += lines;
}

uint64_t store_unread(const struct store *store)
{
    return store->unread;
}

static uint64_t lost(const void *object)
{
    return store_lost((struct store *)object);
}

static const struct metric rows[] = {
    {"lost_state_changes", "raimd_lost_state_changes_total",
     "Changes of files in the state directory that could not be written since the start; the log "
     "names the files.",
     METRIC_COUNTER, .get = lost},
    {"unread_state_lines", "raimd_unread_state_lines",
     "Lines in the state directory that the start did not understand and kept, as those of a newer "
     "version: bans, events, arenas on demand.",
     METRIC_GAUGE, METRIC_OF(struct store, unread),
     .defect = "state was not understood, see the log"},
};

const struct metric_table store_metrics = {METRIC_ROWS(rows)};

// The path of a file, as three texts of a log line.
#define LOCATION(store, name)                                                                      \
    *(name) != '/' ? (store)->directory : "", *(name) != '/' ? "/" : "", name

// --- Files; with the lock ---

static struct file *find_file(const struct store *store, const char *name)
{
    struct file *file = store->files;
    while (file != NULL && strcmp(file->name, name) != 0)
        file = file->next;
    return file;
}

// Finds or adds a file. NULL when memory runs out.
static struct file *note_file(struct store *store, const char *name)
{
    struct file *file = find_file(store, name);
    if (file != NULL)
        return file;
    file = calloc(1, sizeof *file + strlen(name) + 1);
    if (file == NULL)
        return NULL;
    file->descriptor = -1;
    strcpy(file->name, name);
    file->next = store->files;
    store->files = file;
    return file;
}

static void close_file(struct file *file)
{
    if (file->descriptor >= 0)
        close(file->descriptor);
    file->descriptor = -1;
}

static void forget_file(struct store *store, struct file *file)
{
    struct file **link = &store->files;
    while (*link != file)
        link = &(*link)->next;
    *link = file->next;
    close_file(file);
    free(file);
}

// --- Writing; without the lock. Each returns 0 or an errno. ---

static int append(const char *path, struct file *file, const struct change *change)
{
    const char *problem;
    if (file == NULL)
        return ENOMEM;
    if (file->error != 0)
        return file->error;
    if (file->descriptor < 0)
        file->descriptor = state_file_open(path, O_WRONLY | O_APPEND, STATE_FILE_SECRET, &problem);
    if (file->descriptor < 0)
        return errno;
    return state_file_write(file->descriptor, change->bytes, change->size) ? 0 : errno;
}

static int replace(const char *path, const struct change *change)
{
    size_t size = change->size;
    char *text = change->encode != NULL ? change->encode(change->bytes, &size) : change->bytes;
    errno = ENOMEM;
    const bool good = text != NULL && state_file_replace(path, text, size, change->durability);
    const int error = good ? 0 : errno;
    if (text != change->bytes)
        free(text);
    return error;
}

static int perform(const struct store *store, struct file *file, const struct change *change)
{
    char path[PATH_MAX];
    if (!store_path(store, change->name, path))
        return ENAMETOOLONG;
    if (change->kind == CHANGE_APPEND)
        return append(path, file, change);
    if (change->kind == CHANGE_SYNC)
        return state_file_sync_directory(path) ? 0 : errno;
    if (file != NULL)
        close_file(file);
    if (change->kind == CHANGE_REMOVE)
        return unlink(path) == 0 || errno == ENOENT ? 0 : errno;
    return replace(path, change);
}

static void free_change(struct change *change)
{
    free(change->bytes);
    free(change);
}

static size_t bytes_of(const struct change *change)
{
    return sizeof *change + strlen(change->name) + 1 + change->size;
}

static void take_out(struct store *store, struct change **link)
{
    struct change *change = *link;
    *link = change->next;
    store->waiting_bytes -= bytes_of(change);
    free_change(change);
}

static void note_outcome(struct store *store, const struct change *change, int error)
{
    struct file *file =
        error != 0 ? note_file(store, change->name) : find_file(store, change->name);
    store->lost += error != 0;
    if (error != 0 && (file == NULL || file->error == 0)) // once
        log_warning("not stored file=\"%s%s%s\": %s", LOCATION(store, change->name),
                    strerror(error));
    if (file == NULL)
        return;
    file->failures += error != 0;
    file->error = error;
    if (error == 0 && change->kind == CHANGE_REMOVE)
        forget_file(store, file);
}

// Writes the first change, with the lock, which it gives up meanwhile.
static void write_first(struct store *store)
{
    struct change *change = store->first;
    struct file *file = change->kind == CHANGE_APPEND ? note_file(store, change->name)
                                                      : find_file(store, change->name);
    store->is_writing = true;
    pthread_mutex_unlock(&store->lock);
    const int error = perform(store, file, change);
    pthread_mutex_lock(&store->lock);
    store->is_writing = false;
    note_outcome(store, change, error);
    take_out(store, &store->first);
}

static void *run(void *context)
{
    struct store *store = context;
    const struct sched_param none = {0};
    pthread_setname_np(pthread_self(), "raimd-store");
    if (sched_getscheduler(0) == SCHED_OTHER)
        sched_setscheduler(0, SCHED_BATCH, &none); // players' ticks come first
    pthread_mutex_lock(&store->lock);
    while (!store->is_ending || store->first != NULL) {
        if (store->first == NULL) {
            pthread_cond_wait(&store->has_work, &store->lock);
            continue;
        }
        write_first(store);
        wakeup_signal(&store->wakeup);
    }
    pthread_mutex_unlock(&store->lock);
    return NULL;
}

// The time from which the oldest change waits; UINT64_MAX: none does.
static uint64_t waits_since_ms(struct store *store)
{
    pthread_mutex_lock(&store->lock);
    const uint64_t since_ms = store->first != NULL ? store->first->posted_ms : UINT64_MAX;
    pthread_mutex_unlock(&store->lock);
    return since_ms;
}

bool store_is_late(struct store *store)
{
    const uint64_t since_ms = waits_since_ms(store);
    return since_ms != UINT64_MAX && monotonic_ms() >= since_ms + STORE_LATE_MS;
}

static void set_late_timer(struct store *store)
{
    const uint64_t since_ms = waits_since_ms(store);
    if (store->late_timer != NULL)
        loop_set_timer(store->late_timer, since_ms == UINT64_MAX || store->was_late
                                              ? LOOP_NEVER
                                              : since_ms + STORE_LATE_MS);
}

// Logs when the directory begins and ends to be late, and calls the watchers.
static void take_note(void *context)
{
    struct store *store = context;
    wakeup_clear(&store->wakeup);
    const bool is_late = store_is_late(store);
    if (is_late && !store->was_late)
        log_warning("state directory does not respond, changes are pending directory=\"%s\"",
                    store->directory);
    if (!is_late && store->was_late)
        log_info("state directory works again directory=\"%s\"", store->directory);
    store->was_late = is_late;
    set_late_timer(store);
    watchers_call(&store->watchers);
}

bool store_start(struct store *store, struct loop *loop)
{
    if (!wakeup_open(&store->wakeup))
        return false;
    store->changes = loop_add_descriptor(loop, store->wakeup.descriptor, take_note, store);
    store->late_timer = loop_add_timer(loop, 0, take_note, store);
    errno = store->changes == NULL || store->late_timer == NULL
                ? ENOMEM
                : pthread_create(&store->thread, NULL, run, store);
    store->is_running = errno == 0;
    return store->is_running;
}

void store_watch(struct store *store, struct watcher *watcher)
{
    watchers_add(&store->watchers, watcher);
}

void store_unwatch(struct store *store, struct watcher *watcher)
{
    watchers_remove(&store->watchers, watcher);
}

void store_flush(struct store *store)
{
    assert(!store->is_running);
    pthread_mutex_lock(&store->lock);
    while (store->first != NULL)
        write_first(store);
    pthread_mutex_unlock(&store->lock);
    watchers_call(&store->watchers);
}

void store_stop(struct store *store)
{
    if (store == NULL || !store->is_running)
        return;
    pthread_mutex_lock(&store->lock);
    store->is_ending = true;
    pthread_cond_signal(&store->has_work);
    pthread_mutex_unlock(&store->lock);
    pthread_join(store->thread, NULL);
    store->is_running = false;
}

void store_close(struct store *store)
{
    if (store == NULL)
        return;
    store_stop(store);
    store_flush(store);
    while (store->entries != NULL)
        remove_entry(&store->entries);
    loop_remove(store->changes);
    loop_remove(store->late_timer);
    wakeup_close(&store->wakeup);
    if (store->locked >= 0)
        close(store->locked);
    while (store->files != NULL)
        forget_file(store, store->files);
    pthread_cond_destroy(&store->has_work);
    pthread_mutex_destroy(&store->lock);
    free(store);
}

// --- Posting ---

// Whether a change takes the place of those of its file that wait.
static bool supersedes(const struct change *change)
{
    return change->kind == CHANGE_REPLACE || change->kind == CHANGE_REMOVE;
}

// Puts a change at the end, or, where it supersedes others, in the place of the oldest one of its
// file that waits, of which it takes the number and time; the others of the file go.
static void enqueue(struct store *store, struct change *change)
{
    struct change **link = &store->first, **place = NULL;
    if (store->is_writing)
        link = &store->first->next;
    while (*link != NULL) {
        if (!supersedes(change) || strcmp((*link)->name, change->name) != 0) {
            link = &(*link)->next;
            continue;
        }
        if (place == NULL) {
            place = link;
            change->number = (*link)->number;
            change->posted_ms = (*link)->posted_ms;
        }
        take_out(store, link);
    }
    if (place == NULL)
        place = link;
    change->next = *place;
    *place = change;
    store->waiting_bytes += bytes_of(change);
}

// Bytes that a change of this kind would free.
static size_t superseded_bytes(const struct store *store, const struct change *change)
{
    size_t bytes = 0;
    if (!supersedes(change) || store->first == NULL)
        return 0;
    for (const struct change *other = store->is_writing ? store->first->next : store->first;
         other != NULL; other = other->next)
        bytes += strcmp(other->name, change->name) == 0 ? bytes_of(other) : 0;
    return bytes;
}

// Takes `bytes`.
static uint64_t post(struct store *store, enum change_kind kind, const char *name, char *bytes,
                     size_t size, enum state_file_durability durability, store_encoder *encode)
{
    struct change *change = NULL;
    uint64_t number = 0;
    const bool has_bytes = kind == CHANGE_REPLACE || kind == CHANGE_APPEND;
    if (is_kept(store, name) && (bytes != NULL || !has_bytes) &&
        (kind != CHANGE_REPLACE || add_entry(store, name)))
        change = calloc(1, sizeof *change + strlen(name) + 1);
    if (change == NULL) {
        free(bytes);
        if (is_kept(store, name)) {
            pthread_mutex_lock(&store->lock);
            store->lost++;
            pthread_mutex_unlock(&store->lock);
        }
        return 0;
    }
    *change = (struct change){.kind = kind,
                              .durability = durability,
                              .posted_ms = monotonic_ms(),
                              .bytes = bytes,
                              .size = size,
                              .encode = encode};
    strcpy(change->name, name);
    pthread_mutex_lock(&store->lock);
    const bool is_full = store->waiting_bytes + bytes_of(change) >
                         STORE_WAITING_BYTES + superseded_bytes(store, change);
    if (is_full) {
        store->lost++;
    } else {
        change->number = number = ++store->newest;
        enqueue(store, change);
        pthread_cond_signal(&store->has_work);
    }
    pthread_mutex_unlock(&store->lock);
    set_late_timer(store);
    if (is_full)
        free_change(change);
    if (is_full && !store->was_full)
        log_warning("not stored file=\"%s%s%s\": too many changes are pending",
                    LOCATION(store, name));
    store->was_full = is_full;
    return number;
}

uint64_t store_replace(struct store *store, const char *name, char *bytes, size_t size,
                       enum state_file_durability durability)
{
    return post(store, CHANGE_REPLACE, name, bytes, size, durability, NULL);
}

uint64_t store_replace_encoded(struct store *store, const char *name, char *bytes, size_t size,
                               store_encoder *encode)
{
    return post(store, CHANGE_REPLACE, name, bytes, size, STATE_FILE_FULL_DISK, encode);
}

uint64_t store_append(struct store *store, const char *name, char *bytes, size_t size)
{
    return post(store, CHANGE_APPEND, name, bytes, size, STATE_FILE_PROCESS, NULL);
}

uint64_t store_remove(struct store *store, const char *name)
{
    const uint64_t number = post(store, CHANGE_REMOVE, name, NULL, 0, STATE_FILE_PROCESS, NULL);
    if (number != 0)
        remove_entry(find_entry(store, name));
    return number;
}

uint64_t store_sync(struct store *store)
{
    return post(store, CHANGE_SYNC, "", NULL, 0, STATE_FILE_PROCESS, NULL);
}

// --- What has become of them ---

static uint64_t written(const struct store *store)
{
    return store->first != NULL ? store->first->number - 1 : store->newest;
}

enum store_outcome store_outcome(struct store *store, const char *name, uint64_t number)
{
    if (number == 0)
        return STORE_FAILED;
    pthread_mutex_lock(&store->lock);
    const struct file *file = find_file(store, name);
    const enum store_outcome outcome = number > written(store)            ? STORE_WAITS
                                       : file != NULL && file->error != 0 ? STORE_FAILED
                                                                          : STORE_WRITTEN;
    pthread_mutex_unlock(&store->lock);
    return outcome;
}

uint64_t store_failures(struct store *store, const char *name)
{
    pthread_mutex_lock(&store->lock);
    const struct file *file = find_file(store, name);
    const uint64_t failures = file != NULL ? file->failures : 0;
    pthread_mutex_unlock(&store->lock);
    return failures;
}

uint64_t store_newest(struct store *store)
{
    pthread_mutex_lock(&store->lock);
    const uint64_t number = store->newest;
    pthread_mutex_unlock(&store->lock);
    return number;
}

uint64_t store_written(struct store *store)
{
    pthread_mutex_lock(&store->lock);
    const uint64_t number = written(store);
    pthread_mutex_unlock(&store->lock);
    return number;
}

uint64_t store_lost(struct store *store)
{
    pthread_mutex_lock(&store->lock);
    const uint64_t lost = store->lost;
    pthread_mutex_unlock(&store->lock);
    return lost;
}
