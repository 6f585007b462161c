// SPDX-License-Identifier: MIT
// What is to be seen of a moment: the view, and what walls hide of it, where they hide.
#include "arena_fixture.h"
#include "effects.h"
#include "picture.h"
#include "test.h"

// The own player at the origin, a wall beside it, somebody and a bullet behind the wall, and
// somebody and a bullet above, in the open, where one is just inside of the view and one is not.
static void fill(struct picture *picture, const struct raim_map *map, bool sight)
{
    *picture = (struct picture){
        .map = map,
        .view = {1600, 861},
        .sight = sight,
        .player_radius = 20,
        .bullet_radius = 4,
        .player_count = 4,
        .players = {{.id = 1, .own = true},
                    {.id = 2, .position = {300, 0}},
                    {.id = 3, .position = {0, 430}},
                    {.id = 4, .position = {0, 452}}},
        .bullet_count = 2,
        .bullets = {{.owner = 2, .position = {250, 10}}, {.owner = 3, .position = {0, 100}}},
    };
}

static void assert_left(const struct picture *picture, const raim_player_id *players,
                        uint32_t count, uint32_t bullets)
{
    assert_int_equal(picture->player_count, count);
    for (uint32_t i = 0; i < count; i++)
        assert_int_equal(picture->players[i].id, players[i]);
    assert_int_equal(picture->bullet_count, bullets);
}

TEST(walls_hide_only_where_the_arena_has_sight)
{
    static struct picture picture;
    const raim_box wall = {{100, -200}, {150, 200}};
    struct raim_map *map = fixture_map(&wall, 1);
    fill(&picture, map, true);
    picture_hide_unseen(&picture);
    assert_left(&picture, (raim_player_id[]){1, 3}, 2, 1);
    fill(&picture, map, false);
    picture_hide_unseen(&picture);
    assert_left(&picture, (raim_player_id[]){1, 2, 3}, 3, 2);
    raim_map_destroy(map);
}

TEST(between_two_moments_all_move_but_over_a_spawn)
{
    static struct picture before, after, between;
    before = (struct picture){
        .moment_s = 1,
        .player_count = 4,
        .players = {{.id = 1024, .life = 1, .own = true, .position = {10, 20}, .aim = 65436},
                    {.id = 1025, .life = 7, .position = {0, 0}},
                    {.id = 1026, .life = 2, .position = {50, 50}},
                    {.id = 1028, .life = 1, .position = {8, 8}}},
        .bullet_count = 1,
        .bullets = {{.owner = 1024, .position = {100, 0}, .velocity = {900, -60}}},
    };
    after = (struct picture){
        .moment_s = 1.5,
        .player_count = 4,
        .players = {{.id = 1024, .life = 1, .own = true, .position = {14, 24}, .aim = 100},
                    {.id = 1025, .life = 8, .position = {400, 0}},
                    {.id = 1027, .life = 2, .position = {90, 90}},
                    {.id = 1028, .life = 1, .position = {12, 0}}},
    };
    picture_between(&before, &after, 0.25, &between);
    assert_float_equal(between.moment_s, 1.125, 1e-9);
    assert_int_equal(between.player_count, 4);
    assert_float_equal(between.players[0].position.x, 11, 1e-9);
    assert_float_equal(between.players[0].position.y, 21, 1e-9);
    assert_int_equal(between.players[0].aim, 65486); // by the shorter way, through 0
    assert_float_equal(between.eye.x, 11, 1e-9);
    assert_float_equal(between.players[1].position.x, 0, 0);  // spawned in between
    assert_float_equal(between.players[2].position.x, 50, 0); // gone in between
    assert_float_equal(between.players[3].position.y, 6, 1e-9);
    assert_float_equal(between.bullets[0].position.x, 212.5, 1e-9);
    assert_float_equal(between.bullets[0].position.y, -7.5, 1e-9);
}

// --- Effects ---

// Tests of effects derived from two frames: shots, bullet ends, deaths and spawns, each once.

enum { ONE = RAIM_MAX_PLAYERS, TWO };

static const double frame_s = 1.0 / 60;

static struct {
    struct picture before, after;
    struct effects effects;
} stage;

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

static void set_up(void)
{
    memset(&stage, 0, sizeof stage);
    stage.before.now_s = 5;
    stage.before.view = (raim_vec2){1600, 861};
    stage.before.player_radius = 20;
    add_player(&stage.before, ONE, 0);
    add_player(&stage.before, TWO, 300);
    stage.after = stage.before;
    stage.after.now_s = 5 + frame_s;
    stage.after.moment_s = frame_s;
}

TEST_EACH(set_up, NULL)

static void compare(void)
{
    effects_compare(&stage.effects, &stage.before, &stage.after);
}

static void assert_no_effect(void)
{
    compare();
    assert_int_equal(stage.effects.count, 0);
}

static void assert_only(enum effect_kind kind, unsigned player)
{
    assert_int_equal(stage.effects.count, 1);
    assert_int_equal(stage.effects.items[0].kind, kind);
    assert_int_equal(stage.effects.items[0].player, player);
}

