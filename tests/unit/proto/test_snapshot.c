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
    make_frames((struct raim_wire_limits){.players = 3,
                                          .shots = 1,
                                          .history = 256,
                                          .stride = 160,
                                          .diagonal = 113,
                                          .max_rewind = 63});
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

// --- Snapshot hostile ---

// SNAPSHOT: malformed messages are rejected.

TEST(every_truncation_is_rejected)
{
    for (int i = 0; i < ROUNDS / 20; i++) {
        chance_case();
        const size_t size = write_frame(bytes, sizeof bytes);
        for (size_t less = 0; less < size && size <= RAIM_MAX_MESSAGE_BYTES; less++)
            assert_false(hostile_read(accepts_snapshot, bytes, less));
        free_frames();
    }
}

TEST(no_damage_does_harm)
{
    enum { ATTACKS = 20, INVENTIONS = 80 };
    uint8_t random[64];
    for (int i = 0; i < ROUNDS; i++) {
        chance_case();
        const size_t size = write_frame(bytes, sizeof bytes);
        for (int j = 0; j < ATTACKS && size < 128; j++)
            hostile_attack(accepts_snapshot, bytes, size);
        // Random bytes after the valid header of a delta.
        const size_t most = size < sizeof random ? size : sizeof random;
        memcpy(random, bytes, most);
        for (int j = 0; j < INVENTIONS && size < 512 && most > 6; j++) {
            for (size_t k = (size_t)chance_int(4, 6); k < most; k++)
                random[k] = (uint8_t)(chance_bits(8) & chance_bits(8));
            hostile_read(accepts_snapshot, random, (size_t)chance_int(6, (int)most));
        }
        free_frames();
    }
}

// A whole snapshot of tick 100 up to its players, or one against tick 99 whose self is as
// predicted.
static raim_writer begin_whole(void)
{
    raim_writer writer = raim_message_write(RAIM_MESSAGE_SNAPSHOT, bytes, sizeof bytes);
    whole = true;
    raim_write_bits(&writer, 0, 4); // no baseline
    raim_write_bits(&writer, 0, RAIM_EPOCH_BITS);
    raim_write_bits(&writer, 100, 32);
    raim_write_ranged(&writer, 0, 0, limits.players - 1);
    raim_write_bits(&writer, 2, 2); // a spectator's, alive
    raim_write_count(&writer, 0);
    raim_write_bits(&writer, 0, 8 + 8 + 6); // shots, hits, margin
    return writer;
}

static raim_writer begin_delta(uint32_t age)
{
    raim_writer writer = raim_message_write(RAIM_MESSAGE_SNAPSHOT, bytes, sizeof bytes);
    known_before.tick = 100 - age;
    raim_write_bits(&writer, age, 4);
    raim_write_bits(&writer, 100 % 32, 5); // twice the history
    raim_write_bool(&writer, true);
    return writer;
}

static bool accepts(raim_writer writer)
{
    return hostile_read(accepts_snapshot, bytes, raim_writer_finish(&writer));
}

static void write_player(raim_writer *writer, uint32_t slot, int32_t x, uint32_t direction)
{
    raim_write_bool(writer, true);
    raim_write_bits(writer, slot, raim_bits_for(limits.players - 1));
    raim_write_signed(writer, x, 20);
    raim_write_bits(writer, 0, 20 + 10);
    raim_write_bits(writer, direction, 4 + 3 + 1);
}

TEST(new_places_ascend_below_the_limit_and_ways_end_at_12)
{
    const struct {
        uint32_t first, second, direction;
        bool good;
    } rows[] = {{0, 1, 0, true},  {4, 5, 12, true}, {1, 1, 0, false},  {1, 0, 0, false},
                {0, 6, 0, false}, {7, 1, 0, false}, {0, 1, 13, false}, {0, 1, 15, false}};
    make_small_frames(6, 1);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        raim_writer writer = begin_whole();
        write_player(&writer, rows[i].first, 0, 0);
        write_player(&writer, rows[i].second, 0, rows[i].direction);
        raim_write_bits(&writer, 0, 2); // no more, and no bullets
        assert_int_equal(accepts(writer), rows[i].good);
    }
    free_frames();
}

