// SPDX-License-Identifier: MIT
// SNAPSHOT: whatever the baseline, the client decodes exactly the frame; its size is known before;
// and nothing else is let in.
#include "hostile.h"
#include "snapshot.h"

enum { ROUNDS = 30000, MANY_BYTES = 128 * 1024 };

// What a snapshot is written against and from, and what is read; the readers under test see it.
static struct raim_wire_limits limits;
static struct raim_wire_frame baseline, frame, told, again;
static uint8_t bytes[MANY_BYTES], rewritten[MANY_BYTES];

// --- Frames, in blocks of exactly the limits' size ---

static void *zeroes(size_t count, size_t size)
{
    void *block = calloc(count, size);
    assert_non_null(block);
    return block;
}

static void make_frame(struct raim_wire_frame *made)
{
    *made = (struct raim_wire_frame){
        .players = zeroes(limits.players, sizeof *made->players),
        .bullets = zeroes(limits.bullets, sizeof *made->bullets),
        .seen_players = zeroes(raim_set_words(limits.players), sizeof(uint64_t)),
        .seen_bullets = zeroes(raim_set_words(limits.bullets), sizeof(uint64_t)),
    };
}

static void free_frame(struct raim_wire_frame *made)
{
    free(made->players);
    free(made->bullets);
    free(made->seen_players);
    free(made->seen_bullets);
}

static void make_frames(uint32_t players, uint32_t bullets)
{
    limits = (struct raim_wire_limits){players, bullets};
    make_frame(&baseline);
    make_frame(&frame);
    make_frame(&told);
    make_frame(&again);
}

static void free_frames(void)
{
    free_frame(&baseline);
    free_frame(&frame);
    free_frame(&told);
    free_frame(&again);
}

static bool same_player(const raim_wire_player *a, const raim_wire_player *b)
{
    return a->x == b->x && a->y == b->y && a->aim == b->aim && a->life == b->life &&
           a->shield == b->shield;
}

static bool same_bullet(const raim_wire_bullet *a, const raim_wire_bullet *b)
{
    return a->x == b->x && a->y == b->y && a->born_tick == b->born_tick && a->aim == b->aim &&
           a->owner == b->owner;
}

static void assert_same_frame(const struct raim_wire_frame *a, const struct raim_wire_frame *b)
{
    assert_int_equal(a->tick, b->tick);
    assert_int_equal(a->self.alive, b->self.alive);
    assert_int_equal(a->self.timer, b->self.timer);
    assert_int_equal(a->self.shots, b->self.shots);
    assert_int_equal(a->self.hits, b->self.hits);
    assert_memory_equal(a->seen_players, b->seen_players, raim_set_words(limits.players) * 8);
    assert_memory_equal(a->seen_bullets, b->seen_bullets, raim_set_words(limits.bullets) * 8);
    for (uint32_t place = 0; place < limits.players; place++)
        if (raim_set_has(a->seen_players, place) &&
            !same_player(&a->players[place], &b->players[place]))
            fail_msg("player in place %u differs", place);
    for (uint32_t place = 0; place < limits.bullets; place++)
        if (raim_set_has(a->seen_bullets, place) &&
            !same_bullet(&a->bullets[place], &b->bullets[place]))
            fail_msg("bullet in place %u differs", place);
}

// --- Chance ---

static raim_wire_player chance_player(void)
{
    return (raim_wire_player){
        .x = chance_signed(RAIM_WIRE_COORDINATE_BITS),
        .y = chance_signed(RAIM_WIRE_COORDINATE_BITS),
        .aim = (int32_t)chance_bits(RAIM_WIRE_AIM_BITS),
        .life = (int32_t)chance_bits(3),
        .shield = (int32_t)chance_bits(1),
    };
}

static int32_t chance_step(int32_t from)
{
    const int32_t to = from + chance_signed(15);
    const int32_t reach = 1 << (RAIM_WIRE_COORDINATE_BITS - 1);
    return to < -reach ? -reach : to > reach - 1 ? reach - 1 : to;
}

static raim_wire_player chance_change(raim_wire_player player)
{
    if (chance_int(0, 7) == 0)
        return chance_player();
    player.x = chance_bool() ? chance_step(player.x) : player.x;
    player.y = chance_bool() ? chance_step(player.y) : player.y;
    if (chance_bool())
        player.aim = (player.aim + chance_signed(12)) & 0xFFF;
    if (chance_int(0, 7) == 0)
        player.life = (player.life + 1) & 7;
    if (chance_int(0, 7) == 0)
        player.shield ^= 1;
    return player;
}

