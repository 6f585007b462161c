// SPDX-License-Identifier: MIT
// NOTICE: a line of text between one client and the server, which no other client receives. A
// client sends commands ("help", "vote map dust"), the server answers. Only clients whose HELLO has
// RAIM_CAPABILITY_ADMIN receive NOTICE.
#pragma once

#include "message.h"

#define RAIM_MAX_NOTICE_BYTES RAIM_MAX_TEXT_BYTES

enum raim_notice_kind {
    RAIM_NOTICE_TEXT,      // words for people; from a client: a command without its "/"
    RAIM_NOTICE_CHALLENGE, // from the server: the text is to be signed with an admin's key
    RAIM_NOTICE_KINDS
};

#define RAIM_CHALLENGE_BYTES 32 // of a challenge, whose text is base64url of it
#define RAIM_STATEMENT_BYTES (16 + RAIM_KEY_BYTES + RAIM_CHALLENGE_BYTES)

struct raim_notice {
    enum raim_notice_kind kind;
    char text[RAIM_MAX_NOTICE_BYTES + 1];
};

// Writes the message and returns its size, or 0 when it does not fit.
size_t raim_notice_write(const struct raim_notice *notice, uint8_t *bytes, size_t capacity);

// Reads the message after its kind. Returns false for a malformed message. The text is not cleaned
// yet.
bool raim_notice_read(raim_reader *reader, struct raim_notice *notice);

// What an admin's key signs to log in: a label, the public key that the server has in the
// handshake of this connection, and the challenge.
void raim_notice_statement(const uint8_t server_key[RAIM_KEY_BYTES],
                           const uint8_t challenge[RAIM_CHALLENGE_BYTES],
                           uint8_t statement[RAIM_STATEMENT_BYTES]);
