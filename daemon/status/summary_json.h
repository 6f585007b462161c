// SPDX-License-Identifier: MIT
// The document that the dashboard asks for every two seconds: some 300 bytes of each arena, without
// its players. Main thread only.
#pragma once

#include "status.h"

#include <stdint.h>

// Returns a string that the caller frees, or NULL when memory runs out. See summary.schema.json.
char *summary_json(const struct status_view *view, uint64_t now_ms);
