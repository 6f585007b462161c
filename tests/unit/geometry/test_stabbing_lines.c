// SPDX-License-Identifier: MIT
// Tests of stabbing lines. The oracle tests random lines against every obstacle.
#include "chance_outlines.h"
#include "stabbing_lines.h"
#include "test.h"

// The oracle does not decide lines nearer to an obstacle than this, in units.
static const double close_by = 1e-6;

enum { MAX_OBSTACLES = 8 };

struct scene {
    struct raim_stabbing_lines_end from, to;
    raim_polygon obstacles[MAX_OBSTACLES];
    int count;
    struct raim_stabbing_lines lines;
};

static raim_vec2 chance_in(raim_vec2 centre, double radius)
{
    raim_vec2 point;
    do
        point = (raim_vec2){chance_between(-radius, radius), chance_between(-radius, radius)};
    while (raim_vec2_length_squared(point) > radius * radius);
    return raim_vec2_add(centre, point);
}

static void chance_ends(struct scene *scene)
{
    const double angle = chance_between(0, 2 * acos(-1)), length = chance_between(150, 1000);
    const raim_vec2 way = {length * cos(angle), length * sin(angle)};
    do {
        scene->from = (struct raim_stabbing_lines_end){
            {chance_between(-99, 99), chance_between(-99, 99)}, chance_between(0.1, 100), 0};
        scene->to =
            (struct raim_stabbing_lines_end){raim_vec2_add(scene->from.centre, way),
                                             chance_between(0.1, 100), chance_between(1, 40)};
        if (chance_int(0, 1) == 1)
            scene->from.radius = scene->to.radius;
    } while (!raim_stabbing_lines_begin(&scene->lines, &scene->from, &scene->to));
}

static void chance_scene(struct scene *scene)
{
    chance_ends(scene);
    const raim_vec2 way = raim_vec2_sub(scene->to.centre, scene->from.centre);
    scene->count = chance_int(0, MAX_OBSTACLES);
    for (int i = 0; i < scene->count; i++) {
        const raim_vec2 middle = raim_vec2_mad(scene->from.centre, way, chance_between(-0.1, 1.1));
        chance_polygon(&scene->obstacles[i], chance_in(middle, 120), chance_between(20, 400));
        raim_stabbing_lines_block(&scene->lines, &scene->obstacles[i], false, false);
    }
}

static double slow_gap(const struct scene *scene, raim_vec2 a, raim_vec2 b)
{
    double gap = INFINITY;
    for (int i = 0; i < scene->count; i++) {
        const raim_polygon *obstacle = &scene->obstacles[i];
        gap = fmin(gap, slow_distance(obstacle, a));
        for (int p = 0, q = obstacle->count - 1; p < obstacle->count; q = p++)
            gap = fmin(gap, slow_segments_distance(a, b, obstacle->points[p], obstacle->points[q]));
    }
    return gap;
}

static raim_vec2 to_frame(const struct raim_stabbing_lines *lines, raim_vec2 point)
{
    const raim_vec2 offset = raim_vec2_sub(point, lines->from);
    return (raim_vec2){raim_vec2_dot(offset, lines->along), raim_vec2_cross(lines->along, offset)};
}

static raim_vec2 from_frame(const struct raim_stabbing_lines *lines, raim_vec2 point)
{
    const raim_vec2 left = {-lines->along.y, lines->along.x};
    return raim_vec2_mad(raim_vec2_mad(lines->from, lines->along, point.x), left, point.y);
}

// Returns the y of a line through two points of the frame at both centres.
static raim_vec2 heights_of(const struct raim_stabbing_lines *lines, raim_vec2 a, raim_vec2 b)
{
    const double slope = (b.y - a.y) / (b.x - a.x);
    return (raim_vec2){a.y - slope * a.x, a.y + slope * (lines->length - a.x)};
}

static bool is_in_beam(const struct raim_beam *beam, raim_vec2 heights)
{
    for (int i = 0, j = beam->count - 1; i < beam->count; j = i++) {
        const raim_vec2 a = {beam->starts[j], beam->ends[j]};
        const raim_vec2 b = {beam->starts[i], beam->ends[i]};
        if (slow_side(a, b, heights) < -1e-6)
            return false;
    }
    return true;
}

static bool is_left(const struct raim_stabbing_lines *lines, raim_vec2 a, raim_vec2 b)
{
    const raim_vec2 heights = heights_of(lines, to_frame(lines, a), to_frame(lines, b));
    for (int i = 0; i < lines->count; i++)
        if (is_in_beam(&lines->beams[i], heights))
            return true;
    return false;
}

// Random tests hardly ever draw the steepest and the outermost lines: those that touch both discs
// on one side, or on opposite sides.
TEST(lines_that_touch_both_discs_are_left)
{
    for (int i = 0; i < chance_rounds(40000); i++) {
        static struct scene scene;
        chance_ends(&scene);
        const double length = scene.lines.length;
        const bool turned = scene.from.radius > 0 && chance_int(0, 1) == 1;
        const double from = scene.from.reach + (turned ? scene.from.radius : 0);
        const double to = scene.to.reach + (turned ? 0 : scene.to.radius);
        for (int sides = 0; sides < 4; sides++) {
            const double start = (sides & 1) != 0 ? from : -from;
            const double end = (sides & 2) != 0 ? to : -to;
            const double sine = (end - start) / length, cosine = sqrt(1 - sine * sine);
            assert_int_equal(scene.lines.count, 1);
            assert_true(
                is_in_beam(&scene.lines.beams[0], (raim_vec2){start / cosine, end / cosine}));
        }
    }
}

