// SPDX-License-Identifier: MIT
// The files of a page: small texts in the browser's storage, and one recording in memory.
#pragma once

#include "files.h"

// Keeps a recording, which files_map finds and files_list lists from now on; takes the bytes, which
// were allocated. Frees the one before. Writes its path, and returns it.
const char *files_keep_recording(const char *name, uint8_t *bytes, size_t size);
