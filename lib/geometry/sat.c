// SPDX-License-Identifier: MIT
// Finds how a circle or a polygon leaves a polygon.
#include "sat.h"

#include <assert.h>

// Nearer to a corner than this, in square units, the axis through it is noise.
static const double on_corner = 1e-18;

// Faces that a search always covers, used or not: nearly all obstacles are boxes to octagons.
enum { USUAL_FACES = 8 };
static_assert(RAIM_MAX_POLYGON_POINTS % 4 == 0, "faces are searched four at a time");

// The sine between two normals of parallel faces: rounding shows below it.
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

// Where a centre inside leaves: of the faces about as near to it as the nearest, the one that faces
// `from`. A seam leads farther in; it is no way out unless there is nothing else.
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

// A search for the largest separation, whose value is known.
struct search {
    int face;    // the first that has it
    int nearest; // how many have it, or less by no more than a tie
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
    // A branch that nobody can foresee costs more than it saves. So there is one, the miss: each
    // search covers eight faces and is done without a branch, and of the other questions those with
    // a rare answer come first.
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
    assert(search.found); // not so for a centre that is no number
    int face = search.face;
    // On a seam, in front of it is inside too.
    if ((search.nearest > 1 || polygon->seams != 0) &&
        separation <= (raim_polygon_is_seam(polygon, face) ? RAIM_SAT_TOUCH : 0)) {
        face = exit_face(polygon, centre, from);
        separation = raim_polygon_separation(polygon, face, centre);
        *contact = (raim_contact){polygon->normals[face], radius - separation};
        return true;
    }
    // A centre inside lies before the face that is nearest by more than a tie.
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

// The corner that lies farthest against an axis.
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
    // Each face gives one axis and one way along it: out of b. Both together are the outline of the
    // Minkowski difference, whose nearest side to the origin is the shortest way out, also from
    // deep inside. A face of a that lies flat against one of b gives nothing new.
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
