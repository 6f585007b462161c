// SPDX-License-Identifier: MIT
// Writes the metrics in Prometheus' text format. A table row describes each family.
#define _GNU_SOURCE
#include "metrics.h"

#include "rejections.h"

#include <assert.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

static_assert(TICK_PROFILE_EVERY == 7, "the help of tick_stage_seconds");

#define NS_PER_S UINT64_C(1000000000)
#define NS_PER_MS UINT64_C(1000000)

enum kind { COUNTER, GAUGE, HISTOGRAM };

static const char *const kind_names[] = {
    [COUNTER] = "counter", [GAUGE] = "gauge", [HISTOGRAM] = "histogram"};

// A metric family with one value or histogram per arena.
struct family {
    const char *name; // without the prefix "raimd_"
    enum kind kind;
    const char *help;
    size_t offset, size; // in struct arena_status
};

#define FIELD(field)                                                                               \
    .offset = offsetof(struct arena_status, field),                                                \
    .size = sizeof(((const struct arena_status *)NULL)->field)

static const struct family families[] = {
    {"tick_duration_seconds", HISTOGRAM, "Duration of a tick.", FIELD(durations)},
    {"tick_lateness_seconds", HISTOGRAM, "Delay between the deadline of a tick and its begin.",
     FIELD(latenesses)},
    {"late_ticks_total", COUNTER, "Ticks that began more than a quarter of a tick late.",
     FIELD(late_ticks)},
    {"skipped_ticks_total", COUNTER, "Ticks skipped because the arena was too far behind.",
     FIELD(skipped_ticks)},
    {"snapshot_interval_ticks", GAUGE,
     "Ticks between two snapshots of a client; more than 1 while the arena cannot hold its rate.",
     FIELD(snapshot_interval)},
    {"round_number", GAUGE, "Number of the current round, counted from 1.", FIELD(round.round)},
    {"players", GAUGE, "Connected players, not counting bots.", FIELD(counts.players)},
    {"bots", GAUGE, "Players that the server controls.", FIELD(counts.bots)},
    {"spectators", GAUGE, "Connected spectators.", FIELD(counts.spectators)},
    {"away_players", GAUGE, "Players with a lost connection that may still resume.",
     FIELD(counts.away)},
    {"received_bytes_total", COUNTER, "UDP payload bytes received.", FIELD(transport.bytes_in)},
    {"sent_bytes_total", COUNTER, "UDP payload bytes sent.", FIELD(transport.bytes_out)},
    {"received_packets_total", COUNTER, "Datagrams received.", FIELD(transport.packets_in)},
    {"sent_packets_total", COUNTER, "Datagrams sent.", FIELD(transport.packets_out)},
    {"queries_total", COUNTER, "Server browser queries answered.", FIELD(transport.queries)},
    {"limited_queries_total", COUNTER, "Server browser queries dropped by the rate limit.",
     FIELD(transport.queries_limited)},
    {"master_heartbeats_total", COUNTER, "Heartbeats sent to master servers.",
     FIELD(masters.heartbeats)},
    {"master_requests_total", COUNTER, "Requests of master servers that were answered.",
     FIELD(masters.asked)},
    {"listing_masters", GAUGE, "Master servers that list the arena.", FIELD(masters.listing)},
    {"send_errors_total", COUNTER, "Datagrams that the kernel did not accept for sending.",
     FIELD(transport.send_errors)},
    {"slow_peers_total", COUNTER, "Peers disconnected because too much data was unacknowledged.",
     FIELD(transport.overflows)},
    {"snapshots_total", COUNTER, "Snapshots written for clients.", FIELD(counts.snapshots)},
    {"inputs_due_total", COUNTER, "Player ticks for which an input was due.",
     FIELD(counts.inputs_due)},
    {"inputs_missed_total", COUNTER, "Player ticks played with other keys than pressed.",
     FIELD(counts.inputs_missed)},
    {"hits_total", COUNTER, "Bullets that hit a player.", FIELD(counts.hits.total)},
    {"rewound_hits_total", COUNTER, "Hits by bullets that were launched with lag compensation.",
     FIELD(counts.hits.rewound)},
    {"clamped_shots_total", COUNTER,
     "Shots that claimed an older view than their shooter can have had.",
     FIELD(counts.hits.clamped)},
    {"recordings_begun_total", COUNTER, "Recordings begun.", FIELD(recordings.begun)},
    {"recordings_finished_total", COUNTER, "Recordings finished.", FIELD(recordings.finished)},
    {"recordings_dropped_total", COUNTER,
     "Recordings that ended early because the recorder was too slow.", FIELD(recordings.dropped)},
    {"recordings_failed_total", COUNTER,
     "Recordings that ended early or never began because they could not be written.",
     FIELD(recordings.failed)},
    {"recorded_bytes_total", COUNTER, "Bytes written to recordings.", FIELD(recordings.bytes)},
};

