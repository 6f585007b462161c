// SPDX-License-Identifier: MIT
// Visibility queries against a map: whether a circle can be seen, and the visibility polygon, found
// by an angular sweep (Asano, An Efficient Algorithm for Finding the Visibility Polygon for a
// Polygonal Region with Holes, 1985).
#include "map.h"

#include "map_near.h"
#include "sight.h"

#include <assert.h>

// Corners nearer to a line or to each other than this, in units, count as coincident.
static const double tie = RAIM_SWEEP_TOUCH;

// --- a circle ---

static void hide_circle(const struct raim_map *map, struct raim_sight *sight)
{
    struct raim_map_near near;
    raim_map_near_begin(&near, map, sight->cone, 3);
    for (const raim_polygon *obstacle; (obstacle = raim_map_near_next(&near)) != NULL;) {
        raim_sight_hide(sight, obstacle);
        if (raim_sight_is_hidden(sight))
            return;
    }
}

bool raim_map_sees_circle(const struct raim_map *map, raim_vec2 from, raim_vec2 centre,
                          double radius)
{
    struct raim_sight sight;
    if (!raim_sight_begin(&sight, from, centre, radius))
        return true;
    do
        hide_circle(map, &sight);
    while (raim_sight_next_pass(&sight));
    return !raim_sight_is_hidden(&sight);
}

// --- the visibility polygon ---

// A face that the viewer is in front of, or a side of the view. All points are offsets from the
// viewer.
struct edge {
    raim_vec2 start, end; // counter-clockwise
    double start_angle, end_angle;
    raim_vec2 normal; // towards the viewer
    double distance;  // of the viewer, > 0
};

struct horizon {
    const struct raim_map *map;
    raim_vec2 from;
    struct edge sides[4];
    raim_vec2 *points;
    int capacity, count;
    raim_vec2 first, last; // corners, as offsets
};

// Returns the pseudoangle of a direction: a number that grows counter-clockwise from 0 along the x
// axis, by 1 per quadrant. Pseudoangles stay totally ordered despite rounding; the signs of cross
// products do not.
static double pseudoangle_of(raim_vec2 way)
{
    if (way.y >= 0)
        return way.x > 0 ? way.y / (way.x + way.y) : 1 - way.x / (way.y - way.x);
    return way.x < 0 ? 2 - way.y / (-way.x - way.y) : 3 + way.x / (way.x - way.y);
}

static const double full_turn = 4;

// Returns false for an edge that the viewer sees edge-on, because it covers no direction.
static bool make_edge(struct edge *edge, raim_vec2 start, raim_vec2 end, raim_vec2 normal)
{
    *edge = (struct edge){start,
                          end,
                          pseudoangle_of(start),
                          pseudoangle_of(end),
                          normal,
                          0 - raim_vec2_dot(normal, start)};
    const double width = edge->end_angle - edge->start_angle;
    // An edge covers less than half a turn, so a larger decrease is a wrap through 0.
    return edge->distance > 0 && (width > 0 || width < -full_turn / 2);
}

// Unwraps the angles of an edge that crosses 0, so that they ascend and are comparable with
// `angle`.
static struct edge unwrapped(struct edge edge, double angle)
{
    if (edge.start_angle > edge.end_angle && angle < edge.end_angle)
        edge.start_angle -= full_turn;
    else if (edge.start_angle > edge.end_angle)
        edge.end_angle += full_turn;
    return edge;
}

// Collects the faces that the viewer is in front of, unwrapped; seams are not faces. Returns their
// number.
static int edges_of(const raim_polygon *obstacle, raim_vec2 from, double angle,
                    struct edge edges[RAIM_MAX_POLYGON_POINTS])
{
    int count = 0;
    for (int i = 0; i < obstacle->count; i++) {
        const raim_vec2 end = raim_vec2_sub(obstacle->points[i], from);
        const raim_vec2 normal = obstacle->normals[i];
        if (raim_polygon_is_seam(obstacle, i) || raim_vec2_dot(normal, end) >= 0)
            continue;
        const raim_vec2 start =
            raim_vec2_sub(obstacle->points[raim_polygon_next(obstacle, i)], from);
        struct edge edge;
        if (make_edge(&edge, start, end, normal))
            edges[count++] = unwrapped(edge, angle);
    }
    return count;
}

// Returns the distance of a point from the line of an edge, positive on the viewer's side.
static double before(const struct edge *edge, raim_vec2 point)
{
    return raim_vec2_dot(edge->normal, point) + edge->distance;
}

static int sign_of(double distance)
{
    return (distance > tie) - (distance < -tie);
}

