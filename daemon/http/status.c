// SPDX-License-Identifier: MIT
// Writes the status documents. Keys are in a fixed order for human readers.
#include "status.h"

#include "json_writer.h"
#include "status_arena.h"

#include <stdbool.h>
#include <stdlib.h>

// Version of the documents. It changes when a key is removed or changes its meaning, but not for
// new keys.
#define STATUS_SCHEMA 1

static uint64_t uptime_s(const struct arena_list *list, uint64_t now_ms)
{
    return (now_ms - list->started_ms) / 1000;
}

static const char *text_or_null(const char *text)
{
    return text[0] != '\0' ? text : NULL;
}

static void write_orchestrator(struct json_writer *json, const struct orchestrator_report *report)
{
    if (report == NULL) {
        json_write_null(json, "agones");
        return;
    }
    json_write_object(json, "agones");
    json_write_text(json, "phase", report->phase);
    json_write_text(json, "gameserver", report->name);
    json_write_text(json, "state", report->state);
    json_write_flag(json, "connected", report->is_connected);
    json_write_flag(json, "watching", report->is_watching);
    json_write_count(json, "rooms", report->rooms);
    uint64_t accepted = 0, refused = 0, unanswered = 0;
    for (int i = 0; i < report->kinds; i++) {
        accepted += report->requests[i].accepted;
        refused += report->requests[i].refused;
        unanswered += report->requests[i].unanswered;
    }
    json_write_object(json, "requests");
    json_write_count(json, "accepted", accepted);
    json_write_count(json, "refused", refused);
    json_write_count(json, "unanswered", unanswered);
    json_write_end(json);
    json_write_count(json, "updates", report->updates);
    json_write_count(json, "malformed", report->malformed);
    json_write_end(json);
}

static void write_ban_list(struct json_writer *json, const struct arena_list_ban_list *list,
                           uint64_t now_ms)
{
    if (!list->is_on) {
        json_write_null(json, "ban_list");
        return;
    }
    json_write_object(json, "ban_list");
    json_write_count(json, "networks", list->count);
    if (list->fetched_ms == 0)
        json_write_null(json, "age_s");
    else
        json_write_count(json, "age_s", (now_ms - list->fetched_ms) / 1000);
    json_write_count(json, "failures", list->failures);
    json_write_text(json, "error", text_or_null(list->error));
    json_write_end(json);
}

static void write_totals(struct json_writer *json, const struct status_totals *totals)
{
    json_write_object(json, "players");
    json_write_count(json, "now", totals->now);
    json_write_count(json, "bots", totals->bots);
    json_write_count(json, "spectators", totals->spectators);
    json_write_count(json, "max", totals->max);
    json_write_end(json);
}

static void write_rooms(struct json_writer *json, const struct arena_list_rooms *rooms)
{
    json_write_object(json, "rooms");
    json_write_count(json, "now", rooms->now);
    json_write_count(json, "free", rooms->free);
    json_write_count(json, "made", rooms->made);
    json_write_count(json, "ended", rooms->ended);
    json_write_count(json, "refused", rooms->refused);
    json_write_end(json);
}

static void write_results(struct json_writer *json, const struct arena_list_results *results)
{
    json_write_object(json, "results");
    json_write_count(json, "written", results->written);
    json_write_count(json, "lost", results->lost);
    json_write_end(json);
}

static void write_overloaded_workers(struct json_writer *json, const struct arena_list *list)
{
    json_write_array(json, "overloaded_workers");
    for (int i = 0; i < list->worker_count; i++) {
        if (!list->loads[i].is_on)
            continue;
        json_write_object(json, NULL);
        json_write_count(json, "worker", (uint64_t)i);
        json_write_count(json, "busy_percent", list->loads[i].percent);
        json_write_end(json);
    }
    json_write_end(json);
}

// A master server, with what it and all arenas have sent each other.
static void write_master(struct json_writer *json, const struct arena_list *list, int index,
                         uint64_t now_ms)
{
    const struct config_master *master = &list->masters.masters->items[index];
    uint64_t arenas = 0, heartbeats = 0, asked = 0;
    int64_t asked_ms = 0;
    for (int i = 0; i < list->count; i++) {
        const struct masters_contact *contact =
            &arena_status(list->arenas[i])->masters.contacts[index];
        arenas += masters_standing(contact, (int64_t)now_ms) == MASTERS_LISTED;
        heartbeats += contact->heartbeats;
        asked += contact->asked;
        asked_ms = contact->asked_ms > asked_ms ? contact->asked_ms : asked_ms;
    }
    json_write_object(json, NULL);
    json_write_text(json, "host", master->host);
    json_write_count(json, "port", master->port);
    json_write_count(json, "addresses", (uint64_t)list->masters.addresses[index]);
    json_write_count(json, "arenas", arenas);
    json_write_count(json, "heartbeats", heartbeats);
    json_write_count(json, "asked", asked);
    if (asked == 0)
        json_write_null(json, "asked_s");
    else
        json_write_number(json, "asked_s", ((int64_t)now_ms - asked_ms) / 1000);
    json_write_end(json);
}

static void write_masters(struct json_writer *json, const struct arena_list *list, uint64_t now_ms)
{
    const int count = list->masters.masters != NULL ? list->masters.masters->count : 0;
    json_write_array(json, "masters");
    for (int i = 0; i < count; i++)
        write_master(json, list, i, now_ms);
    json_write_end(json);
}

