// SPDX-License-Identifier: MIT
// The text of a configuration file, made safe for libconfig, and where each line of it came from.
//
// libconfig ends the process when an @include names a directory, wraps integers beyond 32 bits
// silently, ignores an unclosed comment and blames the wrong line for an unclosed string. So the
// text is read here: includes are spliced in (relative to the including file), comments dropped,
// wide integers marked as such, and what libconfig would get wrong is reported.
#pragma once

#include "diagnostics.h"

#include <stddef.h>

// Files in one configuration, the first included: also what ends a file that includes itself.
#define SOURCE_MAX_FILES 64

// The size of a file in bytes. A map of 4096 obstacles has about half of it.
#define SOURCE_MAX_BYTES (4 * 1024 * 1024)

struct source;

// Reads a file. Returns NULL after reporting every mistake; `named_at` is the place to blame when
// the file itself cannot be read, or NULL.
struct source *source_open(const char *path, const char *named_at, struct diagnostics *diagnostics);

// The same for a text in memory that goes by the name of `path`; copies both.
struct source *source_open_text(const char *path, const char *text,
                                struct diagnostics *diagnostics);

void source_close(struct source *source);

// The text for libconfig, without @include.
const char *source_text(const struct source *source);

// Tells which file and line a line of the text came from. Lines count from 1; others mean the
// first file as a whole, whose line is 0.
const char *source_location(const struct source *source, unsigned text_line, unsigned *line);

// A path as seen from the directory of the file that names it; the caller frees it. NULL when
// memory runs out.
char *source_resolve(const char *naming_file, const char *path);
