// SPDX-License-Identifier: MIT
// Writes commas, keys and values.
#define _GNU_SOURCE
#include "json_writer.h"

#include "utf8.h"

#include <assert.h>
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static void begin_value(struct json_writer *json, const char *key)
{
    text_buffer_add(&json->out, ",", json->has_members);
    json->has_members = true;
    if (key == NULL)
        return;
    json_text_quote(&json->out, key);
    text_buffer_add(&json->out, ":", 1);
}

static void begin_container(struct json_writer *json, const char *key, const char *begin, char end)
{
    assert(json->depth < JSON_WRITER_DEPTH);
    begin_value(json, key);
    text_buffer_add(&json->out, begin, 1);
    json->ends[json->depth++] = end;
    json->has_members = false;
}

void json_begin_object(struct json_writer *json, const char *key)
{
    begin_container(json, key, "{", '}');
}

void json_begin_array(struct json_writer *json, const char *key)
{
    begin_container(json, key, "[", ']');
}

void json_write_end(struct json_writer *json)
{
    assert(json->depth > 0);
    text_buffer_add(&json->out, &json->ends[--json->depth], 1);
    json->has_members = true;
}

static void write_word(struct json_writer *json, const char *key, const char *word)
{
    begin_value(json, key);
    text_buffer_add(&json->out, word, strlen(word));
}

void json_write_null(struct json_writer *json, const char *key)
{
    write_word(json, key, "null");
}

void json_write_flag(struct json_writer *json, const char *key, bool flag)
{
    write_word(json, key, flag ? "true" : "false");
}

void json_write_count(struct json_writer *json, const char *key, uint64_t count)
{
    begin_value(json, key);
    text_buffer_print(&json->out, "%" PRIu64, count);
}

void json_write_number(struct json_writer *json, const char *key, int64_t number)
{
    begin_value(json, key);
    text_buffer_print(&json->out, "%" PRId64, number);
}

void json_write_tenths(struct json_writer *json, const char *key, double number)
{
    begin_value(json, key);
    text_buffer_print(&json->out, "%.1f", round(10 * number) / 10);
}

void json_write_text(struct json_writer *json, const char *key, const char *text)
{
    if (text == NULL) {
        json_write_null(json, key);
        return;
    }
    begin_value(json, key);
    json_text_quote(&json->out, text);
}

void json_write_document(struct json_writer *json, const char *key, const char *text)
{
    write_word(json, key, text != NULL ? text : "");
    json->out.no_memory = json->out.no_memory || text == NULL;
}

char *json_write_take(struct json_writer *json)
{
    assert(json->depth == 0);
    json->has_members = false;
    return text_buffer_take(&json->out);
}

void json_text_quote(struct text_buffer *out, const char *text)
{
    text_buffer_add(out, "\"", 1);
    while (*text != '\0') {
        uint32_t code_point;
        const size_t size = raim_utf8_decode((const uint8_t *)text, &code_point);
        if (size == 0)
            text_buffer_add(out, "?", 1);
        else if (*text == '"' || *text == '\\')
            text_buffer_print(out, "\\%c", *text);
        else if (code_point < 0x20)
            text_buffer_print(out, "\\u%04x", code_point);
        else
            text_buffer_add(out, text, size);
        text += size > 0 ? size : 1;
    }
    text_buffer_add(out, "\"", 1);
}

bool json_text_is_object(const char *text)
{
    json_t *root = json_loads(text, 0, NULL);
    const bool is_object = json_is_object(root);
    json_decref(root);
    // JSON may have line feeds and carriage returns between its values, but an event may not.
    return is_object && text[strcspn(text, "\r\n")] == '\0';
}

void json_text_time(int64_t ms, char text[JSON_TEXT_TIME_BYTES])
{
    const time_t seconds = (time_t)(ms / 1000);
    struct tm when;
    gmtime_r(&seconds, &when);
    const size_t size = strftime(text, JSON_TEXT_TIME_BYTES, "%Y-%m-%dT%H:%M:%S", &when);
    snprintf(text + size, JSON_TEXT_TIME_BYTES - size, ".%03dZ", (int)(ms % 1000));
}
