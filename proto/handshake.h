// SPDX-License-Identifier: MIT
// Messages of entering and leaving: HELLO, WELCOME, OBSTACLES, GOODBYE. Writers return the size of
// the message, or 0 when it does not fit; readers start after the kind and return false for a
// malformed message.
#pragma once

#include "message.h"
#include "phase.h"

#define RAIM_HELLO_MAGIC 0x4D494152u // "RAIM", lowest byte first

// Magic and version have fixed positions in all versions, so that both ends can detect a mismatch.
struct raim_hello {
    uint32_t version;
    uint32_t capabilities; // of the client: see message.h
    bool watch;            // as a spectator
    uint32_t target;       // the player's id, with `watch`; 0: the server chooses
    bool resume;           // continue the session of `token`, or begin a new one if it is over
    uint8_t token[RAIM_TOKEN_BYTES]; // with `resume`
    uint32_t access_size;            // 0: no access token
    uint8_t access[RAIM_ACCESS_BYTES];
    char name[RAIM_MAX_NAME_BYTES + 1];
};

size_t raim_hello_write(const struct raim_hello *hello, uint8_t *bytes, size_t capacity);

// For a version other than RAIM_PROTOCOL_VERSION it fills `version` alone and returns true.
bool raim_hello_read(raim_reader *reader, struct raim_hello *hello);

struct raim_welcome {
    uint32_t version;
    uint32_t capabilities;            // of the server: see message.h
    uint32_t player;                  // the client's own id; 0 for a spectator
    uint32_t delay_ticks;             // delay of everything that a spectator receives, up to 65535
    uint8_t token[RAIM_TOKEN_BYTES];  // to resume the session; zero for a spectator
    uint32_t grace_s;                 // for which a lost player's slot is kept, up to 65535
    uint32_t tick;                    // ticks played
    uint32_t event_sequence;          // of the next event
    uint32_t epoch;                   // of what follows on the connection, see message.h
    uint32_t tick_hz;                 // 10 to 240
    uint32_t max_players;             // slots, 1 to RAIM_WIRE_PLAYERS
    uint32_t shots;                   // bullet slots of each player; shots times max_players is
                                      // 1 to RAIM_WIRE_BULLETS
    uint32_t max_rewind;              // ticks, 0 to RAIM_WIRE_REWIND
    uint32_t view_width, view_height; // units
    bool sight;                       // obstacles hide what is behind them
    uint32_t obstacle_count;          // of the OBSTACLES that follow
    uint32_t roster_count;            // entries of the ROSTER messages that follow
    int32_t border[4];                // min x, min y, max x, max y on the wire's grid
    uint32_t rule_count;              // see PROTOCOL.md for their order
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

// A server's GOODBYE has a fixed form in all versions, so that any client can read why it was
// rejected.
struct raim_goodbye {
    uint32_t reason;                    // enum raim_reason; a reader accepts unknown ones up to 255
    char text[RAIM_MAX_TEXT_BYTES + 1]; // for people
};

size_t raim_goodbye_write(const struct raim_goodbye *goodbye, uint8_t *bytes, size_t capacity);
bool raim_goodbye_read(raim_reader *reader, struct raim_goodbye *goodbye);

// A client's GOODBYE, authenticated by the session's token.
struct raim_client_goodbye {
    struct raim_goodbye goodbye;
    uint8_t token[RAIM_TOKEN_BYTES]; // zero without a session
};

size_t raim_client_goodbye_write(const struct raim_client_goodbye *client_goodbye, uint8_t *bytes,
                                 size_t capacity);
bool raim_client_goodbye_read(raim_reader *reader, struct raim_client_goodbye *client_goodbye);
