// SPDX-License-Identifier: MIT
// A document whose examples tests compare with what the code writes. With RAIM_BLESS in the
// environment, they write what they miss into the document (./dev bless).
#pragma once

#include "test.h"

static char document[128 * 1024];
static const char *document_path;

static inline int load_document(const char *path)
{
    document_path = path;
    FILE *file = fopen(path, "r");
    if (file == NULL)
        return -1;
    document[fread(document, 1, sizeof document - 1, file)] = '\0';
    return fclose(file);
}

// The document has to say `text` where `mark` stands: up to the first `end` behind it.
static inline void assert_says(const char *mark, const char *text, const char *end)
{
    const char *found = strstr(document, mark);
    const char *told = found != NULL ? found + strlen(mark) : NULL;
    const char *rest = told != NULL ? strstr(told, end) : NULL;
    if (rest != NULL && strlen(text) == (size_t)(rest - told) &&
        strncmp(told, text, strlen(text)) == 0)
        return;
    if (rest == NULL || getenv("RAIM_BLESS") == NULL)
        fail_msg("the document should say:\n%s%s%s", mark, text, end);
    FILE *file = fopen(document_path, "w");
    assert_non_null(file);
    fprintf(file, "%.*s%s%s", (int)(told - document), document, text, rest);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(load_document(document_path), 0);
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
    assert_says(mark, hex, "```\n");
}

// The rows of a table, in the document's order, behind `at`.
static inline const char *assert_row(const char *at, const char *row)
{
    at = at != NULL ? strstr(at, row) : NULL;
    if (at == NULL)
        fail_msg("the table lacks, or has too early: %s", row);
    return at;
}
