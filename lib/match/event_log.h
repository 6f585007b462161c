// SPDX-License-Identifier: MIT
// What happened, numbered, on its way to two audiences: those who are told at once, and those who
// are told late. Both are told the same in the same order, and nothing is ever lost: where too much
// would wait, the late audience is told earlier.
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
    uint32_t sent[RAIM_AUDIENCES]; // everything before this has been told
    uint32_t due[RAIM_AUDIENCES];  // and everything before this is to be told now
};

// For up to `burst` events between one telling and the next, and as many as `waiting` more, or a
// few beyond, that wait for the late audience for `delay_ticks`. False when memory runs out.
bool raim_event_log_create(struct raim_event_log *log, uint32_t burst, uint32_t waiting,
                           uint32_t delay_ticks);
void raim_event_log_destroy(struct raim_event_log *log);

static inline bool raim_event_log_has_room(const struct raim_event_log *log, uint32_t count)
{
    return log->end - log->sent[RAIM_AUDIENCE_LATE] + count <= log->capacity;
}

// Adds an event of a tick, zeroed, for the caller to fill; there must be room. Ticks never go back.
struct raim_wire_event *raim_event_log_add(struct raim_event_log *log, uint32_t tick);

// An event that has not been told to the late audience yet.
const struct raim_wire_event *raim_event_log_at(const struct raim_event_log *log,
                                                uint32_t sequence);

// Forgets everything; the next event gets this number.
void raim_event_log_restart(struct raim_event_log *log, uint32_t sequence);

// Decides what is to be told now that `tick` is over.
void raim_event_log_release(struct raim_event_log *log, uint32_t tick);

// The next events for an audience, of one tick, as many as a message may hold; false when there is
// nothing more to tell now. They stay the next ones until raim_event_log_tell counts them as told.
bool raim_event_log_next(const struct raim_event_log *log, enum raim_audience audience,
                         struct raim_events_message *message);
void raim_event_log_mark_sent(struct raim_event_log *log, enum raim_audience audience,
                              uint32_t count);
