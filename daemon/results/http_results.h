// SPDX-License-Identifier: MIT
// Answers requests for the leaderboard and for results of rounds once the thread of results.h has:
// meanwhile the connection is suspended.
//     /leaderboard?period=day|week|month|all&arena=NAME&map=NAME&limit=N
//     /results?since=SECONDS&arena=NAME&limit=N
// Main thread only.
#pragma once

#include "results.h"

#include <stdbool.h>

struct http_services;
struct loop;

// Serves the leaderboard and, for operators, the rounds. Borrows the results; NULL: none are
// recorded. Returns false when memory runs out.
bool http_results_serve(struct http_services *services, struct loop *loop, struct results *results,
                        bool is_for_operators);

// How long a query may wait.
#define HTTP_RESULTS_MS 5000U