// An arena's name and status, read once so that all families show one snapshot.
struct row {
    const char *arena;
    const struct arena_status *status;
    bool is_overloaded;
};

static void write_family(FILE *out, const char *name, enum kind kind, const char *help)
{
    fprintf(out, "# HELP raimd_%s %s\n# TYPE raimd_%s %s\n", name, help, name, kind_names[kind]);
}

// Writes a label with the escapes that the format requires: newline, backslash and quote.
static void write_label(FILE *out, const char *name, const char *value)
{
    fprintf(out, "%s=\"", name);
    for (; *value != '\0'; value++) {
        if (*value == '\n')
            fputs("\\n", out);
        else if (*value == '\\' || *value == '"')
            fprintf(out, "\\%c", *value);
        else
            fputc(*value, out);
    }
    fputc('"', out);
}

// Formats seconds exactly, without trailing zeros.
static void format_seconds(char text[32], uint64_t ns)
{
    uint64_t fraction = ns % NS_PER_S;
    int digits = 9;
    const int length = snprintf(text, 32, "%" PRIu64, ns / NS_PER_S);
    if (fraction == 0)
        return;
    for (; fraction % 10 == 0; fraction /= 10)
        digits--;
    snprintf(text + length, (size_t)(32 - length), ".%0*" PRIu64, digits, fraction);
}

static void write_seconds(FILE *out, uint64_t ns)
{
    char text[32];
    format_seconds(text, ns);
    fputs(text, out);
}

static uint64_t value_at(const struct arena_status *status, const struct family *family)
{
    const void *field = (const char *)status + family->offset;
    assert(family->size == sizeof(uint32_t) || family->size == sizeof(uint64_t));
    return family->size == sizeof(uint32_t) ? *(const uint32_t *)field : *(const uint64_t *)field;
}

static void write_value(FILE *out, const struct family *family, const struct row *row)
{
    fprintf(out, "raimd_%s{", family->name);
    write_label(out, "arena", row->arena);
    fprintf(out, "} %" PRIu64 "\n", value_at(row->status, family));
}

// Writes labels in braces: of an arena, of a stage and of a bucket's bound. NULL omits one.
static void write_labels(FILE *out, const struct row *row, const char *stage, const char *bound)
{
    const char *before = "{";
    const struct {
        const char *name, *value;
    } labels[] = {{"arena", row != NULL ? row->arena : NULL}, {"stage", stage}, {"le", bound}};
    for (size_t i = 0; i < sizeof labels / sizeof *labels; i++) {
        if (labels[i].value == NULL)
            continue;
        fputs(before, out);
        write_label(out, labels[i].name, labels[i].value);
        before = ",";
    }
    fputs(before[0] == ',' ? "} " : " ", out);
}

