// SPDX-License-Identifier: MIT
// The gateway (raim-web) through which a page reaches arenas: which servers it leads to, and its
// sessions, one to a server. Nothing blocks. One per page.
#pragma once

#include "server_address.h"
#include "server_info.h"
#include "wire_limits.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { GATEWAY_ROWS = 128 };

struct gateway_row {
    char address[SERVER_ADDRESS_BYTES]; // HOST:PORT
    bool has_key;
    uint8_t key[RAIM_KEY_BYTES]; // public, of the server
    bool answers;
    struct raim_server_info info; // answers
};

// Chooses the gateway at HOST:PORT. `hashes` are those of its certificates, SHA-256 in base64 with
// spaces between them; "": it is asked for them. Copies both.
void gateway_choose(const char *address, const char *hashes);

const char *gateway_address(void);

// Asks the gateway for its list, unless it was asked so little time ago, and takes its answer.
#define GATEWAY_PAUSE_US 2000000
void gateway_update(uint64_t now_us, uint64_t pause_us);

// When the last answer came; 0: none did.
uint64_t gateway_answered_us(void);

// Whether a session can be opened: the hashes are known, or the gateway does not tell any.
bool gateway_is_ready(void);

// The servers of the last answer.
int gateway_count(void);
const struct gateway_row *gateway_at(int index);

// Opens a session with a server. Returns its number for page.h.
int gateway_open_session(const char *host, uint16_t port);
