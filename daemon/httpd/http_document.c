// SPDX-License-Identifier: MIT
// Makes the forms of a document, and chooses one by the request's headers.
#include "http_document.h"

#include "http_answer.h"
#include "http_listener.h"

#include <assert.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool add_headers(const struct http_document *document, struct MHD_Response *response,
                        const char *tag)
{
    for (const struct http_header *header = document->headers;
         header != NULL && header->name != NULL; header++)
        if (!http_answer_add_header(response, header->name, header->value))
            return false;
    return http_answer_add_header(response, "Vary", "Accept-Encoding") &&
           (tag[0] == '\0' || http_answer_add_header(response, "ETag", tag));
}

bool http_document_take(struct http_document *document, const char *type, char *text)
{
    assert(document->plain == NULL);
    *document = (struct http_document){.type = type, .text = text};
    document->plain = http_answer_text(type, text);
    if (document->plain == NULL)
        return false;
    document->bytes = strlen(text);
    if (add_headers(document, document->plain, document->tag))
        return true;
    http_document_clear(document);
    return false;
}

// A hash of the text (FNV-1a): it has to differ between two versions of a file, not to withstand
// an attacker, because the texts are the program's own.
static uint64_t hash_text(const char *text)
{
    uint64_t hash = UINT64_C(14695981039346656037);
    for (; *text != '\0'; text++)
        hash = (hash ^ (uint8_t)*text) * UINT64_C(1099511628211);
    return hash;
}

bool http_document_keep(struct http_document *document, const char *type, const char *text,
                        const struct http_header *headers)
{
    const uint64_t hash = hash_text(text);
    assert(document->plain == NULL);
    *document = (struct http_document){
        .type = type, .text = text, .headers = headers, .bytes = strlen(text)};
    snprintf(document->tag, sizeof document->tag, "\"%016" PRIx64 "\"", hash);
    snprintf(document->packed_tag, sizeof document->packed_tag, "\"%016" PRIx64 "-gz\"", hash);
    document->plain = http_answer_constant(type, text, true);
    document->unchanged = http_answer_constant(type, "", true);
    if (document->plain != NULL && document->unchanged != NULL &&
        add_headers(document, document->plain, document->tag) &&
        add_headers(document, document->unchanged, document->tag))
        return true;
    http_document_clear(document);
    return false;
}

// Compresses the text, unless that was tried before. Without memory it is sent as it is.
static void pack(struct http_document *document)
{
    size_t bytes;
    if (document->is_packing_tried || document->bytes < GZIP_MIN_BYTES)
        return;
    document->is_packing_tried = true;
    char *packed = gzip_text(document->text, document->bytes, &bytes);
    struct MHD_Response *response =
        packed != NULL
            ? http_answer_bytes(document->type, packed, bytes, document->unchanged != NULL)
            : NULL;
    if (response == NULL)
        return;
    if (add_headers(document, response, document->packed_tag) &&
        http_answer_add_header(response, "Content-Encoding", "gzip"))
        document->packed = response;
    else
        http_answer_release(response);
}

// Whether the client has one of the document's forms.
static bool is_known(const struct http_document *document, struct MHD_Connection *connection)
{
    const struct http_conditions conditions = {
        .if_none_match = http_connection_header(connection, "If-None-Match")};
    return http_conditions_select(&conditions, document->tag, 0).status == HTTP_NOT_MODIFIED ||
           http_conditions_select(&conditions, document->packed_tag, 0).status == HTTP_NOT_MODIFIED;
}

bool http_document_send(struct http_document *document, struct MHD_Connection *connection,
                        enum http_status status)
{
    if (document->unchanged != NULL && is_known(document, connection))
        return http_answer_send(connection, HTTP_NOT_MODIFIED, document->unchanged);
    if (!http_coding_is_accepted(http_connection_header(connection, "Accept-Encoding"), "gzip"))
        return http_answer_send(connection, status, document->plain);
    pack(document);
    return http_answer_send(connection, status,
                            document->packed != NULL ? document->packed : document->plain);
}

void http_document_clear(struct http_document *document)
{
    http_answer_release(document->plain);
    http_answer_release(document->packed);
    http_answer_release(document->unchanged);
    *document = (struct http_document){0};
}

#define ZLIB_CONST // what is compressed is not written to
#include <zlib.h>

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { WINDOW_BITS = 15, GZIP_FORMAT = 16, MEMORY_LEVEL = 8 };

char *gzip_text(const char *text, size_t bytes, size_t *packed_bytes)
{
    z_stream stream = {0};
    if (bytes > UINT_MAX / 2 ||
        deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, WINDOW_BITS + GZIP_FORMAT, MEMORY_LEVEL,
                     Z_DEFAULT_STRATEGY) != Z_OK)
        return NULL;
    const uLong capacity = deflateBound(&stream, (uLong)bytes);
    char *packed = malloc(capacity);
    if (packed != NULL) {
        stream.next_in = (const Bytef *)text;
        stream.avail_in = (uInt)bytes;
        stream.next_out = (Bytef *)packed;
        stream.avail_out = (uInt)capacity;
        deflate(&stream, Z_FINISH); // the bound is enough to end in one call
        *packed_bytes = stream.total_out;
    }
    deflateEnd(&stream);
    return packed;
}

// Whether the parameters of a coding, as ";q=0.5", give it a weight of 0.
static bool is_rejected(const char *parameters, const char *end)
{
    const char *weight = parameters + strspn(parameters, "; \t");
    if (weight + 2 > end || strncasecmp(weight, "q=", 2) != 0)
        return false;
    for (weight += 2; weight < end; weight++)
        if (*weight >= '1' && *weight <= '9')
            return false;
    return true;
}

bool http_coding_is_accepted(const char *header, const char *coding)
{
    bool is_any_accepted = false;
    for (const char *item = header; item != NULL && *item != '\0';) {
        item += strspn(item, ", \t");
        const size_t name = strcspn(item, ",; \t");
        const char *end = item + strcspn(item, ",");
        const bool is_accepted = !is_rejected(item + name, end);
        if (name == strlen(coding) && strncasecmp(item, coding, name) == 0)
            return is_accepted;
        if (name == 1 && *item == '*')
            is_any_accepted = is_accepted;
        item = end;
    }
    return is_any_accepted;
}
