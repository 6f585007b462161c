// SPDX-License-Identifier: MIT
// The thread that writes results and answers queries: results first, then one query at a time.
#define _GNU_SOURCE
#include "results_internal.h"

#include "log.h"
#include "monotonic.h"
#include "text_buffer.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    RETRY_MS = 60000, // before a database that could not be opened is tried again
    IDLE_SHARE = 3,   // a query begins after so many times the duration of the one before, so
                      // that the queries of strangers take at most a quarter of a processor
    MS_PER_DAY = 86400000,
    NS_PER_S = 1000000000,
};

// --- The database ---

// Adds the lines of results.jsonl to the database.
struct import {
    struct results *results;
    struct result_db *db;
    bool is_given_up; // the process ends: the next one begins anew
    int64_t after_ms; // earlier rounds are known
    uint64_t rounds;
};

static bool is_ending(struct results *results)
{
    pthread_mutex_lock(&results->shared.lock);
    const bool ends = results->shared.is_ending;
    pthread_mutex_unlock(&results->shared.lock);
    return ends;
}

static bool import_line(void *context, const char *line, size_t size)
{
    struct import *import = context;
    struct result result;
    import->is_given_up = is_ending(import->results);
    if (import->is_given_up)
        return false;
    if (!result_json_read(line, size, &result))
        return true;
    if (result.end_ms > import->after_ms)
        import->rounds += result_db_add(import->db, &result, line, size);
    result_json_clear(&result);
    return !result_db_is_damaged(import->db);
}

// A new database gets every round that the files have; another one what it has missed.
static void import_log(struct results *results, bool is_new)
{
    struct import import = {.results = results,
                            .db = results->own.db,
                            .after_ms = result_db_newest_ms(results->own.db)};
    if (results->own.log == NULL)
        return;
    result_db_begin(results->own.db);
    result_log_read(results->own.log, is_new ? RESULT_LOG_FILES + 1 : 1, import_line, &import);
    if (import.is_given_up)
        return; // closing the database takes it back
    if (result_db_end(results->own.db) && import.rounds > 0)
        log_info("results imported rounds=%llu", (unsigned long long)import.rounds);
}

// Says once that the database cannot be used.
static void note_failure(struct results *results, const char *problem)
{
    if (!results->own.db_has_failed)
        log_warning("results database failed: \"%s\": %s", results->own.path, problem);
    results->own.db_has_failed = true;
}

static void open_db(struct results *results)
{
    char problem[RESULT_DB_PROBLEM_BYTES];
    bool is_new;
    results->own.db = result_db_open(results->own.path, &is_new, problem);
    if (results->own.db == NULL) {
        note_failure(results, problem);
        results->own.retry_ms = monotonic_ms() + RETRY_MS;
        return;
    }
    if (problem[0] != '\0')
        log_warning("results database replaced: \"%s\" is kept as \"%s.bad\": %s",
                    results->own.path, results->own.path, problem);
    results->own.db_has_failed = false;
    import_log(results, is_new);
}

// The database, opened anew if it was damaged or could not be opened; NULL: none.
static struct result_db *get_db(struct results *results)
{
    if (results->own.db != NULL && result_db_is_damaged(results->own.db)) {
        result_db_close(results->own.db);
        open_db(results);
    } else if (results->own.db == NULL && monotonic_ms() >= results->own.retry_ms) {
        open_db(results);
    }
    return results->own.db;
}

// --- Results ---

static bool write_log(struct results *results, const struct results_line *line)
{
    const char *problem = "";
    if (results->own.log == NULL ||
        result_log_write(results->own.log, line->text, line->size, &problem)) {
        if (results->own.log_has_failed)
            log_info("results written again");
        results->own.log_has_failed = false;
        return true;
    }
    if (!results->own.log_has_failed)
        log_warning("results not written: results.jsonl: %s", problem);
    results->own.log_has_failed = true;
    return false;
}

static void add_to_db(struct results *results, const struct results_line *line)
{
    struct result result;
    struct result_db *db = get_db(results);
    if (db == NULL || !result_json_read(line->text, line->size, &result))
        return;
    if (result_db_add(db, &result, line->text, line->size))
        results->own.db_has_failed = false;
    else
        note_failure(results, result_db_problem(db));
    result_json_clear(&result);
}

static void write_line(struct results *results, const struct results_line *line)
{
    // The line first: a database that is opened anew imports it.
    const bool is_written = write_log(results, line);
    add_to_db(results, line);
    pthread_mutex_lock(&results->shared.lock);
    results->shared.waiting_bytes -= line->size;
    results->shared.written += is_written;
    results->shared.lost += !is_written;
    pthread_mutex_unlock(&results->shared.lock);
    wakeup_signal(&results->wakeup); // the counts
}

// --- Queries ---

