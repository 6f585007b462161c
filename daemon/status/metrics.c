// SPDX-License-Identifier: MIT
// Writes the families of the process, of the modules, and of the arenas.
#include "metrics.h"

#include "arena_metrics.h"
#include "message.h"
#include "metric.h"
#include "process_usage.h"

#include <assert.h>
#include <inttypes.h>
#include <stddef.h>

static_assert(TICK_PROFILE_EVERY == 7, "the help of tick_stage_seconds");
static_assert(WORKER_LOAD_BEGIN_PERCENT == 90 && WORKER_LOAD_END_PERCENT == 75 &&
                  WORKER_LOAD_WINDOW * OVERLOAD_EVERY_MS == 5000,
              "the help of worker_overloaded");

#define NS_PER_MS UINT64_C(1000000)

#define TEXT_OF(number) #number
#define NUMBER_TEXT(number) TEXT_OF(number)

#ifdef __clang__
#define COMPILER "clang " NUMBER_TEXT(__clang_major__) "." NUMBER_TEXT(__clang_minor__)
#else
#define COMPILER "gcc " NUMBER_TEXT(__GNUC__) "." NUMBER_TEXT(__GNUC_MINOR__)
#endif

static void write_real(struct text_buffer *out, const char *name, enum metric_kind kind,
                       const char *help, double value)
{
    metric_text_family(out, name, kind, help);
    text_buffer_print(out, "%s %.2f\n", name, value);
}

// Names and meanings are those of Prometheus' guide for client libraries.
static void write_usage(struct text_buffer *out, struct process_usage *usage)
{
    struct process_usage_values values;
    if (!process_usage_read(usage, &values))
        return;
    write_real(out, "process_cpu_seconds_total", METRIC_COUNTER,
               "User and system CPU time of the process.", values.cpu_s);
    write_real(out, "process_start_time_seconds", METRIC_GAUGE,
               "Start of the process, in seconds since 1970.", values.started_s);
    const struct {
        const char *name, *help;
        uint64_t value;
    } gauges[] = {
        {"process_virtual_memory_bytes", "Virtual memory of the process.", values.virtual_bytes},
        {"process_resident_memory_bytes", "Resident memory of the process.", values.resident_bytes},
        {"process_threads", "Threads of the process.", values.threads},
        {"process_open_fds", "Open file descriptors.", values.open_descriptors},
        {"process_max_fds", "Largest number of open file descriptors.", values.max_descriptors},
    };
    for (size_t i = 0; i < sizeof gauges / sizeof *gauges; i++)
        metric_text_value(out, gauges[i].name, METRIC_GAUGE, gauges[i].help, gauges[i].value);
}

static void write_build(struct text_buffer *out)
{
    metric_text_family(
        out, "raimd_build_info", METRIC_GAUGE,
        "Version of raimd, its protocol and its compiler as labels; the value is always "
        "1.");
    text_buffer_print(out, "raimd_build_info{version=\"%s\",protocol=\"%d\",compiler=\"%s\"} 1\n",
                      RAIM_VERSION, RAIM_PROTOCOL_VERSION, COMPILER);
}

static void write_workers(struct text_buffer *out, const struct arena_list *list)
{
    static const char overloaded[] = "raimd_worker_overloaded";
    static const char busy[] = "raimd_worker_busy_seconds_total";
    metric_text_value(out, "raimd_workers", METRIC_GAUGE, "Worker threads.",
                      (uint64_t)list->worker_count);
    metric_text_family(out, overloaded, METRIC_GAUGE,
                       "1 once a worker was busy for more than 90 % of the last 5 s, until it was "
                       "for less than 75 %; else 0.");
    for (int i = 0; i < list->worker_count; i++)
        text_buffer_print(out, "%s{worker=\"%d\"} %d\n", overloaded, i, list->loads[i].is_on);
    metric_text_family(out, busy, METRIC_COUNTER,
                       "Busy time of a worker; its rate is the utilization.");
    for (int i = 0; i < list->worker_count; i++) {
        text_buffer_print(out, "%s{worker=\"%d\"} ", busy, i);
        metric_text_seconds(out, worker_busy_ns(list->workers[i]));
        text_buffer_print(out, "\n");
    }
}

