// SPDX-License-Identifier: MIT
// Writes the status documents. Keys are in a fixed order for human readers.
#include "status.h"

#include "arena.h"
#include "arena_metrics.h"
#include "json_writer.h"
#include "last_hour.h"
#include "monotonic.h"
#include "process_usage.h"

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void status_view_open(struct status_view *view, const struct arena_list *list, struct loop *loop)
{
    view->list = list;
    view->started_ms = monotonic_ms();
    view->last_hour = last_hour_create(list, view->started_ms);
    if (!last_hour_start(view->last_hour, loop)) {
        last_hour_destroy(view->last_hour);
        view->last_hour = NULL;
    }
    view->process = process_usage_open();
}

void status_view_close(struct status_view *view)
{
    last_hour_destroy(view->last_hour);
    process_usage_close(view->process);
}

// The object of one arena in the status. Main thread only.

struct json_writer;

// Sums over all arenas.
struct status_totals {
    uint64_t now, bots, spectators; // connected players; bots; spectators
    uint64_t max;                   // player slots without bots
};

static int compare_durations(const void *left, const void *right)
{
    const uint32_t a = *(const uint32_t *)left;
    const uint32_t b = *(const uint32_t *)right;
    return (a > b) - (a < b);
}

// Percentile by the nearest-rank method: the smallest duration that `percent` of the sorted
// durations do not exceed.
static uint32_t percentile(const uint32_t *sorted, uint32_t count, uint32_t percent)
{
    if (count == 0)
        return 0;
    return sorted[(count * percent + 99) / 100 - 1];
}

// Copies and sorts the durations and returns their number.
static uint32_t sort_durations(const struct arena_status *status,
                               uint32_t sorted[ARENA_TICK_WINDOW])
{
    const uint32_t count = status->tick_us_count;
    assert(count <= ARENA_TICK_WINDOW);
    memcpy(sorted, status->tick_us, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, compare_durations);
    return count;
}

uint32_t status_tick_us(const struct arena_status *status, uint32_t percent)
{
    uint32_t sorted[ARENA_TICK_WINDOW];
    const uint32_t count = sort_durations(status, sorted);
    return percentile(sorted, count, percent);
}

static void write_tick_us(struct json_writer *json, const struct arena_status *status)
{
    uint32_t sorted[ARENA_TICK_WINDOW];
    const uint32_t count = sort_durations(status, sorted);
    json_begin_object(json, "tick_us");
    json_write_count(json, "p50", percentile(sorted, count, 50));
    json_write_count(json, "p99", percentile(sorted, count, 99));
    json_write_count(json, "max", percentile(sorted, count, 100));
    json_write_end(json);
}

static void write_stage(struct json_writer *json, const struct tick_profile *profile, int stage,
                        double total_ns)
{
    uint32_t sorted[TICK_PROFILE_WINDOW];
    const uint32_t count = tick_profile_kept(profile);
    double sum_ns = 0;
    for (uint32_t i = 0; i < count; i++)
        sum_ns += sorted[i] = profile->ns[stage][i];
    qsort(sorted, count, sizeof *sorted, compare_durations);
    json_begin_object(json, tick_stage_names[stage]);
    json_write_tenths(json, "p50", percentile(sorted, count, 50) / 1e3);
    json_write_tenths(json, "p99", percentile(sorted, count, 99) / 1e3);
    json_write_tenths(json, "percent", total_ns > 0 ? 100 * sum_ns / total_ns : 0);
    json_write_end(json);
}

static void write_stages(struct json_writer *json, const struct tick_profile *profile)
{
    double total_ns = 0;
    for (int stage = 0; stage < TICK_STAGES; stage++)
        for (uint32_t i = 0; i < tick_profile_kept(profile); i++)
            total_ns += profile->ns[stage][i];
    json_begin_object(json, "stages_us");
    for (int stage = 0; stage < TICK_STAGES; stage++)
        write_stage(json, profile, stage, total_ns);
    json_write_end(json);
}

static void write_rejections(struct json_writer *json, const struct arena_status *status)
{
    struct rejections list[REJECTIONS_MAX_REASONS];
    const int length = rejections_list(status, list);
    json_begin_object(json, "rejections");
    for (int i = 0; i < length; i++)
        json_write_count(json, list[i].reason, list[i].count);
    json_write_end(json);
}

