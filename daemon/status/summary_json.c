// SPDX-License-Identifier: MIT
// Writes the dashboard's feed.
#include "summary_json.h"

#include "arena_metrics.h"
#include "json_writer.h"
#include "last_hour.h"
#include "status.h"

#include <stdlib.h>

#define NS_PER_MS UINT64_C(1000000)

static int compare(const void *left, const void *right)
{
    const uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return (a > b) - (a < b);
}

// Writes the median, the 90th percentile and the largest of the connected players' round trips.
static void write_pings(struct json_writer *json, const struct arena_status *status)
{
    uint32_t pings[RAIM_MAX_PLAYERS], count = 0;
    for (uint32_t i = 0; i < status->player_count && count < RAIM_MAX_PLAYERS; i++)
        if (!status->players[i].match.bot && !status->players[i].match.away)
            pings[count++] = status->players[i].ping_ms;
    if (count == 0) {
        json_write_null(json, "ping_ms");
        return;
    }
    qsort(pings, count, sizeof *pings, compare);
    json_begin_array(json, "ping_ms");
    json_write_count(json, NULL, pings[(count - 1) / 2]);
    json_write_count(json, NULL, pings[(count * 9 + 9) / 10 - 1]);
    json_write_count(json, NULL, pings[count - 1]);
    json_write_end(json);
}

static uint64_t count_rejections(const struct arena_status *status)
{
    struct rejections reasons[REJECTIONS_MAX_REASONS];
    const int length = rejections_list(status, reasons);
    uint64_t sum = 0;
    for (int i = 0; i < length; i++)
        sum += reasons[i].count;
    return sum;
}

static void write_ticks(struct json_writer *json, const struct arena_status *status,
                        uint32_t late_p99_us)
{
    json_begin_array(json, "tick_us");
    json_write_count(json, NULL, status_tick_us(status, 50));
    json_write_count(json, NULL, status_tick_us(status, 99));
    json_write_end(json);
    json_write_count(json, "late_p99_us", late_p99_us);
    json_write_count(json, "late", status->late_ticks);
    json_write_count(json, "skipped", status->skipped_ticks);
    json_write_count(json, "interval", status->snapshot_interval);
}

static void write_arena(struct json_writer *json, const struct last_hour *last_hour,
                        struct arena *arena)
{
    static const char *const phases[RAIM_MATCH_PHASES] = {
        [RAIM_MATCH_PLAY] = "play", [RAIM_MATCH_BREAK] = "break", [RAIM_MATCH_PAUSED] = "paused"};
    const struct config_arena *config = arena_config(arena);
    const struct arena_status *status = arena_status(arena);
    json_begin_object(json, NULL);
    json_write_text(json, "name", config->name);
    json_write_text(json, "hostname", config_shown_name(config));
    json_write_text(json, "map", config->match.map->name);
    json_write_count(json, "port", arena_port(arena));
    json_write_text(json, "phase", phases[status->round.phase]);
    json_write_count(json, "players", status->counts.players);
    json_write_count(json, "max", config->match.tuning.max_players);
    json_write_count(json, "bots", status->counts.bots);
    json_write_count(json, "spectators", status->counts.spectators);
    write_ticks(json, status, last_hour_late_p99_us(last_hour, config->name));
    json_write_flag(json, "overloaded", arena_overload(arena)->is_on);
    write_pings(json, status);
    json_write_count(json, "joins", status->counts.joins);
    json_write_count(json, "rejections", count_rejections(status));
    json_write_count(json, "in", status->transport.bytes_in);
    json_write_count(json, "out", status->transport.bytes_out);
    json_write_end(json);
}

char *summary_json(const struct status_view *view, uint64_t now_ms)
{
    const struct arena_list *list = view->list;
    struct json_writer json = {0};
    json_begin_object(&json, NULL);
    json_write_text(&json, "version", RAIM_VERSION);
    json_write_count(&json, "uptime_s", (now_ms - view->started_ms) / 1000);
    json_write_text(&json, "page", view->page);
    json_begin_array(&json, "workers_busy_ms");
    for (int i = 0; i < list->worker_count; i++)
        json_write_count(&json, NULL, worker_busy_ns(list->workers[i]) / NS_PER_MS);
    json_write_end(&json);
    json_begin_array(&json, "arenas");
    for (int i = 0; i < list->count; i++)
        write_arena(&json, view->last_hour, list->arenas[i]);
    json_write_end(&json);
    json_write_end(&json);
    return json_write_take(&json);
}
