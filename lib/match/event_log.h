// SPDX-License-Identifier: MIT
// Event log: a ring of numbered game events for two audiences, the live one and the delayed one of
// spectators. Both receive the same events in the same order, and none is lost: when the ring fills
// up, the delayed audience receives events before their delay has passed.
#pragma once

#include "roster.h"

enum raim_audience { RAIM_AUDIENCE_LIVE, RAIM_AUDIENCE_LATE, RAIM_AUDIENCES };

struct raim_event_log {
    struct raim_logged_event {
        uint32_t tick; // in which it happened
        struct raim_wire_event event;
    } * items;         // by sequence number modulo `capacity`
    uint32_t capacity; // a power of two, so that sequence numbers may wrap
    uint32_t burst;
    uint32_t delay_ticks;
    uint32_t end;                  // sequence number of the next event
    uint32_t sent[RAIM_AUDIENCES]; // events before this one have been sent
    uint32_t due[RAIM_AUDIENCES];  // events before this one may be sent now
};

// Allocates a ring for up to `burst` events between two sends and at least `waiting` more that wait
// `delay_ticks` for the late audience. Returns false when memory runs out.
bool raim_event_log_create(struct raim_event_log *log, uint32_t burst, uint32_t waiting,
                           uint32_t delay_ticks);
void raim_event_log_destroy(struct raim_event_log *log);

static inline bool raim_event_log_has_room(const struct raim_event_log *log, uint32_t count)
{
    return log->end - log->sent[RAIM_AUDIENCE_LATE] + count <= log->capacity;
}

// Appends a zeroed event of a tick for the caller to fill. There must be room, which is asserted.
// Ticks must not decrease.
struct raim_wire_event *raim_event_log_add(struct raim_event_log *log, uint32_t tick);

// An event that has not been sent to the late audience yet.
const struct raim_wire_event *raim_event_log_at(const struct raim_event_log *log,
                                                uint32_t sequence);

// Discards all events; the next one gets the number `sequence`.
void raim_event_log_restart(struct raim_event_log *log, uint32_t sequence);

// Releases the events that are due after `tick` to each audience.
void raim_event_log_release(struct raim_event_log *log, uint32_t tick);

// Whether an audience has events to be sent.
bool raim_event_log_has_due(const struct raim_event_log *log);

// Fills a message with the next events for an audience, all of one tick and as many as a message
// may hold. Returns false when no event is due. The events stay the next ones until
// raim_event_log_mark_sent counts them as sent.
bool raim_event_log_next(const struct raim_event_log *log, enum raim_audience audience,
                         struct raim_events_message *message);
void raim_event_log_mark_sent(struct raim_event_log *log, enum raim_audience audience,
                              uint32_t count);
