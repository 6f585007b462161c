// SPDX-License-Identifier: MIT
// Recording: the scene, keyframes, and what clients were sent.
#include "match_internal.h"

#include "recording_input.h"
#include "recording_scene.h"

#include <string.h>

void raim_match_scene(const struct raim_match *match, struct raim_recording_scene *scene)
{
    const struct raim_match_def *def = &match->def;
    *scene = (struct raim_recording_scene){
        .map = def->map,
        .rules = match->world->rules,
        .tick_hz = match->world->tick_hz,
        .max_players = match->world->max_players,
        .max_rewind = match->world->max_rewind,
        .view_width = def->view_width,
        .view_height = def->view_height,
        .sight = def->sight,
        .identity = match->identity,
    };
    memcpy(scene->arena, def->arena, sizeof scene->arena);
}

void raim_match_keyframe(struct raim_match *match)
{
    const raim_player *players = raim_world_players_const(match->world);
    const struct raim_wire_phase phase = raim_rounds_phase(match);
    raim_recording_input_keyframe(match->records, match->world, &phase);
    for (uint32_t slot = raim_match_next_slot(match, 0); slot < match->world->max_players;
         slot = raim_match_next_slot(match, slot + 1))
        raim_recording_input_name(match->records, players[slot].id, match->sessions[slot].name,
                                  match->sessions[slot].bot);
}

void raim_match_record(struct raim_match *match, struct raim_recording_input *records,
                       uint64_t seed)
{
    if (records == NULL) {
        raim_recording_input_end(match->records, match->world);
        match->records = NULL;
        return;
    }
    match->world->random = seed;
    match->records = records;
    raim_match_keyframe(match);
}

// The round trip of a client in ms: the transport's measurement, otherwise that of acknowledged
// snapshots, in whole ticks.
static void record_rtt(struct raim_match *match, const struct raim_connection *client)
{
    const uint32_t ticks = raim_rewind_limit_delay(&client->rewind_limit);
    if (client->rewind_limit.transport_left > 0)
        raim_recording_input_rtt(match->records, client->slot, client->rtt_ms);
    else if (ticks != UINT32_MAX)
        raim_recording_input_rtt(match->records, client->slot,
                                 (ticks + 1) * 1000 / match->world->tick_hz);
}

void raim_record_traffic(struct raim_match *match, const struct raim_connection *client,
                         bool is_missed)
{
    const struct raim_inbox *inbox = &client->inbox;
    const uint32_t flags = (inbox->starved_ticks > 0 ? RAIM_TRAFFIC_GUESSED : 0u) |
                           (is_missed ? RAIM_TRAFFIC_MISSED : 0u) |
                           (inbox->held.fire && inbox->is_held_clamped ? RAIM_TRAFFIC_CLAMPED : 0u);
    raim_recording_input_traffic(match->records, client->slot, client->arrivals, flags);
}

void raim_record_begin_sent(struct raim_match *match)
{
    if (match->records == NULL)
        return;
    const struct raim_wire_frame *frame =
        raim_history_at(&match->interest.history, match->world->tick);
    raim_recording_input_begin_sent(match->records, frame->seen_players, frame->seen_bullets);
    if (match->world->tick % match->world->tick_hz != 0)
        return;
    for (uint32_t i = raim_match_next_client(match, 0); i < match->def.max_connections;
         i = raim_match_next_client(match, i + 1))
        if (match->connections[i].player != RAIM_NOBODY)
            record_rtt(match, &match->connections[i]);
}

void raim_record_sent(struct raim_match *match, const struct raim_connection *client)
{
    if (match->records == NULL || client->player == RAIM_NOBODY)
        return;
    struct raim_sent_view *sent_view =
        raim_sent_view_at(&match->interest, client, match->world->tick);
    raim_recording_input_sent(match->records, client->slot, sent_view->players,
                              raim_sent_view_bullets(&match->interest.history.limits, sent_view));
}

void raim_record_end_tick(struct raim_match *match)
{
    raim_recording_input_end_tick(match->records, match->world);
}
