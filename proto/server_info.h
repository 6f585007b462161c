// SPDX-License-Identifier: MIT
// Client's side of Valve's A2S_INFO query ("Server queries" in Valve's developer wiki): writes the
// request and reads the replies, which are untrusted. Pure.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    RAIM_SERVER_INFO_REQUEST_BYTES = 29,
    RAIM_SERVER_INFO_TEXT_BYTES = 72,
    RAIM_SERVER_INFO_TAGS_BYTES = 136
};

struct raim_server_info {
    char name[RAIM_SERVER_INFO_TEXT_BYTES], map[RAIM_SERVER_INFO_TEXT_BYTES]; // cut to fit
    uint32_t players, bots, most_players;   // `players` without bots
    bool locked;                            // it wants a password or an access token
    char tags[RAIM_SERVER_INFO_TAGS_BYTES]; // words with commas between them; "": none
};

// Writes a request; `challenge` is that of the server's last challenge, 0: none. Returns its size.
size_t raim_server_info_write_request(uint32_t challenge,
                                      uint8_t bytes[RAIM_SERVER_INFO_REQUEST_BYTES]);

enum raim_server_info_reply {
    RAIM_SERVER_INFO_OTHER,
    RAIM_SERVER_INFO_CHALLENGE,
    RAIM_SERVER_INFO_ANSWER
};

// Reads a datagram. OTHER for one that is malformed or of another game, and changes nothing then.
enum raim_server_info_reply raim_server_info_read(const uint8_t *data, size_t size,
                                                  uint32_t *challenge,
                                                  struct raim_server_info *info);
