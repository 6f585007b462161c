// SPDX-License-Identifier: MIT
// Makes argp's options of a table's rows.
#define _GNU_SOURCE
#include "option_table.h"

#include <argp.h>
#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { FIRST_KEY = 256 };

struct reading {
    const struct option_table *table;
    void *options;
};

bool option_table_number(const char *text, bool is_whole, double min, double max, double *number)
{
    char *end;
    errno = 0;
    *number = strtod(text, &end);
    return errno == 0 && end != text && *end == '\0' && *number >= min && *number <= max &&
           (!is_whole || *number == floor(*number));
}

static bool read_row(const struct option_row *row, void *options, const char *text)
{
    void *member = (char *)options + row->offset;
    double number;
    switch (row->kind) {
    case OPTION_FLAG:
        *(bool *)member = true;
        return true;
    case OPTION_TEXT:
        *(const char **)member = text;
        return true;
    case OPTION_WHOLE:
        if (!option_table_number(text, true, row->min, row->max, &number))
            return false;
        *(int *)member = (int)number;
        return true;
    case OPTION_NUMBER:
        return option_table_number(text, false, row->min, row->max, member);
    case OPTION_OTHER:
        return row->read(options, text);
    }
    return false;
}

// argp_error ends the program with status 64.
static error_t take(int key, char *text, struct argp_state *state)
{
    const struct reading *reading = state->input;
    const struct option_table *table = reading->table;
    char problem[OPTION_PROBLEM_BYTES];
    if (key >= FIRST_KEY && key < FIRST_KEY + table->count) {
        const struct option_row *row = &table->rows[key - FIRST_KEY];
        if (!read_row(row, reading->options, text))
            argp_error(state, "--%s wants %s, got '%s'", row->name, row->wanted, text);
    } else if (key == 'h') {
        argp_state_help(state, stdout, ARGP_HELP_STD_HELP);
    } else if (key == ARGP_KEY_ARG) {
        if (!table->take_argument(reading->options, (int)state->arg_num, text, problem))
            argp_error(state, "%s", problem);
    } else if (key == ARGP_KEY_END) {
        if (!table->check(reading->options, (int)state->arg_num, problem))
            argp_error(state, "%s", problem);
    } else {
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

void option_table_read(const struct option_table *table, int argc, char **argv, void *options)
{
    struct argp_option known[OPTION_ROWS + 2] = {{NULL, 'h', NULL, OPTION_HIDDEN, NULL, 0}};
    const struct argp parser = {
        .options = known, .parser = take, .args_doc = table->arguments, .doc = table->about};
    struct reading reading = {table, options};
    assert(table->count <= OPTION_ROWS);
    for (int i = 0; i < table->count; i++)
        known[i + 1] = (struct argp_option){
            table->rows[i].name, FIRST_KEY + i, table->rows[i].argument, 0, table->rows[i].help, 0};
    if (argp_parse(&parser, argc, argv, 0, NULL, &reading) != 0) {
        fprintf(stderr, "%s: out of memory\n", program_invocation_short_name);
        exit(EXIT_FAILURE);
    }
}
