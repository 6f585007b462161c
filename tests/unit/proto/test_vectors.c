// SPDX-License-Identifier: MIT
// vectors.json: every message is readable and its values write equal bytes; PROTOCOL.md shows the
// same messages. tests/daemon/test_example.py compares the values.
#include "codecs.h"
#include "document_fixture.h"
#include "snapshot.h"

#include <jansson.h>

enum { PLAYERS = 16, SHOTS = 6, BULLETS = PLAYERS * SHOTS };

static json_t *vectors;

// The arena of the WELCOME among them, and the snapshots read so far.
static const struct raim_wire_limits limits = {
    .players = PLAYERS,
    .shots = SHOTS,
    .history = 64,
    .stride = 160,
    .diagonal = 113,
    .max_rewind = 9,
};
static struct raim_wire_frame frames[8];
static int frame_count;

static int load_files(void **state)
{
    (void)state;
    if (load_document(RAIM_SOURCE_DIR "/proto/PROTOCOL.md") != 0)
        return -1;
    vectors = json_load_file(RAIM_SOURCE_DIR "/proto/vectors.json", 0, NULL);
    return json_array_size(vectors) > 0 ? 0 : -1;
}

static int unload_files(void **state)
{
    (void)state;
    json_decref(vectors);
    while (frame_count > 0)
        free(frames[--frame_count].seen_players); // the first of a frame's memory
    return 0;
}

static size_t bytes_of(const char *hex, uint8_t *bytes)
{
    size_t size = 0;
    for (const char *at = hex; *at != '\0'; at += at[2] == ' ' ? 3 : 2) {
        unsigned value;
        assert_int_equal(sscanf(at, "%2x", &value), 1);
        bytes[size++] = (uint8_t)value;
    }
    return size;
}

// Restores the server's values that are not sent: now_x and now_y of bullets without `fired`.
static void complete_bullets(struct raim_wire_frame *frame)
{
    for (uint32_t slot = 0; slot < BULLETS; slot++) {
        frame->bullets[slot].now_x = frame->bullets[slot].x;
        frame->bullets[slot].now_y = frame->bullets[slot].y;
    }
}

static size_t rewrite_snapshot(raim_reader *reader, uint8_t *bytes)
{
    struct raim_snapshot_header header;
    assert_true(raim_snapshot_read_header(reader, &limits, 1000, &header));
    const struct raim_wire_frame *baseline = NULL;
    for (int i = 0; i < frame_count && header.baseline_age != 0; i++)
        if (frames[i].tick == header.tick - header.baseline_age)
            baseline = &frames[i];
    assert_true((baseline != NULL) == (header.baseline_age != 0));
    struct raim_wire_frame *frame = &frames[frame_count++];
    raim_wire_frame_init(frame, &limits, calloc(1, raim_wire_frame_bytes(&limits)));
    assert_true(raim_snapshot_read(reader, &header, &limits, baseline, frame));
    complete_bullets(frame);
    return raim_snapshot_write(&limits, baseline, frame, bytes, RAIM_MAX_MESSAGE_BYTES);
}

// Reads a message and writes it again.
static size_t rewrite(const char *name, const uint8_t *told, size_t size, uint8_t *bytes)
{
    static union message message;
    raim_reader reader = raim_reader_make(told, size);
    const uint32_t kind = raim_message_read(&reader);
    if (kind == RAIM_MESSAGE_SNAPSHOT)
        return rewrite_snapshot(&reader, bytes);
    const bool is_report = strncmp(name, "vote ", 5) == 0;
    for (size_t i = 0; i < codec_count; i++) {
        const struct codec *codec = &codecs[i];
        const bool is_other =
            strcmp(codec->name, is_report ? "vote request" : "vote report") == 0 ||
            (kind == RAIM_MESSAGE_GOODBYE && strcmp(codec->name, name) != 0);
        if (!is_other && codec_read(codec, told, size, &message))
            return codec->write(&message, bytes, RAIM_MAX_MESSAGE_BYTES);
    }
    fail_msg("%s is not read", name);
    return 0;
}

TEST(what_is_read_writes_the_same_bytes)
{
    for (size_t i = 0; i < json_array_size(vectors); i++) {
        const json_t *vector = json_array_get(vectors, i);
        uint8_t told[RAIM_MAX_MESSAGE_BYTES], bytes[RAIM_MAX_MESSAGE_BYTES];
        const size_t size = bytes_of(json_string_value(json_object_get(vector, "hex")), told);
        const char *name = json_string_value(json_object_get(vector, "name"));
        assert_int_equal(rewrite(name, told, size, bytes), size);
        assert_memory_equal(bytes, told, size);
    }
}

TEST(the_document_shows_every_vector)
{
    size_t shown = 0;
    for (const char *at = document; (at = strstr(at, "```hex ")) != NULL; at++)
        shown++;
    assert_int_equal(json_array_size(vectors), shown);
    for (size_t i = 0; i < shown; i++) {
        const json_t *vector = json_array_get(vectors, i);
        uint8_t bytes[RAIM_MAX_MESSAGE_BYTES];
        const size_t size = bytes_of(json_string_value(json_object_get(vector, "hex")), bytes);
        assert_block("hex", json_string_value(json_object_get(vector, "name")), bytes, size);
    }
}

TEST_GROUP(load_files, unload_files)
