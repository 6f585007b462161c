// SPDX-License-Identifier: MIT
// The objects of the status documents: their keys, numbers and texts. Every builder returns NULL
// when memory runs out. Each function that puts a value into an object fails for a NULL value,
// which propagates the failure to the caller. Main thread only.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct json_t;

// Each puts a value, which it takes. Returns false if it is NULL or memory runs out.
bool status_put(struct json_t *object, const char *key, struct json_t *value);
bool status_put_count(struct json_t *object, const char *key, uint64_t count);
bool status_put_tenths(struct json_t *object, const char *key, double number); // rounds

// Returns the object if it is complete; otherwise frees it and returns NULL.
struct json_t *status_finish(struct json_t *object, bool complete);

// Text from files or the system may be invalid UTF-8, which JSON cannot hold; replaces such bytes
// by ?.
struct json_t *status_text(const char *text);

// The match admits only UTF-8 names. If an invalid one got through, a ? replaces it, so that the
// rest of the document stays available.
struct json_t *status_name(const char *name, size_t capacity);
