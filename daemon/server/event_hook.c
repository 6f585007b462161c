// SPDX-License-Identifier: MIT
// Moves a cursor through the journal of events, one request at a time.
#define _GNU_SOURCE
#include "event_hook.h"

#include "crypto.h"
#include "event_journal.h"
#include "log.h"
#include "loop.h"
#include "monotonic.h"
#include "server_events.h"
#include "state_file.h"
#include "store.h"
#include "text_buffer.h"

#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    DEADLINE_MS = 10000,
    FIRST_RETRY_MS = 1000,
    LAST_RETRY_MS = 300000,
    COMMAND_TRIES = 5,
    COMMAND_PAUSE_MS = 50, // between two commands: a burst of events starts no burst of programs
    WRITE_EVERY_MS = 1000, // the cursor
    FINISH_MS = 1000,
    ANSWER_BYTES = 4096,
    HEADER_BYTES = 512,
    NUMBER_BYTES = 24,
};

struct event_hook {
    struct loop *loop;
    struct arena_table *table;
    const struct server_processes *processes;
    struct event_journal *journal;
    struct loop_source *next, *timer;     // run the hook: soon, or when it is due
    struct watcher more_events, reloaded; // defer `next`
    uint64_t cursor;                      // number of the newest event that is done
    uint64_t written;                     // in the file
    uint64_t written_ms;
    uint64_t forgotten; // events that the journal had forgotten at the last look

    uint32_t job;       // under way; 0: none
    struct fetch *from; // of the job
    uint64_t event;     // of the job, or of the one that failed
    int tries;          // of this event that failed
    uint64_t due_ms;    // CLOCK_MONOTONIC; the next attempt
    bool is_command;
    bool is_failing; // the log has said so
    bool is_missing; // as above, the process that is needed

    struct {
        bool is_on;
        uint64_t delivered; // events that the hook has accepted
        uint64_t failures;  // attempts that failed
        uint64_t dropped;   // events that it rejected, or that became too old while it failed
        uint64_t waiting;   // events, now
    } counts;               // since the start
};

#define COUNTS(member) METRIC_OF(struct event_hook, counts.member)

static const struct metric count_rows[] = {
    {NULL, "raimd_event_hook_delivered_total", "Events that the hook has accepted.", METRIC_COUNTER,
     COUNTS(delivered)},
    {NULL, "raimd_event_hook_failures_total", "Attempts to hand an event to the hook that failed.",
     METRIC_COUNTER, COUNTS(failures)},
    {NULL, "raimd_event_hook_dropped_total",
     "Events that the hook rejected, or that became too old while it failed.", METRIC_COUNTER,
     COUNTS(dropped)},
    {NULL, "raimd_event_hook_waiting", "Events that wait for the hook.", METRIC_GAUGE,
     COUNTS(waiting)},
};

static bool is_on(const void *object)
{
    const struct event_hook *hook = object;
    return hook->counts.is_on;
}

const struct metric_table event_hook_metrics = {METRIC_ROWS(count_rows), .is_optional = true,
                                                .is_on = is_on};

// --- The cursor ---

static const char cursor_name[] = "hook.cursor";

static bool read_cursor(const struct store *store, uint64_t *cursor)
{
    char path[PATH_MAX];
    char text[NUMBER_BYTES] = "";
    const char *problem;
    int length = 0;
    const int file = store_path(store, cursor_name, path)
                         ? state_file_open(path, O_RDONLY, STATE_FILE_SECRET, &problem)
                         : -1;
    const bool is_read = file >= 0 && read(file, text, sizeof text - 1) > 0;
    if (file >= 0)
        close(file);
    return is_read && sscanf(text, "%16" SCNu64 "%n", cursor, &length) == 1 &&
           text[length] == '\n' && text[length + 1] == '\0';
}

static void write_cursor(struct event_hook *hook, uint64_t now_ms)
{
    char *text;
    hook->written = hook->cursor;
    hook->written_ms = now_ms;
    if (!store_has_directory(hook->table->store))
        return;
    // Not synced to the disk, as the journal: it has to survive the process, not the machine.
    if (asprintf(&text, "%" PRIu64 "\n", hook->cursor) >= 0)
        store_replace(hook->table->store, cursor_name, text, strlen(text), STATE_FILE_PROCESS);
}

static void run(void *context);

static void run_soon(void *context)
{
    const struct event_hook *hook = context;
    loop_defer(hook->next);
}

