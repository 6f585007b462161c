// SPDX-License-Identifier: MIT
// Formats the daemon's JSON responses as text tables.
#pragma once

#include <stdbool.h>
#include <stdio.h>

// Each function takes the JSON of a response and returns false if it has an unexpected structure.

bool tables_status(const char *json, FILE *out);

// Players of one arena, or of all if `arena` is NULL.
bool tables_players(const char *json, const char *arena, FILE *out);
bool tables_bans(const char *json, FILE *out);

// The votes that run, of a status; of one arena, or of all with NULL.
bool tables_votes(const char *text, const char *arena, FILE *out);

// The changes of a reload, one line each.
bool tables_reload(const char *json, FILE *out);

// The mistakes in a response, one line each; nothing without mistakes.
void tables_mistakes(const char *json, FILE *out);

// Copies the error message of a response, cut to `capacity` bytes; "" without one.
void tables_problem(const char *json, char *problem, size_t capacity);

// Whether an arena of this name is in a status.
bool tables_has_arena(const char *json, const char *name);

// Number of connected players in a status; -1 if the JSON has none.
long tables_count_players(const char *json);