static raim_wire_bullet chance_bullet(uint32_t tick)
{
    const uint32_t age = chance_magnitude(12);
    return (raim_wire_bullet){
        .x = chance_signed(RAIM_WIRE_COORDINATE_BITS),
        .y = chance_signed(RAIM_WIRE_COORDINATE_BITS),
        .born_tick = tick - age,
        .aim = (uint16_t)chance_bits(16),
        .owner = (uint16_t)chance_int(0, (int)limits.players - 1),
    };
}

static raim_wire_self chance_self(void)
{
    return (raim_wire_self){
        .alive = chance_bool(),
        .timer = (uint16_t)chance_magnitude(16),
        .shots = (uint8_t)chance_bits(8),
        .hits = (uint8_t)chance_bits(8),
    };
}

// Who stands still and aims still leaves bullets that differ in little: now and then one field.
static void chance_similar_bullet(raim_wire_bullet *bullet)
{
    switch (chance_int(0, 15)) {
    case 0:
        bullet->born_tick = frame.tick - chance_magnitude(12);
        break;
    case 1:
        bullet->aim ^= 1;
        break;
    case 2:
        bullet->owner = (uint16_t)chance_int(0, (int)limits.players - 1);
        break;
    case 3:
        bullet->x ^= 1;
        break;
    case 4:
        bullet->y ^= 1;
        break;
    default:
        break;
    }
}

// One in 2^rarity places is taken.
static void chance_frame(struct raim_wire_frame *made, uint32_t tick, uint32_t rarity)
{
    made->tick = tick;
    made->self = chance_self();
    for (uint32_t place = 0; place < limits.players; place++) {
        made->players[place] = chance_player();
        if (chance_bits(rarity) == 0)
            raim_set_add(made->seen_players, place);
    }
    for (uint32_t place = 0; place < limits.bullets; place++) {
        made->bullets[place] = chance_bullet(tick);
        if (chance_bits(rarity) == 0)
            raim_set_add(made->seen_bullets, place);
    }
}

// Turns a random frame into a successor of the baseline: most places go on from there.
static void chance_succession(uint32_t age)
{
    for (uint32_t place = 0; place < limits.players; place++) {
        if (!raim_set_has(baseline.seen_players, place) || chance_int(0, 5) == 0)
            continue;
        raim_set_add(frame.seen_players, place);
        frame.players[place] = baseline.players[place];
        if (chance_int(0, 3) != 0)
            frame.players[place] = chance_change(frame.players[place]);
    }
    for (uint32_t place = 0; place < limits.bullets; place++) {
        // Others are gone, or their place holds another bullet.
        if (!raim_set_has(baseline.seen_bullets, place) || chance_int(0, 2) == 0)
            continue;
        raim_set_add(frame.seen_bullets, place);
        frame.bullets[place] = baseline.bullets[place];
        if (frame.tick - baseline.bullets[place].born_tick <= RAIM_WIRE_MAX_AGE)
            chance_similar_bullet(&frame.bullets[place]);
    }
    if (chance_bool()) {
        const uint16_t timer = baseline.self.timer;
        frame.self = baseline.self;
        frame.self.timer = timer > age ? (uint16_t)(timer - age) : 0;
    }
}

static struct raim_snapshot_header chance_case(void)
{
    const int size = chance_int(0, 99);
    const int most = size == 0 ? 1024 : size < 20 ? 130 : 12;
    make_frames((uint32_t)chance_int(1, most), (uint32_t)chance_int(1, most == 1024 ? 8192 : most));
    struct raim_snapshot_header header = {
        .tick = chance_magnitude(32), // so that some ticks of before the wrap are among them
        .baseline_age = chance_int(0, 3) == 0 ? 0 : (uint32_t)chance_int(1, 63),
        .margin = chance_int(-RAIM_MAX_MARGIN, RAIM_MAX_MARGIN),
    };
    const uint32_t rarity = (uint32_t)chance_int(0, 4);
    chance_frame(&frame, header.tick, rarity);
    if (header.baseline_age != 0) {
        chance_frame(&baseline, header.tick - header.baseline_age, rarity);
        chance_succession(header.baseline_age);
    }
    return header;
}

static const struct raim_wire_frame *baseline_of(const struct raim_snapshot_header *header)
{
    return header->baseline_age != 0 ? &baseline : NULL;
}

// --- Reading as a client does, with one baseline to look up ---

