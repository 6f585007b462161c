// SPDX-License-Identifier: MIT
// Answers requests for the leaderboard and for results of rounds once the thread of results.h has:
// meanwhile the connection is suspended.
//     /leaderboard?period=day|week|month|all&arena=NAME&map=NAME&limit=N
//     /results?since=SECONDS&arena=NAME&limit=N
// Main thread only.
#pragma once

#include "http_listener.h"
#include "results.h"

#include <stdbool.h>

struct http_results;
struct loop;

// Borrows the results. Returns NULL when memory runs out.
struct http_results *http_results_create(struct loop *loop, struct results *results);

// No connection may be suspended. Takes NULL.
void http_results_destroy(struct http_results *http_results);

// A step of a whole request for the leaderboard, or for the rounds. A request that waits gets a
// struct request_memory, and the step again.
bool http_results_answer(struct http_results *http_results, enum results_kind kind,
                         const struct http_request *step);

// How long a query may wait.
#define HTTP_RESULTS_MS 5000U

// Resumes every connection, so that they can end at the next run of the listener.
void http_results_end(struct http_results *http_results);
