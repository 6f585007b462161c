// SPDX-License-Identifier: MIT
// Deterministic simulation of an arena, as FoundationDB's and TigerBeetle's: a real match, real
// clients over the simulated network, bots that play and bots that lie, an operator, and crashes,
// all in virtual time from one seed, with invariants after every tick. The same def gives the same
// simulation, to the bit. Thread rule: one thread; simulations share only the maps.
#pragma once

#include "faults.h"
#include "map.h"

#include <stdbool.h>
#include <stdint.h>

enum { SIMULATION_MAPS = 3 };

struct simulation_def {
    uint64_t seed;
    uint32_t until;           // step after which it ends; 0: after its whole length
    bool dropped[MAX_FAULTS]; // the faults to leave out, by index
    const struct raim_map *maps[SIMULATION_MAPS]; // borrowed
};

struct simulation_verdict {
    uint32_t step;  // that was begun last
    bool is_over;   // false: the program ended in the midst
    bool is_failed; // an invariant does not hold
    char invariant[48];
    char why[256];
    uint32_t tick_hz, clients;
    uint64_t digest; // of the worlds of the match, and of the messages of the clients
    // How much was tested.
    uint64_t snapshots, entities, judged, resumes, restores, transfers, kills, chats, quiet_checks;
};

// Plays a simulation. `verdict` is up to date whenever the program ends.
void simulation_run(const struct simulation_def *def, struct simulation_verdict *verdict);

// Draws the faults of a seed.
void simulation_faults(uint64_t seed, struct fault_schedule *schedule);
