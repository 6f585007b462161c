// SPDX-License-Identifier: MIT
// Predicts the local player.
#include "prediction.h"

#include <assert.h>
#include <math.h>

void raim_pilot_init(struct raim_pilot *pilot, raim_player_id id, const struct raim_map *map,
                     const raim_rules *rules, uint32_t tick_hz)
{
    *pilot = (struct raim_pilot){
        .id = id,
        .moment = {.map = map,
                   .rules = rules,
                   .stride = raim_world_stride(rules, tick_hz),
                   .tick_hz = tick_hz},
    };
}

static struct raim_pilot_tick *slot_of(struct raim_pilot *pilot, uint32_t tick)
{
    return &pilot->ticks[tick % RAIM_PILOT_TICKS];
}

static bool is_known(const struct raim_pilot *pilot, uint32_t tick)
{
    return pilot->any && raim_tick_diff(tick, pilot->first_tick) >= 0 &&
           raim_tick_diff(tick, pilot->tick) <= 0 &&
           raim_tick_diff(pilot->tick, tick) < RAIM_PILOT_TICKS;
}

// Computes the state of the next tick from the state and input of this one.
static void play(struct raim_pilot *pilot, uint32_t tick)
{
    struct raim_pilot_tick *now = slot_of(pilot, tick);
    const struct raim_pilot_state *state = &now->state;
    raim_player player = {
        .position = state->position,
        .shots = state->shots,
        .id = pilot->id,
        .cooldown_ticks = state->cooldown_ticks,
        .state = state->alive ? RAIM_PLAYER_ALIVE : RAIM_PLAYER_DOWN,
    };
    raim_bullet bullet;
    if (state->held) {
        now->fired = false;
        slot_of(pilot, tick + 1)->state = *state;
        return;
    }
    pilot->moment.tick = tick;
    raim_player_move(&player, &now->input, &pilot->moment);
    now->fired = raim_player_fire(&player, &now->input, &pilot->moment, &bullet);
    slot_of(pilot, tick + 1)->state = (struct raim_pilot_state){
        .position = player.position,
        .cooldown_ticks = player.cooldown_ticks,
        .shots = (uint8_t)player.shots,
        .life = state->life,
        .alive = state->alive,
        // Snapshots do not say when the shield ends, so only a shot is predicted to end it.
        .shielded = state->shielded && !now->fired,
    };
}

// Plays up to the newest input. Without a snapshot for RAIM_PILOT_TICKS it stops predicting.
static void catch_up(struct raim_pilot *pilot)
{
    const int32_t ahead = raim_tick_diff(pilot->next_tick, pilot->base_tick);
    if (!pilot->pressed || !pilot->any)
        return;
    pilot->any = ahead < RAIM_PILOT_TICKS;
    for (; pilot->any && raim_tick_diff(pilot->next_tick, pilot->tick) > 0; pilot->tick++)
        play(pilot, pilot->tick);
}

void raim_pilot_press(struct raim_pilot *pilot, uint32_t tick, const raim_input *input)
{
    const raim_input held =
        pilot->pressed ? slot_of(pilot, pilot->next_tick - 1)->input : (raim_input){0};
    const int32_t left_out = pilot->pressed ? raim_tick_diff(tick, pilot->next_tick) : 0;
    assert(left_out >= 0);
    for (int32_t i = 1; i <= left_out && i < RAIM_PILOT_TICKS; i++)
        slot_of(pilot, tick - (uint32_t)i)->input = held;
    slot_of(pilot, tick)->input = *input;
    pilot->pressed = true;
    pilot->next_tick = tick + 1;
    catch_up(pilot);
}

static bool is_same(const struct raim_pilot_state *a, const struct raim_pilot_state *b)
{
    return a->position.x == b->position.x && a->position.y == b->position.y &&
           a->cooldown_ticks == b->cooldown_ticks && a->shots == b->shots && a->life == b->life &&
           a->alive == b->alive && a->shielded == b->shielded && a->held == b->held;
}

static void judge(struct raim_pilot_record *record, const struct raim_pilot_state *predicted,
                  const struct raim_pilot_state *received)
{
    // The beginning and end of breaks and pauses cannot be predicted, and nobody moves in them.
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

void raim_pilot_correct(struct raim_pilot *pilot, uint32_t tick,
                        const struct raim_pilot_state *received)
{
    struct raim_pilot_state state = *received;
    if (!received->alive) {
        state.cooldown_ticks = 0;
        state.life = 0;
        state.shielded = false;
        if (pilot->any)
            state.position = raim_pilot_at(pilot, tick)->position;
    }
    const bool was_known = is_known(pilot, tick);
    pilot->base_tick = tick;
    if (was_known) {
        const struct raim_pilot_state *predicted = &slot_of(pilot, tick)->state;
        judge(&pilot->record, predicted, &state);
        if (is_same(predicted, &state))
            return;
    }
    slot_of(pilot, tick)->state = state;
    pilot->any = true;
    pilot->first_tick = tick;
    pilot->tick = tick;
    catch_up(pilot);
}

const struct raim_pilot_state *raim_pilot_at(const struct raim_pilot *pilot, uint32_t tick)
{
    assert(pilot->any);
    const int32_t known = raim_tick_diff(pilot->tick, pilot->first_tick);
    int32_t age = raim_tick_diff(pilot->tick, tick);
    age = age > known ? known : age;
    age = age > RAIM_PILOT_TICKS - 1 ? RAIM_PILOT_TICKS - 1 : age < 0 ? 0 : age;
    return &pilot->ticks[(pilot->tick - (uint32_t)age) % RAIM_PILOT_TICKS].state;
}

raim_vec2 raim_pilot_position(const struct raim_pilot *pilot, uint32_t tick, double part)
{
    const struct raim_pilot_state *from = raim_pilot_at(pilot, tick);
    const struct raim_pilot_state *to = raim_pilot_at(pilot, tick + 1);
    if (from->alive != to->alive || from->life != to->life)
        return to->position;
    return raim_vec2_mad(from->position, raim_vec2_sub(to->position, from->position), part);
}

bool raim_pilot_bullet(const struct raim_pilot *pilot, uint32_t tick, raim_bullet *bullet)
{
    const struct raim_pilot_tick *fired = &pilot->ticks[tick % RAIM_PILOT_TICKS];
    if (!is_known(pilot, tick) || tick == pilot->tick ||
        raim_tick_diff(tick, pilot->base_tick) < 0 || !fired->fired)
        return false;
    *bullet = (raim_bullet){
        .origin = pilot->ticks[(tick + 1) % RAIM_PILOT_TICKS].state.position,
        .direction = raim_angle_direction(fired->input.aim),
        .born_tick = tick - fired->input.rewind,
        .owner = pilot->id,
        .aim = fired->input.aim,
        .rewind = fired->input.rewind,
    };
    return true;
}
