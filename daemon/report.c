// SPDX-License-Identifier: MIT
// Writes and counts the mistakes of a configuration.
#include "report.h"

#include <stdarg.h>

__attribute__((format(printf, 4, 0))) static void write_line(struct report *report,
                                                             const char *place, const char *kind,
                                                             const char *format, va_list arguments)
{
    fprintf(report->out, "%s: %s", place, kind);
    vfprintf(report->out, format, arguments);
    fputc('\n', report->out);
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
