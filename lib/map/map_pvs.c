// SPDX-License-Identifier: MIT
// Computes the stabbing lines between two players and tests only the pairs of points that an
// unblocked line connects.
#include "map_pvs.h"

#include "map_near.h"
#include "stabbing_lines.h"

// The tolerance for rounding, in units, when points and circles are compared with faces.
static const double slack = 1e-6;

// Discs are grown by this, in units, because points may lie exactly on their edge.
static const double room = 1e-3;

// The largest number of pairs of points that a query tests one by one.
enum { MAX_TESTS = 96 };

// The number of the most informative points of a reach: the position and the ends of the eight
// runs.
enum { COARSE_POINTS = 9 };

// --- unblocked lines ---

// One of the two players: a disc around all its possible positions, and these.
struct end {
    struct raim_stabbing_lines_end disc;
    const struct raim_reach *points;
};

// Returns true when no part of a player can get behind the line of a face.
static bool stays_before(const struct end *end, const raim_polygon *obstacle, int face)
{
    const double radius = end->disc.radius;
    for (int i = 0; i < end->points->count; i++)
        if (raim_polygon_separation(obstacle, face, end->points->points[i]) < radius - slack)
            return false;
    return true;
}

// Returns true when every line has this end on the near side of the obstacle. `way` is 1 for the
// first end and -1 for the second, from which the lines run in the opposite direction.
static bool is_beyond(const struct raim_stabbing_lines *lines, const raim_polygon *obstacle,
                      const struct end *end, double way)
{
    for (int i = 0; i < obstacle->count; i++)
        if (raim_stabbing_lines_run_against(lines, raim_vec2_scale(obstacle->normals[i], way)) &&
            stays_before(end, obstacle, i))
            return true;
    return false;
}

static void block(struct raim_stabbing_lines *lines, const raim_polygon *obstacle,
                  const struct end *from, const struct end *to)
{
    const raim_box box = raim_stabbing_lines_box(lines, obstacle->bounds);
    if (box.min.y > lines->width || box.max.y < -lines->width)
        return;
    const bool starts_in_front = box.min.x >= lines->first || is_beyond(lines, obstacle, from, 1);
    const bool ends_behind = box.max.x <= lines->last || is_beyond(lines, obstacle, to, -1);
    raim_stabbing_lines_block(lines, obstacle, starts_in_front, ends_behind);
}

// Returns false when obstacles block every line. Tests the obstacle `blocker` first, and sets it to
// the obstacle that blocked the last line.
static bool has_free_line(const struct raim_map *map, const struct end *from, const struct end *to,
                          uint16_t *blocker, struct raim_stabbing_lines *lines)
{
    const raim_polygon *likely = *blocker < map->obstacle_count ? &map->obstacles[*blocker] : NULL;
    if (likely != NULL)
        block(lines, likely, from, to);
    if (lines->count == 0)
        return false;
    const raim_vec2 aside = {-lines->along.y * lines->width, lines->along.x * lines->width};
    const raim_vec2 corners[4] = {
        raim_vec2_sub(from->disc.centre, aside), raim_vec2_sub(to->disc.centre, aside),
        raim_vec2_add(to->disc.centre, aside), raim_vec2_add(from->disc.centre, aside)};
    struct raim_map_near near;
    raim_map_near_begin(&near, map, corners, 4);
    for (const raim_polygon *obstacle; (obstacle = raim_map_near_next(&near)) != NULL;) {
        if (obstacle == likely)
            continue;
        block(lines, obstacle, from, to);
        if (lines->count == 0) {
            *blocker = (uint16_t)(obstacle - map->obstacles);
            return false;
        }
    }
    return true;
}

// --- one obstacle ---

// Returns the outline that a piece is part of, or NULL in a map that was made from pieces.
static const struct raim_map_outline *outline_of(const struct raim_map *map, int piece)
{
    int low = 0, high = map->outline_count;
    while (high - low > 1) {
        const int middle = (low + high) / 2;
        if (map->outlines[middle].first_piece <= piece)
            low = middle;
        else
            high = middle;
    }
    return low < high ? &map->outlines[low] : NULL;
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
    const struct raim_map_outline *outline =
        blocker < map->obstacle_count ? outline_of(map, blocker) : NULL;
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
    const struct raim_map_outline *outline =
        *blocker < map->obstacle_count ? outline_of(map, *blocker) : NULL;
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

bool raim_map_pvs_is_hidden_by(const struct raim_map *map, const struct raim_reach *viewer,
                               const struct raim_stabbing_lines_end *to, int to_count,
                               raim_vec2 view, uint16_t blocker)
{
    const struct raim_map_outline *outline =
        blocker < map->obstacle_count ? outline_of(map, blocker) : NULL;
    const struct raim_stabbing_lines_end from = {viewer->centre, viewer->extent + room, 0};
    return outline != NULL &&
           raim_occluder_hides(outline->points, outline->count, &from, viewer->points,
                               viewer->count, to, to_count, view);
}

// --- pairs of points ---

static struct end end_of(const struct raim_reach *reach, double radius)
{
    return (struct end){{reach->centre, reach->extent + room, radius}, reach};
}

// A query for a viewer and a target, with the points that each can reach.
struct query {
    const struct raim_map *map;
    const struct raim_reach *viewer, *target;
    double radius;
    raim_vec2 view;
    int tests;
};

// Returns true when the target is seen between a pair of points.
static bool is_seen(struct query *query, int i, int j, struct raim_view_ray *ray)
{
    const raim_vec2 from = query->viewer->points[i], to = query->target->points[j];
    if (!raim_is_in_view(query->view, from, to, query->radius))
        return false;
    query->tests++;
    *ray = (struct raim_view_ray){i, j};
    return raim_map_sees_circle(query->map, from, to, query->radius);
}

// Tests the pairs of points that an unblocked line connects.
static bool test_free_lines(struct query *query, const struct raim_stabbing_lines *lines,
                            struct raim_view_ray *ray)
{
    for (int i = 0; i < query->viewer->count; i++) {
        struct raim_slope_set slopes;
        raim_stabbing_lines_slopes(lines, query->viewer->points[i], &slopes);
        for (int j = 0; j < query->target->count && slopes.count > 0; j++) {
            if (!raim_slope_set_hits_circle(&slopes, lines, query->target->points[j],
                                            query->radius))
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
            if (is_seen(query, i, j, ray))
                return true;
    return false;
}

bool raim_map_pvs_could_see(const struct raim_map *map, const struct raim_reach *viewer,
                            const struct raim_reach *target, double radius, raim_vec2 view,
                            uint16_t *blocker, struct raim_view_ray *ray)
{
    struct query query = {map, viewer, target, radius, view, 0};
    const struct end from = end_of(viewer, 0), to = end_of(target, radius);
    struct raim_stabbing_lines lines;
    if (!raim_stabbing_lines_begin(&lines, &from.disc, &to.disc))
        return test_all_pairs(&query, ray);
    return has_free_line(map, &from, &to, blocker, &lines) && test_free_lines(&query, &lines, ray);
}
