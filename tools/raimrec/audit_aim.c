// SPDX-License-Identifier: MIT
// What each player aims at: reactions to enemies that come into sight, aim on enemies that
// obstacles hide, and the snaps, flicks and hits of shots.
#include "audit_internal.h"

#include <math.h>

// --- aim geometry ---

uint32_t aim_turn(raim_angle a, raim_angle b)
{
    const int32_t turn = (int16_t)(uint16_t)(a - b);
    return (uint32_t)(turn < 0 ? -turn : turn);
}

double aim_degrees(double turn)
{
    return turn * 360 / RAIM_ANGLE_TURN;
}

struct aim_target aim_target_at(raim_vec2 eye, raim_vec2 position, raim_vec2 velocity,
                                double radius, double bullet_speed, double lifetime)
{
    const raim_vec2 now = raim_vec2_sub(position, eye);
    const double flight_s = fmin(raim_vec2_length(now) / bullet_speed, lifetime);
    return (struct aim_target){now, raim_vec2_mad(now, velocity, flight_s), radius};
}

bool aim_is_on(raim_angle aim, const struct aim_target *target)
{
    const raim_vec2 direction = raim_angle_direction(aim);
    const double now = raim_vec2_cross(direction, target->now);
    const double lead = raim_vec2_cross(direction, target->lead);
    const double now_ahead = raim_vec2_dot(direction, target->now);
    const double lead_ahead = raim_vec2_dot(direction, target->lead);
    if ((now < 0) != (lead < 0)) { // the ray's line crosses the way from one to the other
        const double share = now / (now - lead);
        return now_ahead + share * (lead_ahead - now_ahead) > 0;
    }
    return (fabs(now) <= target->radius && now_ahead > 0) ||
           (fabs(lead) <= target->radius && lead_ahead > 0);
}

// The angle between the directions to both centres.
static uint32_t lead_angle(const struct aim_target *target)
{
    return aim_turn(raim_angle_of(target->now), raim_angle_of(target->lead));
}

uint32_t aim_error(raim_angle aim, const struct aim_target *target)
{
    const uint32_t now = aim_turn(aim, raim_angle_of(target->now));
    const uint32_t lead = aim_turn(aim, raim_angle_of(target->lead));
    if (now + lead <= lead_angle(target) + 1) // rounded
        return 0;
    return now < lead ? now : lead;
}

uint32_t aim_width(const struct aim_target *target)
{
    const double distance = fmin(raim_vec2_length(target->now), raim_vec2_length(target->lead));
    if (distance <= target->radius)
        return RAIM_ANGLE_TURN;
    const double pi = 3.14159265358979323846;
    const double half = asin(target->radius / distance) * RAIM_ANGLE_TURN / (2 * pi);
    const double width = 2 * half + lead_angle(target);
    return width < RAIM_ANGLE_TURN ? (uint32_t)width : RAIM_ANGLE_TURN;
}

// --- what a viewer sees ---

// An enemy on the screen of a viewer, hidden or not.
struct enemy {
    uint32_t slot;
    struct audit_pair *pair;
    struct aim_target target;
    bool is_visible, is_moving;
};

struct crowd {
    struct enemy enemies[AUDIT_MAX_TARGETS];
    uint32_t count, visible;
};

static struct audit_pair *pair_of(const struct audit_measures *measures, uint32_t viewer,
                                  uint32_t target, uint8_t life)
{
    struct audit_pair *pair = &measures->pairs[(size_t)viewer * measures->def.max_players + target];
    if (pair->life != life)
        *pair = (struct audit_pair){.life = life};
    return pair;
}

