// SPDX-License-Identifier: MIT
// Watches the votes of a match, and posts them to the arena's feed.
#define _GNU_SOURCE
#include "arena_votes.h"

#include "arena_internal.h"
#include "crypto.h"

#include <string.h>

void arena_votes_watch(struct arena *arena)
{
    struct arena_votes *votes = &arena->worker.votes;
    struct raim_match_vote vote;
    if (!raim_match_running_vote(arena->worker.match, &vote))
        return;
    if (vote.number != votes->number)
        votes->address = (struct ip_address){0};
    votes->number = vote.number;
    const uint32_t target = raim_match_vote_target(arena->worker.match);
    if (target != UINT32_MAX)
        votes->address = transport_source(arena->worker.transport, target).ip;
}

static void post(struct arena *arena, const struct raim_match_vote *vote)
{
    const struct arena_votes *votes = &arena->worker.votes;
    const struct arena_feed_item item = {
        .kind = ARENA_FEED_VOTE,
        .vote = *vote,
        .address = vote->number == votes->number ? votes->address : (struct ip_address){0},
    };
    arena_feed_post(arena->worker.feed, &item);
    arena->worker.has_news = true;
}

static void want_map(struct arena *arena, const char *map)
{
    struct arena_feed_item item = {.kind = ARENA_FEED_MAP_WANTED};
    strcpy(item.text, map);
    arena_feed_post(arena->worker.feed, &item);
    arena->worker.has_news = true;
}

void arena_votes_run(struct arena *arena)
{
    struct arena_votes *votes = &arena->worker.votes;
    struct raim_match_vote vote;
    if (arena->worker.feed == NULL)
        return;
    if (raim_match_running_vote(arena->worker.match, &vote) && vote.number != votes->called) {
        votes->called = vote.number;
        post(arena, &vote);
    }
    if (!raim_match_take_ended_vote(arena->worker.match, &vote))
        return;
    votes->called = vote.number;
    post(arena, &vote);
    if (vote.outcome == RAIM_VOTE_PASSED && vote.subject.kind == RAIM_VOTE_MAP)
        want_map(arena, vote.subject.map);
}

static uint64_t hash(const struct arena *arena, uint64_t number)
{
    const uint64_t hashed = raim_crypto_siphash(arena->opened.origin_key, &number, sizeof number);
    return hashed != 0 ? hashed : 1;
}

void arena_votes_note_origin(struct arena *arena, uint32_t peer)
{
    const struct ip_address ip = transport_source(arena->worker.transport, peer).ip;
    const uint64_t host = ip_address_host(ip), network = ip_address_network(ip);
    raim_match_set_origin(arena->worker.match, peer, hash(arena, host), hash(arena, network));
}
