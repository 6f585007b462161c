// SPDX-License-Identifier: MIT
// Arenas and workers that are made up, and the functions of the real ones that tell of them.
#pragma once

#include "arena_list.h"

struct arena {
    struct config_arena config;
    struct raim_map map;
    struct overload overload;
    struct arena_status *status;
    uint16_t port;
    uint64_t ticked_ms;
    unsigned asked; // how often for its status
};

struct worker {
    uint64_t busy_ns;
};