TEST(a_place_of_the_baseline_is_not_new)
{
    make_small_frames(4, 1);
    raim_set_add(known_before.seen_players, 2);
    raim_set_add(known_before.seen_bullets, 2);
    for (uint32_t slot = 0; slot < 4; slot++) {
        raim_writer writer = begin_delta(1);
        raim_write_bits(&writer, 0, 2); // slot 2 as predicted
        write_player(&writer, slot, 0, 0);
        raim_write_bits(&writer, 0, 1 + 1 + 1); // no more; no bullet changed; no other
        assert_int_equal(accepts(writer), slot != 2);

        writer = begin_delta(1);
        raim_write_bits(&writer, 0, 2 + 1 + 1);
        raim_write_bits(&writer, 1 | slot << 1, 1 + 2);
        raim_write_bits(&writer, 0, 16 + 1); // aim, not fired
        raim_write_bits(&writer, 0, 20);
        raim_write_bits(&writer, 0, 20 + 1);
        assert_int_equal(accepts(writer), slot != 2);
    }
    free_frames();
}

TEST(who_leaves_the_grid_is_rejected)
{
    make_small_frames(1, 1);
    raim_set_add(known_before.seen_players, 0);
    raim_wire_player *player = &known_before.players[0];
    for (int32_t step = -3; step <= 3; step++) {
        player->x = (1 << 19) - 2;
        player->direction = RAIM_DIRECTION_STAND;
        raim_writer writer = begin_delta(1);
        raim_write_bits(&writer, 7 | 1 << 3, 3 + 2); // changed; x by a small difference
        raim_write_signed(&writer, step, 10);
        raim_write_bits(&writer, 0, 1 + 3 + 1 + 1 + 1);
        assert_int_equal(accepts(writer), step <= 1);

        player->x = (1 << 19) - 960 + step; // a run more
        player->direction = RAIM_DIRECTION_RUN;
        writer = begin_delta(1);
        raim_write_bits(&writer, 0, 2 + 1 + 1);
        assert_int_equal(accepts(writer), step < 0);
    }
    free_frames();
}

TEST(a_turn_is_to_another_way_and_not_before_the_baseline)
{
    make_small_frames(1, 1);
    raim_set_add(known_before.seen_players, 0);
    known_before.players[0].direction = 3;
    for (uint32_t since = 1; since <= 8; since++) {
        for (uint32_t direction = 0; direction < 16; direction++) {
            raim_writer writer = begin_delta(6);
            raim_write_bits(&writer, 1 | direction << 2 | (since - 1) << 6, 2 + 4 + 3);
            raim_write_bits(&writer, 0, 1 + 1 + 1); // aim; no others
            assert_int_equal(accepts(writer), direction <= 12 && direction != 3 && since <= 6);
        }
    }
    free_frames();
}

TEST(a_bullet_is_fired_by_somebody_who_is_seen_from_the_grid)
{
    make_small_frames(3, 2);
    for (uint32_t slot = 0; slot < 8; slot++) {
        for (uint32_t age = 1; age <= 16; age++) {
            raim_writer writer = begin_whole();
            write_player(&writer, 1, (1 << 19) - 1 - 5 * 960,
                         5); // its predicted origin is off the grid
            raim_write_bool(&writer, false);
            raim_write_bool(&writer, true);
            raim_write_bits(&writer, slot, 3);
            raim_write_bits(&writer, 1 << 16 | (age - 1) << 17, 21);
            raim_write_bool(&writer, false);
            assert_int_equal(accepts(writer), slot / 2 == 1 && age - 1 <= 5);
        }
    }
    free_frames();
}

