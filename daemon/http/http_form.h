// SPDX-License-Identifier: MIT
// The form in a request's body, in either encoding of HTML.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct MHD_Connection;
struct http_form;

// A piece of a field's value, `offset` bytes behind its beginning. The name is NULL for a part of
// multipart/form-data that has none.
typedef void http_form_take(void *context, const char *name, const char *piece, uint64_t offset,
                            size_t size);

// NULL when memory runs out. Borrows the connection.
struct http_form *http_form_create(struct MHD_Connection *connection, http_form_take *take,
                                   void *context);

// Reads a piece of the body, and calls `take` with what it knows then. False where the body is not
// a form.
bool http_form_read(struct http_form *form, const char *piece, size_t size);

// Brings the last piece. Takes NULL.
void http_form_destroy(struct http_form *form);
