// SPDX-License-Identifier: MIT
// Parses durations.
#include "duration.h"

#include <stdlib.h>
#include <string.h>

unsigned long long duration_read(const char *text)
{
    static const char units[] = "smhd";
    static const unsigned long long seconds[] = {1, 60, 3600, 86400};
    const size_t digits = strspn(text, "0123456789");
    const char *unit = text[digits] == '\0' ? units : strchr(units, text[digits]);
    if (digits < 1 || digits > 9 || unit == NULL ||
        (text[digits] != '\0' && text[digits + 1] != '\0'))
        return 0;
    return strtoull(text, NULL, 10) * seconds[unit - units];
}
