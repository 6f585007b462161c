// SPDX-License-Identifier: MIT
// What the thread does: opens the files, writes a result, answers a query.
#define _GNU_SOURCE
#include "results_internal.h"

#include "log.h"
#include "monotonic.h"
#include "text_buffer.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    RETRY_MS = 60000, // before a database that could not be opened is tried again
    MS_PER_DAY = 86400000,
};

// Adds the lines of results.jsonl to the database.
struct import {
    struct results *results;
    struct result_db *db;
    bool is_given_up; // the process ends: the next one begins anew
    int64_t after_ms; // earlier rounds are known
    uint64_t rounds;
};

static bool import_line(void *context, const char *line, size_t size)
{
    struct import *import = context;
    struct result result;
    import->is_given_up = import->results->is_ending;
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

void results_work_line(struct job *job)
{
    struct results_line *line = (struct results_line *)job;
    if (line->results->own.is_off)
        return;
    // The line first: a database that is opened anew imports it.
    line->is_written = write_log(line->results, line);
    add_to_db(line->results, line);
}

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
    struct leaderboard_row rows[RESULTS_MAX_PLAYERS];
    const uint32_t limit = query->limit < RESULTS_MAX_PLAYERS ? query->limit : RESULTS_MAX_PLAYERS;
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

void results_work_query(struct job *job)
{
    struct results_answer *answer = (struct results_answer *)job;
    // At the end it is not waited for any more.
    struct result_db *db = answer->results->is_ending ? NULL : get_db(answer->results);
    const uint64_t begin_ns = monotonic_ns();
    if (db != NULL)
        answer->text = answer->query.kind == RESULTS_LEADERBOARD
                           ? make_leaderboard(db, &answer->query)
                           : list_rounds(db, &answer->query);
    answer->took_ns = monotonic_ns() - begin_ns;
}

void results_work_open(struct job *job)
{
    struct results *results = (struct results *)job;
    if (!results->own.is_off)
        open_db(results);
}
