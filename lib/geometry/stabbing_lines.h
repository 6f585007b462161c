// SPDX-License-Identifier: MIT
// The straight lines from anywhere around one place to anywhere around another: which of them do
// obstacles leave? Exact, without rays: a line is two numbers, how far to the left of either place
// it passes, and so is a point of a plane. A corner halves that plane, into the lines that pass on
// its left and on its right; and an obstacle leaves those that all its corners are right of, and
// those that all are left of. So what is left is a few convex polygons.
#pragma once

#include "polygon.h"

// Lines nearer to a corner than this, in units, are blocked: rounding shows below it.
#define RAIM_STABBING_LINES_TOUCH 1e-9

// Convex sets that can be told apart, and corners of one. Where these do not suffice, an obstacle
// blocks less than it could.
#define RAIM_STABBING_LINES_BEAMS 12
#define RAIM_BEAM_CORNERS 16

// One of the two places, and how far from it a line may begin or end. The radius is of what is seen
// there: one of the two is a point that looks, the other one is round.
struct raim_stabbing_lines_end {
    raim_vec2 centre;
    double reach; // positive
    double radius;
};

// In a frame of their own: x runs from the first place to the second, y to the left.
struct raim_stabbing_lines {
    raim_vec2 from, along; // the origin and the direction of x
    double length;         // between the places
    double sine, cosine;   // of the widest angle between a line and the x axis
    double width;          // no line is farther from the x axis than this, between the places
    double first, last;    // where the discs around the places end and begin, as x
    int count;
    struct raim_beam {
        int count;
        double starts[RAIM_BEAM_CORNERS]; // y at the first place
        double ends[RAIM_BEAM_CORNERS];   // and at the second
    } beams[RAIM_STABBING_LINES_BEAMS];
};

// Where the lines of each beam go that run through a point.
struct raim_slope_set {
    raim_vec2 point; // in the frame
    double cosine;
    int count;
    struct raim_slope_interval {
        double low, high; // slopes
    } intervals[RAIM_STABBING_LINES_BEAMS];
};

// Begins with all lines that have one end within reach of one place, and the other within reach and
// radius of the other. Returns false when the places are so near to each other that these would run
// in about every direction.
bool raim_stabbing_lines_begin(struct raim_stabbing_lines *lines,
                               const struct raim_stabbing_lines_end *from,
                               const struct raim_stabbing_lines_end *to);

// The smallest box of the frame around a box.
raim_box raim_stabbing_lines_box(const struct raim_stabbing_lines *lines, raim_box box);

// True when all lines come from before a face with this normal, if they meet it at all.
bool raim_stabbing_lines_run_against(const struct raim_stabbing_lines *lines, raim_vec2 normal);

// Takes the lines away that an obstacle blocks by what of it is between the discs. Whoever knows
// that all lines begin before it, or end beyond it, wherever they meet it, lets it block by what of
// it is in that end's disc, too.
void raim_stabbing_lines_block(struct raim_stabbing_lines *lines, const raim_polygon *obstacle,
                               bool starts_in_front, bool ends_behind);

// The lines left through a point, which must be in the disc around the first place.
void raim_stabbing_lines_slopes(const struct raim_stabbing_lines *lines, raim_vec2 point,
                                struct raim_slope_set *slopes);

// True when one of a fan's lines meets a circle in the disc around the second place.
bool raim_slope_set_hits_circle(const struct raim_slope_set *slopes,
                                const struct raim_stabbing_lines *lines, raim_vec2 centre,
                                double radius);
