// SPDX-License-Identifier: MIT
// Builds the status documents with jansson. Keys are in a fixed order for human readers.
#include "status.h"

#include "status_arena.h"
#include "status_object.h"

#include <jansson.h>

#include <stdbool.h>

// Version of the documents. It changes when a key is removed or changes its meaning, but not for
// new keys.
#define STATUS_SCHEMA 1

// Digits for tenths of a second over years, without printing 0.1 as 0.10000000000000001.
#define STATUS_FLAGS (JSON_COMPACT | JSON_REAL_PRECISION(12))

// Serializes a document and frees it.
static char *document_text(json_t *document)
{
    char *text = document == NULL ? NULL : json_dumps(document, STATUS_FLAGS);
    json_decref(document);
    return text;
}

static uint64_t uptime_s(const struct arena_list *list, uint64_t now_ms)
{
    return (now_ms - list->started_ms) / 1000;
}

static json_t *arenas_json(const struct arena_list *list, struct status_totals *totals)
{
    json_t *array = json_array();
    bool complete = true;
    for (int i = 0; i < list->count && complete; i++)
        complete = json_array_append_new(array, status_arena_object(list->arenas[i], totals)) == 0;
    return status_finish(array, complete);
}

static json_t *requests_json(const struct orchestrator_report *report)
{
    json_t *object = json_object();
    return status_finish(object, status_put_count(object, "accepted", report->accepted) &&
                                     status_put_count(object, "refused", report->refused) &&
                                     status_put_count(object, "unanswered", report->unanswered));
}

static json_t *orchestrator_json(const struct orchestrator_report *report)
{
    if (report == NULL)
        return json_null();
    json_t *object = json_object();
    return status_finish(object,
                         status_put(object, "phase", json_string(report->phase)) &&
                             status_put(object, "gameserver", status_text(report->name)) &&
                             status_put(object, "state", status_text(report->state)) &&
                             status_put(object, "connected", json_boolean(report->is_connected)) &&
                             status_put(object, "watching", json_boolean(report->is_watching)) &&
                             status_put_count(object, "rooms", report->rooms) &&
                             status_put(object, "requests", requests_json(report)) &&
                             status_put_count(object, "updates", report->updates) &&
                             status_put_count(object, "malformed", report->malformed));
}

static json_t *ban_list_json(const struct arena_list_ban_list *list, uint64_t now_ms)
{
    if (!list->is_on)
        return json_null();
    json_t *object = json_object();
    return status_finish(
        object,
        status_put_count(object, "networks", list->count) &&
            status_put(object, "age_s",
                       list->fetched_ms == 0
                           ? json_null()
                           : json_integer((json_int_t)((now_ms - list->fetched_ms) / 1000))) &&
            status_put_count(object, "failures", list->failures) &&
            status_put(object, "error",
                       list->error[0] == '\0' ? json_null() : status_text(list->error)));
}

static bool put_totals(json_t *object, const struct status_totals *totals)
{
    return status_put_count(object, "now", totals->now) &&
           status_put_count(object, "bots", totals->bots) &&
           status_put_count(object, "spectators", totals->spectators) &&
           status_put_count(object, "max", totals->max);
}

static json_t *rooms_json(const struct arena_list_rooms *rooms)
{
    json_t *object = json_object();
    return status_finish(object, status_put_count(object, "now", rooms->now) &&
                                     status_put_count(object, "free", rooms->free) &&
                                     status_put_count(object, "made", rooms->made) &&
                                     status_put_count(object, "ended", rooms->ended) &&
                                     status_put_count(object, "refused", rooms->refused));
}

static json_t *results_json(const struct arena_list_results *results)
{
    json_t *object = json_object();
    return status_finish(object, status_put_count(object, "written", results->written) &&
                                     status_put_count(object, "lost", results->lost));
}

static json_t *overloaded_workers_json(const struct arena_list *list)
{
    json_t *array = json_array();
    bool complete = true;
    for (int i = 0; i < list->worker_count && complete; i++) {
        json_t *object = list->loads[i].is_on ? json_object() : NULL;
        if (object != NULL)
            complete = status_put_count(object, "worker", (uint64_t)i) &&
                       status_put_count(object, "busy_percent", list->loads[i].percent) &&
                       json_array_append(array, object) == 0;
        json_decref(object);
    }
    return status_finish(array, complete);
}