struct event_hook *event_hook_open(struct loop *loop, struct arena_table *table,
                                   const struct server_processes *processes)
{
    struct event_hook *hook = calloc(1, sizeof *hook);
    if (hook == NULL)
        return NULL;
    hook->loop = loop;
    hook->table = table;
    hook->processes = processes;
    hook->next = loop_add_deferred(loop, run, hook);
    hook->timer = loop_add_timer(loop, 0, run, hook);
    if (hook->next == NULL || hook->timer == NULL) {
        loop_remove(hook->next);
        loop_remove(hook->timer);
        free(hook);
        return NULL;
    }
    hook->journal = server_events_journal(table->events);
    const uint64_t newest = event_journal_newest(hook->journal);
    if (!read_cursor(table->store, &hook->cursor) || hook->cursor > newest)
        hook->cursor = newest;
    hook->forgotten = event_journal_forgotten_count(hook->journal);
    hook->more_events = hook->reloaded = (struct watcher){.run = run_soon, .context = hook};
    event_journal_watch(hook->journal, &hook->more_events);
    watchers_add(&table->watchers, &hook->reloaded);
    run_soon(hook);
    return hook;
}

void event_hook_close(struct event_hook *hook)
{
    if (hook == NULL)
        return;
    struct store *store = hook->table->store;
    event_journal_unwatch(hook->journal, &hook->more_events);
    watchers_remove(&hook->table->watchers, &hook->reloaded);
    loop_remove(hook->next);
    loop_remove(hook->timer);
    if (hook->job != 0)
        fetch_cancel(hook->from, hook->job);
    if (!hook->counts.is_on && store_has_directory(store))
        store_remove(store, cursor_name); // a hook to come begins with the events after its start
    else if (hook->cursor != hook->written)
        write_cursor(hook, 0);
    free(hook);
}

// --- Answers ---

static void advance(struct event_hook *hook, uint64_t event)
{
    hook->cursor = event;
    hook->tries = 0;
}

static void log_failure(struct event_hook *hook, const struct fetch_answer *answer, bool is_dropped)
{
    if (!hook->is_failing || is_dropped)
        log_warning("event hook failed id=%" PRIu64 " status=%u %s: %s", hook->event,
                    answer->status, is_dropped ? "dropped" : "waits",
                    answer->reason[0] != '\0' ? answer->reason : "no reason given");
    hook->is_failing = true;
}

// Whether another attempt may have another end.
static bool is_temporary(const struct event_hook *hook, const struct fetch_answer *answer)
{
    if (hook->is_command)
        return hook->tries < COMMAND_TRIES;
    return !answer->is_good || answer->status >= 500 || answer->status == 408 ||
           answer->status == 425 || answer->status == 429;
}

static void note_answer(void *context, const struct fetch_answer *answer)
{
    struct event_hook *hook = context;
    const uint64_t now_ms = monotonic_ms();
    run_soon(hook); // with what follows from the answer
    // A status that came before the rest of its answer failed holds.
    const bool is_done = hook->is_command ? answer->is_good && answer->status == 0
                                          : answer->status >= 200 && answer->status <= 299;
    hook->job = 0;
    hook->due_ms = hook->is_command ? now_ms + COMMAND_PAUSE_MS : now_ms;
    hook->counts.failures += !is_done || !answer->is_good;
    if (is_done) {
        if (hook->is_failing)
            log_info("event hook works again id=%" PRIu64, hook->event);
        hook->is_failing = false;
        hook->counts.delivered++;
        advance(hook, hook->event);
        return;
    }
    hook->tries++;
    const bool is_dropped = !is_temporary(hook, answer);
    log_failure(hook, answer, is_dropped);
    if (is_dropped) {
        hook->counts.dropped++;
        advance(hook, hook->event);
        return;
    }
    const int doublings = hook->tries < 10 ? hook->tries - 1 : 9;
    const uint64_t pause_ms = (uint64_t)FIRST_RETRY_MS << doublings;
    hook->due_ms = now_ms + (pause_ms < LAST_RETRY_MS ? pause_ms : LAST_RETRY_MS);
}

// --- Requests ---

// Writes the headers of a request. The signature is that of "TIMESTAMP.BODY".
static void write_headers(const struct journal_event *event, const struct text_buffer *body,
                          const char *secret, char headers[HEADER_BYTES])
{
    char when[NUMBER_BYTES], digits[RAIM_CRYPTO_KEY_DIGITS + 1] = "";
    uint8_t code[RAIM_CRYPTO_HMAC_BYTES];
    static_assert(RAIM_CRYPTO_HMAC_BYTES == RAIM_CRYPTO_KEY_BYTES, "printed as a key");
    const int size = snprintf(when, sizeof when, "%lld.", (long long)time(NULL));
    raim_crypto_hmac_sha256(secret, strlen(secret), when, (size_t)size, body->text, body->size,
                            code);
    raim_crypto_print_key(code, digits);
    const int used = snprintf(headers, HEADER_BYTES,
                              "Content-Type: application/json\nX-Raimd-Id: %" PRIu64 "\n"
                              "X-Raimd-Kind: %s\nX-Raimd-Timestamp: %.*s\n",
                              event->id, event->kind, size - 1, when);
    if (secret[0] != '\0')
        snprintf(headers + used, HEADER_BYTES - (size_t)used, "X-Raimd-Signature: sha256=%s\n",
                 digits);
}

