// SPDX-License-Identifier: MIT
// Stabbing lines: the set of unblocked straight lines between two discs, the generalised line of
// sight that visibility preprocessing uses (Teller and Sequin, Visibility Preprocessing for
// Interactive Walkthroughs, 1991). The set is exact, without rays, by point-line duality: a line is
// a point of a plane whose coordinates are the line's offsets to the left of both centres. A corner
// divides that plane into the lines on its left and the lines on its right. An obstacle leaves the
// lines that pass all its corners on one side, so the unblocked lines form a few convex polygons.
// Units: coordinates and radii are in units, and finite.
// Thread rule: a set of lines belongs to one thread at a time; the functions keep no state.
#pragma once

#include "polygon.h"

// Lines closer to a corner than this, in units, count as blocked. It covers rounding errors.
#define RAIM_STABBING_LINES_TOUCH 1e-9

// The capacity of a set, in convex sets of lines (beams), and of a beam, in corners. When either is
// exceeded, an obstacle blocks fewer lines than it could.
#define RAIM_STABBING_LINES_BEAMS 12
#define RAIM_BEAM_CORNERS 16

// One end of the lines: a disc in which they may begin or end. `radius` is the size of the circle
// that is seen there, and 0 for an end that only views.
struct raim_stabbing_lines_end {
    raim_vec2 centre;
    double reach;  // radius of the disc of possible positions, > 0
    double radius; // radius of the circle at such a position, >= 0
};

// The lines in a frame of their own: x runs from the first centre to the second, y to the left.
struct raim_stabbing_lines {
    raim_vec2 from, along; // the origin and the direction of x
    double length;         // between the centres
    double cosine;         // of the widest angle between a line and the x axis
    double width;          // the greatest distance of a line from the x axis between the centres
    double first, last;    // x at which the first disc ends and the second one begins
    int count;
    struct raim_beam {
        int count;
        double starts[RAIM_BEAM_CORNERS]; // y at the first centre
        double ends[RAIM_BEAM_CORNERS];   // y at the second centre
    } beams[RAIM_STABBING_LINES_BEAMS];
};

// The slopes of the lines through one point: an interval for each beam that has such lines.
struct raim_slope_set {
    raim_vec2 point; // in the frame
    double cosine;
    int count;
    struct raim_slope_interval {
        double low, high; // slopes
    } intervals[RAIM_STABBING_LINES_BEAMS];
};

// Begins with all lines that have one end within `reach` of either centre and the other end within
// `reach` + `radius` of the other centre. Returns false when the discs are so close to each other
// that such lines would run in nearly every direction.
bool raim_stabbing_lines_begin(struct raim_stabbing_lines *lines,
                               const struct raim_stabbing_lines_end *from,
                               const struct raim_stabbing_lines_end *to);

// Returns the smallest box of the frame around a box.
raim_box raim_stabbing_lines_box(const struct raim_stabbing_lines *lines, raim_box box);

// Removes the lines that an obstacle blocks by its part between the discs. Set `starts_in_front`
// when every line that meets the obstacle starts in front of it: its part in the first disc then
// blocks, too. Set `ends_behind` when every such line ends behind it, for the second disc.
void raim_stabbing_lines_block(struct raim_stabbing_lines *lines, const raim_polygon *obstacle,
                               bool starts_in_front, bool ends_behind);

// Returns false when none of the remaining lines passes within a distance of a point, which must
// lie in the first disc. True leaves it open.
bool raim_stabbing_lines_may_pass(const struct raim_stabbing_lines *lines, raim_vec2 point,
                                  double distance);

// Collects the slopes of the remaining lines through a point, which must lie in the first disc.
void raim_stabbing_lines_slopes(const struct raim_stabbing_lines *lines, raim_vec2 point,
                                struct raim_slope_set *slopes);

// Returns true when a line with one of these slopes meets a circle, which must lie in the second
// disc.
bool raim_slope_set_hits_circle(const struct raim_slope_set *slopes,
                                const struct raim_stabbing_lines *lines, raim_vec2 centre,
                                double radius);
