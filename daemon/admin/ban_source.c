// SPDX-License-Identifier: MIT
// Fetches the ban list, and reads it in a thread.
#define _GNU_SOURCE
#include "ban_source.h"

#include "bans.h"
#include "fetch.h"
#include "job_thread.h"
#include "json_writer.h"
#include "log.h"
#include "loop.h"
#include "metric.h"
#include "monotonic.h"
#include "state_file.h"
#include "store.h"

#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    PERIOD_MS = 10 * 60 * 1000,
    FIRST_RETRY_MS = 5000, // doubled with each failure, up to the period
    DEADLINE_MS = 30000,
    HEADER_BYTES = FETCH_ETAG_BYTES + 32,
    ERROR_BYTES = 256,
};

// A list that a thread reads.
struct reading {
    struct job job; // first
    struct ban_source *source;
    char etag[FETCH_ETAG_BYTES];
    char *text; // owned
    size_t size;
    struct bans *bans; // NULL: it is malformed
    char error[ERROR_BYTES];
};

struct ban_source {
    struct arena_table *table;
    struct ban_store *book;
    struct loop_source *timer;
    struct job_thread *readers;
    struct watcher reloaded;     // perhaps
    const struct config *config; // whose reload was noticed
    char url[URL_BYTES];
    char etag[FETCH_ETAG_BYTES];
    uint32_t request;        // under way; 0: none
    struct reading *reading; // under way; NULL: none
    bool is_wanted;          // a reload asks for one as soon as none is under way
    uint64_t next_ms;        // of the next request otherwise
    uint32_t retry_ms;

    uint32_t count;          // networks in force
    uint64_t fetched_ms;     // CLOCK_MONOTONIC, when it was last seen to be the newest; 0: never
    uint64_t failures;       // since the start
    char error[ERROR_BYTES]; // of the last attempt; "": it succeeded
};

static void write_members(const void *object, struct json_writer *json, uint64_t now_ms)
{
    const struct ban_source *source = object;
    if (source->fetched_ms == 0)
        json_write_null(json, "age_s");
    else
        json_write_count(json, "age_s", (now_ms - source->fetched_ms) / 1000);
    json_write_text(json, "error", source->error[0] != '\0' ? source->error : NULL);
}

static void write_families(const void *object, struct text_buffer *out, uint64_t now_ms)
{
    const struct ban_source *source = object;
    if (source->fetched_ms > 0)
        metric_text_value(out, "raimd_ban_list_age_seconds", METRIC_GAUGE,
                          "Time since the ban list was last fetched or found unchanged.",
                          (now_ms - source->fetched_ms) / 1000);
}

static const struct metric rows[] = {
    {"networks", "raimd_ban_list_networks", "Networks in force of the ban list that is fetched.",
     METRIC_GAUGE, METRIC_OF(struct ban_source, count)},
    {"failures", "raimd_ban_list_failures_total",
     "Attempts to fetch and read the ban list that failed.", METRIC_COUNTER,
     METRIC_OF(struct ban_source, failures)},
};

const struct metric_table ban_source_metrics = {
    .group = "ban_list",
    .meaning = "The list of banned networks that raimd fetches; null: none is configured.",
    METRIC_ROWS(rows),
    .is_optional = true,
    .write_members = write_members,
    .write_families = write_families};

// --- The kept list: its ETag as a comment, and its text ---

static const char file_name[] = "ban_list";
static const char etag_words[] = "# ETag: ";

// Reads a file of at most so many bytes. The caller frees the text, which ends in a NUL.
static char *read_file(const char *path, size_t most, size_t *size)
{
    const char *problem;
    struct stat status;
    const int file = state_file_open(path, O_RDONLY, STATE_FILE_SHARED, &problem);
    char *text = NULL;
    if (file < 0)
        return NULL;
    if (fstat(file, &status) == 0 && status.st_size >= 0 && (size_t)status.st_size <= most)
        text = malloc((size_t)status.st_size + 1);
    for (*size = 0; text != NULL && *size < (size_t)status.st_size;) {
        const ssize_t count = read(file, text + *size, (size_t)status.st_size - *size);
        if (count <= 0)
            break;
        *size += (size_t)count;
    }
    close(file);
    if (text != NULL)
        text[*size] = '\0';
    return text;
}

