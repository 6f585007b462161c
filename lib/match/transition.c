// SPDX-License-Identifier: MIT
// Hands everybody of a match over to the one that follows it.
#include "match_internal.h"

#include <assert.h>
#include <string.h>

// A hand-over at work: `ids` holds, by place in the match before, the id in the next one.
struct transition {
    struct raim_match *next;
    const struct raim_match *before;
    bool keeps_round;
    raim_player_id ids[RAIM_MAX_PLAYERS];
};

static const raim_player *player_before(const struct transition *succession, uint32_t place)
{
    return &raim_world_players_const(succession->before->world)[place];
}

// What a player of the match before is in the next one.
static void carry_player(struct transition *succession, uint32_t place, raim_player_id id)
{
    struct raim_match *next = succession->next;
    const raim_player *from = player_before(succession, place);
    raim_player *to = &raim_world_players(next->world)[raim_player_place(id)];
    succession->ids[place] = id;
    to->aim = from->aim;
    to->away = from->away;
    if (!succession->keeps_round)
        return;
    to->score = from->score;
    to->deaths = from->deaths;
    // Who was destroyed in this round is taken to have fallen somewhere.
    to->position = to->previous = next->def.map->spawns[0];
}

// Bots sit in the first places of every match. Those that both have are the same ones.
static void seat_bots(struct transition *succession)
{
    struct raim_match *next = succession->next;
    const struct raim_match *before = succession->before;
    for (uint32_t place = 0; place < next->def.bots; place++) {
        struct raim_member *member = &next->members[place];
        assert(member->bot);
        member->joined_tick = next->world->tick;
        if (place >= before->def.bots) {
            const raim_player_id id = raim_world_join(next->world);
            assert(raim_player_place(id) == place);
            continue;
        }
        const raim_player_id id = player_before(succession, place)->id;
        raim_world_seat(next->world, id);
        member->joined_tick = before->members[place].joined_tick;
        carry_player(succession, place, id);
    }
}

static void carry_member(struct transition *succession, uint32_t place, raim_player_id id)
{
    assert(id != RAIM_NOBODY);
    carry_player(succession, place, id);
    succession->next->members[raim_player_place(id)] = succession->before->members[place];
    succession->next->playing++;
}

// Clients' players keep their places first; then the others take what is left.
static void seat_clients(struct transition *succession)
{
    struct raim_match *next = succession->next;
    const struct raim_match *before = succession->before;
    assert(before->playing <= next->def.max_clients);
    for (uint32_t place = next->def.bots; place < before->world->max_players; place++) {
        const raim_player *player = player_before(succession, place);
        if (player->id == RAIM_NOBODY || before->members[place].bot ||
            place >= next->world->max_players)
            continue;
        raim_world_seat(next->world, player->id);
        carry_member(succession, place, player->id);
    }
    for (uint32_t place = before->def.bots; place < before->world->max_players; place++)
        if (player_before(succession, place)->id != RAIM_NOBODY &&
            succession->ids[place] == RAIM_NOBODY)
            carry_member(succession, place, raim_world_join(next->world));
}

// The id in the next match of somebody in the one before; RAIM_NOBODY where there is none.
static raim_player_id id_after(const struct transition *succession, raim_player_id id)
{
    const uint32_t place = raim_player_place(id);
    if (id == RAIM_NOBODY || place >= succession->before->world->max_players ||
        player_before(succession, place)->id != id)
        return RAIM_NOBODY;
    return succession->ids[place];
}

// Who plays or watches enters anew; whoever is not in, or no more, is where it was.
static void carry_client(const struct transition *succession, uint32_t handle)
{
    struct raim_match *next = succession->next;
    assert(handle < next->def.max_connections);
    const struct raim_connection *from = &succession->before->clients[handle];
    struct raim_connection *to = &next->clients[handle];
    to->state = from->state;
    to->reason = from->reason;
    memcpy(to->why, from->why, sizeof to->why);
    memcpy(to->token, from->token, sizeof to->token);
    to->since_tick = from->since_tick;
    to->watches = from->watches;
    if (from->state != RAIM_CONNECTION_ENTERING && from->state != RAIM_CONNECTION_PLAYING)
        return;
    to->state = RAIM_CONNECTION_ENTERING;
    if (from->watches) {
        const bool has_place = raim_spectators_join(next, to, id_after(succession, from->watched));
        assert(has_place);
        return;
    }
    to->player = id_after(succession, from->player);
    assert(to->player != RAIM_NOBODY);
    to->place = raim_player_place(to->player);
    to->rewind_limit = from->rewind_limit;
    to->inbox.held.aim = raim_world_players_const(next->world)[to->place].aim;
}

static void carry_counts(struct raim_match *next, const struct raim_match *before)
{
    next->totals.hits = before->totals.hits;
    next->totals.inputs_due = before->totals.inputs_due;
    next->totals.inputs_missed = before->totals.inputs_missed;
    next->totals.snapshots = before->totals.snapshots;
    memcpy(next->totals.refused, before->totals.refused, sizeof next->totals.refused);
}

static void carry_rounds(const struct transition *succession)
{
    struct raim_match *next = succession->next;
    const struct raim_rounds *from = &succession->before->rounds;
    if (succession->keeps_round) {
        next->rounds = *from;
        next->rounds.winner = id_after(succession, (raim_player_id)from->winner);
    } else {
        next->rounds.round = from->round + 1;
        next->rounds.paused = from->paused;
    }
    raim_rounds_settle(next);
}

void raim_match_succeed(struct raim_match *next, struct raim_match *match, bool keeps_round)
{
    assert(next->world->tick == 0 && next->playing == 0 && next->watching == 0);
    assert(next->def.tick_hz == match->def.tick_hz);
    struct transition succession = {
        .next = next,
        .before = match,
        .keeps_round = keeps_round,
    };
    for (uint32_t place = 0; place < next->def.bots; place++)
        raim_world_leave(next->world, raim_world_players_const(next->world)[place].id);
    raim_world_follow(next->world, match->world);
    next->began_tick = match->world->tick;
    next->policy.draining = match->policy.draining;
    seat_bots(&succession);
    seat_clients(&succession);
    for (uint32_t handle = 0; handle < match->def.max_connections; handle++)
        if (match->clients[handle].state != RAIM_CONNECTION_ABSENT)
            carry_client(&succession, handle);
    carry_counts(next, match);
    carry_rounds(&succession);
    // Whoever is to hear of events is welcomed anew, to what they have led to.
    raim_event_log_restart(&next->log, match->log.end);
}
