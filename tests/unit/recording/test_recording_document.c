// SPDX-License-Identifier: MIT
// RECORDING.md: its examples equal what is written, and its tables are in the code's order.
#include "document_fixture.h"
#include "recording_index.h"
#include "recording_input.h"
#include "recording_writer.h"
#include "test.h"

static int load(void **state)
{
    (void)state;
    return load_document(RAIM_SOURCE_DIR "/proto/RECORDING.md");
}

TEST(the_head_is_what_is_written)
{
    const raim_vec2 spawns[] = {{-100, 0}, {100, 0}};
    const struct raim_obstacle_def obstacle = {.points = {{-20, -20}, {20, -20}, {0, 30}},
                                               .count = 3};
    const struct raim_map_def map_def = {
        .name = "yard",
        .border = {{-200, -100}, {200, 100}},
        .obstacles = &obstacle,
        .obstacle_count = 1,
        .spawns = spawns,
        .spawn_count = 2,
    };
    struct raim_map_problem problem;
    struct raim_map *map = raim_map_create(&map_def, &problem);
    assert_non_null(map);
    const struct raim_recording_scene scene = {
        .version = "1.0.0",
        .arena = "duel",
        .map = map,
        .rules = raim_rules_default(),
        .tick_hz = 60,
        .max_players = 2,
        .max_rewind = 12,
        .view_width = 1600,
        .view_height = 861,
        .sight = true,
        .identity = 0x0123456789ABCDEF,
    };
    uint8_t bytes[1024], head[1024];
    const size_t size = raim_recording_scene_write(&scene, bytes, sizeof bytes);
    assert_true(size > 0);
    raim_recording_head_write(bytes, size, 7200, 1700000000000, head);
    assert_block("hex", "head", head, raim_recording_head_bytes(size));
    raim_map_destroy(map);
}

TEST(the_records_of_a_tick_are_what_is_written)
{
    const struct raim_world_def def = {
        .rules = raim_rules_default(), .tick_hz = 60, .max_players = 2, .max_rewind = 12};
    struct raim_world *world = raim_world_init(malloc(raim_world_size(&def)), &def);
    struct raim_recording_input *records =
        raim_recording_input_init(malloc(raim_recording_input_bytes(world)), world);
    const struct raim_wire_phase phase = {
        .phase = RAIM_PHASE_BREAK, .round = 3, .has_end = true, .end_tick = 7500, .winner = 1024};
    size_t size;
    raim_recording_input_keyframe(records, world, &phase);
    raim_recording_input_take(records, &size);
    raim_recording_input_join(records, raim_world_join(world), "Ada", false);
    raim_recording_input_join(records, raim_world_join(world), "Bot 1", true);
    raim_recording_input_chat(records, 1024, "hi");
    raim_recording_input_traffic(records, 0, 1, 0);
    const raim_input inputs[] = {{.move_x = 1, .fire = 1, .rewind = 4, .aim = 16384},
                                 {.move_y = -1, .aim = 65535}};
    raim_recording_input_step(records, &(uint64_t){3}, inputs);
    raim_recording_input_kill(records, 1024, 1025);
    raim_recording_input_phase(records, &phase);
    raim_recording_input_clear_bullets(records);
    raim_recording_input_rtt(records, 0, 42);
    raim_recording_input_begin_sent(records, &(uint64_t){1}, &(uint64_t){0});
    raim_recording_input_sent(records, 0, &(uint64_t){3}, &(uint64_t){1 << 6});
    world->tick = 1;
    raim_recording_input_end_tick(records, world);
    const uint8_t *bytes = raim_recording_input_take(records, &size);
    assert_block("hex", "tick", bytes, size);
    free(records);
    free(world);
}

TEST(the_index_is_what_is_written)
{
    struct raim_frame_entry frames[] = {{250, 7200}};
    struct raim_chapter chapters[] = {
        {.kind = RAIM_CHAPTER_ROUND, .round = 3},
        {.tick = 90, .kind = RAIM_CHAPTER_KILL, .player = 1024, .victim = 1025},
    };
    struct raim_recording_player players[] = {
        {.name = "Ada", .id = 1024, .score = 1, .left = UINT32_MAX}};
    const struct raim_recording_index index = {
        .frames = frames,
        .frame_count = 1,
        .chapters = chapters,
        .chapter_count = 2,
        .players = players,
        .player_count = 1,
        .end = 4000,
        .ticks = 600,
        .round = 3,
        .clients = 1,
        .winner = "Ada",
    };
    size_t size;
    uint8_t *bytes = raim_recording_index_write(&index, &size);
    assert_block("hex", "index", bytes, size);
    struct raim_recording_index back;
    assert_true(raim_recording_index_read(&back, bytes, size, 4000));
    assert_memory_equal(back.chapters, chapters, sizeof chapters);
    assert_string_equal(back.players[0].name, "Ada");
    raim_recording_index_free(&back);
    free(bytes);
}

TEST(the_kinds_of_records_are_the_documents)
{
    static const char *const names[] = {
        "KEYFRAME",      "NAME",        "JOIN", "LEAVE", "AWAY",           "BACK",
        "CLEAR_BULLETS", "BEGIN_ROUND", "STEP", "SKIP",  "HOLD_POSITIONS", "KILL",
        "PHASE",         "CHAT",        "RTT",  "SENT",  "DIGEST",         "END",
    };
    assert_int_equal(sizeof names / sizeof *names, RAIM_RECORD_KINDS - 1);
    for (int kind = 1; kind < RAIM_RECORD_KINDS; kind++) {
        char row[64];
        snprintf(row, sizeof row, "\n%-2d %s", kind, names[kind - 1]);
        assert_row(document, row);
    }
}

TEST(a_world_has_the_size_that_its_reader_expects)
{
    char text[64];
    snprintf(text, sizeof text, "%zu  f64 %d", sizeof(struct raim_world), RAIM_RULE_COUNT);
    assert_says("\nworld    ", text, " rules;");
    assert_int_equal(load_document(RAIM_SOURCE_DIR "/proto/recording.py"), 0);
    snprintf(text, sizeof text, "%zu, %zu, %zu, %zu", sizeof(struct raim_world),
             sizeof(raim_player), sizeof(raim_bullet), sizeof(raim_position_sample));
    assert_says("\nWORLD, PLAYER, BULLET, SAMPLE = ", text, "\n");
    assert_int_equal(load_document(RAIM_SOURCE_DIR "/proto/RECORDING.md"), 0);
}

TEST_GROUP(load, NULL)
