// SPDX-License-Identifier: MIT
// The files of a page: small texts in the browser's storage, and one recording in memory.
#pragma once

#include "files.h"

// Keeps a recording, which files_map finds and files_list lists from now on. Takes the allocated
// bytes, frees the previous recording, and returns the path.
const char *files_keep_recording(const char *name, uint8_t *bytes, size_t size);
