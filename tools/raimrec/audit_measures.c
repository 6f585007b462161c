// SPDX-License-Identifier: MIT
// The players of an audit, their lives and their traffic, tick by tick.
#include "audit_measures.h"

#include "audit_internal.h"
#include "name.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static_assert(AUDIT_HISTORY > RAIM_MAX_REWIND, "the longest rewind is within the history");

static uint32_t ticks_of(const struct audit_def *def, double seconds)
{
    const uint32_t ticks = raim_ticks_of(seconds, def->tick_hz);
    return ticks > 0 ? ticks : 1;
}

struct audit_measures *audit_measures_create(const struct audit_def *def)
{
    assert(def->max_players >= 1 && def->max_players <= RAIM_MAX_PLAYERS);
    assert(def->bullets_per_player >= 1 && def->tick_hz >= 10 && def->tick_hz <= 240);
    struct audit_measures *measures = calloc(1, sizeof *measures);
    if (measures == NULL)
        return NULL;
    const size_t players = def->max_players;
    measures->def = *def;
    measures->snap_ticks = ticks_of(def, AUDIT_SNAP_S);
    measures->memory_ticks = ticks_of(def, AUDIT_MEMORY_S);
    measures->sighting_ticks = ticks_of(def, AUDIT_SIGHTING_S);
    measures->reaction_ticks = ticks_of(def, AUDIT_REACTION_S);
    measures->tracking_ticks = ticks_of(def, AUDIT_TRACKING_S);
    measures->visibility = raim_visibility_create(&(struct raim_visibility_def){
        .map = def->map,
        .view = def->view,
        .slots = 1,
        .player_radius = def->rules.player_radius,
        .stride = def->rules.player_speed / def->tick_hz,
    });
    measures->slots = calloc(players, sizeof *measures->slots);
    measures->history = calloc(players * AUDIT_HISTORY, sizeof *measures->history);
    measures->pairs = calloc(players * players, sizeof *measures->pairs);
    measures->shots = calloc(players * def->bullets_per_player, sizeof *measures->shots);
    if (measures->visibility != NULL && measures->slots != NULL && measures->history != NULL &&
        measures->pairs != NULL && measures->shots != NULL)
        return measures;
    audit_measures_destroy(measures);
    return NULL;
}

void audit_measures_destroy(struct audit_measures *measures)
{
    if (measures == NULL)
        return;
    for (uint32_t i = 0; i < measures->player_count; i++)
        free(measures->players[i]);
    free(measures->players);
    free(measures->shots);
    free(measures->pairs);
    free(measures->history);
    free(measures->slots);
    raim_visibility_destroy(measures->visibility);
    free(measures);
}

// --- the players ---

static bool add_player(struct audit_measures *measures, struct audit_slot *slot,
                       const struct audit_client *client)
{
    slot->player = NULL;
    if (measures->player_count == AUDIT_MAX_PLAYERS) {
        measures->left_out++;
        return true;
    }
    if (measures->player_count == measures->player_capacity) {
        const uint32_t capacity =
            measures->player_capacity > 0 ? 2 * measures->player_capacity : 64;
        struct audit_player **players =
            realloc(measures->players, capacity * sizeof(struct audit_player *));
        if (players == NULL)
            return false;
        measures->players = players;
        measures->player_capacity = capacity;
    }
    struct audit_player *player = calloc(1, sizeof *player);
    if (player == NULL)
        return false;
    player->id = slot->id;
    player->bot = client->bot;
    // The name is of a stranger's file; control characters could command a terminal.
    if (client->name == NULL || !raim_name_clean(client->name, player->name))
        strcpy(player->name, "?");
    measures->players[measures->player_count++] = player;
    slot->player = player;
    return true;
}

