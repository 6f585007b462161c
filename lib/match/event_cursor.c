// SPDX-License-Identifier: MIT
// Moves a client's position in the event log.
#include "event_cursor.h"

enum { MAX_DOUBLINGS = 3 };

static int32_t difference(uint32_t left, uint32_t right)
{
    return (int32_t)(left - right);
}

void raim_event_cursor_begin(struct raim_event_cursor *cursor, uint32_t sequence, uint32_t tick)
{
    *cursor = (struct raim_event_cursor){
        .acked = sequence,
        .first = sequence,
        .next = sequence,
        .end = sequence,
        .went_back = tick,
    };
}

void raim_event_cursor_send(struct raim_event_cursor *cursor, uint32_t next, uint32_t tick)
{
    cursor->first = next - cursor->next <= RAIM_EVENT_CURSOR_REPEATED ? cursor->next : next;
    if (next == cursor->next)
        return;
    if (cursor->acked == cursor->next)
        cursor->waiting_from = tick;
    cursor->next = next;
    if (difference(next, cursor->end) > 0)
        cursor->end = next;
}

// By how many events an acknowledgement is newer than the newest one.
static int32_t advance_of(const struct raim_event_cursor *cursor, uint16_t low)
{
    return (int16_t)(low - cursor->acked);
}

bool raim_event_cursor_accepts(const struct raim_event_cursor *cursor, uint16_t low)
{
    return advance_of(cursor, low) <= difference(cursor->end, cursor->acked);
}

bool raim_event_cursor_acknowledge(struct raim_event_cursor *cursor, uint16_t low, uint32_t tick)
{
    const int32_t advance = advance_of(cursor, low);
    if (advance <= 0)
        return advance == 0;
    cursor->acked += (uint32_t)advance;
    // The first transmission had only been late.
    if (difference(cursor->acked, cursor->next) > 0)
        cursor->next = cursor->acked;
    if (difference(cursor->acked, cursor->first) > 0)
        cursor->first = cursor->acked;
    cursor->waiting_from = tick;
    cursor->timeouts = 0;
    return true;
}

static void go_back(struct raim_event_cursor *cursor, uint32_t tick)
{
    cursor->first = cursor->next = cursor->acked;
    cursor->went_back = tick;
}

void raim_event_cursor_detect_loss(struct raim_event_cursor *cursor, uint32_t snapshot_tick,
                                   uint32_t sent, uint32_t tick)
{
    if (difference(sent, cursor->acked) > 0 && difference(snapshot_tick, cursor->went_back) >= 0)
        go_back(cursor, tick);
}

void raim_event_cursor_step(struct raim_event_cursor *cursor, uint32_t tick, uint32_t timeout)
{
    const uint32_t doublings = cursor->timeouts < MAX_DOUBLINGS ? cursor->timeouts : MAX_DOUBLINGS;
    if (cursor->acked == cursor->next ||
        difference(tick, cursor->waiting_from) < (int32_t)(timeout << doublings))
        return;
    cursor->timeouts++;
    go_back(cursor, tick);
}
