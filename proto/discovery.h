// SPDX-License-Identifier: MIT
// Discovery of servers in the local network: a client sends a DISCOVER to port RAIM_DISCOVERY_PORT
// by broadcast (IPv4) and multicast (IPv6), and each server answers with the ports of its arenas
// (ARENAS), which the client then asks by server_info.h. An answer is never larger than its
// request. Both ends check by the hop limit that the other is in the same local network, because no
// router passes 255 on unchanged (GTSM, RFC 5082). Pure functions; see PROTOCOL.md, Discovery.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RAIM_DISCOVERY_PORT 7245
#define RAIM_DISCOVERY_GROUP "ff12::7261:696d" // of IPv6, in the scope of a link
#define RAIM_DISCOVERY_HOPS 255                // hop limit (TTL) of both datagrams
#define RAIM_DISCOVERY_MAX 256                 // ports in an answer

// A request is padded with zeros to the size of the largest answer.
#define RAIM_DISCOVERY_BYTES (10 + 8 + 8 + 2 + 2 * RAIM_DISCOVERY_MAX)

struct raim_discovery {
    uint64_t nonce;  // of the request
    uint64_t server; // the same at all addresses of a server, random
    int count;
    uint16_t ports[RAIM_DISCOVERY_MAX];
};

// Writes a request. `nonce` is random, so that only its answers are believed.
void raim_discovery_write_request(uint64_t nonce, uint8_t request[RAIM_DISCOVERY_BYTES]);

// Reads a request. False for any other datagram.
bool raim_discovery_read_request(const uint8_t *data, size_t size, uint64_t *nonce);

// Writes an answer and returns its size.
size_t raim_discovery_write(const struct raim_discovery *discovery,
                            uint8_t answer[RAIM_DISCOVERY_BYTES]);

// Reads an answer. False for any other datagram, or with a port that is 0.
bool raim_discovery_read(const uint8_t *data, size_t size, struct raim_discovery *discovery);
