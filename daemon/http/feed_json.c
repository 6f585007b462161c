// SPDX-License-Identifier: MIT
// Writes the dashboard's feed as text, because it is mostly numbers.
#include "feed_json.h"

#include "json_text.h"
#include "last_hour.h"
#include "rejections.h"
#include "status.h"
#include "text_buffer.h"

#include <inttypes.h>
#include <stdlib.h>

#define NS_PER_MS UINT64_C(1000000)

static int compare(const void *left, const void *right)
{
    const uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return (a > b) - (a < b);
}

// Writes the median, the 90th percentile and the largest of the connected players' round trips.
static void write_pings(struct text_buffer *out, const struct arena_status *status)
{
    uint32_t pings[RAIM_MAX_PLAYERS], count = 0;
    for (uint32_t i = 0; i < status->player_count && count < RAIM_MAX_PLAYERS; i++)
        if (!status->players[i].match.bot && !status->players[i].match.away)
            pings[count++] = status->players[i].ping_ms;
    qsort(pings, count, sizeof *pings, compare);
    if (count > 0)
        text_buffer_print(out, ",\"ping_ms\":[%u,%u,%u]", pings[(count - 1) / 2],
                          pings[(count * 9 + 9) / 10 - 1], pings[count - 1]);
    else
        text_buffer_print(out, ",\"ping_ms\":null");
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

static void write_arena(struct text_buffer *out, const struct arena_list *list, struct arena *arena)
{
    static const char *const phases[RAIM_MATCH_PHASES] = {
        [RAIM_MATCH_PLAY] = "play", [RAIM_MATCH_BREAK] = "break", [RAIM_MATCH_PAUSED] = "paused"};
    const struct config_arena *config = arena_config(arena);
    const struct arena_status *status = arena_status(arena);
    const struct last_hour_sample *newest = last_hour_newest(list->last_hour, config->name);
    text_buffer_print(out, "{\"name\":");
    json_text_quote(out, config->name);
    text_buffer_print(out, ",\"hostname\":");
    json_text_quote(out, config_shown_name(config));
    text_buffer_print(out, ",\"map\":");
    json_text_quote(out, config->match.map->name);
    text_buffer_print(out,
                      ",\"port\":%u,\"phase\":\"%s\",\"players\":%u,\"max\":%u,\"bots\":%u,"
                      "\"spectators\":%u",
                      arena_port(arena), phases[status->round.phase], status->counts.players,
                      config->match.tuning.max_players, status->counts.bots,
                      status->counts.spectators);
    text_buffer_print(out,
                      ",\"tick_us\":[%u,%u],\"late_p99_us\":%u,\"late\":%" PRIu64
                      ",\"skipped\":%" PRIu64 ",\"interval\":%u,\"overloaded\":%s",
                      status_tick_us(status, 50), status_tick_us(status, 99),
                      newest != NULL ? newest->late_p99_us : 0, status->late_ticks,
                      status->skipped_ticks, status->snapshot_interval,
                      arena_overload(arena)->is_on ? "true" : "false");
    write_pings(out, status);
    text_buffer_print(out,
                      ",\"joins\":%" PRIu64 ",\"rejections\":%" PRIu64 ",\"in\":%" PRIu64
                      ",\"out\":%" PRIu64 "}",
                      status->counts.joins, count_rejections(status), status->transport.bytes_in,
                      status->transport.bytes_out);
}

char *feed_json(const struct arena_list *list, uint64_t now_ms)
{
    struct text_buffer out = {0};
    text_buffer_print(&out, "{\"version\":\"%s\",\"uptime_s\":%" PRIu64 ",\"workers_busy_ms\":[",
                      RAIM_VERSION, (now_ms - list->started_ms) / 1000);
    for (int i = 0; i < list->worker_count; i++)
        text_buffer_print(&out, "%s%" PRIu64, i > 0 ? "," : "",
                          worker_busy_ns(list->workers[i]) / NS_PER_MS);
    text_buffer_print(&out, "],\"arenas\":[");
    for (int i = 0; i < list->count; i++) {
        text_buffer_add(&out, ",", i > 0);
        write_arena(&out, list, list->arenas[i]);
    }
    text_buffer_print(&out, "]}");
    return text_buffer_take(&out);
}