static void write_discovery(struct json_writer *json, const struct arena_list_discovery *discovery)
{
    json_write_object(json, "lan_discovery");
    json_write_flag(json, "on", discovery->is_on);
    json_write_count(json, "answered", discovery->answered);
    json_write_count(json, "limited", discovery->limited);
    json_write_count(json, "refused", discovery->refused);
    json_write_end(json);
}

char *status_json(const struct arena_list *list, uint64_t now_ms)
{
    // Each arena's status is read once, so that the totals, which come first, agree with the
    // arenas.
    struct status_totals totals = {0};
    struct json_writer json = {0}, arenas = {0};
    json_write_array(&arenas, NULL);
    for (int i = 0; i < list->count; i++)
        status_write_arena(&arenas, list->arenas[i], &totals);
    json_write_end(&arenas);
    char *text = json_write_take(&arenas);
    json_write_object(&json, NULL);
    json_write_count(&json, "schema", STATUS_SCHEMA);
    json_write_text(&json, "version", RAIM_VERSION);
    json_write_count(&json, "uptime_s", uptime_s(list, now_ms));
    json_write_count(&json, "workers", (uint64_t)list->worker_count);
    write_overloaded_workers(&json, list);
    json_write_count(&json, "unread_state_lines", list->unread_state_lines);
    json_write_count(&json, "lost_state_changes", list->lost_state_changes);
    write_totals(&json, &totals);
    write_rooms(&json, &list->rooms);
    write_results(&json, &list->results);
    write_masters(&json, list, now_ms);
    write_discovery(&json, &list->discovery);
    write_ban_list(&json, &list->ban_list, now_ms);
    write_orchestrator(&json, list->orchestrator);
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

char *status_health_json(const struct arena_list *list, uint64_t now_ms)
{
    struct json_writer json = {0};
    json_write_object(&json, NULL);
    json_write_text(&json, "status", is_any_overloaded(list) ? "overloaded" : "ok");
    json_write_count(&json, "uptime_s", uptime_s(list, now_ms));
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
    json_write_object(json, NULL);
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
    json_write_object(&json, NULL);
    json_write_array(&json, "players");
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
    json_write_object(json, NULL);
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
    json_write_object(&json, NULL);
    json_write_array(&json, "bans");
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
    json_write_object(&json, NULL);
    json_write_array(&json, "maps");
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
    json_write_object(&json, NULL);
    json_write_text(&json, "error", error);
    json_write_end(&json);
    return json_write_take(&json);
}

static void write_lines(struct json_writer *json, const struct reload_report *report,
                        enum reload_report_kind kind)
{
    json_write_array(json, reload_report_kind_name(kind));
    for (int i = 0; i < report->count; i++)
        if (report->lines[i].kind == kind)
            json_write_text(json, NULL, report->lines[i].text);
    json_write_end(json);
}

char *status_reload_json(const struct reload_report *report)
{
    const bool refused = reload_report_has(report, RELOAD_REPORT_MISTAKE);
    struct json_writer json = {0};
    json_write_object(&json, NULL);
    if (refused)
        json_write_text(&json, "error",
                        "the configuration has mistakes: the one that runs stays whole");
    for (int kind = 0; kind < RELOAD_REPORT_KINDS; kind++)
        if (kind == RELOAD_REPORT_WARNING || (kind == RELOAD_REPORT_MISTAKE) == refused)
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
    json_write_array(json, "silent");
    for (int i = 0; i < list->count; i++) {
        if (silent_ms[i] < STATUS_READY_MS)
            continue;
        json_write_object(json, NULL);
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
    json_write_array(json, "overloaded");
    for (int i = 0; i < list->count; i++) {
        const struct overload *overload = arena_overload(list->arenas[i]);
        if (!overload->is_on)
            continue;
        json_write_object(json, NULL);
        json_write_text(json, "name", arena_config(list->arenas[i])->name);
        json_write_text(json, "cause", overload_cause(overload));
        json_write_count(json, "late_ticks", overload->late_in_window);
        json_write_count(json, "skipped_ticks", overload->skipped_in_window);
        json_write_count(json, "due_ticks", overload->due);
        json_write_end(json);
    }
    json_write_end(json);
}

char *status_ready_json(const struct arena_list *list, uint64_t now_ms, bool *ready)
{
    uint64_t silent_ms[CONFIG_MAX_ARENAS];
    struct json_writer json = {0};
    bool all_tick = true;
    for (int i = 0; i < list->count; i++) {
        silent_ms[i] = silence_ms(list->arenas[i], now_ms);
        all_tick = all_tick && silent_ms[i] < STATUS_READY_MS;
    }
    const bool all_keep_up = !is_any_overloaded(list);
    const bool has_room = !is_any_worker_overloaded(list);
    const bool is_read = list->unread_state_lines == 0;
    *ready = all_tick && all_keep_up;
    json_write_object(&json, NULL);
    json_write_text(&json, "status",
                    !*ready                 ? "not ready"
                    : !has_room || !is_read ? "degraded"
                                            : "ready");
    json_write_text(&json, "reason",
                    !all_tick      ? "not every arena has ticked within a second"
                    : !all_keep_up ? "an arena is overloaded: its ticks are late or skipped"
                    : !has_room    ? "a worker is busy for more than 90 % of the time"
                    : !is_read     ? "state was not understood, see the log"
                                   : "every arena has ticked within a second");
    write_silent_arenas(&json, list, silent_ms);
    write_overloaded_arenas(&json, list);
    write_overloaded_workers(&json, list);
    json_write_count(&json, "unread_state_lines", list->unread_state_lines);
    json_write_end(&json);
    return json_write_take(&json);
}
