// SPDX-License-Identifier: MIT
// Converts ticks to seconds, binary angles to degrees, and counts to shares.
#include "audit_figures.h"

#include "aim.h"

#include <assert.h>
#include <math.h>

struct list {
    struct audit_figure *figures;
    uint32_t count;
    const char *group;
};

static void add(struct list *list, const char *key, const char *title, int decimals, double value)
{
    assert(list->count < AUDIT_FIGURES);
    const double scale = pow(10, decimals);
    value = round(value * scale) / scale; // so that the table and the JSON agree
    list->figures[list->count++] = (struct audit_figure){list->group, key, title, decimals, value};
}

// A share in percent.
static double percent(double part, double whole)
{
    return whole > 0 ? 100 * part / whole : NAN;
}

static double ratio(double a, double b)
{
    return b > 0 ? a / b : NAN;
}

// A quantile times `unit`; unknown without values.
static double quantile(const struct distribution *distribution, double share, double unit)
{
    return distribution->count > 0 ? unit * distribution_quantile(distribution, share) : NAN;
}

static double greatest(const struct distribution *distribution, double unit)
{
    return distribution->count > 0 ? unit * distribution->greatest : NAN;
}

static void add_shots(struct list *list, const struct audit_player *player, double tick_s)
{
    list->group = "shots";
    add(list, "present_s", "PRESENT s", 1, (double)player->present_ticks * tick_s);
    add(list, "alive_s", "ALIVE s", 1, (double)player->alive_ticks * tick_s);
    add(list, "kills", "KILLS", 0, player->kills);
    add(list, "deaths", "DEATHS", 0, player->deaths);
    add(list, "fired", "SHOTS", 0, player->shots);
    add(list, "hits", "HITS", 0, player->hits);
    add(list, "hit_percent", "HIT %", 1, percent(player->hits, player->shots));
    add(list, "at_moving", "AT MOVING", 0, player->shots_at_moving);
    add(list, "hits_of_moving", NULL, 0, player->hits_moving);
    add(list, "hit_percent_of_moving", "OF MOVING %", 1,
        percent(player->hits_moving, player->shots_at_moving));
    add(list, "at_seen", "AT SEEN", 0, player->shots_at_seen);
    add(list, "on_target_percent", "ON TARGET %", 1,
        percent(player->shots_on_target, player->shots_at_seen));
}

static void add_reactions(struct list *list, const struct audit_player *player, double tick_s)
{
    const struct distribution *reaction = &player->reaction;
    const double ms = 1000 * tick_s;
    list->group = "reactions";
    add(list, "sightings", "SIGHTINGS", 0, player->sightings);
    add(list, "aimed_before", "AIMED BEFORE", 0, player->aimed_before);
    add(list, "aimed_before_chance", "BY CHANCE", 1, player->aimed_before_chance);
    add(list, "reactions", "REACTIONS", 0, (double)reaction->count);
    add(list, "fastest_ms", "FASTEST ms", 0, reaction->count > 0 ? ms * reaction->least : NAN);
    add(list, "median_ms", "MEDIAN ms", 0, quantile(reaction, 0.5, ms));
    add(list, "p95_ms", "P95 ms", 0, quantile(reaction, 0.95, ms));
    add(list, "below_100_ms_percent", "< 100 ms %", 1,
        reaction->count > 0
            ? 100 * distribution_share_below(reaction, (uint32_t)ceil(AUDIT_FAST_S / tick_s))
            : NAN);
}

static void add_aim(struct list *list, const struct audit_player *player, double tick_s)
{
    const double degrees = aim_degrees(1);
    const double per_s = degrees / tick_s;
    list->group = "aim";
    add(list, "speed_median_deg_s", "SPEED deg/s", 0, quantile(&player->turn, 0.5, per_s));
    add(list, "speed_p95_deg_s", "P95", 0, quantile(&player->turn, 0.95, per_s));
    add(list, "turn_max_deg", "MAX deg/tick", 1, greatest(&player->turn, degrees));
    add(list, "snap_median_deg", "SNAP deg", 1, quantile(&player->snap, 0.5, degrees));
    add(list, "snap_p95_deg", "P95", 1, quantile(&player->snap, 0.95, degrees));
    add(list, "snap_max_deg", "MAX", 1, greatest(&player->snap, degrees));
    add(list, "snaps_percent", "SNAPS %", 1, percent(player->snaps, player->shots));
    add(list, "flicks", "FLICKS", 0, player->flicks);
    add(list, "returns", "RETURNS", 0, player->returns);
    add(list, "error_median_deg", "ERROR deg", 2, quantile(&player->aim_error, 0.5, degrees));
    add(list, "error_p95_deg", "P95", 2, quantile(&player->aim_error, 0.95, degrees));
}

