// SPDX-License-Identifier: MIT
// Outbox: the messages of a tick on their way to the caller.
#pragma once

#include "handshake.h"

struct raim_match;

// Stages of the outbox, passed once a tick.
enum raim_outbox_stage {
    RAIM_OUTBOX_CONNECTIONS, // welcomes and goodbyes, client by client
    RAIM_OUTBOX_UPDATES,     // events and snapshots, client by client
    RAIM_OUTBOX_PINGS,       // round trips of some slots, client by client
    RAIM_OUTBOX_DONE,
};

enum { RAIM_OUTBOX_OBSTACLES = 72 }; // the most that fit into one message

struct raim_match_outbox {
    enum raim_outbox_stage stage;
    uint32_t next_client; // with which the stage continues
    uint32_t welcoming;   // messages of WELCOMEs, maps and rosters sent in this tick
    uint32_t first;       // the first client that may be welcomed in this tick
    uint32_t next_first;  // the first client that may be welcomed in the next tick
    uint8_t message[RAIM_MAX_MESSAGE_BYTES];
    struct raim_wire_obstacle obstacles[RAIM_OUTBOX_OBSTACLES]; // of the message being written
};

// Restarts the outbox at its first stage; raim_match_outgoing pulls the messages.
void raim_outbox_begin(struct raim_match_outbox *outbox);
