// SPDX-License-Identifier: MIT
// HTTP/3 as browsers speak it, in whatever pieces it comes, and as others might.
#include "chance.h"
#include "http3.h"
#include "test.h"

// A literal field name and value, not Huffman-coded (RFC 9204, section 4.5.6).
static size_t write_field(uint8_t *block, const char *name, const char *value)
{
    const size_t name_size = strlen(name), value_size = strlen(value);
    size_t size = 0;
    assert_in_range(name_size, 1, 100);
    if (name_size < 7) {
        block[size++] = (uint8_t)(0x20 | name_size);
    } else {
        block[size++] = 0x27;
        block[size++] = (uint8_t)(name_size - 7);
    }
    memcpy(block + size, name, name_size);
    size += name_size;
    if (value_size < 127) {
        block[size++] = (uint8_t)value_size;
    } else {
        block[size++] = 127;
        block[size++] = (uint8_t)(0x80 | ((value_size - 127) & 127));
        block[size++] = (uint8_t)((value_size - 127) >> 7);
    }
    memcpy(block + size, value, value_size);
    return size + value_size;
}

static size_t write_block(uint8_t *block, const char *method, const char *protocol,
                          const char *path)
{
    size_t size = 2;
    block[0] = block[1] = 0; // no dynamic table
    size += write_field(block + size, ":method", method);
    size += write_field(block + size, ":protocol", protocol);
    size += write_field(block + size, ":scheme", "https");
    size += write_field(block + size, ":authority", "game.example:7240");
    size += write_field(block + size, ":path", path);
    return size + write_field(block + size, "origin", "https://game.example");
}

static size_t write_headers(uint8_t *bytes, const uint8_t *block, size_t size)
{
    bytes[0] = 1;
    bytes[1] = (uint8_t)(0x40 | size >> 8);
    bytes[2] = (uint8_t)size;
    memcpy(bytes + 3, block, size);
    return size + 3;
}

static size_t write_request(uint8_t *bytes, const char *path)
{
    uint8_t block[1024];
    return write_headers(bytes, block, write_block(block, "CONNECT", "webtransport", path));
}

// Reads bytes in pieces of at most `most`, from blocks of exactly their size. Returns the first
// event, and the number of bytes up to it.
static enum http3_event read_pieces(struct http3_stream *stream, const uint8_t *bytes, size_t size,
                                    size_t most, size_t *used)
{
    enum http3_event event = HTTP3_MORE;
    *used = 0;
    while (*used < size && event == HTTP3_MORE) {
        const size_t piece = size - *used < most ? size - *used : most;
        uint8_t *block = malloc(piece);
        assert_non_null(block);
        memcpy(block, bytes + *used, piece);
        const uint8_t *at = block;
        size_t left = piece;
        event = http3_read(stream, &at, &left);
        assert_true(event != HTTP3_MORE || left == 0);
        assert_ptr_equal(at + left, block + piece);
        *used += piece - left;
        free(block);
    }
    return event;
}

static enum http3_event read_once(const uint8_t *bytes, size_t size, enum http3_error *error)
{
    struct http3_stream stream = {0};
    size_t used;
    const enum http3_event event = read_pieces(&stream, bytes, size, size, &used);
    *error = stream.error;
    http3_stream_clear(&stream);
    return event;
}

TEST(a_request_is_read_in_any_pieces)
{
    uint8_t bytes[1024];
    static const uint8_t grease[] = {0x21, 3, 1, 2, 3}; // a frame that nobody knows
    memcpy(bytes, grease, sizeof grease);
    const size_t size = sizeof grease + write_request(bytes + sizeof grease, "/arena/[::1]:7246");
    for (size_t most = 1; most <= size; most++) {
        struct http3_stream stream = {0};
        size_t used;
        assert_int_equal(read_pieces(&stream, bytes, size, most, &used), HTTP3_REQUEST);
        assert_int_equal(used, size);
        assert_true(stream.request.is_webtransport);
        assert_string_equal(stream.request.path, "/arena/[::1]:7246");
        http3_stream_clear(&stream);
    }
}

TEST(other_methods_and_protocols_open_no_session)
{
    static const char *const others[][2] = {{"GET", "webtransport"},
                                            {"CONNECT", "websocket"},
                                            {"connect", "webtransport"},
                                            {"CONNECT", "webtransportx"},
                                            {"CONNECT", ""}};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        uint8_t block[1024];
        struct http3_request request;
        assert_true(http3_read_request(block, write_block(block, others[i][0], others[i][1], "/"),
                                       &request));
        assert_false(request.is_webtransport);
    }
    uint8_t block[1024];
    struct http3_request request;
    assert_true(
        http3_read_request(block, write_block(block, "CONNECT", "webtransport-h3", "/"), &request));
    assert_true(request.is_webtransport);
}

TEST(a_path_that_is_too_long_is_none)
{
    char path[HTTP3_PATH_BYTES + 1];
    uint8_t block[1024];
    struct http3_request request;
    memset(path, 'a', sizeof path);
    path[HTTP3_PATH_BYTES] = '\0';
    assert_true(
        http3_read_request(block, write_block(block, "CONNECT", "webtransport", path), &request));
    assert_string_equal(request.path, "");
    path[HTTP3_PATH_BYTES - 1] = '\0';
    assert_true(
        http3_read_request(block, write_block(block, "CONNECT", "webtransport", path), &request));
    assert_string_equal(request.path, path);
}

