// SPDX-License-Identifier: MIT
// Preprocesses configuration text for libconfig: splices includes, drops comments, and rejects or
// rewrites input that libconfig mishandles.
#define _GNU_SOURCE
#include "source.h"

#include "path_list.h"
#include "sandbox.h"
#include "text_buffer.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define INCLUDE "@include"
#define DIGITS "0123456789"
#define HEX_DIGITS DIGITS "abcdefABCDEF"
#define NAME DIGITS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_*-"

struct line {
    int file;
    unsigned line;
};

struct source {
    struct diagnostics *diagnostics; // while opening
    char *files[SOURCE_MAX_FILES];
    int file_count;
    struct line *lines; // origin of each line of the text; line 1 has index 0
    size_t line_count, line_capacity;
    struct text_buffer copy; // while opening
    char *text;
};

// Position while one file is copied.
struct cursor {
    struct source *source;
    const char *at;
    struct line position;
    bool line_start; // only blanks so far on this line
};

static void read_file(struct source *source, const char *path, const char *named_at);
static void splice(struct source *source, int file, const char *text);

static struct source *finish(struct source *source, int problems_before)
{
    struct diagnostics *diagnostics = source->diagnostics;
    source->text = text_buffer_take(&source->copy);
    if (source->text == NULL)
        diagnostics_no_memory(diagnostics);
    if (diagnostics->problems == problems_before)
        return source;
    source_close(source);
    return NULL;
}

static struct source *create(struct diagnostics *diagnostics)
{
    struct source *source = calloc(1, sizeof *source);
    if (source != NULL)
        source->diagnostics = diagnostics;
    else
        diagnostics_no_memory(diagnostics);
    return source;
}

// The index of a file in the source's list, or -1 when memory runs out.
static int add_file(struct source *source, const char *path)
{
    char *copy = strdup(path);
    if (copy == NULL) {
        diagnostics_no_memory(source->diagnostics);
        return -1;
    }
    source->files[source->file_count] = copy;
    return source->file_count++;
}

struct source *source_open(const char *path, const char *named_at, struct diagnostics *diagnostics)
{
    const int problems = diagnostics->problems;
    struct source *source = create(diagnostics);
    if (source == NULL)
        return NULL;
    read_file(source, path, named_at);
    return finish(source, problems);
}

struct source *source_open_text(const char *path, const char *text, struct diagnostics *diagnostics)
{
    const int problems = diagnostics->problems;
    struct source *source = create(diagnostics);
    if (source == NULL)
        return NULL;
    if (add_file(source, path) == 0)
        splice(source, 0, text);
    return finish(source, problems);
}

void source_close(struct source *source)
{
    if (source == NULL)
        return;
    for (int i = 0; i < source->file_count; i++)
        free(source->files[i]);
    free(source->lines);
    free(source->text);
    free(source);
}

const char *source_text(const struct source *source)
{
    return source->text;
}

const char *source_location(const struct source *source, unsigned text_line, unsigned *line)
{
    if (text_line < 1 || text_line > source->line_count) {
        *line = 0;
        return source->files[0];
    }
    *line = source->lines[text_line - 1].line;
    return source->files[source->lines[text_line - 1].file];
}

char *source_resolve(const char *naming_file, const char *path)
{
    const char *slash = strrchr(naming_file, '/');
    const int directory = path[0] == '/' || slash == NULL ? 0 : (int)(slash - naming_file) + 1;
    char *resolved = NULL;
    return asprintf(&resolved, "%.*s%s", directory, naming_file, path) < 0 ? NULL : resolved;
}

char *source_find(const char *naming_file, const char *path, const char *installed)
{
    char *beside = source_resolve(naming_file, path), *other = NULL;
    if (beside == NULL || path[0] == '/' || access(beside, F_OK) == 0 || errno != ENOENT)
        return beside;
    if (asprintf(&other, "%s/%s", installed, path) < 0) {
        free(beside);
        return NULL;
    }
    const bool is_installed = access(other, F_OK) == 0;
    free(is_installed ? beside : other);
    return is_installed ? other : beside;
}

// --- Files ---

// Reads a whole file, or more than SOURCE_MAX_BYTES of it, with room for a closing NUL. The caller
// frees the text. The buffer grows with the file, because most files are small and all files of an
// include chain are in memory at once. Returns NULL when memory runs out.
static char *read_text(FILE *file, size_t *size)
{
    char *text = NULL;
    size_t capacity = 4096;
    *size = 0;
    do {
        capacity *= 2;
        char *longer = realloc(text, capacity + 1);
        if (longer == NULL) {
            free(text);
            return NULL;
        }
        text = longer;
        *size += fread(text + *size, 1, capacity - *size, file);
    } while (*size == capacity && capacity <= SOURCE_MAX_BYTES);
    return text;
}