// Begins to hand over an event. Returns false if it cannot now.
static bool begin(struct event_hook *hook, const struct config *config,
                  const struct journal_event *event)
{
    char headers[HEADER_BYTES];
    struct text_buffer body = {0};
    server_events_print_public(&body, event->text);
    if (hook->is_command)
        text_buffer_add(&body, "\n", 1);
    if (!body.no_memory) {
        write_headers(event, &body, config->event_hook_secret, headers);
        const struct fetch_request request = {
            .method = hook->is_command ? NULL : "POST",
            .target = config->event_hook,
            .headers = hook->is_command ? NULL : headers,
            .body = body.text,
            .body_bytes = body.size,
            .max_bytes = ANSWER_BYTES,
            .deadline_ms = DEADLINE_MS,
        };
        hook->tries = event->id == hook->event ? hook->tries : 0;
        hook->event = event->id;
        hook->job = fetch_begin(hook->from, &request, note_answer, hook);
    }
    free(text_buffer_take(&body));
    return hook->job != 0;
}

// Leaves out the events that the journal has forgotten.
static void skip_forgotten(struct event_hook *hook)
{
    const uint64_t forgotten = event_journal_forgotten_count(hook->journal);
    const uint64_t fresh = forgotten - hook->forgotten; // numbers may have gaps
    const uint64_t until = event_journal_forgotten(hook->journal);
    hook->forgotten = forgotten;
    if (until <= hook->cursor)
        return;
    const uint64_t missed = until - hook->cursor;
    if (hook->job == 0)
        advance(hook, until);
    else if (until > hook->event)
        return; // the answer comes first
    hook->counts.dropped += missed < fresh ? missed : fresh;
}

static void choose_process(struct event_hook *hook, const char *target)
{
    hook->is_command = target[0] == '/';
    hook->from = hook->is_command ? hook->processes->commands : hook->processes->urls;
    if (hook->from == NULL && !hook->is_missing)
        log_warning("event hook off: raimd was started without a hook of this kind; restart it");
    hook->is_missing = hook->from == NULL;
}

// Sets the timer to the next attempt and the next time that the cursor is written.
static void set_timer(const struct event_hook *hook)
{
    const bool waits = hook->job == 0 && hook->from != NULL && hook->counts.waiting > 0;
    uint64_t due_ms = waits ? hook->due_ms : LOOP_NEVER;
    if (hook->cursor != hook->written && hook->written_ms + WRITE_EVERY_MS < due_ms)
        due_ms = hook->written_ms + WRITE_EVERY_MS;
    loop_set_timer(hook->timer, hook->counts.is_on ? due_ms : LOOP_NEVER);
}

// Hands over the next event, if one is due, as the configuration now in force says.
static void run(void *context)
{
    struct event_hook *hook = context;
    const struct config *config = hook->table->config;
    const uint64_t now_ms = monotonic_ms();
    hook->counts.is_on = config->event_hook[0] != '\0';
    if (!hook->counts.is_on && hook->job == 0) {
        hook->cursor = event_journal_newest(hook->journal); // a hook to come begins from there
        hook->is_missing = false;
    } else if (hook->job == 0) {
        choose_process(hook, config->event_hook);
    }
    skip_forgotten(hook);
    const struct journal_event *event = event_journal_next(hook->journal, hook->cursor);
    if (event != NULL && hook->job == 0 && hook->from != NULL && now_ms >= hook->due_ms &&
        !begin(hook, config, event))
        hook->due_ms = now_ms + FIRST_RETRY_MS;
    hook->counts.waiting = event_journal_count_after(hook->journal, hook->cursor);
    if (hook->counts.is_on && hook->cursor != hook->written &&
        now_ms >= hook->written_ms + WRITE_EVERY_MS)
        write_cursor(hook, now_ms);
    set_timer(hook);
}

void event_hook_finish(struct event_hook *hook)
{
    const uint64_t end_ms = monotonic_ms() + FINISH_MS;
    while (hook != NULL && hook->table->config->event_hook[0] != '\0' && !hook->is_failing) {
        run(hook);
        if (hook->from == NULL || hook->counts.waiting == 0 || monotonic_ms() >= end_ms)
            return;
        loop_wait(hook->loop, COMMAND_PAUSE_MS);
    }
}
