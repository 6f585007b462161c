// SPDX-License-Identifier: MIT
// Where the bits of snapshots go, and how many bits the changes in them need: what the sizes of
// fields are tuned by.
#pragma once

#include "snapshot.h"

enum census_part {
    CENSUS_HEADER,
    CENSUS_SELF,
    CENSUS_AS_PREDICTED, // players that were known, without their aims but for the changed
    CENSUS_TURNED,
    CENSUS_GONE,
    CENSUS_CHANGED,
    CENSUS_NEW_PLAYER,
    CENSUS_KNOWN_BULLETS,
    CENSUS_NEW_BULLET_FIRED, // encoded by its shooter
    CENSUS_REWIND,           // of these
    CENSUS_NEW_BULLET_SEEN,  // encoded by its position
    CENSUS_ENDS,             // that nothing more is new, and the last byte's padding
    CENSUS_PARTS,
};
extern const char *const census_part_names[CENSUS_PARTS];

enum { CENSUS_NEEDS = 33, CENSUS_AIM_BITS = 32 };

struct census {
    uint64_t snapshots;
    struct {
        uint64_t count, bits;
    } parts[CENSUS_PARTS];
    uint64_t aims[CENSUS_AIM_BITS]; // by the bits that they took, flags included

    // Changes by the bits of two's complement that they need, 0 for none: of aims (but of changed
    // players), of aims of changed players, and of coordinates of changed players.
    uint64_t aim_needs[CENSUS_NEEDS], changed_aim_needs[CENSUS_NEEDS], position_needs[CENSUS_NEEDS];
};

// Adds a snapshot of `size` bytes. False when the parts do not sum up to it.
bool census_add(struct census *census, const struct raim_wire_limits *limits,
                const struct raim_wire_frame *baseline, const struct raim_wire_frame *frame,
                size_t size);