// Copies the text of a file, or reports that it is too large or binary. Writes a NUL after the
// text.
static void take_text(struct source *source, int file, char *text, size_t size)
{
    const char *path = source->files[file];
    if (size > SOURCE_MAX_BYTES) {
        diagnostics_add(source->diagnostics, path, "got more than %d bytes of text",
                        SOURCE_MAX_BYTES);
    } else if (memchr(text, '\0', size) != NULL) {
        diagnostics_add(source->diagnostics, path, "got a zero byte, want text");
    } else if (size >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0) {
        diagnostics_add(source->diagnostics, path,
                        "got a byte order mark (BOM), want UTF-8 without one");
    } else {
        text[size] = '\0';
        splice(source, file, text);
    }
}

static void read_file(struct source *source, const char *path, const char *named_at)
{
    const char *blamed = named_at != NULL ? named_at : path;
    if (source->file_count == SOURCE_MAX_FILES) {
        diagnostics_add(source->diagnostics, blamed, "got \"%s\" as well, want at most %d files",
                        path, SOURCE_MAX_FILES);
        return;
    }
    FILE *file = fopen(path, "re");
    if (file == NULL) {
        const int error = errno;
        diagnostics_add(source->diagnostics, blamed, "cannot read \"%s\": %s%s", path,
                        strerror(error), sandbox_hint(path, error));
        return;
    }
    struct path_list *directories = source->diagnostics->directories;
    if (directories != NULL && !path_list_add_directories(directories, path))
        diagnostics_no_memory(source->diagnostics);
    size_t size;
    char *text = read_text(file, &size);
    const int problem = ferror(file) ? errno : 0;
    fclose(file);

    const int index = add_file(source, path);
    if (text == NULL)
        diagnostics_no_memory(source->diagnostics);
    else if (problem != 0)
        diagnostics_add(source->diagnostics, blamed, "cannot read \"%s\": %s", path,
                        strerror(problem));
    else if (index >= 0)
        take_text(source, index, text, size);
    free(text);
}

// --- Copying ---

// Records the origin of the line that begins in the copy. Every line break calls this function.
static void begin_line(struct cursor *cursor)
{
    struct source *source = cursor->source;
    if (source->line_count == source->line_capacity) {
        const size_t capacity = source->line_capacity == 0 ? 256 : 2 * source->line_capacity;
        struct line *lines = realloc(source->lines, capacity * sizeof *lines);
        if (lines == NULL) {
            diagnostics_no_memory(source->diagnostics);
            cursor->at += strlen(cursor->at);
            return;
        }
        source->lines = lines;
        source->line_capacity = capacity;
    }
    source->lines[source->line_count++] = cursor->position;
    cursor->line_start = true;
}

static void end_line(struct cursor *cursor)
{
    text_buffer_add(&cursor->source->copy, "\n", 1);
    cursor->at++;
    cursor->position.line++;
    begin_line(cursor);
}

static void copy(struct cursor *cursor, size_t count)
{
    text_buffer_add(&cursor->source->copy, cursor->at, count);
    cursor->at += count;
    cursor->line_start = false;
}

__attribute__((format(printf, 2, 3))) static void report_error(struct cursor *cursor,
                                                               const char *format, ...)
{
    char location[PATH_MAX + 16], message[128];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    snprintf(location, sizeof location, "%s:%u", cursor->source->files[cursor->position.file],
             cursor->position.line);
    diagnostics_add(cursor->source->diagnostics, location, "%s", message);
}

static void skip_block_comment(struct cursor *cursor)
{
    if (strstr(cursor->at + 2, "*/") == NULL) {
        report_error(cursor, "got a comment without its end, want */ after /*");
        cursor->at += strlen(cursor->at);
        return;
    }
    const char *end = strstr(cursor->at + 2, "*/") + 2;
    while (cursor->at < end) {
        if (*cursor->at == '\n')
            end_line(cursor);
        else
            cursor->at++;
    }
    text_buffer_add(&cursor->source->copy, " ", 1); // keeps the tokens around it apart
}

