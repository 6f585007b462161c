// SPDX-License-Identifier: MIT
// Formats the daemon's JSON responses as text tables. Each function takes the JSON of a response
// and returns false if it has an unexpected structure, where nothing else is said.
#pragma once

#include "commands.h"

#include <stdbool.h>
#include <stdio.h>

bool tables_status(const char *json, FILE *out);

// Players of one arena, or of all if `arena` is NULL.
bool tables_players(const char *json, const char *arena, FILE *out);
bool tables_bans(const char *json, FILE *out);

// The votes that run, of a status; of one arena, or of all with NULL.
bool tables_votes(const char *text, const char *arena, FILE *out);

// The changes of a reload, one line each.
bool tables_reload(const char *json, FILE *out);

// The mistakes in a response, one line each; nothing without mistakes.
void tables_print_mistakes(const char *json, FILE *out);

// Copies the error message of a response, cut to `capacity` bytes; "" without one.
void tables_problem(const char *json, char *problem, size_t capacity);

// Whether an arena of this name is in a status.
bool tables_has_arena(const char *json, const char *name);

// Number of connected players in a status; -1 if the JSON has none. Where it is not `shown`, prints
// it with the players' names by arena.
long tables_players_left(const char *json, long shown, FILE *out);

// Arenas made on request.
bool arena_print(const char *json, FILE *out);
bool arena_print_list(const char *json, FILE *out);
bool arena_print_templates(const char *json, FILE *out);
bool arena_print_capacity(const char *json, FILE *out);

enum { RESULTS_QUERY_BYTES = 512 };

// The path of a request with a query of the options --since, --period, --arena, --map and --limit.
// Returns false with the reason in `problem`.
bool results_make_query(const char *path, const struct call *call, char query[RESULTS_QUERY_BYTES],
                        const char **problem);

bool results_print(const char *json, FILE *out);
bool results_print_leaderboard(const char *json, FILE *out);

// A string that is a member of a document, or "-".
struct json_t;
const char *text_of(const struct json_t *object, const char *key);

// An integer that is a member, or 0.
long long number_of(const struct json_t *object, const char *key);
