// SPDX-License-Identifier: MIT
// Frames: ways of players and the prediction rule, exact to the integer.
#include "frame_fixture.h"
#include "snapshot.h"

enum { ROUNDS = 20000 };

// The directions of the ways, from PROTOCOL.md.
static void displacement(const struct raim_wire_limits *limits, uint32_t direction, int32_t *dx,
                         int32_t *dy)
{
    const int32_t s = limits->stride, d = limits->diagonal;
    const int32_t table[RAIM_DIRECTIONS][2] = {
        {0, 0},  {s, 0},  {d, d}, {0, s}, {-d, d}, {-s, 0}, {-d, -d},
        {0, -s}, {d, -d}, {d, 0}, {0, d}, {-d, 0}, {0, -d},
    };
    *dx = table[direction][0];
    *dy = table[direction][1];
}

static uint32_t nearest_direction(const struct raim_wire_limits *limits, int32_t dx, int32_t dy)
{
    uint32_t nearest = 0;
    int64_t least = INT64_MAX;
    for (uint32_t direction = 0; direction < RAIM_DIRECTIONS; direction++) {
        int32_t x, y;
        displacement(limits, direction, &x, &y);
        const int64_t away = (int64_t)(dx - x) * (dx - x) + (int64_t)(dy - y) * (dy - y);
        if (away < least) {
            least = away;
            nearest = direction;
        }
    }
    return nearest;
}

// --- Ways ---

TEST(every_way_is_its_own_displacement)
{
    const struct raim_wire_limits limits = {.stride = 160, .diagonal = 113};
    for (uint32_t direction = 0; direction < RAIM_DIRECTIONS; direction++) {
        int32_t dx, dy;
        displacement(&limits, direction, &dx, &dy);
        assert_int_equal(raim_wire_direction(&limits, dx, dy), direction);
    }
}

TEST(of_equally_near_ways_the_lowest_counts)
{
    const struct raim_wire_limits even = {.stride = 160, .diagonal = 112};
    assert_int_equal(raim_wire_direction(&even, 56, 0), RAIM_DIRECTION_STAND);
    assert_int_equal(raim_wire_direction(&even, 57, 0), RAIM_DIRECTION_SLIDE);
    assert_int_equal(raim_wire_direction(&even, 136, 0), RAIM_DIRECTION_RUN);
    assert_int_equal(raim_wire_direction(&even, 135, 0), RAIM_DIRECTION_SLIDE);
    assert_int_equal(raim_wire_direction(&even, 0, -56), RAIM_DIRECTION_STAND);
    assert_int_equal(raim_wire_direction(&even, 112, 56),
                     RAIM_DIRECTION_RUN + 1); // diagonal or slide
    assert_int_equal(raim_wire_direction(&even, -56, -56),
                     RAIM_DIRECTION_STAND); // or slide, or diagonal
    const struct raim_wire_limits alike = {.stride = 1, .diagonal = 1};
    assert_int_equal(raim_wire_direction(&alike, 1, 0), RAIM_DIRECTION_RUN);
    assert_int_equal(raim_wire_direction(&alike, 0, -1), RAIM_DIRECTION_RUN + 6);
    assert_int_equal(raim_wire_direction(&alike, -9, 9), RAIM_DIRECTION_RUN + 3);
}

TEST(a_way_is_the_nearest_displacement)
{
    for (int i = 0; i < 20 * ROUNDS; i++) {
        const struct raim_wire_limits limits = chance_limits(1, 1);
        const uint32_t bits = (uint32_t)chance_int(2, 21);
        const int32_t dx = chance_signed(bits), dy = chance_signed(bits);
        if (raim_wire_direction(&limits, dx, dy) != nearest_direction(&limits, dx, dy))
            fail_msg("(%d, %d) with strides of %d and %d", dx, dy, limits.stride, limits.diagonal);
    }
}

// --- Prediction ---

TEST(who_goes_on_moves_by_its_way_and_keeps_the_rest)
{
    for (int i = 0; i < ROUNDS; i++) {
        const struct raim_wire_limits limits = chance_limits(1, 1);
        const raim_wire_player player = chance_player(&limits);
        const int32_t age = chance_int(0, RAIM_MAX_HISTORY - 1);
        int32_t dx, dy;
        displacement(&limits, (uint32_t)player.direction, &dx, &dy);
        raim_wire_player expected = player;
        expected.x += dx * age;
        expected.y += dy * age;
        const raim_wire_player later = raim_wire_predict_player(&limits, &player, (uint32_t)age);
        assert_true(frame_same_player(&later, &expected));
    }
}