TEST(no_free_line_is_taken_away)
{
    int free = 0;
    for (int i = 0; i < chance_rounds(4000); i++) {
        static struct scene scene;
        chance_scene(&scene);
        for (int j = 0; j < 20; j++) {
            const bool turned = scene.from.radius > 0 && chance_int(0, 1) == 1;
            const raim_vec2 a =
                chance_in(scene.from.centre, scene.from.reach + (turned ? scene.from.radius : 0));
            const raim_vec2 b =
                chance_in(scene.to.centre, scene.to.reach + (turned ? 0 : scene.to.radius));
            if (slow_gap(&scene, a, b) < close_by)
                continue;
            free++;
            assert_true(is_left(&scene.lines, a, b));
        }
    }
    assert_true(free > chance_rounds(4000));
}

static int corners_of(const struct scene *scene)
{
    int corners = 0;
    for (int i = 0; i < scene->count; i++)
        corners += scene->obstacles[i].count;
    return corners;
}

// Tests the mean of the lines of a beam between the discs.
static bool passes_obstacles(const struct scene *scene, const struct raim_beam *beam)
{
    const struct raim_stabbing_lines *lines = &scene->lines;
    double start = 0, end = 0;
    for (int i = 0; i < beam->count; i++) {
        start += beam->starts[i] / beam->count;
        end += beam->ends[i] / beam->count;
    }
    for (int i = 0; i <= 50; i++) {
        const double x = lines->first + (lines->last - lines->first) * i / 50;
        const double y = start + (end - start) * x / lines->length;
        for (int o = 0; o < scene->count; o++)
            if (slow_distance(&scene->obstacles[o], from_frame(lines, (raim_vec2){x, y})) <
                -close_by)
                return false;
    }
    return true;
}

TEST(lines_left_pass_between_the_obstacles)
{
    int passed = 0;
    for (int i = 0; i < chance_rounds(20000); i++) {
        static struct scene scene;
        chance_scene(&scene);
        if (corners_of(&scene) > RAIM_BEAM_CORNERS - 8 || scene.lines.first > scene.lines.last)
            continue; // a beam may be full, or nothing lies between two grown discs
        for (int b = 0; b < scene.lines.count; b++, passed++)
            assert_true(passes_obstacles(&scene, &scene.lines.beams[b]));
    }
    assert_true(passed > chance_rounds(1000));
}

TEST(slopes_include_every_visible_circle)
{
    int seen = 0;
    for (int i = 0; i < chance_rounds(4000); i++) {
        static struct scene scene;
        chance_scene(&scene);
        const raim_vec2 viewer = chance_in(scene.from.centre, scene.from.reach);
        const raim_vec2 centre = chance_in(scene.to.centre, scene.to.reach);
        struct raim_slope_set slopes;
        raim_stabbing_lines_slopes(&scene.lines, viewer, &slopes);
        for (int j = 0; j < 20; j++) {
            if (slow_gap(&scene, viewer, chance_in(centre, scene.to.radius)) < close_by)
                continue;
            seen++;
            assert_true(raim_slope_set_hits_circle(&slopes, &scene.lines, centre, scene.to.radius));
        }
    }
    assert_true(seen > chance_rounds(4000));
}

static raim_polygon box_of(double x0, double y0, double x1, double y1)
{
    raim_polygon polygon;
    const raim_vec2 points[] = {{x0, y0}, {x1, y0}, {x1, y1}, {x0, y1}};
    assert_int_equal(raim_polygon_init(&polygon, points, 4), RAIM_POLYGON_OK);
    return polygon;
}

TEST(slopes_exclude_hidden_circles)
{
    const struct raim_stabbing_lines_end from = {{0, 0}, 50, 0}, to = {{500, 0}, 50, 10};
    struct raim_stabbing_lines lines;
    assert_true(raim_stabbing_lines_begin(&lines, &from, &to));
    const raim_polygon wall = box_of(240, -300, 260, 20); // seen from (0, 0) it hides y < 41.7
    raim_stabbing_lines_block(&lines, &wall, false, false);
    struct raim_slope_set slopes;
    raim_stabbing_lines_slopes(&lines, (raim_vec2){0, 0}, &slopes);
    assert_true(raim_slope_set_hits_circle(&slopes, &lines, (raim_vec2){500, 35}, 10));
    assert_false(raim_slope_set_hits_circle(&slopes, &lines, (raim_vec2){500, 0}, 10));
    raim_stabbing_lines_slopes(&lines, (raim_vec2){0, -50}, &slopes);
    assert_false(raim_slope_set_hits_circle(&slopes, &lines, (raim_vec2){500, 35}, 10));
}

TEST(near_ends_are_rejected)
{
    const struct raim_stabbing_lines_end from = {{0, 0}, 50, 0};
    struct raim_stabbing_lines lines;
    assert_false(raim_stabbing_lines_begin(&lines, &from,
                                           &(struct raim_stabbing_lines_end){{100, 0}, 50, 10}));
    assert_false(raim_stabbing_lines_begin(&lines, &from, &from));
    assert_true(raim_stabbing_lines_begin(&lines, &from,
                                          &(struct raim_stabbing_lines_end){{120, 0}, 50, 10}));
}
