// SPDX-License-Identifier: MIT
// Writes and counts the mistakes and warnings of a configuration.
#define _GNU_SOURCE
#include "diagnostics.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

// The severities of syslog(3), as the journal reads them at the beginning of a line.
#define JOURNAL_ERROR "<3>"
#define JOURNAL_WARNING "<4>"

enum {
    LOCATION_BYTES = PATH_MAX + 512, // longer locations and messages are cut
    MESSAGE_BYTES = 2 * PATH_MAX,
};

static void write_json(struct diagnostics *diagnostics, const char *location, const char *message);

// Keeps an entry on one line and without terminal control sequences, whatever the file contains.
static void replace_controls(char *text)
{
    for (; *text != '\0'; text++)
        if ((unsigned char)*text < ' ' || *text == 0x7f)
            *text = '?';
}

__attribute__((format(printf, 5, 0))) static void add(struct diagnostics *diagnostics,
                                                      const char *location, const char *priority,
                                                      const char *kind, const char *format,
                                                      va_list arguments)
{
    char safe_location[LOCATION_BYTES], message[MESSAGE_BYTES];
    const int used = snprintf(message, sizeof message, "%s", kind);
    vsnprintf(message + used, sizeof message - (size_t)used, format, arguments);
    snprintf(safe_location, sizeof safe_location, "%s", location);
    replace_controls(safe_location);
    replace_controls(message);
    // A memory stream reports a failed allocation by errno, not by its error flag.
    errno = 0;
    if (diagnostics->style == DIAGNOSTICS_JSON)
        write_json(diagnostics, location, message);
    else if (fprintf(diagnostics->out, "%s%s: %s\n",
                     diagnostics->style == DIAGNOSTICS_JOURNAL ? priority : "", safe_location,
                     message) < 0 &&
             errno == ENOMEM)
        diagnostics_no_memory(diagnostics);
    diagnostics->entries++;
}

void diagnostics_add(struct diagnostics *diagnostics, const char *location, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    add(diagnostics, location, JOURNAL_ERROR, "", format, arguments);
    va_end(arguments);
    diagnostics->problems++;
}

void diagnostics_warn(struct diagnostics *diagnostics, const char *location, const char *format,
                      ...)
{
    va_list arguments;
    va_start(arguments, format);
    add(diagnostics, location, JOURNAL_WARNING, "warning: ", format, arguments);
    va_end(arguments);
}

void diagnostics_no_memory(struct diagnostics *diagnostics)
{
    diagnostics->no_memory = true;
    diagnostics->problems++;
}

void diagnostics_end(struct diagnostics *diagnostics)
{
    if (diagnostics->style == DIAGNOSTICS_JSON)
        fputs(diagnostics->entries == 0 ? "[]\n" : "\n]\n", diagnostics->out);
}

// --- JSON ---

// Size in bytes of the UTF-8 character (RFC 3629) at the start of a text, or 0 if it is invalid.
static size_t character_size(const char *text)
{
    static const struct {
        uint8_t mask, lead;
        uint32_t least; // a smaller code point is an overlong encoding
    } forms[] = {{0x80, 0x00, 0}, {0xE0, 0xC0, 0x80}, {0xF0, 0xE0, 0x800}, {0xF8, 0xF0, 0x10000}};
    const uint8_t first = (uint8_t)text[0];
    for (size_t extra = 0; extra < 4; extra++) {
        if ((first & forms[extra].mask) != forms[extra].lead)
            continue;
        uint32_t code = (uint32_t)(first & ~forms[extra].mask);
        for (size_t i = 1; i <= extra; i++) {
            if (((uint8_t)text[i] & 0xC0) != 0x80)
                return 0;
            code = code << 6 | ((uint8_t)text[i] & 0x3F);
        }
        const bool is_surrogate = code >= 0xD800 && code <= 0xDFFF;
        return code < forms[extra].least || code > 0x10FFFF || is_surrogate ? 0 : extra + 1;
    }
    return 0;
}

// Invalid UTF-8 becomes U+FFFD, because JSON text must be UTF-8.
static void write_string(FILE *out, const char *text, size_t length)
{
    fputc('"', out);
    for (const char *end = text + length; text < end;) {
        const size_t size = character_size(text);
        if (size == 0 || text + size > end)
            fputs("\\ufffd", out);
        else if ((unsigned char)*text < ' ')
            fprintf(out, "\\u%04x", (unsigned)*text);
        else if (*text == '"' || *text == '\\')
            fprintf(out, "\\%c", *text);
        else
            fwrite(text, 1, size, out);
        text += size > 0 && text + size <= end ? size : 1;
    }
    fputc('"', out);
}

// Finds the ":line" that ends the first `length` bytes of a location; returns where it begins, or
// `length` where there is none.
static size_t find_line(const char *location, size_t length)
{
    size_t digits = 0;
    while (digits < length && isdigit((unsigned char)location[length - 1 - digits]))
        digits++;
    const bool found = digits > 0 && digits < length && location[length - 1 - digits] == ':';
    return found ? length - 1 - digits : length;
}

// Keys contain no colon, so the last colon of "file:line: key" precedes the key.
static void write_json(struct diagnostics *diagnostics, const char *location, const char *message)
{
    FILE *out = diagnostics->out;
    const char *colon = strrchr(location, ':');
    size_t length = strlen(location), line;
    const char *key = NULL;
    if (colon != NULL && colon[1] == ' ' &&
        find_line(location, (size_t)(colon - location)) < (size_t)(colon - location)) {
        key = colon + 2;
        length = (size_t)(colon - location);
    }
    line = find_line(location, length);
    fputs(diagnostics->entries == 0 ? "[\n  {\"file\": " : ",\n  {\"file\": ", out);
    write_string(out, location, line);
    if (line < length)
        fprintf(out, ", \"line\": %.*s", (int)(length - line - 1), location + line + 1);
    else
        fputs(", \"line\": null", out);
    fputs(", \"key\": ", out);
    if (key != NULL)
        write_string(out, key, strlen(key));
    else
        fputs("null", out);
    fputs(", \"message\": ", out);
    write_string(out, message, strlen(message));
    fputs("}", out);
}
