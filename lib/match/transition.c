// SPDX-License-Identifier: MIT
// Transfers players, spectators and connections of a match to its successor.
#include "match_internal.h"

#include "text.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

// State of a transfer. `ids` holds, by slot in the previous match, the id in the next one.
struct transition {
    struct raim_match *next;
    const struct raim_match *before;
    bool keeps_round;
    raim_player_id ids[RAIM_MAX_PLAYERS];
};

static const raim_player *player_before(const struct transition *transition, uint32_t slot)
{
    return &raim_world_players_const(transition->before->world)[slot];
}

// The world of the next match counts shots and hits from 0 on; those of a round that goes on are
// kept by a base below 0, modulo 2^32.
static void carry_round_counts(const struct transition *transition, uint32_t from, uint32_t to)
{
    const raim_player *player = player_before(transition, from);
    const struct raim_match_session *before = &transition->before->sessions[from];
    struct raim_match_session *session = &transition->next->sessions[to];
    session->shots_before = transition->keeps_round ? before->shots_before - player->shots : 0;
    session->hits_before = transition->keeps_round ? before->hits_before - player->hits : 0;
}

// Carries a player's state over to its id in the next match.
static void carry_player(struct transition *transition, uint32_t slot, raim_player_id id)
{
    struct raim_match *next = transition->next;
    const raim_player *from = player_before(transition, slot);
    raim_player *to = &raim_world_players(next->world)[raim_player_slot(id)];
    transition->ids[slot] = id;
    raim_set_add(next->taken, raim_player_slot(id));
    to->aim = from->aim;
    to->away = from->away;
    carry_round_counts(transition, slot, raim_player_slot(id));
    if (!transition->keeps_round)
        return;
    to->score = from->score;
    to->deaths = from->deaths;
    // A player destroyed in this round needs a position of death; any point of the new map will do.
    to->position = to->previous = next->def.map->spawns[0];
}

// Takes over a client's session, or a bot of the same name that thinks anew, under this id.
static void carry_session(struct transition *transition, uint32_t slot, raim_player_id id)
{
    const struct raim_match_session *session = &transition->before->sessions[slot];
    assert(id != RAIM_NOBODY);
    if (session->bot) {
        raim_players_place_bot(transition->next, id, session->name);
        transition->next->sessions[raim_player_slot(id)].joined_tick = session->joined_tick;
    } else {
        transition->next->sessions[raim_player_slot(id)] = *session;
        transition->next->playing++;
    }
    carry_player(transition, slot, id);
}

// First every player whose slot the next match has keeps it; the others take free slots. Of the
// bots the first ones stay, and new ones come last.
static void place_players(struct transition *transition)
{
    struct raim_match *next = transition->next;
    const struct raim_match *before = transition->before;
    const uint32_t slots = before->world->max_players, kept_slots = next->world->max_players;
    const uint32_t wanted = raim_players_wanted_bots(&next->def, before->playing);
    uint32_t bots = 0;
    bool stays[RAIM_MAX_PLAYERS] = {false};
    assert(before->playing <= next->def.tuning.max_players);
    for (uint32_t slot = raim_match_next_slot(before, 0); slot < slots;
         slot = raim_match_next_slot(before, slot + 1)) {
        stays[slot] = !before->sessions[slot].bot || bots < wanted;
        bots += before->sessions[slot].bot && stays[slot];
        if (!stays[slot] || slot >= kept_slots)
            continue;
        const raim_player_id id = player_before(transition, slot)->id;
        raim_world_rejoin(next->world, id);
        carry_session(transition, slot, id);
    }
    for (uint32_t slot = raim_match_next_slot(before, kept_slots); slot < slots;
         slot = raim_match_next_slot(before, slot + 1))
        if (stays[slot])
            carry_session(transition, slot, raim_world_join(next->world));
    while (bots < wanted) {
        char name[RAIM_MAX_NAME_BYTES + 1];
        raim_text_append_number(raim_text_append(name, "Bot "), ++bots);
        raim_players_place_bot(next, raim_world_join(next->world), name);
    }
}

