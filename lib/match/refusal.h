// SPDX-License-Identifier: MIT
// Reasons for which a match refuses a message or a client. Refusals are counted by reason and shown
// in the status.
#pragma once

enum raim_refusal {
    RAIM_REFUSED_MALFORMED,   // bytes that no reader accepts
    RAIM_REFUSED_UNEXPECTED,  // a message at the wrong time, on the wrong channel, or of a kind of
                              // later versions; a connection with one channel
    RAIM_REFUSED_VERSION,     // a HELLO of another protocol version
    RAIM_REFUSED_NAME,        // a name that is not UTF-8 or has no visible character
    RAIM_REFUSED_FULL,        // every slot is taken
    RAIM_REFUSED_SILENT,      // no HELLO within the time limit
    RAIM_REFUSED_INPUT_LATE,  // an input for a tick that has already been played
    RAIM_REFUSED_INPUT_EARLY, // an input too far in the future
    RAIM_REFUSED_ACK,         // an acknowledgement of a snapshot that was never sent
    RAIM_REFUSED_CHAT,     // chat beyond the rate limit, repeated, or without a visible character
    RAIM_REFUSED_MUTED,    // chat of a player muted by the operator
    RAIM_REFUSED_DRAINING, // a HELLO while the match is draining
    RAIM_REFUSED_BANNED,   // a connection from a banned address
    RAIM_REFUSED_ACCESS,   // a HELLO without a valid access token
    RAIM_REFUSED_GOODBYE,  // a GOODBYE without the token of the session that it would end
    RAIM_REFUSED_PASSWORD, // a HELLO over a connection that did not bring the password
    RAIM_REFUSED_COMMAND,  // a player's command that is unknown, beyond the rate limit, or for
                           // which the server has no room
    RAIM_REFUSED_VOTE,     // a VOTE that is not possible, or a HELLO of who may only watch
    RAIM_REFUSALS
};

// The reason's name in the status ("malformed", ...).
const char *raim_refusal_name(enum raim_refusal refusal);
