// SPDX-License-Identifier: MIT
// Writes and counts the mistakes of a configuration.
#include "report.h"

#include <stdarg.h>

void report_add(struct report *report, const char *place, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fprintf(report->out, "%s: ", place);
    vfprintf(report->out, format, arguments);
    fputc('\n', report->out);
    va_end(arguments);
    report->problems++;
}
