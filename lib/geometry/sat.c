// SPDX-License-Identifier: MIT
// Computes the minimum translation vector of a circle or a polygon out of a polygon.
#include "sat.h"

#include <assert.h>

// At a smaller squared distance from a corner, in square units, rounding dominates the direction of
// the axis through it.
static const double on_corner = 1e-18;

// Every search covers this many faces, used or not: nearly all obstacles have 4 to 8 corners.
enum { USUAL_FACES = 8 };
static_assert(RAIM_MAX_POLYGON_POINTS % 4 == 0, "faces are searched four at a time");

// Faces whose normals have a smaller sine between them are parallel. It covers rounding errors.
static const double parallel = 1e-14;

static inline double larger(double a, double b)
{
    return a > b ? a : b;
}

static inline double largest_of_four(const raim_polygon *polygon, int first, raim_vec2 point)
{
    const double a = raim_polygon_separation(polygon, first, point);
    const double b = raim_polygon_separation(polygon, first + 1, point);
    const double c = raim_polygon_separation(polygon, first + 2, point);
    const double d = raim_polygon_separation(polygon, first + 3, point);
    return larger(larger(a, b), larger(c, d));
}

// Returns the face through which a circle with its centre inside leaves: among the faces that tie
// for the nearest, the one that faces `from`. Seams are excluded, because they lead farther into
// the obstacle, unless the polygon has nothing else.
static int exit_face(const raim_polygon *polygon, raim_vec2 centre, raim_vec2 from)
{
    const uint32_t all = (1u << polygon->count) - 1;
    const uint32_t excluded = polygon->seams == all ? 0 : polygon->seams;
    double nearest = -INFINITY;
    for (int i = 0; i < polygon->count; i++)
        if ((excluded >> i & 1) == 0)
            nearest = larger(raim_polygon_separation(polygon, i, centre), nearest);
    int face = 0;
    double largest = -INFINITY;
    for (int i = 0; i < polygon->count; i++) {
        if ((excluded >> i & 1) != 0 ||
            raim_polygon_separation(polygon, i, centre) < nearest - RAIM_SAT_TIE)
            continue;
        const double before = raim_polygon_separation(polygon, i, from);
        if (before > largest) {
            largest = before;
            face = i;
        }
    }
    return face;
}

// A search for the face with the largest separation, once that separation is known.
struct search {
    int face;    // the first face with it
    int nearest; // the number of faces within RAIM_SAT_TIE of it
    bool found;
};

static inline void search_face(const raim_polygon *polygon, int face, raim_vec2 point,
                               double largest, struct search *search)
{
    const double separation = raim_polygon_separation(polygon, face, point);
    search->found |= separation >= largest;
    search->face += !search->found;
    search->nearest += separation >= largest - RAIM_SAT_TIE;
}

static inline void search_four(const raim_polygon *polygon, int first, raim_vec2 point,
                               double largest, struct search *search)
{
    search_face(polygon, first, point, largest, search);
    search_face(polygon, first + 1, point, largest, search);
    search_face(polygon, first + 2, point, largest, search);
    search_face(polygon, first + 3, point, largest, search);
}

bool raim_sat_circle(const raim_polygon *polygon, raim_vec2 centre, double radius, raim_vec2 from,
                     raim_contact *contact)
{
    // An unpredictable branch costs more than it saves. The miss is the only one here: each search
    // covers eight faces without a branch, and the remaining tests begin with the rare cases.
    double separation =
        larger(largest_of_four(polygon, 0, centre), largest_of_four(polygon, 4, centre));
    for (int i = USUAL_FACES; i < polygon->count; i += 4)
        separation = larger(largest_of_four(polygon, i, centre), separation);
    if (separation >= radius)
        return false;
    struct search search = {0, 0, false};
    search_four(polygon, 0, centre, separation, &search);
    search_four(polygon, 4, centre, separation, &search);
    for (int i = USUAL_FACES; i < polygon->count; i += 4)
        search_four(polygon, i, centre, separation, &search);
    assert(search.found); // fails for a NaN centre
    int face = search.face;
    // The obstacle continues in front of a seam.
    if ((search.nearest > 1 || polygon->seams != 0) &&
        separation <= (raim_polygon_is_seam(polygon, face) ? RAIM_SAT_TOUCH : 0)) {
        face = exit_face(polygon, centre, from);
        separation = raim_polygon_separation(polygon, face, centre);
        *contact = (raim_contact){polygon->normals[face], radius - separation};
        return true;
    }
    // A centre inside projects onto its nearest face, so only a centre outside reaches the corner.
    const raim_vec2 *corner = raim_polygon_corner_beyond(polygon, face, centre, 0);
    if (corner != NULL) {
        const raim_vec2 out = raim_vec2_sub(centre, *corner);
        const double squared = raim_vec2_length_squared(out);
        if (squared >= radius * radius)
            return false;
        if (squared > on_corner) {
            const double distance = sqrt(squared);
            *contact = (raim_contact){raim_vec2_scale(out, 1 / distance), radius - distance};
            return true;
        }
    }
    *contact = (raim_contact){polygon->normals[face], radius - separation};
    return true;
}

// Returns the support corner in the direction opposite to an axis.
static int farthest_against(const raim_polygon *polygon, raim_vec2 axis)
{
    int corner = 0;
    double least = raim_vec2_dot(axis, polygon->points[0]);
    for (int i = 1; i < polygon->count; i++) {
        const double along = raim_vec2_dot(axis, polygon->points[i]);
        if (along < least) {
            least = along;
            corner = i;
        }
    }
    return corner;
}

static bool are_opposite(raim_vec2 a, raim_vec2 b)
{
    return raim_vec2_dot(a, b) < 0 && fabs(raim_vec2_cross(a, b)) < parallel;
}

bool raim_sat_polygons(const raim_polygon *a, const raim_polygon *b, raim_contact *contact)
{
    // The faces of both polygons are the sides of their Minkowski difference. Its side nearest to
    // the origin gives the shortest translation out of b, also from deep inside. A face of a that
    // is parallel to a face of b and opposite adds no new axis.
    raim_contact best = {.depth = INFINITY};
    uint32_t tested = 0;
    for (int i = 0; i < b->count; i++) {
        const raim_vec2 normal = b->normals[i];
        const int corner = farthest_against(a, normal);
        const double depth = raim_vec2_dot(normal, raim_vec2_sub(b->points[i], a->points[corner]));
        if (depth <= RAIM_SAT_TOUCH)
            return false;
        if (depth < best.depth)
            best = (raim_contact){normal, depth};
        const int before = corner > 0 ? corner - 1 : a->count - 1;
        tested |= (uint32_t)are_opposite(normal, a->normals[corner]) << corner;
        tested |= (uint32_t)are_opposite(normal, a->normals[before]) << before;
    }
    for (int i = 0; i < a->count; i++) {
        if ((tested >> i & 1) != 0)
            continue;
        const raim_vec2 normal = a->normals[i];
        const raim_vec2 corner = b->points[farthest_against(b, normal)];
        const double depth = raim_vec2_dot(normal, raim_vec2_sub(a->points[i], corner));
        if (depth <= RAIM_SAT_TOUCH)
            return false;
        if (depth < best.depth)
            best = (raim_contact){raim_vec2_scale(normal, -1), depth};
    }
    *contact = best;
    return true;
}
