// SPDX-License-Identifier: MIT
// A text that is sent many times, by gzip if the client accepts it, else plain. A text that never
// changes is not sent to a client that has it (ETag). The text is compressed once, for the first
// client that accepts gzip. Main thread only.
#pragma once

#include "http_answer.h"

#include <stdbool.h>
#include <stddef.h>

struct http_header {
    const char *name, *value;
};

// Zero-initialize; all zero is no document.
struct http_document {
    struct MHD_Response *plain;     // NULL: no document
    struct MHD_Response *packed;    // NULL: not compressed yet, or not worth it
    struct MHD_Response *unchanged; // the answer to a client that has it; NULL: it may change
    const char *type, *text;        // the text belongs to `plain`
    const struct http_header *headers;
    size_t bytes;
    bool is_packing_tried;
    char tag[24], packed_tag[24]; // entity tags with their quotes; "": it may change
};

// Makes a document of a heap-allocated text, which it takes even on failure. Borrows the type.
// Returns false when memory runs out or the text is NULL. The document must be clear.
bool http_document_take(struct http_document *document, const char *type, char *text);

// Makes a document of a text that never changes. `headers` end with one without a name; NULL: none.
// Borrows all of it.
bool http_document_keep(struct http_document *document, const char *type, const char *text,
                        const struct http_header *headers);

// Sends the document. Returns false to close the connection.
bool http_document_send(struct http_document *document, struct MHD_Connection *connection,
                        enum http_status status);

// Releases what the document holds; connections that still send it hold references of their own.
void http_document_clear(struct http_document *document);

// Compression of HTTP answers by gzip (RFC 1952). Any thread.

// Shorter texts are not worth compressing.
#define GZIP_MIN_BYTES 512

// Compresses a text at the fastest level. Returns bytes that the caller frees, and their number in
// `packed_bytes`; NULL when memory runs out.
char *gzip_text(const char *text, size_t bytes, size_t *packed_bytes);

// Whether an Accept-Encoding header permits a coding, such as "gzip" (RFC 9110, 12.5.3). NULL, a
// missing header, does not.
bool http_coding_is_accepted(const char *header, const char *coding);