// `row` NULL: of the process; `stage` NULL: of none.
static void write_histogram(FILE *out, const char *name, const struct histogram *histogram,
                            const struct row *row, const char *stage)
{
    uint64_t count = 0; // the format's buckets are cumulative
    for (int i = 0; i <= HISTOGRAM_BOUNDS; i++) {
        char bound[32] = "+Inf";
        if (i < HISTOGRAM_BOUNDS)
            format_seconds(bound, histogram_bounds_ns[i]);
        count += histogram->buckets[i];
        fprintf(out, "raimd_%s_bucket", name);
        write_labels(out, row, stage, bound);
        fprintf(out, "%" PRIu64 "\n", count);
    }
    fprintf(out, "raimd_%s_sum", name);
    write_labels(out, row, stage, NULL);
    write_seconds(out, histogram->sum_ns);
    fprintf(out, "\nraimd_%s_count", name);
    write_labels(out, row, stage, NULL);
    fprintf(out, "%" PRIu64 "\n", count);
}

static void write_arena(FILE *out, const struct family *family, const struct row *row)
{
    const void *field = (const char *)row->status + family->offset;
    if (family->kind == HISTOGRAM)
        write_histogram(out, family->name, field, row, NULL);
    else
        write_value(out, family, row);
}

static void write_stages(FILE *out, const struct row *rows, int count)
{
    write_family(out, "tick_stage_seconds", HISTOGRAM,
                 "Duration of each stage of a tick, of one tick in seven.");
    for (int i = 0; i < count; i++)
        for (int stage = 0; stage < TICK_STAGES; stage++)
            write_histogram(out, "tick_stage_seconds", &rows[i].status->profile.stages[stage],
                            &rows[i], tick_stage_names[stage]);
}

static void write_rejections(FILE *out, const struct row *rows, int count)
{
    write_family(out, "rejections_total", COUNTER, "Messages and datagrams rejected, by reason.");
    for (int i = 0; i < count; i++) {
        struct rejections list[REJECTIONS_MAX_REASONS];
        const int length = rejections_list(rows[i].status, list);
        for (int j = 0; j < length; j++) {
            fputs("raimd_rejections_total{", out);
            write_label(out, "arena", rows[i].arena);
            fputc(',', out);
            write_label(out, "reason", list[j].reason);
            fprintf(out, "} %" PRIu64 "\n", list[j].count);
        }
    }
}

static bool is_paused(const struct row *row)
{
    return row->status->round.phase == RAIM_MATCH_PAUSED;
}

static bool is_overloaded(const struct row *row)
{
    return row->is_overloaded;
}

static void write_flag(FILE *out, const char *name, const char *help,
                       bool (*is_on)(const struct row *row), const struct row *rows, int count)
{
    write_family(out, name, GAUGE, help);
    for (int i = 0; i < count; i++) {
        fprintf(out, "raimd_%s{", name);
        write_label(out, "arena", rows[i].arena);
        fprintf(out, "} %d\n", is_on(&rows[i]));
    }
}

static void write_process(FILE *out, const struct arena_list *list, uint64_t now_ms)
{
    write_family(out, "build_info", GAUGE, "Version of raimd as a label; the value is always 1.");
    fputs("raimd_build_info{", out);
    write_label(out, "version", RAIM_VERSION);
    fputs("} 1\n", out);
    write_family(out, "uptime_seconds", GAUGE, "Time since the start.");
    fputs("raimd_uptime_seconds ", out);
    write_seconds(out, (now_ms - list->started_ms) * NS_PER_MS);
    fputc('\n', out);
    write_family(out, "worker_busy_seconds_total", COUNTER,
                 "Busy time of a worker; its rate is the utilization.");
    for (int i = 0; i < list->worker_count; i++) {
        fprintf(out, "raimd_worker_busy_seconds_total{worker=\"%" PRIu32 "\"} ", i);
        write_seconds(out, worker_busy_ns(list->workers[i]));
        fputc('\n', out);
    }
}

