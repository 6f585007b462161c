// SPDX-License-Identifier: MIT
// Durations as operators write them.
#pragma once

// "90", "90s", "15m", "2h" or "7d" in seconds; 0 for anything else.
unsigned long long duration_read(const char *text);
