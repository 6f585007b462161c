// SPDX-License-Identifier: MIT
// The metrics of the process, its modules and all arenas in Prometheus' text format: what `GET
// /metrics` answers.
#pragma once

#include "status.h"

#include <stdint.h>

#define METRICS_TYPE "text/plain; version=0.0.4; charset=utf-8"

// A NUL-terminated text that the caller frees, or NULL when memory runs out.
char *metrics_text(const struct status_view *view, uint64_t now_ms);