static void write_orchestrator(FILE *out, const struct orchestrator_report *report)
{
    if (report == NULL)
        return;
    write_family(out, "agones_up", GAUGE, "1 while Agones' SDK server answers, else 0.");
    fprintf(out, "raimd_agones_up %d\n", report->is_connected);
    write_family(out, "agones_phase", GAUGE,
                 "Phase under Agones as a label; the value is always 1.");
    fputs("raimd_agones_phase{", out);
    write_label(out, "phase", report->phase);
    fputs("} 1\n", out);
    write_family(out, "agones_requests_total", COUNTER, "Requests to Agones' SDK server.");
    fprintf(out,
            "raimd_agones_requests_total{result=\"accepted\"} %" PRIu64 "\n"
            "raimd_agones_requests_total{result=\"refused\"} %" PRIu64 "\n"
            "raimd_agones_requests_total{result=\"unanswered\"} %" PRIu64 "\n",
            report->accepted, report->refused, report->unanswered);
    write_family(out, "agones_updates_total", COUNTER, "Updates of the GameServer received.");
    fprintf(out, "raimd_agones_updates_total %" PRIu64 "\n", report->updates);
    write_family(out, "agones_malformed_total", COUNTER,
                 "Answers, updates and requests for rooms that could not be read.");
    fprintf(out, "raimd_agones_malformed_total %" PRIu64 "\n", report->malformed);
}

static void write_count(FILE *out, const char *name, enum kind kind, const char *help,
                        uint64_t value)
{
    write_family(out, name, kind, help);
    fprintf(out, "raimd_%s %" PRIu64 "\n", name, value);
}

static void write_rooms(FILE *out, const struct arena_list_rooms *rooms)
{
    write_count(out, "rooms", GAUGE, "Arenas made on request that run.", rooms->now);
    write_count(out, "free_rooms", GAUGE, "Arenas that could be made on request.", rooms->free);
    write_count(out, "rooms_made_total", COUNTER, "Arenas made on request.", rooms->made);
    write_count(out, "rooms_ended_total", COUNTER, "Arenas made on request that have ended.",
                rooms->ended);
    write_count(out, "room_requests_refused_total", COUNTER,
                "Requests for an arena that were refused.", rooms->refused);
    write_family(out, "room_creation_seconds", HISTOGRAM,
                 "Time from a request for an arena to its answer.");
    write_histogram(out, "room_creation_seconds", &rooms->creations, NULL, NULL);
}

static void write_control(FILE *out, const struct arena_list_control *control)
{
    write_count(out, "control_connections_limited_total", COUNTER,
                "TLS connections to control_listen that were closed because too many began.",
                control->limited);
    write_count(out, "control_requests_denied_total", COUNTER,
                "Requests to control_listen without its token or certificate, or of browsers.",
                control->denied);
}

static void write_results(FILE *out, const struct arena_list_results *results)
{
    write_count(out, "results_written_total", COUNTER, "Results of rounds that were recorded.",
                results->written);
    write_count(out, "results_lost_total", COUNTER, "Results of rounds that could not be written.",
                results->lost);
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
        rows[i] = (struct row){.arena = arena_config(list->arenas[i])->name,
                               .status = arena_status(list->arenas[i]),
                               .is_overloaded = arena_overload(list->arenas[i])->is_on};
    }
    write_process(out, list, now_ms);
    write_rooms(out, &list->rooms);
    write_results(out, &list->results);
    write_control(out, &list->control);
    write_orchestrator(out, list->orchestrator);
    for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
        const struct family *family = &families[i];
        write_family(out, family->name, family->kind, family->help);
        for (int j = 0; j < list->count; j++)
            write_arena(out, family, &rows[j]);
    }
    write_stages(out, rows, list->count);
    write_flag(out, "arena_paused", "1 while the operator has paused the arena, else 0.", is_paused,
               rows, list->count);
    write_flag(out, "arena_overloaded",
               "1 while more than 10 % of the ticks of the last 10 s were late or skipped, else 0.",
               is_overloaded, rows, list->count);
    write_rejections(out, rows, list->count);
    const bool failed = ferror(out) != 0;
    if (fclose(out) == 0 && !failed)
        return text;
    free(text);
    return NULL;
}
