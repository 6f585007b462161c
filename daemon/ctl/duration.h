// SPDX-License-Identifier: MIT
// Parsers of durations and dates on the command line.
#pragma once

// Parses "90", "90s", "15m", "2h" or "7d" (up to 9 digits) and returns seconds; 0 for any other
// text.
unsigned long long duration_read(const char *text);

// Parses a day of UTC, "2026-01-31", or a time of UTC, "2026-01-31T18:00", also with seconds and Z,
// and returns seconds since 1970; -1 for any other text.
long long date_read(const char *text);
