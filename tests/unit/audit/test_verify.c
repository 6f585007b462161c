// SPDX-License-Identifier: MIT
// Tests of raimrec verify on recordings of a small world whose recorder may err.
#define _GNU_SOURCE
#include "arena_fixture.h"
#include "digest.h"
#include "recording_input.h"
#include "recording_scene.h"
#include "recording_writer.h"
#include "test.h"
#include "verify.h"

#include <unistd.h>

// BETWEEN two digests, after a keyframe; BEFORE the next keyframe and its digest.
enum { PLAYERS = 3, TICKS = 1500, BETWEEN = 630, BEFORE = 1197 };

// What the recorder does wrong: with a bullet in the tick BEFORE, otherwise BETWEEN.
enum mistake { NONE, MOVES_A_PLAYER, TURNS_A_BULLET, FORGETS_A_SHOT, MISTAKES };

static char path[] = "/tmp/raimd_test_verify_XXXXXX";

struct recorder {
    struct arena_fixture *arena;
    struct raim_recording_input *records;
    struct raim_recording_writer *writer;
    FILE *out;
};

static void drain(struct recorder *recorder)
{
    size_t size;
    const uint8_t *chunk = raim_recording_input_take(recorder->records, &size);
    if (chunk != NULL)
        assert_true(raim_recording_writer_append(recorder->writer, chunk, size));
    const uint8_t *bytes = raim_recording_writer_take(recorder->writer, &size);
    if (bytes != NULL)
        assert_int_equal(fwrite(bytes, 1, size, recorder->out), size);
}

static void write_keyframe(struct recorder *recorder)
{
    const struct raim_world *world = recorder->arena->world;
    const struct raim_wire_phase phase = {.phase = RAIM_PHASE_PLAY, .round = 1};
    raim_recording_input_keyframe(recorder->records, world, &phase);
    for (uint32_t slot = 0; slot < PLAYERS; slot++)
        raim_recording_input_name(recorder->records, raim_world_players_const(world)[slot].id,
                                  "somebody", false);
    drain(recorder);
}

static void begin(struct recorder *recorder)
{
    const raim_rules rules = raim_rules_default();
    recorder->arena = fixture_create(&rules, PLAYERS, NULL, 0);
    struct raim_world *world = recorder->arena->world;
    for (int i = 0; i < PLAYERS; i++)
        fixture_put(recorder->arena, (raim_vec2){300 * i, 0});
    for (int i = 0; i < 10; i++) // fills the history, as of a match
        fixture_step(recorder->arena);
    const struct raim_recording_scene scene = {
        .version = "0",
        .arena = "test",
        .map = recorder->arena->map,
        .rules = rules,
        .tick_hz = 60,
        .max_players = PLAYERS,
        .max_rewind = world->max_rewind,
        .view_width = 1600,
        .view_height = 861,
        .sight = true,
        .identity = raim_world_identity(world, recorder->arena->map),
    };
    const size_t bound = raim_recording_scene_bound(&scene);
    uint8_t *bytes = malloc(bound);
    const size_t size = raim_recording_scene_write(&scene, bytes, bound);
    recorder->out = fopen(path, "wb");
    recorder->writer = raim_recording_writer_create();
    recorder->records = raim_recording_input_init(malloc(raim_recording_input_bytes(world)), world);
    assert_true(raim_recording_writer_begin(recorder->writer, bytes, size, world->tick, 0));
    free(bytes);
    write_keyframe(recorder);
}

static void end(struct recorder *recorder)
{
    raim_recording_input_end(recorder->records, recorder->arena->world);
    drain(recorder);
    assert_true(raim_recording_writer_end(recorder->writer));
    drain(recorder);
    fclose(recorder->out);
    raim_recording_writer_destroy(recorder->writer);
    free(recorder->records);
    fixture_destroy(recorder->arena);
}

static void err(struct recorder *recorder, enum mistake mistake)
{
    struct raim_world *world = recorder->arena->world;
    if (mistake == MOVES_A_PLAYER)
        raim_world_players(world)[1].position.y += 0.25;
    if (mistake == TURNS_A_BULLET)
        for (uint32_t slot = 0; slot < world->max_bullets; slot++)
            if (raim_world_bullets(world)[slot].owner != RAIM_NOBODY)
                raim_world_bullets(world)[slot].aim ^= 1;
}

// Players who run up and down, and one who fires at nobody; the last one stands and waits.
static void play(struct recorder *recorder, int tick, enum mistake mistake)
{
    struct arena_fixture *arena = recorder->arena;
    const uint64_t taken = (1u << PLAYERS) - 1;
    for (int i = 0; i < PLAYERS - 1; i++)
        arena->inputs[i] = (raim_input){
            .move_y = (int8_t)(tick / 60 % 2 == 0 ? 1 : -1), .fire = i == 0, .aim = 32768};
    raim_recording_input_step(recorder->records, &taken, arena->inputs);
    if (mistake == FORGETS_A_SHOT && tick >= BETWEEN && tick < BETWEEN + 20)
        arena->inputs[0].fire = 0;
    fixture_step(arena);
    if (tick == (mistake == TURNS_A_BULLET ? BEFORE : BETWEEN))
        err(recorder, mistake);
    const uint64_t nobody[32] = {0};
    raim_recording_input_begin_sent(recorder->records, nobody, nobody);
    raim_recording_input_end_tick(recorder->records, arena->world);
    drain(recorder);
    if (raim_recording_input_wants_keyframe(recorder->records))
        write_keyframe(recorder);
}

