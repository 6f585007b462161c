// SPDX-License-Identifier: MIT
// The main thread's side: posts results and queries as jobs.
#define _GNU_SOURCE
#include "results_internal.h"

#include "log.h"
#include "loop.h"
#include "monotonic.h"

#include <assert.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const period_names[] = {
    [RESULTS_ALL] = "all",
    [RESULTS_DAY] = "day",
    [RESULTS_WEEK] = "week",
    [RESULTS_MONTH] = "month",
};

const char *results_period_name(enum results_period period)
{
    return period_names[period];
}

bool results_period_find(const char *name, enum results_period *period)
{
    for (size_t i = 0; i < sizeof period_names / sizeof *period_names; i++)
        if (strcmp(name, period_names[i]) == 0) {
            *period = (enum results_period)i;
            return true;
        }
    return false;
}

#define MAIN(member) METRIC_OF(struct results, main.member)

static const struct metric count_rows[] = {
    {"written", "raimd_results_written_total", "Results of rounds that were recorded.",
     METRIC_COUNTER, MAIN(written)},
    {"lost", "raimd_results_lost_total", "Results of rounds that could not be written.",
     METRIC_COUNTER, MAIN(lost)},
};

const struct metric_table results_metrics = {
    .group = "results", .meaning = "Results of rounds, since the start.", METRIC_ROWS(count_rows)};

static void ask_next(void *context);

static void nothing(struct job *job)
{
    (void)job;
}

static void destroy(struct results *results)
{
    job_thread_destroy(results->thread);
    loop_remove(results->main.next_query);
    for (int i = 0; i < RESULTS_ANSWERS; i++)
        free(results->main.answers[i].text);
    result_db_close(results->own.db);
    result_log_close(results->own.log);
    free(results);
}

struct results *results_create(const struct results_def *def)
{
    struct results *results = calloc(1, sizeof *results);
    if (results == NULL)
        return NULL;
    results->open = (struct job){.work = results_work_open, .done = nothing};
    results->main.next_query = loop_add_timer(def->loop, 0, ask_next, results);
    results->thread = job_thread_create(def->loop, "raimd-results", SCHED_BATCH);
    bool is_good = results->main.next_query != NULL && results->thread != NULL;
    if (is_good && def->directory != NULL) {
        snprintf(results->own.path, sizeof results->own.path, "%s/results.db", def->directory);
        results->own.log = result_log_create(def->directory);
        is_good = results->own.log != NULL;
    }
    if (is_good && def->directory == NULL)
        log_info("results are kept in memory only: $STATE_DIRECTORY is not set");
    if (is_good) {
        job_thread_post(results->thread, &results->open);
        return results;
    }
    destroy(results);
    return NULL;
}

bool results_start(struct results *results)
{
    results->main.is_started = job_thread_start(results->thread);
    return results->main.is_started;
}

void results_close(struct results *results)
{
    if (results == NULL)
        return;
    results->is_ending = true;
    if (!results->main.is_started)
        results->own.is_off = true;
    job_thread_finish(results->thread);
    destroy(results);
}

static void end_line(struct job *job)
{
    struct results_line *line = (struct results_line *)job;
    struct results *results = line->results;
    results->main.waiting_bytes -= line->size;
    results->main.written += line->is_written;
    results->main.lost += !line->is_written;
    free(line->text);
    free(line);
}

// Hands a line to the thread, and takes it. Returns false if too much waits.
static bool post(struct results *results, char *text)
{
    const size_t size = strlen(text);
    const bool has_room = results->main.waiting_bytes + size <= RESULTS_WAITING_BYTES;
    struct results_line *line = has_room ? calloc(1, sizeof *line) : NULL;
    if (line == NULL) {
        free(text);
        return false;
    }
    *line = (struct results_line){.job = {.work = results_work_line, .done = end_line},
                                  .results = results,
                                  .text = text,
                                  .size = size};
    results->main.waiting_bytes += size;
    job_thread_post(results->thread, &line->job);
    return true;
}

static const char *find_winner(const struct round_report *report)
{
    for (uint32_t i = 0; i < report->player_count; i++)
        if (report->winner != RAIM_NOBODY && report->players[i].id == report->winner)
            return report->players[i].name;
    return "";
}

static void log_round(const struct round_report *report)
{
    static const char *const names[] = {"clock", "score", "changed", "shutdown"};
    char winner[8] = "";
    if (report->winner != RAIM_NOBODY)
        snprintf(winner, sizeof winner, "%u", report->winner);
    // The subject is the winner, by id. The event has the name that it has in /events.
    log_write(LOG_LEVEL_INFO, &(struct log_subject){.arena = report->arena, .player = winner},
              "round_ended arena=%s round=%u map=%s ended=%s length_s=%.1f players=%u winner=%s "
              "name=\"%s\"",
              report->arena, report->round, report->map, names[report->ended],
              (double)report->played_ticks / report->tick_hz, report->player_count, winner,
              find_winner(report));
}

