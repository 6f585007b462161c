// SPDX-License-Identifier: MIT
// What the main thread may ask of an arena: the letters in its mailbox.
#pragma once

#include "bans.h"
#include "match.h"

enum command_kind {
    COMMAND_SAY,   // `text`
    COMMAND_KICK,  // `player`, `text`
    COMMAND_MUTE,  // `player`, `on`
    COMMAND_DRAIN, // `on`, and `text` to tell everybody
    COMMAND_BANS,  // `bans`
    COMMAND_PAUSE, // `on`
};

struct command {
    enum command_kind kind;
    uint32_t request; // the asker's number for it, untouched
    bool on;
    raim_player_id player;
    char text[RAIM_MAX_TEXT_BYTES + 1];
    const struct bans *bans; // in force from now on; once answered, those before are read no more

    bool done; // the answer; false: there is no such player, or too much waits to be told
};
