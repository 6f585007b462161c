// SPDX-License-Identifier: MIT
// Compares a client's picture with the ticks of the world on both sides of the time that it shows.
#include "picture_error.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

void picture_truth_step(struct picture_truth *truth, const struct raim_world *world)
{
    const raim_player *players = raim_world_players_const(world);
    assert(world->max_players <= PICTURE_MAX_PLAYERS);
    truth->tick = world->tick;
    for (uint32_t slot = 0; slot < world->max_players; slot++)
        truth->players[world->tick % PICTURE_TICKS][slot] = (struct picture_player){
            .alive = players[slot].state == RAIM_PLAYER_ALIVE,
            .life = players[slot].life,
            .position = players[slot].position,
            .aim = players[slot].aim,
        };
}

// A player between two ticks. False where it does not live in both, in one life.
static bool player_at(const struct picture_truth *truth, uint32_t slot, uint32_t tick, double part,
                      struct picture_player *player)
{
    const struct picture_player *from = &truth->players[tick % PICTURE_TICKS][slot];
    const struct picture_player *to = &truth->players[(tick + 1) % PICTURE_TICKS][slot];
    if (!from->alive || !to->alive || from->life != to->life)
        return false;
    const raim_vec2 way = raim_vec2_sub(to->position, from->position);
    const int16_t turn = (int16_t)(to->aim - from->aim);
    *player = *from;
    player->position = raim_vec2_mad(from->position, way, part);
    player->aim = (raim_angle)(from->aim + (int32_t)(part * turn));
    return true;
}

// Snapshots count lives modulo 8.
static bool is_in_life(const struct raim_client_player *shown, const struct picture_player *player)
{
    return shown->life % 8 == player->life % 8;
}

static double degrees(int32_t angle)
{
    return abs(angle) * 360.0 / RAIM_ANGLE_TURN;
}

static void add_shown(struct picture_error *error, const struct picture_player *true_player,
                      const struct raim_client_player *shown)
{
    struct picture_aim *before = &error->aims[shown->slot];
    error->shown++;
    error->position_units +=
        sqrt(raim_vec2_distance_squared(shown->position, true_player->position));
    error->aim_degrees += degrees((int16_t)(shown->aim - true_player->aim));
    const int16_t turn = (int16_t)(shown->aim - before->aim);
    if (before->life != true_player->life)
        before->pictures = 0;
    if (before->pictures >= 2) {
        error->turns++;
        error->shake_degrees += degrees((int16_t)(turn - before->turn));
    }
    *before = (struct picture_aim){before->pictures + 1, true_player->life, shown->aim, turn};
}

static bool is_in_sight(const struct raim_client *client, const struct picture_player *player)
{
    const raim_vec2 view = raim_client_view(client), eye = raim_client_eye(client);
    const raim_vec2 away = raim_vec2_sub(player->position, eye);
    return fabs(away.x) <= view.x / 2 && fabs(away.y) <= view.y / 2 &&
           raim_map_sees_circle(raim_client_map(client), eye, player->position,
                                raim_client_rules(client)->player_radius);
}

void picture_error_add(struct picture_error *error, const struct picture_truth *truth,
                       const struct raim_client *client)
{
    struct raim_client_player rows[PICTURE_MAX_PLAYERS];
    const double time = raim_client_interpolated_tick(client);
    const uint32_t tick = (uint32_t)time, own_slot = raim_client_own_slot(client);
    const int32_t age = raim_tick_diff(truth->tick, tick);
    if (!raim_client_can_draw(client) || age < 1 || age >= PICTURE_TICKS - 1)
        return;
    const uint32_t count = raim_client_interpolated_players(client, rows, PICTURE_MAX_PLAYERS);
    const struct raim_client_player *shown[PICTURE_MAX_PLAYERS] = {0};
    struct picture_player own;
    for (uint32_t i = 0; i < count; i++)
        shown[rows[i].slot] = &rows[i];
    // Where it has just spawned, it sees players of a tick in which it was elsewhere.
    const bool is_viewer = player_at(truth, own_slot, tick, time - tick, &own) &&
                           shown[own_slot] != NULL && is_in_life(shown[own_slot], &own);
    for (uint32_t slot = 0; slot < raim_client_max_players(client); slot++) {
        struct picture_player player;
        if (slot == own_slot || !player_at(truth, slot, tick, time - tick, &player))
            continue;
        const bool is_shown =
            shown[slot] != NULL && shown[slot]->life == (uint8_t)(player.life & 7);
        if (is_shown)
            add_shown(error, &player, shown[slot]);
        else
            error->aims[slot].pictures = 0;
        if (is_viewer && is_in_sight(client, &player)) {
            error->seen++;
            error->lacking += !is_shown;
        }
    }
}
