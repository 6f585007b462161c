// SPDX-License-Identifier: MIT
// Writes the metrics in Prometheus' text format. A table row describes each family.
#define _GNU_SOURCE
#include "metrics.h"

#include "metrics_process.h"
#include "metrics_write.h"
#include "rejections.h"

#include <assert.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

static_assert(TICK_PROFILE_EVERY == 7, "the help of tick_stage_seconds");

// A metric family with one value or histogram per arena.
struct family {
    const char *name;
    enum metrics_kind kind;
    const char *help;
    size_t offset, size;       // in struct arena_status
    const uint64_t *bounds_ns; // of a histogram; NULL: histogram_bounds_ns
};

#define FIELD(field)                                                                               \
    .offset = offsetof(struct arena_status, field),                                                \
    .size = sizeof(((const struct arena_status *)NULL)->field)

static const struct family families[] = {
    {"raimd_tick_duration_seconds", METRICS_HISTOGRAM, "Duration of a tick.", FIELD(durations)},
    {"raimd_tick_lateness_seconds", METRICS_HISTOGRAM,
     "Delay between the deadline of a tick and its begin.", FIELD(latenesses)},
    {"raimd_ping_seconds", METRICS_HISTOGRAM,
     "Round trips of the connected players, each counted once a second.", FIELD(pings),
     .bounds_ns = histogram_ping_bounds_ns},
    {"raimd_late_ticks_total", METRICS_COUNTER,
     "Ticks that began more than a quarter of a tick late.", FIELD(late_ticks)},
    {"raimd_skipped_ticks_total", METRICS_COUNTER,
     "Ticks skipped because the arena was too far behind.", FIELD(skipped_ticks)},
    {"raimd_snapshot_interval_ticks", METRICS_GAUGE,
     "Ticks between two snapshots of a client; more than 1 while the arena cannot hold its rate.",
     FIELD(snapshot_interval)},
    {"raimd_round_number", METRICS_GAUGE, "Number of the current round, counted from 1.",
     FIELD(round.round)},
    {"raimd_players", METRICS_GAUGE, "Connected players, not counting bots.",
     FIELD(counts.players)},
    {"raimd_bots", METRICS_GAUGE, "Players that the server controls.", FIELD(counts.bots)},
    {"raimd_spectators", METRICS_GAUGE, "Connected spectators.", FIELD(counts.spectators)},
    {"raimd_away_players", METRICS_GAUGE, "Players with a lost connection that may still resume.",
     FIELD(counts.away)},
    {"raimd_joins_total", METRICS_COUNTER,
     "Players that joined, not counting bots and resumed sessions.", FIELD(counts.joins)},
    {"raimd_received_bytes_total", METRICS_COUNTER, "UDP payload bytes received.",
     FIELD(transport.bytes_in)},
    {"raimd_sent_bytes_total", METRICS_COUNTER, "UDP payload bytes sent.",
     FIELD(transport.bytes_out)},
    {"raimd_received_packets_total", METRICS_COUNTER, "Datagrams received.",
     FIELD(transport.packets_in)},
    {"raimd_sent_packets_total", METRICS_COUNTER, "Datagrams sent.", FIELD(transport.packets_out)},
    {"raimd_queries_total", METRICS_COUNTER, "Server browser queries answered.",
     FIELD(transport.queries)},
    {"raimd_limited_queries_total", METRICS_COUNTER,
     "Server browser queries dropped by the rate limit.", FIELD(transport.queries_limited)},
    {"raimd_master_heartbeats_total", METRICS_COUNTER, "Heartbeats sent to master servers.",
     FIELD(masters.heartbeats)},
    {"raimd_master_requests_total", METRICS_COUNTER,
     "Requests of master servers that were answered.", FIELD(masters.asked)},
    {"raimd_listing_masters", METRICS_GAUGE, "Master servers that list the arena.",
     FIELD(masters.listing)},
    {"raimd_send_errors_total", METRICS_COUNTER,
     "Datagrams that the kernel did not accept for sending.", FIELD(transport.send_errors)},
    {"raimd_slow_peers_total", METRICS_COUNTER,
     "Peers disconnected because too much data was unacknowledged.", FIELD(transport.overflows)},
    {"raimd_snapshots_total", METRICS_COUNTER, "Snapshots written for clients.",
     FIELD(counts.snapshots)},
    {"raimd_inputs_due_total", METRICS_COUNTER, "Player ticks for which an input was due.",
     FIELD(counts.inputs_due)},
    {"raimd_inputs_missed_total", METRICS_COUNTER,
     "Player ticks played with other keys than pressed.", FIELD(counts.inputs_missed)},
    {"raimd_hits_total", METRICS_COUNTER, "Bullets that hit a player.", FIELD(counts.hits.total)},
    {"raimd_rewound_hits_total", METRICS_COUNTER,
     "Hits by bullets that were launched with lag compensation.", FIELD(counts.hits.rewound)},
    {"raimd_clamped_shots_total", METRICS_COUNTER,
     "Shots that claimed an older view than their shooter can have had.",
     FIELD(counts.hits.clamped)},
    {"raimd_recordings_begun_total", METRICS_COUNTER, "Recordings begun.", FIELD(recordings.begun)},
    {"raimd_recordings_finished_total", METRICS_COUNTER, "Recordings finished.",
     FIELD(recordings.finished)},
    {"raimd_recordings_dropped_total", METRICS_COUNTER,
     "Recordings that ended early because the recorder was too slow.", FIELD(recordings.dropped)},
    {"raimd_recordings_failed_total", METRICS_COUNTER,
     "Recordings that ended early or never began because they could not be written.",
     FIELD(recordings.failed)},
    {"raimd_recorded_bytes_total", METRICS_COUNTER, "Bytes written to recordings.",
     FIELD(recordings.bytes)},
};

