// SPDX-License-Identifier: MIT
// Counts the running vote: the latest choices from each origin, up to a limit.
#include "votes_internal.h"

#include "match_internal.h"

// The choice that a session has made in the running vote.
static uint32_t choice_of(const struct raim_match *match, const struct raim_match_session *session)
{
    const struct raim_match_vote *running = &match->votes.running;
    return running->subject.kind != 0 && session->vote.number == running->number
               ? session->vote.choice
               : RAIM_VOTE_SILENT;
}

uint32_t raim_vote_count_choice(const struct raim_match *match, uint32_t slot)
{
    return choice_of(match, &match->sessions[slot]);
}

// Whether the session of a slot plays: it is neither a bot nor away or idle, or it has voted.
static bool is_active(const struct raim_match *match, uint32_t slot)
{
    const struct raim_match_session *session = &match->sessions[slot];
    const uint32_t idle_ticks = match->policy.idle_ticks;
    if (session->bot)
        return false;
    return choice_of(match, session) != RAIM_VOTE_SILENT ||
           (!raim_world_players_const(match->world)[slot].away &&
            (idle_ticks == 0 || session->idle_ticks < idle_ticks));
}

// Whether the session of a slot counts in the running vote.
static bool is_elector(const struct raim_match *match, uint32_t slot)
{
    const struct raim_match_votes *votes = &match->votes;
    if (!is_active(match, slot))
        return false;
    return !raim_vote_has_player(votes->running.subject.kind) ||
           (raim_world_players_const(match->world)[slot].id != votes->running.subject.player &&
            raim_votes_is_past_newcomer_delay(match, &match->sessions[slot], votes->began_tick));
}

static void add_choice(struct raim_vote_count *count, uint32_t choice)
{
    count->tally.yes += choice == RAIM_VOTE_YES;
    count->tally.no += choice == RAIM_VOTE_NO;
}

// Keeps a choice if it is one of the latest of its origin.
static void note_choice(struct raim_origin *group, uint32_t order, uint32_t choice)
{
    for (uint32_t i = 0; i < RAIM_VOTE_ELECTORS && choice != RAIM_VOTE_SILENT; i++) {
        if (order < group->latest[i].order)
            continue;
        const uint32_t next_order = group->latest[i].order, next_choice = group->latest[i].choice;
        group->latest[i].order = order;
        group->latest[i].choice = choice;
        order = next_order;
        choice = next_choice;
    }
}

// Adds the electors of an origin, and returns whether one of them says yes.
static bool add_group(struct raim_vote_count *count, const struct raim_origin *group)
{
    const uint32_t yes = count->tally.yes;
    count->tally.electors += group->count < RAIM_VOTE_ELECTORS ? group->count : RAIM_VOTE_ELECTORS;
    for (uint32_t i = 0; i < RAIM_VOTE_ELECTORS; i++)
        add_choice(count, group->latest[i].choice);
    return count->tally.yes > yes;
}

static uint32_t larger(uint32_t one, uint32_t other)
{
    return one > other ? one : other;
}

static void set_limits(const struct raim_match *match, struct raim_vote_count *count)
{
    struct raim_vote_tally *tally = &count->tally;
    const uint32_t electors = tally->electors;
    const bool is_personal = raim_vote_has_player(match->votes.running.subject.kind);
    const uint32_t least = is_personal || electors > 2 ? 2 : electors;
    tally->needed = larger(electors * match->policy.tuning.votes.yes_percent / 100 + 1, least);
    count->quorum = larger((electors + 2) / 3, least);
    if (count->quorum > tally->needed)
        count->quorum = tally->needed;
}

struct raim_vote_count raim_vote_count_running(const struct raim_match *match)
{
    struct raim_vote_count count = {0};
    const bool is_one_address = raim_vote_count_addresses(match) <= 1;
    const struct raim_origin *groups = match->origins.rows;
    raim_origins_clear(&match->origins);
    uint32_t origins = 0, agreeing = 0; // of electors
    for (uint32_t slot = raim_match_next_slot(match, 0); slot < match->world->max_players;
         slot = raim_match_next_slot(match, slot + 1)) {
        const struct raim_match_session *session = &match->sessions[slot];
        const uint32_t choice = choice_of(match, session);
        if (!is_elector(match, slot))
            continue;
        if (is_one_address || session->origin == 0) {
            count.tally.electors++;
            add_choice(&count, choice);
            origins++;
            agreeing += choice == RAIM_VOTE_YES;
            continue;
        }
        struct raim_origin *group = raim_origins_find(&match->origins, session->origin);
        group->count++;
        note_choice(group, session->vote.order, choice);
    }
    for (uint32_t i = 0; i < match->origins.capacity; i++) {
        origins += groups[i].key != 0;
        agreeing += groups[i].key != 0 && add_group(&count, &groups[i]);
    }
    count.is_broad = is_one_address || agreeing > 1;
    count.may_be_broad = is_one_address || origins > 1;
    set_limits(match, &count);
    return count;
}

uint32_t raim_vote_count_addresses(const struct raim_match *match)
{
    uint32_t count = 0;
    raim_origins_clear(&match->origins);
    for (uint32_t slot = raim_match_next_slot(match, 0); slot < match->world->max_players;
         slot = raim_match_next_slot(match, slot + 1)) {
        const struct raim_match_session *session = &match->sessions[slot];
        if (!is_active(match, slot))
            continue;
        count += session->origin == 0 ||
                 raim_origins_find(&match->origins, session->origin)->count++ == 0;
    }
    return count;
}

uint32_t raim_vote_count_decide(const struct raim_match *match, const struct raim_vote_count *count,
                                bool is_over)
{
    const struct raim_vote_tuning *tuning = &match->policy.tuning.votes;
    const struct raim_vote_tally *tally = &count->tally;
    if (tally->yes >= tally->needed && count->is_broad)
        return RAIM_VOTE_PASSED;
    if (tally->electors - tally->no < tally->needed)
        return RAIM_VOTE_FAILED; // even if everybody else says yes
    if (!is_over)
        return 0;
    const bool has_share = 100 * tally->yes > tuning->yes_percent * (tally->yes + tally->no);
    return has_share && tally->yes >= count->quorum && count->is_broad && !tuning->silent_is_no
               ? RAIM_VOTE_PASSED
               : RAIM_VOTE_FAILED;
}
