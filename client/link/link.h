// SPDX-License-Identifier: MIT
// A client of one server over UDP: couples a raim_client with an ENet connection, encrypts where
// the server offers it, and connects again where a session is to be resumed. No function blocks,
// except that raim_link_open resolves the host's name. Time: the link reads CLOCK_MONOTONIC itself;
// raim_link_now_us returns it. Errors: after raim_link_open, every failure ends the client; see
// raim_client_end. Thread rule: a link and its client belong to one thread at a time. Links of
// several threads share nothing but ENet, which the first raim_link_open of the process
// initializes: let it return before another thread calls it. A program that links this library has
// libenet's enet_socket_send replaced by this library's.
#pragma once

#include "client.h"

#include <stdbool.h>
#include <stdint.h>

struct raim_link;

// Decodes an access token from the text that people pass on, base64url without padding. Returns its
// size in bytes, at most `capacity`; 0 for other text and for a larger token.
uint32_t raim_link_read_access(const char *text, uint8_t *access, size_t capacity);

// Begins to connect a client of this def to a host (a name or a dotted IPv4 address) and UDP port.
// Copies the def and all that it points to. NULL when the name cannot be resolved, or when no
// socket, no memory or no random numbers are available.
struct raim_link *raim_link_open(const char *host, uint16_t port,
                                 const struct raim_client_def *def);

// Closes at once, with an unreliable notice to the server, and frees the client too. Takes NULL. To
// say goodbye, call raim_link_leave first.
void raim_link_close(struct raim_link *link);

// The client of the link, which is valid until raim_link_close. The link moves its bytes: the
// caller uses only the functions for the application.
struct raim_client *raim_link_client(struct raim_link *link);

// Receives everything that has arrived, and begins a connection where one is wanted. Call it at
// least once per tick.
void raim_link_service(struct raim_link *link);

// The steady clock of the link and its client in microseconds: `now_us` of client.h.
uint64_t raim_link_now_us(void);

// Whether an input is due, and the input for one tick, which is sent at once where the server needs
// it; see raim_client_write_input.
bool raim_link_is_input_due(const struct raim_link *link);
void raim_link_send_input(struct raim_link *link, const raim_input *input);

// Sends a chat line with the next raim_link_service; see raim_client_write_chat.
void raim_link_say(struct raim_link *link, const char *text);

// Sends the goodbye and begins to disconnect. Go on with raim_link_service until raim_link_is_open
// returns false, which takes a round trip; then close the link.
void raim_link_leave(struct raim_link *link);

// Whether there is a connection, or one is being made or ended.
bool raim_link_is_open(const struct raim_link *link);

// Mean round trip in ms, as ENet measures it every two seconds; 0 without a connection.
uint32_t raim_link_ping_ms(const struct raim_link *link);

// Copies the server's public key, to be stored and set in the def of the next link. False where the
// connection is not encrypted, or before a handshake is complete; `key` is then meaningless.
bool raim_link_server_key(const struct raim_link *link, uint8_t key[RAIM_KEY_BYTES]);

// Whether the server has shown another key than that of the def, or than it showed before to this
// link, for a second without showing the right one. Copies that other key. The link never connects
// to such a server. `key` is meaningless where it returns false.
bool raim_link_other_key(const struct raim_link *link, uint8_t key[RAIM_KEY_BYTES]);

// Totals since raim_link_open.
struct raim_link_traffic {
    uint64_t bytes_down, bytes_up; // UDP payload
    uint64_t largest_datagram;     // received, bytes
};
struct raim_link_traffic raim_link_traffic(const struct raim_link *link);
