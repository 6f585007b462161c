// SPDX-License-Identifier: MIT
// Round trips of one peer as the server measured them: a log of the reliable commands that were
// sent and not acknowledged yet, and a windowed minimum of the times that acknowledgements took.
// Times are the server's own, never what the peer echoes; a command that was sent more than once
// gives no sample, because its acknowledgement may belong to either (Karn's algorithm, RFC 6298,
// section 3). The log also tells in constant time whether an acknowledgement matches anything. No
// ENet, no sockets; memory is fixed.
#pragma once

#include <stdbool.h>
#include <stdint.h>

// Reliable messages that a peer may be behind; sequence numbers that far apart share an entry.
#define ROUND_TRIP_MESSAGES 512
// The same for ENet's own commands (pings, the handshake), which are one or two at a time, and for
// the unreliable channel, where one message in 65,536 is reliable.
#define ROUND_TRIP_COMMANDS 16

#define ROUND_TRIP_UNKNOWN UINT32_MAX

enum {
    ROUND_TRIP_WINDOW_MS = 1000,
    ROUND_TRIP_BUCKETS = 8, // of the window, and one more that is only partly in it
};

enum round_trip_channel { ROUND_TRIP_RELIABLE, ROUND_TRIP_UNRELIABLE, ROUND_TRIP_CONTROL };

struct round_trip {
    // When each was sent: milliseconds in the upper 31 bits, "sent again" in the lowest; 0:
    // nothing.
    uint32_t reliable[ROUND_TRIP_MESSAGES];
    uint32_t unreliable[ROUND_TRIP_COMMANDS];
    uint32_t control[ROUND_TRIP_COMMANDS];
    uint16_t newest[3]; // sequence number sent, of each channel,
    bool has_sent[3];   // if anything was
    // The least sample of each part of the window, and which part it is.
    uint32_t min_ms[ROUND_TRIP_BUCKETS + 1];
    int64_t part[ROUND_TRIP_BUCKETS + 1];
};

// Nothing was sent, nothing is known.
void round_trip_init(struct round_trip *round_trip);

// A reliable command leaves, perhaps again. Times never go back.
void round_trip_send(struct round_trip *round_trip, enum round_trip_channel channel,
                     uint16_t sequence, int64_t now_ms);

// Whether a command of this sequence number can be sent: false while the peer has not acknowledged
// the one that shares its entry.
bool round_trip_has_room(const struct round_trip *round_trip, enum round_trip_channel channel,
                         uint16_t sequence);

// Whether an acknowledgement matches a command that was sent, which it then does no more. Writes
// the milliseconds since the command was first sent.
bool round_trip_acknowledge(struct round_trip *round_trip, enum round_trip_channel channel,
                            uint16_t sequence, int64_t now_ms, uint32_t *elapsed_ms);

// The least round trip of the last second in milliseconds, at least 1; ROUND_TRIP_UNKNOWN where
// there was none.
uint32_t round_trip_min_ms(const struct round_trip *round_trip, int64_t now_ms);
