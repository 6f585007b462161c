// SPDX-License-Identifier: MIT
// Builds the object of an arena: its listing, round, vote, ticks, traffic and players.
#include "status_arena.h"

#include "rejections.h"
#include "status.h"
#include "status_object.h"

#include <jansson.h>

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

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
    return status_finish(object,
                         status_put_count(object, "p50", percentile(sorted, count, 50)) &&
                             status_put_count(object, "p99", percentile(sorted, count, 99)) &&
                             status_put_count(object, "max", percentile(sorted, count, 100)));
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
    return status_finish(
        object, status_put_tenths(object, "p50", percentile(sorted, count, 50) / 1e3) &&
                    status_put_tenths(object, "p99", percentile(sorted, count, 99) / 1e3) &&
                    status_put_tenths(object, "percent", percent));
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
        complete =
            status_put(object, tick_stage_names[stage], stage_json(profile, stage, total_ns));
    return status_finish(object, complete);
}

static json_t *rejections_json(const struct arena_status *status)
{
    struct rejections list[REJECTIONS_MAX_REASONS];
    const int length = rejections_list(status, list);
    json_t *object = json_object();
    bool complete = true;
    for (int i = 0; i < length && complete; i++)
        complete = status_put_count(object, list[i].reason, list[i].count);
    return status_finish(object, complete);
}

static json_t *hits_json(const struct raim_match_hits *hits)
{
    const double mean_ms = hits->rewound > 0 ? hits->rewound_ms / (double)hits->rewound : 0;
    json_t *object = json_object();
    return status_finish(object,
                         status_put_count(object, "total", hits->total) &&
                             status_put_count(object, "rewound", hits->rewound) &&
                             status_put_count(object, "in_past", hits->in_past) &&
                             status_put_count(object, "clamped", hits->clamped) &&
                             status_put_tenths(object, "rewound_ms_mean", mean_ms) &&
                             status_put_tenths(object, "rewound_ms_max", hits->most_rewound_ms));
}

static json_t *player_json(const struct arena_player *player, uint32_t tick_hz)
{
    const struct raim_match_player *match = &player->match;
    json_t *object = json_object();
    return status_finish(
        object,
        status_put_count(object, "id", match->id) &&
            status_put(object, "name", status_name(match->name, sizeof match->name)) &&
            status_put(object, "bot", json_boolean(match->bot)) &&
            status_put(object, "away", json_boolean(match->away)) &&
            status_put_count(object, "score", match->score) &&
            status_put_count(object, "deaths", match->deaths) &&
            status_put_count(object, "ping_ms", player->ping_ms) &&
            status_put_count(object, "inputs_due", match->inputs_due) &&
            status_put_count(object, "inputs_missed", match->inputs_missed) &&
            status_put_tenths(object, "connected_s", (double)match->played_ticks / tick_hz));
}

static json_t *arena_players_json(const struct arena_status *status, uint32_t tick_hz)
{
    json_t *array = json_array();
    bool complete = true;
    for (uint32_t i = 0; i < status->player_count && complete; i++)
        complete = json_array_append_new(array, player_json(&status->players[i], tick_hz)) == 0;
    return status_finish(array, complete);
}

