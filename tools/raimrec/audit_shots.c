// SPDX-License-Identifier: MIT
// Shots and what became of them, and the turns of the aim around them.
#include "audit_internal.h"

// The turn from the tick `age` + 1 ticks ago to that `age` ticks ago.
static double turn_at(const struct audit_measures *measures, const struct audit_slot *slot,
                      uint32_t age)
{
    return aim_degrees(
        aim_turn(audit_aim_at(measures, slot, age), audit_aim_at(measures, slot, age + 1)));
}

// Judges the turn of the previous tick, in which the player fired, by the tick after it.
static void judge_turn(struct audit_measures *measures, struct audit_slot *slot)
{
    const double turn = turn_at(measures, slot, 1);
    const double back =
        aim_degrees(aim_turn(audit_aim_at(measures, slot, 0), audit_aim_at(measures, slot, 2)));
    slot->player->flicks += turn >= AUDIT_FLICK_DEGREES &&
                            turn_at(measures, slot, 0) < AUDIT_STILL_DEGREES &&
                            turn_at(measures, slot, 2) < AUDIT_STILL_DEGREES;
    slot->player->returns += turn >= AUDIT_RETURN_DEGREES && back < AUDIT_STILL_DEGREES;
}

void audit_shots_turn(struct audit_measures *measures, struct audit_slot *slot)
{
    if (slot->aims_count >= 2)
        distribution_add(&slot->player->turn, aim_turn(audit_aim_at(measures, slot, 0),
                                                       audit_aim_at(measures, slot, 1)));
    if (slot->fired_before && slot->aims_count >= 4)
        judge_turn(measures, slot);
    slot->fired_before = false;
}

static void take_snap(struct audit_measures *measures, struct audit_slot *slot)
{
    const raim_angle aim = audit_aim_at(measures, slot, 0);
    uint32_t snap = 0;
    for (uint32_t age = 1; age <= measures->snap_ticks && age < slot->aims_count; age++) {
        const uint32_t turn = aim_turn(aim, audit_aim_at(measures, slot, age));
        snap = turn > snap ? turn : snap;
    }
    distribution_add(&slot->player->snap, snap);
    slot->player->snaps += aim_degrees(snap) >= AUDIT_SNAP_DEGREES;
}

static void take_shot(struct audit_measures *measures, uint32_t index, const raim_player *player,
                      const raim_input *input)
{
    struct audit_slot *slot = &measures->slots[index];
    const uint32_t each = measures->def.bullets_per_player;
    const struct audit_view *view = &slot->view;
    const bool at_moving = view->visible > 0 && view->is_moving;
    measures->shots[index * each + (player->shots - 1) % each] = (struct audit_shot){
        .tick = measures->world_tick,
        .is_open = true,
        .at_moving = at_moving,
        .hidden = view->hidden,
    };
    slot->view_delay = input->rewind;
    slot->has_fired = true;
    slot->fired_before = true;
    slot->player->shots++;
    slot->player->clamped_shots += slot->is_clamped;
    if (slot->aims_count > 0)
        take_snap(measures, slot);
    if (view->visible > 0) {
        slot->player->shots_at_seen++;
        slot->player->shots_on_target += view->on_visible;
        slot->player->shots_at_moving += at_moving;
        distribution_add(&slot->player->aim_error, view->error);
    }
    if (view->hidden != NULL)
        view->hidden->shots++;
}

static void take_hit(struct audit_measures *measures, uint32_t index, const raim_event *hit)
{
    struct audit_slot *slot = &measures->slots[index];
    const uint32_t each = measures->def.bullets_per_player;
    slot->player->hits++;
    slot->player->hits_in_past += hit->in_past;
    slot->player->hits_at_limit += hit->rewind > 0 && hit->rewind == measures->def.max_rewind;
    distribution_add(&slot->player->rewind, hit->rewind);
    // A player fires at most one shot a tick.
    for (uint32_t i = 0; i < each; i++) {
        struct audit_shot *shot = &measures->shots[index * each + i];
        if (!shot->is_open || shot->tick != hit->view_tick + hit->rewind)
            continue;
        slot->player->hits_moving += shot->at_moving;
        if (shot->hidden != NULL)
            shot->hidden->hits++;
        shot->is_open = false;
        return;
    }
}

// The slot of a player that is present and has a row; NULL otherwise.
static struct audit_slot *slot_of(struct audit_measures *measures, raim_player_id id)
{
    const uint32_t index = raim_player_slot(id);
    if (index >= measures->def.max_players)
        return NULL;
    struct audit_slot *slot = &measures->slots[index];
    return slot->player != NULL && slot->id == id ? slot : NULL;
}

void audit_shots_take(struct audit_measures *measures, const struct audit_tick *tick)
{
    const raim_player *players = raim_world_players_const(tick->world);
    for (uint32_t i = 0; i < tick->events->count; i++) {
        const raim_event *event = &tick->events->items[i];
        const uint32_t index = raim_player_slot(event->actor);
        struct audit_slot *actor = slot_of(measures, event->actor);
        struct audit_slot *victim = slot_of(measures, event->victim);
        if (event->kind == RAIM_EVENT_FIRE && actor != NULL)
            take_shot(measures, index, &players[index], &tick->inputs[index]);
        else if (event->kind == RAIM_EVENT_HIT && actor != NULL)
            take_hit(measures, index, event);
        else if (event->kind == RAIM_EVENT_KILL && actor != NULL)
            actor->player->kills++;
        if (event->kind == RAIM_EVENT_KILL && victim != NULL)
            victim->player->deaths++;
    }
}
