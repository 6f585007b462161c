// SPDX-License-Identifier: MIT
// Members of JSON documents, with what a table shows where they are missing.
#pragma once

struct json_t;

// A string, or "-".
const char *text_of(const struct json_t *object, const char *key);

// An integer, or 0.
long long number_of(const struct json_t *object, const char *key);
