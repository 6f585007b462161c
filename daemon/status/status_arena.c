// SPDX-License-Identifier: MIT
// Builds the object of an arena: its listing, round, vote, ticks, traffic and players.
#include "status_arena.h"

#include "arena_metrics.h"
#include "json_writer.h"
#include "rejections.h"
#include "status.h"

#include <assert.h>
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

static void write_tick_us(struct json_writer *json, const struct arena_status *status)
{
    uint32_t sorted[ARENA_TICK_WINDOW];
    const uint32_t count = sort_durations(status, sorted);
    json_write_object(json, "tick_us");
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
    json_write_object(json, tick_stage_names[stage]);
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
    json_write_object(json, "stages_us");
    for (int stage = 0; stage < TICK_STAGES; stage++)
        write_stage(json, profile, stage, total_ns);
    json_write_end(json);
}

static void write_rejections(struct json_writer *json, const struct arena_status *status)
{
    struct rejections list[REJECTIONS_MAX_REASONS];
    const int length = rejections_list(status, list);
    json_write_object(json, "rejections");
    for (int i = 0; i < length; i++)
        json_write_count(json, list[i].reason, list[i].count);
    json_write_end(json);
}

static void write_player(struct json_writer *json, const struct arena_player *player,
                         uint32_t tick_hz)
{
    const struct raim_match_player *match = &player->match;
    json_write_object(json, NULL);
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
    json_write_object(json, "round");
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
    json_write_object(json, "vote");
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
    json_write_array(json, "tags");
    for (int i = 0; i < config->tags.count; i++)
        json_write_text(json, NULL, config->tags.words[i]);
    json_write_end(json);
    json_write_text(json, "region", config->region);
    json_write_text(json, "website", config->website);
    json_write_flag(json, "locked", config_is_locked(config));
    json_write_count(json, "port", arena_port(arena));
    json_write_text(json, "map", config->match.map->name);
}

void status_write_arena(struct json_writer *json, struct arena *arena, struct status_totals *totals)
{
    const struct arena_view view = arena_view(arena);
    const struct arena_status *status = view.status;
    const void *objects[ARENA_METRIC_TABLES];
    arena_metric_objects(&view, objects);
    totals->now += status->counts.players;
    totals->bots += status->counts.bots;
    totals->spectators += status->counts.spectators;
    totals->max += view.config->match.tuning.max_players;
    json_write_object(json, NULL);
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
    json_write_array(json, "players");
    for (uint32_t i = 0; i < status->player_count; i++)
        write_player(json, &status->players[i], view.config->match.tick_hz);
    json_write_end(json);
    json_write_end(json);
}
