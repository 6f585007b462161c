// SPDX-License-Identifier: MIT
// Configuration of the gateway: one file of libconfig, checked like raimd's (config/reader.h).
#pragma once

#include "config.h"
#include "gateway.h"
#include "quic.h"
#include "reader.h"
#include "wire_limits.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    WEB_MAX_TARGETS = 64,
    WEB_ADDRESS_BYTES = HTTP_HOST_BYTES + 8, // HOST:PORT or [IPV6]:PORT
};

// HOST:PORT.
struct web_address {
    char host[HTTP_HOST_BYTES]; // a name or an address without brackets
    uint16_t port;
    char text[WEB_ADDRESS_BYTES]; // as the file has it
};

struct web_target {
    struct web_address address;
    uint16_t last_port; // a range of ports, whose arenas are not listed, if it is not address.port
    char key[2 * RAIM_KEY_BYTES + 1]; // public, of the server, hexadecimal; "": not told
};

struct web_config {
    struct web_address listen;
    int target_count;
    struct web_target targets[WEB_MAX_TARGETS];
    char page[CONFIG_PATH_BYTES], recordings[CONFIG_PATH_BYTES]; // directories; "": none
    char certificate[CONFIG_PATH_BYTES], key[CONFIG_PATH_BYTES]; // ""; self-made
    bool has_gateway_key;
    uint8_t gateway_key[RAIM_GATEWAY_KEY_BYTES];
    struct quic_limits limits;
    uint32_t datagrams_per_second; // of a player
    bool sandbox;
    enum log_level log_level;
    struct path_list directories; // of the files that it names
};

// A port's decimal digits.
bool web_port_read(const char *text, uint16_t *port);

// Returns NULL after reporting every mistake.
struct web_config *web_config_load(const char *path, struct diagnostics *diagnostics);

void web_config_free(struct web_config *config);

// The table of the keys and the number of its rows.
const struct reader_key *web_config_keys(int *count);