// A master server, with what it and all arenas have sent each other.
static json_t *master_json(const struct arena_list *list, int index, uint64_t now_ms)
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
    json_t *object = json_object();
    return status_finish(
        object,
        status_put(object, "host", status_text(master->host)) &&
            status_put_count(object, "port", master->port) &&
            status_put_count(object, "addresses", (uint64_t)list->masters.addresses[index]) &&
            status_put_count(object, "arenas", arenas) &&
            status_put_count(object, "heartbeats", heartbeats) &&
            status_put_count(object, "asked", asked) &&
            status_put(object, "asked_s",
                       asked == 0 ? json_null()
                                  : json_integer(((int64_t)now_ms - asked_ms) / 1000)));
}

static json_t *masters_json(const struct arena_list *list, uint64_t now_ms)
{
    json_t *array = json_array();
    const int count = list->masters.masters != NULL ? list->masters.masters->count : 0;
    bool complete = true;
    for (int i = 0; i < count && complete; i++)
        complete = json_array_append_new(array, master_json(list, i, now_ms)) == 0;
    return status_finish(array, complete);
}

static json_t *discovery_json(const struct arena_list_discovery *discovery)
{
    json_t *object = json_object();
    return status_finish(object, status_put(object, "on", json_boolean(discovery->is_on)) &&
                                     status_put_count(object, "answered", discovery->answered) &&
                                     status_put_count(object, "limited", discovery->limited) &&
                                     status_put_count(object, "refused", discovery->refused));
}

char *status_json(const struct arena_list *list, uint64_t now_ms)
{
    // Each arena's status is read once, so that the totals agree with the arenas. The empty object
    // reserves the position of the totals among the keys.
    struct status_totals totals = {0};
    json_t *object = json_object();
    return document_text(status_finish(
        object, status_put_count(object, "schema", STATUS_SCHEMA) &&
                    status_put(object, "version", json_string(RAIM_VERSION)) &&
                    status_put_count(object, "uptime_s", uptime_s(list, now_ms)) &&
                    status_put_count(object, "workers", (uint64_t)list->worker_count) &&
                    status_put(object, "overloaded_workers", overloaded_workers_json(list)) &&
                    status_put_count(object, "unread_state_lines", list->unread_state_lines) &&
                    status_put(object, "players", json_object()) &&
                    status_put(object, "rooms", rooms_json(&list->rooms)) &&
                    status_put(object, "results", results_json(&list->results)) &&
                    status_put(object, "masters", masters_json(list, now_ms)) &&
                    status_put(object, "lan_discovery", discovery_json(&list->discovery)) &&
                    status_put(object, "ban_list", ban_list_json(&list->ban_list, now_ms)) &&
                    status_put(object, "agones", orchestrator_json(list->orchestrator)) &&
                    status_put(object, "arenas", arenas_json(list, &totals)) &&
                    put_totals(json_object_get(object, "players"), &totals)));
}

static bool is_any_overloaded(const struct arena_list *list)
{
    for (int i = 0; i < list->count; i++)
        if (arena_overload(list->arenas[i])->is_on)
            return true;
    return false;
}

char *status_health_json(const struct arena_list *list, uint64_t now_ms)
{
    json_t *object = json_object();
    const char *health = is_any_overloaded(list) ? "overloaded" : "ok";
    return document_text(
        status_finish(object, status_put(object, "status", json_string(health)) &&
                                  status_put_count(object, "uptime_s", uptime_s(list, now_ms))));
}

// --- Documents of the control socket ---

static json_t *address_json(const struct arena_player *player)
{
    char text[BANS_NETWORK_BYTES];
    if (ip_address_is_none(player->address))
        return json_null();
    bans_print_address(player->address, text);
    return json_string(text);
}

