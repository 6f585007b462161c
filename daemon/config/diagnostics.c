// SPDX-License-Identifier: MIT
// Writes and counts the mistakes and warnings of a configuration.
#define _GNU_SOURCE
#include "diagnostics.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// The severities of syslog(3), as the journal reads them at the beginning of a line.
#define JOURNAL_ERROR "<3>"
#define JOURNAL_WARNING "<4>"

enum {
    LOCATION_BYTES = PATH_MAX + 512, // longer locations and messages are cut
    MESSAGE_BYTES = 2 * PATH_MAX,
};

struct diagnostics_entry {
    char *location, *message; // owned
    const char *priority;
    size_t file_length; // of the location
    int file, line;     // line 0: the whole file
    int number;         // among all
};

static void write_json(struct diagnostics *diagnostics, const char *location, const char *message);
static const char *find_key(const char *location, size_t *length);
static size_t find_line(const char *location, size_t length);

// Keeps an entry on one line and without terminal control sequences, whatever the file contains.
static void replace_controls(char *text)
{
    for (; *text != '\0'; text++)
        if ((unsigned char)*text < ' ' || *text == 0x7f)
            *text = '?';
}

static void write_entry(struct diagnostics *diagnostics, const char *location, const char *priority,
                        const char *message)
{
    char safe_location[LOCATION_BYTES];
    snprintf(safe_location, sizeof safe_location, "%s", location);
    replace_controls(safe_location);
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

static bool is_same_file(const struct diagnostics_entry *a, const struct diagnostics_entry *b)
{
    return a->file_length == b->file_length &&
           memcmp(a->location, b->location, a->file_length) == 0;
}

static void hold(struct diagnostics *diagnostics, const char *location, const char *priority,
                 const char *message)
{
    const int count = diagnostics->held_count;
    struct diagnostics_entry entry = {strdup(location), strdup(message), priority, .number = count};
    struct diagnostics_entry *held =
        realloc(diagnostics->held, ((size_t)count + 1) * sizeof *diagnostics->held);
    if (held != NULL)
        diagnostics->held = held;
    if (entry.location == NULL || entry.message == NULL || held == NULL) {
        free(entry.location);
        free(entry.message);
        diagnostics_no_memory(diagnostics);
        return;
    }
    size_t length;
    find_key(location, &length);
    entry.file_length = find_line(location, length);
    entry.line = entry.file_length < length ? atoi(location + entry.file_length + 1) : 0;
    entry.file = count; // unless an earlier one is in the same
    for (int i = count - 1; i >= 0 && entry.file == count; i--)
        if (is_same_file(&held[i], &entry))
            entry.file = held[i].file;
    held[count] = entry;
    diagnostics->held_count++;
}

void diagnostics_hold(struct diagnostics *diagnostics)
{
    diagnostics->is_holding = true;
}

static int compare(const void *left, const void *right)
{
    const struct diagnostics_entry *a = left, *b = right;
    if (a->file != b->file)
        return a->file < b->file ? -1 : 1;
    if (a->line != b->line)
        return a->line < b->line ? -1 : 1;
    return a->number < b->number ? -1 : 1;
}

void diagnostics_release(struct diagnostics *diagnostics)
{
    if (diagnostics->held_count > 0)
        qsort(diagnostics->held, (size_t)diagnostics->held_count, sizeof *diagnostics->held,
              compare);
    for (int i = 0; i < diagnostics->held_count; i++) {
        struct diagnostics_entry *entry = &diagnostics->held[i];
        write_entry(diagnostics, entry->location, entry->priority, entry->message);
        free(entry->location);
        free(entry->message);
    }
    free(diagnostics->held);
    diagnostics->held = NULL;
    diagnostics->held_count = 0;
    diagnostics->is_holding = false;
}

__attribute__((format(printf, 5, 0))) static void add(struct diagnostics *diagnostics,
                                                      const char *location, const char *priority,
                                                      const char *kind, const char *format,
                                                      va_list arguments)
{
    char message[MESSAGE_BYTES];
    const int used = snprintf(message, sizeof message, "%s", kind);
    vsnprintf(message + used, sizeof message - (size_t)used, format, arguments);
    replace_controls(message);
    if (diagnostics->is_holding)
        hold(diagnostics, location, priority, message);
    else
        write_entry(diagnostics, location, priority, message);
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

// The key of "file:line: key", NULL where there is none, and the length of what precedes it. Keys
// contain no colon, so the last colon precedes the key.
static const char *find_key(const char *location, size_t *length)
{
    const char *colon = strrchr(location, ':');
    *length = strlen(location);
    if (colon == NULL || colon[1] != ' ' ||
        find_line(location, (size_t)(colon - location)) == (size_t)(colon - location))
        return NULL;
    *length = (size_t)(colon - location);
    return colon + 2;
}

static void write_json(struct diagnostics *diagnostics, const char *location, const char *message)
{
    FILE *out = diagnostics->out;
    size_t length;
    const char *key = find_key(location, &length);
    const size_t line = find_line(location, length);
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
