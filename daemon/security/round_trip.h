// SPDX-License-Identifier: MIT
// Round-trip estimator of one peer: a log of the reliable commands sent and not yet acknowledged,
// and a windowed minimum of the round trips. Times are measured by the server's clock, never taken
// from the peer's echo. A command that was sent more than once gives no sample, because its
// acknowledgement may belong to either transmission (Karn's algorithm, RFC 6298, section 3). The
// log also decides in constant time whether an acknowledgement matches a sent command. No ENet, no
// sockets; memory is fixed.
#pragma once

#include <stdbool.h>
#include <stdint.h>

// Unacknowledged reliable messages of a peer. Sequence numbers this far apart share an entry.
#define ROUND_TRIP_MESSAGES 512
// Unacknowledged commands of ENet itself (pings, the handshake), which sends one or two at a time,
// and reliable ones of the unreliable channel, where one message in 65,536 is reliable.
#define ROUND_TRIP_COMMANDS 16

#define ROUND_TRIP_UNKNOWN UINT32_MAX

enum {
    ROUND_TRIP_WINDOW_MS = 1000,
    ROUND_TRIP_BUCKETS = 8, // of the window; one more is only partly inside it
};

enum round_trip_channel { ROUND_TRIP_RELIABLE, ROUND_TRIP_UNRELIABLE, ROUND_TRIP_CONTROL };

struct round_trip {
    // The time of the first transmission: milliseconds in the upper 31 bits, "resent" in the
    // lowest; 0: no command.
    uint32_t reliable[ROUND_TRIP_MESSAGES];
    uint32_t unreliable[ROUND_TRIP_COMMANDS];
    uint32_t control[ROUND_TRIP_COMMANDS];
    uint16_t newest[3]; // sequence number sent, by channel
    bool has_sent[3];   // by channel
    // The minimum of each part of the window, and the part's number (time / part length).
    uint32_t min_ms[ROUND_TRIP_BUCKETS + 1];
    int64_t part[ROUND_TRIP_BUCKETS + 1];
};

// Begins with an empty log and no samples.
void round_trip_init(struct round_trip *round_trip);

// Records a transmission or a retransmission of a reliable command. `now_ms` never decreases.
void round_trip_send(struct round_trip *round_trip, enum round_trip_channel channel,
                     uint16_t sequence, int64_t now_ms);

// Whether the log has room for this sequence number: false while the command that shares its entry
// is unacknowledged.
bool round_trip_has_room(const struct round_trip *round_trip, enum round_trip_channel channel,
                         uint16_t sequence);

// Removes an acknowledged command from the log. False if the acknowledgement matches none. Writes
// the milliseconds since the command's first transmission.
bool round_trip_acknowledge(struct round_trip *round_trip, enum round_trip_channel channel,
                            uint16_t sequence, int64_t now_ms, uint32_t *elapsed_ms);

// The shortest round trip of the last ROUND_TRIP_WINDOW_MS in milliseconds, at least 1;
// ROUND_TRIP_UNKNOWN if there was no sample.
uint32_t round_trip_min_ms(const struct round_trip *round_trip, int64_t now_ms);
