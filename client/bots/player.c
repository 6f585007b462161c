// SPDX-License-Identifier: MIT
// A bot that plays through a client.
#include "player.h"

#include <stddef.h>

bool player_open(struct player *player, const char *host, uint16_t port, uint32_t timeout_ms)
{
    struct raim_client_def def = raim_client_default_def();
    def.name = player->name;
    player->link = raim_link_open(host, port, &def, timeout_ms);
    return player->link != NULL;
}

static raim_input think(struct player *player, const struct raim_client *client)
{
    struct raim_client_player seen[RAIM_MAX_PLAYERS];
    struct raim_bot_enemy enemies[RAIM_BOT_MAX_ENEMIES];
    const uint32_t own_place = raim_client_own_place(client);
    const uint32_t count = raim_client_players(client, seen, RAIM_MAX_PLAYERS);
    const raim_vec2 view = raim_client_view(client);
    struct raim_bot_sight sight = {
        .map = raim_client_map(client),
        .rules = raim_client_rules(client),
        .tick = raim_client_tick(client),
        .tick_hz = raim_client_tick_hz(client),
        .enemies = enemies,
    };
    for (uint32_t i = 0; i < count; i++)
        if (seen[i].place == own_place)
            sight.position = seen[i].position;
    for (uint32_t i = 0; i < count && sight.enemy_count < RAIM_BOT_MAX_ENEMIES; i++) {
        const raim_vec2 away = raim_vec2_sub(seen[i].position, sight.position);
        // What the snapshot holds beyond the view is there for the clock, not for the eye.
        if (seen[i].place == own_place || fabs(away.x) > view.x / 2 || fabs(away.y) > view.y / 2)
            continue;
        enemies[sight.enemy_count++] = (struct raim_bot_enemy){
            .key = (seen[i].place + 1) << 8 | seen[i].life,
            .position = seen[i].position,
            .velocity = seen[i].velocity,
            .shielded = seen[i].shielded,
        };
    }
    return raim_bot_think(&player->brain, &sight);
}

void player_tick(struct player *player, double now_s, bool fire)
{
    if (player->link == NULL)
        return;
    raim_link_service(player->link);
    const struct raim_client *client = raim_link_client(player->link);
    const enum raim_client_state state = raim_client_state(client);
    if (state == RAIM_CLIENT_ENDED) {
        player->broken = player->broken || player->play_ended_s == 0;
        if (player->play_ended_s == 0)
            player->play_ended_s = now_s;
        return;
    }
    if (state != RAIM_CLIENT_PLAYING)
        return;
    if (!player->played) {
        player->played = true;
        player->play_started_s = now_s;
    }
    raim_input input = {0};
    if (raim_client_alive(client))
        input = think(player, client);
    input.fire = input.fire && fire;
    raim_link_press(player->link, &input);
}

void player_leave(struct player *player, double now_s)
{
    if (player->link == NULL || player->play_ended_s != 0)
        return;
    player->play_ended_s = now_s;
    raim_link_leave(player->link);
}
