// SPDX-License-Identifier: MIT
// Makes bouts and passes them between threads.
#include "prepared_match.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct prepared_match *prepared_match_create(const struct config_arena *config,
                                             struct config *owner, struct raim_match *match)
{
    struct prepared_match *bout = calloc(1, sizeof *bout);
    if (bout == NULL) {
        raim_match_destroy(match);
        return NULL;
    }
    bout->config = *config;
    bout->owner = owner != NULL ? config_share(owner) : NULL;
    bout->match = match;
    return bout;
}

void prepared_match_free(struct prepared_match *bout)
{
    if (bout == NULL)
        return;
    raim_match_destroy(bout->match); // before its map
    config_unload(bout->owner);
    free(bout);
}

void prepared_match_free_all(struct prepared_match *bouts)
{
    while (bouts != NULL) {
        struct prepared_match *next = bouts->next;
        prepared_match_free(bouts);
        bouts = next;
    }
}

void prepared_match_inherit(struct prepared_match *bout, struct prepared_match *before)
{
    assert(bout->match == NULL);
    assert(bout->owner == NULL);
    const struct config_arena tuned = bout->config;
    bout->config = before->config;
    config_tune(&bout->config, &tuned);
    bout->map = before->map;
    bout->match = before->match;
    before->match = NULL;
}

struct raim_match_tuning prepared_match_tuning(const struct config_arena *config)
{
    struct raim_match_tuning tuning = {
        .max_clients = config->max_players,
        .max_spectators = config->max_spectators,
        .resume_grace_s = config->resume_grace_s,
        .idle_timeout_s = config->idle_timeout_s,
        .round_s = config->round_s,
        .break_s = config->break_s,
        .score_limit = config->score_limit,
    };
    memcpy(tuning.motd, config->motd, sizeof tuning.motd);
    return tuning;
}

void prepared_match_push(struct prepared_match_stack *stack, struct prepared_match *bout)
{
    // What the bout is becomes visible before it does.
    bout->next = atomic_load_explicit(&stack->newest, memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(&stack->newest, &bout->next, bout,
                                                  memory_order_release, memory_order_relaxed))
        continue;
}

struct prepared_match *prepared_match_take(struct prepared_match_stack *stack)
{
    struct prepared_match *oldest = NULL;
    struct prepared_match *newest =
        atomic_exchange_explicit(&stack->newest, NULL, memory_order_acquire);
    while (newest != NULL) {
        struct prepared_match *older = newest->next;
        newest->next = oldest;
        oldest = newest;
        newest = older;
    }
    return oldest;
}
