// SPDX-License-Identifier: MIT
// Predicts the local player.
#include "prediction.h"

#include <assert.h>
#include <math.h>

void raim_prediction_init(struct raim_prediction *prediction, raim_player_id id,
                          const struct raim_map *map, const raim_rules *rules, uint32_t tick_hz)
{
    *prediction = (struct raim_prediction){
        .id = id,
        .moment = {.map = map,
                   .rules = rules,
                   .stride = raim_world_stride(rules, tick_hz),
                   .tick_hz = tick_hz},
    };
}

static struct raim_prediction_tick *slot_of(struct raim_prediction *prediction, uint32_t tick)
{
    return &prediction->ticks[tick % RAIM_PREDICTION_TICKS];
}

static bool is_known(const struct raim_prediction *prediction, uint32_t tick)
{
    return prediction->any && raim_tick_diff(tick, prediction->first_tick) >= 0 &&
           raim_tick_diff(tick, prediction->tick) <= 0 &&
           raim_tick_diff(prediction->tick, tick) < RAIM_PREDICTION_TICKS;
}

// Computes the state of the next tick from the state and input of this one.
static void play(struct raim_prediction *prediction, uint32_t tick)
{
    struct raim_prediction_tick *now = slot_of(prediction, tick);
    const struct raim_prediction_state *state = &now->state;
    raim_player player = {
        .position = state->position,
        .shots = state->shots,
        .id = prediction->id,
        .cooldown_ticks = state->cooldown_ticks,
        .state = state->alive ? RAIM_PLAYER_ALIVE : RAIM_PLAYER_DOWN,
    };
    raim_bullet bullets[RAIM_MAX_PELLETS];
    if (state->held) {
        now->fired = false;
        slot_of(prediction, tick + 1)->state = *state;
        return;
    }
    prediction->moment.tick = tick;
    raim_player_move(&player, &now->input, &prediction->moment);
    now->fired = raim_player_fire(&player, &now->input, &prediction->moment, bullets);
    slot_of(prediction, tick + 1)->state = (struct raim_prediction_state){
        .position = player.position,
        .cooldown_ticks = player.cooldown_ticks,
        .shots = (uint8_t)player.shots,
        .life = state->life,
        .alive = state->alive,
        // Snapshots do not say when the shield ends, so only a shot is predicted to end it.
        .shielded = state->shielded && !now->fired,
    };
}

// Plays up to the newest input. Without a snapshot for RAIM_PREDICTION_TICKS it stops predicting.
static void catch_up(struct raim_prediction *prediction)
{
    const int32_t ahead = raim_tick_diff(prediction->next_tick, prediction->base_tick);
    if (!prediction->pressed || !prediction->any)
        return;
    prediction->any = ahead < RAIM_PREDICTION_TICKS;
    for (; prediction->any && raim_tick_diff(prediction->next_tick, prediction->tick) > 0;
         prediction->tick++)
        play(prediction, prediction->tick);
}

void raim_prediction_add_input(struct raim_prediction *prediction, uint32_t tick,
                               const raim_input *input)
{
    const raim_input held = prediction->pressed
                                ? slot_of(prediction, prediction->next_tick - 1)->input
                                : (raim_input){0};
    const int32_t left_out = prediction->pressed ? raim_tick_diff(tick, prediction->next_tick) : 0;
    assert(left_out >= 0);
    for (int32_t i = 1; i <= left_out && i < RAIM_PREDICTION_TICKS; i++)
        slot_of(prediction, tick - (uint32_t)i)->input = held;
    slot_of(prediction, tick)->input = *input;
    prediction->pressed = true;
    prediction->next_tick = tick + 1;
    catch_up(prediction);
}

bool raim_prediction_may_fire(const struct raim_prediction *prediction)
{
    const struct raim_prediction_tick *newest =
        &prediction->ticks[(prediction->next_tick - 1) % RAIM_PREDICTION_TICKS];
    if (!prediction->pressed || !newest->input.fire)
        return false;
    return !prediction->any || !newest->state.alive || newest->fired;
}

