// SPDX-License-Identifier: MIT
// The timeline of a recording: between its ticks and pixels, and the marks of its chapters. Pure.
#pragma once

#include "recording.h"

// A bar on the screen, pixels, and the ticks that it stands for.
struct timeline {
    raim_box bar;
    uint32_t ticks;
};

// Where a tick lies in the bar, and the tick at a place, limited to the recording.
double timeline_x(const struct timeline *timeline, double tick);
double timeline_tick(const struct timeline *timeline, double x);

enum timeline_mark_kind {
    TIMELINE_KILL,    // of others
    TIMELINE_KILL_BY, // by the followed player
    TIMELINE_KILL_OF, // of the followed player
    TIMELINE_ROUND,   // the beginning of a round
    TIMELINE_ROUND_END,
    TIMELINE_KINDS
};

struct timeline_mark {
    double x; // a whole pixel
    enum timeline_mark_kind kind;
};

// Fills in the marks of chapters, at most one of a kind in a pixel, and returns their number, at
// most `capacity`. RAIM_NOBODY: nobody is followed.
uint32_t timeline_marks(const struct timeline *timeline, const struct raim_chapter *chapters,
                        uint32_t count, raim_player_id followed, struct timeline_mark *marks,
                        uint32_t capacity);

// The chapter nearest to a place, at most `reach` pixels away; NULL: none. One of the followed
// player comes before others.
const struct raim_chapter *timeline_chapter_at(const struct timeline *timeline,
                                               const struct raim_chapter *chapters, uint32_t count,
                                               raim_player_id followed, double x, double reach);
