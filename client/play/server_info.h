// SPDX-License-Identifier: MIT
// Client's side of Valve's A2S_INFO query ("Server queries" in Valve's developer wiki): writes the
// request and reads the replies, which are untrusted. Pure.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SERVER_INFO_REQUEST_BYTES = 29, SERVER_INFO_TEXT_BYTES = 64 };

struct server_info {
    char name[SERVER_INFO_TEXT_BYTES], map[SERVER_INFO_TEXT_BYTES]; // cut to fit
    uint32_t players, bots, most_players;                           // `players` without bots
    bool locked;                                                    // it wants an access token
};

// Writes a request; `challenge` is that of the server's last challenge, 0: none. Returns its size.
size_t server_info_write_request(uint32_t challenge, uint8_t bytes[SERVER_INFO_REQUEST_BYTES]);

enum server_info_reply { SERVER_INFO_OTHER, SERVER_INFO_CHALLENGE, SERVER_INFO_ANSWER };

// Reads a datagram. OTHER for one that is malformed or of another game, and changes nothing then.
enum server_info_reply server_info_read(const uint8_t *data, size_t size, uint32_t *challenge,
                                        struct server_info *info);