static bool is_same(const struct raim_prediction_state *a, const struct raim_prediction_state *b)
{
    return a->position.x == b->position.x && a->position.y == b->position.y &&
           a->cooldown_ticks == b->cooldown_ticks && a->shots == b->shots && a->life == b->life &&
           a->alive == b->alive && a->shielded == b->shielded && a->held == b->held;
}

static void judge(struct raim_prediction_record *record,
                  const struct raim_prediction_state *predicted,
                  const struct raim_prediction_state *received)
{
    // The beginning and end of breaks and pauses cannot be predicted, and players stand still in
    // them.
    if (!predicted->alive || !received->alive || predicted->life != received->life ||
        predicted->held || received->held)
        return;
    const double distance =
        raim_vec2_length(raim_vec2_sub(predicted->position, received->position));
    record->predictions++;
    if (distance == 0)
        return;
    record->mispredictions++;
    record->correction = distance;
    record->corrections += distance;
}

void raim_prediction_reconcile(struct raim_prediction *prediction, uint32_t tick,
                               const struct raim_prediction_state *received)
{
    struct raim_prediction_state state = *received;
    if (!received->alive) {
        state.cooldown_ticks = 0;
        state.life = 0;
        state.shielded = false;
        if (prediction->any)
            state.position = raim_prediction_at(prediction, tick)->position;
    }
    const bool was_known = is_known(prediction, tick);
    prediction->base_tick = tick;
    if (was_known) {
        const struct raim_prediction_state *predicted = &slot_of(prediction, tick)->state;
        judge(&prediction->record, predicted, &state);
        if (is_same(predicted, &state))
            return;
    }
    slot_of(prediction, tick)->state = state;
    prediction->any = true;
    prediction->first_tick = tick;
    prediction->tick = tick;
    catch_up(prediction);
}

const struct raim_prediction_state *raim_prediction_at(const struct raim_prediction *prediction,
                                                       uint32_t tick)
{
    assert(prediction->any);
    const int32_t known = raim_tick_diff(prediction->tick, prediction->first_tick);
    int32_t age = raim_tick_diff(prediction->tick, tick);
    age = age > known ? known : age;
    age = age > RAIM_PREDICTION_TICKS - 1 ? RAIM_PREDICTION_TICKS - 1 : age < 0 ? 0 : age;
    return &prediction->ticks[(prediction->tick - (uint32_t)age) % RAIM_PREDICTION_TICKS].state;
}

raim_vec2 raim_prediction_position(const struct raim_prediction *prediction, uint32_t tick,
                                   double part)
{
    const struct raim_prediction_state *from = raim_prediction_at(prediction, tick);
    const struct raim_prediction_state *to = raim_prediction_at(prediction, tick + 1);
    if (from->alive != to->alive || from->life != to->life)
        return to->position;
    return raim_vec2_mad(from->position, raim_vec2_sub(to->position, from->position), part);
}

uint32_t raim_prediction_bullets(const struct raim_prediction *prediction, uint32_t tick,
                                 raim_bullet *bullets)
{
    const struct raim_prediction_tick *fired = &prediction->ticks[tick % RAIM_PREDICTION_TICKS];
    if (!is_known(prediction, tick) || tick == prediction->tick || !fired->fired)
        return 0;
    raim_player shooter = {
        .position = prediction->ticks[(tick + 1) % RAIM_PREDICTION_TICKS].state.position,
        .id = prediction->id,
        .aim = fired->input.aim,
        .state = RAIM_PLAYER_ALIVE,
    };
    struct raim_tick_context moment = prediction->moment;
    moment.tick = tick;
    raim_player_fire(&shooter, &fired->input, &moment, bullets);
    return shooter.shots;
}
