// SPDX-License-Identifier: MIT
// Snapshots: records the visible set of each client tick by tick, and writes it as a delta against
// the acknowledged snapshot.
#include "snapshots.h"

#include "match_internal.h"

#include "priority.h"

#include <assert.h>
#include <math.h>
#include <string.h>

// The time over which clients interpolate remote entities.
static const double interpolation_s = 0.05;

// Upper limit of the latency for interest management, so that a client cannot extend its view by
// claiming a longer one.
static const double max_latency_s = 0.25;

// The longest time between two snapshots when everything is as predicted.
static const double max_quiet_s = 0.1;

// The weight of a new latency sample, as for TCP's round trip times (RFC 6298).
static const double smoothing = 1.0 / 8;

uint32_t raim_snapshots_max_latency(uint32_t tick_hz)
{
    return (uint32_t)(max_latency_s * tick_hz);
}

void raim_snapshots_prepare(struct raim_match *match)
{
    const struct raim_match_delayed_spectators *late = &match->delayed_spectators;
    raim_interest_set_tick(match->interest.present, match->world->tick);
    if (late->history_ticks > late->delay_ticks)
        raim_interest_set_tick(late->interest, match->world->tick - late->delay_ticks);
}

static struct raim_interest *interest_of(struct raim_match *match,
                                         const struct raim_connection *client)
{
    return client->delay_ticks == 0 ? match->interest.present : match->delayed_spectators.interest;
}

// The loop from a snapshot to the end of the tick whose input acknowledges it: by so much a
// client's prediction of its own player leads its snapshots.
static void measure_latency(const struct raim_match *match, struct raim_connection *client,
                            uint32_t tick, uint32_t input_tick)
{
    const int32_t from_now = raim_tick_diff(input_tick, match->world->tick);
    // Where ticks are skipped, clients run ahead of the server. They are asked to wait, and must
    // not widen what is computed for them meanwhile, because that would make the server later
    // still.
    const int32_t most_early = match->snapshot_interval > 1 ? RAIM_INBOX_EARLY : INT32_MAX;
    const int32_t early = from_now < most_early ? from_now : most_early;
    const uint32_t played = match->world->tick + (early > 0 ? (uint32_t)early : 0);
    const double most = raim_snapshots_max_latency(match->def.tick_hz);
    const double loop = fmin(raim_tick_diff(played + 1, tick), most);
    if (!client->has_acked)
        client->latency_ticks = loop;
    else
        client->latency_ticks += (loop - client->latency_ticks) * smoothing;
}

enum raim_rejection raim_snapshots_acknowledge(const struct raim_match *match,
                                               struct raim_connection *client, uint32_t tick,
                                               uint32_t input_tick)
{
    const uint32_t history = match->interest.history.limits.history;
    const int32_t age = raim_tick_diff(match->world->tick - client->delay_ticks, tick);
    const uint32_t own_ticks = match->world->tick - match->began_tick;
    if (age >= (int32_t)history || (age >= 0 && (uint32_t)age + client->delay_ticks >= own_ticks))
        return RAIM_REJECTIONS; // it may have been valid once, but is useless now
    const struct raim_sent_view *sent_view = raim_sent_view_at(&match->interest, client, tick);
    if (age < 0 || !sent_view->valid || !sent_view->sent || sent_view->tick != tick)
        return RAIM_REJECTED_ACK;
    // Of before its last WELCOME: the client discards it, so it must not become a baseline.
    if (client->state != RAIM_CONNECTION_PLAYING ||
        raim_tick_diff(tick, client->first_tick - client->delay_ticks) < 0)
        return RAIM_REJECTIONS;
    if (!client->has_acked || raim_tick_diff(tick, client->acked_tick) > 0) {
        measure_latency(match, client, tick, input_tick);
        raim_rewind_limit_acknowledge(&client->rewind_limit, (uint32_t)age);
        client->has_acked = true;
        client->acked_tick = tick;
    }
    return RAIM_REJECTIONS;
}

uint32_t raim_snapshots_latency(const struct raim_match *match,
                                const struct raim_connection *client)
{
    const double loop = client->player != RAIM_NOBODY ? client->latency_ticks : 0;
    // What comes into sight between two snapshots has to be in the first of them.
    const double ticks =
        ceil(loop + interpolation_s * match->def.tick_hz) + match->snapshot_interval - 1;
    const uint32_t most = raim_snapshots_max_latency(match->def.tick_hz);
    return ticks < most ? (uint32_t)ticks : most;
}

static void update_shown(const struct raim_match *match, struct raim_interest *interest,
                         const struct raim_connection *client, struct raim_sent_view *sent_view)
{
    const bool steers = client->player != RAIM_NOBODY;
    const struct raim_viewer viewer = {
        .slot = client->slot,
        .steers = steers,
        .latency = raim_snapshots_latency(match, client),
    };
    const uint32_t tick = raim_interest_tick(interest);
    sent_view->tick = tick;
    sent_view->valid = true;
    sent_view->sent = false;
    sent_view->self =
        raim_history_self_at(raim_interest_history(interest), tick, client->slot)->self;
    // In a frozen phase the client does not steer, so it receives its own aim. The margin still
    // sets its clock.
    sent_view->self.steers = steers && !raim_rounds_is_frozen(&match->rounds);
    sent_view->self.margin = (int8_t)(steers ? client->inbox.margin : 0);
    const struct raim_wire_limits *limits = &raim_interest_history(interest)->limits;
    raim_interest_find(interest, &viewer, sent_view->players,
                       raim_sent_view_bullets(limits, sent_view));
}