static void write_player(struct json_writer *json, const struct arena_player *player,
                         uint32_t tick_hz)
{
    const struct raim_match_player *match = &player->match;
    json_begin_object(json, NULL);
    json_write_count(json, "id", match->id);
    json_write_text(json, "name", match->name);
    json_write_flag(json, "bot", match->bot);
    json_write_flag(json, "away", match->away);
    json_write_count(json, "score", match->score);
    json_write_count(json, "deaths", match->deaths);
    json_write_count(json, "ping_ms", player->ping_ms);
    json_write_count(json, "inputs_due", match->inputs_due);
    json_write_count(json, "inputs_missed", match->inputs_missed);
    json_write_tenths(json, "connected_s", (double)match->played_ticks / tick_hz);
    json_write_end(json);
}

// NULL: there is no single winner, or no break.
static const char *winner(const struct arena_status *status)
{
    for (uint32_t i = 0; i < status->player_count; i++)
        if (status->players[i].match.id == status->round.winner)
            return status->players[i].match.name;
    return NULL;
}

static void write_round(struct json_writer *json, const struct arena_status *status,
                        uint32_t tick_hz)
{
    static const char *const phases[RAIM_MATCH_PHASES] = {
        [RAIM_MATCH_PLAY] = "play",
        [RAIM_MATCH_BREAK] = "break",
        [RAIM_MATCH_PAUSED] = "paused",
    };
    const struct raim_match_round *now = &status->round;
    json_begin_object(json, "round");
    json_write_count(json, "number", now->round);
    json_write_text(json, "phase", phases[now->phase]);
    if (now->has_end)
        json_write_tenths(json, "left_s", (double)now->left_ticks / tick_hz);
    else
        json_write_null(json, "left_s");
    json_write_count(json, "score_limit", now->score_limit);
    json_write_text(json, "winner", winner(status));
    json_write_end(json);
}

static const char *text_or_null(const char *text)
{
    return text[0] != '\0' ? text : NULL;
}

static void write_vote(struct json_writer *json, const struct arena_status *status)
{
    const struct raim_match_vote *vote = &status->vote;
    if (!status->has_vote) {
        json_write_null(json, "vote");
        return;
    }
    json_begin_object(json, "vote");
    json_write_count(json, "number", vote->number);
    json_write_text(json, "kind", raim_vote_kind_name(vote->subject.kind));
    json_write_text(json, "caller", vote->caller_name);
    json_write_text(json, "target", text_or_null(vote->target_name));
    json_write_text(json, "map", text_or_null(vote->subject.map));
    if (vote->subject.minutes > 0)
        json_write_count(json, "minutes", vote->subject.minutes);
    else
        json_write_null(json, "minutes");
    json_write_text(json, "reason", text_or_null(vote->subject.reason));
    json_write_count(json, "yes", vote->tally.yes);
    json_write_count(json, "no", vote->tally.no);
    json_write_count(json, "electors", vote->tally.electors);
    json_write_count(json, "needed", vote->tally.needed);
    json_write_tenths(json, "left_s", vote->left_ms / 1000.0);
    json_write_end(json);
}

// What does not change while a match runs.
static void write_identity(struct json_writer *json, const struct arena *arena)
{
    const struct config_arena *config = arena_config(arena);
    json_write_text(json, "name", config->name);
    json_write_text(json, "hostname", config_shown_name(config));
    json_begin_array(json, "tags");
    for (int i = 0; i < config->tags.count; i++)
        json_write_text(json, NULL, config->tags.words[i]);
    json_write_end(json);
    json_write_text(json, "region", config->region);
    json_write_text(json, "website", config->website);
    json_write_flag(json, "locked", config_is_locked(config));
    json_write_count(json, "port", arena_port(arena));
    json_write_text(json, "map", config->match.map->name);
}

