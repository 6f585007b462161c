// SPDX-License-Identifier: MIT
// Parser of a form in a request's body: application/x-www-form-urlencoded or multipart/form-data.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct MHD_Connection;
struct http_form;

// Receives a piece of a field's value, which starts at `offset` bytes. The name is NULL for a part
// of multipart/form-data without a name.
typedef void http_form_take(void *context, const char *name, const char *piece, uint64_t offset,
                            size_t size);

// Borrows the connection. Returns NULL when memory runs out.
struct http_form *http_form_create(struct MHD_Connection *connection, http_form_take *take,
                                   void *context);

// Parses a piece of the body and calls `take` for each piece of a value. Returns false if the body
// is not a form.
bool http_form_read(struct http_form *form, const char *piece, size_t size);

// Calls `take` for the last piece, then frees the parser. Takes NULL.
void http_form_destroy(struct http_form *form);
