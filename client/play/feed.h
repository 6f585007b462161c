// SPDX-License-Identifier: MIT
// What has happened lately, a line for each: kills, and what people say. Pure.
#pragma once

#include "client.h"

#include <stdbool.h>
#include <stdint.h>

enum { FEED_LINES = 16 };

// Who a line is about; the name is kept, for people leave.
struct feed_person {
    raim_player_id id; // RAIM_NOBODY: nobody; of what is said: the server
    char name[RAIM_MAX_NAME_BYTES + 1];
};

struct feed_line {
    double born_s;
    bool own;                         // it concerns the own player
    struct feed_person first, second; // who did it, to whom
    char text[RAIM_MAX_TEXT_BYTES + 1];
};

// Start from all zero.
struct feed {
    struct feed_line lines[FEED_LINES];
    uint32_t count; // ever added; the newest overwrite the oldest
};

void feed_add(struct feed *feed, const struct feed_line *line);

// A line by age, 0 for the newest; NULL where there are not so many.
const struct feed_line *feed_line_at(const struct feed *feed, uint32_t age);

// How plainly a line is to be shown, 1 to 0: for so many seconds, then it fades within one.
double feed_strength(const struct feed_line *line, double now_s, double shown_s);
