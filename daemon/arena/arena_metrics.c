// SPDX-License-Identifier: MIT
// The rows of an arena and of its match. The modules below an arena have theirs beside their
// counters.
#include "arena_metrics.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static uint64_t is_paused(const void *object)
{
    const struct arena_status *status = object;
    return status->round.phase == RAIM_MATCH_PAUSED;
}

static uint64_t is_unsaved(const void *object)
{
    return ((const struct arena_status *)object)->is_unsaved;
}

static uint64_t leaves(const void *object)
{
    const struct arena_status *status = object;
    uint64_t sum = 0;
    for (int i = 0; i < RAIM_REASONS; i++)
        sum += status->counts.leaves[i];
    return sum;
}

static uint64_t rejections(const void *object)
{
    struct rejections reasons[REJECTIONS_MAX_REASONS];
    const int length = rejections_list(object, reasons);
    uint64_t sum = 0;
    for (int i = 0; i < length; i++)
        sum += reasons[i].count;
    return sum;
}

#define STATUS(member) METRIC_OF(struct arena_status, member)

static const struct metric status_rows[] = {
    {"tick", NULL, "Ticks simulated since the start of the arena.", METRIC_GAUGE, STATUS(tick)},
    {NULL, "raimd_tick_duration_seconds", "Duration of a tick.", METRIC_HISTOGRAM,
     STATUS(durations)},
    {NULL, "raimd_tick_lateness_seconds", "Delay between the deadline of a tick and its begin.",
     METRIC_HISTOGRAM, STATUS(latenesses)},
    {NULL, "raimd_ping_seconds",
     "Round trips of the connected players, each counted once a second.", METRIC_HISTOGRAM,
     STATUS(pings), .bounds_ns = histogram_ping_bounds_ns},
    {NULL, "raimd_resume_pause_seconds",
     "Time between the loss of a connection and its client's return, per resumed session; across a "
     "restart since the checkpoint, which a crash leaves up to 1 s old.",
     METRIC_HISTOGRAM, STATUS(pauses), .bounds_ns = histogram_pause_bounds_ns},
    {"late_ticks", "raimd_late_ticks_total", "Ticks that began more than a quarter of a tick late.",
     METRIC_COUNTER, STATUS(late_ticks), .column = "late_ticks"},
    {"skipped_ticks", "raimd_skipped_ticks_total", "Ticks skipped because the arena was too late.",
     METRIC_COUNTER, STATUS(skipped_ticks), .column = "skipped_ticks"},
    {"snapshot_interval", "raimd_snapshot_interval_ticks",
     "Ticks between two snapshots of a client; more than 1, up to 4, while the arena cannot hold "
     "its rate; 0 before the first tick.",
     METRIC_GAUGE, STATUS(snapshot_interval)},
    {NULL, "raimd_round_number", "Number of the current round, counted from 1.", METRIC_GAUGE,
     STATUS(round.round)},
    {NULL, "raimd_arena_paused", "1 while the operator has paused the arena, else 0.", METRIC_FLAG,
     .get = is_paused},
    {NULL, "raimd_players", "Connected players, not counting bots.", METRIC_GAUGE,
     STATUS(counts.players), .column = "players"},
    {NULL, "raimd_bots", "Players that the server controls.", METRIC_GAUGE, STATUS(counts.bots),
     .column = "bots"},
    {"spectators", "raimd_spectators", "Connected spectators.", METRIC_GAUGE,
     STATUS(counts.spectators), .column = "spectators"},
    {"away", "raimd_away_players", "Players with a lost connection that may still resume.",
     METRIC_GAUGE, STATUS(counts.away)},
    {NULL, NULL, "Players that left, not counting bots.", METRIC_COUNTER, .get = leaves,
     .column = "leaves"},
    {NULL, NULL, "Messages and datagrams rejected.", METRIC_COUNTER, .get = rejections,
     .column = "rejections"},
    {"rejected_checkpoints", "raimd_rejected_checkpoints_total",
     "Checkpoints of the last process that could not be taken over; the log says what the match "
     "continues from.",
     METRIC_COUNTER, STATUS(rejected_checkpoints)},
    {NULL, "raimd_lost_matches_total",
     "Matches of the last process that left a checkpoint from which this one could not continue.",
     METRIC_COUNTER, STATUS(lost_matches)},
    {NULL, "raimd_arena_unsaved",
     "1 while the arena's checkpoint cannot be written, so that the end of the process loses its "
     "match; else 0.",
     METRIC_FLAG, .get = is_unsaved},
};

static const struct metric_table status_table = {METRIC_ROWS(status_rows)};

#define COUNT(member, its_meaning, its_column)                                                     \
    {.name = "raimd_" #member "_total",                                                            \
     .meaning = its_meaning,                                                                       \
     .kind = METRIC_COUNTER,                                                                       \
     METRIC_OF(struct raim_match_counts, member),                                                  \
     .column = its_column},