// Returns the intersection of a ray and an edge. When the direction of the ray is itself a point of
// the edge, that point is the result: for a ray almost along the edge, rounding would lose it.
static raim_vec2 point_on(const struct edge *edge, raim_vec2 way)
{
    const raim_vec2 along = raim_vec2_sub(edge->end, edge->start);
    const double reached = raim_vec2_dot(raim_vec2_sub(way, edge->start), along);
    if (sign_of(before(edge, way)) == 0 && reached >= 0 &&
        reached <= raim_vec2_length_squared(along))
        return way;
    const double after_start = raim_vec2_cross(edge->start, way);
    const double before_end = raim_vec2_cross(way, edge->end);
    if (after_start <= 0)
        return edge->start;
    if (before_end <= 0)
        return edge->end;
    return raim_vec2_mad(edge->start, along, after_start / (after_start + before_end));
}

// A direction at which visibility may change, given by the corner or crossing at `way`.
struct limit {
    double angle;
    raim_vec2 way;
};

// The depth order of two edges over the directions that both cover. Two lines cross at most once,
// so the order at both ends determines it, and no point in between has to be computed.
struct order {
    struct limit from, to;
    int at_from, at_to; // 1: the first edge is nearer, -1: farther, 0: as far
};

static struct order order_of(const struct edge *a, const struct edge *b)
{
    struct order order;
    if (a->start_angle >= b->start_angle) {
        order.from = (struct limit){a->start_angle, a->start};
        order.at_from = sign_of(before(b, a->start));
    } else {
        order.from = (struct limit){b->start_angle, b->start};
        order.at_from = -sign_of(before(a, b->start));
    }
    if (a->end_angle <= b->end_angle) {
        order.to = (struct limit){a->end_angle, a->end};
        order.at_to = sign_of(before(b, a->end));
    } else {
        order.to = (struct limit){b->end_angle, b->end};
        order.at_to = -sign_of(before(a, b->end));
    }
    return order;
}

// Returns the crossing of two edges.
static struct limit crossing_of(const struct edge *a, const struct edge *b,
                                const struct order *order)
{
    const raim_vec2 across = raim_vec2_sub(raim_vec2_scale(a->normal, b->distance),
                                           raim_vec2_scale(b->normal, a->distance));
    const double sine = raim_vec2_cross(a->normal, b->normal);
    const raim_vec2 point = {across.y / sine, -across.x / sine};
    struct limit crossing = {pseudoangle_of(point), point};
    if (crossing.angle < order->from.angle - full_turn / 2)
        crossing.angle += full_turn;
    else if (crossing.angle > order->to.angle + full_turn / 2)
        crossing.angle -= full_turn;
    // Clamps the crossing to the common directions despite rounding.
    if (crossing.angle < order->from.angle)
        return order->from;
    return crossing.angle > order->to.angle ? order->to : crossing;
}

// Returns true when edge a is nearer than b just after a direction that both cover.
static bool is_nearer(const struct edge *a, const struct edge *b, double angle)
{
    const struct order order = order_of(a, b);
    if (order.at_from * order.at_to >= 0)
        return order.at_from + order.at_to > 0;
    const bool is_before = angle < crossing_of(a, b, &order).angle;
    return (is_before ? order.at_from : order.at_to) > 0;
}

// Returns the edge that the viewer sees just after a direction.
static struct edge visible_edge(const struct horizon *horizon, double angle, raim_vec2 way)
{
    struct edge seen = horizon->sides[0];
    for (int i = 0; i < 4; i++) {
        const struct edge side = unwrapped(horizon->sides[i], angle);
        if (side.start_angle <= angle && angle < side.end_angle)
            seen = side;
    }
    const raim_vec2 farthest = raim_vec2_add(horizon->from, point_on(&seen, way));
    const raim_vec2 ray[2] = {horizon->from, farthest};
    struct raim_map_near near;
    raim_map_near_begin(&near, horizon->map, ray, 2);
    for (const raim_polygon *obstacle; (obstacle = raim_map_near_next(&near)) != NULL;) {
        struct edge edges[RAIM_MAX_POLYGON_POINTS];
        const int count = edges_of(obstacle, horizon->from, angle, edges);
        for (int i = 0; i < count; i++)
            if (edges[i].start_angle <= angle && angle < edges[i].end_angle &&
                is_nearer(&edges[i], &seen, angle))
                seen = edges[i];
    }
    return seen;
}

