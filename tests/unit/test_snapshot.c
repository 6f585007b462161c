// SPDX-License-Identifier: MIT
// SNAPSHOT: whatever the baseline, the client knows exactly what it is to know; its size is known
// before; and nothing else is let in.
#include "frame_fixture.h"
#include "snapshot.h"

enum { ROUNDS = 20000, MANY_BYTES = 128 * 1024 };

// What a snapshot is written against and from; what the client knows of both; what it reads.
static struct raim_wire_limits limits;
static struct raim_wire_frame baseline, frame;
static struct raim_wire_frame known_before, known;
static struct raim_wire_frame told, again;
static bool whole;
static uint8_t bytes[MANY_BYTES], rewritten[MANY_BYTES];

static struct raim_wire_frame *const frames[] = {&baseline, &frame, &known_before,
                                                 &known,    &told,  &again};
enum { FRAMES = sizeof frames / sizeof frames[0] };

static void make_frames(struct raim_wire_limits made)
{
    limits = made;
    whole = false;
    for (int i = 0; i < FRAMES; i++)
        *frames[i] = frame_make(&limits);
}

static void free_frames(void)
{
    for (int i = 0; i < FRAMES; i++)
        frame_free(frames[i]);
}

// Ten ticks a second: a history of 16.
static void make_small_frames(uint32_t players, uint32_t shots)
{
    make_frames((struct raim_wire_limits){players, shots, 16, 960, 679, 0});
    baseline.tick = 99;
    frame.tick = 100;
}

static size_t write_frame(uint8_t *into, size_t capacity)
{
    return raim_snapshot_write(&limits, whole ? NULL : &baseline, &frame, into, capacity);
}

// --- Reading as a client does, which has one baseline to look up ---

static bool read_snapshot(const uint8_t *message, size_t size, uint32_t near_tick,
                          struct raim_wire_frame *into)
{
    struct raim_snapshot_header header;
    raim_reader reader = raim_reader_make(message, size);
    if (raim_message_read(&reader) != RAIM_MESSAGE_SNAPSHOT ||
        !raim_snapshot_read_header(&reader, &limits, near_tick, &header))
        return false;
    assert_true(header.baseline_age < limits.history);
    const bool has_baseline = header.baseline_age != 0;
    if (has_baseline && (whole || header.tick - header.baseline_age != known_before.tick))
        return false;
    return raim_snapshot_read(&reader, &header, &limits, has_baseline ? &known_before : NULL, into);
}

static void assert_set_inside(const uint64_t *set, uint32_t places)
{
    if (places % 64 != 0)
        assert_int_equal(set[places / 64] >> places % 64, 0);
}

static void assert_good_frame(const struct raim_wire_frame *good)
{
    const raim_wire_self *self = &good->self;
    assert_true(self->place < limits.players);
    assert_true(self->margin >= -RAIM_MAX_MARGIN && self->margin <= RAIM_MAX_MARGIN);
    FOR_EACH_PLACE (place, good->seen_players, limits.players) {
        const raim_wire_player *player = &good->players[place];
        assert_true(player->x == frame_on_grid(player->x) && player->y == frame_on_grid(player->y));
        assert_true(player->aim >> RAIM_WIRE_AIM_BITS == 0 && player->life >> 3 == 0);
        assert_true(player->shield >> 1 == 0 && player->way >= 0 && player->way < RAIM_WAYS);
        assert_true(!self->steers || self->place != place || player->aim == 0);
    }
    FOR_EACH_PLACE (place, good->seen_bullets, raim_wire_bullets(&limits)) {
        const raim_wire_bullet *bullet = &good->bullets[place];
        assert_true(bullet->x == frame_on_grid(bullet->x) && bullet->y == frame_on_grid(bullet->y));
        assert_true(bullet->rewind <= limits.max_rewind);
    }
}

