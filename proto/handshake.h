// SPDX-License-Identifier: MIT
// Messages of entering: HELLO, WELCOME, OBSTACLES. Writers return the size of the message, or 0
// when it does not fit; readers start after the kind and return false for a malformed message.
#pragma once

#include "message.h"
#include "phase.h"

#define RAIM_HELLO_MAGIC 0x4D494152u // "RAIM", lowest byte first

// capabilities: of the client, see message.h. watch: as a spectator; target: the player's id, 0:
// the server chooses. resume: continue the session of `token`, or begin a new one if it is over.
// access_size: 0: no access token.
#define RAIM_HELLO_FIELDS(FIELD)                                                                   \
    FIELD(U, capabilities, RAIM_WIRE_CAPABILITIES)                                                 \
    FIELD(BOOL, watch, 1)                                                                          \
    FIELD(IF, message->watch, FIELD(PLAYER, target, RAIM_PLAYER_ID_BITS))                          \
    FIELD(BOOL, resume, 1)                                                                         \
    FIELD(IF, message->resume, FIELD(BYTES, token, RAIM_TOKEN_BYTES))                              \
    FIELD(U, access_size, 8)                                                                       \
    FIELD(SIZED, access, access_size, RAIM_ACCESS_BYTES)                                           \
    FIELD(TEXT, name, RAIM_MAX_NAME_BYTES)

// Magic and version have fixed positions in all versions, so that both ends can detect a mismatch.
struct raim_hello {
    uint32_t version;
    RAIM_HELLO_FIELDS(RAIM_MEMBER)
};

size_t raim_hello_write(const struct raim_hello *hello, uint8_t *bytes, size_t capacity);

// For a version other than RAIM_PROTOCOL_VERSION it fills `version` alone and returns true.
bool raim_hello_read(raim_reader *reader, struct raim_hello *hello);

// The first fields of WELCOME. shots times max_players is at most RAIM_WIRE_BULLETS.
#define RAIM_WELCOME_FIELDS(FIELD)                                                                 \
    FIELD(U, version, 16)                                                                          \
    FIELD(U, capabilities, RAIM_WIRE_CAPABILITIES) /* of the server: see message.h */              \
    FIELD(PLAYER, player, RAIM_PLAYER_ID_BITS)     /* the client's own; 0 for a spectator */       \
    FIELD(U, delay_ticks, 16)                      /* of all that a spectator receives */          \
    FIELD(BYTES, token, RAIM_TOKEN_BYTES)          /* to resume; 0 for a spectator */              \
    FIELD(U, grace_s, 16)                          /* a lost player's slot is kept so long */      \
    FIELD(U, tick, 32)                             /* ticks played */                              \
    FIELD(U, event_sequence, 32)                   /* of the next event */                         \
    FIELD(U, epoch, RAIM_EPOCH_BITS)               /* of what follows, see message.h */            \
    FIELD(RANGED, tick_hz, 10, 240)                                                                \
    FIELD(RANGED, max_players, 1, RAIM_WIRE_PLAYERS) /* slots */                                   \
    FIELD(RANGED, shots, 1, RAIM_WIRE_BULLETS)       /* bullet slots of a player */                \
    FIELD(U, max_rewind, 6)                          /* ticks */                                   \
    FIELD(U, view_width, 16)                         /* units */                                   \
    FIELD(U, view_height, 16)                                                                      \
    FIELD(BOOL, sight, 1)                                 /* obstacles hide what is behind them */ \
    FIELD(RANGED, obstacle_count, 0, RAIM_WIRE_OBSTACLES) /* of the OBSTACLES that follow */       \
    FIELD(RANGED, roster_count, 0, RAIM_WIRE_PLAYERS)     /* of the ROSTERs that follow */

struct raim_welcome {
    RAIM_WELCOME_FIELDS(RAIM_MEMBER)
    int32_t border[4];   // min x, min y, max x, max y on the wire's grid
    uint32_t rule_count; // see PROTOCOL.md for their order
    double rules[RAIM_WIRE_RULES];
    char arena[RAIM_MAX_ARENA_BYTES + 1]; // its name in the server's configuration; may be empty
    char map_name[RAIM_MAX_TITLE_BYTES + 1];
    struct raim_wire_phase phase;
    char motd[RAIM_MAX_MOTD_BYTES + 1]; // UTF-8, for people; may be empty
};

size_t raim_welcome_write(const struct raim_welcome *welcome, uint8_t *bytes, size_t capacity);
bool raim_welcome_read(raim_reader *reader, struct raim_welcome *welcome);

struct raim_wire_obstacle {
    uint32_t count;
    uint32_t seams; // a bit for each edge, that from the first point lowest: 1 inside an obstacle
    int32_t points[RAIM_WIRE_POINTS][2];
};

// Writes as many of the obstacles as fit one message and says how many in `written`; returns 0
// where not even the first fits.
size_t raim_obstacles_write(const struct raim_wire_obstacle *obstacles, uint32_t count,
                            uint32_t *written, uint8_t *bytes, size_t capacity);

// Reads 1 to `capacity` obstacles; none or more are rejected.
bool raim_obstacles_read(raim_reader *reader, struct raim_wire_obstacle *obstacles,
                         uint32_t capacity, uint32_t *count);
