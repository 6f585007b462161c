// SPDX-License-Identifier: MIT
// The results of rounds and the leaderboard: queries, and answers as text.
#pragma once

#include "commands.h"

#include <stdbool.h>
#include <stdio.h>

enum { RESULTS_QUERY_BYTES = 512 };

// The path of a request with a query of the options --since, --period, --arena, --map and --limit.
// Returns false with the reason in `problem`.
bool results_make_query(const char *path, const struct call *call, char query[RESULTS_QUERY_BYTES],
                        const char **problem);

// Each function takes the JSON of a response and returns false if it has an unexpected structure.
bool results_print(const char *json, FILE *out);
bool results_print_leaderboard(const char *json, FILE *out);
