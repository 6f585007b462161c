// SPDX-License-Identifier: MIT
// Parses durations and dates.
#define _GNU_SOURCE
#include "duration.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

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

long long date_read(const char *text)
{
    static const char *const forms[] = {"%Y-%m-%d", "%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S",
                                        "%Y-%m-%dT%H:%M:%SZ"};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        struct tm when = {0};
        const char *end = strptime(text, forms[i], &when);
        if (end != NULL && *end == '\0' && timegm(&when) >= 0)
            return timegm(&when);
    }
    return -1;
}
