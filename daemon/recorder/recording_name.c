// SPDX-License-Identifier: MIT
// Writes and reads file names of recordings. The calendar is computed here, because gmtime_r(3)
// takes a lock and may read the time zone's file, and workers name files.
#include "recording_name.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DAY_S = 86400, YEARS = 10000 };

static_assert(RECORDING_NAME_BYTES > RAIM_MAX_ARENA_BYTES + sizeof "-YYYYMMDDTHHMMSSZ" +
                                         2 * sizeof "-r4294967295" + sizeof "-clip" +
                                         sizeof RECORDING_SUFFIX,
              "the longest name fits");

struct date {
    int year, month, day; // from 1 on
};

// Howard Hinnant, chrono-Compatible Low-Level Date Algorithms, civil_from_days, for days from 1970
// on. A year begins in March, so that the leap day is its last.
static struct date date_of(int64_t days)
{
    enum { TO_1970 = 719468, ERA = 146097 };
    const int64_t shifted = days + TO_1970;
    const int64_t era = shifted / ERA;
    const int64_t day_of_era = shifted % ERA;
    const int64_t year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
    const int64_t day_of_year =
        day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    const int64_t month = (5 * day_of_year + 2) / 153; // from March
    return (struct date){
        .year = (int)(year_of_era + era * 400 + (month >= 10)),
        .month = (int)(month < 10 ? month + 3 : month - 9),
        .day = (int)(day_of_year - (153 * month + 2) / 5 + 1),
    };
}

// The same source, days_from_civil.
static int64_t days_of(struct date date)
{
    enum { TO_1970 = 719468, ERA = 146097 };
    const int64_t year = date.year - (date.month <= 2);
    const int64_t era = year / 400;
    const int64_t year_of_era = year % 400;
    const int64_t month = date.month > 2 ? date.month - 3 : date.month + 9;
    const int64_t day_of_year = (153 * month + 2) / 5 + date.day - 1;
    return era * ERA + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year -
           TO_1970;
}

void recording_name_write(const struct recording_name *name, char text[RECORDING_NAME_BYTES])
{
    const struct date date = date_of(name->start_s / DAY_S);
    const int second = (int)(name->start_s % DAY_S);
    char part[sizeof "-p4294967295"] = "";
    if (name->part > 1)
        snprintf(part, sizeof part, "-p%u", name->part);
    snprintf(text, RECORDING_NAME_BYTES, "%s-%04d%02d%02dT%02d%02d%02dZ-r%u%s%s%s", name->arena,
             date.year % YEARS, date.month, date.day, second / 3600, second / 60 % 60, second % 60,
             name->round, part, name->is_clip ? "-clip" : "", RECORDING_SUFFIX);
}

// Removes a text from the end of another. Returns false if it does not end so.
static bool strip(char *text, const char *end)
{
    const size_t length = strlen(text), end_length = strlen(end);
    if (length < end_length || strcmp(text + length - end_length, end) != 0)
        return false;
    text[length - end_length] = '\0';
    return true;
}

// Removes "-" with a letter and a number from the end. Returns false if the text does not end so.
static bool strip_number(char *text, char letter, uint32_t *number)
{
    char *dash = strrchr(text, '-');
    if (dash == NULL || dash[1] != letter || dash[2] < '1' || dash[2] > '9')
        return false;
    const size_t digits = strspn(dash + 2, "0123456789");
    const unsigned long long value = strtoull(dash + 2, NULL, 10);
    if (dash[2 + digits] != '\0' || digits > 10 || value > UINT32_MAX)
        return false;
    *number = (uint32_t)value;
    *dash = '\0';
    return true;
}

// Removes "-YYYYMMDDTHHMMSSZ" from the end. Returns false if the text does not end so.
static bool strip_time(char *text, int64_t *start_s)
{
    struct date date;
    int hour, minute, second, length = 0;
    char *dash = strrchr(text, '-');
    if (dash == NULL ||
        sscanf(dash, "-%4d%2d%2dT%2d%2d%2dZ%n", &date.year, &date.month, &date.day, &hour, &minute,
               &second, &length) != 6 ||
        length == 0 || dash[length] != '\0' || date.year < 1970 || date.month < 1 ||
        date.month > 12 || date.day < 1 || date.day > 31 || hour < 0 || hour > 23 || minute < 0 ||
        minute > 59 || second < 0 || second > 59)
        return false;
    *start_s = days_of(date) * DAY_S + hour * 3600 + minute * 60 + second;
    *dash = '\0';
    return true;
}

bool recording_name_read(const char *text, struct recording_name *name)
{
    char rest[RECORDING_NAME_BYTES], again[RECORDING_NAME_BYTES];
    const size_t length = strlen(text);
    *name = (struct recording_name){.part = 1};
    if (length >= sizeof rest)
        return false;
    memcpy(rest, text, length + 1);
    if (!strip(rest, RECORDING_SUFFIX))
        return false;
    name->is_clip = strip(rest, "-clip");
    strip_number(rest, 'p', &name->part); // absent: 1
    if (!strip_number(rest, 'r', &name->round) || !strip_time(rest, &name->start_s))
        return false;
    const size_t arena = strspn(rest, "abcdefghijklmnopqrstuvwxyz0123456789_-");
    if (arena < 1 || arena > RAIM_MAX_ARENA_BYTES || rest[arena] != '\0')
        return false;
    memcpy(name->arena, rest, arena + 1);
    recording_name_write(name, again);
    return strcmp(again, text) == 0; // "-p1", and days that a month does not have
}
