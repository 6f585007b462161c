// SPDX-License-Identifier: MIT
// Evaluates preconditions in the order of RFC 9110, section 13.2.2, then the range.
#include "http_conditions.h"

#include <string.h>
#include <strings.h>

// Whether a list of entity tags has this one, or is "*". The weak comparison of section 8.8.3.2
// ignores the mark W/, the strong one lets no marked tag match.
static bool lists_tag(const char *list, const char *tag, bool is_weak_comparison)
{
    const size_t size = strlen(tag);
    if (strcmp(list, "*") == 0)
        return true;
    while (*(list += strspn(list, " \t,")) != '\0') {
        const bool is_weak = strncmp(list, "W/", 2) == 0;
        list += is_weak ? 2 : 0;
        const char *end = *list == '"' ? strchr(list + 1, '"') : NULL;
        if (end == NULL)
            return false;
        if ((size_t)(end + 1 - list) == size && memcmp(list, tag, size) == 0 &&
            (!is_weak || is_weak_comparison))
            return true;
        list = end + 1;
    }
    return false;
}

// Reads digits; a number above 64 bits becomes UINT64_MAX. Returns false without a digit.
static bool read_number(const char **text, uint64_t *number)
{
    const char *start = *text;
    *number = 0;
    for (; **text >= '0' && **text <= '9'; ++*text) {
        const uint64_t digit = (uint64_t)(**text - '0');
        *number = *number > (UINT64_MAX - digit) / 10 ? UINT64_MAX : *number * 10 + digit;
    }
    return *text > start;
}

static struct http_selection part_of(uint64_t first, uint64_t last, uint64_t size)
{
    if (first >= size)
        return (struct http_selection){.status = HTTP_RANGE_NOT_SATISFIABLE};
    if (last >= size)
        last = size - 1;
    return (struct http_selection){HTTP_PARTIAL_CONTENT, first, last - first + 1};
}

static struct http_selection select_range(const char *range, uint64_t size)
{
    static const char unit[] = "bytes=";
    const struct http_selection whole = {HTTP_OK, 0, size};
    uint64_t first, last = UINT64_MAX;
    if (range == NULL || strncasecmp(range, unit, sizeof unit - 1) != 0)
        return whole;
    const char *text = range + sizeof unit - 1;
    text += strspn(text, " \t");
    const bool has_first = read_number(&text, &first);
    if (*text++ != '-')
        return whole;
    const bool has_last = read_number(&text, &last);
    text += strspn(text, " \t");
    if (*text != '\0' || (!has_first && !has_last) || (has_first && has_last && first > last))
        return whole;
    if (has_first)
        return part_of(first, has_last ? last : UINT64_MAX, size);
    // A suffix: the last bytes, or the whole file as a part if it is shorter.
    return part_of(last == 0 ? size : last < size ? size - last : 0, UINT64_MAX, size);
}

struct http_selection http_conditions_select(const struct http_conditions *conditions,
                                             const char *tag, uint64_t size)
{
    const struct http_conditions *wanted = conditions;
    if (wanted->if_match != NULL && !lists_tag(wanted->if_match, tag, false))
        return (struct http_selection){.status = HTTP_PRECONDITION_FAILED};
    if (wanted->if_none_match != NULL && lists_tag(wanted->if_none_match, tag, true))
        return (struct http_selection){.status = HTTP_NOT_MODIFIED};
    if (wanted->is_head || (wanted->if_range != NULL && strcmp(wanted->if_range, tag) != 0))
        return (struct http_selection){HTTP_OK, 0, size};
    return select_range(wanted->range, size);
}
