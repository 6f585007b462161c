// SPDX-License-Identifier: MIT
// Decides when an earlier answer still holds, and which question to ask the map where none does:
// cheap questions first, and those whose answers last the longest.
#include "visibility_cache.h"

#include <math.h>
#include <stdlib.h>

static const double rest_s = 0.033;

bool raim_visibility_cache_create(struct raim_visibility_cache *pairs, uint32_t targets,
                                  uint32_t viewers)
{
    *pairs = (struct raim_visibility_cache){.targets = targets, .viewers = viewers};
    pairs->pairs = calloc((size_t)targets * viewers, sizeof *pairs->pairs);
    return pairs->pairs != NULL;
}

void raim_visibility_cache_destroy(struct raim_visibility_cache *pairs)
{
    free(pairs->pairs);
    *pairs = (struct raim_visibility_cache){0};
}

uint32_t raim_visibility_cache_rest(uint32_t tick_hz)
{
    return (uint32_t)ceil(rest_s * tick_hz);
}

static struct raim_pair *pair_at(const struct raim_visibility_cache *pairs, uint32_t target,
                                 uint32_t viewer)
{
    return &pairs->pairs[(size_t)viewer * pairs->targets + target];
}

// As if it had been long ago, though not so long that tick numbers wrap.
static struct raim_pair unknown(uint32_t tick)
{
    const uint32_t long_ago = tick - (UINT32_C(1) << 30);
    return (struct raim_pair){.hidden_until = long_ago, .seen = long_ago};
}

void raim_visibility_cache_forget_target(struct raim_visibility_cache *pairs, uint32_t target,
                                         uint32_t tick)
{
    for (uint32_t viewer = 0; viewer < pairs->viewers; viewer++)
        *pair_at(pairs, target, viewer) = unknown(tick);
}

void raim_visibility_cache_forget_viewer(struct raim_visibility_cache *pairs, uint32_t viewer,
                                         uint32_t tick)
{
    for (uint32_t target = 0; target < pairs->targets; target++)
        *pair_at(pairs, target, viewer) = unknown(tick);
}

// --- what earlier answers tell ---

static bool is_before_or_at(uint32_t a, uint32_t b)
{
    return (int32_t)(a - b) <= 0;
}

// True for what earlier answers have settled; `visible` is the answer.
static bool is_settled(const struct raim_visibility_cache_query *query,
                       const struct raim_pair *pair, bool *visible)
{
    *visible = is_before_or_at(query->tick - query->latency, pair->seen);
    return *visible || is_before_or_at(query->tick + query->latency, pair->hidden_until);
}

// True when the viewer could not see the target by running now.
static bool is_hidden(const struct raim_visibility_cache_query *query, const struct raim_pair *pair)
{
    return is_before_or_at(query->tick, pair->hidden_until);
}

// True when the target was visible in the tick before.
static bool was_visible(const struct raim_visibility_cache_query *query,
                        const struct raim_pair *pair)
{
    return is_before_or_at(query->tick - 1 - query->latency, pair->seen);
}

// True when it is known between which points the viewer comes to see the target, if not at once, by
// running a little longer: the two are close to being visible or to being hidden.
static bool has_witness(const struct raim_pair *pair)
{
    return (pair->witness.from | pair->witness.to) != 0;
}

// --- what is asked of the map ---

// The witness saves working out both reaches.
static bool peeks_again(const struct raim_visibility_cache_query *query,
                        const struct raim_view_target *target, const struct raim_pair *pair,
                        struct raim_horizon horizon)
{
    return has_witness(pair) && raim_visibility_peeks_by(query->visibility, &query->viewpoint,
                                                         target, horizon, pair->witness);
}

static bool peeks(const struct raim_visibility_cache_query *query,
                  const struct raim_view_target *target, struct raim_pair *pair,
                  struct raim_horizon horizon)
{
    return raim_visibility_peeks(query->visibility, &query->viewpoint, target, horizon,
                                 &pair->blocker, &pair->witness);
}

// True when neither of two players can come to see the other; then this is known of both.
static bool is_apart(struct raim_visibility_cache *pairs,
                     const struct raim_visibility_cache_query *query,
                     const struct raim_view_target *target, struct raim_pair *pair, uint32_t ticks)
{
    if (target->trajectory != NULL ||
        !raim_visibility_is_apart(query->visibility, &query->viewpoint, target, ticks,
                                  &pair->blocker))
        return false;
    struct raim_pair *reverse = pair_at(pairs, query->viewpoint.place, target->place);
    if (is_before_or_at(reverse->hidden_until, query->tick + ticks))
        reverse->hidden_until = query->tick + ticks;
    return true;
}