static json_t *winner_json(const struct arena_status *status)
{
    for (uint32_t i = 0; i < status->player_count; i++) {
        const struct raim_match_player *player = &status->players[i].match;
        if (player->id == status->round.winner)
            return status_name(player->name, sizeof player->name);
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
    return status_finish(
        object, status_put_count(object, "number", now->round) &&
                    status_put(object, "phase", json_string(phases[now->phase])) &&
                    status_put(object, "left_s", now->has_end ? json_real(left_s) : json_null()) &&
                    status_put_count(object, "score_limit", now->score_limit) &&
                    status_put(object, "winner", winner_json(status)));
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
    return status_finish(
        object,
        status_put_count(object, "number", vote->number) &&
            status_put(object, "kind", json_string(raim_vote_kind_name(vote->subject.kind))) &&
            status_put(object, "caller", json_string(vote->caller_name)) &&
            status_put(object, "target", word_json(vote->target_name)) &&
            status_put(object, "map", word_json(vote->subject.map)) &&
            status_put(object, "minutes",
                       vote->subject.minutes > 0 ? json_integer(vote->subject.minutes)
                                                 : json_null()) &&
            status_put(object, "reason", word_json(vote->subject.reason)) &&
            status_put_count(object, "yes", vote->tally.yes) &&
            status_put_count(object, "no", vote->tally.no) &&
            status_put_count(object, "electors", vote->tally.electors) &&
            status_put_count(object, "needed", vote->tally.needed) &&
            status_put_tenths(object, "left_s", vote->left_ms / 1000.0));
}

static json_t *recording_json(const struct arena_status *status)
{
    json_t *object = json_object();
    return status_finish(object,
                         status_put(object, "now", json_boolean(status->is_recording)) &&
                             status_put_count(object, "begun", status->recordings.begun) &&
                             status_put_count(object, "finished", status->recordings.finished) &&
                             status_put_count(object, "dropped", status->recordings.dropped) &&
                             status_put_count(object, "failed", status->recordings.failed) &&
                             status_put_count(object, "bytes", status->recordings.bytes));
}

static json_t *arena_masters_json(const struct masters_report *report)
{
    json_t *object = json_object();
    return status_finish(object, status_put_count(object, "listing", report->listing) &&
                                     status_put_count(object, "heartbeats", report->heartbeats) &&
                                     status_put_count(object, "asked", report->asked) &&
                                     status_put_count(object, "limited", report->limited));
}

static json_t *tags_json(const struct config_tags *tags)
{
    json_t *array = json_array();
    bool complete = true;
    for (int i = 0; i < tags->count && complete; i++)
        complete = json_array_append_new(array, json_string(tags->words[i])) == 0;
    return status_finish(array, complete);
}

json_t *status_arena_object(struct arena *arena, struct status_totals *totals)
{
    const struct config_arena *config = arena_config(arena);
    const struct arena_status *status = arena_status(arena);
    const struct overload *overload = arena_overload(arena);
    const char *state = status->tick == 0 ? "starting" : "running";
    totals->now += status->counts.players;
    totals->bots += status->counts.bots;
    totals->spectators += status->counts.spectators;
    totals->max += config->match.tuning.max_players;
    json_t *object = json_object();
    return status_finish(
        object,
        status_put(object, "name", status_name(config->name, sizeof config->name)) &&
            status_put(object, "hostname", status_text(config_shown_name(config))) &&
            status_put(object, "tags", tags_json(&config->tags)) &&
            status_put(object, "region", status_text(config->region)) &&
            status_put(object, "website", status_text(config->website)) &&
            status_put(object, "locked", json_boolean(config_is_locked(config))) &&
            status_put_count(object, "port", arena_port(arena)) &&
            status_put(object, "map",
                       status_name(config->match.map->name, sizeof config->match.map->name)) &&
            status_put(object, "state", json_string(state)) &&
            status_put(object, "round", round_json(status, config->match.tick_hz)) &&
            status_put(object, "vote", vote_json(status)) &&
            status_put_count(object, "tick", status->tick) &&
            status_put_count(object, "tick_hz", config->match.tick_hz) &&
            status_put(object, "tick_us", tick_us_json(status)) &&
            status_put(object, "stages_us", stages_json(&status->profile)) &&
            status_put_count(object, "late_ticks", status->late_ticks) &&
            status_put_count(object, "skipped_ticks", status->skipped_ticks) &&
            status_put_count(object, "snapshot_interval", status->snapshot_interval) &&
            status_put(object, "overloaded", json_boolean(overload->is_on)) &&
            status_put(object, "overload_cause",
                       overload->is_on ? json_string(overload_cause(overload)) : json_null()) &&
            status_put_count(object, "bytes_in", status->transport.bytes_in) &&
            status_put_count(object, "bytes_out", status->transport.bytes_out) &&
            status_put_count(object, "packets_in", status->transport.packets_in) &&
            status_put_count(object, "packets_out", status->transport.packets_out) &&
            status_put_count(object, "queries", status->transport.queries) &&
            status_put_count(object, "queries_limited", status->transport.queries_limited) &&
            status_put(object, "masters", arena_masters_json(&status->masters)) &&
            status_put(object, "rejections", rejections_json(status)) &&
            status_put(object, "recording", recording_json(status)) &&
            status_put_count(object, "lag_compensation_ms", config->match.lag_compensation_ms) &&
            status_put(object, "hits", hits_json(&status->counts.hits)) &&
            status_put_count(object, "spectators", status->counts.spectators) &&
            status_put_count(object, "away", status->counts.away) &&
            status_put(object, "players", arena_players_json(status, config->match.tick_hz)));
}