TEST(headers_that_are_too_long_or_malformed_end_the_connection)
{
    uint8_t bytes[16] = {1, 0x40 | HTTP3_MAX_HEADER_BYTES >> 8, 1};
    enum http3_error error;
    assert_int_equal(read_once(bytes, 3, &error), HTTP3_BAD);
    assert_int_equal(error, HTTP3_EXCESSIVE_LOAD);
    // A reference into the dynamic table, which has no entries.
    static const uint8_t dynamic[] = {1, 3, 0, 0, 0x80};
    assert_int_equal(read_once(dynamic, sizeof dynamic, &error), HTTP3_BAD);
    assert_int_equal(error, HTTP3_QPACK_DECOMPRESSION_FAILED);
    static const uint8_t cut[] = {1, 5, 0, 0, 0x27, 0x20, 'a'};
    assert_int_equal(read_once(cut, sizeof cut, &error), HTTP3_BAD);
    assert_int_equal(error, HTTP3_QPACK_DECOMPRESSION_FAILED);
}

TEST(frames_of_other_streams_end_the_connection)
{
    enum http3_error error;
    static const uint8_t data[] = {0, 1, 0}, settings[] = {4, 0};
    assert_int_equal(read_once(data, sizeof data, &error), HTTP3_BAD);
    assert_int_equal(error, HTTP3_FRAME_UNEXPECTED);
    assert_int_equal(read_once(settings, sizeof settings, &error), HTTP3_BAD);
    assert_int_equal(error, HTTP3_FRAME_UNEXPECTED);
}

TEST(a_stream_of_webtransport_is_ignored)
{
    uint8_t bytes[64] = {0x40, 0x41, 0}; // its type, then the session and any bytes
    enum http3_error error;
    memset(bytes + 3, 1, sizeof bytes - 3);
    for (size_t size = 2; size <= sizeof bytes; size++)
        assert_int_equal(read_once(bytes, size, &error), HTTP3_MORE);
}

TEST(the_capsule_that_ends_a_session_is_found_behind_others)
{
    // In two frames: a capsule that nobody knows, an empty one, and CLOSE_WEBTRANSPORT_SESSION,
    // which lies across both.
    static const uint8_t frames[] = {0, 9, 0x7F, 0xFF, 3, 1, 2, 3, 0x29, 0,  0x68,
                                     0, 8, 0x43, 6,    0, 0, 0, 7, 'o',  'k'};
    uint8_t bytes[1024];
    const size_t request = write_request(bytes, "/");
    memcpy(bytes + request, frames, sizeof frames);
    for (size_t most = 1; most <= sizeof frames; most++) {
        struct http3_stream stream = {0};
        size_t used, more;
        assert_int_equal(read_pieces(&stream, bytes, request, request, &used), HTTP3_REQUEST);
        assert_int_equal(read_pieces(&stream, frames, sizeof frames, most, &more), HTTP3_CLOSE);
        assert_int_equal(more, sizeof frames);
        http3_stream_clear(&stream);
    }
}

TEST(what_is_written_can_be_read)
{
    uint8_t bytes[HTTP3_CLOSE_BYTES];
    uint8_t request[1024];
    struct http3_stream stream = {0};
    size_t used;
    const size_t request_size = write_request(request, "/");
    assert_int_equal(read_pieces(&stream, request, request_size, request_size, &used),
                     HTTP3_REQUEST);
    const size_t size = http3_write_close(7, "it is over", bytes);
    assert_int_equal(read_pieces(&stream, bytes, size, 3, &used), HTTP3_CLOSE);
    http3_stream_clear(&stream);

    static const uint8_t ok[] = {1, 8, 0, 0, 0x5F, 9, 3, '2', '0', '0'};
    uint8_t response[HTTP3_RESPONSE_BYTES];
    assert_int_equal(http3_write_response(200, response), sizeof ok);
    assert_memory_equal(response, ok, sizeof ok);

    uint8_t settings[HTTP3_SETTINGS_BYTES];
    const size_t settings_size = http3_write_settings(settings);
    assert_in_range(settings_size, 20, sizeof settings);
    assert_int_equal(settings[0], 0);                 // a control stream,
    assert_int_equal(settings[1], 4);                 // whose first frame is SETTINGS
    assert_int_equal(settings[2], settings_size - 3); // and all there is
}

TEST(a_datagram_belongs_to_its_session)
{
    for (int64_t session = 0; session < 1 << 20; session = session * 3 + 4) {
        uint8_t bytes[HTTP3_PREFIX_BYTES];
        const size_t size = http3_write_prefix(session, bytes);
        assert_int_equal(http3_read_prefix(session, bytes, size), size);
        assert_int_equal(http3_read_prefix(session + 4, bytes, size), 0);
        assert_int_equal(http3_read_prefix(session, bytes, size - 1), 0);
    }
}

TEST(any_bytes_end_in_an_event_or_the_end)
{
    for (int round = 0; round < chance_rounds(20000); round++) {
        uint8_t bytes[600];
        size_t size = write_request(bytes, "/arena/127.0.0.1:7246");
        for (int i = chance_int(0, 6); i > 0; i--)
            bytes[chance_int(0, (int)size - 1)] = (uint8_t)chance_int(0, 255);
        size = (size_t)chance_int(1, (int)size);
        struct http3_stream stream = {0};
        size_t used;
        read_pieces(&stream, bytes, size, (size_t)chance_int(1, 64), &used);
        http3_stream_clear(&stream);
    }
}
