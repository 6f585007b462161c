// SPDX-License-Identifier: MIT
// Integers are little-endian; every size is checked before anything is read.
#include "discovery.h"

#include <string.h>

enum {
    KIND_DISCOVER = 16, // no kind of a connectionless datagram of the arenas' ports
    KIND_ARENAS = 17,
    FORM = 1,
    KIND_AT = 8,
    HEAD_BYTES = 10,
    NONCE_AT = HEAD_BYTES,
    SERVER_AT = NONCE_AT + 8,
    COUNT_AT = SERVER_AT + 8,
    PORTS_AT = COUNT_AT + 2,
};

static void write_head(uint8_t *data, uint8_t kind)
{
    memcpy(data, "\xFF\xFF\xFF\xFFRAIM", KIND_AT);
    data[KIND_AT] = kind;
    data[KIND_AT + 1] = FORM;
}

static bool has_head(const uint8_t *data, size_t size, uint8_t kind)
{
    return size >= HEAD_BYTES && memcmp(data, "\xFF\xFF\xFF\xFFRAIM", KIND_AT) == 0 &&
           data[KIND_AT] == kind && data[KIND_AT + 1] == FORM;
}

static void write_number(uint8_t *data, uint64_t number, int bytes)
{
    for (int i = 0; i < bytes; i++)
        data[i] = (uint8_t)(number >> 8 * i);
}

static uint64_t read_number(const uint8_t *data, int bytes)
{
    uint64_t number = 0;
    for (int i = 0; i < bytes; i++)
        number |= (uint64_t)data[i] << 8 * i;
    return number;
}

void raim_discovery_write_request(uint64_t nonce, uint8_t request[RAIM_DISCOVERY_BYTES])
{
    memset(request, 0, RAIM_DISCOVERY_BYTES);
    write_head(request, KIND_DISCOVER);
    write_number(request + NONCE_AT, nonce, 8);
}

bool raim_discovery_read_request(const uint8_t *data, size_t size, uint64_t *nonce)
{
    if (size != RAIM_DISCOVERY_BYTES || !has_head(data, size, KIND_DISCOVER))
        return false;
    *nonce = read_number(data + NONCE_AT, 8);
    return true;
}

size_t raim_discovery_write(const struct raim_discovery *discovery,
                            uint8_t answer[RAIM_DISCOVERY_BYTES])
{
    write_head(answer, KIND_ARENAS);
    write_number(answer + NONCE_AT, discovery->nonce, 8);
    write_number(answer + SERVER_AT, discovery->server, 8);
    write_number(answer + COUNT_AT, (uint64_t)discovery->count, 2);
    for (int i = 0; i < discovery->count; i++)
        write_number(answer + PORTS_AT + 2 * i, discovery->ports[i], 2);
    return PORTS_AT + 2 * (size_t)discovery->count;
}

bool raim_discovery_read(const uint8_t *data, size_t size, struct raim_discovery *discovery)
{
    if (size < PORTS_AT || !has_head(data, size, KIND_ARENAS))
        return false;
    const int count = (int)read_number(data + COUNT_AT, 2);
    if (count > RAIM_DISCOVERY_MAX || size != PORTS_AT + 2 * (size_t)count)
        return false;
    discovery->nonce = read_number(data + NONCE_AT, 8);
    discovery->server = read_number(data + SERVER_AT, 8);
    discovery->count = count;
    bool is_good = true;
    for (int i = 0; i < count; i++) {
        discovery->ports[i] = (uint16_t)read_number(data + PORTS_AT + 2 * i, 2);
        is_good = is_good && discovery->ports[i] != 0;
    }
    return is_good;
}
