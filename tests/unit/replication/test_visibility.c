// SPDX-License-Identifier: MIT
// Visibility queries on random maps, and when the visibility cache answers without a query.
#define _GNU_SOURCE
#include "map_fixture.h"
#include "visibility_cache.h"

enum { MAPS = 20, PAIRS = 400, HORIZON = 10, LATENCY = 6, LEAD = 4, TARGETS = 24 };

static const double radius = 20;
static const double stride = 5; // units of a player per tick

struct stage {
    struct raim_map *map;
    struct raim_visibility *visibility;
};

// Visibility of two players; takes the map.
static void set_up(struct stage *stage, struct raim_map *map)
{
    stage->map = map;
    const struct raim_visibility_def def = {
        .map = map,
        .view = {1600, 861},
        .slots = 1 + TARGETS,
        .player_radius = radius,
        .stride = stride,
        .longest_run = HORIZON,
    };
    stage->visibility = raim_visibility_create(&def);
    assert_non_null(stage->visibility);
}

static void tear_down(struct stage *stage)
{
    raim_visibility_destroy(stage->visibility);
    raim_map_destroy(stage->map);
}

static struct raim_view_target player_at(raim_vec2 centre)
{
    return (struct raim_view_target){.slot = 1, .centre = centre, .radius = radius};
}

// Calls `check` for random places of a viewer and a target on random maps.
static void for_pairs(void (*check)(struct stage *stage, const struct raim_viewpoint *viewpoint,
                                    const struct raim_view_target *target))
{
    for (int i = 0; i < MAPS; i++) {
        struct stage stage;
        set_up(&stage, chance_map(chance_int(3, 30), chance_between(50, 250)));
        for (uint32_t tick = 1; tick <= PAIRS; tick++) {
            raim_visibility_set_tick(stage.visibility, tick);
            const struct raim_viewpoint viewpoint = {
                .eye = chance_free(stage.map, radius),
                .moves = chance_int(0, 3) > 0,
            };
            const struct raim_view_target target = player_at(chance_free(stage.map, radius));
            check(&stage, &viewpoint, &target);
        }
        tear_down(&stage);
    }
}

static int witnesses, guesses, cheap, apart; // number of tested cases

static void check_witness(struct stage *stage, const struct raim_viewpoint *viewpoint,
                          const struct raim_view_target *target)
{
    const struct raim_horizon horizon = {HORIZON, 0, HORIZON};
    uint16_t blocker = 0;
    struct raim_cached_witness witness;
    if (!raim_visibility_can_see(stage->visibility, viewpoint, target, horizon, &blocker, &witness))
        return;
    witnesses++;
    assert_true(
        raim_visibility_can_see_between(stage->visibility, viewpoint, target, horizon, witness));
}

TEST(a_witness_answers_the_question_again)
{
    for_pairs(check_witness);
    assert_true(witnesses > 0);
}

static void check_guess(struct stage *stage, const struct raim_viewpoint *viewpoint,
                        const struct raim_view_target *target)
{
    const struct raim_horizon horizon = {HORIZON, 0, HORIZON};
    uint16_t blocker = 0;
    struct raim_cached_witness witness;
    if (!raim_visibility_guess(stage->visibility, viewpoint, target, horizon, chance_int(0, 2) - 1,
                               &witness))
        return;
    guesses++;
    assert_true(
        raim_visibility_can_see(stage->visibility, viewpoint, target, horizon, &blocker, &witness));
}

TEST(a_search_finds_whom_a_guess_finds)
{
    for_pairs(check_guess);
    assert_true(guesses > 0);
}

static void check_cheap(struct stage *stage, const struct raim_viewpoint *viewpoint,
                        const struct raim_view_target *target)
{
    const struct raim_visibility *visibility = stage->visibility;
    if (!raim_visibility_sees_circle(visibility, viewpoint->eye, target->centre, radius, false))
        return;
    cheap++;
    assert_true(raim_map_sees_circle(stage->map, viewpoint->eye, target->centre, radius));
    assert_true(
        raim_visibility_sees_circle(visibility, viewpoint->eye, target->centre, radius, true));
}

