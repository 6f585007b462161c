// SPDX-License-Identifier: MIT
// HTTP/3 (RFC 9114) for exactly one request: the extended CONNECT of a WebTransport session
// (RFC 9220, draft-ietf-webtrans-http3), whose datagrams (RFC 9297) are all that is carried. Reads
// the client's request stream and writes the server's control stream, responses and capsules.
// There is no dynamic table of QPACK. No sockets, no QUIC, no state but the caller's.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Error codes of a connection (RFC 9114, section 8.1).
enum http3_error {
    HTTP3_NO_ERROR = 0x100,
    HTTP3_FRAME_UNEXPECTED = 0x105,
    HTTP3_EXCESSIVE_LOAD = 0x107,
    HTTP3_REQUEST_REJECTED = 0x10b,
    HTTP3_MESSAGE_ERROR = 0x10e,
    HTTP3_QPACK_DECOMPRESSION_FAILED = 0x200,
};

enum {
    HTTP3_MAX_HEADER_BYTES = 4096, // of a request, compressed
    HTTP3_PATH_BYTES = 160,        // with the closing NUL; a longer path is none
    HTTP3_SETTINGS_BYTES = 64,     // of http3_write_settings, at most
    HTTP3_RESPONSE_BYTES = 16,
    HTTP3_CLOSE_BYTES = 64,
    HTTP3_PREFIX_BYTES = 8, // of a datagram, at most
};

struct http3_request {
    bool is_webtransport; // CONNECT, with webtransport as its protocol
    char path[HTTP3_PATH_BYTES];
};

// A sequence of frames or capsules, each a type, a length and a value, that comes in pieces.
struct http3_sequence {
    uint8_t head[16]; // the beginning of an incomplete type and length
    uint8_t head_bytes;
    bool is_open; // within a value, of which `left` bytes are missing
    uint64_t type, left;
};

// A bidirectional stream of the client. Zero-initialize; http3_stream_clear ends it.
struct http3_stream {
    struct http3_sequence frames, capsules;
    bool has_request, is_ignored;
    uint8_t *block; // compressed headers; owned
    size_t block_bytes;
    struct http3_request request;
    enum http3_error error;
};

enum http3_event {
    HTTP3_MORE,    // all bytes were read
    HTTP3_REQUEST, // `request` is complete
    HTTP3_CLOSE,   // the client ends the session
    HTTP3_BAD,     // the connection has to end with `error`
};

// Reads a stream up to the next event and moves `bytes` and `size` behind what was read. Unknown
// frames and capsules are skipped, and so is a bidirectional stream of WebTransport's.
enum http3_event http3_read(struct http3_stream *stream, const uint8_t **bytes, size_t *size);

// Frees what it holds.
void http3_stream_clear(struct http3_stream *stream);

// Decodes compressed headers. False if they are malformed.
bool http3_read_request(const uint8_t *block, size_t size, struct http3_request *request);

// Writes the beginning of the control stream: its type and the SETTINGS that browsers look for.
size_t http3_write_settings(uint8_t bytes[HTTP3_SETTINGS_BYTES]);

// Writes a response without a body: a status of 200 to 599.
size_t http3_write_response(int status, uint8_t bytes[HTTP3_RESPONSE_BYTES]);

// Writes the capsule that ends a session, in its frame. `reason` has at most 40 characters.
size_t http3_write_close(uint32_t code, const char *reason, uint8_t bytes[HTTP3_CLOSE_BYTES]);

// The bytes before the payload of a session's datagrams, by the id of its stream.
size_t http3_write_prefix(int64_t session, uint8_t bytes[HTTP3_PREFIX_BYTES]);

// Reads them. Returns their number, or 0 for a datagram of another session.
size_t http3_read_prefix(int64_t session, const uint8_t *bytes, size_t size);