TEST(prediction_does_not_depend_on_the_path)
{
    for (int i = 0; i < 5 * ROUNDS; i++) {
        struct raim_wire_limits limits = chance_limits(9, 1);
        raim_wire_player direct, steps = chance_player(&limits);
        raim_wire_self self, self_steps = chance_self(&limits);
        if (chance_bool()) { // anything else wraps
            limits.stride = chance_signed(32);
            limits.diagonal = chance_signed(32);
            steps.x = chance_signed(32);
            steps.y = chance_signed(32);
        }
        const uint32_t age = (uint32_t)chance_int(0, RAIM_MAX_HISTORY - 1);
        direct = raim_wire_predict_player(&limits, &steps, age);
        self = raim_wire_predict_self(&self_steps, age);
        for (uint32_t left = age, step; left > 0; left -= step) {
            step = (uint32_t)chance_int(1, (int)left);
            steps = raim_wire_predict_player(&limits, &steps, step);
            self_steps = raim_wire_predict_self(&self_steps, step);
        }
        assert_true(frame_same_player(&direct, &steps));
        assert_true(raim_wire_same_self(&self, &self_steps));
    }
}

TEST(a_timer_runs_down_to_zero)
{
    const raim_wire_self self = {.slot = 3, .alive = true, .timer = 7, .shots = 1, .margin = -2};
    for (uint32_t age = 0; age < 20; age++) {
        raim_wire_self expected = self;
        expected.timer = age < 7 ? (uint16_t)(7 - age) : 0;
        const raim_wire_self later = raim_wire_predict_self(&self, age);
        assert_true(raim_wire_same_self(&later, &expected));
    }
}

// --- Predicted frames ---

// The frame that a client predicts.
static void go_on(const struct raim_wire_limits *limits, const struct raim_wire_frame *from,
                  uint32_t age, struct raim_wire_frame *to)
{
    frame_copy(limits, to, from);
    to->tick = from->tick + age;
    to->self = raim_wire_predict_self(&from->self, age);
    FOR_EACH_SLOT (slot, from->seen_players, limits->players)
        to->players[slot] = raim_wire_predict_player(limits, &from->players[slot], age);
}

static void change_player(const struct raim_wire_limits *limits, raim_wire_player *player)
{
    int32_t *const fields[] = {&player->x,         &player->y,    &player->aim,
                               &player->direction, &player->life, &player->shield};
    const int field = chance_int(0, limits->has_health ? 6 : 5);
    if (field == 6)
        player->health = player->health % 255 + 1;
    else
        *fields[field] ^= 1;
    player->direction %= RAIM_DIRECTIONS;
}

static void change_self(const struct raim_wire_limits *limits, raim_wire_self *self)
{
    const raim_wire_self other = chance_self(limits);
    switch (chance_int(0, 6)) {
    case 0:
        self->slot = other.slot;
        break;
    case 1:
        self->steers = !self->steers;
        break;
    case 2:
        self->alive = !self->alive;
        break;
    case 3:
        self->timer = other.timer;
        break;
    case 4:
        self->shots ^= 1;
        break;
    case 5:
        self->hits ^= 128;
        break;
    default:
        self->margin = other.margin;
        break;
    }
}

// Changes at most one value of a frame, possibly one that is not sent.
static void change_something(const struct raim_wire_limits *limits, struct raim_wire_frame *frame)
{
    const uint32_t player = (uint32_t)chance_int(0, (int)limits->players - 1);
    const uint32_t bullet = (uint32_t)chance_int(0, (int)raim_wire_bullets(limits) - 1);
    switch (chance_int(0, 10)) {
    case 0:
        change_self(limits, &frame->self);
        break;
    case 1:
        frame->seen_players[player / 64] ^= (uint64_t)1 << player % 64;
        break;
    case 2:
        frame->seen_bullets[bullet / 64] ^= (uint64_t)1 << bullet % 64;
        break;
    case 3:
        frame->bullets[bullet].tick--; // another launch
        break;
    case 4:
        frame->bullets[bullet].now_x ^= 1;
        break;
    case 5:
        change_player(limits, &frame->players[player]);
        break;
    case 6:
        chance_other_launch(limits, &frame->bullets[bullet]);
        break;
    default:
        break;
    }
}

// Behind the header of a delta without changes everything is as predicted: a 1, then only zeros.
static bool tells_nothing(const struct raim_wire_limits *limits, const struct raim_wire_frame *from,
                          const struct raim_wire_frame *to)
{
    uint8_t bytes[4096];
    const size_t size = raim_snapshot_write(limits, from, to, bytes, sizeof bytes);
    assert_true(size > 0);
    raim_reader reader = raim_reader_make(bytes, size);
    struct raim_snapshot_header header;
    raim_message_read(&reader);
    assert_true(raim_snapshot_read_header(&reader, limits, to->tick, &header));
    bool nothing = raim_read_bool(&reader);
    while (reader.offset < size * 8)
        nothing = !raim_read_bool(&reader) && nothing;
    return nothing;
}