// An arena's name and status, read once so that all families show one snapshot.
struct row {
    const char *arena;
    const struct config_arena *config;
    const struct arena_status *status;
    bool is_overloaded;
};

static uint64_t value_at(const struct arena_status *status, const struct family *family)
{
    const void *field = (const char *)status + family->offset;
    assert(family->size == sizeof(uint32_t) || family->size == sizeof(uint64_t));
    return family->size == sizeof(uint32_t) ? *(const uint32_t *)field : *(const uint64_t *)field;
}

static void write_value(FILE *out, const char *name, const struct row *row, uint64_t value)
{
    fprintf(out, "%s{", name);
    metrics_label(out, "arena", row->arena);
    fprintf(out, "} %" PRIu64 "\n", value);
}

static void write_arena(FILE *out, const struct family *family, const struct row *row)
{
    if (family->kind == METRICS_HISTOGRAM)
        metrics_histogram(
            out, family->name, (const void *)((const char *)row->status + family->offset),
            family->bounds_ns != NULL ? family->bounds_ns : histogram_bounds_ns, row->arena, NULL);
    else
        write_value(out, family->name, row, value_at(row->status, family));
}

static void write_stages(FILE *out, const struct row *rows, int count)
{
    metrics_family(out, "raimd_tick_stage_seconds", METRICS_HISTOGRAM,
                   "Duration of each stage of a tick, of one tick in seven.");
    for (int i = 0; i < count; i++)
        for (int stage = 0; stage < TICK_STAGES; stage++)
            metrics_histogram(out, "raimd_tick_stage_seconds",
                              &rows[i].status->profile.stages[stage], histogram_bounds_ns,
                              rows[i].arena, tick_stage_names[stage]);
}

static void write_reason(FILE *out, const char *name, const struct row *row, const char *reason,
                         uint64_t value)
{
    fprintf(out, "%s{", name);
    metrics_label(out, "arena", row->arena);
    fputc(',', out);
    metrics_label(out, "reason", reason);
    fprintf(out, "} %" PRIu64 "\n", value);
}

