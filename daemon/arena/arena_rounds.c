// SPDX-License-Identifier: MIT
// Writes the report of a round straight into the arena's feed.
#define _GNU_SOURCE
#include "arena_rounds.h"

#include "arena_internal.h"

#include <string.h>
#include <time.h>

static int64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    const int64_t ms = (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
    return ms > 0 ? ms : 1;
}

static void add_players(struct round_report *report, const struct arena *arena, uint32_t count,
                        bool left)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct raim_match_player *row = &arena->worker.rows[i];
        const bool is_here = !left && !row->bot && !row->away;
        struct round_player *player = &report->players[report->player_count++];
        *player = (struct round_player){
            .id = row->id,
            .bot = row->bot,
            .left = left,
            .score = row->score,
            .deaths = row->deaths,
            .shots = row->shots,
            .hits = row->hits,
            .ping_ms =
                is_here ? transport_ping_ms(arena->worker.transport, row->client) : ROUND_NO_PING,
        };
        memcpy(player->name, row->name, sizeof player->name);
        memcpy(player->subject, row->subject, sizeof player->subject);
    }
}

static void fill(struct round_report *report, const struct arena *arena,
                 const struct raim_match_round *round)
{
    const struct config_arena *config = arena->worker.config;
    *report = (struct round_report){
        .round = round->round,
        .start_ms = round->start_ms,
        .end_ms = now_ms(),
        .played_ticks = round->played_ticks,
        .tick_hz = config->match.tick_hz,
        .round_s = config->match.tuning.round_s,
        .score_limit = round->score_limit,
        .sight = config->match.sight,
        .rules = config->match.rules,
    };
    strcpy(report->arena, config->name);
    strcpy(report->template_name, config->template_name);
    strcpy(report->map, config->match.map->name);
    strcpy(report->recording, arena_recording_name(&arena->worker.recording));
    const uint32_t present =
        raim_match_players(arena->worker.match, arena->worker.rows, arena->opened.status_rows);
    add_players(report, arena, present, false);
    const uint32_t departed = raim_match_departed(arena->worker.match, arena->worker.rows,
                                                  arena->opened.max_players, &report->omitted);
    add_players(report, arena, departed, true);
}

static bool has_score(const struct round_report *report)
{
    for (uint32_t i = 0; i < report->player_count && report->score_limit > 0; i++)
        if (!report->players[i].left && report->players[i].score >= report->score_limit)
            return true;
    return false;
}

// Whether the present round is one whose end was not reported. Notes its beginning.
static bool has_open_round(struct arena *arena, struct raim_match_round *round)
{
    if (arena->worker.feed == NULL)
        return false;
    *round = raim_match_round(arena->worker.match);
    if (round->start_ms == 0) {
        const int64_t played_ms =
            (int64_t)round->played_ticks * 1000 / arena->worker.config->match.tick_hz;
        round->start_ms = now_ms() - played_ms;
        raim_match_set_round_start(arena->worker.match, round->start_ms > 0 ? round->start_ms : 1);
    }
    return round->round != arena->worker.ended_round;
}

void arena_rounds_run(struct arena *arena)
{
    struct raim_match_round round;
    if (!has_open_round(arena, &round) || round.phase != RAIM_MATCH_BREAK)
        return;
    struct round_report *report = arena_feed_begin_round(arena->worker.feed);
    if (report == NULL && round.left_ticks > 0)
        return; // tried again in the next tick of the break
    arena->worker.ended_round = round.round;
    if (report == NULL) {
        arena_feed_lose_round(arena->worker.feed);
        return;
    }
    fill(report, arena, &round);
    report->winner = round.winner;
    report->ended = has_score(report) ? ROUND_END_SCORE : ROUND_END_CLOCK;
    arena_feed_end_round(arena->worker.feed);
    arena->worker.has_news = true;
}

void arena_rounds_cut(struct arena *arena, enum round_end ended)
{
    struct raim_match_round round;
    if (!has_open_round(arena, &round) || round.played_ticks == 0)
        return;
    struct round_report *report = arena_feed_begin_round(arena->worker.feed);
    arena->worker.ended_round = round.round;
    if (report == NULL) {
        arena_feed_lose_round(arena->worker.feed);
        return;
    }
    fill(report, arena, &round);
    report->ended = ended;
    arena_feed_end_round(arena->worker.feed);
    arena->worker.has_news = true;
}
