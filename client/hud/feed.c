// SPDX-License-Identifier: MIT
// Keeps the latest lines.
#include "feed.h"

void feed_add(struct feed *feed, const struct feed_line *line)
{
    feed->lines[feed->count++ % FEED_LINES] = *line;
}

const struct feed_line *feed_line_at(const struct feed *feed, uint32_t age)
{
    if (age >= FEED_LINES || age >= feed->count)
        return NULL;
    return &feed->lines[(feed->count - 1 - age) % FEED_LINES];
}

double feed_strength(const struct feed_line *line, double now_s, double shown_s)
{
    const double left_s = line->born_s + shown_s + 1 - now_s;
    return fmin(fmax(left_s, 0), 1);
}
