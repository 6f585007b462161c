// SPDX-License-Identifier: MIT
// Runs each periodic duty when it is due.
#include "periodic.h"

#include "last_hour.h"
#include "log.h"
#include "overload.h"
#include "rejection_log.h"
#include "sd_notify.h"
#include "status.h"

enum { STATUS_EVERY_MS = 5000 };

void periodic_start(struct periodic *periodic, uint64_t now_ms)
{
    *periodic = (struct periodic){.watchdog_every_ms = sd_notify_watchdog_ms()};
    periodic->next_watchdog_ms = now_ms + periodic->watchdog_every_ms;
}

// Returns whether a duty is due, and if so sets its next time.
static bool is_due(uint64_t *next_ms, uint64_t every_ms, uint64_t now_ms)
{
    if (now_ms < *next_ms)
        return false;
    *next_ms = now_ms + every_ms;
    return true;
}

static void log_rejections(const struct arena_list *list)
{
    char line[REJECTION_LOG_LINE_BYTES];
    for (int i = 0; i < list->count; i++) {
        struct arena *arena = list->arenas[i];
        if (rejection_log_update(arena_rejection_log(arena), &arena_status(arena)->transport, line))
            log_arena_warning(arena_config(arena)->name, "refused arena=%s %s",
                              arena_config(arena)->name, line);
    }
}

static void log_overloads(const struct arena_list *list)
{
    for (int i = 0; i < list->count; i++) {
        struct overload *overload = arena_overload(list->arenas[i]);
        const struct config_arena *config = arena_config(list->arenas[i]);
        const struct arena_status *status = arena_status(list->arenas[i]);
        char line[OVERLOAD_LINE_BYTES];
        if (!overload_update(overload, status->late_ticks, status->skipped_ticks, config->tick_hz))
            continue;
        overload_write(overload, line);
        if (overload->is_on)
            log_arena_warning(config->name, "overloaded arena=%s %s p99_us=%u", config->name, line,
                              status_tick_us(status, 99));
        else
            log_arena_info(config->name, "recovered arena=%s %s p99_us=%u", config->name, line,
                           status_tick_us(status, 99));
    }
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
            log_arena_warning(config->name, "fewer snapshots arena=%s interval=%u p99_us=%u",
                              config->name, status->snapshot_interval, status_tick_us(status, 99));
        else
            log_arena_info(config->name, "all snapshots again arena=%s p99_us=%u", config->name,
                           status_tick_us(status, 99));
    }
}

void periodic_run(struct periodic *periodic, struct arena_table *table, uint64_t now_ms)
{
    if (periodic->watchdog_every_ms > 0 &&
        is_due(&periodic->next_watchdog_ms, periodic->watchdog_every_ms, now_ms) &&
        arena_table_ticks_advance(table))
        sd_notify_alive();
    last_hour_run(table->running.last_hour, now_ms);
    if (is_due(&periodic->next_rejections_ms, REJECTION_LOG_EVERY_MS, now_ms))
        log_rejections(&table->running);
    if (is_due(&periodic->next_overload_ms, OVERLOAD_EVERY_MS, now_ms)) {
        log_overloads(&table->running);
        log_shedding(&table->running);
    }
    if (is_due(&periodic->next_status_ms, STATUS_EVERY_MS, now_ms)) {
        uint32_t players, bots;
        arena_table_count_players(table, &players, &bots);
        sd_notify_players(players, bots);
    }
}

int periodic_timeout_ms(const struct periodic *periodic, uint64_t now_ms)
{
    // The other duties are due less often.
    uint64_t due_ms = periodic->next_overload_ms;
    if (periodic->watchdog_every_ms > 0 && periodic->next_watchdog_ms < due_ms)
        due_ms = periodic->next_watchdog_ms;
    return due_ms > now_ms ? (int)(due_ms - now_ms) : 0;
}
