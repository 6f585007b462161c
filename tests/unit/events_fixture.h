// SPDX-License-Identifier: MIT
// EVENTS messages, written from events.
#pragma once

#include "roster.h"

// Returns the size, or 0 when the message does not fit.
static inline size_t write_events(const struct raim_events_message *message, uint8_t *bytes,
                                  size_t capacity)
{
    size_t size = RAIM_EVENTS_HEAD_BYTES;
    if (capacity < size)
        return 0;
    raim_events_write_head(message->epoch, message->sequence, message->count, bytes);
    for (uint32_t i = 0; i < message->count; i++) {
        uint8_t event[RAIM_MAX_EVENT_BYTES];
        const size_t more = raim_event_write(&message->events[i], event);
        if (more > capacity - size)
            return 0;
        memcpy(bytes + size, event, more);
        size += more;
    }
    return size;
}

// Reads the kind of a message and, behind EVENTS, that of the SNAPSHOT that may follow; returns the
// last kind, or 0 for a malformed message. `next` is the number of the first event that has not
// arrived; it moves on.
static inline uint32_t read_past_events(raim_reader *reader, uint16_t *next)
{
    struct raim_events_message message;
    const uint32_t kind = raim_message_read(reader);
    if (kind != RAIM_MESSAGE_EVENTS)
        return kind;
    if (!raim_events_read(reader, &message))
        return 0;
    const int32_t ahead = (int16_t)(message.sequence - *next);
    if (ahead <= 0 && ahead + (int32_t)message.count > 0)
        *next = (uint16_t)(message.sequence + message.count);
    return reader->offset < 8 * reader->size ? raim_message_read(reader) : kind;
}
