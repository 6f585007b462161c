// SPDX-License-Identifier: MIT
// Snapshot history: the world in the wire's integers.
#include "arena_fixture.h"
#include "history.h"
#include "test.h"

#include <math.h>

static struct arena_fixture *arena;
static struct raim_history history; // of its world

static void begin(uint32_t players)
{
    arena = fixture_create(NULL, players, NULL, 0);
    const struct raim_wire_limits limits = raim_wire_limits_of(arena->world);
    assert_true(raim_history_create(&history, &limits, limits.history));
}

static void end(void)
{
    raim_history_destroy(&history);
}

TEST_EACH(NULL, end)

static const struct raim_wire_frame *step(void)
{
    fixture_step(arena);
    raim_history_record(&history, arena->world);
    return raim_history_at(&history, arena->world->tick);
}

TEST(the_limits_are_the_worlds)
{
    begin(5);
    const struct raim_wire_limits *limits = &history.limits;
    const struct raim_world *world = arena->world;
    assert_int_equal(limits->players, 5);
    assert_int_equal(raim_wire_bullets(limits), world->max_bullets);
    assert_int_equal(limits->history, 64);
    assert_int_equal(limits->stride, 160);
    assert_int_equal(limits->diagonal, 113);
    assert_int_equal(limits->max_rewind, world->max_rewind);
}

TEST(a_position_is_told_exactly_and_its_way_by_what_was_run)
{
    static const int8_t moves[8][2] = {{1, 0},  {1, 1},   {0, 1},  {-1, 1},
                                       {-1, 0}, {-1, -1}, {0, -1}, {1, -1}};
    begin(1);
    const raim_player *player = fixture_put(arena, (raim_vec2){10, 20});
    raim_input *input = fixture_input(arena, player);
    const struct raim_wire_frame *frame = step();
    assert_int_equal(frame->players[0].direction, RAIM_DIRECTION_STAND);
    for (int i = 0; i < 8; i++) {
        const raim_wire_player before = frame->players[0];
        input->move_x = moves[i][0];
        input->move_y = moves[i][1];
        input->aim = (raim_angle)(i * 64 + 31);
        frame = step();
        const raim_wire_player *now = &frame->players[0];
        assert_true(now->x == player->position.x * 32 && now->y == player->position.y * 32);
        assert_int_equal(now->direction, RAIM_DIRECTION_RUN + i);
        assert_int_equal(now->aim, i);
        const raim_wire_player predicted = raim_wire_predict_player(&history.limits, &before, 0);
        assert_int_equal(predicted.x, before.x);
    }
}

TEST(who_falls_is_not_in_the_frame_but_its_place_is_remembered)
{
    begin(2);
    raim_player *player = fixture_put(arena, (raim_vec2){100, -200});
    step();
    player->state = RAIM_PLAYER_DOWN;
    player->deaths = 1;
    player->respawn_ticks = 100;
    const struct raim_wire_frame *frame = step();
    const uint32_t tick = arena->world->tick;
    assert_false(raim_set_has(frame->seen_players, 0));
    assert_true(frame->players[0].x == 3200 && frame->players[0].y == -6400);
    const struct raim_history_self *self = raim_history_self_at(&history, tick, 0);
    assert_true(self->has_spawned && !self->self.alive && self->self.steers);
    assert_int_equal(self->self.timer, 99);
    assert_int_equal(self->self.slot, 0);
    assert_false(raim_history_self_at(&history, tick, 1)->has_spawned);
    // The first frame of a life has way STAND, however far the spawn is from the position of death.
    player->respawn_ticks = 0;
    frame = step();
    assert_true(raim_set_has(frame->seen_players, 0));
    assert_int_equal(frame->players[0].direction, RAIM_DIRECTION_STAND);
}

TEST(a_bullet_is_where_it_seems_to_leave_from_now)
{
    begin(1);
    const raim_player *player = fixture_put(arena, (raim_vec2){0, 0});
    *fixture_input(arena, player) = (raim_input){.fire = 1, .aim = 5000};
    const struct raim_wire_frame *frame = step();
    for (int i = 0; i < 30; i++) {
        const struct raim_world *world = arena->world;
        const raim_bullet *bullet = &raim_world_bullets_const(world)[0];
        const raim_wire_bullet *wire = &frame->bullets[0];
        assert_true(raim_set_has(frame->seen_bullets, 0));
        assert_true(wire->x == 0 && wire->y == 0);
        assert_int_equal(wire->tick, bullet->born_tick);
        const raim_vec2 at =
            raim_bullet_position(&world->rules, bullet, world->tick, world->tick_hz);
        const raim_vec2 seems = raim_vec2_mad(raim_units(wire->now_x, wire->now_y),
                                              bullet->direction, world->rules.player_radius);
        assert_true(fabs(seems.x - at.x) <= 1.0 / 64 + 1e-9);
        assert_true(fabs(seems.y - at.y) <= 1.0 / 64 + 1e-9);
        frame = step();
    }
}

TEST(a_bullet_is_told_from_the_tick_that_its_shooter_saw)
{
    begin(1);
    const raim_player *player = fixture_put(arena, (raim_vec2){0, 0});
    for (int i = 0; i < 20; i++)
        step();
    *fixture_input(arena, player) = (raim_input){.move_x = 1, .fire = 1, .rewind = 7};
    const struct raim_wire_frame *frame = step();
    const raim_wire_bullet *wire = &frame->bullets[0];
    assert_true(raim_set_has(frame->seen_bullets, 0));
    assert_int_equal(wire->tick, 13);
    assert_int_equal(wire->rewind, 7);
    // Its origin is the shooter's position when it fired; it has flown for 8 ticks since.
    assert_int_equal(wire->x, frame->players[0].x);
    assert_int_equal(wire->now_x, wire->x + 8 * 15 * 32);
}

TEST(the_past_is_a_copy)
{
    begin(3);
    struct raim_history past;
    assert_true(raim_history_create(&past, &history.limits, 200));
    for (int i = 0; i < 150; i++) {
        for (int slot = 0; slot < 3; slot++)
            arena->inputs[slot] = (raim_input){.move_x = 1, .fire = 1};
        if (i == 0)
            for (int slot = 0; slot < 3; slot++)
                fixture_put(arena, (raim_vec2){0, 100.0 * slot});
        step();
        const uint32_t tick = arena->world->tick;
        raim_history_copy(&past, &history, tick);
    }
    const uint32_t now = arena->world->tick;
    for (uint32_t tick = now - 40; tick != now; tick++) {
        const struct raim_wire_frame *a = raim_history_at(&history, tick);
        const struct raim_wire_frame *b = raim_history_at(&past, tick);
        assert_memory_equal(a->players, b->players, 3 * sizeof a->players[0]);
        assert_memory_equal(a->seen_players, b->seen_players, 8);
        assert_memory_equal(a->seen_bullets, b->seen_bullets, 8);
        assert_memory_equal(raim_history_self_at(&history, tick, 0),
                            raim_history_self_at(&past, tick, 0),
                            3 * sizeof(struct raim_history_self));
    }
    assert_int_equal(raim_history_at(&past, now - 149)->tick, 1);
    raim_history_destroy(&past);
}