// Begins a row for the player who took a slot in this tick.
static bool update_slot(struct audit_measures *measures, uint32_t index, const raim_player *player,
                        const struct audit_client *client)
{
    struct audit_slot *slot = &measures->slots[index];
    if (slot->id == player->id)
        return true;
    *slot = (struct audit_slot){.id = player->id, .round_trip_ms = UINT32_MAX};
    const uint32_t each = measures->def.bullets_per_player;
    memset(&measures->shots[index * each], 0, each * sizeof *measures->shots);
    for (uint32_t other = 0; other < measures->def.max_players; other++)
        measures->pairs[(size_t)index * measures->def.max_players + other] = (struct audit_pair){0};
    return player->id == RAIM_NOBODY || add_player(measures, slot, client);
}

// --- a tick ---

static void take_round_trip(struct audit_measures *measures, struct audit_slot *slot,
                            uint32_t round_trip_ms)
{
    struct audit_player *player = slot->player;
    if (slot->round_trip_ms != UINT32_MAX)
        player->round_trip_changes += round_trip_ms > slot->round_trip_ms
                                          ? round_trip_ms - slot->round_trip_ms
                                          : slot->round_trip_ms - round_trip_ms;
    slot->round_trip_ms = round_trip_ms;
    distribution_add(&player->round_trip, round_trip_ms);
    const double ticks = (double)round_trip_ms / 1000 * measures->def.tick_hz;
    if (!slot->has_fired)
        slot->view_delay = ticks < RAIM_MAX_REWIND ? (uint32_t)ticks : RAIM_MAX_REWIND;
}

static void take_traffic(struct audit_measures *measures, struct audit_slot *slot,
                         const struct audit_client *client)
{
    struct audit_player *player = slot->player;
    if (!client->has_traffic)
        return;
    player->client_ticks++;
    player->inputs += client->arrivals;
    player->bursts += client->arrivals >= AUDIT_BURST;
    if (client->arrivals > player->most_inputs)
        player->most_inputs = client->arrivals;
    slot->gap = client->arrivals > 0 ? 0 : slot->gap + 1;
    if (slot->gap > player->longest_gap)
        player->longest_gap = slot->gap;
    player->missed += client->missed;
    if (client->round_trip_ms != UINT32_MAX)
        take_round_trip(measures, slot, client->round_trip_ms);
}

// Counts the tick of a player who was alive when it began.
static void take_life(struct audit_measures *measures, uint32_t index, const raim_input *input,
                      const uint64_t *sent)
{
    struct audit_slot *slot = &measures->slots[index];
    const bool is_new = slot->alive_since == 0 || audit_sample_at(measures, index, 0)->life !=
                                                      audit_sample_at(measures, index, 1)->life;
    if (is_new) {
        slot->alive_since = measures->tick;
        slot->aims_count = 0;
        slot->fired_before = false;
    }
    slot->aims[measures->tick % AUDIT_AIMS] = input->aim;
    if (slot->aims_count < AUDIT_AIMS)
        slot->aims_count++;
    slot->player->alive_ticks++;
    audit_shots_turn(measures, slot);
    if (slot->aims_count >= 2)
        audit_aim_tick(measures, index, sent);
}

static void record(struct audit_measures *measures, const struct raim_world *world)
{
    const raim_player *players = raim_world_players_const(world);
    struct audit_sample *samples =
        &measures->history[(measures->tick + 1) % AUDIT_HISTORY * measures->def.max_players];
    for (uint32_t slot = 0; slot < measures->def.max_players; slot++)
        samples[slot] = (struct audit_sample){
            .position = players[slot].position,
            .life = players[slot].life,
            .id = players[slot].id,
            .alive = players[slot].state == RAIM_PLAYER_ALIVE,
        };
}

