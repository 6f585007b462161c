// SPDX-License-Identifier: MIT
// Texts of CHAT, and why the server rejects one.
#pragma once

#include "message.h"

enum raim_chat_rejection {
    RAIM_CHAT_RATE = 1, // more texts than the rate limit permits
    RAIM_CHAT_MUTED,    // the operator has muted the player
    RAIM_CHAT_TEXT,     // not UTF-8, or nothing visible in it
    RAIM_CHAT_LENGTH,   // longer than RAIM_MAX_CHAT_BYTES, or malformed otherwise
    RAIM_CHAT_WATCHING, // spectators cannot chat
    RAIM_CHAT_BUSY,     // the server has too many events to send
    RAIM_CHAT_REPEAT,   // the text that the player has just sent
    RAIM_CHAT_COMMAND,  // an unknown "/..." command, or commands too fast
    RAIM_CHAT_REJECTIONS
};

// The CHAT of a text. A longer one is truncated to RAIM_MAX_CHAT_BYTES bytes at a character's
// boundary.
struct raim_chat raim_chat_of(const char *text);

// A short name ("rate"); "unknown" for other numbers.
const char *raim_chat_rejection_name(uint32_t rejection);