// Copies the ETag of a kept list, if it has one.
static void read_etag(const char *text, char etag[FETCH_ETAG_BYTES])
{
    const size_t words = sizeof etag_words - 1;
    const char *end = strchr(text, '\n');
    if (strncmp(text, etag_words, words) != 0 || end == NULL ||
        (size_t)(end - text) - words >= FETCH_ETAG_BYTES)
        return;
    memcpy(etag, text + words, (size_t)(end - text) - words);
}

static void load_kept(struct ban_source *source)
{
    char error[ERROR_BYTES] = "", path[PATH_MAX];
    size_t size;
    char *text = store_path(source->table->store, file_name, path)
                     ? read_file(path, BAN_LIST_MAX_BYTES + HEADER_BYTES, &size)
                     : NULL;
    if (text == NULL)
        return;
    read_etag(text, source->etag);
    const size_t head = source->etag[0] != '\0' ? strcspn(text, "\n") + 1 : 0;
    struct bans *bans = ban_list_read(text + head, size - head, error, sizeof error);
    const uint32_t count = bans != NULL ? bans->count : 0;
    if (bans == NULL) {
        source->etag[0] = '\0';
        log_warning("ban list rejected file=\"%s\": %s", path, error);
    } else if (ban_store_set_foreign(source->book, bans)) {
        source->count = count;
        log_info("ban list loaded networks=%u file=\"%s\"", count, path);
    }
    free(text);
}

// Keeps the text of a list for the next start.
static void keep(const struct ban_source *source, const struct reading *reading)
{
    char head[HEADER_BYTES] = "";
    if (!store_has_directory(source->table->store))
        return;
    if (reading->etag[0] != '\0')
        snprintf(head, sizeof head, "%s%s\n", etag_words, reading->etag);
    const size_t head_size = strlen(head);
    char *text = malloc(head_size + reading->size + 1);
    if (text != NULL) {
        memcpy(text, head, head_size);
        memcpy(text + head_size, reading->text, reading->size);
    }
    store_replace(source->table->store, file_name, text, head_size + reading->size,
                  STATE_FILE_DISK);
}

// --- Reading, in a thread ---

static void read_list(struct job *job)
{
    struct reading *reading = (struct reading *)job;
    char *copy = malloc(reading->size + 1);
    if (copy == NULL) {
        snprintf(reading->error, sizeof reading->error, "out of memory");
        return;
    }
    memcpy(copy, reading->text, reading->size + 1);
    reading->bans = ban_list_read(copy, reading->size, reading->error, sizeof reading->error);
    free(copy);
}

// Takes NULL.
static void free_reading(struct reading *reading)
{
    if (reading == NULL)
        return;
    free(reading->text);
    free(reading);
}

static void end_reading(struct job *job);

static bool begin_reading(struct ban_source *source, const struct fetch_answer *answer)
{
    struct reading *reading = calloc(1, sizeof *reading);
    if (reading == NULL)
        return false;
    reading->job = (struct job){.work = read_list, .done = end_reading};
    reading->source = source;
    reading->size = answer->body_bytes;
    reading->text = malloc(reading->size + 1);
    strcpy(reading->etag, answer->etag);
    if (reading->text == NULL || !job_thread_start(source->readers)) {
        free_reading(reading);
        return false;
    }
    memcpy(reading->text, answer->body, reading->size);
    reading->text[reading->size] = '\0';
    source->reading = reading;
    job_thread_post(source->readers, &reading->job);
    return true;
}

// --- The source ---

static void set_next(struct ban_source *source, uint64_t next_ms)
{
    source->next_ms = next_ms;
    loop_set_timer(source->timer, source->is_wanted ? 0 : next_ms);
}

static void note_failure(struct ban_source *source, const char *why)
{
    source->failures++;
    if (strcmp(source->error, why) != 0) // once, not with each attempt
        log_warning("ban list rejected url=%s: %s", source->url, why);
    snprintf(source->error, sizeof source->error, "%s", why);
    set_next(source, monotonic_ms() + source->retry_ms);
    source->retry_ms = 2 * source->retry_ms < PERIOD_MS ? 2 * source->retry_ms : PERIOD_MS;
}

