// SPDX-License-Identifier: MIT
// Plays through a client.
#include "opponent.h"

#include <stddef.h>

bool opponent_open(struct opponent *player, const char *host, uint16_t port,
                   const char *known_servers)
{
    if (!raim_known_server_find(&player->known, known_servers, host, port))
        return false;
    struct raim_client_def def = raim_client_default_def();
    def.name = player->name;
    def.access = player->access;
    def.access_size = player->access_size;
    def.server_key = player->known.has_key ? player->known.key : NULL;
    def.require_encryption = player->require_encryption;
    player->link = raim_link_open(host, port, &def);
    return player->link != NULL;
}

static raim_input think(struct opponent *player, const struct raim_client *client)
{
    struct raim_client_player seen[RAIM_MAX_PLAYERS];
    struct raim_bot_enemy enemies[RAIM_BOT_MAX_ENEMIES];
    const uint32_t own_slot = raim_client_own_slot(client);
    const uint32_t count = raim_client_interpolated_players(client, seen, RAIM_MAX_PLAYERS);
    const double lead_s = raim_client_lead_ticks(client) / (double)raim_client_tick_hz(client);
    const raim_vec2 view = raim_client_view(client);
    struct raim_bot_observation sight = {
        .map = raim_client_map(client),
        .rules = raim_client_rules(client),
        .tick = (uint32_t)raim_client_own_tick(client),
        .tick_hz = raim_client_tick_hz(client),
        .enemies = enemies,
    };
    for (uint32_t i = 0; i < count; i++)
        if (seen[i].slot == own_slot)
            sight.position = seen[i].position;
    for (uint32_t i = 0; i < count && sight.enemy_count < RAIM_BOT_MAX_ENEMIES; i++) {
        const raim_vec2 away = raim_vec2_sub(seen[i].position, sight.position);
        // Snapshots hold players just outside of the view, which a human would not see.
        if (seen[i].slot == own_slot || fabs(away.x) > view.x / 2 || fabs(away.y) > view.y / 2)
            continue;
        enemies[sight.enemy_count++] = (struct raim_bot_enemy){
            .key = (seen[i].slot + 1) << 8 | seen[i].life,
            .position = raim_vec2_mad(seen[i].position, seen[i].velocity, lead_s),
            .velocity = seen[i].velocity,
            .shielded = seen[i].shielded,
        };
    }
    return raim_bot_think(&player->brain, &sight);
}

static void press(struct opponent *player, bool fire)
{
    const struct raim_client *client = raim_link_client(player->link);
    raim_input input = {0};
    if (raim_client_alive(client) && raim_client_can_draw(client))
        input = think(player, client);
    input.fire = input.fire && fire;
    raim_link_send_input(player->link, &input);
}

void opponent_service(struct opponent *player, double now_s, bool fire)
{
    if (player->link == NULL)
        return;
    raim_link_service(player->link);
    raim_known_server_update(&player->known, player->link);
    struct raim_client *client = raim_link_client(player->link);
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
    while (raim_link_is_input_due(player->link)) {
        raim_client_interpolate(client, raim_link_now_us());
        press(player, fire);
    }
}

void opponent_leave(struct opponent *player, double now_s)
{
    if (player->link == NULL || player->play_ended_s != 0)
        return;
    player->play_ended_s = now_s;
    raim_link_leave(player->link);
}
