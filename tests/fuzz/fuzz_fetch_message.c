// SPDX-License-Identifier: MIT
// Fuzzes what raimd and its process for requests say to each other: an answer, which holds what a
// stranger's server sent, and a request. What is read has lines of visible characters within their
// sizes, lies inside the message, and reads back as it is written.
#define _GNU_SOURCE
#include "fuzz.h"

#include "fetch_message.h"

#include <stdlib.h>
#include <string.h>

static void assert_printable(const char *line, size_t capacity)
{
    assert(strlen(line) < capacity);
    for (const char *at = line; *at != '\0'; at++)
        assert(*at >= 0x20 && *at <= 0x7e);
}

// A copy that ends in a NUL, as a message does.
static char *copy_of(const void *bytes, size_t size)
{
    char *copy = malloc(size + 1);
    assert(copy != NULL);
    if (size > 0)
        memcpy(copy, bytes, size);
    copy[size] = '\0';
    return copy;
}

static void check_answer(const uint8_t *data, size_t size)
{
    struct fetch_answer answer, again;
    struct text_buffer out = {0};
    char *text = copy_of(data, size);
    if (fetch_message_read_answer(text, size, &answer)) {
        assert_printable(answer.reason, FETCH_REASON_BYTES);
        assert_printable(answer.etag, FETCH_ETAG_BYTES);
        assert(answer.status <= 999 && answer.body >= text &&
               answer.body + answer.body_bytes == text + size);
        fetch_message_write_answer(&out, &answer);
        assert(out.size <= answer.body_bytes + FETCH_ANSWER_HEAD_BYTES);
        assert(fetch_message_read_answer(out.text, out.size, &again));
        assert(again.is_good == answer.is_good && again.status == answer.status &&
               strcmp(again.reason, answer.reason) == 0 && strcmp(again.etag, answer.etag) == 0 &&
               again.body_bytes == answer.body_bytes &&
               memcmp(again.body, answer.body, answer.body_bytes) == 0);
    }
    free(text_buffer_take(&out));
    free(text);
}

static void check_request(const uint8_t *data, size_t size)
{
    struct fetch_request request, again;
    struct text_buffer out = {0};
    char *text = copy_of(data, size);
    if (fetch_message_read_request(text, size, &request)) {
        const char *body = request.body;
        assert(body >= text && body + request.body_bytes == text + size);
        assert(request.method == NULL || strcmp(request.method, "GET") == 0 ||
               strcmp(request.method, "POST") == 0);
        fetch_message_write_request(&out, &request);
        assert(fetch_message_read_request(out.text, out.size, &again));
        assert(strcmp(again.target, request.target) == 0 &&
               strcmp(again.headers, request.headers) == 0 &&
               again.max_bytes == request.max_bytes && again.deadline_ms == request.deadline_ms &&
               again.body_bytes == request.body_bytes &&
               memcmp(again.body, request.body, request.body_bytes) == 0);
    }
    free(text_buffer_take(&out));
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    check_answer(data, size);
    check_request(data, size);
    return 0;
}
