// SPDX-License-Identifier: MIT
// Removes from a picture what is not visible.
#include "picture.h"

static bool is_seen(const struct picture *picture, raim_vec2 position, double radius)
{
    const raim_vec2 half = raim_vec2_scale(picture->view, 0.5);
    const raim_box view = {raim_vec2_sub(picture->eye, half), raim_vec2_add(picture->eye, half)};
    return raim_box_contains(raim_box_grow(view, radius), position) &&
           (!picture->sight || raim_map_sees_circle(picture->map, picture->eye, position, radius));
}

void picture_hide_unseen(struct picture *picture)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < picture->player_count; i++) {
        const struct picture_player *player = &picture->players[i];
        if (player->own || is_seen(picture, player->position, picture->player_radius))
            picture->players[kept++] = *player;
    }
    picture->player_count = kept;
    kept = 0;
    for (uint32_t i = 0; i < picture->bullet_count; i++) {
        const struct picture_bullet *bullet = &picture->bullets[i];
        if (is_seen(picture, bullet->position, picture->bullet_radius))
            picture->bullets[kept++] = *bullet;
    }
    picture->bullet_count = kept;
}

bool picture_find_shooter(const struct picture *picture, raim_player_id id, raim_vec2 *from)
{
    const double before_s = 0.2;
    double nearest = INFINITY;
    for (uint32_t i = 0; i < picture->player_count; i++) {
        if (picture->players[i].id == id) {
            *from = picture->players[i].position;
            return true;
        }
    }
    for (uint32_t i = 0; i < picture->bullet_count; i++) {
        const struct picture_bullet *bullet = &picture->bullets[i];
        const double far = raim_vec2_distance_squared(bullet->position, picture->eye);
        if (bullet->owner != id || far >= nearest)
            continue;
        nearest = far;
        *from = raim_vec2_mad(bullet->position, bullet->velocity, -before_s);
    }
    return nearest < INFINITY;
}

static raim_vec2 point_between(raim_vec2 from, raim_vec2 to, double part)
{
    return raim_vec2_mad(from, raim_vec2_sub(to, from), part);
}

static void move_player(struct picture_player *player, const struct picture_player *later,
                        double part)
{
    const int turn = (int16_t)(later->aim - player->aim);
    if (player->life != later->life)
        return;
    player->position = point_between(player->position, later->position, part);
    player->aim = (raim_angle)(player->aim + (int)lround(turn * part));
}

void picture_between(const struct picture *before, const struct picture *after, double part,
                     struct picture *between)
{
    const double s = (after->moment_s - before->moment_s) * part;
    uint32_t later = 0;
    *between = *before;
    between->moment_s += s;
    for (uint32_t i = 0; i < between->player_count; i++) {
        struct picture_player *player = &between->players[i];
        const uint32_t slot = raim_player_slot(player->id);
        while (later < after->player_count && raim_player_slot(after->players[later].id) < slot)
            later++;
        if (later < after->player_count && after->players[later].id == player->id)
            move_player(player, &after->players[later], part);
        if (player->own)
            between->eye = player->position;
    }
    for (uint32_t i = 0; i < between->bullet_count; i++) {
        struct picture_bullet *bullet = &between->bullets[i];
        bullet->position = raim_vec2_mad(bullet->position, bullet->velocity, s);
    }
}