TEST(what_is_seen_cheaply_is_seen_exactly)
{
    for_pairs(check_cheap);
    assert_true(cheap > 0);
}

static void check_apart(struct stage *stage, const struct raim_viewpoint *viewpoint,
                        const struct raim_view_target *target)
{
    uint16_t blocker = 0;
    double side;
    const struct raim_horizon none = {0, 0, 0};
    const int ticks = raim_visibility_hidden_ticks(stage->visibility, viewpoint, target, none,
                                                   HORIZON, false, &blocker, &side);
    if (ticks < 0)
        return;
    apart++;
    assert_int_equal(raim_visibility_hidden_ticks(stage->visibility, viewpoint, target, none,
                                                  HORIZON, true, &blocker, &side),
                     ticks);
    const struct raim_horizon horizon = {(uint32_t)ticks, 0, (uint32_t)ticks};
    struct raim_cached_witness witness;
    assert_false(
        raim_visibility_can_see(stage->visibility, viewpoint, target, horizon, &blocker, &witness));
}

TEST(who_is_apart_never_peeks)
{
    for_pairs(check_apart);
    assert_true(apart > 0);
}

// --- the cache ---

static const raim_vec2 eye = {-300, 0}, in_sight = {-300, 300}, behind_the_wall = {300, 0};

static struct raim_visibility_cache_query query_from(const struct stage *stage, uint32_t tick,
                                                     raim_vec2 from)
{
    return (struct raim_visibility_cache_query){
        .visibility = stage->visibility,
        .tick = tick,
        .latency = LATENCY,
        .lead = LEAD,
        .hold = raim_visibility_cache_hold(60),
        .viewpoint = {.eye = from, .moves = true},
    };
}

// A map with walls, and a cache of its viewer; destroyed after the test.
static struct stage walled;
static struct raim_visibility_cache pairs;

static void close_walls(void *unused)
{
    (void)unused;
    raim_visibility_cache_destroy(&pairs);
    tear_down(&walled);
}

static void open_walls(const struct raim_obstacle_def *walls, int count)
{
    set_up(&walled, make_map(walls, count));
    assert_true(raim_visibility_cache_create(&pairs, 2, 4));
    test_at_end(close_walls, NULL);
}

static void open_wall(void)
{
    const struct raim_obstacle_def wall = block(-50, -400, 50, 400);
    open_walls(&wall, 1);
}

static bool may_see_within(uint32_t tick, uint32_t latency, raim_vec2 centre)
{
    raim_visibility_set_tick(walled.visibility, tick);
    struct raim_visibility_cache_query query = query_from(&walled, tick, eye);
    query.latency = latency;
    const struct raim_view_target target = player_at(centre);
    raim_visibility_cache_begin(&pairs, 0, latency);
    const bool visible = raim_visibility_cache_may_see(&pairs, &query, &target);
    raim_visibility_cache_end(&pairs);
    return visible;
}

static bool may_see(uint32_t tick, raim_vec2 centre)
{
    return may_see_within(tick, LATENCY, centre);
}

TEST(a_shorter_latency_does_not_hide_for_longer)
{
    open_wall();
    uint32_t tick = 1;
    const uint32_t longest = tick + RAIM_VISIBILITY_CACHE_REST;
    assert_false(may_see_within(tick++, 2 * LATENCY, behind_the_wall));
    // The answer holds for its rest, and no longer.
    while (tick <= longest)
        may_see_within(tick++, LATENCY, in_sight);
    assert_true(may_see_within(tick, LATENCY, in_sight));
}

