// SPDX-License-Identifier: MIT
// Reads what the list tells of a recording from its file: its name, its head and its index. Thread
// rule: any thread.
#pragma once

#include "recordings.h"

// Opens a finished recording for reading, without waiting and without following a symbolic link.
// Returns -1 with errno.
int recording_open_file(int directory, const char *name);

// Fills in the entry of a file. A file that cannot be read as a recording has the values of its
// name and its size alone. Returns false if there is no regular file of this name, or if the name
// is not a recording's.
bool recording_describe(int directory, const char *name, struct recording_entry *entry);
