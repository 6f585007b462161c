// SPDX-License-Identifier: MIT
// Collects the cells of a table, measures them and prints them.
#define _GNU_SOURCE
#include "columns.h"

#include "utf8.h"

#include <locale.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

enum { MAX_COLUMNS = 16, GAP = 1 };

struct columns {
    int column_count;
    bool is_right[MAX_COLUMNS];
    int count, capacity; // of cells, the headings among them
    char **cells;
    bool no_memory;
};

// The columns of one visible character: libc knows them where it has a locale of UTF-8.
static int width_of(uint32_t code_point)
{
    static locale_t locale;
    if (code_point < 0x7F)
        return 1;
    if (locale == NULL)
        locale = newlocale(LC_CTYPE_MASK, "C.UTF-8", NULL);
    if (locale == NULL)
        return 1;
    const locale_t before = uselocale(locale);
    const int width = wcwidth((wchar_t)code_point);
    uselocale(before);
    return width >= 0 ? width : 1;
}

// Writes a text, unless `out` is NULL, and returns its width.
static int write_text(FILE *out, const char *text)
{
    int width = 0;
    for (const uint8_t *at = (const uint8_t *)text; *at != 0;) {
        uint32_t code_point;
        const size_t length = raim_utf8_decode(at, &code_point);
        const bool is_shown = length > 0 && !raim_utf8_is_invisible(code_point);
        if (out != NULL)
            fwrite(is_shown ? (const char *)at : "?", 1, is_shown ? length : 1, out);
        width += is_shown ? width_of(code_point) : 1;
        at += length > 0 ? length : 1;
    }
    return width;
}

void columns_write_text(FILE *out, const char *text)
{
    write_text(out, text);
}

// Adds a cell, which it takes; NULL: memory ran out.
static void take_cell(struct columns *columns, char *text)
{
    if (columns != NULL && columns->count == columns->capacity) {
        const int capacity = columns->capacity * 2 + 64;
        char **cells = realloc(columns->cells, (size_t)capacity * sizeof *cells);
        if (cells != NULL) {
            columns->cells = cells;
            columns->capacity = capacity;
        }
    }
    if (columns == NULL || text == NULL || columns->count == columns->capacity) {
        if (columns != NULL)
            columns->no_memory = true;
        free(text);
        return;
    }
    columns->cells[columns->count++] = text;
}

struct columns *columns_create(const char *headings)
{
    struct columns *columns = calloc(1, sizeof *columns);
    if (columns == NULL)
        return NULL;
    for (const char *at = headings; columns->column_count < MAX_COLUMNS;) {
        const bool is_right = *at == '>';
        const size_t length = strcspn(at += is_right, "|");
        columns->is_right[columns->column_count++] = is_right;
        take_cell(columns, strndup(at, length));
        if (at[length] == '\0')
            break;
        at += length + 1;
    }
    return columns;
}

void columns_add(struct columns *columns, const char *text)
{
    take_cell(columns, strdup(text));
}

void columns_add_number(struct columns *columns, long long number)
{
    columns_add_format(columns, "%lld", number);
}

void columns_add_format(struct columns *columns, const char *format, ...)
{
    char *text = NULL;
    va_list arguments;
    va_start(arguments, format);
    const int length = vasprintf(&text, format, arguments);
    va_end(arguments);
    take_cell(columns, length >= 0 ? text : NULL);
}

enum { HIDDEN = -1 }; // the width of a column without any text below its heading

static void measure(const struct columns *columns, int widths[MAX_COLUMNS])
{
    const bool has_rows = columns->count > columns->column_count;
    for (int i = 0; i < columns->column_count; i++)
        widths[i] = has_rows ? HIDDEN : 0;
    for (int i = columns->column_count; i < columns->count; i++) {
        int *widest = &widths[i % columns->column_count];
        const int width = write_text(NULL, columns->cells[i]);
        *widest = width > 0 && width > *widest ? width : *widest;
    }
    for (int i = 0; i < columns->column_count && i < columns->count; i++) {
        const int width = write_text(NULL, columns->cells[i]);
        widths[i] = widths[i] != HIDDEN && width > widths[i] ? width : widths[i];
    }
}

// Writes a row. Spaces are owed until a text follows them, so that no line ends with one.
static void write_row(const struct columns *columns, const int widths[MAX_COLUMNS], int first,
                      FILE *out)
{
    int owed = 0;
    for (int i = 0; i < columns->column_count && first + i < columns->count; i++) {
        if (widths[i] == HIDDEN)
            continue;
        const char *text = columns->cells[first + i];
        const int spare = widths[i] - write_text(NULL, text);
        if (*text != '\0') {
            fprintf(out, "%*s", owed + (columns->is_right[i] ? spare : 0), "");
            write_text(out, text);
            owed = columns->is_right[i] ? 0 : spare;
        } else {
            owed += widths[i];
        }
        owed += GAP;
    }
    fputc('\n', out);
}

bool columns_print(struct columns *columns, FILE *out)
{
    if (columns == NULL)
        return false;
    const bool good = !columns->no_memory;
    int widths[MAX_COLUMNS];
    measure(columns, widths);
    for (int i = 0; good && i < columns->count; i += columns->column_count)
        write_row(columns, widths, i, out);
    for (int i = 0; i < columns->count; i++)
        free(columns->cells[i]);
    free(columns->cells);
    free(columns);
    return good;
}