static const struct metric count_rows[] = {RAIM_MATCH_COUNTERS(COUNT)};

static const struct metric_table count_table = {METRIC_ROWS(count_rows)};

#define CONFIG(member) METRIC_OF(struct config_arena, member)

static const struct metric config_rows[] = {
    {"tick_hz", NULL, "Configured ticks per second.", METRIC_GAUGE, CONFIG(match.tick_hz)},
    {"lag_compensation_ms", NULL,
     "Configured maximum rewind in ms; 0 means that lag compensation is off.", METRIC_GAUGE,
     CONFIG(match.lag_compensation_ms)},
    {NULL, "raimd_max_players", "Largest number of players, not counting bots.", METRIC_GAUGE,
     CONFIG(match.tuning.max_players)},
    {NULL, "raimd_max_spectators", "Largest number of spectators.", METRIC_GAUGE,
     CONFIG(match.tuning.max_spectators)},
};

static const struct metric_table config_table = {METRIC_ROWS(config_rows)};

static uint64_t mean_rewind(const void *object)
{
    const struct raim_match_hits *hits = object;
    return hits->rewound > 0 ? (uint64_t)llround(10 * hits->rewound_ms / (double)hits->rewound) : 0;
}

static uint64_t longest_rewind(const void *object)
{
    const struct raim_match_hits *hits = object;
    return (uint64_t)llround(10 * hits->most_rewound_ms);
}

#define HITS(member) METRIC_OF(struct raim_match_hits, member)

static const struct metric hits_rows[] = {
    {"total", "raimd_hits_total", "Bullets that hit a player.", METRIC_COUNTER, HITS(total)},
    {"rewound", "raimd_rewound_hits_total",
     "Hits by bullets that were launched with lag compensation.", METRIC_COUNTER, HITS(rewound)},
    {"in_past", NULL, "Hits at a rewound position that the victim had already left.",
     METRIC_COUNTER, HITS(in_past)},
    {"clamped", "raimd_clamped_shots_total",
     "Shots that claimed an older view than their shooter can have had; their rewind was limited.",
     METRIC_COUNTER, HITS(clamped)},
    {"rewound_ms_mean", NULL, "Mean rewind of the rewound hits in ms.", METRIC_TENTHS,
     .get = mean_rewind},
    {"rewound_ms_max", NULL, "Maximum rewind of the rewound hits in ms.", METRIC_TENTHS,
     .get = longest_rewind},
};

static const struct metric_table hits_table = {
    .group = "hits", .meaning = "Bullets that hit a player.", METRIC_ROWS(hits_rows)};

struct arena_view arena_view(struct arena *arena)
{
    return (struct arena_view){.config = arena_config(arena),
                               .status = arena_status(arena),
                               .overload = arena_overload(arena)};
}

enum {
    OF_STATUS,
    OF_COUNTS,
    OF_OVERLOAD,
    OF_CONFIG,
    OF_TRANSPORT,
    OF_MASTERS,
    OF_RECORDER,
    OF_HITS,
    TABLES
};

static_assert(TABLES == ARENA_METRIC_TABLES, "");

const struct metric_table *const arena_metric_tables[ARENA_METRIC_TABLES] = {
    [OF_STATUS] = &status_table,         [OF_COUNTS] = &count_table,
    [OF_OVERLOAD] = &overload_metrics,   [OF_CONFIG] = &config_table,
    [OF_TRANSPORT] = &transport_metrics, [OF_MASTERS] = &masters_metrics,
    [OF_RECORDER] = &recorder_metrics,   [OF_HITS] = &hits_table,
};

void arena_metric_objects(const struct arena_view *view, const void *objects[ARENA_METRIC_TABLES])
{
    objects[OF_STATUS] = view->status;
    objects[OF_COUNTS] = &view->status->counts;
    objects[OF_OVERLOAD] = view->overload;
    objects[OF_CONFIG] = view->config;
    objects[OF_TRANSPORT] = &view->status->transport;
    objects[OF_MASTERS] = &view->status->masters;
    objects[OF_RECORDER] = &view->status->recordings;
    objects[OF_HITS] = &view->status->counts.hits;
}

static void add(struct rejections *list, int *length, const char *reason, uint64_t count)
{
    int i = 0;
    while (i < *length && strcmp(list[i].reason, reason) != 0)
        i++;
    if (i == *length)
        list[(*length)++] = (struct rejections){.reason = reason};
    list[i].count += count;
}

int rejections_list(const struct arena_status *status,
                    struct rejections list[REJECTIONS_MAX_REASONS])
{
    int length = 0;
    for (int i = 0; i < RAIM_REJECTIONS; i++)
        add(list, &length, raim_rejection_name((enum raim_rejection)i), status->counts.rejected[i]);
    for (int i = DATAGRAM_OK + 1; i < DATAGRAM_VERDICTS; i++) {
        add(list, &length, datagram_verdict_name((enum datagram_verdict)i),
            status->transport.rejected[i]);
    }
    return length;
}
