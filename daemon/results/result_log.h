// SPDX-License-Identifier: MIT
// The file of results: one line of JSON each, appended, and rotated by size: results.jsonl.1 is the
// file before, and so on. A line that was being written when the process died is cut off when the
// file is opened. Thread rule: one thread.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RESULT_LOG_BYTES ((int64_t)8 << 20) // of a file; a longer line gets its own file
#define RESULT_LOG_FILES 8                  // besides the one that is written

struct result_log;

// Prepares to write `directory`/results.jsonl. Returns NULL when memory runs out.
struct result_log *result_log_create(const char *directory);

// Takes NULL.
void result_log_close(struct result_log *log);

// Appends a line, without its line feed. It is not synced to the disk: it has to survive the
// process, and a sync would delay a restart. On failure returns false with a reason, and the file
// is as it was: a later call tries again.
bool result_log_write(struct result_log *log, const char *line, size_t size, const char **problem);

// Reads the newest `files` files, at most RESULT_LOG_FILES + 1, from the oldest line to the newest.
// Lines that are too long or not ended are left out. Stops when `take` returns false.
void result_log_read(const struct result_log *log, int files,
                     bool (*take)(void *context, const char *line, size_t size), void *context);
