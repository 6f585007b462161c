// SPDX-License-Identifier: MIT
// Runs each periodic duty when it is due.
#include "periodic.h"

#include "arena_load.h"
#include "log.h"
#include "loop.h"
#include "monotonic.h"
#include "rejection_log.h"
#include "server_events.h"
#include "status.h"
#include "systemd.h"
#include "text_buffer.h"

#include <inttypes.h>
#include <stdlib.h>

enum { STATUS_EVERY_MS = 5000, DUTIES = 4 };

struct periodic {
    struct loop_source *duties[DUTIES];
};

static void log_rejections(void *context)
{
    const struct arena_table *table = context;
    const struct arena_list *list = &table->running;
    char line[REJECTION_LOG_LINE_BYTES];
    for (int i = 0; i < list->count; i++) {
        struct arena *arena = list->arenas[i];
        if (rejection_log_update(arena_rejection_log(arena), &arena_status(arena)->transport, line))
            log_arena_warning(arena_config(arena)->name, "rejected arena=%s %s",
                              arena_config(arena)->name, line);
    }
}

static char *arena_fields(const struct overload *overload)
{
    struct text_buffer out = {0};
    text_buffer_print(&out,
                      "{\"overloaded\":%s,\"cause\":\"%s\",\"late_ticks\":%" PRIu64
                      ",\"skipped_ticks\":%" PRIu64 ",\"due_ticks\":%" PRIu32 "}",
                      overload->is_on ? "true" : "false", overload_cause(overload),
                      overload->late_in_window, overload->skipped_in_window, overload->due);
    return text_buffer_take(&out);
}

// How busy the worker of the arena at this index is.
static uint32_t busy_percent(const struct arena_table *table, int index)
{
    for (int i = 0; i < table->running.worker_count; i++)
        if (table->running.workers[i] == table->slots[index]->worker)
            return table->running.loads[i].percent;
    return 0;
}

static void tell_overload(const struct arena_table *table, int index)
{
    struct arena *arena = table->running.arenas[index];
    struct overload *overload = arena_overload(arena);
    const struct config_arena *config = arena_config(arena);
    const struct arena_status *status = arena_status(arena);
    char line[OVERLOAD_LINE_BYTES];
    if (!overload_update(overload, status->late_ticks, status->skipped_ticks, config->match.tick_hz,
                         busy_percent(table, index)))
        return;
    overload_write(overload, line);
    if (overload->is_on)
        log_arena_warning(config->name, "overloaded arena=%s cause=%s %s p99_us=%u", config->name,
                          overload_cause(overload), line, status_tick_us(status, 99));
    else
        log_arena_info(config->name, "recovered arena=%s %s p99_us=%u", config->name, line,
                       status_tick_us(status, 99));
    server_events_add(table->events, "overload", config->name, arena_fields(overload));
}

static void tell_load(struct arena_table *table, int worker)
{
    struct worker_load *load = &table->running.loads[worker];
    struct text_buffer out = {0};
    if (!worker_load_update(load, worker_busy_ns(table->running.workers[worker]), monotonic_ns()))
        return;
    if (load->is_on)
        log_warning("overloaded worker=%d busy_percent=%u", worker, load->percent);
    else
        log_info("recovered worker=%d busy_percent=%u", worker, load->percent);
    text_buffer_print(&out, "{\"overloaded\":%s,\"worker\":%d,\"busy_percent\":%u}",
                      load->is_on ? "true" : "false", worker, load->percent);
    server_events_add(table->events, "overload", NULL, text_buffer_take(&out));
}

static void tell_overloads(struct arena_table *table)
{
    for (int i = 0; i < table->running.worker_count; i++)
        tell_load(table, i);
    for (int i = 0; i < table->running.count; i++)
        tell_overload(table, i);
}

// Logs when an arena begins and ends to send each client fewer snapshots.
static void log_shedding(const struct arena_list *list)
{
    for (int i = 0; i < list->count; i++) {
        bool *sheds = arena_sheds(list->arenas[i]);
        const struct config_arena *config = arena_config(list->arenas[i]);
        const struct arena_status *status = arena_status(list->arenas[i]);
        if (*sheds == (status->snapshot_interval > 1))
            continue;
        *sheds = !*sheds;
        if (*sheds)
            log_arena_warning(config->name, "snapshot rate reduced arena=%s interval=%u p99_us=%u",
                              config->name, status->snapshot_interval, status_tick_us(status, 99));
        else
            log_arena_info(config->name, "snapshot rate restored arena=%s p99_us=%u", config->name,
                           status_tick_us(status, 99));
    }
}

// Feeds the watchdog only while every arena ticks.
static void feed_watchdog(void *context)
{
    if (arena_table_ticks_advance(context))
        systemd_notify_alive();
}

static void look_at_load(void *context)
{
    struct arena_table *table = context;
    tell_overloads(table);
    log_shedding(&table->running);
}

static void tell_players(void *context)
{
    uint32_t players, bots;
    arena_table_count_players(context, &players, &bots);
    systemd_notify_players(players, bots);
}

struct periodic *periodic_start(struct loop *loop, struct arena_table *table)
{
    const struct {
        uint32_t every_ms; // 0: never
        loop_function *run;
    } duties[DUTIES] = {
        {systemd_watchdog_ms(), feed_watchdog},
        {OVERLOAD_EVERY_MS, look_at_load},
        {STATUS_EVERY_MS, tell_players},
        {REJECTION_LOG_EVERY_MS, log_rejections},
    };
    struct periodic *periodic = calloc(1, sizeof *periodic);
    bool is_good = periodic != NULL;
    for (int i = 0; i < DUTIES && is_good; i++) {
        if (duties[i].every_ms == 0)
            continue;
        periodic->duties[i] = loop_add_interval(loop, duties[i].every_ms, duties[i].run, table);
        is_good = periodic->duties[i] != NULL;
        if (is_good && duties[i].run == tell_players)
            loop_set_timer(periodic->duties[i], 0); // once the service is ready
    }
    if (is_good)
        return periodic;
    periodic_stop(periodic);
    return NULL;
}

void periodic_stop(struct periodic *periodic)
{
    if (periodic == NULL)
        return;
    for (int i = 0; i < DUTIES; i++)
        loop_remove(periodic->duties[i]);
    free(periodic);
}
