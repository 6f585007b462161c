// SPDX-License-Identifier: MIT
// Damaged recordings are rejected or stop in the right place, and what is whole of them is played.
#include "recording_fixture.h"

#include "recording_index.h"

enum { TICKS = 1210 }; // three frames

static struct take *recorded; // by all tests

static int record(void **state)
{
    (void)state;
    if (!raim_recording_is_supported())
        exit(0); // test_golden_recording sees the rejection
    struct test_match *test = open_test_match(with_players(with_bots(usual_def(), 2), 2));
    recorded = begin_take(test->match);
    play(test, 0);
    record_ticks(recorded, test, TICKS);
    end_take(recorded, test->match);
    close_test_match(test);
    return 0;
}

static int forget(void **state)
{
    (void)state;
    free_take(recorded);
    return 0;
}

// Plays to the end. Returns the number of ticks, all of which are right.
static uint32_t play_right(struct raim_recording *recording)
{
    assert_true(is_true(recorded, recording));
    while (raim_recording_step(recording))
        assert_true(is_true(recorded, recording));
    return raim_recording_tick(recording);
}

static void play_out(struct raim_recording *recording)
{
    while (raim_recording_step(recording))
        continue;
}

TEST(whole_frames_of_a_cut_file_are_played)
{
    uint32_t most = 0, rejected = 0;
    const size_t size = recorded->size;
    for (int i = 0; i < 60; i++) {
        const size_t cut = i < 20 ? size - 1 - (size_t)i : (size_t)chance_int(0, (int)size - 1);
        struct opened *opened = open_bytes(recorded->bytes, cut);
        rejected += opened->recording == NULL;
        if (opened->recording != NULL) {
            assert_false(raim_recording_info(opened->recording)->is_complete);
            assert_true(raim_recording_info(opened->recording)->whole_bytes <= cut);
            assert_true(raim_recording_seek(opened->recording,
                                            raim_recording_info(opened->recording)->ticks - 1));
            const uint32_t ticks = play_right(opened->recording);
            assert_null(raim_recording_fault(opened->recording));
            most = ticks > most ? ticks : most;
        }
        test_end_now(opened);
    }
    assert_int_equal(most, TICKS);
    assert_true(rejected > 0);
}

TEST(a_cut_file_is_completed_by_an_index)
{
    char error[RAIM_RECORDING_ERROR_BYTES];
    struct raim_recording_rest rest;
    assert_true(
        raim_recording_rebuild(recorded->bytes, recorded->size, &rest, error, sizeof error));
    assert_null(rest.index);
    assert_int_equal(rest.keep, recorded->size);
    // The last byte of the index is missing: it is made anew as it was.
    assert_true(
        raim_recording_rebuild(recorded->bytes, recorded->size - 1, &rest, error, sizeof error));
    assert_int_equal(rest.keep + rest.index_size, recorded->size);
    assert_memory_equal(rest.index, recorded->bytes + rest.keep, rest.index_size);
    const size_t keep = rest.keep;
    free(rest.index);
    // The last frame, too.
    assert_true(raim_recording_rebuild(recorded->bytes, keep - 1, &rest, error, sizeof error));
    assert_true(rest.keep < keep);
    uint8_t *bytes = malloc(rest.keep + rest.index_size);
    memcpy(bytes, recorded->bytes, rest.keep);
    memcpy(bytes + rest.keep, rest.index, rest.index_size);
    struct opened *opened = open_bytes(bytes, rest.keep + rest.index_size);
    assert_true(raim_recording_info(opened->recording)->is_complete);
    assert_int_equal(play_right(opened->recording), 1200);
    free(rest.index);
    free(bytes);
    const size_t head = raim_recording_head_size(recorded->bytes, recorded->size);
    assert_false(raim_recording_rebuild(recorded->bytes, head, &rest, error, sizeof error));
    assert_string_equal(error, "it holds no whole frame");
    assert_false(raim_recording_rebuild(recorded->bytes, head - 1, &rest, error, sizeof error));
    assert_null(rest.index);
}

