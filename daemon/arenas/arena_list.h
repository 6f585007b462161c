// SPDX-License-Identifier: MIT
// The running arenas and their workers, for the modules that read their status or send them
// commands. Main thread only.
#pragma once

#include "arena.h"
#include "arena_load.h"
#include "config.h"
#include "worker.h"

#include <stdbool.h>
#include <stdint.h>

struct arena_list {
    int count;
    struct arena *arenas[CONFIG_MAX_ARENAS]; // in the order of the status
    int worker_count;
    struct worker **workers;
    struct worker_load loads[CONFIG_MAX_WORKERS]; // of the workers
};

// The index of the running arena of this name, or -1.
int arena_list_find(const struct arena_list *list, const char *name);

// The index of an arena, or -1. The pointer is only compared; the arena may have been destroyed.
int arena_list_index(const struct arena_list *list, const struct arena *arena);
