// SPDX-License-Identifier: MIT
// Snapshots: selects what each client is sent, and remembers what it was sent in earlier ticks,
// which are the baselines of later snapshots.
#pragma once

#include "connections.h"
#include "history.h"
#include "interest.h"
#include "priority.h"
#include "rejection.h"

struct raim_connection;
struct raim_match;

// The visible set of a client in a tick; a delta's baseline once it was sent and acknowledged.
struct raim_sent_view {
    uint32_t tick;
    bool valid;
    bool sent;
    uint32_t events; // the first event that was not sent up to this tick
    raim_wire_self self;
    // The set of player slots, followed by that of bullet slots, see raim_sent_view_bullets: in
    // one block with the rest, so that a snapshot waits for memory once.
    uint64_t players[];
};

// State for all clients' snapshots: what they may contain and what they contained.
struct raim_match_interest {
    struct raim_history history;
    struct raim_interest *present;                // of `history`, at the last step's tick
    uint8_t *sent_view;                           // memory of the member of each connection
    size_t sent_view_bytes;                       // of one struct raim_sent_view with its sets
    uint8_t *waited;                              // memory of the member of each connection
    struct raim_priority_entry *priority_entries; // scratch for snapshots that do not fit
};

// The entry of a tick. It may hold an earlier tick, by a multiple of the history's length.
static inline struct raim_sent_view *raim_sent_view_at(const struct raim_match_interest *interest,
                                                       const struct raim_connection *client,
                                                       uint32_t tick)
{
    return (struct raim_sent_view *)(client->sent_view + tick % interest->history.limits.history *
                                                             interest->sent_view_bytes);
}

static inline uint64_t *raim_sent_view_bullets(const struct raim_wire_limits *limits,
                                               struct raim_sent_view *sent_view)
{
    return sent_view->players + raim_set_words(limits->players);
}

// Upper limit of a viewer's latency in ticks: 250 ms.
uint32_t raim_snapshots_max_latency(uint32_t tick_hz);

// A client's latency for interest management, in ticks: the time from a snapshot to the input that
// reacts to it, plus the time over which clients interpolate. A spectator has only the latter.
uint32_t raim_snapshots_latency(const struct raim_match *match,
                                const struct raim_connection *client);

// Selects the tick of the interest objects. Call it once a step, before raim_snapshots_write.
void raim_snapshots_prepare(struct raim_match *match);

// Writes the snapshot of the last step for a client that receives snapshots and whose tick the
// history holds. Returns 0 when the client predicts everything itself. Unless `is_due`, because a
// message is sent anyway, it also returns 0 in up to every second tick that changes only aims.
size_t raim_snapshots_write(struct raim_match *match, struct raim_connection *client, bool is_due,
                            uint8_t *bytes, size_t capacity);

// Processes the acknowledgement of the snapshot of `tick` in an input for `input_tick`, and
// measures the round trip. Returns RAIM_REJECTIONS on success.
enum raim_rejection raim_snapshots_acknowledge(const struct raim_match *match,
                                               struct raim_connection *client, uint32_t tick,
                                               uint32_t input_tick);