TEST(a_clip_is_the_head_and_some_frames)
{
    char error[RAIM_RECORDING_ERROR_BYTES];
    struct raim_recording_index index;
    assert_true(raim_recording_index_find(&index, recorded->bytes, recorded->size));
    assert_int_equal(index.frame_count, 3);
    const size_t head = raim_recording_head_size(recorded->bytes, recorded->size);
    const size_t from = (size_t)index.frames[1].offset, count = (size_t)index.end - from;
    uint8_t *bytes = malloc(recorded->size);
    memcpy(bytes, recorded->bytes, head);
    memcpy(bytes + head, recorded->bytes + from, count);
    struct raim_recording_rest rest;
    assert_true(raim_recording_rebuild(bytes, head + count, &rest, error, sizeof error));
    assert_int_equal(rest.keep, head + count);
    memcpy(bytes + rest.keep, rest.index, rest.index_size);
    struct opened *opened = open_bytes(bytes, rest.keep + rest.index_size);
    const struct raim_recording_info *info = raim_recording_info(opened->recording);
    assert_int_equal(info->ticks, TICKS - 600);
    assert_int_equal(info->first_tick, recorded->first_tick + 600);
    assert_int_equal(info->start_unix_ms, 1700000000123 + 10000);
    while (raim_recording_step(opened->recording))
        assert_true(raim_world_digest(raim_recording_world(opened->recording)) ==
                    recorded->truths[600 + raim_recording_tick(opened->recording)].digest);
    assert_null(raim_recording_fault(opened->recording));
    free(rest.index);
    free(bytes);
    raim_recording_index_free(&index);
}

// Goes to a few ticks; each one is right, or there is a fault.
static void look_around(struct raim_recording *recording, uint32_t *faults)
{
    const uint32_t ticks = raim_recording_info(recording)->ticks;
    const uint32_t starts[] = {0, 600, 1200};
    for (size_t i = 0; i < 3; i++) {
        const uint32_t tick = starts[i] + (uint32_t)chance_int(1, 9);
        if (tick > ticks)
            continue;
        if (raim_recording_seek(recording, tick))
            assert_true(is_true(recorded, recording));
        else
            assert_non_null(raim_recording_fault(recording));
        *faults += raim_recording_fault(recording) != NULL;
    }
}

TEST(no_flipped_bit_shows_a_wrong_world)
{
    uint32_t rejected = 0, faults = 0;
    const size_t head = raim_recording_head_size(recorded->bytes, recorded->size);
    uint8_t *bytes = malloc(recorded->size);
    for (int i = 0; i < 1000; i++) {
        const size_t most = i < 100 ? head : recorded->size;
        const uint32_t bit = raim_random_below(&chance, (uint32_t)most * 8);
        memcpy(bytes, recorded->bytes, recorded->size);
        bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
        struct opened *opened = open_bytes(bytes, recorded->size);
        rejected += opened->recording == NULL;
        assert_true(opened->recording == NULL || bit / 8 >= head);
        if (opened->recording != NULL)
            look_around(opened->recording, &faults);
        else
            assert_true(opened->error[0] != '\0');
        test_end_now(opened);
    }
    free(bytes);
    assert_true(rejected > 100 && faults > 100);
}

