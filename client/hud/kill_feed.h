// SPDX-License-Identifier: MIT
// The latest messages on the screen, a line each: kills, or chat.
#pragma once

#include "client.h"
#include "entry.h"
#include "hud.h"

#include <stdbool.h>
#include <stdint.h>

enum { KILL_FEED_LINES = 16 };

struct kill_feed_line {
    double born_s;
    bool own;                        // it concerns the local player
    bool is_notice;                  // chat: from the server to the local player alone
    struct hud_person first, second; // shooter and victim, or speaker
    char text[RAIM_MAX_TEXT_BYTES + 1];
};

// Start from all zero.
struct kill_feed {
    struct kill_feed_line lines[KILL_FEED_LINES];
    uint32_t count; // lines ever added; `lines` is a ring
};

void kill_feed_add(struct kill_feed *feed, const struct kill_feed_line *line);

// The line of an age, 0 for the newest; NULL where there are fewer.
const struct kill_feed_line *kill_feed_line_at(const struct kill_feed *feed, uint32_t age);

// Draws the kills in a box, the newest one on top.
void kill_feed_draw_kills(const struct ui *ui, raim_box box, const struct kill_feed *kills,
                          double now_s);

// Draws the chat in a box, the newest line at the bottom. With `entry`, the text being typed and
// older lines are added.
void kill_feed_draw_chat(const struct ui *ui, raim_box box, const struct kill_feed *chat,
                         const struct entry *entry, double now_s);
