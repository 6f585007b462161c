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
    def.password = player->password;
    def.server_key = player->known.has_key ? player->known.key : NULL;
    def.require_encryption = player->require_encryption;
    def.small_datagrams = player->small_datagrams;
    if (player->connect_timeout_s > 0)
        def.connect_timeout_s = player->connect_timeout_s;
    player->link = raim_link_open(host, port, &def);
    return player->link != NULL;
}

void opponent_add_stats(struct raim_client_stats *sum, const struct raim_client_stats *stats)
{
    sum->snapshots += stats->snapshots;
    sum->decode_errors += stats->decode_errors;
    sum->events += stats->events;
    sum->events_ahead += stats->events_ahead;
    sum->events_repeated += stats->events_repeated;
    sum->shots += stats->shots;
    sum->hits += stats->hits;
    sum->kills += stats->kills;
    sum->deaths += stats->deaths;
    sum->kills_seen += stats->kills_seen;
    sum->resumes += stats->resumes;
    sum->entries += stats->entries;
    sum->rounds += stats->rounds;
    if (stats->largest_snapshot > sum->largest_snapshot)
        sum->largest_snapshot = stats->largest_snapshot;
}

struct raim_client_stats opponent_stats(const struct opponent *player)
{
    struct raim_client_stats sum = player->past_stats;
    if (player->link != NULL)
        opponent_add_stats(&sum, raim_client_get_stats(raim_link_client(player->link)));
    return sum;
}

struct raim_link_traffic opponent_traffic(const struct opponent *player)
{
    struct raim_link_traffic sum = player->past_traffic;
    if (player->link == NULL)
        return sum;
    const struct raim_link_traffic traffic = raim_link_get_traffic(player->link);
    sum.bytes_down += traffic.bytes_down;
    sum.bytes_up += traffic.bytes_up;
    if (traffic.largest_datagram > sum.largest_datagram)
        sum.largest_datagram = traffic.largest_datagram;
    return sum;
}

struct raim_client_quality opponent_quality(const struct opponent *player)
{
    const struct raim_client_quality *past = &player->past_quality;
    if (player->link == NULL || player->play_started_s == 0)
        return *past;
    struct raim_client_quality quality = raim_client_get_quality(raim_link_client(player->link));
    quality.predictions += past->predictions;
    quality.mispredictions += past->mispredictions;
    quality.corrections_units += past->corrections_units;
    return quality;
}

double opponent_played_s(const struct opponent *player)
{
    const double newest_s = player->play_ended_s - player->play_started_s;
    const bool has_ended = player->play_started_s > 0 && newest_s > 0;
    return player->past_played_s + (has_ended ? newest_s : 0);
}

void opponent_close(struct opponent *player)
{
    player->past_stats = opponent_stats(player);
    player->past_traffic = opponent_traffic(player);
    player->past_quality = opponent_quality(player);
    player->past_played_s = opponent_played_s(player);
    raim_link_close(player->link);
    player->link = NULL;
    player->is_playing = false;
    player->is_alive = false;
    player->broken = false;
    player->play_started_s = player->play_ended_s = 0;
    player->inputs_until_look = 0;
    player->target = (struct raim_bot_enemy){0};
    raim_bot_init(&player->brain, player->brain.random); // ticks begin anew
}

// Looks at the interpolated view, and fills `enemies`. Returns their number.
static uint32_t look(struct opponent *player, const struct raim_client *client,
                     struct raim_bot_enemy *enemies)
{
    struct raim_client_player seen[RAIM_MAX_PLAYERS];
    const uint32_t own_slot = raim_client_own_slot(client);
    const uint32_t count = raim_client_interpolated_players(client, seen, RAIM_MAX_PLAYERS);
    const double lead_s = raim_client_lead_ticks(client) / (double)raim_client_tick_hz(client);
    const raim_vec2 view = raim_client_view(client);
    uint32_t enemy_count = 0;
    player->tick = (uint32_t)raim_client_own_tick(client);
    for (uint32_t i = 0; i < count; i++)
        if (seen[i].slot == own_slot)
            player->position = seen[i].position;
    for (uint32_t i = 0; i < count && enemy_count < RAIM_BOT_MAX_ENEMIES; i++) {
        const raim_vec2 away = raim_vec2_sub(seen[i].position, player->position);
        // Snapshots hold players just outside of the view, which a human would not see.
        if (seen[i].slot == own_slot || fabs(away.x) > view.x / 2 || fabs(away.y) > view.y / 2)
            continue;
        enemies[enemy_count++] = (struct raim_bot_enemy){
            .key = (seen[i].slot + 1) << 8 | seen[i].life,
            .position = raim_vec2_mad(seen[i].position, seen[i].velocity, lead_s),
            .velocity = seen[i].velocity,
            .shielded = seen[i].shielded,
        };
    }
    return enemy_count;
}