TEST(a_damaged_frame_stops_and_the_others_can_be_sought)
{
    struct raim_recording_index index;
    assert_true(raim_recording_index_find(&index, recorded->bytes, recorded->size));
    uint8_t *bytes = malloc(recorded->size);
    memcpy(bytes, recorded->bytes, recorded->size);
    bytes[index.frames[1].offset + 100] ^= 1;
    struct opened *opened = open_bytes(bytes, recorded->size);
    assert_int_equal(play_right(opened->recording), 600);
    const struct raim_recording_fault *fault = raim_recording_fault(opened->recording);
    assert_int_equal(fault->kind, RAIM_FAULT_FRAME);
    assert_int_equal(fault->offset, index.frames[1].offset);
    assert_int_equal(fault->tick, 600);
    assert_int_equal(fault->agreed, 600);
    assert_false(raim_recording_step(opened->recording));
    assert_false(raim_recording_seek(opened->recording, 700));
    assert_true(raim_recording_seek(opened->recording, 1205));
    assert_true(is_true(recorded, opened->recording));
    assert_true(raim_recording_seek(opened->recording, 500));
    assert_true(is_true(recorded, opened->recording));
    free(bytes);
    raim_recording_index_free(&index);
}

// Writes a recording whose recording input somebody has changed: every checksum is right.
static struct opened *forge(size_t chunks, size_t chunk,
                            size_t (*change)(uint8_t *bytes, size_t size))
{
    struct take *take = calloc(1, sizeof *take);
    struct test_match *test = open_test_match(with_bots(usual_def(), 2));
    struct raim_recording_scene scene;
    uint8_t bytes[65536];
    raim_match_scene(test->match, &scene);
    take->writer = raim_recording_writer_create();
    take->records = raim_recording_input_init(
        malloc(raim_recording_input_bytes(test->match->world)), test->match->world);
    assert_true(raim_recording_writer_begin(
        take->writer, bytes, raim_recording_scene_write(&scene, bytes, sizeof bytes), 0, 0));
    raim_match_record(test->match, take->records, 1);
    for (size_t i = 0; i < chunks; i++) {
        size_t size;
        const uint8_t *taken = raim_recording_input_take(take->records, &size);
        memcpy(bytes, taken, size);
        if (i == chunk)
            size = change(bytes, size);
        assert_true(raim_recording_writer_append(take->writer, bytes, size));
        if (raim_recording_input_wants_keyframe(take->records))
            raim_match_keyframe(test->match);
        else
            tick(test);
    }
    raim_recording_writer_end(take->writer);
    take_bytes(take);
    struct opened *opened = open_bytes(take->bytes, take->size);
    close_test_match(test);
    free(take->records);
    raim_recording_writer_destroy(take->writer);
    free(take->bytes);
    free(take);
    return opened;
}

// Changes the state of the random generator in the keyframe.
static size_t reseed(uint8_t *bytes, size_t size)
{
    assert_int_equal(bytes[0], RAIM_RECORD_KEYFRAME);
    bytes[1 + offsetof(struct raim_world, random)] ^= 1;
    return size;
}

TEST(another_world_is_found_by_the_next_digest)
{
    struct opened *opened = forge(1300, 0, reseed);
    struct raim_recording *recording = opened->recording;
    play_out(recording);
    const struct raim_recording_fault *fault = raim_recording_fault(recording);
    assert_int_equal(fault->kind, RAIM_FAULT_DIGEST);
    assert_int_equal(fault->agreed, 0);
    assert_int_equal(fault->tick, 59);
    assert_null(raim_recording_expected_world(recording));
    // From there to the next keyframe, where both worlds can be compared.
    raim_recording_overlook(recording);
    play_out(recording);
    assert_int_equal(raim_recording_fault(recording)->kind, RAIM_FAULT_KEYFRAME);
    assert_int_equal(raim_recording_fault(recording)->tick, 600);
    const struct raim_world *expected = raim_recording_expected_world(recording);
    assert_int_equal(expected->tick, raim_recording_world(recording)->tick);
    assert_true(expected->random != raim_recording_world(recording)->random);
    // What follows stands alone.
    assert_true(raim_recording_seek(recording, 601));
    play_out(recording);
    assert_null(raim_recording_fault(recording));
}

static size_t clear_often(uint8_t *bytes, size_t size)
{
    memset(bytes + size, RAIM_RECORD_CLEAR_BULLETS, 20000);
    return size + 20000;
}