static void write_rejections(FILE *out, const struct row *rows, int count)
{
    metrics_family(out, "raimd_rejections_total", METRICS_COUNTER,
                   "Messages and datagrams rejected, by reason.");
    for (int i = 0; i < count; i++) {
        struct rejections list[REJECTIONS_MAX_REASONS];
        const int length = rejections_list(rows[i].status, list);
        for (int j = 0; j < length; j++)
            write_reason(out, "raimd_rejections_total", &rows[i], list[j].reason, list[j].count);
    }
}

// The reasons for which a player who has joined can leave.
static const enum raim_reason leave_reasons[] = {
    RAIM_REASON_LEFT,   RAIM_REASON_LOST,    RAIM_REASON_SHUTDOWN, RAIM_REASON_KICKED,
    RAIM_REASON_BANNED, RAIM_REASON_RESTART, RAIM_REASON_IDLE,
};

static void write_leaves(FILE *out, const struct row *rows, int count)
{
    metrics_family(out, "raimd_leaves_total", METRICS_COUNTER,
                   "Players that left, by reason, not counting bots.");
    for (int i = 0; i < count; i++)
        for (size_t j = 0; j < sizeof leave_reasons / sizeof *leave_reasons; j++)
            write_reason(out, "raimd_leaves_total", &rows[i], raim_reason_name(leave_reasons[j]),
                         rows[i].status->counts.leaves[leave_reasons[j]]);
}

// Gauges that the status block does not hold.
static uint64_t max_players(const struct row *row)
{
    return row->config->match.tuning.max_players;
}

static uint64_t max_spectators(const struct row *row)
{
    return row->config->match.tuning.max_spectators;
}

static uint64_t is_paused(const struct row *row)
{
    return row->status->round.phase == RAIM_MATCH_PAUSED;
}

static uint64_t is_overloaded(const struct row *row)
{
    return row->is_overloaded;
}

static void write_gauge(FILE *out, const char *name, const char *help,
                        uint64_t (*value)(const struct row *row), const struct row *rows, int count)
{
    metrics_family(out, name, METRICS_GAUGE, help);
    for (int i = 0; i < count; i++)
        write_value(out, name, &rows[i], value(&rows[i]));
}

char *metrics_text(const struct arena_list *list, uint64_t now_ms)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (out == NULL)
        return NULL;
    struct row rows[CONFIG_MAX_ARENAS];
    assert(list->count <= CONFIG_MAX_ARENAS);
    for (int i = 0; i < list->count; i++) {
        const struct config_arena *config = arena_config(list->arenas[i]);
        rows[i] = (struct row){.arena = config->name,
                               .config = config,
                               .status = arena_status(list->arenas[i]),
                               .is_overloaded = arena_overload(list->arenas[i])->is_on};
    }
    metrics_process(out, list, now_ms);
    for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
        const struct family *family = &families[i];
        metrics_family(out, family->name, family->kind, family->help);
        for (int j = 0; j < list->count; j++)
            write_arena(out, family, &rows[j]);
    }
    write_stages(out, rows, list->count);
    write_gauge(out, "raimd_max_players", "Largest number of players, not counting bots.",
                max_players, rows, list->count);
    write_gauge(out, "raimd_max_spectators", "Largest number of spectators.", max_spectators, rows,
                list->count);
    write_gauge(out, "raimd_arena_paused", "1 while the operator has paused the arena, else 0.",
                is_paused, rows, list->count);
    write_gauge(
        out, "raimd_arena_overloaded",
        "1 while more than 10 % of the ticks of the last 10 s were late or skipped, else 0.",
        is_overloaded, rows, list->count);
    write_leaves(out, rows, list->count);
    write_rejections(out, rows, list->count);
    const bool failed = ferror(out) != 0;
    if (fclose(out) == 0 && !failed)
        return text;
    free(text);
    return NULL;
}
