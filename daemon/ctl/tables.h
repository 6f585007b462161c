// SPDX-License-Identifier: MIT
// The daemon's answers, written for people: tables of at most 80 columns.
#pragma once

#include <stdbool.h>
#include <stdio.h>

// Each takes the JSON of an answer and returns false when it is another than it should be.

bool tables_status(const char *json, FILE *out);

// `arena` NULL: of every arena.
bool tables_players(const char *json, const char *arena, FILE *out);
bool tables_bans(const char *json, FILE *out);

// What a reload did, a line for each change.
bool tables_reload(const char *json, FILE *out);

// The mistakes that an answer tells, a line each; nothing where it tells none.
void tables_mistakes(const char *json, FILE *out);

// What an answer says is wrong; "" where it says nothing. The text is cut to `capacity`.
void tables_problem(const char *json, char *problem, size_t capacity);

// How many clients play, by a status; -1 when it does not tell.
long tables_count_players(const char *json);