// Writes the object of an arena, and adds the arena to `totals`.
static void status_write_arena(struct json_writer *json, struct arena *arena,
                               struct status_totals *totals)
{
    const struct arena_view view = arena_view(arena);
    const struct arena_status *status = view.status;
    const void *objects[ARENA_METRIC_TABLES];
    arena_metric_objects(&view, objects);
    totals->now += status->counts.players;
    totals->bots += status->counts.bots;
    totals->spectators += status->counts.spectators;
    totals->max += view.config->match.tuning.max_players;
    json_begin_object(json, NULL);
    write_identity(json, arena);
    json_write_text(json, "state", status->tick == 0 ? "starting" : "running");
    write_round(json, status, view.config->match.tick_hz);
    write_vote(json, status);
    write_tick_us(json, status);
    write_stages(json, &status->profile);
    json_write_text(json, "overload_cause",
                    view.overload->is_on ? overload_cause(view.overload) : NULL);
    for (int i = 0; i < ARENA_METRIC_TABLES; i++)
        metric_write_status(&(struct metric_source){arena_metric_tables[i], objects[i]}, json, 0);
    write_rejections(json, status);
    json_begin_array(json, "players");
    for (uint32_t i = 0; i < status->player_count; i++)
        write_player(json, &status->players[i], view.config->match.tick_hz);
    json_write_end(json);
    json_write_end(json);
}

// Version of the documents. It changes when a key is removed or changes its meaning, but not for
// new keys.
#define STATUS_SCHEMA 1

static uint64_t uptime_s(const struct status_view *view, uint64_t now_ms)
{
    return (now_ms - view->started_ms) / 1000;
}

static void write_totals(struct json_writer *json, const struct status_totals *totals)
{
    json_begin_object(json, "players");
    json_write_count(json, "now", totals->now);
    json_write_count(json, "bots", totals->bots);
    json_write_count(json, "spectators", totals->spectators);
    json_write_count(json, "max", totals->max);
    json_write_end(json);
}

static void write_overloaded_workers(struct json_writer *json, const struct arena_list *list)
{
    json_begin_array(json, "overloaded_workers");
    for (int i = 0; i < list->worker_count; i++) {
        if (!list->loads[i].is_on)
            continue;
        json_begin_object(json, NULL);
        json_write_count(json, "worker", (uint64_t)i);
        json_write_count(json, "busy_percent", list->loads[i].percent);
        json_write_end(json);
    }
    json_write_end(json);
}

char *status_json(const struct status_view *view, uint64_t now_ms)
{
    const struct arena_list *list = view->list;
    // Each arena's status is read once, so that the totals, which come first, agree with the
    // arenas.
    struct status_totals totals = {0};
    struct json_writer json = {0}, arenas = {0};
    json_begin_array(&arenas, NULL);
    for (int i = 0; i < list->count; i++)
        status_write_arena(&arenas, list->arenas[i], &totals);
    json_write_end(&arenas);
    char *text = json_write_take(&arenas);
    json_begin_object(&json, NULL);
    json_write_count(&json, "schema", STATUS_SCHEMA);
    json_write_text(&json, "version", RAIM_VERSION);
    json_write_count(&json, "uptime_s", uptime_s(view, now_ms));
    json_write_count(&json, "workers", (uint64_t)list->worker_count);
    write_overloaded_workers(&json, list);
    write_totals(&json, &totals);
    for (int i = 0; i < view->source_count; i++)
        metric_write_status(&view->sources[i], &json, now_ms);
    json_write_document(&json, "arenas", text);
    json_write_end(&json);
    free(text);
    return json_write_take(&json);
}

static bool is_any_overloaded(const struct arena_list *list)
{
    for (int i = 0; i < list->count; i++)
        if (arena_overload(list->arenas[i])->is_on)
            return true;
    return false;
}

static bool is_any_worker_overloaded(const struct arena_list *list)
{
    for (int i = 0; i < list->worker_count; i++)
        if (list->loads[i].is_on)
            return true;
    return false;
}

char *status_health_json(const struct status_view *view, uint64_t now_ms)
{
    struct json_writer json = {0};
    json_begin_object(&json, NULL);
    json_write_text(&json, "status", is_any_overloaded(view->list) ? "overloaded" : "ok");
    json_write_count(&json, "uptime_s", uptime_s(view, now_ms));
    json_write_end(&json);
    return json_write_take(&json);
}

// --- Documents of the control socket ---

