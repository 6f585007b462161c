// SPDX-License-Identifier: MIT
// Tests of effects derived from two frames: shots, bullet ends, deaths and spawns, each once.
#include "effects.h"

#include "picture.h"
#include "test.h"

enum { ONE = RAIM_MAX_PLAYERS, TWO };

static const double frame_s = 1.0 / 60;

struct stage {
    struct picture before, after;
    struct effects effects;
};

static void add_player(struct picture *picture, raim_player_id id, double x)
{
    picture->players[picture->player_count++] =
        (struct picture_player){.id = id, .position = {x, 0}};
}

static void add_bullet(struct picture *picture, raim_player_id owner, double x)
{
    picture->bullets[picture->bullet_count++] =
        (struct picture_bullet){.owner = owner, .position = {x, 0}, .velocity = {900, 0}};
}

static int set_up(void **state)
{
    struct stage *stage = calloc(1, sizeof *stage);
    if (stage == NULL)
        return -1;
    stage->before.now_s = 5;
    stage->before.view = (raim_vec2){1600, 861};
    stage->before.player_radius = 20;
    add_player(&stage->before, ONE, 0);
    add_player(&stage->before, TWO, 300);
    stage->after = stage->before;
    stage->after.now_s = 5 + frame_s;
    stage->after.moment_s = frame_s;
    *state = stage;
    return 0;
}

static int tear_down(void **state)
{
    free(*state);
    return 0;
}

static void compare(struct stage *stage)
{
    effects_compare(&stage->effects, &stage->before, &stage->after);
}

static void assert_only(const struct stage *stage, enum effect_kind kind, unsigned player)
{
    assert_int_equal(stage->effects.count, 1);
    assert_int_equal(stage->effects.items[0].kind, kind);
    assert_int_equal(stage->effects.items[0].player, player);
}

TEST(nothing_comes_of_nothing, set_up, tear_down)
{
    struct stage *stage = *state;
    add_bullet(&stage->before, ONE, 100);
    add_bullet(&stage->after, ONE, 115);
    compare(stage);
    assert_int_equal(stage->effects.count, 0);
}

TEST(a_new_bullet_at_its_owner_is_a_shot, set_up, tear_down)
{
    struct stage *stage = *state;
    add_bullet(&stage->before, ONE, 245);
    add_bullet(&stage->after, ONE, 20);
    add_bullet(&stage->after, ONE, 260);
    compare(stage);
    assert_only(stage, EFFECT_MUZZLE, ONE);
}

TEST(a_new_bullet_far_from_its_owner_came_into_sight, set_up, tear_down)
{
    struct stage *stage = *state;
    add_bullet(&stage->after, ONE, 400);
    compare(stage);
    assert_int_equal(stage->effects.count, 0);
}

TEST(a_bullet_that_is_gone_has_ended, set_up, tear_down)
{
    struct stage *stage = *state;
    add_bullet(&stage->before, ONE, 100);
    add_bullet(&stage->before, TWO, 500);
    add_bullet(&stage->after, TWO, 515);
    compare(stage);
    assert_only(stage, EFFECT_SPARK, ONE);
    assert_true(fabs(stage->effects.items[0].position.x - 107.5) < 1e-6);
}

TEST(a_frame_that_came_late_ends_no_bullet, set_up, tear_down)
{
    struct stage *stage = *state;
    add_bullet(&stage->before, ONE, 100);
    add_bullet(&stage->after, ONE, 280);
    stage->after.now_s = 5.1;    // so much late
    stage->after.moment_s = 0.2; // and the game has caught up with more
    compare(stage);
    assert_int_equal(stage->effects.count, 0);
}

TEST(a_bullet_that_leaves_the_view_has_not_ended, set_up, tear_down)
{
    struct stage *stage = *state;
    add_bullet(&stage->before, ONE, 790);
    compare(stage);
    assert_int_equal(stage->effects.count, 0);
}

TEST(who_is_out_of_sight_does_not_burst, set_up, tear_down)
{
    struct stage *stage = *state;
    stage->after.player_count = 1;
    compare(stage);
    assert_int_equal(stage->effects.count, 0);
}

TEST(who_was_destroyed_bursts_once_where_it_was, set_up, tear_down)
{
    struct stage *stage = *state;
    effects_add_kill(&stage->effects, TWO, 5);
    compare(stage); // still shown
    assert_int_equal(stage->effects.count, 0);
    stage->before = stage->after;
    stage->after.now_s = 5 + 2 * frame_s;
    stage->after.moment_s = 2 * frame_s;
    stage->after.player_count = 1;
    compare(stage);
    assert_only(stage, EFFECT_BURST, TWO);
    assert_true(stage->effects.items[0].position.x == 300);
    compare(stage);
    assert_int_equal(stage->effects.count, 1);
}

TEST(who_was_destroyed_out_of_sight_does_not_burst, set_up, tear_down)
{
    struct stage *stage = *state;
    effects_add_kill(&stage->effects, TWO + 1, 5);
    compare(stage);
    assert_int_equal(stage->effects.count, 0);
}

TEST(another_life_under_a_shield_has_respawned, set_up, tear_down)
{
    struct stage *stage = *state;
    stage->after.players[1].life = 1;
    stage->after.players[1].shielded = true;
    compare(stage);
    assert_only(stage, EFFECT_SPAWN, TWO);
}

TEST(pictures_far_apart_are_not_compared, set_up, tear_down)
{
    struct stage *stage = *state;
    add_bullet(&stage->before, ONE, 100);
    stage->after.now_s = 7;
    compare(stage);
    assert_int_equal(stage->effects.count, 0);
}

TEST(an_effect_comes_and_goes)
{
    const struct effect effect = {.kind = EFFECT_BURST, .born_s = 3};
    assert_true(effects_progress(&effect, 2.9) < 0);
    assert_true(effects_progress(&effect, 3) == 0);
    assert_true(effects_progress(&effect, 3.1) > 0);
    assert_true(effects_progress(&effect, 4) >= 1);
}
