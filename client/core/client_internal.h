// SPDX-License-Identifier: MIT
// What a client is made of, for the two files that know: client.c has messages come and go,
// client_view.c shows what they told.
#pragma once

#include "client.h"
#include "client_roster.h"
#include "clock.h"
#include "handshake.h"
#include "input.h"
#include "interpolation.h"
#include "prediction.h"
#include "replica.h"
#include "session.h"

struct raim_client {
    struct raim_hello hello;
    struct raim_session session;
    struct raim_client_end end;
    struct raim_client_stats stats;
    struct raim_welcome welcome;
    uint32_t roster_left; // entries not yet told
    struct raim_company company;
    struct raim_image image; // map and snapshots
    struct raim_clock clock;
    struct raim_pilot pilot; // not of a spectator
    struct raim_scene scene;
    uint64_t hello_us;
    uint32_t input_tick;                   // that of told[0]
    uint32_t told_count;                   // inputs so far, at most raim_clock_inputs
    raim_wire_input told[RAIM_MAX_INPUTS]; // newest first
    double packets_came, packets_sent;     // by the server, unreliable, of late
};