static void write_admin_player(struct json_writer *json, const struct arena *arena,
                               const struct arena_player *player)
{
    const struct raim_match_player *match = &player->match;
    const bool has_address = !ip_address_is_none(player->address);
    char address[BANS_NETWORK_BYTES];
    if (has_address)
        bans_print_address(player->address, address);
    json_begin_object(json, NULL);
    json_write_text(json, "arena", arena_config(arena)->name);
    json_write_count(json, "id", match->id);
    json_write_text(json, "name", match->name);
    json_write_text(json, "address", has_address ? address : NULL);
    json_write_flag(json, "bot", match->bot);
    json_write_flag(json, "away", match->away);
    json_write_flag(json, "muted", match->muted);
    json_write_count(json, "score", match->score);
    json_write_count(json, "deaths", match->deaths);
    json_write_count(json, "ping_ms", player->ping_ms);
    json_write_end(json);
}

char *status_players_json(const struct arena_list *list)
{
    struct json_writer json = {0};
    json_begin_object(&json, NULL);
    json_begin_array(&json, "players");
    for (int i = 0; i < list->count; i++) {
        const struct arena_status *status = arena_status(list->arenas[i]);
        for (uint32_t j = 0; j < status->player_count; j++)
            write_admin_player(&json, list->arenas[i], &status->players[j]);
    }
    json_write_end(&json);
    json_write_end(&json);
    return json_write_take(&json);
}

static void write_ban(struct json_writer *json, const struct ban *ban, int64_t now_s)
{
    char network[BANS_NETWORK_BYTES];
    bans_print(ban->network, ban->prefix, network);
    json_begin_object(json, NULL);
    json_write_text(json, "address", network);
    if (ban->until_s == 0) {
        json_write_null(json, "left_s");
        json_write_null(json, "until_s");
    } else {
        json_write_number(json, "left_s", ban->until_s - now_s);
        json_write_number(json, "until_s", ban->until_s);
    }
    json_write_text(json, "by", ban->by);
    json_write_text(json, "reason", ban->why);
    json_write_end(json);
}

char *status_bans_json(const struct bans *bans, int64_t now_s)
{
    struct json_writer json = {0};
    json_begin_object(&json, NULL);
    json_begin_array(&json, "bans");
    for (uint32_t i = 0; bans != NULL && i < bans->count; i++)
        if (bans->items[i].until_s == 0 || bans->items[i].until_s > now_s)
            write_ban(&json, &bans->items[i], now_s);
    json_write_end(&json);
    json_write_end(&json);
    return json_write_take(&json);
}

char *status_maps_json(const struct config *config)
{
    struct json_writer json = {0};
    json_begin_object(&json, NULL);
    json_begin_array(&json, "maps");
    for (int i = 0; config->map_paths != NULL && i < config->map_count; i++)
        if (config->map_paths[i] != NULL)
            json_write_text(&json, NULL, config->map_paths[i]);
    json_write_end(&json);
    json_write_end(&json);
    return json_write_take(&json);
}

char *status_problem_json(const char *error)
{
    struct json_writer json = {0};
    json_begin_object(&json, NULL);
    json_write_text(&json, "error", error);
    json_write_end(&json);
    return json_write_take(&json);
}

static void write_lines(struct json_writer *json, const struct reload_report *report,
                        enum reload_report_kind kind)
{
    json_begin_array(json, reload_report_kind_name(kind));
    for (int i = 0; i < report->count; i++)
        if (report->lines[i].kind == kind)
            json_write_text(json, NULL, report->lines[i].text);
    json_write_end(json);
}

char *status_reload_json(const struct reload_report *report)
{
    const bool rejected = reload_report_has(report, RELOAD_REPORT_MISTAKE);
    struct json_writer json = {0};
    json_begin_object(&json, NULL);
    if (rejected)
        json_write_text(
            &json, "error",
            "the new configuration was rejected; the running configuration is unchanged");
    for (int kind = 0; kind < RELOAD_REPORT_KINDS; kind++)
        if (kind == RELOAD_REPORT_WARNING || (kind == RELOAD_REPORT_MISTAKE) == rejected)
            write_lines(&json, report, (enum reload_report_kind)kind);
    json_write_end(&json);
    return json_write_take(&json);
}

// --- One arena, health and readiness ---