// The id in the next match of a player of the previous one; RAIM_NOBODY: unknown id.
static raim_player_id id_after(const struct transition *transition, raim_player_id id)
{
    const uint32_t slot = raim_player_slot(id);
    if (id == RAIM_NOBODY || slot >= transition->before->world->max_players ||
        player_before(transition, slot)->id != id)
        return RAIM_NOBODY;
    return transition->ids[slot];
}

// A client that plays or watches enters again; any other connection keeps its state.
static void carry_client(const struct transition *transition, uint32_t handle)
{
    struct raim_match *next = transition->next;
    assert(handle < next->def.max_connections);
    const struct raim_connection *from = &transition->before->connections[handle];
    struct raim_connection *to = &next->connections[handle];
    raim_connections_add(next, handle);
    memcpy(to, from, offsetof(struct raim_connection, player));
    raim_notices_carry(next, transition->before, handle);
    if (from->state != RAIM_CONNECTION_ENTERING && from->state != RAIM_CONNECTION_PLAYING)
        return;
    to->state = RAIM_CONNECTION_ENTERING;
    if (from->watches) {
        const bool has_slot = raim_spectators_join(next, to, id_after(transition, from->watched));
        assert(has_slot);
        return;
    }
    to->player = id_after(transition, from->player);
    assert(to->player != RAIM_NOBODY);
    to->slot = raim_player_slot(to->player);
    to->rewind_limit = from->rewind_limit;
    to->inbox.held.aim = raim_world_players_const(next->world)[to->slot].aim;
}

// The running vote goes on; what may be voted for is that of `next`.
static void carry_votes(const struct transition *transition)
{
    struct raim_match_votes *votes = &transition->next->votes;
    const struct raim_vote_offer offer = votes->offer;
    *votes = transition->before->votes;
    votes->offer = offer;
    votes->offer_version++;
    votes->ends_round = false;
    votes->replays_map = votes->replays_map && transition->keeps_round;
    struct raim_match_vote *running = &votes->running;
    running->caller = id_after(transition, running->caller);
    running->subject.player = id_after(transition, (raim_player_id)running->subject.player);
    votes->caller.player = id_after(transition, votes->caller.player);
    votes->target.player = id_after(transition, votes->target.player);
    for (uint32_t i = 0; i < RAIM_VOTE_PENALTIES; i++)
        votes->penalties[i].party.player = id_after(transition, votes->penalties[i].party.player);
}

static void carry_rounds(const struct transition *transition)
{
    struct raim_match *next = transition->next;
    const struct raim_rounds *from = &transition->before->rounds;
    if (transition->keeps_round) {
        next->rounds = *from;
        next->rounds.winner = id_after(transition, (raim_player_id)from->winner);
        raim_departed_carry(next, transition->before);
    } else {
        next->rounds.round = from->round + 1;
        next->rounds.paused = from->paused;
    }
    raim_rounds_mark_phase_sent(next);
}

void raim_match_transfer(struct raim_match *next, const struct raim_match *match, bool keeps_round)
{
    assert(next->world->tick == 0 && next->playing == 0 && next->watching == 0);
    assert(next->def.tick_hz == match->def.tick_hz);
    struct transition transition = {
        .next = next,
        .before = match,
        .keeps_round = keeps_round,
    };
    raim_players_clear_bots(next); // they are placed among the clients
    raim_world_continue(next->world, match->world);
    next->began_tick = match->world->tick;
    next->policy.draining = match->policy.draining;
    next->snapshot_interval = match->snapshot_interval;
    place_players(&transition);
    for (uint32_t handle = raim_match_next_client(match, 0); handle < match->def.max_connections;
         handle = raim_match_next_client(match, handle + 1))
        carry_client(&transition, handle);
    next->lines = match->lines;
    next->totals = match->totals;
    carry_votes(&transition);
    carry_rounds(&transition);
    // The new welcomes contain the effects of all earlier events. The gap of one number keeps a
    // client from taking the next event before its new WELCOME.
    raim_event_log_restart(&next->log, match->log.end + 1);
}
