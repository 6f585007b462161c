// SPDX-License-Identifier: MIT
// Penalties: what votes have imposed, and how long an address waits until it may call the next one.
// A penalty is of a player: of its session, of its access token wherever it comes from, and of its
// address, or, where others play from there, of those at the address who bear its name.
#include "votes_internal.h"

#include "match_internal.h"

#include "text.h"

#include <string.h>

struct raim_vote_party raim_vote_party_of(const struct raim_match *match, uint32_t slot)
{
    const struct raim_match_session *session = &match->sessions[slot];
    struct raim_vote_party party = {
        .player = raim_world_players_const(match->world)[slot].id,
        .origin = session->origin,
        .skeleton = session->key.skeleton,
    };
    memcpy(party.subject, session->subject, sizeof party.subject);
    return party;
}

bool raim_vote_party_is_same(const struct raim_vote_party *party, bool shares_address,
                             const struct raim_vote_party *other)
{
    const bool has_name = party->skeleton == other->skeleton;
    return (party->player != RAIM_NOBODY && party->player == other->player) ||
           (party->subject[0] != '\0' && strcmp(party->subject, other->subject) == 0) ||
           (party->origin != 0 && party->origin == other->origin && (!shares_address || has_name));
}

static bool is_in_force(const struct raim_vote_penalty *penalty, uint32_t tick)
{
    return penalty->kind != 0 && raim_tick_diff(tick, penalty->end_tick) < 0;
}

// The index of the penalty of a kind in force that meets a party; RAIM_VOTE_PENALTIES: none.
static uint32_t find(const struct raim_vote_penalty *penalties, uint32_t tick, uint32_t kind,
                     const struct raim_vote_party *party)
{
    uint32_t i = 0;
    for (; i < RAIM_VOTE_PENALTIES; i++) {
        const struct raim_vote_penalty *penalty = &penalties[i];
        if (penalty->kind == kind && is_in_force(penalty, tick) &&
            raim_vote_party_is_same(&penalty->party, penalty->shares_address, party))
            break;
    }
    return i;
}

void raim_vote_penalties_add(struct raim_match *match, uint32_t kind,
                             const struct raim_vote_party *party, bool shares_address,
                             double seconds)
{
    struct raim_vote_penalty *penalties = match->votes.penalties;
    const uint32_t tick = match->world->tick;
    uint32_t at = find(penalties, tick, kind, party);
    if (at == RAIM_VOTE_PENALTIES) {
        at = 0; // a free one, or the one that would end first
        for (uint32_t i = 0; i < RAIM_VOTE_PENALTIES && is_in_force(&penalties[at], tick); i++)
            if (!is_in_force(&penalties[i], tick) ||
                raim_tick_diff(penalties[i].end_tick, penalties[at].end_tick) < 0)
                at = i;
    }
    penalties[at] = (struct raim_vote_penalty){
        .kind = (uint8_t)kind,
        .shares_address = shares_address,
        .party = *party,
        .end_tick = tick + raim_match_ticks_of(match, seconds),
    };
}

void raim_vote_penalties_expire(struct raim_vote_penalty penalties[RAIM_VOTE_PENALTIES],
                                uint32_t tick)
{
    for (uint32_t i = 0; i < RAIM_VOTE_PENALTIES; i++)
        if (!is_in_force(&penalties[i], tick))
            penalties[i].kind = 0;
}

// The ticks for which a penalty still meets a party; 0: none does.
static int32_t ticks_left(const struct raim_match *match, uint32_t kind,
                          const struct raim_vote_party *party)
{
    const uint32_t tick = match->world->tick;
    const uint32_t at = find(match->votes.penalties, tick, kind, party);
    return at == RAIM_VOTE_PENALTIES ? 0
                                     : raim_tick_diff(match->votes.penalties[at].end_tick, tick);
}

int32_t raim_vote_penalties_call_delay(const struct raim_match *match, uint32_t slot)
{
    const struct raim_vote_party party = raim_vote_party_of(match, slot);
    return ticks_left(match, RAIM_VOTE_NO_CALL, &party);
}

bool raim_vote_penalties_mute(const struct raim_match *match, raim_player_id id)
{
    const struct raim_vote_party party = raim_vote_party_of(match, raim_player_slot(id));
    return ticks_left(match, RAIM_VOTE_MUTE, &party) > 0;
}

void raim_vote_penalties_explain(uint32_t kind, uint32_t minutes, char *text)
{
    text = raim_text_append(text, kind == RAIM_VOTE_SPECTATE
                                      ? "voted to watch: join as a spectator, or play again in "
                                      : "voted off: join again in ");
    raim_text_append(raim_text_append_number(text, minutes), " minutes");
}

bool raim_vote_penalties_bar(const struct raim_match *match, struct raim_connection *client,
                             const char *name, const char *subject)
{
    struct raim_vote_party party = {
        .player = RAIM_NOBODY,
        .origin = client->origin,
        .skeleton = raim_name_key_of(name).skeleton,
    };
    strcpy(party.subject, subject);
    uint32_t kind = RAIM_VOTE_KICK;
    int32_t left = ticks_left(match, kind, &party);
    if (left == 0 && !client->watches)
        left = ticks_left(match, kind = RAIM_VOTE_SPECTATE, &party);
    if (left == 0)
        return false;
    const uint32_t minute = 60 * match->def.tick_hz;
    raim_vote_penalties_explain(kind, ((uint32_t)left + minute - 1) / minute, client->why);
    return true;
}