char *status_arena_json(const struct arena_list *list, const char *name, bool *missing)
{
    const int index = arena_list_find(list, name);
    struct status_totals totals = {0};
    struct json_writer json = {0};
    *missing = index < 0;
    if (*missing)
        return NULL;
    status_write_arena(&json, list->arenas[index], &totals);
    return json_write_take(&json);
}

// Milliseconds since the arena's newest tick, or UINT64_MAX before the first. A tick can be newer
// than `now_ms`, which was read before.
static uint64_t silence_ms(const struct arena *arena, uint64_t now_ms)
{
    const uint64_t ticked_ms = arena_ticked_ms(arena);
    return ticked_ms == 0 ? UINT64_MAX : now_ms > ticked_ms ? now_ms - ticked_ms : 0;
}

static void write_silent_arenas(struct json_writer *json, const struct arena_list *list,
                                const uint64_t silent_ms[])
{
    json_begin_array(json, "silent");
    for (int i = 0; i < list->count; i++) {
        if (silent_ms[i] < STATUS_READY_MS)
            continue;
        json_begin_object(json, NULL);
        json_write_text(json, "name", arena_config(list->arenas[i])->name);
        if (silent_ms[i] == UINT64_MAX)
            json_write_null(json, "silent_ms");
        else
            json_write_count(json, "silent_ms", silent_ms[i]);
        json_write_end(json);
    }
    json_write_end(json);
}

static void write_overloaded_arenas(struct json_writer *json, const struct arena_list *list)
{
    json_begin_array(json, "overloaded");
    for (int i = 0; i < list->count; i++) {
        const struct overload *overload = arena_overload(list->arenas[i]);
        if (!overload->is_on)
            continue;
        json_begin_object(json, NULL);
        json_write_text(json, "name", arena_config(list->arenas[i])->name);
        json_write_text(json, "cause", overload_cause(overload));
        json_write_count(json, "late_ticks", overload->late_in_window);
        json_write_count(json, "skipped_ticks", overload->skipped_in_window);
        json_write_count(json, "due_ticks", overload->due);
        json_write_end(json);
    }
    json_write_end(json);
}

// The defect of the first row that shows one; NULL: none does.
static const char *find_defect(const struct status_view *view)
{
    for (int i = 0; i < view->source_count; i++)
        for (int j = 0; j < view->sources[i].table->count; j++) {
            const struct metric *row = &view->sources[i].table->rows[j];
            if (row->defect != NULL && metric_value(row, view->sources[i].object) != 0)
                return row->defect;
        }
    return NULL;
}

static void write_defects(struct json_writer *json, const struct status_view *view)
{
    for (int i = 0; i < view->source_count; i++)
        for (int j = 0; j < view->sources[i].table->count; j++) {
            const struct metric *row = &view->sources[i].table->rows[j];
            if (row->defect != NULL)
                json_write_count(json, row->key, metric_value(row, view->sources[i].object));
        }
}

char *status_ready_json(const struct status_view *view, uint64_t now_ms, bool *ready)
{
    const struct arena_list *list = view->list;
    uint64_t silent_ms[CONFIG_MAX_ARENAS];
    struct json_writer json = {0};
    bool all_tick = true;
    for (int i = 0; i < list->count; i++) {
        silent_ms[i] = silence_ms(list->arenas[i], now_ms);
        all_tick = all_tick && silent_ms[i] < STATUS_READY_MS;
    }
    const bool all_keep_up = !is_any_overloaded(list);
    const bool has_room = !is_any_worker_overloaded(list);
    *ready = all_tick && all_keep_up;
    json_begin_object(&json, NULL);
    const char *defect = find_defect(view);
    json_write_text(&json, "status",
                    !*ready                       ? "not ready"
                    : !has_room || defect != NULL ? "degraded"
                                                  : "ready");
    json_write_text(&json, "reason",
                    !all_tick        ? "not every arena has ticked within a second"
                    : !all_keep_up   ? "an arena is overloaded: its ticks are late or skipped"
                    : !has_room      ? "a worker is busy for more than 90 % of the time"
                    : defect != NULL ? defect
                                     : "every arena has ticked within a second");
    write_silent_arenas(&json, list, silent_ms);
    write_overloaded_arenas(&json, list);
    write_overloaded_workers(&json, list);
    write_defects(&json, view);
    json_write_end(&json);
    return json_write_take(&json);
}
