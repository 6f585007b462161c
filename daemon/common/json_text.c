// SPDX-License-Identifier: MIT
// Quotes texts by itself, and reads objects with jansson.
#define _GNU_SOURCE
#include "json_text.h"

#include "utf8.h"

#include <jansson.h>

#include <stdio.h>
#include <string.h>
#include <time.h>

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
