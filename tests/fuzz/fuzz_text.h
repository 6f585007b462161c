// SPDX-License-Identifier: MIT
// Common part of the configuration targets: checking the report, and suppressing libconfig's own
// leaks.
#pragma once

#include <assert.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// libconfig 1.5 forgets the strings that its scanner and parser hold when a syntax error follows;
// that is not ours to free. All else that leaks is.
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:scanctx_take_string\nleak:strbuf_append\nleak:libconfig_yylex\n";
}

const char *__lsan_default_options(void);
const char *__lsan_default_options(void)
{
    return "print_suppressions=0";
}

// A report is lines that begin with the place, one of the files below `directory`, and hold nothing
// that a terminal would obey. Where the text was accepted there are only warnings, where it was
// rejected there is at least one line.
static inline void fuzz_check_report(const char *report, const char *directory, bool accepted)
{
    assert(accepted || report[0] != '\0');
    for (const char *at = report; *at != '\0'; at++)
        assert((unsigned char)*at >= ' ' || *at == '\n');
    for (const char *line = report; *line != '\0'; line = strchr(line, '\n') + 1) {
        assert(strncmp(line, directory, strlen(directory)) == 0);
        assert(strchr(line, '\n') != NULL);
        const char *warning = strstr(line, ": warning: ");
        assert(!accepted || (warning != NULL && warning < strchr(line, '\n')));
    }
}
