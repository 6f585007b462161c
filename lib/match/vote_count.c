// SPDX-License-Identifier: MIT
// Counts the running vote: one choice for each origin, the latest of its players'.
#include "match_internal.h"

// An open-addressed table of origins, at most half full.
enum { GROUPS = 2 * RAIM_MAX_PLAYERS };
static_assert((GROUPS & (GROUPS - 1)) == 0, "a hash is cut to an index by a mask");

struct group {
    uint64_t origin; // 0: free
    uint32_t order;  // of its latest choice; 0: none yet
    uint32_t choice;
};

// The choice that a member has made in the running vote.
static uint32_t choice_of(const struct raim_match *match, const struct raim_member *member)
{
    return member->vote.number == match->votes.running.number ? member->vote.choice
                                                              : RAIM_VOTE_SILENT;
}

uint32_t raim_votes_choice(const struct raim_match *match, uint32_t slot)
{
    return choice_of(match, &match->members[slot]);
}

// Whether the member of a slot may vote in the running vote.
static bool is_elector(const struct raim_match *match, uint32_t slot)
{
    const struct raim_match_votes *votes = &match->votes;
    const struct raim_member *member = &match->members[slot];
    const raim_player *player = &raim_world_players_const(match->world)[slot];
    if (member->bot || (player->away && choice_of(match, member) == RAIM_VOTE_SILENT))
        return false;
    if (!raim_vote_has_player(votes->running.subject.kind) ||
        player->id == votes->running.subject.player)
        return true;
    return raim_votes_has_settled(match, member, votes->began_tick);
}

static struct group *find_group(struct group *groups, uint64_t origin)
{
    uint32_t at = (uint32_t)(origin ^ origin >> 32) & (GROUPS - 1);
    while (groups[at].origin != 0 && groups[at].origin != origin)
        at = (at + 1) & (GROUPS - 1);
    return &groups[at];
}

static void count_choice(struct raim_vote_tally *tally, uint32_t choice, bool adds)
{
    const uint32_t one = adds ? 1 : UINT32_MAX; // modulo 2^32: -1
    tally->yes += choice == RAIM_VOTE_YES ? one : 0;
    tally->no += choice == RAIM_VOTE_NO ? one : 0;
}

struct raim_vote_tally raim_votes_count(const struct raim_match *match)
{
    struct group groups[GROUPS] = {{0}};
    struct raim_vote_tally tally = {0};
    for (uint32_t slot = raim_match_next_slot(match, 0); slot < match->world->max_players;
         slot = raim_match_next_slot(match, slot + 1)) {
        const struct raim_member *member = &match->members[slot];
        if (!is_elector(match, slot))
            continue;
        const uint32_t choice = choice_of(match, member);
        if (member->origin == 0) {
            tally.electors++;
            count_choice(&tally, choice, true);
            continue;
        }
        struct group *group = find_group(groups, member->origin);
        tally.electors += group->origin == 0;
        group->origin = member->origin;
        if (choice == RAIM_VOTE_SILENT || member->vote.order <= group->order)
            continue;
        count_choice(&tally, group->choice, false);
        count_choice(&tally, choice, true);
        group->order = member->vote.order;
        group->choice = choice;
    }
    tally.needed = tally.electors * match->policy.tuning.votes.yes_percent / 100 + 1;
    return tally;
}

uint32_t raim_votes_addresses(const struct raim_match *match)
{
    struct group groups[GROUPS] = {{0}};
    uint32_t count = 0;
    for (uint32_t slot = raim_match_next_slot(match, 0); slot < match->world->max_players;
         slot = raim_match_next_slot(match, slot + 1)) {
        const struct raim_member *member = &match->members[slot];
        if (member->bot)
            continue;
        struct group *group = find_group(groups, member->origin);
        count += member->origin == 0 || group->origin == 0;
        group->origin = member->origin;
    }
    return count;
}

uint32_t raim_votes_decide(const struct raim_match *match, const struct raim_vote_tally *tally,
                           bool is_over)
{
    const struct raim_vote_tuning *tuning = &match->policy.tuning.votes;
    if (tally->yes >= tally->needed)
        return RAIM_VOTE_PASSED;
    if (tally->electors - tally->no < tally->needed)
        return RAIM_VOTE_FAILED; // even if everybody else says yes
    if (!is_over)
        return 0;
    const bool has_share = 100 * tally->yes > tuning->yes_percent * (tally->yes + tally->no);
    return has_share && !tuning->silent_is_no ? RAIM_VOTE_PASSED : RAIM_VOTE_FAILED;
}
