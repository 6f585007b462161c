// SPDX-License-Identifier: MIT
// Checks the texts that strangers are shown of an arena.
#include "config_listing.h"

#include "config.h"
#include "name.h"

#include <assert.h>
#include <string.h>

static_assert(CONFIG_HOSTNAME_BYTES == 65, "`expected` of hostname names the limit");
static_assert(CONFIG_REGION_BYTES == 33, "`expected` of region names the limit");
static_assert(CONFIG_WEBSITE_BYTES == 129, "`expected` of website names the limit");
static_assert(CONFIG_MAX_TAGS == 8 && CONFIG_TAG_BYTES == 16,
              "`expected` of tags names the limits");

// Copies a text that shows all of itself, of less than `capacity` bytes.
static bool parse_line(const char *text, char *field, size_t capacity)
{
    char cleaned[RAIM_MAX_TEXT_BYTES + 1];
    const bool is_good = text[0] == '\0' || (strlen(text) < capacity &&
                                             raim_text_clean(text, cleaned, RAIM_MAX_TEXT_BYTES) &&
                                             strcmp(text, cleaned) == 0);
    if (is_good)
        memcpy(field, text, strlen(text) + 1);
    return is_good;
}

bool config_parse_hostname(const char *text, void *field)
{
    return parse_line(text, field, CONFIG_HOSTNAME_BYTES);
}

bool config_parse_region(const char *text, void *field)
{
    return parse_line(text, field, CONFIG_REGION_BYTES);
}

// A URL is printable ASCII (RFC 3986), here without what would need quotes in a document.
bool config_parse_website(const char *text, void *field)
{
    const size_t scheme = strncmp(text, "https://", 8) == 0  ? 8
                          : strncmp(text, "http://", 7) == 0 ? 7
                                                             : 0;
    bool is_good = strlen(text) < CONFIG_WEBSITE_BYTES &&
                   (text[0] == '\0' || (scheme > 0 && text[scheme] != '\0'));
    for (const char *at = text; *at != '\0'; at++)
        is_good = is_good && *at > ' ' && *at < 0x7F && strchr("\"'<>\\`", *at) == NULL;
    if (is_good)
        memcpy(field, text, strlen(text) + 1);
    return is_good;
}

// A comma separates tags in a reply to a query.
static bool is_tag(const char *text)
{
    const size_t length = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                       "0123456789_.+-");
    return length > 0 && length < CONFIG_TAG_BYTES && text[length] == '\0';
}

void config_load_tags(reader_node list, void *arena, void *loader)
{
    struct config_tags *tags = &((struct config_arena *)arena)->tags;
    (void)loader;
    const int count = reader_count(list);
    if (count > CONFIG_MAX_TAGS) {
        reader_value_error(list, "a list of at most %d words", CONFIG_MAX_TAGS);
        return;
    }
    for (int i = 0; i < count; i++) {
        const char *word;
        if (reader_text(reader_item(list, i), is_tag,
                        "1 to 15 characters of A-Z, a-z, 0-9, _, ., + and -", &word))
            strcpy(tags->words[tags->count++], word);
    }
}
