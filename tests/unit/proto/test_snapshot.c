// SPDX-License-Identifier: MIT
// SNAPSHOT: a delta against any baseline decodes to the expected frame, and its size is predicted
// exactly.
#include "snapshot_fixture.h"

TEST(delta_of_anything_decodes_to_exactly_what_is_to_be_known)
{
    for (int i = 0; i < ROUNDS; i++) {
        chance_case();
        assert_reported(write_frame(bytes, sizeof bytes));
        free_frames();
    }
}

TEST(every_field_has_its_whole_range)
{
    static const int32_t values[6][7] = {
        {-(1 << 19), -1, 0, 1, (1 << 19) - 1, 0, 0},
        {-(1 << 19), -1, 0, 1, (1 << 19) - 1, 0, 0},
        {0, 1, 511, 512, 1023, 0, 0},
        {0, 1, 8, 9, 12, 0, 0},
        {0, 1, 3, 4, 7, 0, 0},
        {0, 1, 0, 1, 0, 0, 0},
    };
    make_frames((struct raim_wire_limits){3, 1, 256, 160, 113, 63});
    for (int field = 0; field < 6; field++) {
        for (int pair = 0; pair < 25; pair++) {
            const uint32_t age = (uint32_t)chance_int(1, 255);
            chance_frame(&limits, &frame, chance_bits(32), 0);
            chance_frame(&limits, &baseline, frame.tick - age, 0);
            memcpy((char *)&baseline.players[1] + 4 * field, &values[field][pair % 5], 4);
            memcpy((char *)&frame.players[1] + 4 * field, &values[field][pair / 5], 4);
            whole = chance_bool();
            frame_expect(&limits, NULL, NULL, &baseline, &known_before);
            frame_expect(&limits, whole ? NULL : &baseline, &known_before, &frame, &known);
            assert_reported(write_frame(bytes, sizeof bytes));
        }
    }
    free_frames();
}

// --- Sizes ---

static size_t bits_of_entities(void)
{
    const struct raim_wire_frame *from = whole ? NULL : &baseline;
    size_t bits = 0;
    for (uint32_t slot = 0; slot < limits.players; slot++)
        if (raim_set_has(frame.seen_players, slot) ||
            (!whole && raim_set_has(baseline.seen_players, slot)))
            bits += raim_snapshot_player_bits(&limits, from, &frame, slot);
    for (uint32_t slot = 0; slot < raim_wire_bullets(&limits); slot++)
        if (raim_set_has(frame.seen_bullets, slot) ||
            (!whole && raim_set_has(baseline.seen_bullets, slot)))
            bits += raim_snapshot_bullet_bits(&limits, from, &frame, slot);
    return bits;
}

TEST(bits_of_the_parts_bound_those_of_the_whole)
{
    for (int i = 0; i < ROUNDS / 2; i++) {
        chance_case();
        const size_t size = write_frame(bytes, sizeof bytes);
        assert_true(size * 8 < bits_of_entities() + RAIM_SNAPSHOT_FIXED_BITS + 8);

        // A capacity that fits exactly suffices; one byte less fails and writes nothing.
        uint8_t *block = malloc(size);
        assert_non_null(block);
        assert_int_equal(write_frame(block, size), size);
        assert_memory_equal(block, bytes, size);
        const size_t less = (size_t)chance_int(0, (int)size - 1);
        uint8_t *small = malloc(less + (less == 0));
        assert_non_null(small);
        assert_int_equal(write_frame(small, less), 0);
        free(small);
        free(block);
        free_frames();
    }
}

TEST(the_fixed_part_reaches_its_bound)
{
    make_frames((struct raim_wire_limits){RAIM_WIRE_PLAYERS, 1, RAIM_MAX_HISTORY, 1, 1, 63});
    frame.self.timer = RAIM_WIRE_MAX_TIMER;
    whole = true;
    assert_int_equal(write_frame(bytes, sizeof bytes), (RAIM_SNAPSHOT_FIXED_BITS + 7) / 8);
    whole = false; // against a baseline, everything of self changes
    frame.tick = baseline.tick + 1;
    frame.self = (raim_wire_self){1, true, true, RAIM_WIRE_MAX_TIMER, 1, 1, 1};
    assert_in_range(write_frame(bytes, sizeof bytes), 8, RAIM_SNAPSHOT_FIXED_BITS / 8);
    free_frames();
}

static uint32_t bits_of_change(const raim_wire_player *from, const raim_wire_player *to,
                               uint32_t age)
{
    make_frames((struct raim_wire_limits){1, 1, 64, 160, 113, 9});
    frame.tick = age;
    raim_set_add(baseline.seen_players, 0);
    raim_set_add(frame.seen_players, 0);
    baseline.players[0] = *from;
    frame.players[0] = *to;
    const uint32_t bits = raim_snapshot_player_bits(&limits, &baseline, &frame, 0);
    free_frames();
    return bits;
}

