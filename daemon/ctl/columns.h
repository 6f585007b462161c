// SPDX-License-Identifier: MIT
// Tables for a terminal: each column is as wide as its widest text, measured in the terminal's
// columns (UAX #11: Chinese characters take two, combining marks none). What a terminal would obey
// or not show becomes a question mark, because anybody may have written a name.
#pragma once

#include <stdbool.h>
#include <stdio.h>

struct columns;

// Creates a table with these headings, separated by "|"; a ">" before a heading aligns its column
// to the right. Returns NULL when memory runs out, which the other functions take.
struct columns *columns_create(const char *headings);

// Adds the next cell, by rows. The last cell of a row may be "".
void columns_add(struct columns *columns, const char *text);
void columns_add_number(struct columns *columns, long long number);
__attribute__((format(printf, 2, 3))) void columns_add_format(struct columns *columns,
                                                              const char *format, ...);

// Writes the table and frees it. Returns false when memory ran out.
bool columns_print(struct columns *columns, FILE *out);

// Writes a text alone, masked like a cell.
void columns_write_text(FILE *out, const char *text);
