// SPDX-License-Identifier: MIT
// Counts the running vote: the latest choices from each origin, up to a limit.
#include "match_internal.h"

// Electors of an origin while active players are at several. One would turn a household into a
// single player; more let one attacker outvote many.
enum { MAX_ELECTORS_OF_ORIGIN = 2 };

// An open-addressed table of origins, at most half full.
enum { GROUPS = 2 * RAIM_MAX_PLAYERS };
static_assert((GROUPS & (GROUPS - 1)) == 0, "a hash is cut to an index by a mask");

struct group {
    uint64_t origin; // 0: free
    uint32_t electors;
    // The latest choices, the latest one first; order 0: none.
    struct {
        uint32_t order, choice;
    } latest[MAX_ELECTORS_OF_ORIGIN];
};

// The choice that a member has made in the running vote.
static uint32_t choice_of(const struct raim_match *match, const struct raim_member *member)
{
    const struct raim_match_vote *running = &match->votes.running;
    return running->subject.kind != 0 && member->vote.number == running->number
               ? member->vote.choice
               : RAIM_VOTE_SILENT;
}

uint32_t raim_votes_choice(const struct raim_match *match, uint32_t slot)
{
    return choice_of(match, &match->members[slot]);
}

// Whether the member of a slot plays: it is neither a bot nor away or idle, or it has voted.
static bool is_active(const struct raim_match *match, uint32_t slot)
{
    const struct raim_member *member = &match->members[slot];
    const uint32_t idle_ticks = match->policy.idle_ticks;
    if (member->bot)
        return false;
    return choice_of(match, member) != RAIM_VOTE_SILENT ||
           (!raim_world_players_const(match->world)[slot].away &&
            (idle_ticks == 0 || member->idle_ticks < idle_ticks));
}

// Whether the member of a slot counts in the running vote.
static bool is_elector(const struct raim_match *match, uint32_t slot)
{
    const struct raim_match_votes *votes = &match->votes;
    if (!is_active(match, slot))
        return false;
    return !raim_vote_has_player(votes->running.subject.kind) ||
           (raim_world_players_const(match->world)[slot].id != votes->running.subject.player &&
            raim_votes_has_settled(match, &match->members[slot], votes->began_tick));
}

static struct group *find_group(struct group *groups, uint64_t origin)
{
    uint32_t at = (uint32_t)(origin ^ origin >> 32) & (GROUPS - 1);
    while (groups[at].origin != 0 && groups[at].origin != origin)
        at = (at + 1) & (GROUPS - 1);
    return &groups[at];
}

static void add_choice(struct raim_vote_count *count, uint32_t choice)
{
    count->tally.yes += choice == RAIM_VOTE_YES;
    count->tally.no += choice == RAIM_VOTE_NO;
}

// Keeps a choice if it is one of the latest of its origin.
static void note_choice(struct group *group, uint32_t order, uint32_t choice)
{
    for (uint32_t i = 0; i < MAX_ELECTORS_OF_ORIGIN && choice != RAIM_VOTE_SILENT; i++) {
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
static bool add_group(struct raim_vote_count *count, const struct group *group)
{
    const uint32_t yes = count->tally.yes;
    count->tally.electors +=
        group->electors < MAX_ELECTORS_OF_ORIGIN ? group->electors : MAX_ELECTORS_OF_ORIGIN;
    for (uint32_t i = 0; i < MAX_ELECTORS_OF_ORIGIN; i++)
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

struct raim_vote_count raim_votes_count(const struct raim_match *match)
{
    struct group groups[GROUPS] = {{0}};
    struct raim_vote_count count = {0};
    const bool is_one_address = raim_votes_addresses(match) <= 1;
    uint32_t origins = 0, agreeing = 0; // of electors
    for (uint32_t slot = raim_match_next_slot(match, 0); slot < match->world->max_players;
         slot = raim_match_next_slot(match, slot + 1)) {
        const struct raim_member *member = &match->members[slot];
        const uint32_t choice = choice_of(match, member);
        if (!is_elector(match, slot))
            continue;
        if (is_one_address || member->origin == 0) {
            count.tally.electors++;
            add_choice(&count, choice);
            origins++;
            agreeing += choice == RAIM_VOTE_YES;
            continue;
        }
        struct group *group = find_group(groups, member->origin);
        group->origin = member->origin;
        group->electors++;
        note_choice(group, member->vote.order, choice);
    }
    for (uint32_t i = 0; i < GROUPS; i++) {
        origins += groups[i].origin != 0;
        agreeing += groups[i].origin != 0 && add_group(&count, &groups[i]);
    }
    count.is_broad = is_one_address || agreeing > 1;
    count.may_be_broad = is_one_address || origins > 1;
    set_limits(match, &count);
    return count;
}

uint32_t raim_votes_addresses(const struct raim_match *match)
{
    struct group groups[GROUPS] = {{0}};
    uint32_t count = 0;
    for (uint32_t slot = raim_match_next_slot(match, 0); slot < match->world->max_players;
         slot = raim_match_next_slot(match, slot + 1)) {
        const struct raim_member *member = &match->members[slot];
        if (!is_active(match, slot))
            continue;
        struct group *group = find_group(groups, member->origin);
        count += member->origin == 0 || group->origin == 0;
        group->origin = member->origin;
    }
    return count;
}

uint32_t raim_votes_decide(const struct raim_match *match, const struct raim_vote_count *count,
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
