// SPDX-License-Identifier: MIT
// Reasons for which a match rejects a message or a client. Rejections are counted by reason and
// shown in the status.
#pragma once

enum raim_rejection {
    RAIM_REJECTED_MALFORMED,   // bytes that the reader rejects
    RAIM_REJECTED_UNEXPECTED,  // a message at the wrong time, on the wrong channel, or of a later
                               // version's kind; a connection with one channel
    RAIM_REJECTED_VERSION,     // a HELLO of another protocol version
    RAIM_REJECTED_NAME,        // a name that is not UTF-8 or has no visible character
    RAIM_REJECTED_FULL,        // every slot is taken
    RAIM_REJECTED_SILENT,      // no HELLO within the time limit
    RAIM_REJECTED_INPUT_LATE,  // an input for a tick that has already been played
    RAIM_REJECTED_INPUT_EARLY, // an input too far in the future
    RAIM_REJECTED_ACK,         // an acknowledgement of a snapshot that was never sent
    RAIM_REJECTED_CHAT,     // chat beyond the rate limit, repeated, or without a visible character
    RAIM_REJECTED_MUTED,    // chat of a player muted by the operator
    RAIM_REJECTED_DRAINING, // a HELLO while the match is draining
    RAIM_REJECTED_BANNED,   // a connection from a banned address
    RAIM_REJECTED_ACCESS,   // a HELLO without a valid access token
    RAIM_REJECTED_GOODBYE,  // a GOODBYE without the token of the session that it would end
    RAIM_REJECTED_PASSWORD, // a HELLO over a connection that did not bring the password
    RAIM_REJECTED_COMMAND,  // a player's command that is unknown, beyond the rate limit, or for
                            // which the server has no room
    RAIM_REJECTED_VOTE, // a VOTE that is not possible, or a HELLO of a client that may only watch
    RAIM_REJECTIONS
};

// The reason's name in the status ("malformed", ...).
const char *raim_rejection_name(enum raim_rejection rejection);
