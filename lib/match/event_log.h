// SPDX-License-Identifier: MIT
// Event log: a ring of numbered game events for two audiences, the live one and the delayed one of
// spectators. Both receive the same events in the same order, and none is lost: when the ring fills
// up, the delayed audience receives events before their delay has passed. Events stay in the ring
// for clients that have not acknowledged them until newer ones overwrite them.
#pragma once

#include "roster.h"

enum raim_audience { RAIM_AUDIENCE_LIVE, RAIM_AUDIENCE_LATE, RAIM_AUDIENCES };

// The maximum number of due events that a client may lack. It is below half of the numbers that the
// wire tells apart.
#define RAIM_EVENT_LOG_BACKLOG 16384

struct raim_logged_event {
    uint32_t tick; // in which it happened
    struct raim_wire_event event;
    uint8_t size; // of `bytes`; 0 until the event is due to the live audience
    uint8_t bytes[RAIM_MAX_EVENT_BYTES]; // the event as it is sent to every client
};

struct raim_event_log {
    struct raim_logged_event *items; // by sequence number modulo `capacity`
    uint32_t capacity;               // a power of two, so that sequence numbers may wrap
    uint32_t burst;
    uint32_t delay_ticks;
    uint32_t begin;                   // sequence number of the first event ever in the ring
    uint32_t end;                     // sequence number of the next event
    uint32_t due[RAIM_AUDIENCES];     // events before this one may be sent
    uint32_t was_due[RAIM_AUDIENCES]; // `due` before the last release
};

// Allocates a ring for up to `burst` events between two sends and for at least `waiting` events
// that the late audience receives after `delay_ticks`. Returns false when memory runs out.
bool raim_event_log_create(struct raim_event_log *log, uint32_t burst, uint32_t waiting,
                           uint32_t delay_ticks);
void raim_event_log_destroy(struct raim_event_log *log);

static inline bool raim_event_log_has_room(const struct raim_event_log *log, uint32_t count)
{
    return log->end - log->due[RAIM_AUDIENCE_LATE] + count <= log->capacity;
}

// Appends a zeroed event of a tick for the caller to fill. There must be room, which is asserted.
// Ticks must not decrease.
struct raim_wire_event *raim_event_log_add(struct raim_event_log *log, uint32_t tick);

// Whether a client that has received the events before `sequence` can be sent all others that are
// due to its audience: the ring still holds them, and there are at most RAIM_EVENT_LOG_BACKLOG.
bool raim_event_log_reaches(const struct raim_event_log *log, enum raim_audience audience,
                            uint32_t sequence);

// Whether the ring holds an event.
bool raim_event_log_holds(const struct raim_event_log *log, uint32_t sequence);

// An event that the ring holds.
const struct raim_logged_event *raim_event_log_at(const struct raim_event_log *log,
                                                  uint32_t sequence);

// Discards all events; the next one gets the number `sequence`.
void raim_event_log_restart(struct raim_event_log *log, uint32_t sequence);

// Releases to each audience the events that are due after `tick`, and encodes them. These are then
// the events from `was_due` to `due`.
void raim_event_log_release(struct raim_event_log *log, uint32_t tick);

// Writes an EVENTS message of at most `capacity` bytes with events from `sequence` on that are due
// to an audience, and moves `sequence` past them. The epoch is the receiver's. Returns its size;
// 0 when no event is due.
size_t raim_event_log_write(const struct raim_event_log *log, enum raim_audience audience,
                            uint32_t epoch, uint32_t *sequence, uint8_t *bytes, size_t capacity);
