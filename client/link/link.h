// SPDX-License-Identifier: MIT
// A client's connection over ENet: moves the bytes of one raim_client.
// Thread rule: a link belongs to one thread at a time.
#pragma once

#include "client.h"

#include <stdbool.h>
#include <stdint.h>

struct raim_link;

// Reads an access token as it is handed around, in base64url without padding. Returns its size; 0
// for anything else, or more than `capacity`.
uint32_t raim_link_read_access(const char *text, uint8_t *access, size_t capacity);

// Begins to connect a client of this def to a host (a name or a dotted IPv4 address). NULL when the
// name cannot be resolved, or no socket or memory is left.
struct raim_link *raim_link_open(const char *host, uint16_t port,
                                 const struct raim_client_def *def);

// Says goodbye, if there is anybody to say it to, and closes. NULL is fine.
void raim_link_close(struct raim_link *link);

struct raim_client *raim_link_client(struct raim_link *link);

// Receives everything that has arrived, and connects anew where a session is to be resumed; never
// blocks. Call it once a tick or more often.
void raim_link_service(struct raim_link *link);

// The steady clock by which the link drives its client: `now_us` of client.h.
uint64_t raim_link_now_us(void);

// Whether to press now, and what the player presses in this tick; see raim_client_press.
bool raim_link_is_due(const struct raim_link *link);
void raim_link_press(struct raim_link *link, const raim_input *input);

// Says something to everybody.
void raim_link_say(struct raim_link *link, const char *text);

// Begins to leave: the goodbye is sent; service the link until it is no longer open, then close it.
void raim_link_leave(struct raim_link *link);

// Whether there is a connection, or one being made or ended.
bool raim_link_is_open(const struct raim_link *link);

// Mean round trip in ms, as ENet measures it.
uint32_t raim_link_ping_ms(const struct raim_link *link);

// The lasting key of the server, to be remembered and given in the def the next time. False, and
// nothing meant, where the connection is not encrypted or no handshake was completed.
bool raim_link_server_key(const struct raim_link *link, uint8_t key[RAIM_KEY_BYTES]);

// Whether a server answered that shows another key than the one of the def, or than it showed
// before in the life of this link; its key. The link never talks to it.
bool raim_link_other_key(const struct raim_link *link, uint8_t key[RAIM_KEY_BYTES]);

struct raim_link_traffic {
    uint64_t bytes_down, bytes_up; // UDP payload
    uint64_t largest_datagram;     // received, bytes
};
struct raim_link_traffic raim_link_traffic(const struct raim_link *link);