static bool read_snapshot(const uint8_t *message, size_t size, struct raim_snapshot_header *header,
                          struct raim_wire_frame *into)
{
    raim_reader reader = raim_reader_make(message, size);
    if (raim_message_read(&reader) != RAIM_MESSAGE_SNAPSHOT ||
        !raim_snapshot_read_header(&reader, header))
        return false;
    assert_true(header->margin >= -RAIM_MAX_MARGIN && header->margin <= RAIM_MAX_MARGIN);
    if (header->baseline_age != 0 && header->tick - header->baseline_age != baseline.tick)
        return false;
    return raim_snapshot_read(&reader, header, &limits, baseline_of(header), into);
}

static void assert_set_inside(const uint64_t *set, uint32_t places)
{
    if (places % 64 != 0)
        assert_int_equal(set[places / 64] >> places % 64, 0);
}

static bool accepts_snapshot(const uint8_t *message, size_t size)
{
    struct raim_snapshot_header header, header_again;
    const bool accepted = read_snapshot(message, size, &header, &told);
    assert_set_inside(told.seen_players, limits.players);
    assert_set_inside(told.seen_bullets, limits.bullets);
    if (!accepted)
        return false;
    const size_t length = raim_snapshot_write(&header, &limits, baseline_of(&header), &told,
                                              rewritten, sizeof rewritten);
    assert_true(length > 0 && length <= size);
    assert_true(read_snapshot(rewritten, length, &header_again, &again));
    assert_int_equal(header_again.tick, header.tick);
    assert_int_equal(header_again.baseline_age, header.baseline_age);
    assert_int_equal(header_again.margin, header.margin);
    assert_same_frame(&told, &again);
    return true;
}

static void test_delta_of_anything_decodes_to_exactly_the_frame(void **state)
{
    (void)state;
    for (int i = 0; i < ROUNDS; i++) {
        const struct raim_snapshot_header header = chance_case();
        struct raim_snapshot_header header_told;
        const size_t size = raim_snapshot_write(&header, &limits, baseline_of(&header), &frame,
                                                bytes, sizeof bytes);
        assert_true(size > 0);
        assert_true(read_snapshot(bytes, size, &header_told, &told));
        assert_int_equal(header_told.tick, header.tick);
        assert_int_equal(header_told.baseline_age, header.baseline_age);
        assert_int_equal(header_told.margin, header.margin);
        assert_same_frame(&frame, &told);
        for (int j = 0; j < 4 && size <= RAIM_MAX_MESSAGE_BYTES; j++)
            hostile_attack(accepts_snapshot, bytes, size);
        free_frames();
    }
}

// --- Sizes ---

static uint32_t count_bits(uint32_t value)
{
    uint32_t bits = 1;
    for (; value != 0; value >>= 3)
        bits += 4;
    return bits;
}

// Kind, tick, baseline, margin, self and the ends of both lists.
static uint32_t fixed_bits(uint32_t age)
{
    uint32_t bits = 4 + 32 + 6 + 6 + 2;
    if (age != 0) {
        bits += 1;
        const raim_wire_self *from = &baseline.self, *to = &frame.self;
        const uint32_t timer = from->timer > age ? from->timer - age : 0;
        if (from->alive == to->alive && timer == to->timer && from->shots == to->shots &&
            from->hits == to->hits)
            return bits;
    }
    return bits + 1 + count_bits(frame.self.timer) + 8 + 8;
}

static void test_bits_of_the_parts_are_those_of_the_whole(void **state)
{
    (void)state;
    for (int i = 0; i < ROUNDS; i++) {
        const struct raim_snapshot_header header = chance_case();
        const struct raim_wire_frame *from = baseline_of(&header);
        size_t bits = fixed_bits(header.baseline_age);
        assert_true(bits <= RAIM_SNAPSHOT_FIXED_BITS);
        for (uint32_t place = 0; place < limits.players; place++)
            if (raim_set_has(frame.seen_players, place) ||
                (from != NULL && raim_set_has(from->seen_players, place)))
                bits += raim_snapshot_player_bits(&limits, from, &frame, place);
        for (uint32_t place = 0; place < limits.bullets; place++)
            if (raim_set_has(frame.seen_bullets, place) ||
                (from != NULL && raim_set_has(from->seen_bullets, place)))
                bits += raim_snapshot_bullet_bits(&limits, from, &frame, place);
        const size_t size =
            raim_snapshot_write(&header, &limits, from, &frame, bytes, sizeof bytes);
        assert_int_equal(size, (bits + 7) / 8);

        // What fits exactly is written, and one byte less is too little, and stays untouched.
        uint8_t *block = malloc(size);
        assert_non_null(block);
        assert_int_equal(raim_snapshot_write(&header, &limits, from, &frame, block, size), size);
        assert_memory_equal(block, bytes, size);
        const size_t less = (size_t)chance_int(0, (int)size - 1);
        uint8_t *small = malloc(less + (less == 0));
        assert_non_null(small);
        assert_int_equal(raim_snapshot_write(&header, &limits, from, &frame, small, less), 0);
        free(small);
        free(block);
        free_frames();
    }
}

