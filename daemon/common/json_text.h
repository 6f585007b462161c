// SPDX-License-Identifier: MIT
// Parts of JSON as text. json_writer.h writes whole documents. Any thread.
#pragma once

#include "text_buffer.h"

#include <stdbool.h>
#include <stdint.h>

// Writes a text in quotes, with a ? for each byte that is not UTF-8.
void json_text_quote(struct text_buffer *out, const char *text);

// Writes a time, in ms since 1970, as text of RFC 3339 in UTC with milliseconds.
#define JSON_TEXT_TIME_BYTES 32
void json_text_time(int64_t ms, char text[JSON_TEXT_TIME_BYTES]);

// Whether a text is a JSON object on one line.
bool json_text_is_object(const char *text);