static bool accepts_snapshot(const uint8_t *message, size_t size)
{
    const bool accepted = read_snapshot(message, size, frame.tick, &told);
    assert_set_inside(told.seen_players, limits.players);
    assert_set_inside(told.seen_bullets, raim_wire_bullets(&limits));
    if (!accepted)
        return false;
    assert_good_frame(&told);
    // A client knows a bullet as it was told, and so would tell it.
    FOR_EACH_PLACE (place, told.seen_bullets, raim_wire_bullets(&limits)) {
        told.bullets[place].now_x = told.bullets[place].x;
        told.bullets[place].now_y = told.bullets[place].y;
    }
    raim_reader reader = raim_reader_make(message, size);
    raim_message_read(&reader);
    const bool has_baseline = raim_read_ranged(&reader, 0, limits.history - 1) != 0;
    const size_t length = raim_snapshot_write(&limits, has_baseline ? &known_before : NULL, &told,
                                              rewritten, sizeof rewritten);
    assert_true(length > 0 && length <= size);
    assert_true(read_snapshot(rewritten, length, told.tick, &again));
    frame_assert_same(&limits, &told, &again);
    return true;
}

// --- Chance ---

static void chance_case(void)
{
    const int size = chance_int(0, 199);
    const int most = size == 0 ? 1024 : size < 20 ? 130 : 12;
    make_frames(
        chance_limits((uint32_t)chance_int(1, most), (uint32_t)chance_int(1, most > 12 ? 8 : 6)));
    const uint32_t tick = chance_magnitude(32); // so that some of before the wrap are among them
    const uint32_t age = (uint32_t)chance_int(1, (int)limits.history - 1);
    const uint32_t rarity = (uint32_t)chance_int(0, 4);
    whole = chance_int(0, 3) == 0;
    chance_frame(&limits, &frame, tick, rarity);
    if (!whole) {
        chance_frame(&limits, &baseline, tick - age, rarity);
        chance_succession(&limits, &baseline, &frame);
        frame_expect(&limits, NULL, NULL, &baseline, &known_before);
    }
    frame_expect(&limits, whole ? NULL : &baseline, whole ? NULL : &known_before, &frame, &known);
}

static void assert_told(size_t size)
{
    const int history = (int)limits.history;
    const uint32_t near_tick = frame.tick + (uint32_t)chance_int(-history, history - 1);
    assert_true(size > 0);
    assert_true(read_snapshot(bytes, size, near_tick, &told));
    frame_assert_same(&limits, &known, &told);
}

static void test_delta_of_anything_decodes_to_exactly_what_is_to_be_known(void **state)
{
    (void)state;
    for (int i = 0; i < ROUNDS; i++) {
        chance_case();
        assert_told(write_frame(bytes, sizeof bytes));
        free_frames();
    }
}

static void test_every_field_has_its_whole_range(void **state)
{
    (void)state;
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
            assert_told(write_frame(bytes, sizeof bytes));
        }
    }
    free_frames();
}

// --- Sizes ---

static size_t bits_of_entities(void)
{
    const struct raim_wire_frame *from = whole ? NULL : &baseline;
    size_t bits = 0;
    for (uint32_t place = 0; place < limits.players; place++)
        if (raim_set_has(frame.seen_players, place) ||
            (!whole && raim_set_has(baseline.seen_players, place)))
            bits += raim_snapshot_player_bits(&limits, from, &frame, place);
    for (uint32_t place = 0; place < raim_wire_bullets(&limits); place++)
        if (raim_set_has(frame.seen_bullets, place) ||
            (!whole && raim_set_has(baseline.seen_bullets, place)))
            bits += raim_snapshot_bullet_bits(&limits, from, &frame, place);
    return bits;
}

