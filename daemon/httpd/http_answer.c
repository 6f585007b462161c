// SPDX-License-Identifier: MIT
// Builds responses of libmicrohttpd.
#define _GNU_SOURCE // asprintf
#include "http_answer.h"

#include <assert.h>
#include <microhttpd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define STREAM_BLOCK_BYTES 1024 // ignored by the library in chunked responses, but must not be 0

static_assert(HTTP_STREAM_END == MHD_CONTENT_READER_END_OF_STREAM, "equals the library's value");
static_assert(HTTP_STREAM_BROKEN == MHD_CONTENT_READER_END_WITH_ERROR, "equals the library's");

// Values of Cache-Control.
static const char never[] = "no-store", validated[] = "no-cache";

// Adds the common headers. Takes ownership of the response; passes NULL through.
static struct MHD_Response *add_headers(struct MHD_Response *response, const char *type,
                                        const char *caching)
{
    if (response == NULL)
        return NULL;
    if (http_answer_add_header(response, "Content-Type", type) &&
        http_answer_add_header(response, "Cache-Control", caching) &&
        http_answer_add_header(response, "X-Content-Type-Options", "nosniff") &&
        http_answer_add_header(response, "Cross-Origin-Resource-Policy", "same-origin"))
        return response;
    http_answer_release(response);
    return NULL;
}

struct MHD_Response *http_answer_constant(const char *type, const char *text, bool may_be_cached)
{
    return add_headers(
        MHD_create_response_from_buffer(strlen(text), (void *)text, MHD_RESPMEM_PERSISTENT), type,
        may_be_cached ? validated : never);
}

struct MHD_Response *http_answer_text(const char *type, char *text)
{
    return text == NULL ? NULL : http_answer_bytes(type, text, strlen(text), false);
}

struct MHD_Response *http_answer_bytes(const char *type, char *bytes, size_t size,
                                       bool may_be_cached)
{
    struct MHD_Response *response =
        MHD_create_response_from_buffer(size, bytes, MHD_RESPMEM_MUST_FREE);
    if (response == NULL)
        free(bytes);
    return add_headers(response, type, may_be_cached ? validated : never);
}

struct MHD_Response *http_answer_stream(const char *type,
                                        ssize_t (*read)(void *context, uint64_t position,
                                                        char *bytes, size_t capacity),
                                        void (*end)(void *context), void *context)
{
    struct MHD_Response *response =
        MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, STREAM_BLOCK_BYTES, read, context, end);
    if (response == NULL)
        end(context);
    response = add_headers(response, type, never);
    // nginx buffers answers unless this header forbids it.
    if (response != NULL && !http_answer_add_header(response, "X-Accel-Buffering", "no")) {
        http_answer_release(response);
        response = NULL;
    }
    return response;
}

struct MHD_Response *http_answer_blocks(const char *type, uint64_t size, size_t block_bytes,
                                        ssize_t (*read)(void *context, uint64_t position,
                                                        char *bytes, size_t capacity),
                                        void (*end)(void *context), void *context)
{
    struct MHD_Response *response =
        MHD_create_response_from_callback(size, block_bytes, read, context, end);
    if (response == NULL)
        end(context);
    return add_headers(response, type, validated);
}

bool http_answer_add_header(struct MHD_Response *response, const char *name, const char *value)
{
    return MHD_add_response_header(response, name, value) == MHD_YES;
}

void http_answer_release(struct MHD_Response *response)
{
    if (response != NULL)
        MHD_destroy_response(response);
}

bool http_answer_send(struct MHD_Connection *connection, enum http_status status,
                      struct MHD_Response *response)
{
    return MHD_queue_response(connection, status, response) == MHD_YES;
}

bool http_answer_send_once(struct MHD_Connection *connection, enum http_status status,
                           struct MHD_Response *response)
{
    const bool sent = response != NULL && http_answer_send(connection, status, response);
    http_answer_release(response);
    return sent;
}