// The frame of a tick, reduced to the client's visible set.
static struct raim_wire_frame frame_of(const struct raim_interest *interest,
                                       struct raim_sent_view *sent_view)
{
    const struct raim_history *history = raim_interest_history(interest);
    struct raim_wire_frame frame = *raim_history_at(history, sent_view->tick);
    frame.self = sent_view->self;
    frame.seen_players = sent_view->players;
    frame.seen_bullets = raim_sent_view_bullets(&history->limits, sent_view);
    return frame;
}

// What a snapshot of a tick would bring to a client that has one of the tick before.
static enum raim_wire_change change_of(const struct raim_match *match,
                                       const struct raim_interest *interest,
                                       const struct raim_connection *client,
                                       const struct raim_wire_frame *frame)
{
    struct raim_sent_view *before = raim_sent_view_at(&match->interest, client, frame->tick - 1);
    if (!before->valid || before->tick != frame->tick - 1)
        return RAIM_WIRE_CHANGED;
    const struct raim_wire_frame from = frame_of(interest, before);
    return raim_wire_compare(&raim_interest_history(interest)->limits, &from, frame);
}

// True when no snapshot is needed. If each tick since the acknowledged one is predicted from the
// previous, the client predicts all of them.
static bool is_quiet(const struct raim_match *match, const struct raim_interest *interest,
                     const struct raim_connection *client)
{
    const double since_sent = raim_tick_diff(raim_interest_tick(interest), client->sent_tick);
    return client->has_acked && raim_tick_diff(client->acked_tick, client->quiet_since) >= 0 &&
           since_sent + 1 <= max_quiet_s * match->def.tick_hz;
}

// True when the snapshot of a tick may be left out because it would bring nothing but aims: the one
// of the tick before was sent, so that no two in a row are left out, and was no first transmission
// of a change, so that a change lost once arrives a tick later. After a snapshot that was cut by
// size the next tick is a change, because its set differs from what was sent.
static bool may_leave_out(const struct raim_connection *client, uint32_t tick,
                          enum raim_wire_change change)
{
    return change != RAIM_WIRE_CHANGED && client->sent_tick == tick - 1 &&
           client->changed_tick != tick - 1;
}

static size_t write_prioritised(struct raim_match *match, const struct raim_connection *client,
                                const struct raim_wire_frame *baseline,
                                struct raim_wire_frame *frame, uint8_t *bytes, size_t capacity)
{
    const struct raim_priority priority = {
        .limits = &match->interest.history.limits,
        .tick_hz = match->def.tick_hz,
        .player_speed = match->def.rules.player_speed,
        .bullet_speed = match->def.rules.bullet_speed,
        .entries = match->interest.priority_entries,
        .waited = client->waited,
    };
    const raim_wire_player *self = &frame->players[client->slot];
    return raim_priority_write(&priority, baseline, frame, self->x, self->y, bytes, capacity);
}

size_t raim_snapshots_write(struct raim_match *match, struct raim_connection *client, bool is_due,
                            uint8_t *bytes, size_t capacity)
{
    struct raim_interest *interest = interest_of(match, client);
    const struct raim_wire_limits *limits = &match->interest.history.limits;
    const uint32_t tick = raim_interest_tick(interest);
    struct raim_sent_view *sent_view = raim_sent_view_at(&match->interest, client, tick);
    raim_match_begin_work(match, RAIM_MATCH_INTEREST);
    update_shown(match, interest, client, sent_view);
    raim_match_begin_work(match, RAIM_MATCH_ENCODING);
    struct raim_wire_frame frame = frame_of(interest, sent_view);
    frame.epoch = client->epoch;
    const enum raim_wire_change change = change_of(match, interest, client, &frame);
    if (change != RAIM_WIRE_PREDICTED)
        client->quiet_since = tick;
    if (change == RAIM_WIRE_CHANGED)
        client->changed_tick = tick;
    if (is_quiet(match, interest, client) || (!is_due && may_leave_out(client, tick, change)))
        return 0;

    struct raim_wire_frame baseline;
    const bool has_baseline =
        client->has_acked && raim_tick_diff(tick, client->acked_tick) < (int32_t)limits->history;
    if (has_baseline)
        baseline =
            frame_of(interest, raim_sent_view_at(&match->interest, client, client->acked_tick));
    const struct raim_wire_frame *from = has_baseline ? &baseline : NULL;
    size_t size = raim_snapshot_write(limits, from, &frame, bytes, capacity);
    const bool is_prioritised = size == 0;
    if (is_prioritised) {
        size = write_prioritised(match, client, from, &frame, bytes, capacity);
        client->is_pending = true;
    } else if (client->is_pending) {
        memset(client->waited, 0, limits->players + raim_wire_bullets(limits));
        client->is_pending = false;
    }
    sent_view->sent = true;
    client->sent_tick = tick;
    return size;
}
