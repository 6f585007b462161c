// SPDX-License-Identifier: MIT
// The list of recordings, put together from the pages that raimd sends, and the names of their
// files.
#pragma once

#include <stdbool.h>
#include <stdio.h>

#define RECORDING_CURSOR_BYTES 128

struct recordings;

// Returns NULL when memory runs out.
struct recordings *recordings_create(void);

// Takes NULL.
void recordings_destroy(struct recordings *recordings);

// Adds a page, without the recordings of other arenas than `arena` unless that is NULL. Sets the
// cursor of the next page, "" behind the last one. Returns false if the page cannot be read.
bool recordings_add(struct recordings *recordings, const char *json, const char *arena,
                    char next[RECORDING_CURSOR_BYTES]);

// Print the list as a table, or as JSON.
bool recordings_print(const struct recordings *recordings, FILE *out);
bool recordings_print_json(const struct recordings *recordings, FILE *out);

bool recordings_is_empty(const struct recordings *recordings);

// Whether a text can be the name of a recording, and so part of a URL or a file's name.
bool recordings_is_name(const char *text);

// Prints the name of a recording that an answer has in "recording". Returns false if it has none.
bool recordings_print_name(const char *json, FILE *out);
