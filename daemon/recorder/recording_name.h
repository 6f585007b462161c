// SPDX-License-Identifier: MIT
// File names of recordings: ARENA-YYYYMMDDTHHMMSSZ-rROUND[-pPART][-clip].raimrec, with the time in
// UTC. Names consist of [A-Za-z0-9._-], so they need no escaping in URLs or shells. Pure functions.
// Any thread.
#pragma once

#include "wire_limits.h"

#include <stdbool.h>
#include <stdint.h>

#define RECORDING_NAME_BYTES 96 // of the longest name, with the closing NUL

#define RECORDING_SUFFIX ".raimrec"
#define RECORDING_PART_SUFFIX ".part" // appended while the file is being written
#define RECORDING_KEPT_SUFFIX ".kept" // appended: an empty file that exempts the recording

struct recording_name {
    char arena[RAIM_MAX_ARENA_BYTES + 1]; // [a-z0-9_-]+
    int64_t start_s;                      // unix time, years 1970 to 9999
    uint32_t round;                       // from 1 on
    uint32_t part;                        // from 1 on; the first one is not written
    bool is_clip;
};

// Writes the name of a file. The members must be in range.
void recording_name_write(const struct recording_name *name, char text[RECORDING_NAME_BYTES]);

// Reads a name. Returns false for every text that recording_name_write does not write: paths,
// hidden files, other suffixes, dates that do not exist, leading zeros.
bool recording_name_read(const char *text, struct recording_name *name);
