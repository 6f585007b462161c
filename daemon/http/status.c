// SPDX-License-Identifier: MIT
// Builds the status documents with jansson. Keys are in a fixed order for human readers.
#define _GNU_SOURCE
#include "status.h"

#include "rejections.h"

#include <jansson.h>

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

// Version of the documents. It changes when a key is removed or changes its meaning, but not for
// new keys.
#define STATUS_SCHEMA 1

// Digits for tenths of a second over years, without printing 0.1 as 0.10000000000000001.
#define STATUS_FLAGS (JSON_COMPACT | JSON_REAL_PRECISION(12))

// Sums over all arenas.
struct totals {
    uint64_t now, bots, spectators; // connected players; bots; spectators
    uint64_t max;                   // player slots without bots
};

// Every builder below returns NULL when memory runs out. json_object_set and json_array_append fail
// for a NULL value, which propagates the failure to the caller.

static bool put(json_t *object, const char *key, json_t *value)
{
    return json_object_set_new(object, key, value) == 0;
}

static bool put_count(json_t *object, const char *key, uint64_t count)
{
    return put(object, key, json_integer((json_int_t)count));
}

static bool put_tenths(json_t *object, const char *key, double number)
{
    return put(object, key, json_real(round(10 * number) / 10));
}

// Returns the object if it is complete; otherwise frees it and returns NULL.
static json_t *finish(json_t *object, bool complete)
{
    if (complete)
        return object;
    json_decref(object);
    return NULL;
}

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

static json_t *tick_us_json(const struct arena_status *status)
{
    uint32_t sorted[ARENA_TICK_WINDOW];
    const uint32_t count = sort_durations(status, sorted);
    json_t *object = json_object();
    return finish(object, put_count(object, "p50", percentile(sorted, count, 50)) &&
                              put_count(object, "p99", percentile(sorted, count, 99)) &&
                              put_count(object, "max", percentile(sorted, count, 100)));
}

static json_t *stage_json(const struct tick_profile *profile, int stage, double total_ns)
{
    uint32_t sorted[TICK_PROFILE_WINDOW];
    const uint32_t count = tick_profile_kept(profile);
    double sum_ns = 0;
    for (uint32_t i = 0; i < count; i++)
        sum_ns += sorted[i] = profile->ns[stage][i];
    qsort(sorted, count, sizeof *sorted, compare_durations);
    const double percent = total_ns > 0 ? 100 * sum_ns / total_ns : 0;
    json_t *object = json_object();
    return finish(object, put_tenths(object, "p50", percentile(sorted, count, 50) / 1e3) &&
                              put_tenths(object, "p99", percentile(sorted, count, 99) / 1e3) &&
                              put_tenths(object, "percent", percent));
}

static json_t *stages_json(const struct tick_profile *profile)
{
    double total_ns = 0;
    for (int stage = 0; stage < TICK_STAGES; stage++)
        for (uint32_t i = 0; i < tick_profile_kept(profile); i++)
            total_ns += profile->ns[stage][i];
    json_t *object = json_object();
    bool complete = true;
    for (int stage = 0; stage < TICK_STAGES && complete; stage++)
        complete = put(object, tick_stage_names[stage], stage_json(profile, stage, total_ns));
    return finish(object, complete);
}

static json_t *rejections_json(const struct arena_status *status)
{
    struct rejections list[REJECTIONS_MAX_REASONS];
    const int length = rejections_list(status, list);
    json_t *object = json_object();
    bool complete = true;
    for (int i = 0; i < length && complete; i++)
        complete = put_count(object, list[i].reason, list[i].count);
    return finish(object, complete);
}

static json_t *hits_json(const struct raim_match_hits *hits)
{
    const double mean_ms = hits->rewound > 0 ? hits->rewound_ms / (double)hits->rewound : 0;
    json_t *object = json_object();
    return finish(object, put_count(object, "total", hits->total) &&
                              put_count(object, "rewound", hits->rewound) &&
                              put_count(object, "in_past", hits->in_past) &&
                              put_count(object, "clamped", hits->clamped) &&
                              put_tenths(object, "rewound_ms_mean", mean_ms) &&
                              put_tenths(object, "rewound_ms_max", hits->most_rewound_ms));
}

