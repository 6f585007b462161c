// SPDX-License-Identifier: MIT
// Computes places in the timeline.
#include "timeline.h"

static double width_of(const struct timeline *timeline)
{
    return fmax(timeline->bar.max.x - timeline->bar.min.x, 1);
}

double timeline_x(const struct timeline *timeline, double tick)
{
    const double part = timeline->ticks > 0 ? tick / timeline->ticks : 0;
    return timeline->bar.min.x + fmin(fmax(part, 0), 1) * width_of(timeline);
}

double timeline_tick(const struct timeline *timeline, double x)
{
    const double part = (x - timeline->bar.min.x) / width_of(timeline);
    return fmin(fmax(part, 0), 1) * timeline->ticks;
}

// False for a chapter that has no mark.
static bool kind_of(const struct raim_chapter *chapter, raim_player_id followed,
                    enum timeline_mark_kind *kind)
{
    const bool by = followed != RAIM_NOBODY && chapter->player == followed;
    const bool of = followed != RAIM_NOBODY && chapter->victim == followed;
    switch (chapter->kind) {
    case RAIM_CHAPTER_ROUND:
        *kind = TIMELINE_ROUND;
        return true;
    case RAIM_CHAPTER_ROUND_END:
        *kind = TIMELINE_ROUND_END;
        return true;
    case RAIM_CHAPTER_KILL:
        *kind = of ? TIMELINE_KILL_OF : by ? TIMELINE_KILL_BY : TIMELINE_KILL;
        return true;
    case RAIM_CHAPTER_JOIN:
    case RAIM_CHAPTER_LEAVE:
    case RAIM_CHAPTER_KINDS:
        break;
    }
    return false;
}

uint32_t timeline_marks(const struct timeline *timeline, const struct raim_chapter *chapters,
                        uint32_t count, raim_player_id followed, struct timeline_mark *marks,
                        uint32_t capacity)
{
    double last[TIMELINE_KINDS];
    uint32_t marked = 0;
    for (int i = 0; i < TIMELINE_KINDS; i++)
        last[i] = timeline->bar.min.x - 1;
    for (uint32_t i = 0; i < count && marked < capacity; i++) {
        enum timeline_mark_kind kind;
        const double x = floor(timeline_x(timeline, chapters[i].tick));
        if (!kind_of(&chapters[i], followed, &kind) || x == last[kind])
            continue;
        last[kind] = x;
        marks[marked++] = (struct timeline_mark){x, kind};
    }
    return marked;
}

const struct raim_chapter *timeline_chapter_at(const struct timeline *timeline,
                                               const struct raim_chapter *chapters, uint32_t count,
                                               raim_player_id followed, double x, double reach)
{
    const struct raim_chapter *best = NULL;
    double best_away = reach;
    for (uint32_t i = 0; i < count; i++) {
        enum timeline_mark_kind kind;
        double away = fabs(timeline_x(timeline, chapters[i].tick) - x);
        if (away > reach || !kind_of(&chapters[i], followed, &kind))
            continue;
        away -= kind == TIMELINE_KILL_BY || kind == TIMELINE_KILL_OF ? reach : 0;
        if (best == NULL || away < best_away) {
            best = &chapters[i];
            best_away = away;
        }
    }
    return best;
}