static int64_t first_day(enum results_period period)
{
    const int64_t today = (int64_t)time(NULL) / (MS_PER_DAY / 1000);
    switch (period) {
    case RESULTS_DAY:
        return today;
    case RESULTS_WEEK:
        return today - 6;
    case RESULTS_MONTH:
        return today - 29;
    case RESULTS_ALL:
        break;
    }
    return -1;
}

static char *make_leaderboard(struct result_db *db, const struct results_query *query)
{
    struct leaderboard_row rows[RESULTS_MOST_PLAYERS];
    const uint32_t limit =
        query->limit < RESULTS_MOST_PLAYERS ? query->limit : RESULTS_MOST_PLAYERS;
    const int count =
        result_db_leaderboard(db, first_day(query->period), query->arena, query->map, rows, limit);
    return count < 0 ? NULL
                     : result_json_leaderboard(results_period_name(query->period), query->arena,
                                               query->map, rows, (uint32_t)count);
}

static void add_round(void *context, const char *line, size_t size)
{
    struct text_buffer *out = context;
    if (out->text[out->size - 1] != '[')
        text_buffer_add(out, ",", 1);
    text_buffer_add(out, line, size);
}

static char *list_rounds(struct result_db *db, const struct results_query *query)
{
    struct text_buffer out = {0};
    text_buffer_print(&out, "{\"schema\":1,\"results\":[");
    const bool is_good = !out.no_memory && result_db_rounds(db, query->since_ms, query->arena,
                                                            query->limit, add_round, &out);
    text_buffer_add(&out, "]}", 2);
    char *text = text_buffer_take(&out);
    if (is_good)
        return text;
    free(text);
    return NULL;
}

static void answer_query(struct results *results, struct results_answer *answer)
{
    // Nobody else changes a query that is asked.
    struct result_db *db = get_db(results);
    const uint64_t begin_ns = monotonic_ns();
    char *text = NULL;
    if (db != NULL)
        text = answer->query.kind == RESULTS_LEADERBOARD ? make_leaderboard(db, &answer->query)
                                                         : list_rounds(db, &answer->query);
    pthread_mutex_lock(&results->shared.lock);
    answer->text = text;
    answer->state = RESULTS_ANSWER_READY;
    answer->answered_ms = monotonic_ms();
    pthread_mutex_unlock(&results->shared.lock);
    wakeup_signal(&results->wakeup);
    const uint64_t now_ns = monotonic_ns();
    results->own.query_ns = now_ns + (now_ns - begin_ns) * IDLE_SHARE;
}

static struct results_answer *find_asked(struct results *results)
{
    struct results_answer *first = NULL;
    for (int i = 0; i < RESULTS_ANSWERS; i++) {
        struct results_answer *answer = &results->shared.answers[i];
        if (answer->state == RESULTS_ANSWER_ASKED &&
            (first == NULL || answer->number < first->number))
            first = answer;
    }
    return first;
}

// Waits until there is work, or until the next query may begin. The mutex is held.
static void wait_for_signal(struct results *results, bool has_query)
{
    const struct timespec until = {.tv_sec = (time_t)(results->own.query_ns / NS_PER_S),
                                   .tv_nsec = (long)(results->own.query_ns % NS_PER_S)};
    if (has_query)
        pthread_cond_timedwait(&results->shared.work, &results->shared.lock, &until);
    else
        pthread_cond_wait(&results->shared.work, &results->shared.lock);
}

// Waits for a result or a query. Returns false at the end.
static bool wait_for_work(struct results *results, struct results_line **line,
                          struct results_answer **answer)
{
    pthread_mutex_lock(&results->shared.lock);
    for (;;) {
        *line = results->shared.first;
        *answer = *line == NULL ? find_asked(results) : NULL;
        const bool has_query = *answer != NULL;
        if (results->shared.is_ending || (has_query && monotonic_ns() < results->own.query_ns))
            *answer = NULL; // at the end nobody waits for it any more
        if (*line != NULL || *answer != NULL || results->shared.is_ending)
            break;
        wait_for_signal(results, has_query);
    }
    if (*line != NULL) {
        results->shared.first = (*line)->next;
        if (results->shared.first == NULL)
            results->shared.last = &results->shared.first;
    }
    pthread_mutex_unlock(&results->shared.lock);
    return *line != NULL || *answer != NULL;
}

void *results_run_thread(void *argument)
{
    struct results *results = argument;
    struct results_line *line;
    struct results_answer *answer;
    const struct sched_param none = {0};
    pthread_setname_np(pthread_self(), "raimd-results");
    if (sched_getscheduler(0) == SCHED_OTHER)
        sched_setscheduler(0, SCHED_BATCH, &none); // players' ticks come first
    open_db(results);
    while (wait_for_work(results, &line, &answer)) {
        if (line != NULL) {
            write_line(results, line);
            free(line->text);
            free(line);
        } else {
            answer_query(results, answer);
        }
    }
    result_db_close(results->own.db);
    return NULL;
}
