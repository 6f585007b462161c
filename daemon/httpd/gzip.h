// SPDX-License-Identifier: MIT
// Compression of HTTP answers by gzip (RFC 1952). Any thread.
#pragma once

#include <stdbool.h>
#include <stddef.h>

// Texts that are shorter gain nothing.
#define GZIP_MIN_BYTES 512

// Compresses a text at the fastest level. Returns bytes that the caller frees, and their number in
// `packed_bytes`; NULL when memory runs out.
char *gzip_text(const char *text, size_t bytes, size_t *packed_bytes);

// Whether an Accept-Encoding header permits gzip (RFC 9110, 12.5.3); NULL: no header, which does
// not.
bool gzip_is_accepted(const char *header);