TEST(a_longer_latency_does_not_bring_back_what_was_seen)
{
    open_wall();
    uint32_t tick = 1;
    assert_true(may_see_within(tick++, LATENCY - 3, in_sight));
    for (; tick <= 1 + LATENCY - 3; tick++)
        assert_true(may_see_within(tick, LATENCY, behind_the_wall));
    assert_false(may_see_within(tick, LATENCY, behind_the_wall));
}

TEST(who_was_seen_may_be_seen_for_a_latency_more)
{
    open_wall();
    uint32_t tick = 1;
    assert_true(may_see(tick, in_sight));
    for (; tick <= 1 + LATENCY; tick++)
        assert_true(may_see(tick, behind_the_wall));
    assert_false(may_see(tick, behind_the_wall));
}

TEST(who_is_far_behind_a_wall_stays_hidden_for_a_rest)
{
    open_wall();
    uint32_t tick = 1;
    assert_false(may_see(tick, behind_the_wall));
    for (; tick <= 1 + RAIM_VISIBILITY_CACHE_REST; tick++)
        assert_false(may_see(tick, in_sight));
    assert_true(may_see(tick, in_sight));
}

// Two walls hide the target together: one covers the left half of the way, one the right half.
TEST(who_comes_into_sight_after_a_search_is_seen_at_once)
{
    const struct raim_obstacle_def walls[] = {block(-50, -400, 50, 5), block(100, -5, 150, 400)};
    open_walls(walls, 2);
    const raim_vec2 hidden = {300, 0}, seen = {-150, 0};
    uint32_t tick = 1;
    for (; tick <= 3; tick++)
        assert_false(may_see(tick, hidden));
    assert_true(may_see(tick, seen));
}

TEST(whoever_is_forgotten_is_looked_at_anew)
{
    open_wall();
    assert_true(may_see(1, in_sight));
    raim_visibility_cache_forget_target(&pairs, 1);
    assert_false(may_see(2, behind_the_wall));
    raim_visibility_cache_forget_viewer(&pairs, 0);
    assert_true(may_see(3, in_sight));
}

// Targets come, go and are forgotten, and a cache for all of them answers as one for each does.
TEST(targets_of_a_viewer_do_not_mix)
{
    struct stage stage;
    struct raim_visibility_cache all, each[TARGETS];
    raim_vec2 centres[TARGETS];
    set_up(&stage, chance_map(20, 150));
    assert_true(raim_visibility_cache_create(&all, 1 + TARGETS, 2));
    for (int i = 0; i < TARGETS; i++) {
        assert_true(raim_visibility_cache_create(&each[i], 1 + TARGETS, 2));
        centres[i] = chance_free(stage.map, radius);
    }
    const raim_vec2 from = chance_free(stage.map, radius);
    for (uint32_t tick = 1; tick <= PAIRS; tick++) {
        raim_visibility_set_tick(stage.visibility, tick);
        const struct raim_visibility_cache_query query = query_from(&stage, tick, from);
        raim_visibility_cache_begin(&all, 1, LATENCY);
        for (int i = 0; i < TARGETS; i++) {
            struct raim_view_target target = player_at(centres[i]);
            target.slot = 1 + (uint32_t)i;
            raim_visibility_cache_begin(&each[i], 1, LATENCY);
            if (chance_int(0, 20) > 0)
                assert_int_equal(raim_visibility_cache_may_see(&all, &query, &target),
                                 raim_visibility_cache_may_see(&each[i], &query, &target));
            raim_visibility_cache_end(&each[i]);
            if (chance_int(0, 10) > 0)
                continue;
            centres[i] = chance_free(stage.map, radius);
            raim_visibility_cache_forget_target(&all, target.slot);
            raim_visibility_cache_forget_target(&each[i], target.slot);
        }
        raim_visibility_cache_end(&all);
    }
    raim_visibility_cache_destroy(&all);
    for (int i = 0; i < TARGETS; i++)
        raim_visibility_cache_destroy(&each[i]);
    tear_down(&stage);
}
