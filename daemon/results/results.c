// SPDX-License-Identifier: MIT
// The main thread's side: hands results and queries to the thread of results_thread.c under a
// mutex that is held for moments.
#define _GNU_SOURCE
#include "results_internal.h"

#include "log.h"
#include "loop.h"
#include "monotonic.h"

#include <assert.h>
#include <errno.h>
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
     METRIC_COUNTER, MAIN(all_lost)},
};

const struct metric_table results_metrics = {
    .group = "results", .meaning = "Results of rounds, since the start.", METRIC_ROWS(count_rows)};

// --- Life ---

static void destroy(struct results *results)
{
    for (int i = 0; i < RESULTS_ANSWERS; i++)
        free(results->shared.answers[i].text);
    while (results->shared.first != NULL) { // the thread was not started
        struct results_line *line = results->shared.first;
        results->shared.first = line->next;
        free(line->text);
        free(line);
    }
    result_log_close(results->own.log);
    loop_remove(results->main.news);
    wakeup_close(&results->wakeup);
    pthread_cond_destroy(&results->shared.work);
    pthread_mutex_destroy(&results->shared.lock);
    free(results);
}

static void update_counts(struct results *results)
{
    pthread_mutex_lock(&results->shared.lock);
    const uint64_t written = results->shared.written, lost = results->shared.lost;
    pthread_mutex_unlock(&results->shared.lock);
    results->main.written = written;
    results->main.all_lost = lost + results->main.lost;
}

static void take_news(void *context)
{
    struct results *results = context;
    wakeup_clear(&results->wakeup);
    update_counts(results);
    watchers_call(&results->main.watchers);
}

struct results *results_create(const struct results_def *def)
{
    struct results *results = calloc(1, sizeof *results);
    pthread_condattr_t monotonic;
    if (results == NULL)
        return NULL;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_mutex_init(&results->shared.lock, NULL);
    pthread_cond_init(&results->shared.work, &monotonic);
    pthread_condattr_destroy(&monotonic);
    results->shared.last = &results->shared.first;
    if (wakeup_open(&results->wakeup))
        results->main.news =
            loop_add_descriptor(def->loop, results->wakeup.descriptor, take_news, results);
    if (results->main.news != NULL && def->directory == NULL)
        return results;
    if (results->main.news != NULL) {
        snprintf(results->own.path, sizeof results->own.path, "%s/results.db", def->directory);
        results->own.log = result_log_create(def->directory);
    }
    if (results->own.log != NULL)
        return results;
    destroy(results);
    return NULL;
}

bool results_start(struct results *results)
{
    errno = pthread_create(&results->main.thread, NULL, results_run_thread, results);
    results->main.has_thread = errno == 0;
    return results->main.has_thread;
}

void results_close(struct results *results)
{
    if (results == NULL)
        return;
    pthread_mutex_lock(&results->shared.lock);
    results->shared.is_ending = true;
    pthread_cond_signal(&results->shared.work);
    pthread_mutex_unlock(&results->shared.lock);
    if (results->main.has_thread)
        pthread_join(results->main.thread, NULL);
    destroy(results);
}

// --- Results ---

// Hands a line to the thread, and takes it. Returns false if too much waits.
static bool post(struct results *results, char *line)
{
    struct results_line *entry = malloc(sizeof *entry);
    const size_t size = strlen(line);
    if (entry == NULL) {
        free(line);
        return false;
    }
    *entry = (struct results_line){.text = line, .size = size};
    pthread_mutex_lock(&results->shared.lock);
    const bool has_room = results->shared.waiting_bytes + size <= RESULTS_WAITING_BYTES;
    if (has_room) {
        *results->shared.last = entry;
        results->shared.last = &entry->next;
        results->shared.waiting_bytes += size;
        pthread_cond_signal(&results->shared.work);
    }
    pthread_mutex_unlock(&results->shared.lock);
    if (has_room)
        return true;
    free(entry->text);
    free(entry);
    return false;
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
    if (results == NULL || count == 0)
        return;
    results->main.lost += count;
    update_counts(results);
}

void results_watch(struct results *results, struct watcher *watcher)
{
    watchers_add(&results->main.watchers, watcher);
}

void results_unwatch(struct results *results, struct watcher *watcher)
{
    watchers_remove(&results->main.watchers, watcher);
}

// --- Queries ---

// An entry for a new query: the one whose answer is oldest of those that nobody holds; NULL: none.
static struct results_answer *find_free(struct results *results)
{
    struct results_answer *oldest = NULL;
    for (int i = 0; i < RESULTS_ANSWERS; i++) {
        struct results_answer *answer = &results->shared.answers[i];
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
        struct results_answer *answer = &results->shared.answers[i];
        const bool is_fresh = answer->state == RESULTS_ANSWER_ASKED ||
                              (answer->state == RESULTS_ANSWER_READY &&
                               now_ms - answer->answered_ms < RESULTS_FRESH_MS);
        if (is_fresh && memcmp(&answer->query, query, sizeof *query) == 0)
            return answer;
    }
    return NULL;
}

struct results_answer *results_ask(struct results *results, const struct results_query *query)
{
    assert(query->limit >= 1);
    pthread_mutex_lock(&results->shared.lock);
    struct results_answer *answer = find_same(results, query);
    if (answer == NULL && (answer = find_free(results)) != NULL) {
        free(answer->text);
        *answer = (struct results_answer){
            .query = *query,
            .state = RESULTS_ANSWER_ASKED,
            .number = ++results->main.asked,
        };
        memcpy(&answer->query, query, sizeof *query); // with its padding
        pthread_cond_signal(&results->shared.work);
    }
    if (answer != NULL)
        answer->holders++;
    pthread_mutex_unlock(&results->shared.lock);
    return answer;
}

bool results_answered(struct results *results, const struct results_answer *answer,
                      const char **text)
{
    pthread_mutex_lock(&results->shared.lock);
    const bool is_ready = answer->state == RESULTS_ANSWER_READY;
    *text = answer->text;
    pthread_mutex_unlock(&results->shared.lock);
    return is_ready;
}

void results_release(struct results *results, struct results_answer *answer)
{
    pthread_mutex_lock(&results->shared.lock);
    assert(answer->holders > 0);
    answer->holders--;
    pthread_mutex_unlock(&results->shared.lock);
}
