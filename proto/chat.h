// SPDX-License-Identifier: MIT
// CHAT: a player's chat on its way to the server, which forwards it to all clients as an event.
// CHAT_REJECTED: the server's answer to its sender alone where it does not forward it.
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

// Writes the message and returns its size, or 0 when it does not fit. A longer text is truncated to
// RAIM_MAX_CHAT_BYTES bytes at a character's boundary.
size_t raim_chat_write(const char *text, uint8_t *bytes, size_t capacity);

// Reads the message after its kind; `text` has room for RAIM_MAX_CHAT_BYTES + 1 bytes. Returns
// false for a malformed message. The text is not cleaned yet.
bool raim_chat_read(raim_reader *reader, char *text);

// Write and read CHAT_REJECTED as above. A reader accepts unknown reasons, 0 to 255.
size_t raim_chat_rejected_write(uint32_t rejection, uint8_t *bytes, size_t capacity);
bool raim_chat_rejected_read(raim_reader *reader, uint32_t *rejection);

// A short name ("rate"); "unknown" for other numbers.
const char *raim_chat_rejection_name(uint32_t rejection);
