// SPDX-License-Identifier: MIT
// Stores the send time of each reliable command, and the minimum of the samples per window part.
#include "round_trip.h"

#include <assert.h>
#include <string.h>

enum { PART_MS = ROUND_TRIP_WINDOW_MS / ROUND_TRIP_BUCKETS, SENT_AGAIN = 1 };

static_assert(ROUND_TRIP_WINDOW_MS % ROUND_TRIP_BUCKETS == 0, "all parts have one length");
static_assert((ROUND_TRIP_MESSAGES & (ROUND_TRIP_MESSAGES - 1)) == 0 &&
                  (ROUND_TRIP_COMMANDS & (ROUND_TRIP_COMMANDS - 1)) == 0,
              "sequence numbers wrap at a multiple");

void round_trip_init(struct round_trip *round_trip)
{
    memset(round_trip, 0, sizeof *round_trip);
    for (int i = 0; i <= ROUND_TRIP_BUCKETS; i++)
        round_trip->min_ms[i] = ROUND_TRIP_UNKNOWN;
}

static uint16_t entries_of(enum round_trip_channel channel)
{
    return channel == ROUND_TRIP_RELIABLE ? ROUND_TRIP_MESSAGES : ROUND_TRIP_COMMANDS;
}

static const uint32_t *entry_of(const struct round_trip *round_trip,
                                enum round_trip_channel channel, uint16_t sequence)
{
    switch (channel) {
    case ROUND_TRIP_RELIABLE:
        return &round_trip->reliable[sequence % ROUND_TRIP_MESSAGES];
    case ROUND_TRIP_UNRELIABLE:
        return &round_trip->unreliable[sequence % ROUND_TRIP_COMMANDS];
    case ROUND_TRIP_CONTROL:
        break;
    }
    return &round_trip->control[sequence % ROUND_TRIP_COMMANDS];
}

// Whether the command of this sequence number was sent and not yet acknowledged.
static bool is_waiting(const struct round_trip *round_trip, enum round_trip_channel channel,
                       uint16_t sequence)
{
    const uint16_t age = (uint16_t)(round_trip->newest[channel] - sequence);
    return age < entries_of(channel) && *entry_of(round_trip, channel, sequence) != 0;
}

void round_trip_send(struct round_trip *round_trip, enum round_trip_channel channel,
                     uint16_t sequence, int64_t now_ms)
{
    uint32_t *entry = (uint32_t *)entry_of(round_trip, channel, sequence);
    if (is_waiting(round_trip, channel, sequence)) {
        *entry |= SENT_AGAIN;
        return;
    }
    const uint16_t ahead = (uint16_t)(sequence - round_trip->newest[channel]);
    if (!round_trip->has_sent[channel] || ahead <= UINT16_MAX / 2)
        round_trip->newest[channel] = sequence;
    round_trip->has_sent[channel] = true;
    // 0 means "no command", so one millisecond in 2^31 is stored as the next one.
    *entry = (uint32_t)now_ms << 1;
    if (*entry == 0)
        *entry = 2;
}

bool round_trip_has_room(const struct round_trip *round_trip, enum round_trip_channel channel,
                         uint16_t sequence)
{
    return *entry_of(round_trip, channel, sequence) == 0;
}

static void add_sample(struct round_trip *round_trip, uint32_t sample_ms, int64_t now_ms)
{
    const int64_t part = now_ms / PART_MS;
    const int i = (int)(part % (ROUND_TRIP_BUCKETS + 1));
    if (round_trip->part[i] != part)
        round_trip->min_ms[i] = ROUND_TRIP_UNKNOWN;
    round_trip->part[i] = part;
    if (sample_ms < round_trip->min_ms[i])
        round_trip->min_ms[i] = sample_ms;
}

bool round_trip_acknowledge(struct round_trip *round_trip, enum round_trip_channel channel,
                            uint16_t sequence, int64_t now_ms, uint32_t *elapsed_ms)
{
    if (!is_waiting(round_trip, channel, sequence))
        return false;
    uint32_t *entry = (uint32_t *)entry_of(round_trip, channel, sequence);
    *elapsed_ms = ((uint32_t)now_ms << 1) - (*entry & ~(uint32_t)SENT_AGAIN);
    *elapsed_ms >>= 1;
    if ((*entry & SENT_AGAIN) == 0)
        add_sample(round_trip, *elapsed_ms > 0 ? *elapsed_ms : 1, now_ms);
    *entry = 0;
    return true;
}

uint32_t round_trip_min_ms(const struct round_trip *round_trip, int64_t now_ms)
{
    const int64_t newest = now_ms / PART_MS;
    uint32_t min_ms = ROUND_TRIP_UNKNOWN;
    for (int i = 0; i <= ROUND_TRIP_BUCKETS; i++)
        if (newest - round_trip->part[i] <= ROUND_TRIP_BUCKETS && round_trip->min_ms[i] < min_ms)
            min_ms = round_trip->min_ms[i];
    return min_ms;
}