TEST(a_rewind_beyond_the_most_is_rejected)
{
    for (uint32_t most = 0; most <= RAIM_WIRE_REWIND; most++) {
        make_frames((struct raim_wire_limits){.players = 2,
                                              .shots = 1,
                                              .history = 16,
                                              .stride = 960,
                                              .diagonal = 679,
                                              .max_rewind = most});
        frame.tick = 100;
        const uint32_t bits = raim_bits_for(most);
        for (uint32_t rewind = 0; rewind < 1u << bits; rewind++) {
            raim_writer writer = begin_whole();
            write_player(&writer, 1, 0, 0);
            raim_write_bool(&writer, false);
            raim_write_bits(&writer, 3, 1 + 1); // another bullet, of the second slot
            raim_write_bits(&writer, 1 << 16, 16 + 1 + 4);
            raim_write_bits(&writer, rewind, bits);
            raim_write_bool(&writer, false);
            assert_int_equal(accepts(writer), rewind <= most);
            if (rewind <= most)
                assert_int_equal(told.bullets[1].rewind, rewind);
        }
        free_frames();
    }
}

TEST(new_bullets_ascend)
{
    make_small_frames(3, 2);
    for (uint32_t first = 0; first < 6; first++) {
        for (uint32_t second = 0; second < 6; second++) {
            raim_writer writer = begin_whole();
            raim_write_bool(&writer, false);
            raim_write_bits(&writer, 1 | first << 1, 1 + 3 + 16 + 1);
            raim_write_bits(&writer, 0, 20);
            raim_write_bits(&writer, 0, 20);
            raim_write_bits(&writer, 1 | second << 1, 1 + 3 + 16 + 1);
            raim_write_bits(&writer, 0, 20);
            raim_write_bits(&writer, 0, 20 + 1);
            assert_int_equal(accepts(writer), first < second);
        }
    }
    free_frames();
}

TEST(self_stays_within_its_ranges)
{
    make_small_frames(3, 1);
    for (int i = 0; i < 8; i++) {
        const bool place_good = i % 2 == 0, timer_good = i / 2 % 2 == 0, margin_good = i / 4 == 0;
        const uint32_t timer = RAIM_WIRE_MAX_TIMER + !timer_good, margin = 32 + margin_good;
        raim_writer writer = raim_message_write(RAIM_MESSAGE_SNAPSHOT, bytes, sizeof bytes);
        whole = true;
        raim_write_bits(&writer, 0, 4);
        raim_write_bits(&writer, 0, RAIM_EPOCH_BITS);
        raim_write_bits(&writer, 100, 32);
        raim_write_bits(&writer, place_good ? 2 : 3, 2 + 1 + 1);
        raim_write_count(&writer, timer);
        raim_write_bits(&writer, margin << 16, 8 + 8 + 6);
        raim_write_bits(&writer, 0, 2);
        assert_int_equal(accepts(writer), place_good && timer_good && margin_good);

        whole = false;
        writer = begin_delta(1);
        writer.pending &= ~(1u << (1 + 4 + 5)); // not as predicted: another view, alive
        raim_write_bits(&writer, (place_good ? 2 : 3) << 1, 1 + 2 + 1 + 1);
        raim_write_bool(&writer, false);
        raim_write_count(&writer, timer);
        raim_write_bits(&writer, 3 | margin << 3, 1 + 1 + 1 + 6);
        raim_write_bits(&writer, 0, 2);
        assert_int_equal(accepts(writer), place_good && timer_good && margin_good);
    }
    free_frames();
}

TEST(a_tick_is_the_one_nearest_to_the_newest_known)
{
    make_small_frames(1, 1);
    const uint32_t centres[] = {0, 1, 15, 16, 31, 32, 0x7FFFFFFF, 0x80000000, UINT32_MAX};
    for (size_t i = 0; i < sizeof centres / sizeof centres[0]; i++) {
        for (int32_t off = -15; off <= 16; off++) {
            struct raim_snapshot_header header;
            frame.tick = centres[i] + (uint32_t)off;
            baseline.tick = frame.tick - 3;
            const size_t size = write_frame(bytes, sizeof bytes);
            raim_reader reader = raim_reader_make(bytes, size);
            raim_message_read(&reader);
            assert_true(raim_snapshot_read_header(&reader, &limits, centres[i], &header));
            if (header.tick != frame.tick || header.baseline_age != 3)
                fail_msg("%u is not %u, near %u", header.tick, frame.tick, centres[i]);
        }
    }
    free_frames();
}