// Text from files or the system may be invalid UTF-8, which JSON cannot hold; replaces such bytes
// by ?.
static json_t *text_json(const char *text)
{
    json_t *string = json_string(text);
    if (string != NULL)
        return string;
    char *plain = strdup(text);
    for (char *byte = plain; byte != NULL && *byte != '\0'; byte++)
        if ((unsigned char)*byte >= 0x80)
            *byte = '?';
    string = plain != NULL ? json_string(plain) : NULL;
    free(plain);
    return string;
}

// The match admits only UTF-8 names. If an invalid one got through, a ? replaces it, so that the
// rest of the document stays available.
static json_t *name_json(const char *name, size_t capacity)
{
    json_t *string = json_stringn(name, strnlen(name, capacity));
    return string != NULL ? string : json_string("?");
}

static json_t *player_json(const struct arena_player *player, uint32_t tick_hz)
{
    const struct raim_match_player *match = &player->match;
    json_t *object = json_object();
    return finish(object,
                  put_count(object, "id", match->id) &&
                      put(object, "name", name_json(match->name, sizeof match->name)) &&
                      put(object, "bot", json_boolean(match->bot)) &&
                      put(object, "away", json_boolean(match->away)) &&
                      put_count(object, "score", match->score) &&
                      put_count(object, "deaths", match->deaths) &&
                      put_count(object, "ping_ms", player->ping_ms) &&
                      put_count(object, "inputs_due", match->inputs_due) &&
                      put_count(object, "inputs_missed", match->inputs_missed) &&
                      put_tenths(object, "connected_s", (double)match->played_ticks / tick_hz));
}

static json_t *arena_players_json(const struct arena_status *status, uint32_t tick_hz)
{
    json_t *array = json_array();
    bool complete = true;
    for (uint32_t i = 0; i < status->player_count && complete; i++)
        complete = json_array_append_new(array, player_json(&status->players[i], tick_hz)) == 0;
    return finish(array, complete);
}

static json_t *winner_json(const struct arena_status *status)
{
    for (uint32_t i = 0; i < status->player_count; i++) {
        const struct raim_match_player *player = &status->players[i].match;
        if (player->id == status->round.winner)
            return name_json(player->name, sizeof player->name);
    }
    return json_null();
}

static json_t *round_json(const struct arena_status *status, uint32_t tick_hz)
{
    static const char *const phases[RAIM_MATCH_PHASES] = {
        [RAIM_MATCH_PLAY] = "play",
        [RAIM_MATCH_BREAK] = "break",
        [RAIM_MATCH_PAUSED] = "paused",
    };
    const struct raim_match_round *now = &status->round;
    const double left_s = round(10.0 * now->left_ticks / tick_hz) / 10;
    json_t *object = json_object();
    return finish(object,
                  put_count(object, "number", now->round) &&
                      put(object, "phase", json_string(phases[now->phase])) &&
                      put(object, "left_s", now->has_end ? json_real(left_s) : json_null()) &&
                      put_count(object, "score_limit", now->score_limit) &&
                      put(object, "winner", winner_json(status)));
}

// null for an empty text
static json_t *word_json(const char *text)
{
    return text[0] != '\0' ? json_string(text) : json_null();
}

static json_t *vote_json(const struct arena_status *status)
{
    const struct raim_match_vote *vote = &status->vote;
    if (!status->has_vote)
        return json_null();
    json_t *object = json_object();
    return finish(
        object,
        put_count(object, "number", vote->number) &&
            put(object, "kind", json_string(raim_vote_kind_name(vote->subject.kind))) &&
            put(object, "caller", json_string(vote->caller_name)) &&
            put(object, "target", word_json(vote->target_name)) &&
            put(object, "map", word_json(vote->subject.map)) &&
            put(object, "minutes",
                vote->subject.minutes > 0 ? json_integer(vote->subject.minutes) : json_null()) &&
            put(object, "reason", word_json(vote->subject.reason)) &&
            put_count(object, "yes", vote->tally.yes) && put_count(object, "no", vote->tally.no) &&
            put_count(object, "electors", vote->tally.electors) &&
            put_count(object, "needed", vote->tally.needed) &&
            put_tenths(object, "left_s", vote->left_ms / 1000.0));
}

