// SPDX-License-Identifier: MIT
// Computes the stabbing lines between two players and tests only the pairs of points that an
// unblocked line connects.
#include "map_pvs.h"

#include "map_near.h"
#include "stabbing_lines.h"

// Discs are grown by this, in units, because points may lie exactly on their edge.
static const double room = 1e-3;

// The largest number of pairs of points that a query tests one by one.
enum { MAX_TESTS = 96 };

// The number of the most informative points of a reach: the position and the ends of the eight
// runs.
enum { COARSE_POINTS = 9 };

// --- unblocked lines ---

static void block(struct raim_stabbing_lines *lines, const raim_polygon *obstacle)
{
    const raim_box box = raim_stabbing_lines_box(lines, obstacle->bounds);
    if (box.min.y <= lines->width && box.max.y >= -lines->width)
        raim_stabbing_lines_block(lines, obstacle, box.min.x >= lines->first,
                                  box.max.x <= lines->last);
}

bool raim_map_pvs_free_lines(const struct raim_map *map, const struct raim_stabbing_lines_end *from,
                             const struct raim_stabbing_lines_end *to, uint16_t *blocker,
                             struct raim_stabbing_lines *lines)
{
    const struct raim_stabbing_lines_end ends[2] = {
        {from->centre, from->reach + room, from->radius},
        {to->centre, to->reach + room, to->radius}};
    lines->count = 0;
    if (!raim_stabbing_lines_begin(lines, &ends[0], &ends[1]))
        return true;
    const raim_polygon *likely = *blocker < map->obstacle_count ? &map->obstacles[*blocker] : NULL;
    if (likely != NULL)
        block(lines, likely);
    if (lines->count == 0)
        return false;
    const raim_vec2 aside = {-lines->along.y * lines->width, lines->along.x * lines->width};
    const raim_vec2 corners[4] = {
        raim_vec2_sub(from->centre, aside), raim_vec2_sub(to->centre, aside),
        raim_vec2_add(to->centre, aside), raim_vec2_add(from->centre, aside)};
    struct raim_map_near near;
    raim_map_near_begin(&near, map, corners, 4);
    for (const raim_polygon *obstacle; (obstacle = raim_map_near_next(&near)) != NULL;) {
        if (obstacle == likely)
            continue;
        block(lines, obstacle);
        if (lines->count == 0) {
            *blocker = (uint16_t)(obstacle - map->obstacles);
            return false;
        }
    }
    return true;
}

// --- one obstacle ---

// Returns the outline that a piece is part of, or NULL in a map that was made from pieces. Any
// piece is valid.
static const struct raim_map_outline *outline_of(const struct raim_map *map, int piece)
{
    return piece < map->obstacle_count && map->outline_count > 0
               ? &map->outlines[map->outline_by_piece[piece]]
               : NULL;
}

static struct raim_occlusion occlusion_by(const struct raim_map_outline *outline,
                                          const struct raim_stabbing_lines_end *from,
                                          const struct raim_stabbing_lines_end *to, int to_count,
                                          double least)
{
    struct raim_occlusion occlusion =
        raim_occluder_find(outline->points, outline->count, from, to, to_count, least + room);
    occlusion.slack -= room;
    return occlusion;
}

struct raim_occlusion raim_map_pvs_occlusion_by(const struct raim_map *map,
                                                const struct raim_stabbing_lines_end *from,
                                                const struct raim_stabbing_lines_end *to,
                                                int to_count, uint16_t blocker)
{
    const struct raim_map_outline *outline = outline_of(map, blocker);
    if (outline == NULL)
        return (struct raim_occlusion){-INFINITY, 0};
    return occlusion_by(outline, from, to, to_count, -INFINITY);
}

struct raim_occlusion raim_map_pvs_occlusion(const struct raim_map *map,
                                             const struct raim_stabbing_lines_end *from,
                                             const struct raim_stabbing_lines_end *to, int to_count,
                                             uint16_t *blocker)
{
    struct raim_occlusion best = raim_map_pvs_occlusion_by(map, from, to, to_count, *blocker);
    if (best.slack >= 0)
        return best;
    const struct raim_map_outline *outline = outline_of(map, *blocker);
    // An obstacle that hides the ends crosses the line between their centres.
    const raim_vec2 line[2] = {from->centre, to->centre};
    struct raim_map_near near;
    raim_map_near_begin(&near, map, line, 2);
    for (const raim_polygon *piece; (piece = raim_map_near_next(&near)) != NULL;) {
        const int index = (int)(piece - map->obstacles);
        if (outline != NULL && index >= outline->first_piece &&
            index < outline->first_piece + outline->piece_count)
            continue; // the pieces of an outline are contiguous
        outline = outline_of(map, index);
        if (outline == NULL)
            break;
        const struct raim_occlusion found = occlusion_by(outline, from, to, to_count, best.slack);
        if (found.slack > best.slack) {
            best = found;
            *blocker = (uint16_t)index;
        }
    }
    return best;
}