bool http_answer_send_problem(struct MHD_Connection *connection, enum http_status status,
                              const char *problem, const char *allow)
{
    char *text = NULL;
    if (asprintf(&text, "{\"error\":\"%s\"}\n", problem) < 0)
        text = NULL;
    struct MHD_Response *response = http_answer_text(HTTP_JSON_TYPE, text);
    if (response != NULL && allow != NULL && !http_answer_add_header(response, "Allow", allow)) {
        http_answer_release(response);
        response = NULL;
    }
    return http_answer_send_once(connection, status, response);
}

bool http_answer_send_too_long(struct MHD_Connection *connection, size_t most)
{
    char problem[48];
    snprintf(problem, sizeof problem, "want at most %zu kB", most / 1024);
    return http_answer_send_problem(connection, HTTP_CONTENT_TOO_LARGE, problem, NULL);
}

// Whether a list of entity tags has this one, or is "*". The weak comparison of section 8.8.3.2
// ignores the mark W/, the strong one lets no marked tag match.
static bool lists_tag(const char *list, const char *tag, bool is_weak_comparison)
{
    const size_t size = strlen(tag);
    if (strcmp(list, "*") == 0)
        return true;
    while (*(list += strspn(list, " \t,")) != '\0') {
        const bool is_weak = strncmp(list, "W/", 2) == 0;
        list += is_weak ? 2 : 0;
        const char *end = *list == '"' ? strchr(list + 1, '"') : NULL;
        if (end == NULL)
            return false;
        if ((size_t)(end + 1 - list) == size && memcmp(list, tag, size) == 0 &&
            (!is_weak || is_weak_comparison))
            return true;
        list = end + 1;
    }
    return false;
}

// Reads digits; a number above 64 bits becomes UINT64_MAX. Returns false without a digit.
static bool read_number(const char **text, uint64_t *number)
{
    const char *start = *text;
    *number = 0;
    for (; **text >= '0' && **text <= '9'; ++*text) {
        const uint64_t digit = (uint64_t)(**text - '0');
        *number = *number > (UINT64_MAX - digit) / 10 ? UINT64_MAX : *number * 10 + digit;
    }
    return *text > start;
}

static struct http_selection part_of(uint64_t first, uint64_t last, uint64_t size)
{
    if (first >= size)
        return (struct http_selection){.status = HTTP_RANGE_NOT_SATISFIABLE};
    if (last >= size)
        last = size - 1;
    return (struct http_selection){HTTP_PARTIAL_CONTENT, first, last - first + 1};
}

static struct http_selection select_range(const char *range, uint64_t size)
{
    static const char unit[] = "bytes=";
    const struct http_selection whole = {HTTP_OK, 0, size};
    uint64_t first, last = UINT64_MAX;
    if (range == NULL || strncasecmp(range, unit, sizeof unit - 1) != 0)
        return whole;
    const char *text = range + sizeof unit - 1;
    text += strspn(text, " \t");
    const bool has_first = read_number(&text, &first);
    if (*text++ != '-')
        return whole;
    const bool has_last = read_number(&text, &last);
    text += strspn(text, " \t");
    if (*text != '\0' || (!has_first && !has_last) || (has_first && has_last && first > last))
        return whole;
    if (has_first)
        return part_of(first, has_last ? last : UINT64_MAX, size);
    // A suffix: the last bytes, or the whole file as a part if it is shorter.
    return part_of(last == 0 ? size : last < size ? size - last : 0, UINT64_MAX, size);
}

struct http_selection http_conditions_select(const struct http_conditions *conditions,
                                             const char *tag, uint64_t size)
{
    const struct http_conditions *wanted = conditions;
    if (wanted->if_match != NULL && !lists_tag(wanted->if_match, tag, false))
        return (struct http_selection){.status = HTTP_PRECONDITION_FAILED};
    if (wanted->if_none_match != NULL && lists_tag(wanted->if_none_match, tag, true))
        return (struct http_selection){.status = HTTP_NOT_MODIFIED};
    if (wanted->is_head || (wanted->if_range != NULL && strcmp(wanted->if_range, tag) != 0))
        return (struct http_selection){HTTP_OK, 0, size};
    return select_range(wanted->range, size);
}
