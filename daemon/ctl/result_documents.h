// SPDX-License-Identifier: MIT
// The results of rounds and the leaderboard: queries, and answers as text.
#pragma once

#include <stdbool.h>
#include <stdio.h>

enum { RESULTS_QUERY_BYTES = 512 };

// Options as typed; NULL if not given.
struct results_options {
    const char *since, *period, *arena, *map, *limit;
};

// The path of a request with its query. Returns false with the reason in `problem`.
bool results_make_query(const char *path, const struct results_options *options,
                        char query[RESULTS_QUERY_BYTES], const char **problem);

// Each function takes the JSON of a response and returns false if it has an unexpected structure.
bool results_print(const char *json, FILE *out);
bool results_print_leaderboard(const char *json, FILE *out);
