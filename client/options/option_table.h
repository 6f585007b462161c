// SPDX-License-Identifier: MIT
// The command line of a program by a table: a row is read, checked and explained by --help. By
// argp, which adds --help, --usage and --version.
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum option_kind {
    OPTION_FLAG,   // a bool that becomes true
    OPTION_TEXT,   // a const char *, which borrows the command line
    OPTION_WHOLE,  // an int
    OPTION_NUMBER, // a double
    OPTION_OTHER,  // by `read`
};

struct option_row {
    const char *name;
    const char *argument; // its name in --help; NULL: none
    const char *help;
    enum option_kind kind;
    size_t offset;      // of the member of the program's struct
    double min, max;    // of a number
    const char *wanted; // completes the mistake "--NAME wants ..., got 'TEXT'"
    bool (*read)(void *options, const char *text);
};

enum { OPTION_PROBLEM_BYTES = 256, OPTION_ROWS = 32 };

struct option_table {
    const char *arguments, *about; // argp's args_doc and doc
    const struct option_row *rows; // at most OPTION_ROWS
    int count;
    // Takes the argument with this index. False, with what is wrong in English, for a mistake.
    bool (*take_argument)(void *options, int index, char *text, char *problem);
    // Checks the whole after the last one.
    bool (*check)(void *options, int argument_count, char *problem);
};

// Reads a command line into the program's struct. Ends the program after --help, --usage and
// --version with status 0, and after printing a mistake to stderr with status 64.
void option_table_read(const struct option_table *table, int argc, char **argv, void *options);

// Reads a number of a range.
bool option_table_number(const char *text, bool is_whole, double min, double max, double *number);
