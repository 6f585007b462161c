// SPDX-License-Identifier: MIT
// CHAT: a player's chat on its way to the server, which forwards it to all clients as an event.
#pragma once

#include "message.h"

// Writes the message and returns its size, or 0 when it does not fit. A longer text is truncated to
// RAIM_MAX_CHAT_BYTES bytes at a character's boundary.
size_t raim_chat_write(const char *text, uint8_t *bytes, size_t capacity);

// Reads the message behind its kind; `text` has room for RAIM_MAX_CHAT_BYTES + 1 bytes. Returns
// false for a malformed message. The text is not cleaned yet.
bool raim_chat_read(raim_reader *reader, char *text);
