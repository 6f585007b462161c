// SPDX-License-Identifier: MIT
// The messages of an arena's mailbox: commands of the main thread with their answers.
#pragma once

#include "bans.h"
#include "match.h"

enum command_kind {
    COMMAND_SAY,    // `text`
    COMMAND_KICK,   // `player`, `text`
    COMMAND_MUTE,   // `player`, `on`
    COMMAND_DRAIN,  // `on`, and `text` for the chat
    COMMAND_END,    // drains; `on`: ends every session with the reason `text`; else `text` for the
                    // chat
    COMMAND_BANS,   // `bans`
    COMMAND_PAUSE,  // `on`
    COMMAND_NOTICE, // `player`, `epoch`, `text`, for this player alone
    COMMAND_CHALLENGE, // the same, to be signed by the client
    COMMAND_ADMIN,     // `player`, `epoch`, `level`, and `text`: the name of the login
    COMMAND_VOTE,      // `outcome` of the running vote
    COMMAND_BAR,       // whom the vote `number` has kicked
};

struct command {
    enum command_kind kind;
    uint32_t request; // the sender's number for it, returned unchanged
    bool on;
    raim_player_id player;
    uint32_t epoch; // of the player's connection, see struct raim_match_line
    uint8_t level;
    char text[RAIM_MAX_TEXT_BYTES + 1];
    uint32_t outcome;        // enum raim_vote_outcome
    uint32_t number;         // of a vote
    const struct bans *bans; // in force from now on; the answer ends the use of earlier lists

    bool done; // the answer; false: no such player, or the event queue is full
};