// Whoever comes to see something by running less than it could sees it in the next ticks, too: it
// may run back first. One such run is worth a look, a search for others is not.
static bool stays_visible(const struct raim_visibility_cache_query *query,
                          const struct raim_view_target *target, struct raim_pair *pair,
                          uint32_t rest)
{
    const uint32_t latency = query->latency;
    const struct raim_horizon horizon = {
        .run = latency - rest,
        .from = rest,
        .to = target->trajectory != NULL ? latency : latency - rest,
    };
    const bool visible = has_witness(pair) ? peeks_again(query, target, pair, horizon)
                                           : peeks(query, target, pair, horizon);
    if (visible)
        pair->seen = query->tick + rest - latency;
    return visible;
}

// Whoever does not come to see it by running for longer need not be asked in the next ticks.
static bool stays_hidden(struct raim_visibility_cache *pairs,
                         const struct raim_visibility_cache_query *query,
                         const struct raim_view_target *target, struct raim_pair *pair,
                         uint32_t rest)
{
    const uint32_t longer = query->latency + rest;
    const struct raim_horizon horizon = {longer, 0, longer};
    // The questions that do without reaches come first: reaches cost more than all the rest.
    if (peeks_again(query, target, pair, horizon) ||
        (!is_apart(pairs, query, target, pair, longer) && peeks(query, target, pair, horizon)))
        return false;
    pair->hidden_until = query->tick + longer;
    pair->witness = (struct raim_witness){0};
    return true;
}

// Most that were visible stay so for longer, and most that were not stay hidden, so this is asked
// first. A pair with a witness is asked for this tick before that: where longer runs go past a gap,
// this one may find it.
static bool look_closely(struct raim_visibility_cache *pairs,
                         const struct raim_visibility_cache_query *query,
                         const struct raim_view_target *target, struct raim_pair *pair)
{
    const uint32_t tick = query->tick, latency = query->latency;
    const uint32_t rest = query->rest < latency ? query->rest : latency;
    const bool visible_before = was_visible(query, pair), is_close = has_witness(pair);
    if (visible_before ? stays_visible(query, target, pair, rest)
                       : !is_close && stays_hidden(pairs, query, target, pair, rest))
        return visible_before;
    const struct raim_horizon horizon = {latency, 0, latency};
    if (peeks_again(query, target, pair, horizon) || peeks(query, target, pair, horizon)) {
        pair->seen = tick - latency;
        return true;
    }
    pair->hidden_until = tick + latency;
    if (is_close && !visible_before)
        stays_hidden(pairs, query, target, pair, rest);
    return false;
}

// Sees a player from where both stand. Most that are visible are in plain view, and those that were
// visible before are worth an exact look: they are near to a corner.
static bool sees_player(const struct raim_visibility_cache_query *query,
                        const struct raim_view_target *target, struct raim_pair *pair)
{
    if (!raim_visibility_sees_circle(query->visibility, query->viewpoint.eye, target->centre,
                                     target->radius, was_visible(query, pair)))
        return false;
    pair->seen = query->tick;
    return true;
}

// Sees where a bullet will be at the end of the horizon, or where it is.
static bool sees_bullet(const struct raim_visibility_cache_query *query,
                        const struct raim_view_target *target, struct raim_pair *pair)
{
    const raim_vec2 eye = query->viewpoint.eye;
    const double flight = raim_trajectory_ticks(target->trajectory, query->latency);
    const raim_vec2 end = raim_trajectory_at(target->trajectory, flight);
    if (raim_visibility_sees_centre(query->visibility, eye, end, target->radius)) {
        pair->seen = query->tick + (uint32_t)flight - query->latency; // until it has come there
        return true;
    }
    if (raim_visibility_sees_centre(query->visibility, eye, target->centre, target->radius)) {
        pair->seen = query->tick - query->latency;
        return true;
    }
    return false;
}

bool raim_visibility_cache_may_see(struct raim_visibility_cache *pairs,
                                   const struct raim_visibility_cache_query *query,
                                   const struct raim_view_target *target)
{
    struct raim_pair *pair = pair_at(pairs, target->place, query->viewer);
    bool visible;
    if (is_settled(query, pair, &visible))
        return visible;
    if (!is_hidden(query, pair) && (target->trajectory != NULL ? sees_bullet(query, target, pair)
                                                               : sees_player(query, target, pair)))
        return true;
    return look_closely(pairs, query, target, pair);
}