static json_t *recording_json(const struct arena_status *status)
{
    json_t *object = json_object();
    return finish(object, put(object, "now", json_boolean(status->is_recording)) &&
                              put_count(object, "begun", status->recordings.begun) &&
                              put_count(object, "finished", status->recordings.finished) &&
                              put_count(object, "dropped", status->recordings.dropped) &&
                              put_count(object, "failed", status->recordings.failed) &&
                              put_count(object, "bytes", status->recordings.bytes));
}

static json_t *arena_masters_json(const struct masters_report *report)
{
    json_t *object = json_object();
    return finish(object, put_count(object, "listing", report->listing) &&
                              put_count(object, "heartbeats", report->heartbeats) &&
                              put_count(object, "asked", report->asked) &&
                              put_count(object, "limited", report->limited));
}

static json_t *tags_json(const struct config_tags *tags)
{
    json_t *array = json_array();
    bool complete = true;
    for (int i = 0; i < tags->count && complete; i++)
        complete = json_array_append_new(array, json_string(tags->words[i])) == 0;
    return finish(array, complete);
}

static json_t *arena_json(struct arena *arena, struct totals *totals)
{
    const struct config_arena *config = arena_config(arena);
    const struct arena_status *status = arena_status(arena);
    const char *state = status->tick == 0 ? "starting" : "running";
    totals->now += status->counts.players;
    totals->bots += status->counts.bots;
    totals->spectators += status->counts.spectators;
    totals->max += config->max_players;
    json_t *object = json_object();
    return finish(object,
                  put(object, "name", name_json(config->name, sizeof config->name)) &&
                      put(object, "hostname", text_json(config_shown_name(config))) &&
                      put(object, "tags", tags_json(&config->tags)) &&
                      put(object, "region", text_json(config->region)) &&
                      put(object, "website", text_json(config->website)) &&
                      put(object, "locked", json_boolean(config_is_locked(config))) &&
                      put_count(object, "port", arena_port(arena)) &&
                      put(object, "map", name_json(config->map->name, sizeof config->map->name)) &&
                      put(object, "state", json_string(state)) &&
                      put(object, "round", round_json(status, config->tick_hz)) &&
                      put(object, "vote", vote_json(status)) &&
                      put_count(object, "tick", status->tick) &&
                      put_count(object, "tick_hz", config->tick_hz) &&
                      put(object, "tick_us", tick_us_json(status)) &&
                      put(object, "stages_us", stages_json(&status->profile)) &&
                      put_count(object, "late_ticks", status->late_ticks) &&
                      put_count(object, "skipped_ticks", status->skipped_ticks) &&
                      put_count(object, "snapshot_interval", status->snapshot_interval) &&
                      put(object, "overloaded", json_boolean(arena_overload(arena)->is_on)) &&
                      put_count(object, "bytes_in", status->transport.bytes_in) &&
                      put_count(object, "bytes_out", status->transport.bytes_out) &&
                      put_count(object, "packets_in", status->transport.packets_in) &&
                      put_count(object, "packets_out", status->transport.packets_out) &&
                      put_count(object, "queries", status->transport.queries) &&
                      put_count(object, "queries_limited", status->transport.queries_limited) &&
                      put(object, "masters", arena_masters_json(&status->masters)) &&
                      put(object, "rejections", rejections_json(status)) &&
                      put(object, "recording", recording_json(status)) &&
                      put_count(object, "lag_compensation_ms", config->lag_compensation_ms) &&
                      put(object, "hits", hits_json(&status->counts.hits)) &&
                      put_count(object, "spectators", status->counts.spectators) &&
                      put_count(object, "away", status->counts.away) &&
                      put(object, "players", arena_players_json(status, config->tick_hz)));
}

