// SPDX-License-Identifier: MIT
// Map files: a border, obstacles and spawns in libconfig's syntax.
#pragma once

#include "map.h"
#include "reader.h"

// Loads a map for players of this radius. Returns NULL after reporting every mistake, or that
// memory ran out; what is only odd is reported as a warning. `named_at` is the place to blame when
// the file cannot be read at all, or NULL for the file itself.
struct raim_map *map_file_load(const char *path, const char *named_at, double radius,
                               struct diagnostics *diagnostics);

// The same for a text in memory that goes by the name of `path`.
struct raim_map *map_file_parse(const char *path, const char *text, double radius,
                                struct diagnostics *diagnostics);

// The table of a map file's keys.
const struct reader_key *map_file_keys(int *count);