static void add_hidden(struct list *list, const struct audit_player *player, double tick_s)
{
    const struct audit_hidden *sent = &player->sent, *unsent = &player->unsent;
    list->group = "hidden";
    add(list, "sent_s", "SENT s", 1, (double)sent->ticks * tick_s);
    add(list, "sent_aimed_s", "AIMED s", 2, (double)sent->on_ticks * tick_s);
    add(list, "sent_chance_s", "BY CHANCE", 2, sent->chance * tick_s);
    add(list, "sent_ratio", "RATIO", 1, ratio((double)sent->on_ticks, sent->chance));
    add(list, "sent_shots", "SHOTS", 0, sent->shots);
    add(list, "sent_hits", "HITS", 0, sent->hits);
    add(list, "unsent_s", "UNSENT s", 1, (double)unsent->ticks * tick_s);
    add(list, "unsent_aimed_s", "AIMED s", 2, (double)unsent->on_ticks * tick_s);
    add(list, "unsent_chance_s", "BY CHANCE", 2, unsent->chance * tick_s);
    add(list, "unsent_ratio", "RATIO", 1, ratio((double)unsent->on_ticks, unsent->chance));
    add(list, "unsent_shots", "SHOTS", 0, unsent->shots);
    add(list, "unsent_hits", "HITS", 0, unsent->hits);
    add(list, "tracking_s", "TRACKING s", 2, (double)player->tracking_ticks * tick_s);
    add(list, "longest_tracking_s", "LONGEST s", 2, player->longest_tracking * tick_s);
}

static void add_rewind(struct list *list, const struct audit_player *player, double tick_s)
{
    const double ms = 1000 * tick_s;
    list->group = "rewind";
    add(list, "hits", "HITS", 0, (double)player->rewind.count);
    add(list, "in_past", "IN THE PAST", 0, player->hits_in_past);
    add(list, "median_ms", "MEDIAN ms", 0, quantile(&player->rewind, 0.5, ms));
    add(list, "p95_ms", "P95 ms", 0, quantile(&player->rewind, 0.95, ms));
    add(list, "max_ms", "MAX ms", 0, greatest(&player->rewind, ms));
    add(list, "at_limit", "AT LIMIT", 0, player->hits_at_limit);
    add(list, "clamped_percent", "CLAMPED %", 1, percent(player->clamped_shots, player->shots));
}

// A figure of the traffic, which bots do not have.
static double known(const struct audit_player *player, double figure)
{
    return player->client_ticks > 0 ? figure : NAN;
}

static void add_network(struct list *list, const struct audit_player *player, double tick_s)
{
    const struct distribution *round_trip = &player->round_trip;
    const double client_s = (double)player->client_ticks * tick_s;
    list->group = "network";
    add(list, "round_trip_median_ms", "ROUND TRIP ms", 0, quantile(round_trip, 0.5, 1));
    add(list, "round_trip_p95_ms", "P95", 0, quantile(round_trip, 0.95, 1));
    add(list, "jitter_ms", "JITTER ms", 1,
        ratio(player->round_trip_changes, (double)round_trip->count - 1));
    add(list, "inputs_per_s", "INPUTS/s", 1, ratio((double)player->inputs, client_s));
    add(list, "bursts", "BURSTS", 0, known(player, player->bursts));
    add(list, "most_inputs_per_tick", "MOST/tick", 0, known(player, player->most_inputs));
    add(list, "longest_gap_ms", "GAP ms", 0, known(player, 1000 * tick_s * player->longest_gap));
    add(list, "missed_percent", "MISSED %", 2,
        percent((double)player->missed, (double)player->client_ticks));
}

uint32_t audit_figures(const struct audit_player *player, uint32_t tick_hz,
                       struct audit_figure figures[AUDIT_FIGURES])
{
    struct list list = {.figures = figures};
    const double tick_s = 1.0 / tick_hz;
    add_shots(&list, player, tick_s);
    add_reactions(&list, player, tick_s);
    add_aim(&list, player, tick_s);
    add_hidden(&list, player, tick_s);
    add_rewind(&list, player, tick_s);
    add_network(&list, player, tick_s);
    return list.count;
}