TEST(nothing_comes_of_nothing)
{
    add_bullet(&stage.before, ONE, 100);
    add_bullet(&stage.after, ONE, 115);
    assert_no_effect();
}

TEST(a_new_bullet_at_its_owner_is_a_shot)
{
    add_bullet(&stage.before, ONE, 245);
    add_bullet(&stage.after, ONE, 20);
    add_bullet(&stage.after, ONE, 260);
    compare();
    assert_only(EFFECT_MUZZLE, ONE);
}

TEST(a_new_bullet_far_from_its_owner_came_into_sight)
{
    add_bullet(&stage.after, ONE, 400);
    assert_no_effect();
}

TEST(a_bullet_that_is_gone_has_ended)
{
    add_bullet(&stage.before, ONE, 100);
    add_bullet(&stage.before, TWO, 500);
    add_bullet(&stage.after, TWO, 515);
    compare();
    assert_only(EFFECT_SPARK, ONE);
    assert_true(fabs(stage.effects.items[0].position.x - 107.5) < 1e-6);
}

TEST(a_frame_that_came_late_ends_no_bullet)
{
    add_bullet(&stage.before, ONE, 100);
    add_bullet(&stage.after, ONE, 280);
    stage.after.now_s = 5.1;    // so much late
    stage.after.moment_s = 0.2; // and the game has caught up with more
    assert_no_effect();
}

TEST(a_bullet_that_leaves_the_view_has_not_ended)
{
    add_bullet(&stage.before, ONE, 790);
    assert_no_effect();
}

// A bullet of TWO flies over the line y = 0, and the local player stands `away` from that.
static void fly_past(double away, double from, double to)
{
    for (int i = 0; i < 2; i++) {
        struct picture *picture = i == 0 ? &stage.before : &stage.after;
        picture->players[0].own = true;
        picture->players[0].position.y = away;
        add_bullet(picture, TWO, i == 0 ? from : to);
    }
    compare();
}

TEST(a_bullet_that_passes_closely_has_just_missed)
{
    fly_past(60, -10, 5);
    assert_only(EFFECT_NEAR, TWO);
    assert_true(fabs(stage.effects.items[0].position.x) < 1e-6);
}

TEST(a_bullet_that_passes_far_away_has_not)
{
    fly_past(70, -10, 5);
    assert_int_equal(stage.effects.count, 0);
}

TEST(a_bullet_misses_once)
{
    fly_past(60, -30, -15); // it still comes
    fly_past(60, 5, 20);    // it has gone
    assert_int_equal(stage.effects.count, 0);
}

TEST(an_own_bullet_does_not_miss)
{
    stage.before.players[0].own = stage.after.players[0].own = true;
    add_bullet(&stage.before, ONE, -10);
    add_bullet(&stage.after, ONE, 5);
    assert_no_effect();
}

TEST(a_shot_came_from_where_the_shooter_is_shown_or_from_where_its_bullet_flew)
{
    raim_vec2 from = {0, 0};
    assert_true(picture_find_shooter(&stage.before, TWO, &from));
    assert_true(from.x == 300 && from.y == 0);
    assert_false(picture_find_shooter(&stage.before, TWO + 1, &from)); // out of sight
    add_bullet(&stage.before, TWO + 1, -500);
    add_bullet(&stage.before, TWO + 1, -50);
    assert_true(picture_find_shooter(&stage.before, TWO + 1, &from));
    assert_true(fabs(from.x + 50 + 180) < 1e-6);
}

TEST(who_is_out_of_sight_does_not_burst)
{
    stage.after.player_count = 1;
    assert_no_effect();
}

TEST(who_was_destroyed_bursts_once_where_it_was)
{
    effects_add_kill(&stage.effects, TWO, 5);
    assert_no_effect(); // still shown
    stage.before = stage.after;
    stage.after.now_s = 5 + 2 * frame_s;
    stage.after.moment_s = 2 * frame_s;
    stage.after.player_count = 1;
    compare();
    assert_only(EFFECT_BURST, TWO);
    assert_true(stage.effects.items[0].position.x == 300);
    compare();
    assert_int_equal(stage.effects.count, 1);
}

TEST(who_was_destroyed_out_of_sight_does_not_burst)
{
    effects_add_kill(&stage.effects, TWO + 1, 5);
    assert_no_effect();
}

TEST(another_life_under_a_shield_has_respawned)
{
    stage.after.players[1].life = 1;
    stage.after.players[1].shielded = true;
    compare();
    assert_only(EFFECT_SPAWN, TWO);
}

TEST(pictures_far_apart_are_not_compared)
{
    add_bullet(&stage.before, ONE, 100);
    stage.after.now_s = 7;
    assert_no_effect();
}

TEST(an_effect_comes_and_goes)
{
    const struct effect effect = {.kind = EFFECT_BURST, .born_s = 3};
    assert_true(effects_progress(&effect, 2.9) < 0);
    assert_true(effects_progress(&effect, 3) == 0);
    assert_true(effects_progress(&effect, 3.1) > 0);
    assert_true(effects_progress(&effect, 4) >= 1);
}
