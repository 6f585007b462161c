// SPDX-License-Identifier: MIT
// Finds how a circle leaves a polygon.
#include "sat.h"

// Nearer to a corner than this, in square units, the axis through it is noise.
static const double on_corner = 1e-18;

static double separation_of(const raim_polygon *polygon, int face, raim_vec2 point)
{
    return raim_vec2_dot(polygon->normals[face], raim_vec2_sub(point, polygon->points[face]));
}

// Of the faces about as near to the centre as the nearest, the one that faces `from`.
static int break_tie(const raim_polygon *polygon, raim_vec2 centre, double nearest, raim_vec2 from)
{
    int face = 0;
    double foremost = -INFINITY;
    for (int i = 0; i < polygon->count; i++) {
        if (separation_of(polygon, i, centre) < nearest - RAIM_SAT_TIE)
            continue;
        const double before = separation_of(polygon, i, from);
        if (before > foremost) {
            foremost = before;
            face = i;
        }
    }
    return face;
}

bool raim_sat_circle(const raim_polygon *polygon, raim_vec2 centre, double radius, raim_vec2 from,
                     raim_contact *contact)
{
    double separation = -INFINITY;
    int face = 0;
    for (int i = 0; i < polygon->count; i++) {
        const double axis = separation_of(polygon, i, centre);
        if (axis >= radius)
            return false;
        if (axis > separation) {
            separation = axis;
            face = i;
        }
    }
    if (separation <= 0) {
        face = break_tie(polygon, centre, separation, from);
        *contact =
            (raim_contact){polygon->normals[face], radius - separation_of(polygon, face, centre)};
        return true;
    }
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
