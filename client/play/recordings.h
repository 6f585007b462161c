// SPDX-License-Identifier: MIT
// The list of the recordings in some folders.
#pragma once

#include "recording.h"

#include <stdbool.h>
#include <stdint.h>

enum { RECORDINGS_PATH_BYTES = 1024, RECORDINGS_MOST = 250 };

struct recordings_entry {
    char path[RECORDINGS_PATH_BYTES];
    bool is_good;
    struct raim_recording_info info;        // is_good
    char fault[RAIM_RECORDING_ERROR_BYTES]; // otherwise: why it cannot be played
};

struct recordings {
    uint32_t count;
    struct recordings_entry entries[RECORDINGS_MOST]; // newest first, faulty ones last
};

// Whether a name is that of a recording: it ends in ".raimrec".
bool recordings_is_name(const char *name);

// $XDG_DATA_HOME/raim/recordings, or below ~/.local/share without the variable. False where the
// environment names none or it is too long.
bool recordings_home(char *folder, size_t capacity);

// Adds the recordings of a folder, which need not exist. Of more than fit the newest are kept; of a
// folder with more than 10,000 files some may be missing.
void recordings_add(struct recordings *recordings, const char *folder);