static void test_bits_of_the_parts_bound_those_of_the_whole(void **state)
{
    (void)state;
    for (int i = 0; i < ROUNDS / 2; i++) {
        chance_case();
        const size_t size = write_frame(bytes, sizeof bytes);
        assert_true(size * 8 < bits_of_entities() + RAIM_SNAPSHOT_FIXED_BITS + 8);

        // What fits exactly is written, and one byte less is too little, and stays untouched.
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

static void test_the_fixed_part_reaches_its_bound(void **state)
{
    (void)state;
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

static void test_small_changes_take_few_bits(void **state)
{
    (void)state;
    const raim_wire_player runner = {.x = 100, .y = 100, .aim = 10, .way = RAIM_WAY_RUN};
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
            .way = RAIM_WAY_RUN,
        };
        assert_int_equal(bits_of_change(&runner, &later, 6), rows[i].bits);
    }
    // It ran to the right for four ticks and then for two up: way and since in 4 and 3 bits.
    const raim_wire_player turned = {
        .x = 100 + 4 * 160, .y = 100 + 2 * 160, .aim = 10, .way = RAIM_WAY_RUN + 2};
    assert_int_equal(bits_of_change(&runner, &turned, 6), 2 + 4 + 3 + 1);
}

static void test_undisturbed_bullets_take_one_bit_together(void **state)
{
    (void)state;
    make_small_frames(4, 4);
    const size_t empty = write_frame(bytes, sizeof bytes) * 8;
    for (uint32_t place = 0; place < 16; place++) {
        raim_set_add(baseline.seen_bullets, place);
        raim_set_add(frame.seen_bullets, place);
    }
    assert_int_equal(write_frame(bytes, sizeof bytes) * 8, empty);
    free_frames();
}

// What a whole snapshot spends on a bullet that its shooter, who stands, fired in the last tick.
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

static void test_a_rewind_takes_the_bits_of_the_most_and_none_where_nothing_is(void **state)
{
    (void)state;
    enum { REST = 1 + 5 + 16 + 1 + 4 }; // another one, its place, aim, fired, age
    assert_int_equal(bits_of_shot(0, 0), REST);
    for (uint32_t most = 1; most <= RAIM_WIRE_REWIND; most++)
        for (uint32_t rewind = 0; rewind <= most; rewind++)
            assert_int_equal(bits_of_shot(most, (uint8_t)rewind), REST + raim_bits_for(most));
}

static void test_a_bullet_leaves_by_its_rewind_before_it_is_fired(void **state)
{
    (void)state;
    make_frames((struct raim_wire_limits){1, 1, 64, 160, 113, 9});
    whole = true;
    frame.tick = 3; // so that some leave before the tick wraps
    raim_set_add(frame.seen_players, 0);
    raim_set_add(frame.seen_bullets, 0);
    frame.players[0] = (raim_wire_player){.x = 1000, .way = RAIM_WAY_RUN};
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
            assert_told(write_frame(bytes, sizeof bytes));
        }
    }
    free_frames();
}

// --- What no server sends ---

static void test_every_truncation_is_refused(void **state)
{
    (void)state;
    for (int i = 0; i < ROUNDS / 20; i++) {
        chance_case();
        const size_t size = write_frame(bytes, sizeof bytes);
        for (size_t less = 0; less < size && size <= RAIM_MAX_MESSAGE_BYTES; less++)
            assert_false(hostile_read(accepts_snapshot, bytes, less));
        free_frames();
    }
}

