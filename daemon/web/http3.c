// SPDX-License-Identifier: MIT
// Reads and writes HTTP/3 by hand; nghttp3 decodes the compressed headers.
#include "http3.h"

#include <nghttp3/nghttp3.h>

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FRAME_DATA = 0, FRAME_HEADERS = 1, FRAME_SETTINGS = 4, FRAME_WEBTRANSPORT_STREAM = 0x41 };
enum { STREAM_CONTROL = 0 };
enum { CAPSULE_CLOSE_SESSION = 0x2843 };

// --- Integers of variable length (RFC 9000, section 16) ---

// Returns the number of bytes, or 0 where some are missing.
static size_t read_integer(const uint8_t *bytes, size_t size, uint64_t *value)
{
    const size_t length = size > 0 ? (size_t)1 << (bytes[0] >> 6) : 1;
    if (size < length)
        return 0;
    *value = bytes[0] & 0x3F;
    for (size_t i = 1; i < length; i++)
        *value = *value << 8 | bytes[i];
    return length;
}

static size_t write_integer(uint8_t *bytes, uint64_t value)
{
    const unsigned log = value < 1 << 6 ? 0 : value < 1 << 14 ? 1 : value < 1 << 30 ? 2 : 3;
    const size_t length = (size_t)1 << log;
    for (size_t i = length; i-- > 0; value >>= 8)
        bytes[i] = (uint8_t)value;
    bytes[0] |= (uint8_t)(log << 6);
    return length;
}

// --- Reading ---

// Reads the type and length of the next value, with what came of them before. False if more bytes
// are needed; `bytes` is moved behind what was read.
static bool open_value(struct http3_sequence *sequence, const uint8_t **bytes, size_t *size)
{
    while (*size > 0) {
        sequence->head[sequence->head_bytes++] = *(*bytes)++;
        --*size;
        const size_t type = read_integer(sequence->head, sequence->head_bytes, &sequence->type);
        const size_t length =
            read_integer(sequence->head + type, sequence->head_bytes - type, &sequence->left);
        // The stream's type takes the place of a frame's, and has no length.
        const bool is_stream = type > 0 && sequence->type == FRAME_WEBTRANSPORT_STREAM;
        if (type > 0 && (length > 0 || is_stream)) {
            sequence->head_bytes = 0;
            sequence->is_open = true;
            return true;
        }
    }
    return false;
}

// Takes the piece of the open value that has come.
static size_t take_piece(struct http3_sequence *sequence, const uint8_t **bytes, size_t *size)
{
    const size_t piece = sequence->left < *size ? (size_t)sequence->left : *size;
    *bytes += piece;
    *size -= piece;
    sequence->left -= piece;
    sequence->is_open = sequence->left > 0;
    return piece;
}

static enum http3_event fail(struct http3_stream *stream, enum http3_error error)
{
    stream->error = error;
    return HTTP3_BAD;
}

static enum http3_event take_headers(struct http3_stream *stream, const uint8_t *piece, size_t size)
{
    memcpy(stream->block + stream->block_bytes, piece, size);
    stream->block_bytes += size;
    if (stream->frames.is_open)
        return HTTP3_MORE;
    const bool is_good = http3_read_request(stream->block, stream->block_bytes, &stream->request);
    free(stream->block);
    stream->block = NULL;
    stream->has_request = true;
    return is_good ? HTTP3_REQUEST : fail(stream, HTTP3_QPACK_DECOMPRESSION_FAILED);
}

static enum http3_event take_capsules(struct http3_stream *stream, const uint8_t *piece,
                                      size_t size)
{
    while (size > 0) {
        if (!stream->capsules.is_open && !open_value(&stream->capsules, &piece, &size))
            break;
        take_piece(&stream->capsules, &piece, &size);
        if (!stream->capsules.is_open && stream->capsules.type == CAPSULE_CLOSE_SESSION)
            return HTTP3_CLOSE;
    }
    return HTTP3_MORE;
}