static json_t *admin_player_json(const struct arena *arena, const struct arena_player *player)
{
    const struct raim_match_player *match = &player->match;
    json_t *object = json_object();
    return status_finish(object,
                         status_put(object, "arena", json_string(arena_config(arena)->name)) &&
                             status_put_count(object, "id", match->id) &&
                             status_put(object, "name", json_string(match->name)) &&
                             status_put(object, "address", address_json(player)) &&
                             status_put(object, "bot", json_boolean(match->bot)) &&
                             status_put(object, "away", json_boolean(match->away)) &&
                             status_put(object, "muted", json_boolean(match->muted)) &&
                             status_put_count(object, "score", match->score) &&
                             status_put_count(object, "deaths", match->deaths) &&
                             status_put_count(object, "ping_ms", player->ping_ms));
}

char *status_players_json(const struct arena_list *list)
{
    json_t *object = json_object(), *players = json_array();
    bool complete = status_put(object, "players", players);
    for (int i = 0; i < list->count; i++) {
        const struct arena_status *status = arena_status(list->arenas[i]);
        for (uint32_t j = 0; complete && j < status->player_count; j++)
            complete = json_array_append_new(
                           players, admin_player_json(list->arenas[i], &status->players[j])) == 0;
    }
    return document_text(status_finish(object, complete));
}

static json_t *ban_json(const struct ban *ban, int64_t now_s)
{
    char network[BANS_NETWORK_BYTES];
    json_t *object = json_object();
    bans_print(ban->network, ban->prefix, network);
    return status_finish(
        object,
        status_put(object, "address", json_string(network)) &&
            status_put(object, "left_s",
                       ban->until_s == 0 ? json_null() : json_integer(ban->until_s - now_s)) &&
            status_put(object, "until_s",
                       ban->until_s == 0 ? json_null() : json_integer(ban->until_s)) &&
            status_put(object, "by", status_text(ban->by)) &&
            status_put(object, "reason", json_string(ban->why)));
}

char *status_bans_json(const struct bans *bans, int64_t now_s)
{
    json_t *object = json_object(), *list = json_array();
    bool complete = status_put(object, "bans", list);
    for (uint32_t i = 0; complete && bans != NULL && i < bans->count; i++)
        if (bans->items[i].until_s == 0 || bans->items[i].until_s > now_s)
            complete = json_array_append_new(list, ban_json(&bans->items[i], now_s)) == 0;
    return document_text(status_finish(object, complete));
}

char *status_maps_json(const struct config *config)
{
    json_t *object = json_object(), *list = json_array();
    bool complete = status_put(object, "maps", list);
    for (int i = 0; complete && config->map_paths != NULL && i < config->map_count; i++)
        if (config->map_paths[i] != NULL)
            complete = json_array_append_new(list, status_text(config->map_paths[i])) == 0;
    return document_text(status_finish(object, complete));
}

char *status_problem_json(const char *error)
{
    json_t *object = json_object();
    return document_text(status_finish(object, status_put(object, "error", status_text(error))));
}

static bool put_lines(json_t *object, const struct reload_report *report,
                      enum reload_report_kind kind)
{
    json_t *list = json_array();
    bool complete = status_put(object, reload_report_kind_name(kind), list);
    for (int i = 0; complete && i < report->count; i++)
        if (report->lines[i].kind == kind)
            complete = json_array_append_new(list, status_text(report->lines[i].text)) == 0;
    return complete;
}

char *status_reload_json(const struct reload_report *report)
{
    const bool refused = reload_report_has(report, RELOAD_REPORT_MISTAKE);
    json_t *object = json_object();
    bool complete =
        !refused || status_put(object, "error",
                               json_string("the configuration has mistakes: the one that "
                                           "runs stays whole"));
    for (int kind = 0; kind < RELOAD_REPORT_KINDS && complete; kind++)
        if (kind == RELOAD_REPORT_WARNING || (kind == RELOAD_REPORT_MISTAKE) == refused)
            complete = put_lines(object, report, (enum reload_report_kind)kind);
    return document_text(status_finish(object, complete));
}

// --- One arena, health and readiness ---

