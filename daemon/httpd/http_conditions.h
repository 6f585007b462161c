// SPDX-License-Identifier: MIT
// Conditional and range requests for a file (RFC 9110, sections 13 and 14): which status a request
// gets, and which bytes. Pure functions; any thread.
#pragma once

#include "http_answer.h"

#include <stdbool.h>
#include <stdint.h>

// The values of a request's headers; NULL: absent. There are no dates: where a resource shows no
// Last-Modified, conditions on dates are ignored, and an If-Range with a date does not match.
struct http_conditions {
    bool is_head; // a Range counts with GET only
    const char *if_match, *if_none_match, *if_range, *range;
};

// HTTP_OK: the whole file. HTTP_PARTIAL_CONTENT: `count` bytes from `first`. HTTP_NOT_MODIFIED,
// HTTP_PRECONDITION_FAILED, HTTP_RANGE_NOT_SATISFIABLE: no bytes.
struct http_selection {
    enum http_status status;
    uint64_t first, count;
};

// Selects bytes of a file of `size` bytes with this strong entity tag, in its quotes. A Range of
// several ranges, of another unit or with a mistake is ignored, as RFC 9110 14.2 allows, so no
// answer is longer than the file.
struct http_selection http_conditions_select(const struct http_conditions *conditions,
                                             const char *tag, uint64_t size);
