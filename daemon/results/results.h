// SPDX-License-Identifier: MIT
// The results of rounds: each is a line of results.jsonl (result_log.h), a row of a database for
// the leaderboard (result_db.h) and a line of the log. One thread,
// `raimd-results`, writes the files and answers queries. What the main thread hands over is
// bounded: beyond it a result is lost and counted, and a query rejected.
// Thread rule: the main thread.
#pragma once

#include "metric.h"
#include "round_report.h"
#include "watchers.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

extern const struct metric_table results_metrics; // of a struct results

struct loop;
struct results;

struct results_def {
    const char *directory; // of the files; NULL: a database in memory, which is logged
    struct loop *loop;     // borrowed
};

// Returns NULL when memory runs out. What is added before results_start is queued until then.
struct results *results_create(const struct results_def *def);

// Starts the thread, which opens the files: call it in the sandbox. Returns false with errno.
bool results_start(struct results *results);

// Waits until every result is written, if the thread was started. Queries must have been released.
// Takes NULL.
void results_close(struct results *results);

// Records a round that has ended. Copies the report. Does nothing where nobody played, or for NULL.
void results_add(struct results *results, const struct round_report *report);

// Counts results that were lost before they were handed over. Takes NULL.
void results_lose(struct results *results, uint32_t count);

// Calls a watcher, which it borrows, whenever queries are answered.
void results_watch(struct results *results, struct watcher *watcher);
void results_unwatch(struct results *results, struct watcher *watcher);

// --- Queries ---

enum results_kind { RESULTS_LEADERBOARD, RESULTS_ROUNDS };
enum results_period { RESULTS_ALL, RESULTS_DAY, RESULTS_WEEK, RESULTS_MONTH };

#define RESULTS_MAX_ROUNDS 1000 // of an answer; it is also bounded in bytes, see result_db.h
#define RESULTS_MAX_PLAYERS 100

// Zero it first: queries are compared as bytes.
struct results_query {
    enum results_kind kind;
    enum results_period period; // of a leaderboard: today in UTC, the last 7 or 30 days, or all
    int64_t since_ms;           // of rounds: those that ended then or later
    uint32_t limit;             // of rows
    char arena[RAIM_MAX_ARENA_BYTES + 1]; // an arena, or the template of arenas on demand; "": all
    char map[RAIM_MAP_NAME_BYTES];        // of a leaderboard; "": all
};

// The name of a period, and back; false for another text.
const char *results_period_name(enum results_period period);
bool results_period_find(const char *name, enum results_period *period);

struct results_answer;

// Asks a query, or takes the answer of the same one if it is at most RESULTS_FRESH_MS old. Returns
// NULL if too many wait, or when memory runs out. Release the answer.
#define RESULTS_FRESH_MS 2000
struct results_answer *results_ask(struct results *results, const struct results_query *query);

// Whether it is answered; `text` is then the JSON, valid until the release, or NULL if it failed.
bool results_answered(const struct results_answer *answer, const char **text);

void results_release(struct results_answer *answer);
