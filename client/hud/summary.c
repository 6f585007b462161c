// SPDX-License-Identifier: MIT
// Keeps and writes what a round was.
#include "summary.h"

#include <stdio.h>
#include <string.h>

// The last phase that was seen may be so much older than the end.
static const double last_s = 0.5;

void summary_begin(struct summary *summary, const struct raim_client_stats *stats)
{
    *summary = (struct summary){.shots = stats->shots, .hits = stats->hits};
}

uint32_t summary_add_kill(struct summary *summary, uint32_t shooter, uint32_t victim)
{
    const uint16_t streak = ++summary->streaks[shooter];
    if (streak > summary->longest[shooter])
        summary->longest[shooter] = streak;
    summary->streaks[victim] = 0;
    return streak;
}

void summary_forget(struct summary *summary, uint32_t slot)
{
    summary->streaks[slot] = summary->longest[slot] = 0;
}

void summary_look(struct summary *summary, const struct raim_client_phase *phase)
{
    if (phase->kind == RAIM_CLIENT_PLAY)
        summary->ran_out = phase->has_end && phase->left_s < last_s;
}

void summary_write_reason(const struct summary *summary, const struct scoreboard *scoreboard,
                          char text[SUMMARY_TEXT_BYTES])
{
    const uint32_t limit = scoreboard->phase.score_limit;
    text[0] = '\0';
    if (limit > 0 && scoreboard->score_count > 0 && scoreboard->scores[0].score >= limit)
        snprintf(text, SUMMARY_TEXT_BYTES, "%u %s reached. ", limit,
                 limit == 1 ? "point" : "points");
    else if (summary->ran_out)
        snprintf(text, SUMMARY_TEXT_BYTES, "Time is up. ");
}

static const char *ordinal_of(uint32_t number)
{
    static const char *const ends[] = {"th", "st", "nd", "rd"};
    const uint32_t last = number % 10;
    return last > 3 || number / 10 % 10 == 1 ? "th" : ends[last];
}

void summary_write_own(const struct summary *summary, const struct scoreboard *scoreboard,
                       const struct raim_client_stats *stats, char text[SUMMARY_TEXT_BYTES])
{
    const uint64_t shots = stats->shots - summary->shots, hits = stats->hits - summary->hits;
    uint32_t row = 0;
    text[0] = '\0';
    while (row < scoreboard->score_count && !scoreboard->scores[row].own)
        row++;
    if (row == scoreboard->score_count)
        return;
    const struct score *own = &scoreboard->scores[row];
    int length =
        snprintf(text, SUMMARY_TEXT_BYTES, "You: %u%s of %u     kills: %u     deaths: %u", row + 1,
                 ordinal_of(row + 1), scoreboard->score_count, own->score, own->deaths);
    const uint32_t longest = summary->longest[raim_player_slot(own->id)];
    if (longest > 1)
        length += snprintf(text + length, (size_t)(SUMMARY_TEXT_BYTES - length),
                           "     longest streak: %u", longest);
    if (shots > 0)
        snprintf(text + length, (size_t)(SUMMARY_TEXT_BYTES - length), "     hits: %.0f %%",
                 100.0 * (double)hits / (double)shots);
}

void summary_write_best(const struct summary *summary, const struct scoreboard *scoreboard,
                        char text[SUMMARY_TEXT_BYTES])
{
    const struct score *streak = NULL, *safest = NULL;
    uint32_t longest = 1;
    text[0] = '\0';
    for (uint32_t row = 0; row < scoreboard->score_count; row++) {
        const struct score *score = &scoreboard->scores[row];
        const uint32_t own = summary->longest[raim_player_slot(score->id)];
        if (own > longest) {
            longest = own;
            streak = score;
        }
        if (score->score > 0 && (safest == NULL || score->deaths < safest->deaths))
            safest = score;
    }
    int length = 0;
    if (streak != NULL)
        length =
            snprintf(text, SUMMARY_TEXT_BYTES, "Longest streak: %s, %u", streak->name, longest);
    if (safest != NULL)
        snprintf(text + length, (size_t)(SUMMARY_TEXT_BYTES - length), "%sFewest deaths: %s, %u",
                 length > 0 ? "     " : "", safest->name, safest->deaths);
}
