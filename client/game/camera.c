// SPDX-License-Identifier: MIT
// Fills pictures from a client.
#include "camera.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void camera_clear(struct camera *camera)
{
    raim_map_destroy(camera->map);
    memset(camera, 0, sizeof *camera);
}

bool camera_enter(struct camera *camera, const struct raim_client *client)
{
    const struct raim_map *source = raim_client_map(client);
    struct raim_piece_def *pieces = calloc((size_t)source->obstacle_count + 1, sizeof *pieces);
    if (pieces == NULL)
        return false;
    for (int i = 0; i < source->obstacle_count; i++) {
        const raim_polygon *obstacle = &source->obstacles[i];
        pieces[i].count = obstacle->count;
        pieces[i].seams = obstacle->seams;
        memcpy(pieces[i].points, obstacle->points, sizeof pieces[i].points);
    }
    const struct raim_map_def def = {
        .name = source->name,
        .border = source->border,
        .pieces = pieces,
        .piece_count = source->obstacle_count,
    };
    struct raim_map_problem problem;
    camera_clear(camera);
    camera->map = raim_map_create(&def, &problem);
    free(pieces);
    return camera->map != NULL;
}

static void take_players(struct camera *camera, const struct raim_client *client,
                         struct picture *picture)
{
    const struct raim_client_player *seen = camera->players;
    const uint32_t own = raim_client_own_slot(client);
    picture->player_count =
        raim_client_interpolated_players(client, camera->players, RAIM_MAX_PLAYERS);
    for (uint32_t i = 0; i < picture->player_count; i++) {
        const struct raim_client_roster_entry *member =
            raim_client_get_roster_entry(client, seen[i].slot);
        struct picture_player *player = &picture->players[i];
        *player = (struct picture_player){
            .id = member->id,
            .own = seen[i].slot == own,
            .shielded = seen[i].shielded,
            .life = seen[i].life,
            .health = seen[i].health,
            .aim = seen[i].aim,
            .position = seen[i].position,
        };
        snprintf(player->name, sizeof player->name, "%s", member->name);
    }
}

static void take_bullets(struct camera *camera, const struct raim_client *client,
                         struct picture *picture)
{
    const struct raim_client_bullet *seen = camera->bullets;
    picture->bullet_count =
        raim_client_interpolated_bullets(client, camera->bullets, RAIM_MAX_BULLETS);
    for (uint32_t i = 0; i < picture->bullet_count; i++)
        picture->bullets[i] = (struct picture_bullet){
            .owner = raim_client_get_roster_entry(client, seen[i].owner)->id,
            .position = seen[i].position,
            .velocity = seen[i].velocity,
        };
}

static void note_life(struct camera *camera, bool alive, double now_s)
{
    if (alive != camera->alive)
        camera->since_s = now_s;
    camera->alive = alive;
}

bool camera_take(struct camera *camera, const struct raim_client *client, double now_s,
                 struct picture *picture)
{
    if (camera->map == NULL || !raim_client_can_draw(client))
        return false;
    const raim_rules *rules = raim_client_rules(client);
    note_life(camera, raim_client_alive(client), now_s);
    picture->now_s = now_s;
    picture->moment_s = raim_client_interpolated_tick(client) / raim_client_tick_hz(client);
    picture->map = camera->map;
    picture->view = raim_client_view(client);
    picture->sight = raim_client_has_sight(client);
    picture->eye = raim_client_eye(client);
    picture->player_radius = rules->player_radius;
    picture->bullet_radius = rules->bullet_radius;
    picture->health = rules->health;
    picture->shield_left =
        rules->spawn_protection > 0 ? 1 - (now_s - camera->since_s) / rules->spawn_protection : 0;
    take_players(camera, client, picture);
    take_bullets(camera, client, picture);
    picture_hide_unseen(picture);
    return true;
}

double camera_spawns_in(const struct camera *camera, double respawn_delay_s, double now_s)
{
    if (camera->alive)
        return 0;
    return fmax(camera->since_s + respawn_delay_s - now_s, 0);
}
