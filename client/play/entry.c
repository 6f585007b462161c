// SPDX-License-Identifier: MIT
// Edits a line of UTF-8.
#include "entry.h"

#include <stdbool.h>
#include <string.h>

void entry_clear(struct entry *entry)
{
    entry->text[0] = '\0';
}

// Whether a byte continues a character of UTF-8.
static bool continues(char byte)
{
    return ((unsigned char)byte & 0xC0) == 0x80;
}

void entry_type(struct entry *entry, const char *text)
{
    size_t used = strlen(entry->text);
    while (*text != '\0') {
        size_t bytes = 1;
        while (continues(text[bytes]))
            bytes++;
        if (used + bytes >= ENTRY_BYTES)
            break;
        memcpy(entry->text + used, text, bytes);
        used += bytes;
        text += bytes;
    }
    entry->text[used] = '\0';
}

void entry_erase(struct entry *entry)
{
    size_t used = strlen(entry->text);
    while (used > 0 && continues(entry->text[used - 1]))
        used--;
    if (used > 0)
        used--;
    entry->text[used] = '\0';
}