// A frame whose type and length are known.
static enum http3_event begin_frame(struct http3_stream *stream)
{
    const struct http3_sequence *frames = &stream->frames;
    switch (frames->type) {
    case FRAME_WEBTRANSPORT_STREAM:
        stream->is_ignored = true;
        return HTTP3_MORE;
    case FRAME_DATA:
        return stream->has_request ? HTTP3_MORE : fail(stream, HTTP3_FRAME_UNEXPECTED);
    case FRAME_SETTINGS:
        return fail(stream, HTTP3_FRAME_UNEXPECTED);
    case FRAME_HEADERS:
        if (stream->has_request)
            return HTTP3_MORE; // trailers
        if (frames->left > HTTP3_MAX_HEADER_BYTES)
            return fail(stream, HTTP3_EXCESSIVE_LOAD);
        stream->block_bytes = 0;
        stream->block = malloc((size_t)frames->left + 1); // a block may be empty
        return stream->block != NULL ? HTTP3_MORE : fail(stream, HTTP3_EXCESSIVE_LOAD);
    default:
        return HTTP3_MORE;
    }
}

enum http3_event http3_read(struct http3_stream *stream, const uint8_t **bytes, size_t *size)
{
    enum http3_event event = HTTP3_MORE;
    while (event == HTTP3_MORE && *size > 0 && !stream->is_ignored) {
        if (!stream->frames.is_open) {
            if (!open_value(&stream->frames, bytes, size))
                break;
            event = begin_frame(stream);
        }
        if (event != HTTP3_MORE || stream->is_ignored || (*size == 0 && stream->frames.left > 0))
            continue;
        const uint8_t *piece = *bytes;
        const size_t count = take_piece(&stream->frames, bytes, size);
        if (stream->block != NULL)
            event = take_headers(stream, piece, count);
        else if (stream->frames.type == FRAME_DATA)
            event = take_capsules(stream, piece, count);
    }
    if (stream->is_ignored) {
        *bytes += *size;
        *size = 0;
    }
    return event;
}

void http3_stream_clear(struct http3_stream *stream)
{
    free(stream->block);
    *stream = (struct http3_stream){0};
}

static bool is_text(nghttp3_vec text, const char *expected)
{
    return text.len == strlen(expected) && memcmp(text.base, expected, text.len) == 0;
}

// What a field says of the request.
struct fields {
    bool is_connect, is_protocol;
};

static void take_field(const nghttp3_qpack_nv *field, struct fields *fields,
                       struct http3_request *request)
{
    const nghttp3_vec name = nghttp3_rcbuf_get_buf(field->name);
    const nghttp3_vec value = nghttp3_rcbuf_get_buf(field->value);
    if (is_text(name, ":method"))
        fields->is_connect = is_text(value, "CONNECT");
    else if (is_text(name, ":protocol")) // the second since draft 13
        fields->is_protocol = is_text(value, "webtransport") || is_text(value, "webtransport-h3");
    else if (is_text(name, ":path") && value.len < sizeof request->path &&
             memchr(value.base, '\0', value.len) == NULL)
        snprintf(request->path, sizeof request->path, "%.*s", (int)value.len,
                 (const char *)value.base);
}

static bool decode(nghttp3_qpack_decoder *decoder, nghttp3_qpack_stream_context *context,
                   const uint8_t *block, size_t size, struct http3_request *request)
{
    struct fields fields = {0};
    for (;;) {
        nghttp3_qpack_nv field;
        uint8_t flags = 0;
        const nghttp3_ssize count = nghttp3_qpack_decoder_read_request(
            decoder, context, &field, &flags, block, size, /* fin */ 1);
        if (count < 0 || (flags & NGHTTP3_QPACK_DECODE_FLAG_BLOCKED) != 0)
            return false;
        block += count;
        size -= (size_t)count;
        if ((flags & NGHTTP3_QPACK_DECODE_FLAG_EMIT) != 0) {
            take_field(&field, &fields, request);
            nghttp3_rcbuf_decref(field.name);
            nghttp3_rcbuf_decref(field.value);
        }
        if ((flags & NGHTTP3_QPACK_DECODE_FLAG_FINAL) != 0)
            break;
        if (count == 0 && (flags & NGHTTP3_QPACK_DECODE_FLAG_EMIT) == 0)
            return false;
    }
    request->is_webtransport = fields.is_connect && fields.is_protocol;
    return true;
}