static size_t step_twice(uint8_t *bytes, size_t size)
{
    bytes[size - 1] = RAIM_RECORD_SKIP; // instead of END
    return size;
}

static size_t hold(uint8_t *bytes, size_t size)
{
    bytes[size] = RAIM_RECORD_HOLD_POSITIONS;
    return size + 1;
}

TEST(what_no_match_does_is_rejected)
{
    size_t (*const changes[])(uint8_t *, size_t) = {clear_often, step_twice, hold};
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        struct opened *opened = forge(100, 30, changes[i]);
        assert_non_null(opened->recording);
        play_out(opened->recording);
        assert_int_equal(raim_recording_fault(opened->recording)->kind, RAIM_FAULT_RECORD);
        test_end_now(opened);
    }
}

// Adds a kill in front of END.
static size_t invent_kill(uint8_t *bytes, size_t size)
{
    const uint8_t kill[] = {RAIM_RECORD_KILL, 0, 4, 1, 4, RAIM_RECORD_END};
    memcpy(bytes + size - 1, kill, sizeof kill);
    return size - 1 + sizeof kill;
}

TEST(a_kill_that_did_not_happen_is_found)
{
    struct opened *opened = forge(100, 1, invent_kill); // nobody has fired yet
    play_out(opened->recording);
    assert_int_equal(raim_recording_fault(opened->recording)->kind, RAIM_FAULT_KILL);
    assert_int_equal(raim_recording_fault(opened->recording)->tick, 0);
    raim_recording_overlook(opened->recording);
    play_out(opened->recording);
    assert_null(raim_recording_fault(opened->recording)); // nothing else differs
}

TEST(another_version_is_named)
{
    uint8_t *bytes = malloc(recorded->size);
    for (size_t at = 8 + 8; at < 8 + 8 + 12; at += 2) { // format, layout, sizes
        memcpy(bytes, recorded->bytes, recorded->size);
        assert_false(raim_recording_is_foreign(bytes, recorded->size));
        bytes[at]++;
        assert_true(raim_recording_is_foreign(bytes, recorded->size));
        struct opened *opened = open_bytes(bytes, recorded->size);
        assert_null(opened->recording);
        assert_non_null(strstr(opened->error, "0.0.0-test"));
        test_end_now(opened);
    }
    free(bytes);
    const uint8_t text[] = "this is no recording at all";
    assert_false(raim_recording_is_foreign(text, sizeof text));
}

struct file {
    size_t most; // bytes that can be read
    uint32_t reads;
};

static bool read_file(void *context, uint64_t offset, void *bytes, size_t count)
{
    struct file *file = context;
    file->reads++;
    if (offset + count > file->most)
        return false;
    memcpy(bytes, recorded->bytes + offset, count);
    return true;
}

TEST(a_listing_reads_head_and_index_alone)
{
    char error[RAIM_RECORDING_ERROR_BYTES];
    struct file file = {.most = recorded->size};
    struct raim_recording_source source = {recorded->size, read_file, &file};
    struct raim_recording_summary summary;
    assert_true(raim_recording_peek(&source, &summary, error, sizeof error));
    assert_true(summary.info.is_complete);
    assert_int_equal(summary.info.ticks, TICKS);
    assert_int_equal(summary.info.clients, 1);
    assert_int_equal(summary.listed, 1);
    assert_string_equal(summary.players[0].name, "player");
    assert_int_equal(file.reads, 4);
    source.size--;
    assert_false(raim_recording_peek(&source, &summary, error, sizeof error));
    file.most = 5;
    source.size = 5;
    assert_false(raim_recording_peek(&source, &summary, error, sizeof error));
    source.size = recorded->size; // it was cut meanwhile
    assert_false(raim_recording_peek(&source, &summary, error, sizeof error));
}

TEST_GROUP(record, forget)