void results_add(struct results *results, const struct round_report *report)
{
    if (results == NULL || !result_json_has_players(report))
        return;
    log_round(report);
    char *line = result_json_write(report);
    if (line == NULL) {
        results_lose(results, 1);
        return;
    }
    if (!post(results, line))
        results_lose(results, 1);
}

void results_lose(struct results *results, uint32_t count)
{
    if (results != NULL)
        results->main.lost += count;
}

void results_watch(struct results *results, struct watcher *watcher)
{
    watchers_add(&results->main.watchers, watcher);
}

void results_unwatch(struct results *results, struct watcher *watcher)
{
    watchers_remove(&results->main.watchers, watcher);
}

// An entry for a new query: the one with the oldest answer that is not in use; NULL: none.
static struct results_answer *find_free(struct results *results)
{
    struct results_answer *oldest = NULL;
    for (int i = 0; i < RESULTS_ANSWERS; i++) {
        struct results_answer *answer = &results->main.answers[i];
        if (answer->holders == 0 && answer->state != RESULTS_ANSWER_ASKED &&
            (oldest == NULL || answer->answered_ms < oldest->answered_ms))
            oldest = answer;
    }
    return oldest;
}

static struct results_answer *find_same(struct results *results, const struct results_query *query)
{
    const uint64_t now_ms = monotonic_ms();
    for (int i = 0; i < RESULTS_ANSWERS; i++) {
        struct results_answer *answer = &results->main.answers[i];
        const bool is_fresh = answer->state == RESULTS_ANSWER_ASKED ||
                              (answer->state == RESULTS_ANSWER_READY &&
                               now_ms - answer->answered_ms < RESULTS_FRESH_MS);
        if (is_fresh && memcmp(&answer->query, query, sizeof *query) == 0)
            return answer;
    }
    return NULL;
}

static struct results_answer *find_asked(struct results *results)
{
    struct results_answer *first = NULL;
    for (int i = 0; i < RESULTS_ANSWERS; i++) {
        struct results_answer *answer = &results->main.answers[i];
        if (answer->state == RESULTS_ANSWER_ASKED &&
            (first == NULL || answer->number < first->number))
            first = answer;
    }
    return first;
}

// Posts the oldest query that is asked. A query begins after IDLE_SHARE times the duration of the
// one before, so that the queries of strangers take at most a quarter of a processor.
static void ask_next(void *context)
{
    struct results *results = context;
    struct results_answer *answer = results->main.is_querying ? NULL : find_asked(results);
    if (answer == NULL)
        return;
    if (monotonic_ms() < results->main.query_ms) {
        loop_set_timer(results->main.next_query, results->main.query_ms);
        return;
    }
    results->main.is_querying = true;
    job_thread_post(results->thread, &answer->job);
}

static void end_query(struct job *job)
{
    enum { IDLE_SHARE = 3, NS_PER_MS = 1000000 };
    struct results_answer *answer = (struct results_answer *)job;
    struct results *results = answer->results;
    answer->state = RESULTS_ANSWER_READY;
    answer->answered_ms = monotonic_ms();
    results->main.is_querying = false;
    results->main.query_ms = answer->answered_ms + answer->took_ns * IDLE_SHARE / NS_PER_MS + 1;
    watchers_call(&results->main.watchers);
    ask_next(results);
}

struct results_answer *results_ask(struct results *results, const struct results_query *query)
{
    assert(query->limit >= 1);
    struct results_answer *answer = find_same(results, query);
    if (answer == NULL && (answer = find_free(results)) != NULL) {
        free(answer->text);
        *answer = (struct results_answer){.job = {.work = results_work_query, .done = end_query},
                                          .results = results,
                                          .state = RESULTS_ANSWER_ASKED,
                                          .number = ++results->main.asked};
        memcpy(&answer->query, query, sizeof *query); // with its padding
        ask_next(results);
    }
    if (answer != NULL)
        answer->holders++;
    return answer;
}

bool results_answered(const struct results_answer *answer, const char **text)
{
    const bool is_ready = answer->state == RESULTS_ANSWER_READY;
    *text = is_ready ? answer->text : NULL; // which the thread's job writes until then
    return is_ready;
}

void results_release(struct results_answer *answer)
{
    assert(answer->holders > 0);
    answer->holders--;
}