// Where an enemy was on the viewer's screen. False when it was not alive there.
static bool find_enemy(const struct audit_measures *measures, uint32_t slot, uint32_t delay,
                       raim_vec2 eye, struct enemy *enemy, uint8_t *life)
{
    const struct audit_def *def = &measures->def;
    const struct audit_sample *now = audit_sample_at(measures, slot, delay);
    if (!now->alive || !raim_is_in_view(def->view, eye, now->position, def->rules.player_radius))
        return false;
    const struct audit_sample *before = audit_sample_at(measures, slot, delay + 1);
    raim_vec2 velocity = {0, 0};
    if (before->alive && before->life == now->life)
        velocity = raim_vec2_scale(raim_vec2_sub(now->position, before->position), def->tick_hz);
    enemy->slot = slot;
    enemy->is_moving = velocity.x != 0 || velocity.y != 0;
    enemy->is_visible =
        !def->sight || raim_visibility_sees_circle(measures->visibility, eye, now->position,
                                                   def->rules.player_radius, true);
    enemy->target = aim_target_at(eye, now->position, velocity,
                                  def->rules.player_radius + def->rules.bullet_radius,
                                  def->rules.bullet_speed, def->rules.bullet_lifetime);
    *life = now->life;
    return true;
}

static void look(struct audit_measures *measures, uint32_t viewer, const uint64_t *sent,
                 struct crowd *crowd)
{
    const struct audit_slot *slot = &measures->slots[viewer];
    const raim_vec2 eye = audit_sample_at(measures, viewer, 0)->position;
    const uint32_t oldest = measures->tick < AUDIT_HISTORY - 1 ? measures->tick : AUDIT_HISTORY - 1;
    const uint32_t delay = slot->view_delay + 1 < oldest ? slot->view_delay : 0;
    crowd->count = crowd->visible = 0;
    for (uint32_t other = 0; other < measures->def.max_players; other++) {
        struct enemy *enemy = &crowd->enemies[crowd->count];
        uint8_t life;
        if (crowd->count == AUDIT_MAX_TARGETS)
            return;
        if (other == viewer || !find_enemy(measures, other, delay, eye, enemy, &life))
            continue;
        enemy->pair = pair_of(measures, viewer, other, life);
        if (sent != NULL && (sent[other / 64] >> (other % 64) & 1) != 0)
            enemy->pair->sent = measures->tick;
        crowd->visible += enemy->is_visible;
        crowd->count++;
    }
}

// Whether `ticks` have passed since an earlier tick; true for one that never was.
static bool is_past(const struct audit_measures *measures, uint32_t earlier, uint32_t ticks)
{
    return earlier == 0 || measures->tick - earlier > ticks;
}

// Counts sightings and reactions to them. An enemy that the viewer saw within AUDIT_SIGHTING_S only
// reappears.
static void react(struct audit_measures *measures, struct audit_slot *slot,
                  const struct enemy *enemy, bool is_only)
{
    struct audit_pair *pair = enemy->pair;
    const bool is_on = aim_is_on(audit_aim_at(measures, slot, 0), &enemy->target);
    const bool is_rested = measures->tick - slot->alive_since > measures->memory_ticks;
    if (is_past(measures, pair->seen, measures->sighting_ticks) && is_only && is_rested) {
        slot->player->sightings++;
        slot->player->aimed_before_chance += (double)aim_width(&enemy->target) / RAIM_ANGLE_TURN;
        if (aim_is_on(audit_aim_at(measures, slot, 1), &enemy->target))
            slot->player->aimed_before++;
        else
            pair->since = measures->tick;
    }
    pair->seen = measures->tick;
    pair->on_ticks = 0;
    if (pair->since == 0)
        return;
    if (is_on)
        distribution_add(&slot->player->reaction, measures->tick - pair->since);
    if (is_on || is_past(measures, pair->since, measures->reaction_ticks))
        pair->since = 0;
}

static void see(struct audit_measures *measures, struct audit_slot *slot, const struct crowd *crowd)
{
    const raim_angle aim = audit_aim_at(measures, slot, 0);
    struct audit_view *view = &slot->view;
    view->visible = crowd->visible;
    for (uint32_t i = 0; i < crowd->count; i++) {
        const struct enemy *enemy = &crowd->enemies[i];
        if (!enemy->is_visible) {
            enemy->pair->since = 0;
            continue;
        }
        const uint32_t error = aim_error(aim, &enemy->target);
        if (error < view->error) {
            view->error = error;
            view->is_moving = enemy->is_moving;
        }
        view->on_visible |= aim_is_on(aim, &enemy->target);
        react(measures, slot, enemy, crowd->visible == 1);
    }
}

