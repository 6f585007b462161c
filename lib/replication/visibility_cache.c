// SPDX-License-Identifier: MIT
// Decides when an earlier answer still holds and, where none does, which query to send to the map:
// cheap queries first, then those whose answers hold longest.
#include "visibility_cache.h"

#include "preload.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double hold_s = 0.033;

// Ends the earlier row: no target has this slot.
enum { NO_TARGET = UINT16_MAX };

bool raim_visibility_cache_create(struct raim_visibility_cache *pairs, uint32_t targets,
                                  uint32_t viewers)
{
    *pairs = (struct raim_visibility_cache){.targets = targets, .viewers = viewers};
    pairs->entries = calloc((size_t)targets * viewers, sizeof *pairs->entries);
    pairs->counts = calloc(viewers, sizeof *pairs->counts);
    pairs->latencies = calloc(viewers, sizeof *pairs->latencies);
    pairs->lives = calloc(targets, sizeof *pairs->lives);
    pairs->earlier = calloc((size_t)targets + 1, sizeof *pairs->earlier);
    return pairs->entries != NULL && pairs->counts != NULL && pairs->latencies != NULL &&
           pairs->lives != NULL && pairs->earlier != NULL;
}

void raim_visibility_cache_destroy(struct raim_visibility_cache *pairs)
{
    free(pairs->entries);
    free(pairs->counts);
    free(pairs->latencies);
    free(pairs->lives);
    free(pairs->earlier);
    *pairs = (struct raim_visibility_cache){0};
}

uint32_t raim_visibility_cache_hold(uint32_t tick_hz)
{
    return (uint32_t)ceil(hold_s * tick_hz);
}

void raim_visibility_cache_forget_target(struct raim_visibility_cache *pairs, uint32_t target)
{
    pairs->lives[target]++;
}

void raim_visibility_cache_forget_viewer(struct raim_visibility_cache *pairs, uint32_t viewer)
{
    pairs->counts[viewer] = 0;
}

// --- the row of a viewer ---

void raim_visibility_cache_preload(const struct raim_visibility_cache *pairs)
{
    for (uint32_t viewer = 0; viewer < pairs->viewers; viewer++)
        if (pairs->counts[viewer] > 0)
            raim_preload(&pairs->entries[(size_t)viewer * pairs->targets],
                         pairs->counts[viewer] * sizeof *pairs->entries);
}

void raim_visibility_cache_begin(struct raim_visibility_cache *pairs, uint32_t viewer,
                                 uint32_t latency)
{
    assert(latency <= UINT8_MAX);
    const uint32_t before = pairs->latencies[viewer];
    pairs->grown = latency > before ? latency - before : 0;
    pairs->shrunk = latency < before ? before - latency : 0;
    pairs->latencies[viewer] = (uint8_t)latency;
    const uint32_t count = pairs->counts[viewer];
    pairs->viewer = viewer;
    pairs->row = &pairs->entries[(size_t)viewer * pairs->targets];
    pairs->count = 0;
    pairs->next_earlier = 0;
    memcpy(pairs->earlier, pairs->row, count * sizeof *pairs->row);
    pairs->earlier[count].target = NO_TARGET;
}

void raim_visibility_cache_end(struct raim_visibility_cache *pairs)
{
    pairs->counts[pairs->viewer] = (uint16_t)pairs->count;
}

// Appends the entry of the next target to the row. Returns it, with the earlier answers where there
// are any.
static struct raim_visibility_entry *next_entry(struct raim_visibility_cache *pairs,
                                                const struct raim_visibility_cache_query *query,
                                                uint32_t target)
{
    assert(pairs->count < pairs->targets);
    struct raim_visibility_entry *entry = &pairs->row[pairs->count++];
    while (pairs->earlier[pairs->next_earlier].target < target)
        pairs->next_earlier++;
    const struct raim_visibility_entry *earlier = &pairs->earlier[pairs->next_earlier];
    if (earlier->target == target && earlier->life == pairs->lives[target]) {
        *entry = *earlier;
        entry->seen -= pairs->grown;
        entry->hidden_until -= pairs->shrunk;
        return entry;
    }
    // Both ticks lie in the past, but not so far that their difference to present ticks wraps.
    const uint32_t long_ago = query->tick - (UINT32_C(1) << 30);
    *entry = (struct raim_visibility_entry){
        .hidden_until = long_ago,
        .seen = long_ago,
        .target = (uint16_t)target,
        .life = pairs->lives[target],
    };
    return entry;
}

