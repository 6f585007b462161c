// SPDX-License-Identifier: MIT
// Writes a JSON document member by member, with a sticky error as text_buffer has it: after the
// first failed allocation nothing is added, and json_write_take returns NULL. Any thread.
#pragma once

#include "text_buffer.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define JSON_WRITER_DEPTH 16 // of containers in each other

// All zero: empty.
struct json_writer {
    struct text_buffer out;
    int depth;
    char ends[JSON_WRITER_DEPTH]; // the brackets that close the open containers
    bool has_members;             // the innermost container
};

// Each writes a value. `key` is its name in an object; NULL in an array and for the document.

// Both begin a container, whose members follow until json_write_end.
void json_begin_object(struct json_writer *json, const char *key);
void json_begin_array(struct json_writer *json, const char *key);
void json_write_end(struct json_writer *json);

void json_write_null(struct json_writer *json, const char *key);
void json_write_flag(struct json_writer *json, const char *key, bool flag);
void json_write_count(struct json_writer *json, const char *key, uint64_t count);
void json_write_number(struct json_writer *json, const char *key, int64_t number);
void json_write_tenths(struct json_writer *json, const char *key, double number); // rounds

// NULL writes null. What is not UTF-8 becomes a ?, so that the document remains valid.
void json_write_text(struct json_writer *json, const char *key, const char *text);

// Another document, as text. NULL, where memory ran out for it, fails this one, too.
void json_write_document(struct json_writer *json, const char *key, const char *text);

// The document, which the caller frees. Every container must be closed. NULL if memory ran out.
char *json_write_take(struct json_writer *json);

// Writes a text in quotes, with a ? for each byte that is not UTF-8.
void json_text_quote(struct text_buffer *out, const char *text);

// Writes a time, in ms since 1970, as text of RFC 3339 in UTC with milliseconds.
#define JSON_TEXT_TIME_BYTES 32
void json_text_time(int64_t ms, char text[JSON_TEXT_TIME_BYTES]);

// Whether a text is a JSON object on one line.
bool json_text_is_object(const char *text);