// --- pairs of points ---

// A query for a viewer and a target, with the points that each can reach.
struct query {
    const struct raim_map *map;
    struct raim_reach *viewer, *target;
    double radius;
    raim_vec2 view;
    int tests;
};

// Returns false when the target is out of view between any points of both discs.
static bool is_in_view(const struct query *query, int i, int j)
{
    const struct raim_reach *viewer = query->viewer, *target = query->target;
    return raim_is_in_view(query->view, viewer->points[i], target->points[j],
                           query->radius + viewer->spreads[i] + target->spreads[j]);
}

// Returns true when the target is seen between a pair of points, which are computed.
static bool is_seen(struct query *query, int i, int j, struct raim_view_ray *ray)
{
    query->tests++;
    *ray = (struct raim_view_ray){i, j};
    return raim_map_sees_circle(query->map, query->viewer->points[i], query->target->points[j],
                                query->radius);
}

// Returns true when some point of the target may be in view from a point of the viewer, on a line
// that passes it. It keeps most points of the viewer from being computed.
static bool may_see_from(const struct query *query, const struct raim_stabbing_lines *lines, int i)
{
    const struct raim_reach *viewer = query->viewer, *target = query->target;
    const double spread = viewer->spreads[i];
    return spread >= 0 &&
           raim_is_in_view(query->view, viewer->points[i], target->centre,
                           query->radius + spread + target->extent) &&
           raim_stabbing_lines_may_pass(lines, viewer->points[i], spread);
}

// Returns true when a pair is in view, and on a line with one of the slopes.
static bool is_on_line(const struct query *query, const struct raim_stabbing_lines *lines,
                       const struct raim_slope_set *slopes, int i, int j)
{
    const struct raim_reach *target = query->target;
    return target->spreads[j] >= 0 && is_in_view(query, i, j) &&
           raim_slope_set_hits_circle(slopes, lines, target->points[j],
                                      query->radius + target->spreads[j]);
}

// Tests the pairs of points that an unblocked line connects.
static bool test_free_lines(struct query *query, const struct raim_stabbing_lines *lines,
                            struct raim_view_ray *ray)
{
    struct raim_reach *target = query->target;
    for (int i = 0; i < query->viewer->count; i++) {
        if (!may_see_from(query, lines, i) || !raim_reach_compute(query->viewer, i))
            continue;
        struct raim_slope_set slopes;
        raim_stabbing_lines_slopes(lines, query->viewer->points[i], &slopes);
        for (int j = 0; j < target->count && slopes.count > 0; j++) {
            if (!is_on_line(query, lines, &slopes, i, j))
                continue;
            if (target->spreads[j] > 0 &&
                !(raim_reach_compute(target, j) && is_on_line(query, lines, &slopes, i, j)))
                continue;
            if (is_seen(query, i, j, ray))
                return true;
            if (query->tests == MAX_TESTS)
                return false;
        }
    }
    return false;
}

// Tests all pairs of points. When there are more than MAX_TESTS, it tests the pairs of the first
// COARSE_POINTS of each player.
static bool test_all_pairs(struct query *query, struct raim_view_ray *ray)
{
    const int viewers = query->viewer->count, targets = query->target->count;
    const bool are_many = viewers * targets > MAX_TESTS;
    for (int i = 0; i < viewers && !(are_many && i == COARSE_POINTS); i++)
        for (int j = 0; j < targets && !(are_many && j == COARSE_POINTS); j++)
            if (raim_reach_compute(query->viewer, i) && raim_reach_compute(query->target, j) &&
                is_in_view(query, i, j) && is_seen(query, i, j, ray))
                return true;
    return false;
}

bool raim_map_pvs_could_see(const struct raim_map *map, const struct raim_stabbing_lines *lines,
                            struct raim_reach *viewer, struct raim_reach *target, double radius,
                            raim_vec2 view, struct raim_view_ray *ray)
{
    struct query query = {map, viewer, target, radius, view, 0};
    return lines->count > 0 ? test_free_lines(&query, lines, ray) : test_all_pairs(&query, ray);
}
