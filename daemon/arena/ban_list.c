// SPDX-License-Identifier: MIT
// Reads ban lists.
#define _GNU_SOURCE
#include "ban_list.h"

#include "name.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char giver[] = "list";

// Reads a time of UTC at the beginning of a text and moves behind it. Returns false for another
// text, which then is a reason, unless it begins like a time.
static bool read_until(char **text, int64_t *until_s, const char **problem)
{
    static const char *const forms[] = {"%Y-%m-%dT%H:%M:%SZ", "%Y-%m-%d"};
    const size_t length = strcspn(*text, " ");
    const bool looks_like_it = length >= 10 && strspn(*text, "0123456789") == 4 &&
                               (*text)[4] == '-' && strspn(*text + 5, "0123456789") == 2 &&
                               (*text)[7] == '-';
    for (size_t i = 0; looks_like_it && i < sizeof forms / sizeof *forms; i++) {
        struct tm when = {0};
        const char *end = strptime(*text, forms[i], &when);
        if (end != *text + length || timegm(&when) <= 0)
            continue;
        *until_s = timegm(&when);
        *text += length;
        *text += **text == ' ';
        return true;
    }
    if (looks_like_it)
        *problem = "want a time like 2026-01-31 or 2026-01-31T18:00:00Z";
    return false;
}

// Reads a line without its end. Returns what is wrong with it; NULL: nothing.
static const char *read_line(char *line, struct ban *ban)
{
    char cleaned[RAIM_MAX_TEXT_BYTES + 1];
    const char *problem = NULL;
    char *rest = line + strcspn(line, " ");
    if (*rest == ' ')
        *rest++ = '\0';
    *ban = (struct ban){0};
    if (!bans_parse(line, &ban->network, &ban->prefix))
        return "want an address or a network with no bits set behind its prefix";
    if (bans_is_wide(ban->network, ban->prefix))
        return "a list may ban no network wider than /8, or /16 of IPv6";
    read_until(&rest, &ban->until_s, &problem);
    if (problem != NULL)
        return problem;
    if (*rest != '\0' &&
        (!raim_text_clean(rest, cleaned, RAIM_MAX_TEXT_BYTES) || strcmp(rest, cleaned) != 0))
        return "want a reason of at most 120 bytes of UTF-8 without anything invisible";
    strcpy(ban->why, rest);
    strcpy(ban->by, giver);
    return NULL;
}

static bool is_comment(const char *line)
{
    return line[0] == '\0' || line[0] == '#';
}

// The number of lines that are no comments, which bounds the memory of the list.
static uint32_t count_networks(const char *text)
{
    uint32_t count = 0;
    for (const char *line = text; line != NULL && *line != '\0';) {
        const char *end = strchr(line, '\n');
        count += !(line[0] == '\n' || strncmp(line, "\r\n", 2) == 0 || line[0] == '#');
        line = end != NULL ? end + 1 : NULL;
    }
    return count;
}

struct bans *ban_list_read(char *text, size_t size, char *error, size_t capacity)
{
    if (size > BAN_LIST_MAX_BYTES || memchr(text, '\0', size) != NULL) {
        snprintf(error, capacity, "want a text of at most %zu bytes", BAN_LIST_MAX_BYTES);
        return NULL;
    }
    const uint32_t count = count_networks(text);
    if (count > BAN_LIST_MAX) {
        snprintf(error, capacity, "got %u networks, want at most %d", count, BAN_LIST_MAX);
        return NULL;
    }
    struct bans *bans = bans_allocate(count);
    if (bans == NULL) {
        snprintf(error, capacity, "out of memory");
        return NULL;
    }
    int number = 1;
    for (char *line = text, *next; line != NULL && *line != '\0'; line = next, number++) {
        char *end = strchr(line, '\n');
        next = end != NULL ? end + 1 : NULL;
        if (end == NULL)
            end = line + strlen(line);
        *end = '\0';
        if (end > line && end[-1] == '\r')
            end[-1] = '\0';
        if (is_comment(line))
            continue;
        const char *problem = read_line(line, &bans->items[bans->count]);
        if (problem != NULL) {
            snprintf(error, capacity, "line %d: %s", number, problem);
            free(bans);
            return NULL;
        }
        bans->count++;
    }
    bans_sort(bans);
    return bans;
}
