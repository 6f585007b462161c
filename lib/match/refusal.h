// SPDX-License-Identifier: MIT
// Why the match turned a message or a client away: counted by reason, shown in the status.
#pragma once

enum raim_refusal {
    RAIM_REFUSED_MALFORMED,   // bytes that no reader accepts
    RAIM_REFUSED_UNEXPECTED,  // a well-formed message at the wrong time or on the wrong channel
    RAIM_REFUSED_VERSION,     // a hello of another protocol version
    RAIM_REFUSED_NAME,        // a name that is not UTF-8 or has nothing visible in it
    RAIM_REFUSED_FULL,        // every place is taken
    RAIM_REFUSED_SILENT,      // connected without a hello in time
    RAIM_REFUSED_INPUT_LATE,  // an input for a tick that has been played
    RAIM_REFUSED_INPUT_EARLY, // an input too far in the future
    RAIM_REFUSED_ACK,         // an acknowledgement of a snapshot that was never sent
    RAIM_REFUSED_CHAT,        // more chat than anybody may say, or nothing visible in it
    RAIM_REFUSED_MUTED,       // chat of somebody whom the operator has muted
    RAIM_REFUSED_DRAINING,    // a hello while nobody is let in
    RAIM_REFUSED_BANNED,      // a connection from where the operator lets nobody in
    RAIM_REFUSED_ACCESS,      // a hello without an access token that lets it in
    RAIM_REFUSED_GOODBYE,     // a goodbye without the token of the session that it would end
    RAIM_REFUSALS
};

// The reason's name in the status ("malformed", ...).
const char *raim_refusal_name(enum raim_refusal refusal);