// Moves the limit closer when another edge occludes the seen one before it.
static void limit_by(const struct edge *other, const struct edge *seen, double angle,
                     struct limit *limit)
{
    const struct order order = order_of(other, seen);
    if (order.from.angle >= order.to.angle || order.from.angle >= limit->angle)
        return;
    struct limit found = order.from;
    if (order.at_from < 0 && order.at_to > 0)
        found = crossing_of(other, seen, &order);
    else if (order.at_from < 0 || (order.at_from == 0 && order.at_to <= 0))
        return;
    if (found.angle > angle && found.angle < limit->angle)
        *limit = found;
}

// Returns the direction at which the viewer, turning counter-clockwise, stops seeing an edge.
static struct limit limit_of(const struct horizon *horizon, const struct edge *seen, double angle,
                             raim_vec2 way)
{
    struct limit limit = {seen->end_angle, seen->end};
    for (int i = 0; i < 4; i++) {
        const struct edge side = unwrapped(horizon->sides[i], angle);
        limit_by(&side, seen, angle, &limit);
    }
    const raim_vec2 triangle[3] = {horizon->from, raim_vec2_add(horizon->from, point_on(seen, way)),
                                   raim_vec2_add(horizon->from, seen->end)};
    struct raim_map_near near;
    raim_map_near_begin(&near, horizon->map, triangle, 3);
    for (const raim_polygon *obstacle; (obstacle = raim_map_near_next(&near)) != NULL;) {
        struct edge edges[RAIM_MAX_POLYGON_POINTS];
        const int count = edges_of(obstacle, horizon->from, angle, edges);
        for (int i = 0; i < count; i++)
            limit_by(&edges[i], seen, angle, &limit);
    }
    return limit;
}

static bool are_same(raim_vec2 a, raim_vec2 b)
{
    return raim_vec2_distance_squared(a, b) <= tie * tie;
}

static void add_corner(struct horizon *horizon, raim_vec2 corner)
{
    if (horizon->count == 0)
        horizon->first = corner;
    else if (are_same(corner, horizon->last))
        return;
    if (horizon->count < horizon->capacity)
        horizon->points[horizon->count] = raim_vec2_add(horizon->from, corner);
    horizon->last = corner;
    horizon->count++;
}

// Sweeps one turn around the viewer. The sweep may begin in the middle of the first edge, whose
// remaining part then comes last.
static void sweep_around(struct horizon *horizon)
{
    const raim_vec2 ahead = {1, 0};
    struct limit limit = {0, ahead};
    const struct edge first = visible_edge(horizon, limit.angle, limit.way);
    struct edge seen = first;
    for (;;) {
        const double angle = limit.angle;
        limit = limit_of(horizon, &seen, angle, limit.way);
        assert(limit.angle > angle);
        if (limit.angle >= full_turn)
            break;
        add_corner(horizon, point_on(&seen, limit.way));
        seen = visible_edge(horizon, limit.angle, limit.way);
        add_corner(horizon, point_on(&seen, limit.way));
    }
    if (!are_same(seen.start, first.start) || !are_same(seen.end, first.end)) {
        add_corner(horizon, point_on(&seen, ahead));
        add_corner(horizon, point_on(&first, ahead));
    }
    if (horizon->count > 1 && are_same(horizon->first, horizon->last))
        horizon->count--;
}

static bool step_off_obstacles(const struct raim_map *map, raim_vec2 *from)
{
    for (int round = 0; round < RAIM_SIGHT_STEPS; round++) {
        const raim_vec2 old = *from;
        struct raim_map_near near;
        raim_map_near_begin(&near, map, &old, 1);
        for (const raim_polygon *obstacle; (obstacle = raim_map_near_next(&near)) != NULL;)
            if (!raim_sight_step_off(obstacle, from))
                return false;
        if (old.x == from->x && old.y == from->y)
            return true;
    }
    return false;
}

int raim_map_visible_area(const struct raim_map *map, raim_vec2 from, raim_box view,
                          raim_vec2 *points, int capacity)
{
    const raim_box around = raim_box_grow(view, -tie);
    if (!step_off_obstacles(map, &from) || !raim_box_contains(around, from))
        return 0;
    struct horizon horizon = {.map = map, .from = from, .points = points, .capacity = capacity};
    const raim_vec2 low = raim_vec2_sub(view.min, from), high = raim_vec2_sub(view.max, from);
    const raim_vec2 corners[4] = {low, {high.x, low.y}, high, {low.x, high.y}};
    const raim_vec2 inward[4] = {{0, 1}, {-1, 0}, {0, -1}, {1, 0}};
    for (int i = 0; i < 4; i++)
        make_edge(&horizon.sides[i], corners[i], corners[i < 3 ? i + 1 : 0], inward[i]);
    sweep_around(&horizon);
    return horizon.count;
}
