// SPDX-License-Identifier: MIT
// Finds what happened between two pictures.
#include "effects.h"

#include "picture.h"

#include <assert.h>
#include <math.h>

static const double durations_s[EFFECT_KINDS] = {[EFFECT_MUZZLE] = 0.09,
                                                 [EFFECT_SPARK] = 0.22,
                                                 [EFFECT_BURST] = 0.7,
                                                 [EFFECT_SPAWN] = 0.5,
                                                 [EFFECT_NEAR] = 0.25};

// A bullet that passes the local player's rim so closely just misses it, units.
static const double near_units = 45;

// Pictures farther apart than this are not compared.
static const double longest_gap_s = 0.3;

// The longest time for which a victim may still be shown after its kill.
static const double longest_wait_s = 0.6;

void effects_begin(struct effects *effects, const struct effect *effect)
{
    effects->items[effects->count++ % EFFECTS] = *effect;
}

double effects_progress(const struct effect *effect, double now_s)
{
    return (now_s - effect->born_s) / durations_s[effect->kind];
}

void effects_add_kill(struct effects *effects, unsigned victim, double now_s)
{
    struct effects_fallen *oldest = &effects->fallen[0];
    for (int i = 1; i < EFFECTS_FALLEN; i++)
        if (effects->fallen[i].noted_s < oldest->noted_s)
            oldest = &effects->fallen[i];
    *oldest = (struct effects_fallen){.player = victim, .noted_s = now_s};
}

static const struct picture_player *find_player(const struct picture *picture, raim_player_id id)
{
    for (uint32_t i = 0; i < picture->player_count; i++)
        if (picture->players[i].id == id)
            return &picture->players[i];
    return NULL;
}

// Begins the burst of a victim. Only kills cause one, because a player also disappears from the
// picture when it leaves the view.
static void compare_fallen(struct effects *effects, struct effects_fallen *fallen,
                           const struct picture *before, const struct picture *after)
{
    const struct picture_player *then = find_player(before, (raim_player_id)fallen->player);
    const struct picture_player *now = find_player(after, (raim_player_id)fallen->player);
    if (then != NULL) {
        fallen->seen = true;
        fallen->position = then->position;
    }
    const bool stands = now != NULL && then != NULL && now->life == then->life;
    if (stands && after->now_s - fallen->noted_s < longest_wait_s)
        return;
    if (fallen->seen)
        effects_begin(effects, &(struct effect){.kind = EFFECT_BURST,
                                                .player = fallen->player,
                                                .position = fallen->position,
                                                .born_s = after->now_s});
    *fallen = (struct effects_fallen){0};
}

static void compare_players(struct effects *effects, const struct picture *before,
                            const struct picture *after)
{
    for (uint32_t i = 0; i < after->player_count; i++) {
        const struct picture_player *now = &after->players[i];
        const struct picture_player *then = find_player(before, now->id);
        const bool rose = then != NULL ? then->life != now->life : now->shielded;
        if (rose && now->shielded)
            effects_begin(effects, &(struct effect){.kind = EFFECT_SPAWN,
                                                    .player = now->id,
                                                    .position = now->position,
                                                    .born_s = after->now_s});
    }
}

// Whether two bullets may be one, `s` seconds apart: on one line, and about as far apart as it
// flies in that time.
static bool is_same(const struct picture_bullet *then, const struct picture_bullet *now, double s)
{
    if (then->owner != now->owner)
        return false;
    const double speed = raim_vec2_length(then->velocity);
    const raim_vec2 way = raim_vec2_scale(then->velocity, speed > 0 ? 1 / speed : 0);
    const raim_vec2 moved = raim_vec2_sub(now->position, then->position);
    return fabs(raim_vec2_cross(way, moved)) < 3 && raim_vec2_dot(way, now->velocity) > 0 &&
           fabs(raim_vec2_dot(way, moved) - speed * s) < 0.5 * speed * s + 12;
}

static bool is_in(const struct picture_bullet *bullet, const struct picture *picture, double s)
{
    for (uint32_t i = 0; i < picture->bullet_count; i++) {
        const struct picture_bullet *other = &picture->bullets[i];
        if (s > 0 ? is_same(bullet, other, s) : is_same(other, bullet, -s))
            return true;
    }
    return false;
}

static void begin_of_bullet(struct effects *effects, enum effect_kind kind,
                            const struct picture_bullet *bullet, double s, double now_s)
{
    const double speed = raim_vec2_length(bullet->velocity);
    effects_begin(effects,
                  &(struct effect){
                      .kind = kind,
                      .player = bullet->owner,
                      .position = raim_vec2_mad(bullet->position, bullet->velocity, s),
                      .direction = raim_vec2_scale(bullet->velocity, speed > 0 ? 1 / speed : 0),
                      .born_s = now_s,
                  });
}