static json_t *arenas_json(const struct arena_list *list, struct totals *totals)
{
    json_t *array = json_array();
    bool complete = true;
    for (int i = 0; i < list->count && complete; i++)
        complete = json_array_append_new(array, arena_json(list->arenas[i], totals)) == 0;
    return finish(array, complete);
}

static json_t *requests_json(const struct orchestrator_report *report)
{
    json_t *object = json_object();
    return finish(object, put_count(object, "accepted", report->accepted) &&
                              put_count(object, "refused", report->refused) &&
                              put_count(object, "unanswered", report->unanswered));
}

static json_t *orchestrator_json(const struct orchestrator_report *report)
{
    if (report == NULL)
        return json_null();
    json_t *object = json_object();
    return finish(object, put(object, "phase", json_string(report->phase)) &&
                              put(object, "gameserver", text_json(report->name)) &&
                              put(object, "state", text_json(report->state)) &&
                              put(object, "connected", json_boolean(report->is_connected)) &&
                              put(object, "watching", json_boolean(report->is_watching)) &&
                              put_count(object, "rooms", report->rooms) &&
                              put(object, "requests", requests_json(report)) &&
                              put_count(object, "updates", report->updates) &&
                              put_count(object, "malformed", report->malformed));
}

static json_t *ban_list_json(const struct arena_list_ban_list *list, uint64_t now_ms)
{
    if (!list->is_on)
        return json_null();
    json_t *object = json_object();
    return finish(
        object,
        put_count(object, "networks", list->count) &&
            put(object, "age_s",
                list->fetched_ms == 0
                    ? json_null()
                    : json_integer((json_int_t)((now_ms - list->fetched_ms) / 1000))) &&
            put_count(object, "failures", list->failures) &&
            put(object, "error", list->error[0] == '\0' ? json_null() : text_json(list->error)));
}

static bool put_totals(json_t *object, const struct totals *totals)
{
    return put_count(object, "now", totals->now) && put_count(object, "bots", totals->bots) &&
           put_count(object, "spectators", totals->spectators) &&
           put_count(object, "max", totals->max);
}

static json_t *rooms_json(const struct arena_list_rooms *rooms)
{
    json_t *object = json_object();
    return finish(object, put_count(object, "now", rooms->now) &&
                              put_count(object, "free", rooms->free) &&
                              put_count(object, "made", rooms->made) &&
                              put_count(object, "ended", rooms->ended) &&
                              put_count(object, "refused", rooms->refused));
}

static json_t *results_json(const struct arena_list_results *results)
{
    json_t *object = json_object();
    return finish(object, put_count(object, "written", results->written) &&
                              put_count(object, "lost", results->lost));
}

static json_t *overloaded_workers_json(const struct arena_list *list)
{
    json_t *array = json_array();
    bool complete = true;
    for (int i = 0; i < list->worker_count && complete; i++) {
        json_t *object = list->loads[i].is_on ? json_object() : NULL;
        if (object != NULL)
            complete = put_count(object, "worker", (uint64_t)i) &&
                       put_count(object, "busy_percent", list->loads[i].percent) &&
                       json_array_append(array, object) == 0;
        json_decref(object);
    }
    return finish(array, complete);
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
    return finish(
        object,
        put(object, "host", text_json(master->host)) && put_count(object, "port", master->port) &&
            put_count(object, "addresses", (uint64_t)list->masters.addresses[index]) &&
            put_count(object, "arenas", arenas) && put_count(object, "heartbeats", heartbeats) &&
            put_count(object, "asked", asked) &&
            put(object, "asked_s",
                asked == 0 ? json_null() : json_integer(((int64_t)now_ms - asked_ms) / 1000)));
}

