// SPDX-License-Identifier: MIT
// Tests of occluders. The oracle draws many random lines of sight between the two ends: where an
// obstacle is said to hide, each line that free ends can draw must cross its outline.
#include "occluder.h"
#include "stabbing_lines.h"

#include "chance_outlines.h"
#include "test.h"

enum { CASES = 6000, LINES = 40, RUN_STEPS = 12 };

static bool crosses(const raim_vec2 *outline, int count, raim_vec2 from, raim_vec2 to)
{
    for (int i = 0; i < count; i++) {
        const raim_vec2 a = outline[i], b = outline[(i + 1) % count];
        const raim_vec2 way = raim_vec2_sub(to, from), side = raim_vec2_sub(b, a);
        if ((raim_vec2_cross(way, raim_vec2_sub(a, from)) > 0) !=
                (raim_vec2_cross(way, raim_vec2_sub(b, from)) > 0) &&
            (raim_vec2_cross(side, raim_vec2_sub(from, a)) > 0) !=
                (raim_vec2_cross(side, raim_vec2_sub(to, a)) > 0))
            return true;
    }
    return false;
}

static bool is_inside(const raim_vec2 *outline, int count, raim_vec2 point)
{
    bool inside = false;
    for (int i = 0; i < count; i++) {
        const raim_vec2 a = outline[i], b = outline[(i + 1) % count];
        if ((a.y > point.y) != (b.y > point.y) &&
            point.x < a.x + (b.x - a.x) * (point.y - a.y) / (b.y - a.y))
            inside = !inside;
    }
    return inside;
}

static raim_vec2 chance_step(double length)
{
    const double angle = chance_between(0, 2 * acos(-1));
    return (raim_vec2){cos(angle) * length, sin(angle) * length};
}

// Returns a point that a random walk of a length reaches without crossing the outline.
static raim_vec2 chance_walk(const raim_vec2 *outline, int count, raim_vec2 point, double length)
{
    const raim_vec2 step = chance_step(length / RUN_STEPS);
    for (int i = 0; i < RUN_STEPS; i++) {
        const raim_vec2 next =
            raim_vec2_add(point, chance_int(0, 3) == 0 ? chance_step(length / RUN_STEPS) : step);
        if (!crosses(outline, count, point, next))
            point = next;
    }
    return point;
}

struct scene {
    raim_vec2 outline[RAIM_MAX_OUTLINE_POINTS];
    int count;
    struct raim_stabbing_lines_end from, to[2];
};

static raim_vec2 chance_outside(const struct scene *scene)
{
    raim_vec2 point;
    do
        point = (raim_vec2){chance_between(-300, 300), chance_between(-300, 300)};
    while (is_inside(scene->outline, scene->count, point));
    return point;
}

// Moves the outline to the middle of the scene.
static void centre_outline(struct scene *scene)
{
    raim_vec2 sum = {0, 0};
    for (int i = 0; i < scene->count; i++)
        sum = raim_vec2_add(sum, scene->outline[i]);
    const raim_vec2 middle = raim_vec2_scale(sum, 1.0 / scene->count);
    for (int i = 0; i < scene->count; i++)
        scene->outline[i] = raim_vec2_sub(scene->outline[i], middle);
}

static void chance_scene(struct scene *scene)
{
    scene->count = chance_simple_outline(scene->outline, 16);
    centre_outline(scene);
    scene->from = (struct raim_stabbing_lines_end){chance_outside(scene), chance_between(0, 40), 0};
    for (int i = 0; i < 2; i++)
        scene->to[i] = (struct raim_stabbing_lines_end){chance_outside(scene), 0, 0};
    scene->to[0].reach = chance_between(0, 30);
    scene->to[0].radius = chance_between(0, 20);
}

// Asserts that no line of sight passes when both ends run as far as they may.
static void assert_hidden(const struct scene *scene, double more)
{
    for (int i = 0; i < LINES; i++) {
        const raim_vec2 eye =
            chance_walk(scene->outline, scene->count, scene->from.centre, scene->from.reach + more);
        const raim_vec2 centre = chance_walk(scene->outline, scene->count, scene->to[0].centre,
                                             scene->to[0].reach + more);
        const raim_vec2 part =
            raim_vec2_add(centre, chance_step(scene->to[0].radius * chance_between(0, 1)));
        // What is behind an outline that the circle overlaps belongs to no free circle.
        if (!crosses(scene->outline, scene->count, centre, part))
            assert_true(crosses(scene->outline, scene->count, eye, part));
    }
}

TEST(no_line_passes_an_obstacle_that_hides)
{
    int hidden = 0, open = 0;
    for (int i = 0; i < chance_rounds(CASES); i++) {
        struct scene scene;
        chance_scene(&scene);
        const double slack =
            raim_occluder_find(scene.outline, scene.count, &scene.from, scene.to, 1, -INFINITY)
                .slack;
        hidden += slack > 0;
        open += slack < 0;
        if (slack > 1e-6)
            assert_hidden(&scene, chance_int(0, 1) * (slack - 1e-6));
    }
    assert_true(hidden > chance_rounds(CASES / 100));
    assert_true(open > chance_rounds(CASES / 100));
}

TEST(an_obstacle_hides_the_way_between_two_ends_that_it_hides)
{
    int hidden = 0;
    for (int i = 0; i < chance_rounds(CASES); i++) {
        struct scene scene;
        chance_scene(&scene);
        scene.to[0].reach = 0;
        scene.to[1].radius = scene.to[0].radius;
        const raim_vec2 first = scene.to[0].centre, last = scene.to[1].centre;
        if (crosses(scene.outline, scene.count, first, last) ||
            raim_occluder_find(scene.outline, scene.count, &scene.from, scene.to, 2, -INFINITY)
                    .slack <= 1e-6)
            continue;
        hidden++;
        for (int j = 0; j <= 10; j++) {
            scene.to[0].centre = raim_vec2_mad(first, raim_vec2_sub(last, first), j / 10.0);
            assert_hidden(&scene, 0);
        }
    }
    assert_true(hidden > chance_rounds(CASES / 1000));
}
