// SPDX-License-Identifier: MIT
// A document whose examples tests compare with what the code writes.
#pragma once

#include "test.h"

static char document[128 * 1024];

static inline int load_document(const char *path)
{
    FILE *file = fopen(path, "r");
    if (file == NULL)
        return -1;
    document[fread(document, 1, sizeof document - 1, file)] = '\0';
    return fclose(file);
}

// Compares with the hexadecimal block that the document marks with a kind and a name.
static inline void assert_block(const char *kind, const char *name, const uint8_t *bytes,
                                size_t size)
{
    char mark[64], hex[4096];
    snprintf(mark, sizeof mark, "```%s %s\n", kind, name);
    size_t length = 0;
    for (size_t i = 0; i < size; i++)
        length += (size_t)snprintf(hex + length, sizeof hex - length, "%02x%c", bytes[i],
                                   i % 24 == 23 || i == size - 1 ? '\n' : ' ');
    snprintf(hex + length, sizeof hex - length, "```\n");
    const char *found = strstr(document, mark);
    if (found == NULL || strncmp(found + strlen(mark), hex, strlen(hex)) != 0)
        fail_msg("the document should say:\n%s%s", mark, hex);
}

// The rows of a table, in the document's order, behind `at`.
static inline const char *assert_row(const char *at, const char *row)
{
    at = at != NULL ? strstr(at, row) : NULL;
    if (at == NULL)
        fail_msg("the table lacks, or has too early: %s", row);
    return at;
}