// --- earlier answers ---

static bool is_before_or_at(uint32_t a, uint32_t b)
{
    return (int32_t)(a - b) <= 0;
}

// True when an earlier answer decides; `visible` receives it.
static bool is_settled(const struct raim_visibility_cache_query *query,
                       const struct raim_visibility_entry *entry, bool *visible)
{
    *visible = is_before_or_at(query->tick - query->latency, entry->seen);
    return *visible || is_before_or_at(query->tick + query->latency, entry->hidden_until);
}

// True when the viewer cannot see the target from its present position: an answer that allows for
// runs holds until the target has moved too far.
static bool is_hidden(const struct raim_visibility_cache_query *query,
                      const struct raim_visibility_entry *entry)
{
    return is_before_or_at(query->tick + query->latency - query->lead, entry->hidden_until);
}

// True when the target was visible in the previous tick.
static bool was_visible(const struct raim_visibility_cache_query *query,
                        const struct raim_visibility_entry *entry)
{
    return is_before_or_at(query->tick - 1 - query->latency, entry->seen);
}

// True when a search in the previous tick found no witness.
static bool was_searched(const struct raim_visibility_cache_query *query,
                         const struct raim_visibility_entry *entry)
{
    return entry->hidden_until == query->tick - 1 + query->latency;
}

// True when the entry holds a pair of reachable points between which the viewer saw the target.
static bool has_witness(const struct raim_visibility_entry *entry)
{
    return (entry->witness.from | entry->witness.to) != 0;
}

// --- queries to the map ---

// The cached witness avoids computing the reachable points of both.
static bool can_see_between(const struct raim_visibility_cache_query *query,
                            const struct raim_view_target *target,
                            const struct raim_visibility_entry *entry, struct raim_horizon horizon)
{
    return has_witness(entry) &&
           raim_visibility_can_see_between(query->visibility, &query->viewpoint, target, horizon,
                                           entry->witness);
}

static struct raim_horizon horizon_of(const struct raim_visibility_cache_query *query)
{
    return (struct raim_horizon){.run = query->latency, .to = query->lead};
}

// A target that is visible after a run shorter than the latency stays visible in the next ticks:
// the viewer may first run back. Only the cached witness is tried; a search for another does not
// pay.
static bool stays_visible(const struct raim_visibility_cache_query *query,
                          const struct raim_view_target *target,
                          struct raim_visibility_entry *entry)
{
    const uint32_t hold = query->hold < query->latency ? query->hold : query->latency;
    const uint32_t run = query->latency - hold;
    const uint32_t lead = query->lead < run ? query->lead : run;
    const struct raim_horizon horizon = {
        .run = run,
        .from = hold,
        .to = target->trajectory != NULL ? lead + hold : lead,
    };
    if (!can_see_between(query, target, entry, horizon))
        return false;
    entry->seen = query->tick + hold - query->latency;
    return true;
}

// One obstacle that hides the target hides it for as long as both need to get around it.
static bool is_behind_obstacle(const struct raim_visibility_cache_query *query,
                               const struct raim_view_target *target,
                               struct raim_visibility_entry *entry, bool only_blocker, double *side)
{
    const int ticks = raim_visibility_hidden_ticks(query->visibility, &query->viewpoint, target,
                                                   horizon_of(query), RAIM_VISIBILITY_CACHE_REST,
                                                   only_blocker, &entry->blocker, side);
    if (ticks < 0)
        return false;
    entry->hidden_until = query->tick + query->latency + (uint32_t)ticks;
    entry->witness = (struct raim_cached_witness){0};
    return true;
}

// Tries the cached witness alone.
static bool sees_between(const struct raim_visibility_cache_query *query,
                         const struct raim_view_target *target, struct raim_visibility_entry *entry)
{
    if (!can_see_between(query, target, entry, horizon_of(query)))
        return false;
    entry->seen = query->tick - query->latency;
    return true;
}

// Tries the witness that is most likely.
static bool guess_witness(const struct raim_visibility_cache_query *query,
                          const struct raim_view_target *target,
                          struct raim_visibility_entry *entry, double side)
{
    if (!raim_visibility_guess(query->visibility, &query->viewpoint, target, horizon_of(query),
                               side, &entry->witness))
        return false;
    entry->seen = query->tick - query->latency;
    return true;
}

