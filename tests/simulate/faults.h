// SPDX-License-Identifier: MIT
// The faults of a simulation: a list drawn from the seed, in which each fault has a random state of
// its own. So a fault may be left out, and the others still do the same.
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum fault_victim {
    FAULT_SEAT,   // an honest client
    FAULT_LIAR,   // a client that lies
    FAULT_SERVER, // the match, or a player in it
};

// X(name, victim, meaning)
#define FAULTS(X)                                                                                  \
    X(bad_line, FAULT_SEAT, "latency, jitter, loss, duplication, reordering, little bandwidth")    \
    X(partition, FAULT_SEAT, "nothing arrives")                                                    \
    X(new_address, FAULT_SEAT, "the client's address changes")                                     \
    X(client_crash, FAULT_SEAT, "the client's process ends, and another one begins")               \
    X(leave, FAULT_SEAT, "the client says goodbye and comes again later")                          \
    X(clock_step, FAULT_SEAT, "the client's clock leaps forward")                                  \
    X(clock_drift, FAULT_SEAT, "the client's clock runs too fast or too slowly")                   \
    X(stall, FAULT_SEAT, "the client's application stands still")                                  \
    X(garbage, FAULT_LIAR, "random bytes")                                                         \
    X(mutation, FAULT_LIAR, "its own messages with bits changed")                                  \
    X(wild_input, FAULT_LIAR, "inputs of any ticks, acknowledgements and rewinds")                 \
    X(second_hello, FAULT_LIAR, "another HELLO in its connection")                                 \
    X(stale_token, FAULT_LIAR, "HELLO with a token of another session, whole or altered")          \
    X(false_goodbye, FAULT_LIAR, "GOODBYE with a wrong token")                                     \
    X(odd_name, FAULT_LIAR, "enters with a name that nobody should have")                          \
    X(chat_flood, FAULT_LIAR, "chat in every tick, also malformed")                                \
    X(spoof, FAULT_LIAR, "messages of honest clients, sent again as its own")                      \
    X(kick, FAULT_SERVER, "an operator kicks a player")                                            \
    X(mute, FAULT_SERVER, "an operator mutes a player, for a while")                               \
    X(ban, FAULT_SERVER, "an operator bans a player")                                              \
    X(pause, FAULT_SERVER, "an operator pauses the match")                                         \
    X(map_change, FAULT_SERVER, "the match is succeeded by one of another map, bots or rules")     \
    X(tune, FAULT_SERVER, "an operator changes settings")                                          \
    X(drain, FAULT_SERVER, "an operator lets nobody in")                                           \
    X(overload, FAULT_SERVER, "snapshots become rarer")                                            \
    X(crash, FAULT_SERVER, "the server is killed, and restored from its checkpoint")               \
    X(crash_before_send, FAULT_SERVER, "likewise, between the checkpoint and the messages")        \
    X(restart, FAULT_SERVER, "the server restarts in order")

enum fault_kind {
#define FAULT_KIND(name, victim, meaning) FAULT_##name,
    FAULTS(FAULT_KIND)
#undef FAULT_KIND
        FAULT_KINDS
};

struct fault {
    enum fault_kind kind;
    uint32_t begin, end; // steps: it holds from `begin` to before `end`
    uint32_t actor;      // a number from 0 to 255, which the simulation maps to a peer
    uint64_t random;
    bool is_dropped, is_active;
};

enum { MAX_FAULTS = 128, MAX_QUIET = 8 };

// Steps in which no fault holds.
struct fault_quiet {
    uint32_t begin, end;
};

struct fault_schedule {
    struct fault faults[MAX_FAULTS]; // ordered by `begin`
    uint32_t count;
    struct fault_quiet quiets[MAX_QUIET];
    uint32_t quiet_count;
};

// Draws the schedule of a simulation of `steps` steps.
void fault_schedule_draw(struct fault_schedule *schedule, uint64_t seed, uint32_t steps,
                         uint32_t tick_hz);

// The quiet time that a step lies in, or NULL.
const struct fault_quiet *fault_schedule_quiet(const struct fault_schedule *schedule,
                                               uint32_t step);

const char *fault_name(enum fault_kind kind);
enum fault_victim fault_victim(enum fault_kind kind);