// Strings must end on their line, unlike libconfig's, so that a missing quote is reported on its
// own line.
static void copy_string(struct cursor *cursor)
{
    size_t size = 1;
    while (cursor->at[size] != '"') {
        if (cursor->at[size] == '\\' && cursor->at[size + 1] != '\n')
            size++;
        if (cursor->at[size] == '\0' || cursor->at[size] == '\n') {
            report_error(cursor, "got a string without its end, want \" on the same line");
            cursor->at += strlen(cursor->at);
            return;
        }
        size++;
    }
    copy(cursor, size + 1);
}

// Appends L to integers beyond 32 bits and writes hexadecimal ones in decimal. libconfig keeps only
// the low 32 bits of an integer without L, and in some versions (1.8) of any hexadecimal integer.
static void copy_number(struct cursor *cursor, bool negative)
{
    const char *at = cursor->at;
    const bool hex = at[0] == '0' && (at[1] == 'x' || at[1] == 'X');
    const size_t digits = hex ? 2 + strspn(at + 2, HEX_DIGITS) : strspn(at, DIGITS);
    if (at[digits] == '.') {
        copy(cursor, digits + 1 + strspn(at + digits + 1, DIGITS));
        return;
    }
    errno = 0;
    const unsigned long long value = strtoull(at, NULL, hex ? 16 : 10);
    if (errno == ERANGE || value > INT64_MAX)
        report_error(cursor, "got %.*s, want a number below 2^63", (int)(digits < 40 ? digits : 40),
                     at);
    if (value <= (unsigned long long)INT_MAX + negative) {
        copy(cursor, digits);
        return;
    }
    text_buffer_print(&cursor->source->copy, at[digits] == 'L' ? "%llu" : "%lluL", value);
    cursor->at += digits;
}

static void include(struct cursor *cursor)
{
    const char *open = cursor->at + strlen(INCLUDE);
    open += strspn(open, " \t");
    const size_t length = *open == '"' ? strcspn(open + 1, "\"\n") : 0;
    if (length == 0 || open[1 + length] != '"') {
        report_error(cursor, "got %s without a file, want %s \"FILE\"", INCLUDE, INCLUDE);
        cursor->at += strcspn(cursor->at, "\n");
        return;
    }
    struct source *source = cursor->source;
    const char *includer = source->files[cursor->position.file];
    char *name = strndup(open + 1, length);
    char *path = name != NULL ? source_resolve(includer, name) : NULL;
    free(name);
    if (path == NULL) {
        diagnostics_no_memory(source->diagnostics);
        cursor->at += strlen(cursor->at);
        return;
    }
    char named_at[PATH_MAX + 32];
    snprintf(named_at, sizeof named_at, "%s:%u: %s", includer, cursor->position.line, INCLUDE);
    text_buffer_add(&source->copy, "\n", 1);
    read_file(source, path, named_at);
    free(path);
    text_buffer_add(&source->copy, "\n", 1);
    cursor->at = open + 1 + length + 1;
    begin_line(cursor);
    cursor->line_start = false;
}

static void report_brackets(struct cursor *cursor)
{
    report_error(cursor, "got [ { ... } ], want ( { ... } ): a list of groups has parentheses");
    copy(cursor, 1);
}

static void splice(struct source *source, int file, const char *text)
{
    struct cursor cursor = {.source = source, .at = text, .position = {file, 1}};
    begin_line(&cursor);
    while (*cursor.at != '\0') {
        const char c = *cursor.at;
        if (c == '\n')
            end_line(&cursor);
        else if (c == '#' || (c == '/' && cursor.at[1] == '/'))
            cursor.at += strcspn(cursor.at, "\n");
        else if (c == '/' && cursor.at[1] == '*')
            skip_block_comment(&cursor);
        else if (c == '"')
            copy_string(&cursor);
        else if (cursor.line_start && strncmp(cursor.at, INCLUDE, strlen(INCLUDE)) == 0)
            include(&cursor);
        else if (isalpha((unsigned char)c))
            copy(&cursor, 1 + strspn(cursor.at + 1, NAME));
        else if (isdigit((unsigned char)c) || c == '.')
            copy_number(&cursor, cursor.at > text && cursor.at[-1] == '-');
        else if (c == ' ' || c == '\t')
            text_buffer_add(&source->copy, cursor.at++, 1);
        else if (c == '[' && cursor.at[1 + strspn(cursor.at + 1, " \t\r\n")] == '{')
            report_brackets(&cursor);
        else
            copy(&cursor, 1);
    }
}