TEST(small_changes_take_few_bits)
{
    const raim_wire_player runner = {
        .x = 100, .y = 100, .aim = 10, .direction = RAIM_DIRECTION_RUN};
    enum { STILL = 2, CHANGED = 3 + 3 + 1 }; // no aim; way, life, shield, and no aim
    const struct {
        int32_t x, y, aim;
        uint32_t bits;
    } rows[] = {
        {0, 0, 0, STILL},
        {0, 0, 63, STILL + 1 + 7},
        {0, 0, -64, STILL + 1 + 7},
        {0, 0, 64, STILL + 2 + 8},
        {0, 0, -128, STILL + 2 + 8},
        {0, 0, 128, STILL + 2 + 10},
        {-512, 0, 0, CHANGED + 12 + 1},
        {511, 0, 0, CHANGED + 12 + 1},
        {512, -1, 0, CHANGED + 15 + 12},
        {2047, 2048, 0, CHANGED + 15 + 23},
        {-2048, -2049, 0, CHANGED + 15 + 23},
        {1, 1, 1, CHANGED + 24 + 1 + 7},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const raim_wire_player later = {
            .x = runner.x + 6 * 160 + rows[i].x,
            .y = runner.y + rows[i].y,
            .aim = (runner.aim + rows[i].aim) & 0x3FF, // the short way, across 0
            .direction = RAIM_DIRECTION_RUN,
        };
        assert_int_equal(bits_of_change(&runner, &later, 6), rows[i].bits);
    }
    // It ran right for four ticks and then up for two: way and since in 4 and 3 bits.
    const raim_wire_player turned = {
        .x = 100 + 4 * 160, .y = 100 + 2 * 160, .aim = 10, .direction = RAIM_DIRECTION_RUN + 2};
    assert_int_equal(bits_of_change(&runner, &turned, 6), 2 + 4 + 3 + 1);
}

TEST(undisturbed_bullets_take_one_bit_together)
{
    make_small_frames(4, 4);
    const size_t empty = write_frame(bytes, sizeof bytes) * 8;
    for (uint32_t slot = 0; slot < 16; slot++) {
        raim_set_add(baseline.seen_bullets, slot);
        raim_set_add(frame.seen_bullets, slot);
    }
    assert_int_equal(write_frame(bytes, sizeof bytes) * 8, empty);
    free_frames();
}

// The bits of a bullet in a whole snapshot when its standing shooter fired it in the last tick.
static uint32_t bits_of_shot(uint32_t max_rewind, uint8_t rewind)
{
    make_frames((struct raim_wire_limits){4, 8, 64, 160, 113, max_rewind});
    frame.tick = 100;
    raim_set_add(frame.seen_players, 2);
    raim_set_add(frame.seen_bullets, 2 * 8);
    frame.bullets[2 * 8] = (raim_wire_bullet){.tick = 99u - rewind, .rewind = rewind};
    const uint32_t bits = raim_snapshot_bullet_bits(&limits, NULL, &frame, 2 * 8);
    free_frames();
    return bits;
}

TEST(a_rewind_takes_the_bits_of_the_most_and_none_where_nothing_is)
{
    enum { REST = 1 + 5 + 16 + 1 + 4 }; // another one, its slot, aim, fired, age
    assert_int_equal(bits_of_shot(0, 0), REST);
    for (uint32_t most = 1; most <= RAIM_WIRE_REWIND; most++)
        for (uint32_t rewind = 0; rewind <= most; rewind++)
            assert_int_equal(bits_of_shot(most, (uint8_t)rewind), REST + raim_bits_for(most));
}

TEST(a_bullet_leaves_by_its_rewind_before_it_is_fired)
{
    make_frames((struct raim_wire_limits){1, 1, 64, 160, 113, 9});
    whole = true;
    frame.tick = 3; // so that some leave before the tick wraps
    raim_set_add(frame.seen_players, 0);
    raim_set_add(frame.seen_bullets, 0);
    frame.players[0] = (raim_wire_player){.x = 1000, .direction = RAIM_DIRECTION_RUN};
    for (uint32_t age = 1; age <= 16; age++) {
        for (uint32_t rewind = 0; rewind <= 9; rewind++) {
            frame.bullets[0] = (raim_wire_bullet){
                .x = 1000 - 160 * ((int32_t)age - 1),
                .tick = frame.tick - age - rewind,
                .aim = 7,
                .rewind = (uint8_t)rewind,
            };
            frame_expect(&limits, NULL, NULL, &frame, &known);
            assert_true(frame_same_bullet(&known.bullets[0], &frame.bullets[0]));
            assert_reported(write_frame(bytes, sizeof bytes));
        }
    }
    free_frames();
}