// Searches for a witness. Without one the target is hidden in this tick; the search for a longer
// run, whose answer would hold longer, does not pay.
static bool find_witness(const struct raim_visibility_cache_query *query,
                         const struct raim_view_target *target, struct raim_visibility_entry *entry)
{
    if (raim_visibility_can_see(query->visibility, &query->viewpoint, target, horizon_of(query),
                                &entry->blocker, &entry->witness)) {
        entry->seen = query->tick - query->latency;
        return true;
    }
    entry->hidden_until = query->tick + query->latency;
    entry->witness = (struct raim_cached_witness){0};
    return false;
}

// Tests a player from the present positions. Most visible players are in plain view, which the
// inexact test finds. A pair that was visible and that it no longer finds is near a corner, and
// gets the exact test.
static bool sees_player(const struct raim_visibility_cache_query *query,
                        const struct raim_view_target *target, struct raim_visibility_entry *entry)
{
    if (!raim_visibility_sees_circle(query->visibility, query->viewpoint.eye, target->centre,
                                     target->radius, was_visible(query, entry)))
        return false;
    entry->seen = query->tick;
    return true;
}

// Tests a bullet at the end of the horizon, then at its present position. A bullet that is visible
// already is tested further ahead, so that the answer holds longer.
static bool sees_bullet(const struct raim_visibility_cache_query *query,
                        const struct raim_view_target *target, struct raim_visibility_entry *entry)
{
    const raim_vec2 eye = query->viewpoint.eye;
    const uint32_t ahead = was_visible(query, entry) ? query->latency : query->lead;
    const double flight = raim_trajectory_ticks(target->trajectory, ahead);
    const raim_vec2 end = raim_trajectory_at(target->trajectory, flight);
    if (raim_visibility_sees_centre(query->visibility, eye, end, target->radius)) {
        entry->seen = query->tick + (uint32_t)flight - query->latency; // until it has come there
        return true;
    }
    if (raim_visibility_sees_centre(query->visibility, eye, target->centre, target->radius)) {
        entry->seen = query->tick - query->latency;
        return true;
    }
    return false;
}

static bool sees_now(const struct raim_visibility_cache_query *query,
                     const struct raim_view_target *target, struct raim_visibility_entry *entry)
{
    return !is_hidden(query, entry) &&
           (target->trajectory != NULL ? sees_bullet(query, target, entry)
                                       : sees_player(query, target, entry));
}

// The target was visible in the previous tick. Most such targets still are.
static bool find_visible(const struct raim_visibility_cache_query *query,
                         const struct raim_view_target *target, struct raim_visibility_entry *entry)
{
    double side = 0;
    return sees_now(query, target, entry) || stays_visible(query, target, entry) ||
           sees_between(query, target, entry) ||
           (!is_behind_obstacle(query, target, entry, false, &side) &&
            (guess_witness(query, target, entry, side) || find_witness(query, target, entry)));
}

// The target was hidden in the previous tick. Most such targets are behind one obstacle.
static bool find_hidden(const struct raim_visibility_cache_query *query,
                        const struct raim_view_target *target, struct raim_visibility_entry *entry)
{
    double side = 0;
    return !is_behind_obstacle(query, target, entry, false, &side) &&
           (sees_now(query, target, entry) || guess_witness(query, target, entry, side) ||
            find_witness(query, target, entry));
}

// A search of the previous tick found no witness. Most such targets stay hidden by several
// obstacles together, which only another search can tell. It includes the present positions.
static bool find_again(const struct raim_visibility_cache_query *query,
                       const struct raim_view_target *target, struct raim_visibility_entry *entry)
{
    double side;
    return !is_behind_obstacle(query, target, entry, true, &side) &&
           find_witness(query, target, entry);
}

bool raim_visibility_cache_may_see(struct raim_visibility_cache *pairs,
                                   const struct raim_visibility_cache_query *query,
                                   const struct raim_view_target *target)
{
    struct raim_visibility_entry *entry = next_entry(pairs, query, target->slot);
    bool visible;
    if (is_settled(query, entry, &visible))
        return visible;
    if (was_visible(query, entry))
        return find_visible(query, target, entry);
    return was_searched(query, entry) ? find_again(query, target, entry)
                                      : find_hidden(query, target, entry);
}