char *status_arena_json(const struct arena_list *list, const char *name, bool *missing)
{
    const int index = arena_list_find(list, name);
    *missing = index < 0;
    struct status_totals totals = {0};
    return *missing ? NULL : document_text(status_arena_object(list->arenas[index], &totals));
}

// Milliseconds since the arena's newest tick, or UINT64_MAX before the first. A tick can be newer
// than `now_ms`, which was read before.
static uint64_t silence_ms(const struct arena *arena, uint64_t now_ms)
{
    const uint64_t ticked_ms = arena_ticked_ms(arena);
    return ticked_ms == 0 ? UINT64_MAX : now_ms > ticked_ms ? now_ms - ticked_ms : 0;
}

static json_t *silent_arena_json(const struct arena *arena, uint64_t ms)
{
    const struct config_arena *config = arena_config(arena);
    json_t *object = json_object();
    return status_finish(
        object, status_put(object, "name", status_name(config->name, sizeof config->name)) &&
                    status_put(object, "silent_ms",
                               ms == UINT64_MAX ? json_null() : json_integer((json_int_t)ms)));
}

static json_t *silent_arenas_json(const struct arena_list *list, uint64_t now_ms)
{
    json_t *array = json_array();
    bool complete = true;
    for (int i = 0; i < list->count && complete; i++) {
        const uint64_t ms = silence_ms(list->arenas[i], now_ms);
        if (ms >= STATUS_READY_MS)
            complete = json_array_append_new(array, silent_arena_json(list->arenas[i], ms)) == 0;
    }
    return status_finish(array, complete);
}

static json_t *overloaded_arena_json(struct arena *arena)
{
    const struct config_arena *config = arena_config(arena);
    const struct overload *overload = arena_overload(arena);
    json_t *object = json_object();
    return status_finish(
        object, status_put(object, "name", status_name(config->name, sizeof config->name)) &&
                    status_put(object, "cause", json_string(overload_cause(overload))) &&
                    status_put_count(object, "late_ticks", overload->late_in_window) &&
                    status_put_count(object, "skipped_ticks", overload->skipped_in_window) &&
                    status_put_count(object, "due_ticks", overload->due));
}

static json_t *overloaded_arenas_json(const struct arena_list *list)
{
    json_t *array = json_array();
    bool complete = true;
    for (int i = 0; i < list->count && complete; i++)
        if (arena_overload(list->arenas[i])->is_on)
            complete = json_array_append_new(array, overloaded_arena_json(list->arenas[i])) == 0;
    return status_finish(array, complete);
}

char *status_ready_json(const struct arena_list *list, uint64_t now_ms, bool *ready)
{
    // The keys `status` and `reason` come first but depend on the lists; null reserves their
    // positions.
    json_t *object = json_object();
    bool complete = status_put(object, "status", json_null()) &&
                    status_put(object, "reason", json_null()) &&
                    status_put(object, "silent", silent_arenas_json(list, now_ms)) &&
                    status_put(object, "overloaded", overloaded_arenas_json(list)) &&
                    status_put(object, "overloaded_workers", overloaded_workers_json(list)) &&
                    status_put_count(object, "unread_state_lines", list->unread_state_lines);
    const bool all_tick = json_array_size(json_object_get(object, "silent")) == 0;
    const bool all_keep_up = json_array_size(json_object_get(object, "overloaded")) == 0;
    const bool has_room = json_array_size(json_object_get(object, "overloaded_workers")) == 0;
    const bool is_read = list->unread_state_lines == 0;
    *ready = all_tick && all_keep_up;
    const char *reason = !all_tick      ? "not every arena has ticked within a second"
                         : !all_keep_up ? "an arena is overloaded: its ticks are late or skipped"
                         : !has_room    ? "a worker is busy for more than 90 % of the time"
                         : !is_read     ? "state was not understood, see the log"
                                        : "every arena has ticked within a second";
    const char *words = !*ready ? "not ready" : !has_room || !is_read ? "degraded" : "ready";
    complete = complete && status_put(object, "status", json_string(words)) &&
               status_put(object, "reason", json_string(reason));
    return document_text(status_finish(object, complete));
}