static void write_uptime(struct text_buffer *out, const struct status_view *view, uint64_t now_ms)
{
    metric_text_family(out, "raimd_uptime_seconds", METRIC_GAUGE, "Time since the start.");
    text_buffer_print(out, "raimd_uptime_seconds ");
    metric_text_seconds(out, (now_ms - view->started_ms) * NS_PER_MS);
    text_buffer_print(out, "\n");
}

// An arena's name and what its rows are about, read once so that all families show one moment.
struct row {
    const char *arena;
    const struct arena_status *status;
    const void *objects[ARENA_METRIC_TABLES];
};

static void write_tables(struct text_buffer *out, const struct row *rows, int count)
{
    for (int i = 0; i < ARENA_METRIC_TABLES; i++) {
        const struct metric_table *table = arena_metric_tables[i];
        for (const struct metric *row = table->rows; row < table->rows + table->count; row++) {
            if (row->name == NULL)
                continue;
            metric_text_family(out, row->name, row->kind, row->meaning);
            for (int j = 0; j < count; j++)
                metric_text_row(out, row, rows[j].objects[i], rows[j].arena);
        }
    }
}

static void write_stages(struct text_buffer *out, const struct row *rows, int count)
{
    static const char family[] = "raimd_tick_stage_seconds";
    metric_text_family(out, family, METRIC_HISTOGRAM,
                       "Duration of each stage of a tick, of one tick in seven.");
    for (int i = 0; i < count; i++)
        for (int stage = 0; stage < TICK_STAGES; stage++)
            metric_text_histogram(out, family, &rows[i].status->profile.stages[stage],
                                  histogram_bounds_ns, rows[i].arena, tick_stage_names[stage]);
}

static void write_reason(struct text_buffer *out, const char *name, const struct row *row,
                         const char *reason, uint64_t value)
{
    text_buffer_print(out, "%s{", name);
    metric_text_label(out, "arena", row->arena);
    text_buffer_print(out, ",reason=\"%s\"} %" PRIu64 "\n", reason, value);
}

static void write_rejections(struct text_buffer *out, const struct row *rows, int count)
{
    static const char family[] = "raimd_rejections_total";
    metric_text_family(out, family, METRIC_COUNTER, "Messages and datagrams rejected, by reason.");
    for (int i = 0; i < count; i++) {
        struct rejections list[REJECTIONS_MAX_REASONS];
        const int length = rejections_list(rows[i].status, list);
        for (int j = 0; j < length; j++)
            write_reason(out, family, &rows[i], list[j].reason, list[j].count);
    }
}

// The reasons for which a player who has joined can leave.
static const enum raim_reason leave_reasons[] = {
    RAIM_REASON_LEFT,   RAIM_REASON_LOST,    RAIM_REASON_SHUTDOWN, RAIM_REASON_KICKED,
    RAIM_REASON_BANNED, RAIM_REASON_RESTART, RAIM_REASON_IDLE,
};

static void write_leaves(struct text_buffer *out, const struct row *rows, int count)
{
    static const char family[] = "raimd_leaves_total";
    metric_text_family(out, family, METRIC_COUNTER,
                       "Players that left, by reason, not counting bots.");
    for (int i = 0; i < count; i++)
        for (size_t j = 0; j < sizeof leave_reasons / sizeof *leave_reasons; j++)
            write_reason(out, family, &rows[i], raim_reason_name(leave_reasons[j]),
                         rows[i].status->counts.leaves[leave_reasons[j]]);
}

char *metrics_text(const struct status_view *view, uint64_t now_ms)
{
    const struct arena_list *list = view->list;
    struct text_buffer out = {0};
    struct row rows[CONFIG_MAX_ARENAS];
    assert(list->count <= CONFIG_MAX_ARENAS);
    for (int i = 0; i < list->count; i++) {
        const struct arena_view arena = arena_view(list->arenas[i]);
        rows[i] = (struct row){.arena = arena.config->name, .status = arena.status};
        arena_metric_objects(&arena, rows[i].objects);
    }
    write_usage(&out, view->process);
    write_build(&out);
    write_uptime(&out, view, now_ms);
    write_workers(&out, list);
    metric_text_value(&out, "raimd_arenas", METRIC_GAUGE, "Arenas that run.",
                      (uint64_t)list->count);
    for (int i = 0; i < view->source_count; i++)
        metric_write_families(&view->sources[i], &out, now_ms);
    write_tables(&out, rows, list->count);
    write_stages(&out, rows, list->count);
    write_leaves(&out, rows, list->count);
    write_rejections(&out, rows, list->count);
    return text_buffer_take(&out);
}