// Whether a position is near the edge of the view. A bullet that disappears there has left the view
// and not ended.
static bool is_near_rim(const struct picture *picture, raim_vec2 position)
{
    const raim_vec2 away = raim_vec2_sub(position, picture->eye);
    return fabs(away.x) > picture->view.x / 2 - 40 || fabs(away.y) > picture->view.y / 2 - 40;
}

// Whether a bullet is at its owner's muzzle. A new bullet elsewhere has flown into the view.
static bool is_at_muzzle(const struct picture *picture, const struct picture_bullet *bullet)
{
    const struct picture_player *owner = find_player(picture, bullet->owner);
    const double reach = picture->player_radius + 80;
    return owner != NULL &&
           raim_vec2_distance_squared(owner->position, bullet->position) < reach * reach;
}

static void compare_bullets(struct effects *effects, const struct picture *before,
                            const struct picture *after, double s)
{
    for (uint32_t i = 0; i < before->bullet_count; i++) {
        const struct picture_bullet *bullet = &before->bullets[i];
        if (!is_in(bullet, after, s) && !is_near_rim(after, bullet->position))
            begin_of_bullet(effects, EFFECT_SPARK, bullet, s / 2, after->now_s);
    }
    raim_player_id shooter = RAIM_NOBODY; // the bullets of a shot lie one after another
    for (uint32_t i = 0; i < after->bullet_count; i++) {
        const struct picture_bullet *bullet = &after->bullets[i];
        if (bullet->owner == shooter || is_in(bullet, before, -s) || !is_at_muzzle(after, bullet))
            continue;
        begin_of_bullet(effects, EFFECT_MUZZLE, bullet, 0, after->now_s);
        shooter = bullet->owner;
    }
}

static void compare_misses(struct effects *effects, const struct picture *before,
                           const struct picture *after, double s)
{
    const struct picture_player *own = NULL;
    for (uint32_t i = 0; i < after->player_count; i++)
        if (after->players[i].own)
            own = &after->players[i];
    for (uint32_t i = 0; i < after->bullet_count && own != NULL; i++) {
        const struct picture_bullet *bullet = &after->bullets[i];
        const double speed = raim_vec2_length(bullet->velocity);
        const raim_vec2 way = raim_vec2_scale(bullet->velocity, speed > 0 ? 1 / speed : 0);
        const raim_vec2 offset = raim_vec2_sub(own->position, bullet->position);
        const double left = raim_vec2_dot(way, offset);
        const bool has_passed = left <= 0 && left + speed * s > 0;
        const double away = fabs(raim_vec2_cross(way, offset)) - after->player_radius;
        if (bullet->owner != own->id && has_passed && away < near_units &&
            is_in(bullet, before, -s))
            begin_of_bullet(effects, EFFECT_NEAR, bullet, left / speed, after->now_s);
    }
}

void effects_compare(struct effects *effects, const struct picture *before,
                     const struct picture *after)
{
    // Bullets move by the game's clock, which may run a little faster or slower than real time.
    const double s = after->moment_s - before->moment_s;
    if (after->now_s - before->now_s > longest_gap_s || s < 0 || s > longest_gap_s)
        return;
    compare_players(effects, before, after);
    for (int i = 0; i < EFFECTS_FALLEN; i++)
        if (effects->fallen[i].player != 0)
            compare_fallen(effects, &effects->fallen[i], before, after);
    compare_bullets(effects, before, after, s);
    compare_misses(effects, before, after, s);
}

struct sound_place sound_place_of(raim_vec2 offset, raim_vec2 view)
{
    const double corner = fmax(raim_vec2_length(view) / 2, 1);
    const double part = raim_vec2_length(offset) / corner;
    const double loud = part <= 1 ? 1 - part * 2 / 3 : fmax(2 - part, 0) / 3;
    // From -1 at the left edge to 1 at the right one. The far ear hears something, too.
    const double side = 0.85 * fmin(fmax(offset.x / fmax(view.x / 2, 1), -1), 1);
    return (struct sound_place){loud * sqrt((1 - side) / 2), loud * sqrt((1 + side) / 2)};
}

uint32_t sound_play_effects(struct sound *sound, const struct effects *effects, uint32_t heard,
                            const struct picture *picture)
{
    static const int kinds[EFFECT_KINDS] = {
        [EFFECT_MUZZLE] = SOUND_SHOT,
        [EFFECT_SPARK] = SOUND_KINDS, // silent
        [EFFECT_BURST] = SOUND_DEATH, [EFFECT_SPAWN] = SOUND_SPAWN, [EFFECT_NEAR] = SOUND_NEAR,
    };
    if (heard > effects->count || effects->count - heard > EFFECTS)
        heard = effects->count;
    for (; heard < effects->count; heard++) {
        const struct effect *effect = &effects->items[heard % EFFECTS];
        if (kinds[effect->kind] != SOUND_KINDS)
            sound_play(
                sound, (enum sound_kind)kinds[effect->kind],
                sound_place_of(raim_vec2_sub(effect->position, picture->eye), picture->view));
    }
    return heard;
}
