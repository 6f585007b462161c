// SPDX-License-Identifier: MIT
// The application's view of the arena: the replica and its interpolation.
#include "client_internal.h"

#include "chat.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum raim_client_state raim_client_get_state(const struct raim_client *client)
{
    return client->session.state;
}

struct raim_client_end raim_client_get_end(const struct raim_client *client)
{
    struct raim_client_end end = client->end;
    end.reason = client->session.reason;
    return end;
}

bool raim_client_awaits_restart(const struct raim_client *client)
{
    return client->session.state == RAIM_CLIENT_RESUMING && client->session.awaits_restart;
}

const char *raim_client_chat_rejection_name(uint32_t rejection)
{
    return raim_chat_rejection_name(rejection);
}

const char *raim_client_reason_name(uint32_t reason)
{
    return raim_reason_name(reason);
}

const struct raim_client_stats *raim_client_get_stats(const struct raim_client *client)
{
    return &client->stats;
}

struct raim_client_quality raim_client_get_quality(const struct raim_client *client)
{
    const struct raim_prediction_record *record = &client->prediction.record;
    const double tick_ms = client->welcome.tick_hz > 0 ? 1e3 / client->welcome.tick_hz : 0;
    const double view_age = raim_client_own_tick(client) - raim_client_interpolated_tick(client);
    return (struct raim_client_quality){
        .round_trip_ms = client->clock.round_trip * tick_ms,
        .jitter_ms = raim_interpolation_jitter_ms(&client->interpolation),
        .loss = client->packets_sent > 0 ? 1 - client->packets_arrived / client->packets_sent : 0,
        .margin = raim_replica_self(&client->replica).margin,
        .view_delay_ms = view_age * tick_ms,
        .interpolation_ms = raim_interpolation_delay_ms(&client->interpolation),
        .predictions = record->predictions,
        .mispredictions = record->mispredictions,
        .correction_units = record->correction,
        .corrections_units = record->corrections,
    };
}

bool raim_client_next_event(struct raim_client *client, struct raim_client_event *event)
{
    return raim_client_roster_next_event(&client->roster, event);
}

const char *raim_client_arena(const struct raim_client *client)
{
    return client->welcome.arena;
}

const char *raim_client_motd(const struct raim_client *client)
{
    return client->welcome.motd;
}

// Ticks, with fractions, from the tick shown to another.
static double ticks_until(const struct raim_client *client, uint32_t tick)
{
    return client->interpolation.looked
               ? raim_interpolation_age(&client->interpolation,
                                        (struct raim_interpolation_time){tick, 0})
               : raim_tick_diff(tick, client->replica.newest_tick);
}

struct raim_client_phase raim_client_get_phase(const struct raim_client *client)
{
    const struct raim_wire_phase *phase = &client->roster.phase;
    const double left = phase->has_end ? ticks_until(client, phase->end_tick) : 0;
    return (struct raim_client_phase){
        .kind = (enum raim_client_phase_kind)phase->phase,
        .round = phase->round,
        .has_end = phase->has_end,
        .left_s = left > 0 ? left / client->welcome.tick_hz : 0,
        .score_limit = phase->score_limit,
        .winner = (raim_player_id)phase->winner,
    };
}

const char *raim_client_next_map(const struct raim_client *client)
{
    return client->roster.phase.next_map;
}

uint32_t raim_client_tick_hz(const struct raim_client *client)
{
    return client->welcome.tick_hz;
}

const struct raim_map *raim_client_map(const struct raim_client *client)
{
    return raim_replica_map(&client->replica);
}

const raim_rules *raim_client_rules(const struct raim_client *client)
{
    return &client->replica.rules;
}

uint32_t raim_client_max_players(const struct raim_client *client)
{
    return client->welcome.max_players;
}

raim_vec2 raim_client_view(const struct raim_client *client)
{
    return (raim_vec2){client->welcome.view_width, client->welcome.view_height};
}

bool raim_client_has_sight(const struct raim_client *client)
{
    return client->welcome.sight;
}