static json_t *masters_json(const struct arena_list *list, uint64_t now_ms)
{
    json_t *array = json_array();
    const int count = list->masters.masters != NULL ? list->masters.masters->count : 0;
    bool complete = true;
    for (int i = 0; i < count && complete; i++)
        complete = json_array_append_new(array, master_json(list, i, now_ms)) == 0;
    return finish(array, complete);
}

static json_t *discovery_json(const struct arena_list_discovery *discovery)
{
    json_t *object = json_object();
    return finish(object, put(object, "on", json_boolean(discovery->is_on)) &&
                              put_count(object, "answered", discovery->answered) &&
                              put_count(object, "limited", discovery->limited) &&
                              put_count(object, "refused", discovery->refused));
}

char *status_json(const struct arena_list *list, uint64_t now_ms)
{
    // Each arena's status is read once, so that the totals agree with the arenas. The empty object
    // reserves the position of the totals among the keys.
    struct totals totals = {0};
    json_t *object = json_object();
    return document_text(
        finish(object, put_count(object, "schema", STATUS_SCHEMA) &&
                           put(object, "version", json_string(RAIM_VERSION)) &&
                           put_count(object, "uptime_s", uptime_s(list, now_ms)) &&
                           put_count(object, "workers", (uint64_t)list->worker_count) &&
                           put(object, "overloaded_workers", overloaded_workers_json(list)) &&
                           put(object, "players", json_object()) &&
                           put(object, "rooms", rooms_json(&list->rooms)) &&
                           put(object, "results", results_json(&list->results)) &&
                           put(object, "masters", masters_json(list, now_ms)) &&
                           put(object, "lan_discovery", discovery_json(&list->discovery)) &&
                           put(object, "ban_list", ban_list_json(&list->ban_list, now_ms)) &&
                           put(object, "agones", orchestrator_json(list->orchestrator)) &&
                           put(object, "arenas", arenas_json(list, &totals)) &&
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
    return document_text(finish(object, put(object, "status", json_string(health)) &&
                                            put_count(object, "uptime_s", uptime_s(list, now_ms))));
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
    return finish(object, put(object, "arena", json_string(arena_config(arena)->name)) &&
                              put_count(object, "id", match->id) &&
                              put(object, "name", json_string(match->name)) &&
                              put(object, "address", address_json(player)) &&
                              put(object, "bot", json_boolean(match->bot)) &&
                              put(object, "away", json_boolean(match->away)) &&
                              put(object, "muted", json_boolean(match->muted)) &&
                              put_count(object, "score", match->score) &&
                              put_count(object, "deaths", match->deaths) &&
                              put_count(object, "ping_ms", player->ping_ms));
}

char *status_players_json(const struct arena_list *list)
{
    json_t *object = json_object(), *players = json_array();
    bool complete = put(object, "players", players);
    for (int i = 0; i < list->count; i++) {
        const struct arena_status *status = arena_status(list->arenas[i]);
        for (uint32_t j = 0; complete && j < status->player_count; j++)
            complete = json_array_append_new(
                           players, admin_player_json(list->arenas[i], &status->players[j])) == 0;
    }
    return document_text(finish(object, complete));
}

static json_t *ban_json(const struct ban *ban, int64_t now_s)
{
    char network[BANS_NETWORK_BYTES];
    json_t *object = json_object();
    bans_print(ban->network, ban->prefix, network);
    return finish(
        object,
        put(object, "address", json_string(network)) &&
            put(object, "left_s",
                ban->until_s == 0 ? json_null() : json_integer(ban->until_s - now_s)) &&
            put(object, "until_s", ban->until_s == 0 ? json_null() : json_integer(ban->until_s)) &&
            put(object, "by", text_json(ban->by)) && put(object, "reason", json_string(ban->why)));
}

char *status_bans_json(const struct bans *bans, int64_t now_s)
{
    json_t *object = json_object(), *list = json_array();
    bool complete = put(object, "bans", list);
    for (uint32_t i = 0; complete && bans != NULL && i < bans->count; i++)
        if (bans->items[i].until_s == 0 || bans->items[i].until_s > now_s)
            complete = json_array_append_new(list, ban_json(&bans->items[i], now_s)) == 0;
    return document_text(finish(object, complete));
}

char *status_problem_json(const char *error)
{
    json_t *object = json_object();
    return document_text(finish(object, put(object, "error", text_json(error))));
}

static bool put_lines(json_t *object, const struct reload_report *report,
                      enum reload_report_kind kind)
{
    json_t *list = json_array();
    bool complete = put(object, reload_report_kind_name(kind), list);
    for (int i = 0; complete && i < report->count; i++)
        if (report->lines[i].kind == kind)
            complete = json_array_append_new(list, text_json(report->lines[i].text)) == 0;
    return complete;
}

char *status_reload_json(const struct reload_report *report)
{
    const bool refused = reload_report_has(report, RELOAD_REPORT_MISTAKE);
    json_t *object = json_object();
    bool complete = !refused || put(object, "error",
                                    json_string("the configuration has mistakes: the one that "
                                                "runs stays whole"));
    for (int kind = 0; kind < RELOAD_REPORT_KINDS && complete; kind++)
        if (kind == RELOAD_REPORT_WARNING || (kind == RELOAD_REPORT_MISTAKE) == refused)
            complete = put_lines(object, report, (enum reload_report_kind)kind);
    return document_text(finish(object, complete));
}

// --- One arena, health and readiness ---

char *status_arena_json(const struct arena_list *list, const char *name, bool *missing)
{
    const int index = arena_list_find(list, name);
    *missing = index < 0;
    struct totals totals = {0};
    return *missing ? NULL : document_text(arena_json(list->arenas[index], &totals));
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
    return finish(object, put(object, "name", name_json(config->name, sizeof config->name)) &&
                              put(object, "silent_ms",
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
    return finish(array, complete);
}

static json_t *overloaded_arena_json(struct arena *arena)
{
    const struct config_arena *config = arena_config(arena);
    const struct overload *overload = arena_overload(arena);
    json_t *object = json_object();
    return finish(object, put(object, "name", name_json(config->name, sizeof config->name)) &&
                              put_count(object, "late_ticks", overload->late_in_window) &&
                              put_count(object, "skipped_ticks", overload->skipped_in_window) &&
                              put_count(object, "due_ticks", overload->due));
}

static json_t *overloaded_arenas_json(const struct arena_list *list)
{
    json_t *array = json_array();
    bool complete = true;
    for (int i = 0; i < list->count && complete; i++)
        if (arena_overload(list->arenas[i])->is_on)
            complete = json_array_append_new(array, overloaded_arena_json(list->arenas[i])) == 0;
    return finish(array, complete);
}

char *status_ready_json(const struct arena_list *list, uint64_t now_ms, bool *ready)
{
    // The keys `status` and `reason` come first but depend on the lists; null reserves their
    // positions.
    json_t *object = json_object();
    bool complete = put(object, "status", json_null()) && put(object, "reason", json_null()) &&
                    put(object, "silent", silent_arenas_json(list, now_ms)) &&
                    put(object, "overloaded", overloaded_arenas_json(list)) &&
                    put(object, "overloaded_workers", overloaded_workers_json(list));
    const bool all_tick = json_array_size(json_object_get(object, "silent")) == 0;
    const bool all_keep_up = json_array_size(json_object_get(object, "overloaded")) == 0;
    const bool has_room = json_array_size(json_object_get(object, "overloaded_workers")) == 0;
    *ready = all_tick && all_keep_up;
    const char *reason = !all_tick      ? "not every arena has ticked within a second"
                         : !all_keep_up ? "an arena is overloaded: its ticks are late or skipped"
                         : !has_room    ? "a worker is busy for more than 90 % of the time"
                                        : "every arena has ticked within a second";
    const char *words = !*ready ? "not ready" : !has_room ? "degraded" : "ready";
    complete = complete && put(object, "status", json_string(words)) &&
               put(object, "reason", json_string(reason));
    return document_text(finish(object, complete));
}
