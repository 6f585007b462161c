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
