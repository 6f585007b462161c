// SPDX-License-Identifier: MIT
// Life cycle of a session: when a client connects, notices a lost connection, tries to resume, and
// gives up.
#pragma once

#include "client.h"
#include "message.h"

struct raim_session {
    enum raim_client_state state;
    uint32_t reason;                 // of the end
    uint64_t patience_us;            // timeout of the first connection
    uint64_t grace_us;               // for which the server keeps a lost player's slot
    bool has_token;                  // false for a spectator, which enters again instead
    uint8_t token[RAIM_TOKEN_BYTES]; // of the welcome
    bool listens;         // the server sends steadily, so silence means a lost connection
    bool tried;           // the first connection was begun
    uint64_t tried_us;    // when the first connection was begun
    uint64_t again_us;    // RESUMING: when to begin the next connection
    bool awaits_restart;  // RESUMING: the server announced a restart
    uint64_t received_us; // when the last message came
};

void raim_session_init(struct raim_session *session, double connect_timeout_s);

// Whether to begin a connection now; true once per attempt. It also notices silence and timeouts.
bool raim_session_wants_connection(struct raim_session *session, uint64_t now_us);

// Takes a welcome, the first one or another. A spectator's token is NULL; `grace_s` is how long the
// server keeps a lost player's slot.
void raim_session_welcome(struct raim_session *session, uint64_t now_us, const uint8_t *token,
                          uint32_t grace_s);

// Takes the end of the connection, for a reason of message.h: resumes where that is possible.
void raim_session_lose(struct raim_session *session, uint64_t now_us, uint32_t reason);

// Ends the session for good.
void raim_session_end(struct raim_session *session, uint32_t reason);