static void note_success(struct ban_source *source)
{
    source->error[0] = '\0';
    source->fetched_ms = monotonic_ms();
    set_next(source, source->fetched_ms + PERIOD_MS);
    source->retry_ms = FIRST_RETRY_MS;
}

static void end_reading(struct job *job)
{
    struct reading *reading = (struct reading *)job;
    struct ban_source *source = reading->source;
    source->reading = NULL;
    const uint32_t count = reading->bans != NULL ? reading->bans->count : 0;
    if (reading->bans == NULL) {
        note_failure(source, reading->error);
    } else if (!ban_store_set_foreign(source->book, reading->bans)) {
        note_failure(source, "out of memory");
    } else {
        strcpy(source->etag, reading->etag);
        keep(source, reading);
        source->count = count;
        note_success(source);
        log_info("ban list applied networks=%u url=%s", count, source->url);
    }
    free_reading(reading);
}

static void take_answer(void *context, const struct fetch_answer *answer)
{
    struct ban_source *source = context;
    char why[64];
    source->request = 0;
    if (!answer->is_good) {
        note_failure(source, answer->reason);
    } else if (answer->status == 304 && source->etag[0] != '\0') {
        note_success(source);
    } else if (answer->status != 200) {
        snprintf(why, sizeof why, "the answer has status %u", answer->status);
        note_failure(source, why);
    } else if (!begin_reading(source, answer)) {
        note_failure(source, "out of memory");
    }
}

static void begin_request(struct ban_source *source)
{
    char headers[HEADER_BYTES];
    if (source->etag[0] != '\0')
        snprintf(headers, sizeof headers, "If-None-Match: %s\n", source->etag);
    source->request = fetch_begin(source->table->urls,
                                  &(struct fetch_request){
                                      .method = "GET",
                                      .target = source->url,
                                      .headers = source->etag[0] != '\0' ? headers : NULL,
                                      .max_bytes = BAN_LIST_MAX_BYTES,
                                      .deadline_ms = DEADLINE_MS,
                                  },
                                  take_answer, source);
    if (source->request == 0)
        note_failure(source, "too many requests at once");
}

static void note_reload(void *context);
static void run(void *context);

static bool join_loop(struct ban_source *source, struct loop *loop)
{
    source->timer = loop_add_timer(loop, 0, run, source);
    source->readers = job_thread_create(loop, "raimd-bans", SCHED_BATCH);
    source->reloaded = (struct watcher){.run = note_reload, .context = source};
    watchers_add(&source->table->watchers, &source->reloaded);
    return source->timer != NULL && source->readers != NULL;
}

struct ban_source *ban_source_open(struct loop *loop, struct arena_table *table,
                                   struct ban_store *book)
{
    const struct config *config = table->config;
    if (config == NULL || config->ban_list[0] == '\0' || table->urls == NULL)
        return NULL;
    struct ban_source *source = calloc(1, sizeof *source);
    if (source == NULL)
        return NULL;
    source->table = table;
    source->book = book;
    source->config = config;
    source->retry_ms = FIRST_RETRY_MS;
    strcpy(source->url, config->ban_list);
    if (!join_loop(source, loop)) {
        ban_source_close(source);
        return NULL;
    }
    load_kept(source);
    loop_set_timer(source->timer, 0);
    return source;
}

void ban_source_close(struct ban_source *source)
{
    if (source == NULL)
        return;
    fetch_cancel(source->table->urls, source->request);
    job_thread_destroy(source->readers);
    if (source->reading != NULL)
        free(source->reading->bans);
    free_reading(source->reading);
    watchers_remove(&source->table->watchers, &source->reloaded);
    loop_remove(source->timer);
    free(source);
}

static void note_reload(void *context)
{
    struct ban_source *source = context;
    if (source->table->config == source->config)
        return;
    source->config = source->table->config;
    source->is_wanted = true;
    loop_set_timer(source->timer, 0);
}

static void run(void *context)
{
    struct ban_source *source = context;
    if (source->request == 0 && source->reading == NULL &&
        (source->is_wanted || monotonic_ms() >= source->next_ms)) {
        source->is_wanted = false;
        begin_request(source);
    }
}