bool http3_read_request(const uint8_t *block, size_t size, struct http3_request *request)
{
    nghttp3_qpack_decoder *decoder = NULL;
    nghttp3_qpack_stream_context *context = NULL;
    const nghttp3_mem *memory = nghttp3_mem_default();
    *request = (struct http3_request){0};
    const bool is_good = nghttp3_qpack_decoder_new(&decoder, 0, 0, memory) == 0 &&
                         nghttp3_qpack_stream_context_new(&context, 0, memory) == 0 &&
                         decode(decoder, context, block, size, request);
    nghttp3_qpack_stream_context_del(context);
    nghttp3_qpack_decoder_del(decoder);
    return is_good;
}

// --- Writing ---

// A frame's type and length.
static size_t write_frame(uint8_t *bytes, uint64_t type, size_t size)
{
    const size_t written = write_integer(bytes, type);
    return written + write_integer(bytes + written, size);
}

size_t http3_write_settings(uint8_t bytes[HTTP3_SETTINGS_BYTES])
{
    // All have the value 1. Browsers of 2026 need that of draft 2 for WebTransport, and Chromium
    // the datagrams of RFC 9297; the later drafts' do no harm beside them.
    static const uint64_t settings[] = {
        0x08,       // extended CONNECT (RFC 9220)
        0x33,       // datagrams (RFC 9297)
        0x2b603742, // WebTransport of draft 2
        0xc671706a, // sessions, of drafts 7 to 13
        0x14e9cd29, // sessions, of draft 13
        0x2c7cf000, // WebTransport since draft 14
    };
    uint8_t payload[HTTP3_SETTINGS_BYTES];
    size_t size = 0;
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        size += write_integer(payload + size, settings[i]);
        size += write_integer(payload + size, 1);
    }
    size_t written = write_integer(bytes, STREAM_CONTROL);
    written += write_frame(bytes + written, FRAME_SETTINGS, size);
    assert(written + size <= HTTP3_SETTINGS_BYTES);
    memcpy(bytes + written, payload, size);
    return written + size;
}

size_t http3_write_response(int status, uint8_t bytes[HTTP3_RESPONSE_BYTES])
{
    // Field section prefix without a dynamic table; then a literal value with the name ":status"
    // of the static table's index 24, not Huffman-coded (RFC 9204, sections 4.5.1 and 4.5.4).
    uint8_t block[] = {0, 0, 0x5F, 24 - 15, 3, 0, 0, 0};
    char digits[16];
    assert(status >= 200 && status <= 599);
    snprintf(digits, sizeof digits, "%d", status);
    memcpy(block + 5, digits, 3);
    const size_t written = write_frame(bytes, FRAME_HEADERS, sizeof block);
    memcpy(bytes + written, block, sizeof block);
    return written + sizeof block;
}

size_t http3_write_close(uint32_t code, const char *reason, uint8_t bytes[HTTP3_CLOSE_BYTES])
{
    const size_t length = strlen(reason);
    uint8_t capsule[HTTP3_CLOSE_BYTES];
    assert(length <= 40);
    size_t size = write_frame(capsule, CAPSULE_CLOSE_SESSION, 4 + length);
    for (int shift = 24; shift >= 0; shift -= 8)
        capsule[size++] = (uint8_t)(code >> shift);
    memcpy(capsule + size, reason, length);
    size += length;
    const size_t written = write_frame(bytes, FRAME_DATA, size);
    memcpy(bytes + written, capsule, size);
    return written + size;
}

// The identifier in a datagram is that of the session's stream, divided by four, because streams
// of this kind have every fourth number (RFC 9297, section 2.1).
size_t http3_write_prefix(int64_t session, uint8_t bytes[HTTP3_PREFIX_BYTES])
{
    return write_integer(bytes, (uint64_t)session / 4);
}

size_t http3_read_prefix(int64_t session, const uint8_t *bytes, size_t size)
{
    uint64_t quarter = 0;
    const size_t length = read_integer(bytes, size, &quarter);
    return length > 0 && quarter == (uint64_t)session / 4 ? length : 0;
}
