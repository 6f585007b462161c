// SPDX-License-Identifier: MIT
// The metrics of the whole process: those that every Prometheus client library has (process_...),
// the build, workers, rooms, results, control, Agones. Main thread only.
#pragma once

#include "arena_list.h"

#include <stdint.h>
#include <stdio.h>

void metrics_process(FILE *out, const struct arena_list *list, uint64_t now_ms);
