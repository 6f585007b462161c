// SPDX-License-Identifier: MIT
// The structure of the results, private to results.c, the main thread's side, and
// results_thread.c.
#pragma once

#include "job_thread.h"
#include "result_db.h"
#include "result_json.h"
#include "result_log.h"
#include "results.h"

#include <limits.h>

#define RESULTS_ANSWERS 16                       // queries that wait, are read or are fresh
#define RESULTS_WAITING_BYTES ((size_t)16 << 20) // of results that wait to be written

// A result that waits to be written.
struct results_line {
    struct job job; // first
    struct results *results;
    char *text; // owned
    size_t size;
    bool is_written; // to results.jsonl
};

enum results_answer_state { RESULTS_ANSWER_FREE, RESULTS_ANSWER_ASKED, RESULTS_ANSWER_READY };

struct results_answer {
    struct job job; // first
    struct results *results;
    struct results_query query;
    enum results_answer_state state;
    uint64_t number;      // ascending: the queries are answered in this order
    uint64_t answered_ms; // CLOCK_MONOTONIC
    unsigned holders;
    char *text;       // owned; NULL: it failed
    uint64_t took_ns; // the query
};

struct results {
    struct job open; // first: the files, before anything else
    struct job_thread *thread;
    _Atomic bool is_ending; // what has no end is given up

    // Only the main thread touches it.
    struct {
        struct loop_source *next_query; // timer
        struct watchers watchers;
        size_t waiting_bytes;
        uint64_t written, lost; // results
        uint64_t asked;
        uint64_t query_ms; // CLOCK_MONOTONIC; the next query begins then or later
        bool is_started;
        bool is_querying;
        struct results_answer answers[RESULTS_ANSWERS];
    } main;

    // Only the thread's jobs touch it, and the main thread without one.
    struct {
        char path[PATH_MAX];    // of the database; "": in memory
        struct result_log *log; // NULL: none
        struct result_db *db;   // NULL: it could not be opened
        bool is_off;            // nothing is opened or written
        bool log_has_failed, db_has_failed;
        uint64_t retry_ms; // CLOCK_MONOTONIC; a database that could not be opened is tried again
    } own;
};

// The work of the three kinds of jobs, results_thread.c.
void results_work_open(struct job *job);
void results_work_line(struct job *job);
void results_work_query(struct job *job);
