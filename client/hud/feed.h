// SPDX-License-Identifier: MIT
// The latest messages on the screen, a line each: kills, or chat. Pure.
#pragma once

#include "client.h"

#include <stdbool.h>
#include <stdint.h>

enum { FEED_LINES = 16 };

// A player in a line. The name is copied, because the player may leave.
struct feed_person {
    raim_player_id id; // RAIM_NOBODY: nobody; in chat: the operator
    char name[RAIM_MAX_NAME_BYTES + 1];
};

struct feed_line {
    double born_s;
    bool own;                         // it concerns the local player
    bool is_notice;                   // chat: from the server to the local player alone
    struct feed_person first, second; // shooter and victim, or speaker
    char text[RAIM_MAX_TEXT_BYTES + 1];
};

// Start from all zero.
struct feed {
    struct feed_line lines[FEED_LINES];
    uint32_t count; // lines ever added; `lines` is a ring
};

void feed_add(struct feed *feed, const struct feed_line *line);

// The line of an age, 0 for the newest; NULL where there are fewer.
const struct feed_line *feed_line_at(const struct feed *feed, uint32_t age);

// The opacity of a line, 0 to 1: it is shown for `shown_s` seconds, and then fades within one.
double feed_strength(const struct feed_line *line, double now_s, double shown_s);