// Follows the aim on a hidden enemy. It is tracked once the aim has turned with it by more than the
// enemy's width: an aim that stands still while an enemy passes behind a wall does not track.
static void track(struct audit_measures *measures, struct audit_slot *slot,
                  const struct enemy *enemy, bool is_on)
{
    struct audit_pair *pair = enemy->pair;
    const raim_angle aim = audit_aim_at(measures, slot, 0);
    if (!is_on) {
        pair->on_ticks = 0;
        return;
    }
    if (pair->on_ticks == 0) {
        pair->on_from = aim;
        pair->is_tracked = false;
    }
    if (pair->on_ticks < UINT16_MAX)
        pair->on_ticks++;
    if (pair->is_tracked) {
        slot->player->tracking_ticks++;
    } else if (pair->on_ticks >= measures->tracking_ticks &&
               aim_turn(aim, pair->on_from) > aim_width(&enemy->target)) {
        pair->is_tracked = true;
        slot->player->tracking_ticks += pair->on_ticks;
    }
    if (pair->is_tracked && pair->on_ticks > slot->player->longest_tracking)
        slot->player->longest_tracking = pair->on_ticks;
}

// Counts a tick in which the viewer saw no player. It may remember the one it saw a moment ago.
static void aim_at_hidden(struct audit_measures *measures, struct audit_slot *slot,
                          const struct crowd *crowd)
{
    const raim_angle aim = audit_aim_at(measures, slot, 0);
    struct audit_hidden *groups[2] = {&slot->player->unsent, &slot->player->sent};
    bool any[2] = {false, false}, on[2] = {false, false};
    double chance[2] = {0, 0};
    for (uint32_t i = 0; i < crowd->count; i++) {
        const struct enemy *enemy = &crowd->enemies[i];
        if (!is_past(measures, enemy->pair->seen, measures->memory_ticks))
            continue;
        const bool is_on = aim_is_on(aim, &enemy->target);
        const int group = !is_past(measures, enemy->pair->sent, measures->memory_ticks);
        any[group] = true;
        on[group] |= is_on;
        chance[group] += (double)aim_width(&enemy->target) / RAIM_ANGLE_TURN;
        track(measures, slot, enemy, is_on);
    }
    for (int group = 0; group < 2; group++) {
        groups[group]->ticks += any[group];
        groups[group]->on_ticks += on[group];
        groups[group]->chance += fmin(1, chance[group]);
        if (on[group])
            slot->view.hidden = groups[group];
    }
}

static void forget_tracks(const struct crowd *crowd)
{
    for (uint32_t i = 0; i < crowd->count; i++)
        crowd->enemies[i].pair->on_ticks = 0;
}

void audit_aim_tick(struct audit_measures *measures, uint32_t viewer, const uint64_t *sent)
{
    struct audit_slot *slot = &measures->slots[viewer];
    struct crowd crowd;
    look(measures, viewer, sent, &crowd);
    see(measures, slot, &crowd);
    if (crowd.visible == 0 && measures->tick - slot->alive_since > measures->memory_ticks)
        aim_at_hidden(measures, slot, &crowd);
    else
        forget_tracks(&crowd);
}

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

// Adds the largest turn of the aim in the AUDIT_SNAP_S before a shot.
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
    // A player fires at most one shot a tick.
    struct audit_shot *shot = NULL;
    for (uint32_t i = 0; i < each && shot == NULL; i++)
        if (measures->shots[index * each + i].tick == hit->view_tick + hit->rewind)
            shot = &measures->shots[index * each + i];
    if (shot != NULL && !shot->is_open)
        return; // another bullet of the shot has hit before
    slot->player->hits++;
    slot->player->hits_in_past += hit->in_past;
    slot->player->hits_at_limit += hit->rewind > 0 && hit->rewind == measures->def.max_rewind;
    distribution_add(&slot->player->rewind, hit->rewind);
    if (shot == NULL)
        return;
    slot->player->hits_moving += shot->at_moving;
    if (shot->hidden != NULL)
        shot->hidden->hits++;
    shot->is_open = false;
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
