// SPDX-License-Identifier: MIT
// Computes places in the timeline, the playback's position, and the footer's layout.
#include "replay_controls.h"

#include <math.h>
#include <stdio.h>

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

static const double factors[PLAYBACK_SPEEDS] = {0.25, 0.5, 1, 2, 4, 8, 16};

double playback_factor(const struct playback *playback)
{
    return factors[playback->speed];
}

void playback_seek(struct playback *playback, double position)
{
    playback->position = fmin(fmax(position, 0), playback->ticks);
}

void playback_advance(struct playback *playback, double seconds)
{
    if (playback->is_paused)
        return;
    playback_seek(playback,
                  playback->position + seconds * playback->tick_hz * playback_factor(playback));
    if (playback->position >= playback->ticks)
        playback->is_paused = true;
}

void playback_step(struct playback *playback, int way)
{
    const double whole = way > 0 ? floor(playback->position) : ceil(playback->position);
    playback->is_paused = true;
    playback_seek(playback, whole + way);
}

void playback_toggle(struct playback *playback)
{
    if (playback->is_paused && playback->position >= playback->ticks)
        playback->position = 0;
    playback->is_paused = !playback->is_paused;
}

void playback_change_speed(struct playback *playback, int way)
{
    const int speed = playback->speed + way;
    if (speed >= 0 && speed < PLAYBACK_SPEEDS)
        playback->speed = speed;
}

void playback_time(const struct playback *playback, double position, bool tenths,
                   char words[PLAYBACK_TIME_BYTES])
{
    const uint64_t tenth = (uint64_t)(fmax(position, 0) / playback->tick_hz * 10);
    const unsigned s = (unsigned)(tenth / 10 % 60), min = (unsigned)(tenth / 600 % 60);
    const unsigned hours = (unsigned)(tenth / 36000);
    int length = 0;
    if (hours > 0)
        length = snprintf(words, PLAYBACK_TIME_BYTES, "%u:%02u:%02u", hours, min, s);
    else
        length = snprintf(words, PLAYBACK_TIME_BYTES, "%u:%02u", min, s);
    if (tenths)
        snprintf(words + length, (size_t)(PLAYBACK_TIME_BYTES - length), ".%u",
                 (unsigned)(tenth % 10));
}

static const double margin_points = 12, gap_points = 6, bar_points = 26, row_points = 32;
static const double least_who_points = 90;

// The widths, from the left, and of the two at the right end.
static const double widths[REPLAY_PARTS] = {
    [REPLAY_MENU] = 62,   [REPLAY_STEP_BACK] = 32, [REPLAY_PLAY] = 44,   [REPLAY_STEP_FORWARD] = 32,
    [REPLAY_SLOWER] = 28, [REPLAY_SPEED] = 52,     [REPLAY_FASTER] = 28, [REPLAY_TIME] = 170,
    [REPLAY_SENT] = 104,  [REPLAY_FLY] = 62,
};

struct replay_layout replay_layout_of(raim_box footer, bool has_fingers)
{
    struct replay_layout layout = {.unit = (footer.max.y - footer.min.y) / REPLAY_FOOTER_POINTS};
    const double unit = layout.unit, gap = gap_points * unit;
    const double left = footer.min.x + margin_points * unit;
    const double right = footer.max.x - margin_points * unit;
    const double top = footer.min.y + 0.75 * gap;
    layout.boxes[REPLAY_BAR] = (raim_box){{left, top}, {right, top + bar_points * unit}};
    const double row = top + bar_points * unit + gap, bottom = row + row_points * unit;
    double x = left, end = right;
    bool has_room = true;
    for (int part = has_fingers ? REPLAY_MENU : REPLAY_STEP_BACK; part <= REPLAY_TIME; part++) {
        const double width = widths[part] * unit;
        has_room = has_room && x + width <= right;
        if (!has_room)
            continue;
        layout.boxes[part] = (raim_box){{x, row}, {x + width, bottom}};
        x += width + gap;
    }
    for (int part = REPLAY_FLY; part >= REPLAY_SENT; part--) {
        const double width = widths[part] * unit;
        has_room = has_room && end - width >= x;
        if (!has_room)
            continue;
        layout.boxes[part] = (raim_box){{end - width, row}, {end, bottom}};
        end -= width + gap;
    }
    if (has_room && end - x >= least_who_points * unit)
        layout.boxes[REPLAY_WHO] = (raim_box){{x, row}, {end, bottom}};
    return layout;
}
