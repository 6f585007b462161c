// SPDX-License-Identifier: MIT
// The fairness judge: reference cases of what runs can reveal, and a short match without
// violations.
#include "chance.h"
#include "fairness_match.h"
#include "judge.h"
#include "map_file.h"
#include "test.h"

static const double radius = 20;

// A map with box obstacles, and its judge for players who run 5 units per tick.
static struct judge judge_of(const raim_box *boxes, int count)
{
    static struct raim_obstacle_def obstacles[8];
    for (int i = 0; i < count; i++)
        obstacles[i] = (struct raim_obstacle_def){
            .points = {boxes[i].min,
                       {boxes[i].max.x, boxes[i].min.y},
                       boxes[i].max,
                       {boxes[i].min.x, boxes[i].max.y}},
            .count = 4,
        };
    const struct raim_map_def def = {.name = "judged",
                                     .border = {{-2000, -2000}, {2000, 2000}},
                                     .obstacles = obstacles,
                                     .obstacle_count = count};
    struct raim_map_problem problem;
    struct raim_map *map = raim_map_create(&def, &problem);
    assert_non_null(map);
    return (struct judge){
        .map = map, .view = {1600, 861}, .player_radius = radius, .stride = {160, 113}};
}

static void end(const struct judge *judge)
{
    raim_map_destroy((struct raim_map *)judge->map);
}

// Whether a viewer may receive a target when both run for up to so many ticks; 0: both stand.
static bool could_see(const struct judge *judge, raim_vec2 eye, int eye_ticks, raim_vec2 centre,
                      int centre_ticks)
{
    static struct judge_positions viewer, target;
    struct judge_witness witness;
    if (eye_ticks > 0)
        judge_run(judge, eye, eye_ticks, &viewer);
    else
        judge_stand(eye, &viewer);
    if (centre_ticks > 0)
        judge_run(judge, centre, centre_ticks, &target);
    else
        judge_stand(centre, &target);
    return judge_find_witness(judge, &viewer, &target, radius, &witness);
}

TEST(a_screen_ends_where_it_is_said_to)
{
    const struct judge judge = judge_of(NULL, 0);
    const raim_vec2 eye = {100, 100};
    assert_true(judge_is_on_screen(&judge, eye, (raim_vec2){919, 100}, radius));
    assert_false(judge_is_on_screen(&judge, eye, (raim_vec2){921, 100}, radius));
    assert_true(judge_is_on_screen(&judge, eye, (raim_vec2){100, -350}, radius));
    assert_false(judge_is_on_screen(&judge, eye, (raim_vec2){100, -351}, radius));
    // Only the corner of the box around the circle is within the screen.
    assert_false(judge_is_in_view(&judge, eye, (raim_vec2){915, 545}, radius));
    end(&judge);
}

TEST(who_is_beyond_the_screen_comes_into_it_by_running)
{
    const struct judge judge = judge_of(NULL, 0);
    const raim_vec2 eye = {0, 0};
    // 80 units from the edge: 8 ticks of both, 16 of one.
    assert_true(could_see(&judge, eye, 8, (raim_vec2){900, 0}, 8));
    assert_false(could_see(&judge, eye, 8, (raim_vec2){901, 0}, 8));
    assert_true(could_see(&judge, eye, 0, (raim_vec2){900, 0}, 16));
    assert_false(could_see(&judge, eye, 0, (raim_vec2){900, 0}, 15));
    end(&judge);
}

TEST(who_is_behind_a_wall_is_seen_once_a_run_rounds_it)
{
    const raim_box wall = {{-20, -200}, {20, 200}};
    const struct judge judge = judge_of(&wall, 1);
    const raim_vec2 eye = {-50, 0};
    assert_false(judge_is_on_screen(&judge, eye, (raim_vec2){50, 0}, radius));
    assert_false(could_see(&judge, eye, 16, (raim_vec2){50, 0}, 16));
    // From y = 180 they reach y = 260; from the middle of the wall they do not get past its ends.
    assert_true(could_see(&judge, (raim_vec2){-50, 180}, 16, (raim_vec2){50, 180}, 16));
    assert_false(could_see(&judge, (raim_vec2){-50, 180}, 1, (raim_vec2){50, 180}, 1));
    assert_false(could_see(&judge, (raim_vec2){-50, 180}, 0, (raim_vec2){50, 100}, 0));
    end(&judge);
}