static void test_no_damage_does_harm(void **state)
{
    (void)state;
    enum { ATTACKS = 20, INVENTIONS = 80 };
    uint8_t random[64];
    for (int i = 0; i < ROUNDS; i++) {
        chance_case();
        const size_t size = write_frame(bytes, sizeof bytes);
        for (int j = 0; j < ATTACKS && size < 128; j++)
            hostile_attack(accepts_snapshot, bytes, size);
        // Behind a good header of a delta, anything.
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

static void write_player(raim_writer *writer, uint32_t place, int32_t x, uint32_t way)
{
    raim_write_bool(writer, true);
    raim_write_bits(writer, place, raim_bits_for(limits.players - 1));
    raim_write_signed(writer, x, 20);
    raim_write_bits(writer, 0, 20 + 10);
    raim_write_bits(writer, way, 4 + 3 + 1);
}

static void test_new_places_ascend_below_the_limit_and_ways_end_at_12(void **state)
{
    (void)state;
    const struct {
        uint32_t first, second, way;
        bool good;
    } rows[] = {{0, 1, 0, true},  {4, 5, 12, true}, {1, 1, 0, false},  {1, 0, 0, false},
                {0, 6, 0, false}, {7, 1, 0, false}, {0, 1, 13, false}, {0, 1, 15, false}};
    make_small_frames(6, 1);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        raim_writer writer = begin_whole();
        write_player(&writer, rows[i].first, 0, 0);
        write_player(&writer, rows[i].second, 0, rows[i].way);
        raim_write_bits(&writer, 0, 2); // no more, and no bullets
        assert_int_equal(accepts(writer), rows[i].good);
    }
    free_frames();
}

static void test_a_place_of_the_baseline_is_not_new(void **state)
{
    (void)state;
    make_small_frames(4, 1);
    raim_set_add(known_before.seen_players, 2);
    raim_set_add(known_before.seen_bullets, 2);
    for (uint32_t place = 0; place < 4; place++) {
        raim_writer writer = begin_delta(1);
        raim_write_bits(&writer, 0, 2); // place 2 as predicted
        write_player(&writer, place, 0, 0);
        raim_write_bits(&writer, 0, 1 + 1 + 1); // no more; no bullet changed; no other
        assert_int_equal(accepts(writer), place != 2);

        writer = begin_delta(1);
        raim_write_bits(&writer, 0, 2 + 1 + 1);
        raim_write_bits(&writer, 1 | place << 1, 1 + 2);
        raim_write_bits(&writer, 0, 16 + 1); // aim, not fired
        raim_write_bits(&writer, 0, 20);
        raim_write_bits(&writer, 0, 20 + 1);
        assert_int_equal(accepts(writer), place != 2);
    }
    free_frames();
}

static void test_who_leaves_the_grid_is_refused(void **state)
{
    (void)state;
    make_small_frames(1, 1);
    raim_set_add(known_before.seen_players, 0);
    raim_wire_player *player = &known_before.players[0];
    for (int32_t step = -3; step <= 3; step++) {
        player->x = (1 << 19) - 2;
        player->way = RAIM_WAY_STAND;
        raim_writer writer = begin_delta(1);
        raim_write_bits(&writer, 7 | 1 << 3, 3 + 2); // changed; x by a small difference
        raim_write_signed(&writer, step, 10);
        raim_write_bits(&writer, 0, 1 + 3 + 1 + 1 + 1);
        assert_int_equal(accepts(writer), step <= 1);

        player->x = (1 << 19) - 960 + step; // a run more
        player->way = RAIM_WAY_RUN;
        writer = begin_delta(1);
        raim_write_bits(&writer, 0, 2 + 1 + 1);
        assert_int_equal(accepts(writer), step < 0);
    }
    free_frames();
}

static void test_a_turn_is_to_another_way_and_not_before_the_baseline(void **state)
{
    (void)state;
    make_small_frames(1, 1);
    raim_set_add(known_before.seen_players, 0);
    known_before.players[0].way = 3;
    for (uint32_t since = 1; since <= 8; since++) {
        for (uint32_t way = 0; way < 16; way++) {
            raim_writer writer = begin_delta(6);
            raim_write_bits(&writer, 1 | way << 2 | (since - 1) << 6, 2 + 4 + 3);
            raim_write_bits(&writer, 0, 1 + 1 + 1); // aim; no others
            assert_int_equal(accepts(writer), way <= 12 && way != 3 && since <= 6);
        }
    }
    free_frames();
}

static void test_a_bullet_is_fired_by_somebody_who_is_seen_from_the_grid(void **state)
{
    (void)state;
    make_small_frames(3, 2);
    for (uint32_t place = 0; place < 8; place++) {
        for (uint32_t age = 1; age <= 16; age++) {
            raim_writer writer = begin_whole();
            write_player(&writer, 1, (1 << 19) - 1 - 5 * 960, 5); // it came from beyond
            raim_write_bool(&writer, false);
            raim_write_bool(&writer, true);
            raim_write_bits(&writer, place, 3);
            raim_write_bits(&writer, 1 << 16 | (age - 1) << 17, 21);
            raim_write_bool(&writer, false);
            assert_int_equal(accepts(writer), place / 2 == 1 && age - 1 <= 5);
        }
    }
    free_frames();
}

static void test_a_rewind_beyond_the_most_is_refused(void **state)
{
    (void)state;
    for (uint32_t most = 0; most <= RAIM_WIRE_REWIND; most++) {
        make_frames((struct raim_wire_limits){2, 1, 16, 960, 679, most});
        frame.tick = 100;
        const uint32_t bits = raim_bits_for(most);
        for (uint32_t rewind = 0; rewind < 1u << bits; rewind++) {
            raim_writer writer = begin_whole();
            write_player(&writer, 1, 0, 0);
            raim_write_bool(&writer, false);
            raim_write_bits(&writer, 3, 1 + 1); // another bullet, of the second place
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

static void test_new_bullets_ascend(void **state)
{
    (void)state;
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

static void test_self_stays_within_its_ranges(void **state)
{
    (void)state;
    make_small_frames(3, 1);
    for (int i = 0; i < 8; i++) {
        const bool place_good = i % 2 == 0, timer_good = i / 2 % 2 == 0, margin_good = i / 4 == 0;
        const uint32_t timer = RAIM_WIRE_MAX_TIMER + !timer_good, margin = 32 + margin_good;
        raim_writer writer = raim_message_write(RAIM_MESSAGE_SNAPSHOT, bytes, sizeof bytes);
        whole = true;
        raim_write_bits(&writer, 0, 4);
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

static void test_a_tick_is_the_one_nearest_to_the_newest_known(void **state)
{
    (void)state;
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

int main(int argc, char **argv)
{
    chance_start(argc, argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_delta_of_anything_decodes_to_exactly_what_is_to_be_known),
        cmocka_unit_test(test_every_field_has_its_whole_range),
        cmocka_unit_test(test_bits_of_the_parts_bound_those_of_the_whole),
        cmocka_unit_test(test_the_fixed_part_reaches_its_bound),
        cmocka_unit_test(test_small_changes_take_few_bits),
        cmocka_unit_test(test_undisturbed_bullets_take_one_bit_together),
        cmocka_unit_test(test_a_rewind_takes_the_bits_of_the_most_and_none_where_nothing_is),
        cmocka_unit_test(test_a_bullet_leaves_by_its_rewind_before_it_is_fired),
        cmocka_unit_test(test_every_truncation_is_refused),
        cmocka_unit_test(test_no_damage_does_harm),
        cmocka_unit_test(test_new_places_ascend_below_the_limit_and_ways_end_at_12),
        cmocka_unit_test(test_a_place_of_the_baseline_is_not_new),
        cmocka_unit_test(test_who_leaves_the_grid_is_refused),
        cmocka_unit_test(test_a_turn_is_to_another_way_and_not_before_the_baseline),
        cmocka_unit_test(test_a_bullet_is_fired_by_somebody_who_is_seen_from_the_grid),
        cmocka_unit_test(test_a_rewind_beyond_the_most_is_refused),
        cmocka_unit_test(test_new_bullets_ascend),
        cmocka_unit_test(test_self_stays_within_its_ranges),
        cmocka_unit_test(test_a_tick_is_the_one_nearest_to_the_newest_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
