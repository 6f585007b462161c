// SPDX-License-Identifier: MIT
// Parser of durations on the command line.
#pragma once

// Parses "90", "90s", "15m", "2h" or "7d" (up to 9 digits) and returns seconds; 0 for any other
// text.
unsigned long long duration_read(const char *text);