TEST(a_run_that_turns_is_tried_too)
{
    // Out of a niche to the right, then up and around its roof, behind which the target stands.
    const raim_box boxes[] = {{{-400, -41}, {0, -21}}, {{-400, 21}, {0, 41}}};
    const struct judge judge = judge_of(boxes, 2);
    const raim_vec2 eye = {-30, 0}, centre = {-150, 110};
    static struct judge_positions slots;
    judge_run(&judge, eye, 16, &slots);
    for (int i = 0; i < slots.count; i++)
        assert_false(judge_is_on_screen(&judge, slots.points[i], centre, radius));
    assert_true(could_see(&judge, eye, 16, centre, 0));
    assert_false(could_see(&judge, eye, 8, centre, 0));
    end(&judge);
}

TEST(a_bullet_is_seen_where_it_flies_and_not_behind_what_stops_it)
{
    const raim_box boxes[] = {{{-20, -200}, {20, 200}}, {{300, 230}, {320, 260}}};
    const struct judge judge = judge_of(boxes, 2);
    const raim_rules rules = raim_rules_default();
    const struct raim_world world = {.rules = rules, .tick_hz = 60, .tick = 100};
    static struct judge_positions eye, flight;
    struct judge_witness witness;
    judge_stand((raim_vec2){-50, 0}, &eye);
    raim_bullet bullet = {.origin = {50, 0}, .direction = {0, 1}, .born_tick = 99, .owner = 1024};
    judge_fly(&judge, &world, &bullet, 16, &flight);
    assert_true(flight.points[0].y == 35 && flight.points[flight.count - 1].y == 35 + 16 * 15);
    // Along (-50, 0) to (-20, 200), at x = 50 the line past the wall is too high up; nearer to the
    // wall's end it is not.
    assert_false(judge_find_witness(&judge, &eye, &flight, rules.bullet_radius, &witness));
    judge_stand((raim_vec2){-50, 190}, &eye);
    assert_true(judge_find_witness(&judge, &eye, &flight, rules.bullet_radius, &witness));
    // A wall stops it.
    bullet = (raim_bullet){.origin = {250, 245}, .direction = {1, 0}, .born_tick = 100, .owner = 1};
    judge_fly(&judge, &world, &bullet, 16, &flight);
    assert_true(flight.points[flight.count - 1].x <= 296);
    // Its lifetime ends it.
    bullet = (raim_bullet){.origin = {50, 0}, .direction = {0, -1}, .born_tick = 30, .owner = 1};
    judge_fly(&judge, &world, &bullet, 16, &flight);
    assert_true(flight.points[flight.count - 1].y == -20 - 15 * 72);
    end(&judge);
}

static void play_fairly(const raim_rules *rules)
{
    struct diagnostics report = {.out = stderr};
    struct raim_map *map =
        map_file_load(RAIM_SOURCE_DIR "/config/maps/crossfire.conf", NULL, radius, &report);
    assert_non_null(map);
    const struct fairness_def def = {
        .map = map,
        .rules = *rules,
        .players = 24,
        .ticks = 1800,
        .seed = raim_random_next(&chance),
        .explained = 5,
    };
    struct fairness_row rows[FAIRNESS_LATENCIES];
    assert_true(fairness_play(&def, rows));
    uint64_t reveals = 0, late = 0;
    for (int i = 0; i < FAIRNESS_LATENCIES; i++) {
        const struct fairness_tally *kinds[] = {&rows[i].players, &rows[i].bullets};
        for (int kind = 0; kind < 2; kind++) {
            assert_int_equal(kinds[kind]->leaks, 0);
            assert_int_equal(kinds[kind]->wrong, 0);
            assert_true(kinds[kind]->told > 0);
            reveals += kinds[kind]->reveals;
            late += kinds[kind]->late;
        }
    }
    assert_true(reveals > 0);
    assert_true((double)late <= 0.001 * (double)reveals);
    raim_map_destroy(map);
}

TEST(nothing_leaks_and_nothing_comes_late_in_a_match)
{
    raim_rules rules = raim_rules_default();
    play_fairly(&rules);
    rules.pellets = 5;
    rules.spread = 12;
    rules.bounces = 1;
    rules.health = 3;
    play_fairly(&rules);
}
