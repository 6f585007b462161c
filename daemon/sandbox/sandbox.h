// SPDX-License-Identifier: MIT
// What the process gives up once it has started, so that whoever takes it over gets little more
// than the game: system calls (seccomp) and files (Landlock).
#pragma once

#include "path_list.h"

#include <stdbool.h>

// What a running raimd still reaches. All of it is borrowed.
struct sandbox_paths {
    const struct path_list *readable; // directories
    const struct path_list *writable; // directories
    const char *control;              // the file that is removed at the end; NULL: none
};

struct sandbox_report {
    bool is_whole;     // both hold
    char seccomp[64];  // "on", or in words why not
    char landlock[64]; // "abi N", or in words why not
};

// Leaves no core of this process, whose memory holds secrets, and lets nobody but root trace it.
void sandbox_forbid_cores(void);

// Enters the sandbox for good. To be called when everything is open and no other thread runs: the
// files are restricted for the calling thread and those that it starts. Neither half needs the
// other, and where the kernel has none of them the process runs on as it is.
struct sandbox_report sandbox_enter(const struct sandbox_paths *paths);

// Words to be put behind an error of open(2) when the sandbox was its reason, else "".
const char *sandbox_hint(const char *path, int error);
