// SPDX-License-Identifier: MIT
// raimrec verify: plays recordings again and compares every digest and keyframe in them.
#pragma once

#include <stdio.h>

// Exit statuses, in the order in which the first that applies to any file wins.
enum verify_status {
    VERIFY_GOOD = 0,
    VERIFY_DIFFERS = 1,        // or is damaged
    VERIFY_UNREADABLE = 66,    // EX_NOINPUT of sysexits.h
    VERIFY_OTHER_VERSION = 76, // EX_PROTOCOL: the recording needs another version
};

// Verifies the files in turn and prints a line for each, with the lines that explain it behind.
enum verify_status verify_files(char *const *paths, int count, FILE *out);
