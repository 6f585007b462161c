// SPDX-License-Identifier: MIT
#include "fake_arena.h"

const struct arena_status *arena_status(struct arena *arena)
{
    arena->asked++;
    return arena->status;
}

struct overload *arena_overload(struct arena *arena)
{
    return &arena->overload;
}

const struct config_arena *arena_config(const struct arena *arena)
{
    return &arena->config;
}

uint16_t arena_port(const struct arena *arena)
{
    return arena->port;
}

uint64_t arena_ticked_ms(const struct arena *arena)
{
    return arena->ticked_ms;
}

uint64_t worker_busy_ns(const struct worker *worker)
{
    return worker->busy_ns;
}