static void test_the_fixed_part_reaches_its_bound(void **state)
{
    (void)state;
    make_frames(1, 1);
    baseline.tick = 99;
    frame.tick = 100;
    frame.self.timer = RAIM_WIRE_MAX_TIMER;
    assert_int_equal(fixed_bits(1), RAIM_SNAPSHOT_FIXED_BITS);
    const struct raim_snapshot_header header = {.tick = 100, .baseline_age = 1};
    assert_int_equal(raim_snapshot_write(&header, &limits, &baseline, &frame, bytes, sizeof bytes),
                     (RAIM_SNAPSHOT_FIXED_BITS + 7) / 8);
    free_frames();
}

static uint32_t bits_of_change(raim_wire_player from, raim_wire_player to)
{
    make_frames(1, 1);
    raim_set_add(baseline.seen_players, 0);
    raim_set_add(frame.seen_players, 0);
    baseline.players[0] = from;
    frame.players[0] = to;
    const uint32_t bits = raim_snapshot_player_bits(&limits, &baseline, &frame, 0);
    free_frames();
    return bits;
}

static void test_small_changes_take_few_bits(void **state)
{
    (void)state;
    const raim_wire_player still = {.x = 100, .y = 100, .aim = 10};
    assert_int_equal(bits_of_change(still, still), 1);
    enum { NONE = 2 + 5 }; // there, moved, and no field
    const struct {
        int32_t x, y, aim;
        uint32_t bits;
    } rows[] = {
        {-256, 0, 0, NONE + 1 + 9},  {255, 0, 0, NONE + 1 + 9},    {-257, 0, 0, NONE + 2 + 12},
        {256, 0, 0, NONE + 2 + 12},  {0, 2047, 0, NONE + 2 + 12},  {0, -2048, 0, NONE + 2 + 12},
        {0, 2048, 0, NONE + 2 + 20}, {0, -2049, 0, NONE + 2 + 20}, {0, 0, 31, NONE + 1 + 6},
        {0, 0, -32, NONE + 1 + 6},   {0, 0, 32, NONE + 2 + 9},     {0, 0, -256, NONE + 2 + 9},
        {0, 0, 2048, NONE + 2 + 12},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const raim_wire_player moved = {
            .x = still.x + rows[i].x,
            .y = still.y + rows[i].y,
            .aim = (still.aim + rows[i].aim) & 0xFFF, // the short way, across 0
        };
        assert_int_equal(bits_of_change(still, moved), rows[i].bits);
    }
}

// --- What no server sends ---

// A whole snapshot of tick 100 up to its players.
static raim_writer begin_snapshot(uint32_t timer)
{
    raim_writer writer = raim_message_write(RAIM_MESSAGE_SNAPSHOT, bytes, sizeof bytes);
    raim_write_bits(&writer, 100, 32); // tick
    raim_write_bits(&writer, 0, 6);    // baseline
    raim_write_bits(&writer, 0, 6);    // margin
    raim_write_bits(&writer, 0, 1);    // self: alive
    raim_write_count(&writer, timer);
    raim_write_bits(&writer, 0, 16); // shots, hits
    return writer;
}

static bool accepts_players(uint32_t first, uint32_t second)
{
    raim_writer writer = begin_snapshot(0);
    const uint32_t places[] = {first, second};
    for (int i = 0; i < 2; i++) {
        raim_write_bool(&writer, true);
        raim_write_ranged(&writer, places[i], 0, 7);
        raim_write_bits(&writer, 0, 28);
        raim_write_bits(&writer, 0, 28);
    }
    raim_write_bits(&writer, 0, 2);
    return hostile_read(accepts_snapshot, bytes, raim_writer_finish(&writer));
}

static void test_places_ascend_below_the_limit(void **state)
{
    (void)state;
    make_frames(6, 1);
    assert_true(accepts_players(0, 1));
    assert_true(accepts_players(4, 5));
    assert_false(accepts_players(1, 1));
    assert_false(accepts_players(1, 0));
    assert_false(accepts_players(0, 6));
    assert_false(accepts_players(7, 1));
    free_frames();
}