static void keep_target(struct opponent *player, const struct raim_bot_enemy *enemies,
                        uint32_t count)
{
    player->target = (struct raim_bot_enemy){0};
    for (uint32_t i = 0; i < count; i++)
        if (enemies[i].key == player->brain.target)
            player->target = enemies[i];
}

// Moves what the bot saw on by one tick. Its own velocity is the one that it steers.
static void move_on(struct opponent *player, const raim_input *input, const raim_rules *rules,
                    uint32_t tick_hz)
{
    raim_vec2 way = {input->move_x, input->move_y};
    const double length = raim_vec2_length(way);
    if (length > 0)
        way = raim_vec2_scale(way, rules->player_speed / tick_hz / length);
    player->position = raim_vec2_add(player->position, way);
    player->target.position =
        raim_vec2_mad(player->target.position, player->target.velocity, 1.0 / tick_hz);
    player->tick++;
    player->inputs_until_look--;
}

static uint32_t most_inputs_until_look(const struct raim_client *client)
{
    return raim_client_tick_hz(client) / 5 + 1;
}

// A bot looks when it decides, about every tenth of a second, and aims in between at where its
// target should be: a human reacts no sooner, and interpolating is most of what a client costs.
static raim_input think(struct opponent *player, struct raim_client *client)
{
    struct raim_bot_enemy enemies[RAIM_BOT_MAX_ENEMIES];
    const uint32_t tick_hz = raim_client_tick_hz(client);
    const bool looks = player->inputs_until_look == 0 || !player->is_alive;
    uint32_t count = player->target.key != 0;
    enemies[0] = player->target;
    if (looks) {
        raim_client_interpolate(client, raim_link_now_us());
        if (!raim_client_can_draw(client))
            return (raim_input){0};
        count = look(player, client, enemies);
    }
    const struct raim_bot_observation sight = {
        .map = raim_client_map(client),
        .rules = raim_client_rules(client),
        .tick = player->tick,
        .tick_hz = tick_hz,
        .position = player->position,
        .enemies = enemies,
        .enemy_count = count,
    };
    raim_input input = raim_bot_think(&player->brain, &sight);
    if (looks) {
        keep_target(player, enemies, count);
        const int32_t until = raim_tick_diff(player->brain.decision_tick, player->tick);
        const uint32_t most = most_inputs_until_look(client);
        player->inputs_until_look = until > 0 && (uint32_t)until < most ? (uint32_t)until : most;
    }
    move_on(player, &input, sight.rules, tick_hz);
    if (player->uses_mouse)
        input.aim = mouse_move(&player->mouse, input.aim, player->target.key != 0);
    // A shot tells how old the view is.
    if (input.fire && !looks)
        raim_client_interpolate(client, raim_link_now_us());
    return input;
}

// A bot that is down only watches.
static void wait(struct opponent *player, struct raim_client *client)
{
    if (player->inputs_until_look == 0) {
        raim_client_interpolate(client, raim_link_now_us());
        player->inputs_until_look = most_inputs_until_look(client);
    }
    player->inputs_until_look--;
}

static void press(struct opponent *player, bool fire)
{
    struct raim_client *client = raim_link_client(player->link);
    raim_input input = {0};
    if (raim_client_alive(client)) {
        input = think(player, client);
        player->is_alive = true;
    } else {
        wait(player, client);
        player->is_alive = false;
    }
    input.fire = input.fire && fire;
    raim_link_send_input(player->link, &input);
}

bool opponent_is_due(const struct opponent *player)
{
    return !player->is_playing || raim_link_is_input_due(player->link);
}

void opponent_service(struct opponent *player, double now_s, bool fire)
{
    if (player->link == NULL)
        return;
    raim_link_update(player->link);
    raim_known_server_update(&player->known, player->link);
    struct raim_client *client = raim_link_client(player->link);
    const enum raim_client_state state = raim_client_get_state(client);
    player->is_playing = state == RAIM_CLIENT_PLAYING && raim_client_tick(client) != 0;
    if (state == RAIM_CLIENT_ENDED) {
        player->broken = player->broken || player->play_ended_s == 0;
        if (player->play_ended_s == 0)
            player->play_ended_s = now_s;
        return;
    }
    if (state != RAIM_CLIENT_PLAYING)
        return;
    player->played = true;
    if (player->play_started_s == 0)
        player->play_started_s = now_s;
    while (raim_link_is_input_due(player->link))
        press(player, fire);
}

void opponent_leave(struct opponent *player, double now_s)
{
    if (player->link == NULL || player->play_ended_s != 0)
        return;
    player->play_ended_s = now_s;
    raim_link_leave(player->link);
}
