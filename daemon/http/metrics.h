// SPDX-License-Identifier: MIT
// The metrics of all arenas and workers in Prometheus' text format: what `GET /metrics` answers.
#pragma once

#include "arena_list.h"

#include <stdint.h>

#define METRICS_TYPE "text/plain; version=0.0.4; charset=utf-8"

// A NUL-terminated text that the caller frees, or NULL when memory runs out.
char *metrics_text(const struct arena_list *list, uint64_t now_ms);
