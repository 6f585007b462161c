// SPDX-License-Identifier: MIT
// Writes and counts the mistakes of a configuration.
#define _GNU_SOURCE
#include "report.h"

#include "memory.h"

#include <stdarg.h>

// Whatever a file holds: a mistake is one line, and safe to look at.
static void replace_controls(char *text)
{
    for (; *text != '\0'; text++)
        if ((unsigned char)*text < ' ' || *text == 0x7f)
            *text = '?';
}

__attribute__((format(printf, 4, 0))) static void write_line(struct report *report,
                                                             const char *place, const char *kind,
                                                             const char *format, va_list arguments)
{
    char *line = NULL;
    size_t size;
    FILE *out = memory_must(open_memstream(&line, &size));
    fprintf(out, "%s: %s", place, kind);
    vfprintf(out, format, arguments);
    if (fclose(out) != 0)
        abort(); // as memory_must would
    replace_controls(line);
    fprintf(report->out, "%s\n", line);
    free(line);
}

void report_add(struct report *report, const char *place, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    write_line(report, place, "", format, arguments);
    va_end(arguments);
    report->problems++;
}

void report_warn(struct report *report, const char *place, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    write_line(report, place, "warning: ", format, arguments);
    va_end(arguments);
}
