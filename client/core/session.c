// SPDX-License-Identifier: MIT
// Decides when to connect and when to give up.
#include "session.h"

#include <string.h>

// The server sends at least ten snapshots a second, so this silence means a lost connection.
static const uint64_t silence_us = 1500000;
static const uint64_t try_again_us = 2000000;
static const uint64_t restart_us = 300000; // shortest restart of a server

void raim_session_init(struct raim_session *session, double connect_timeout_s)
{
    *session = (struct raim_session){
        .state = RAIM_CLIENT_CONNECTING,
        .patience_us = (uint64_t)(connect_timeout_s * 1e6),
    };
}

void raim_session_welcome(struct raim_session *session, uint64_t now_us, const uint8_t *token,
                          uint32_t grace_s)
{
    session->state = RAIM_CLIENT_ENTERING;
    session->grace_us = grace_s * (uint64_t)1000000;
    session->received_us = now_us;
    session->has_token = token != NULL;
    session->listens = session->has_token;
    if (token != NULL)
        memcpy(session->token, token, sizeof session->token);
}

void raim_session_end(struct raim_session *session, uint32_t reason)
{
    session->state = RAIM_CLIENT_ENDED;
    session->reason = reason;
}

// A server that welcomes and drops a client again and again does not hurry it: `again_us` is still
// that of the last attempt.
static void resume(struct raim_session *session, uint64_t first_try_us, bool awaits_restart)
{
    session->state = RAIM_CLIENT_RESUMING;
    session->awaits_restart = awaits_restart;
    if (session->again_us < first_try_us)
        session->again_us = first_try_us;
}

void raim_session_lose(struct raim_session *session, uint64_t now_us, uint32_t reason)
{
    const bool is_lost = reason == RAIM_REASON_NONE || reason == RAIM_REASON_LOST;
    const bool is_restart = reason == RAIM_REASON_RESTART;
    switch (session->state) {
    case RAIM_CLIENT_CONNECTING:
        raim_session_end(session, is_lost ? RAIM_REASON_LOST : reason);
        break;
    case RAIM_CLIENT_ENTERING:
    case RAIM_CLIENT_PLAYING:
        session->received_us = now_us;
        if (is_lost || is_restart)
            resume(session, now_us + (is_restart ? restart_us : 0), is_restart);
        else
            raim_session_end(session, reason);
        break;
    case RAIM_CLIENT_RESUMING:
        // Goes on after a failed attempt, and after the end of the old connection, whose session
        // this client has resumed in a new one.
        if (!is_lost && !is_restart && reason != RAIM_REASON_RESUMED)
            raim_session_end(session, reason);
        break;
    case RAIM_CLIENT_ENDED:
        break;
    }
}

bool raim_session_wants_connection(struct raim_session *session, uint64_t now_us)
{
    switch (session->state) {
    case RAIM_CLIENT_CONNECTING:
        if (!session->tried) {
            session->tried = true;
            session->tried_us = now_us;
            return true;
        }
        if (now_us - session->tried_us >= session->patience_us)
            raim_session_end(session, RAIM_REASON_LOST);
        return false;
    case RAIM_CLIENT_ENTERING:
    case RAIM_CLIENT_PLAYING:
        if (!session->listens || now_us - session->received_us < silence_us)
            return false;
        resume(session, now_us, false);
        return raim_session_wants_connection(session, now_us);
    case RAIM_CLIENT_RESUMING:
        // The grace counts from the last message, because the server may have lost this client
        // since then.
        if (now_us - session->received_us >= session->grace_us)
            raim_session_end(session, RAIM_REASON_LOST);
        else if (now_us >= session->again_us) {
            session->again_us = now_us + try_again_us;
            return true;
        }
        return false;
    case RAIM_CLIENT_ENDED:
        return false;
    }
    return false;
}
