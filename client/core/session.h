// SPDX-License-Identifier: MIT
// Whether to connect: at first, and again when a connection is lost while its session may live.
#pragma once

#include "client.h"
#include "message.h"

struct raim_session {
    enum raim_client_state state;
    uint32_t reason;                 // why it ended
    uint64_t patience_us;            // for the first answer
    uint64_t grace_us;               // that the server keeps the place of a lost player
    bool has_token;                  // a spectator has none, and enters anew
    uint8_t token[RAIM_TOKEN_BYTES]; // of the welcome
    bool listens;                    // the server has begun to send all the time
    bool tried;                      // to connect, at first
    uint64_t tried_us;               // then
    uint64_t again_us;               // when to try next, while resuming
    bool awaits_restart;             // while resuming: the server has said that it restarts
    uint64_t heard_us;               // when the last message came
};

void raim_session_init(struct raim_session *session, double patience_s);

// As raim_client_wants_connection; it notices silence, and the end of all patience.
bool raim_session_wants_connection(struct raim_session *session, uint64_t now_us);

// A welcome has come, be it anew. The token of a spectator is NULL.
void raim_session_welcome(struct raim_session *session, uint64_t now_us, const uint8_t *token,
                          uint32_t grace_s);

// The connection is gone, or about to go, for a reason of message.h.
void raim_session_lose(struct raim_session *session, uint64_t now_us, uint32_t reason);

// It is over for good.
void raim_session_end(struct raim_session *session, uint32_t reason);
