// SPDX-License-Identifier: MIT
// CHAT: what a player wants to say; everybody is told it by an event.
#pragma once

#include "message.h"

// Writes the message and returns its size, or 0 when it does not fit. Of a longer text the first
// RAIM_MAX_CHAT_BYTES bytes count, as far as they are whole characters.
size_t raim_chat_write(const char *text, uint8_t *bytes, size_t capacity);

// Starts behind the kind; `text` has room for RAIM_MAX_CHAT_BYTES + 1 bytes. Returns false when the
// message is to be refused; the text is not cleaned yet.
bool raim_chat_read(raim_reader *reader, char *text);
