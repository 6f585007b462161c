// SPDX-License-Identifier: MIT
// The structure of the results, private to results.c, the main thread's side, and
// results_thread.c.
#pragma once

#include "result_db.h"
#include "result_json.h"
#include "result_log.h"
#include "results.h"
#include "wakeup.h"

#include <limits.h>
#include <pthread.h>

#define RESULTS_ANSWERS 16                       // queries that wait, are read or are fresh
#define RESULTS_WAITING_BYTES ((size_t)16 << 20) // of results that wait to be written

// A result that waits to be written.
struct results_line {
    struct results_line *next;
    char *text; // owned
    size_t size;
};

enum results_answer_state { RESULTS_ANSWER_FREE, RESULTS_ANSWER_ASKED, RESULTS_ANSWER_READY };

struct results_answer {
    struct results_query query;
    enum results_answer_state state;
    uint64_t number;      // ascending: the thread answers in this order
    uint64_t answered_ms; // CLOCK_MONOTONIC
    unsigned holders;
    char *text; // owned; NULL: it failed
};

struct results {
    struct wakeup wakeup; // of the main thread, signalled by the thread

    // Only the main thread touches it.
    struct {
        pthread_t thread;
        bool has_thread;
        struct loop_source *news; // of the thread
        struct watchers watchers;
        uint64_t written, all_lost; // at the last news, for the status
        uint64_t lost;              // before they reached the thread
        uint64_t asked;
    } main;

    // Only the thread touches it.
    struct {
        char path[PATH_MAX];    // of the database; "": in memory
        struct result_log *log; // NULL: none
        struct result_db *db;   // NULL: it could not be opened
        bool log_has_failed, db_has_failed;
        uint64_t query_ns; // CLOCK_MONOTONIC; the next query begins then or later
        uint64_t retry_ms; // CLOCK_MONOTONIC; a database that could not be opened is tried again
    } own;

    struct {
        pthread_mutex_t lock; // of all members; held for moments
        pthread_cond_t work;
        bool is_ending;
        struct results_line *first, **last;
        size_t waiting_bytes;
        uint64_t written, lost;
        struct results_answer answers[RESULTS_ANSWERS];
    } shared;
};

// Runs until `is_ending` is set and every result is written.
void *results_run_thread(void *results);