static void test_a_place_of_the_baseline_is_not_new(void **state)
{
    (void)state;
    make_frames(4, 4);
    baseline.tick = 99;
    raim_set_add(baseline.seen_players, 2);
    for (uint32_t place = 0; place < 4; place++) {
        raim_writer writer = raim_message_write(RAIM_MESSAGE_SNAPSHOT, bytes, sizeof bytes);
        raim_write_bits(&writer, 100, 32);
        raim_write_bits(&writer, 1, 6);  // baseline
        raim_write_bits(&writer, 0, 6);  // margin
        raim_write_bool(&writer, true);  // self as predicted
        raim_write_bool(&writer, false); // place 2 unchanged
        raim_write_bool(&writer, true);
        raim_write_bits(&writer, place, 2);
        raim_write_bits(&writer, 0, 28);
        raim_write_bits(&writer, 0, 28);
        raim_write_bits(&writer, 0, 2);
        const size_t size = raim_writer_finish(&writer);
        assert_int_equal(hostile_read(accepts_snapshot, bytes, size), place != 2);
    }
    free_frames();
}

static void test_a_step_beyond_the_grid_is_refused(void **state)
{
    (void)state;
    make_frames(1, 1);
    baseline.tick = 99;
    raim_set_add(baseline.seen_players, 0);
    for (int32_t step = -3; step <= 3; step++) {
        baseline.players[0].x = (1 << 19) - 2;
        raim_writer writer = raim_message_write(RAIM_MESSAGE_SNAPSHOT, bytes, sizeof bytes);
        raim_write_bits(&writer, 100, 32);
        raim_write_bits(&writer, 1, 6); // baseline
        raim_write_bits(&writer, 0, 6); // margin
        raim_write_bool(&writer, true); // self as predicted
        raim_write_bits(&writer, 3, 2); // changed, stays
        raim_write_bits(&writer, 3, 2); // x: changed, small
        raim_write_signed(&writer, step, 9);
        raim_write_bits(&writer, 0, 6);
        const size_t size = raim_writer_finish(&writer);
        assert_int_equal(hostile_read(accepts_snapshot, bytes, size), step <= 1);
    }
    free_frames();
}

static bool accepts_bullet(uint32_t place, uint32_t age, uint32_t owner)
{
    raim_writer writer = begin_snapshot(0);
    raim_write_bool(&writer, false); // no player
    raim_write_bool(&writer, true);
    raim_write_bits(&writer, place, 3);
    raim_write_bits(&writer, 0, 20);
    raim_write_bits(&writer, 0, 20);
    raim_write_count(&writer, age);
    raim_write_bits(&writer, 0, 16);
    raim_write_bits(&writer, owner, 2);
    raim_write_bool(&writer, false);
    return hostile_read(accepts_snapshot, bytes, raim_writer_finish(&writer));
}

static void test_bullets_have_a_place_an_owner_and_an_age(void **state)
{
    (void)state;
    make_frames(3, 6);
    assert_true(accepts_bullet(5, RAIM_WIRE_MAX_AGE, 2));
    assert_false(accepts_bullet(6, 0, 0));
    assert_false(accepts_bullet(0, RAIM_WIRE_MAX_AGE + 1, 0));
    assert_false(accepts_bullet(0, 0, 3));
    free_frames();
}

static void test_a_timer_has_16_bits(void **state)
{
    (void)state;
    make_frames(1, 1);
    for (uint32_t timer = RAIM_WIRE_MAX_TIMER; timer <= RAIM_WIRE_MAX_TIMER + 1; timer++) {
        raim_writer writer = begin_snapshot(timer);
        raim_write_bits(&writer, 0, 2); // neither players nor bullets
        const size_t size = raim_writer_finish(&writer);
        assert_int_equal(hostile_read(accepts_snapshot, bytes, size), timer <= RAIM_WIRE_MAX_TIMER);
    }
    free_frames();
}

int main(int argc, char **argv)
{
    chance_start(argc, argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_delta_of_anything_decodes_to_exactly_the_frame),
        cmocka_unit_test(test_bits_of_the_parts_are_those_of_the_whole),
        cmocka_unit_test(test_the_fixed_part_reaches_its_bound),
        cmocka_unit_test(test_small_changes_take_few_bits),
        cmocka_unit_test(test_places_ascend_below_the_limit),
        cmocka_unit_test(test_a_place_of_the_baseline_is_not_new),
        cmocka_unit_test(test_a_step_beyond_the_grid_is_refused),
        cmocka_unit_test(test_a_timer_has_16_bits),
        cmocka_unit_test(test_bullets_have_a_place_an_owner_and_an_age),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