static void record(enum mistake mistake)
{
    struct recorder recorder;
    begin(&recorder);
    for (int tick = 0; tick < TICKS; tick++)
        play(&recorder, tick, mistake);
    end(&recorder);
}

// Verifies the file, `count` times. The caller frees the text.
static char *verify(enum verify_status expected, int count)
{
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    char *const paths[] = {path, path};
    assert_int_equal(verify_files(paths, count, out), expected);
    fclose(out);
    return text;
}

static void assert_says(const char *text, const char *words)
{
    if (strstr(text, words) == NULL)
        fail_msg("\"%s\" is not in:\n%s", words, text);
}

TEST(a_wrong_player_is_named_with_its_field)
{
    record(MOVES_A_PLAYER);
    char *text = verify(VERIFY_DIFFERS, 1);
    assert_says(text, "differs");
    assert_says(text, "the world differs from the recorded digest: after tick 649 (10.82 s)");
    assert_says(text, "right up to tick 600 (10.00 s)");
    assert_says(text, "player 1 (somebody): position.y is ");
    assert_says(text, "a difference of -0.25");
    free(text);
}

TEST(a_wrong_bullet_is_named_with_its_player)
{
    record(TURNS_A_BULLET);
    char *text = verify(VERIFY_DIFFERS, 1);
    assert_says(text, "    the world differs from the next keyframe: after tick 1200 (20.00 s)");
    assert_says(text,
                " of player 0 (somebody): aim is 32769 in the recording and 32768 simulated, a "
                "difference of -1");
    free(text);
}

TEST(a_shot_that_is_only_recorded_is_found)
{
    record(FORGETS_A_SHOT);
    char *text = verify(VERIFY_DIFFERS, 1);
    assert_says(text, "player 0 (somebody): shots is ");
    assert_says(text, "a difference of ");
    free(text);
}

TEST(files_that_are_none)
{
    FILE *file = fopen(path, "wb");
    fclose(file);
    char *text = verify(VERIFY_UNREADABLE, 1);
    assert_says(text, "the file is empty");
    free(text);
    file = fopen(path, "wb");
    fputs("something else\n", file);
    fclose(file);
    text = verify(VERIFY_DIFFERS, 1);
    assert_says(text, "damaged");
    free(text);
}

static int clear(void **state)
{
    (void)state;
    return unlink(path);
}

static int set_up_group(void **state)
{
    (void)state;
    const int descriptor = mkstemp(path);
    return descriptor < 0 ? -1 : close(descriptor);
}

TEST_GROUP(set_up_group, clear)

// --- World difference ---

// Tests that every byte of a world that differs is told by a field.

static struct arena_fixture *played_world(void)
{
    const raim_rules rules = raim_rules_default();
    struct arena_fixture *f = fixture_create(&rules, 3, NULL, 0);
    const raim_player *player = fixture_put(f, (raim_vec2){0, 0});
    fixture_put(f, (raim_vec2){300, 0});
    *fixture_input(f, player) = (raim_input){.move_y = 1, .fire = 1};
    for (int tick = 0; tick < 40; tick++)
        fixture_step(f);
    return f;
}

TEST(equal_worlds_have_no_difference)
{
    struct arena_fixture *f = played_world();
    assert_int_equal(world_difference_find(f->world, f->world, NULL, 0), 0);
    fixture_destroy(f);
}

TEST(a_difference_names_its_player_and_field)
{
    struct arena_fixture *f = played_world(), *g = played_world();
    raim_world_players(g->world)[1].position.x += 0.25;
    raim_world_players(g->world)[2].score += 7;
    struct world_difference found[4];
    assert_int_equal(world_difference_find(f->world, g->world, found, 4), 2);
    assert_int_equal(found[0].part, WORLD_PLAYER);
    assert_int_equal(found[0].slot, 1);
    assert_int_equal(found[0].id, raim_world_players(f->world)[1].id);
    assert_string_equal(found[0].field, "position.x");
    assert_true(found[0].simulated - found[0].recorded == 0.25);
    assert_string_equal(found[1].field, "score");
    assert_int_equal(found[1].slot, 2);
    assert_int_equal(found[1].id, RAIM_NOBODY);
    fixture_destroy(f);
    fixture_destroy(g);
}

// No byte is left out but those that hold no state: the definition, which the file's head states,
// and reserved members.
TEST(every_byte_belongs_to_a_field)
{
    struct arena_fixture *f = played_world(), *g = played_world();
    const size_t size = raim_world_bytes(f->world);
    const size_t bullets_end = sizeof(struct raim_world) + 3 * sizeof(raim_player) +
                               g->world->max_bullets * sizeof(raim_bullet);
    uint32_t untold = 0;
    for (size_t byte = sizeof(struct raim_world); byte < size; byte++) {
        uint8_t *at = (uint8_t *)g->world + byte;
        *at ^= 0x5A;
        struct world_difference found;
        const uint32_t count = world_difference_find(f->world, g->world, &found, 1);
        assert_in_range(count, 0, 1);
        untold += count == 0;
        if (count == 1)
            assert_int_equal(found.part, byte < sizeof(struct raim_world) + 3 * sizeof(raim_player)
                                             ? WORLD_PLAYER
                                         : byte < bullets_end ? WORLD_BULLET
                                                              : WORLD_HISTORY);
        *at ^= 0x5A;
    }
    const uint32_t reserved = g->world->max_bullets * 2 + g->world->history_length * 3 * 5;
    assert_int_equal(untold, reserved);
    fixture_destroy(f);
    fixture_destroy(g);
}
