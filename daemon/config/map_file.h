// SPDX-License-Identifier: MIT
// Loader of map files: name, border, obstacles and spawns in libconfig's syntax.
#pragma once

#include "map.h"
#include "reader.h"

// Loads a map and checks it for players of this radius in units. Returns NULL after reporting every
// mistake or that memory ran out; overlapping obstacles are warnings. `named_at` is the location to
// report if the file cannot be read: where it is named, or NULL for the file itself.
struct raim_map *map_file_load(const char *path, const char *named_at, double radius,
                               struct diagnostics *diagnostics);

// Loads a map from a text in memory; messages call it `path`. Returns NULL after reporting every
// mistake.
struct raim_map *map_file_parse(const char *path, const char *text, double radius,
                                struct diagnostics *diagnostics);

// The table of a map file's keys and the number of its rows.
const struct reader_key *map_file_keys(int *count);
