// SPDX-License-Identifier: MIT
// A message is lines of text, an empty line, and the body.
#define _GNU_SOURCE
#include "fetch_message.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

// Takes the line at the beginning of a text, without its line feed, and moves the text past it.
// Returns NULL if there is none.
static char *take_line(char **text, char *end)
{
    char *line = *text, *feed = memchr(line, '\n', (size_t)(end - line));
    if (feed == NULL)
        return NULL;
    *feed = '\0';
    *text = feed + 1;
    return strlen(line) == (size_t)(feed - line) ? line : NULL;
}

// Takes the lines up to an empty one. Returns NULL if there is none.
static char *take_lines(char **text, char *end)
{
    char *lines = *text;
    if (lines < end && lines[0] == '\n') {
        lines[0] = '\0';
        *text = lines + 1;
        return lines;
    }
    char *gap = memmem(lines, (size_t)(end - lines), "\n\n", 2);
    if (gap == NULL)
        return NULL;
    gap[1] = '\0';
    *text = gap + 2;
    return strlen(lines) == (size_t)(gap + 1 - lines) ? lines : NULL;
}

void fetch_message_write_request(struct text_buffer *out, const struct fetch_request *request)
{
    text_buffer_print(out, "%s %zu %" PRIu32 "\n%s\n",
                      request->method != NULL ? request->method : "RUN", request->max_bytes,
                      request->deadline_ms, request->target);
    text_buffer_print(out, "%s\n", request->headers != NULL ? request->headers : "");
    if (request->body_bytes > 0)
        text_buffer_add(out, request->body, request->body_bytes);
}

bool fetch_message_read_request(char *text, size_t size, struct fetch_request *request)
{
    char *end = text + size, *first = take_line(&text, end), *word;
    int length = 0;
    *request = (struct fetch_request){0};
    if (first == NULL || (word = strchr(first, ' ')) == NULL)
        return false;
    *word++ = '\0';
    // A sign would make a number of more digits of it than are read.
    if (word[strspn(word, "0123456789 ")] != '\0' ||
        sscanf(word, "%9zu %9" SCNu32 "%n", &request->max_bytes, &request->deadline_ms, &length) !=
            2 ||
        word[length] != '\0')
        return false;
    static const char *const methods[] = {"GET", "POST", "PUT", "PATCH"};
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
        if (strcmp(first, methods[i]) == 0)
            request->method = methods[i];
    if (request->method == NULL && strcmp(first, "RUN") != 0)
        return false;
    request->target = take_line(&text, end);
    request->headers = request->target != NULL ? take_lines(&text, end) : NULL;
    request->body = text;
    request->body_bytes = (size_t)(end - text);
    return request->headers != NULL;
}

void fetch_message_write_answer(struct text_buffer *out, const struct fetch_answer *answer)
{
    text_buffer_print(out, "%d %u\n", answer->is_good, answer->status);
    text_buffer_print(out, "%s\n%s\n\n", answer->reason, answer->etag);
    if (answer->body_bytes > 0)
        text_buffer_add(out, answer->body, answer->body_bytes);
}

// Copies a line of printable characters. Returns false for another one, or if it is too long.
static bool copy_line(const char *line, char *text, size_t capacity)
{
    if (line == NULL || strlen(line) >= capacity)
        return false;
    for (const unsigned char *byte = (const unsigned char *)line; *byte != '\0'; byte++)
        if (*byte < 0x20 || *byte > 0x7e)
            return false;
    strcpy(text, line);
    return true;
}

bool fetch_message_read_answer(char *text, size_t size, struct fetch_answer *answer)
{
    char *end = text + size;
    const char *first = take_line(&text, end);
    unsigned is_good;
    int length = 0;
    *answer = (struct fetch_answer){0};
    if (first == NULL || sscanf(first, "%1u %3u%n", &is_good, &answer->status, &length) != 2 ||
        first[length] != '\0' || strchr(first, '-') != NULL || is_good > 1)
        return false;
    answer->is_good = is_good == 1;
    const char *reason = take_line(&text, end);
    const char *etag = reason != NULL ? take_line(&text, end) : NULL;
    const char *gap = etag != NULL ? take_line(&text, end) : NULL;
    if (gap == NULL || gap[0] != '\0' || !copy_line(reason, answer->reason, FETCH_REASON_BYTES) ||
        !copy_line(etag, answer->etag, FETCH_ETAG_BYTES))
        return false;
    answer->body = text;
    answer->body_bytes = (size_t)(end - text);
    return true;
}