bool audit_measures_tick(struct audit_measures *measures, const struct audit_tick *tick)
{
    const raim_player *players = raim_world_players_const(tick->world);
    assert(tick->world->max_players == measures->def.max_players);
    measures->tick++;
    measures->world_tick = tick->world->tick - 1;
    for (uint32_t index = 0; index < measures->def.max_players; index++) {
        struct audit_slot *slot = &measures->slots[index];
        const struct audit_client *client = &tick->clients[index];
        if (!update_slot(measures, index, &players[index], client))
            return false;
        slot->view = (struct audit_view){.error = UINT32_MAX};
        if (slot->player == NULL)
            continue;
        slot->is_clamped = client->clamped;
        take_traffic(measures, slot, client);
        slot->player->present_ticks += !tick->frozen;
        const struct audit_sample *sample = audit_sample_at(measures, index, 0);
        if (!tick->frozen && sample->alive && sample->id == slot->id)
            take_life(measures, index, &tick->inputs[index], client->sent);
        else
            slot->alive_since = 0;
    }
    audit_shots_take(measures, tick);
    record(measures, tick->world);
    return true;
}

uint64_t audit_measures_ticks(const struct audit_measures *measures)
{
    return measures->tick;
}

const struct audit_player *const *audit_measures_players(const struct audit_measures *measures,
                                                         uint32_t *count, uint32_t *left_out)
{
    *count = measures->player_count;
    *left_out = measures->left_out;
    return (const struct audit_player *const *)measures->players;
}

static_assert(DISTRIBUTION_LINEAR << DISTRIBUTION_OCTAVES == DISTRIBUTION_LIMIT,
              "the octaves reach the limit");
static_assert(DISTRIBUTION_LINEAR == 2 * DISTRIBUTION_PER_OCTAVE,
              "an octave's buckets are twice as wide as those of the octave below");

enum { BUCKETS = DISTRIBUTION_LINEAR + DISTRIBUTION_OCTAVES * DISTRIBUTION_PER_OCTAVE };

// The shift by which an octave's values become bucket numbers: 0 below DISTRIBUTION_LINEAR.
static uint32_t shift_of(uint32_t value)
{
    uint32_t shift = 0;
    while (value >> shift >= DISTRIBUTION_LINEAR)
        shift++;
    return shift;
}

static uint32_t bucket_of(uint32_t value)
{
    const uint32_t held = value < DISTRIBUTION_LIMIT ? value : DISTRIBUTION_LIMIT - 1;
    const uint32_t shift = shift_of(held);
    return shift * DISTRIBUTION_PER_OCTAVE + (held >> shift);
}

// The middle of a bucket.
static double value_of(uint32_t bucket)
{
    if (bucket < DISTRIBUTION_LINEAR)
        return bucket;
    const uint32_t shift = bucket / DISTRIBUTION_PER_OCTAVE - 1;
    const uint32_t first = (bucket - shift * DISTRIBUTION_PER_OCTAVE) << shift;
    return first + ((1u << shift) - 1) / 2.0;
}

void distribution_add(struct distribution *distribution, uint32_t value)
{
    if (distribution->count == 0 || value < distribution->least)
        distribution->least = value;
    if (value > distribution->greatest)
        distribution->greatest = value;
    distribution->count++;
    distribution->buckets[bucket_of(value)]++;
}

double distribution_quantile(const struct distribution *distribution, double share)
{
    assert(share >= 0 && share <= 1);
    if (distribution->count == 0)
        return 0;
    const double rank = fmax(1, ceil(share * (double)distribution->count));
    uint64_t below = 0;
    uint32_t bucket = 0;
    for (; bucket < BUCKETS - 1; bucket++) {
        below += distribution->buckets[bucket];
        if ((double)below >= rank)
            break;
    }
    return fmin(distribution->greatest, fmax(distribution->least, value_of(bucket)));
}

double distribution_share_below(const struct distribution *distribution, uint32_t bound)
{
    if (distribution->count == 0)
        return 0;
    uint64_t below = 0;
    for (uint32_t bucket = 0; bucket < bucket_of(bound); bucket++)
        below += distribution->buckets[bucket];
    return (double)below / (double)distribution->count;
}
