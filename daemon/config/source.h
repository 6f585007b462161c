// SPDX-License-Identifier: MIT
// Preprocessed text of a configuration file, safe for libconfig, with the origin of each line.
//
// libconfig ends the process when an @include names a directory, wraps integers beyond 32 bits
// silently, ignores an unclosed comment and reports the wrong line for an unclosed string. This
// module therefore reads the files itself: it splices includes (paths are relative to the including
// file), drops comments, marks 64-bit integers, and reports input that libconfig would mishandle.
#pragma once

#include "diagnostics.h"

#include <stddef.h>

// Maximum number of files in one configuration, counting the first. The limit also ends recursive
// includes.
#define SOURCE_MAX_FILES 64

// Maximum size of a file in bytes. A map of 4096 obstacles takes about half of it.
#define SOURCE_MAX_BYTES (4 * 1024 * 1024)

struct source;

// Reads a file and its includes. Returns NULL after reporting every mistake. `named_at` is the
// location to report if the file cannot be read: where it is named, or NULL for the file itself.
struct source *source_open(const char *path, const char *named_at, struct diagnostics *diagnostics);

// Reads a text in memory; messages call it `path`. Copies both. Returns NULL after reporting every
// mistake.
struct source *source_open_text(const char *path, const char *text,
                                struct diagnostics *diagnostics);

void source_close(struct source *source);

// The preprocessed text, without @include and comments.
const char *source_text(const struct source *source);

// The file and line that a line of the text came from. Lines count from 1. A text_line out of range
// gives the first file and line 0.
const char *source_location(const struct source *source, unsigned text_line, unsigned *line);

// Resolves a path relative to the directory of the file that names it. The caller frees the result.
// Returns NULL when memory runs out.
char *source_resolve(const char *naming_file, const char *path);

// As source_resolve, but a relative path of no file there is one below `installed`, if there is a
// file: what is beside the naming file takes the place of what was installed.
char *source_find(const char *naming_file, const char *path, const char *installed);