const struct raim_client_roster_entry *
raim_client_get_roster_entry(const struct raim_client *client, uint32_t slot)
{
    assert(slot < client->welcome.max_players);
    return &client->roster.members[slot];
}

bool raim_client_is_spectator(const struct raim_client *client)
{
    return client->welcome.player == RAIM_NOBODY;
}

uint32_t raim_client_own_slot(const struct raim_client *client)
{
    return raim_client_is_spectator(client)
               ? UINT32_MAX
               : raim_player_slot((raim_player_id)client->welcome.player);
}

uint32_t raim_client_player_slot(raim_player_id id)
{
    return raim_player_slot(id);
}

uint32_t raim_client_tick(const struct raim_client *client)
{
    return client->replica.shown_tick;
}

uint32_t raim_client_viewpoint(const struct raim_client *client)
{
    return raim_client_is_spectator(client) ? raim_replica_self(&client->replica).slot
                                            : raim_client_own_slot(client);
}

bool raim_client_alive(const struct raim_client *client)
{
    return raim_replica_self(&client->replica).alive;
}

bool raim_client_awaits_spawn(const struct raim_client *client)
{
    const struct raim_wire_frame *frame =
        raim_replica_frame(&client->replica, client->replica.newest_tick);
    return frame != NULL && !frame->self.alive && frame->self.timer == 0;
}

uint32_t raim_client_players(const struct raim_client *client, struct raim_client_player *players,
                             uint32_t capacity)
{
    return raim_replica_players(&client->replica, client->sent[0].aim, players, capacity);
}

uint32_t raim_client_bullets(const struct raim_client *client, struct raim_client_bullet *bullets,
                             uint32_t capacity)
{
    return raim_replica_bullets(&client->replica, bullets, capacity);
}

static const struct raim_prediction *prediction_of(const struct raim_client *client)
{
    return raim_client_is_spectator(client) ? NULL : &client->prediction;
}

void raim_client_interpolate(struct raim_client *client, uint64_t now_us)
{
    if (client->session.state != RAIM_CLIENT_PLAYING)
        return;
    if (client->shown_map != client->replica.map) {
        raim_map_destroy(client->old_map);
        client->old_map = NULL;
        client->shown_map = client->replica.map;
    }
    if (!client->replica.any)
        return;
    const struct raim_interpolation_time own_time = {
        .tick = client->clock.next_tick - 1,
        .part = raim_clock_phase(&client->clock, now_us),
    };
    raim_interpolation_update(&client->interpolation, &client->replica, prediction_of(client),
                              own_time, client->sent[0].aim, now_us);
}

bool raim_client_can_draw(const struct raim_client *client)
{
    return client->interpolation.looked;
}

raim_vec2 raim_client_eye(const struct raim_client *client)
{
    return client->interpolation.eye;
}

double raim_client_interpolated_tick(const struct raim_client *client)
{
    return client->interpolation.looked
               ? client->interpolation.start_tick + client->interpolation.ahead
               : 0;
}

double raim_client_own_tick(const struct raim_client *client)
{
    if (!client->interpolation.looked || raim_client_is_spectator(client))
        return raim_client_interpolated_tick(client);
    const double age =
        raim_interpolation_age(&client->interpolation, client->interpolation.own_time);
    return raim_client_interpolated_tick(client) + age;
}

double raim_client_lead_ticks(const struct raim_client *client)
{
    const double age = raim_client_own_tick(client) - raim_client_interpolated_tick(client);
    return fmax(0, age - client->welcome.max_rewind);
}

uint32_t raim_client_interpolated_players(const struct raim_client *client,
                                          struct raim_client_player *players, uint32_t capacity)
{
    const struct raim_interpolation *interpolation = &client->interpolation;
    const uint32_t count =
        interpolation->row_count < capacity ? interpolation->row_count : capacity;
    if (count > 0)
        memcpy(players, interpolation->rows, count * sizeof *players);
    return count;
}

uint32_t raim_client_interpolated_bullets(const struct raim_client *client,
                                          struct raim_client_bullet *bullets, uint32_t capacity)
{
    return raim_interpolation_bullets(&client->interpolation, &client->replica,
                                      prediction_of(client), bullets, capacity);
}