// Removes what is not sent to the receiver.
static void forget_own_aim(struct raim_wire_frame *frame)
{
    if (frame->self.steers)
        frame->players[frame->self.slot].aim = 0;
}

TEST(a_frame_is_predicted_just_when_a_delta_tells_nothing)
{
    int predicted = 0, aims = 0;
    for (int i = 0; i < ROUNDS; i++) {
        struct raim_wire_limits limits =
            chance_limits((uint32_t)chance_int(1, 12), (uint32_t)chance_int(1, 8));
        limits.stride = limits.diagonal = chance_int(1, 200);
        struct raim_wire_frame from = frame_make(&limits), to = frame_make(&limits);
        struct raim_wire_frame expected = frame_make(&limits);
        chance_frame(&limits, &from, chance_magnitude(32), 2);
        for (uint32_t slot = 0; slot < limits.players; slot++) { // far from the grid's ends
            from.players[slot].x /= 4;
            from.players[slot].y /= 4;
        }
        go_on(&limits, &from, (uint32_t)chance_int(1, (int)limits.history - 1), &to);
        change_something(&limits, &to);
        const bool is_predicted = raim_wire_is_predicted(&limits, &from, &to);
        assert_int_equal(is_predicted, tells_nothing(&limits, &from, &to));
        go_on(&limits, &from, to.tick - from.tick, &expected);
        forget_own_aim(&expected);
        forget_own_aim(&to);
        assert_int_equal(is_predicted, frame_difference(&limits, &expected, &to) == NULL);
        predicted += is_predicted;
        // Without the changes of aims nothing is left of a change of aims alone.
        const enum raim_wire_change change = raim_wire_compare(&limits, &from, &to);
        for (uint32_t slot = 0; slot < limits.players; slot++)
            to.players[slot].aim = from.players[slot].aim;
        assert_int_equal(raim_wire_is_predicted(&limits, &from, &to), change != RAIM_WIRE_CHANGED);
        aims += change == RAIM_WIRE_AIMS;
        frame_free(&from);
        frame_free(&to);
        frame_free(&expected);
    }
    assert_in_range(predicted, ROUNDS / 4, ROUNDS * 3 / 4);
    assert_true(aims > 0);
}

TEST(what_is_predicted_step_by_step_is_predicted_at_once)
{
    int chains = 0;
    for (int i = 0; i < ROUNDS; i++) {
        const struct raim_wire_limits limits = chance_limits(4, 2);
        struct raim_wire_frame first = frame_make(&limits), second = frame_make(&limits);
        struct raim_wire_frame third = frame_make(&limits);
        chance_frame(&limits, &first, chance_magnitude(32), 1);
        go_on(&limits, &first, (uint32_t)chance_int(0, 100), &second);
        change_something(&limits, &second);
        go_on(&limits, &second, (uint32_t)chance_int(0, 100), &third);
        change_something(&limits, &third);
        if (raim_wire_is_predicted(&limits, &first, &second) &&
            raim_wire_is_predicted(&limits, &second, &third)) {
            assert_true(raim_wire_is_predicted(&limits, &first, &third));
            chains++;
        }
        frame_free(&first);
        frame_free(&second);
        frame_free(&third);
    }
    assert_true(chains > ROUNDS / 8);
}

// --- Memory and history ---

TEST(a_frame_fills_its_memory_and_no_more)
{
    for (int i = 0; i < 1000; i++) {
        const struct raim_wire_limits limits =
            chance_limits((uint32_t)chance_int(1, 300), (uint32_t)chance_int(1, 20));
        const size_t size = raim_wire_frame_bytes(&limits);
        assert_int_equal(size % 8, 0);
        struct raim_wire_frame made = frame_make(&limits), laid, copy = frame_make(&limits);
        chance_frame(&limits, &made, 1, 1);
        void *memory = frame_zeroes(1, size);
        raim_wire_frame_init(&laid, &limits, memory);
        frame_copy(&limits, &laid, &made);
        frame_copy(&limits, &copy, &laid); // no two arrays overlap
        frame_assert_same(&limits, &copy, &made);
        frame_free(&made);
        frame_free(&copy);
        free(memory);
    }
}

TEST(history_is_a_second_in_a_power_of_two)
{
    const uint32_t rows[][2] = {{10, 16}, {16, 16},  {17, 32},   {32, 32},   {60, 64},
                                {64, 64}, {65, 128}, {128, 128}, {129, 256}, {240, 256}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        assert_int_equal(raim_wire_history(rows[i][0]), rows[i][1]);
}
