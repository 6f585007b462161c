// SPDX-License-Identifier: MIT
// The database of results (SQLite): the newest rounds, and the totals of each player for the
// leaderboard, all-time and by day. Its size is bounded: of more than RESULT_DB_ROUNDS rounds the
// oldest are deleted, and of more than RESULT_DB_PLAYERS players those with unverified names go
// first, then the players who have not played for longest.
// Thread rule: one thread.
#pragma once

#include "result_json.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RESULT_DB_ROUNDS 20000
#define RESULT_DB_ROUND_BYTES ((int64_t)64 << 20) // of their lines
#define RESULT_DB_PLAYERS 20000
#define RESULT_DB_DAYS 31                    // that are kept apart
#define RESULT_DB_BYTES ((int64_t)256 << 20) // of the file

struct result_db;

// Opens a file or creates it; "": a database in memory. `is_new` says that it has no rounds. A file
// that cannot be read, or has another layout, is renamed to PATH.bad, which `problem` then says.
// Returns NULL with a reason in `problem`; otherwise "" unless there is something to say.
#define RESULT_DB_PROBLEM_BYTES 256
struct result_db *result_db_open(const char *path, bool *is_new,
                                 char problem[RESULT_DB_PROBLEM_BYTES]);

// Whether result_db_open would use a file; also of one that is missing or cannot be read now.
bool result_db_is_known(const char *path);

// Takes NULL.
void result_db_close(struct result_db *db);

// Whether the file turned out to be damaged. To move it aside, close it and open it again.
bool result_db_is_damaged(const struct result_db *db);

// Adds a round with its line, or replaces the one of the same arena and start. Returns false with
// the reason in result_db_problem.
bool result_db_add(struct result_db *db, const struct result *result, const char *line,
                   size_t size);

// Several additions between these two are written at once, much faster.
void result_db_begin(struct result_db *db);
bool result_db_end(struct result_db *db);

const char *result_db_problem(const struct result_db *db);

// When the newest round ended, in ms since 1970; 0: there is none.
int64_t result_db_newest_ms(struct result_db *db);

// The players with most points, then most wins, then fewest deaths, of the days from `first_day`
// on, counted since 1970, or of all time for -1. `arena` is an arena or template, "" all of them,
// as for `map`. Returns the number of rows; -1 on failure. Takes at most a second of CPU time.
int result_db_leaderboard(struct result_db *db, int64_t first_day, const char *arena,
                          const char *map, struct leaderboard_row *rows, uint32_t capacity);

// Passes the lines of the newest rounds that ended at `since_ms` or later, at most `limit` and
// RESULT_DB_PAGE_BYTES of them, from the oldest to the newest. Returns false on failure.
#define RESULT_DB_PAGE_BYTES ((int64_t)4 << 20)
bool result_db_rounds(struct result_db *db, int64_t since_ms, const char *arena, uint32_t limit,
                      void (*take)(void *context, const char *line, size_t size), void *context);
