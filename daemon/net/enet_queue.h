// SPDX-License-Identifier: MIT
// Queue of the received datagrams that wait for ENet's next service, which walks all peers. A gap
// that ENet's carrier overwrites precedes each datagram.
#pragma once

#include "ip_address.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    // The number of datagrams that ENet reads in one service.
    ENET_QUEUE_DATAGRAMS = 256,
    ENET_QUEUE_BYTES = 64 * 1024,
};

// A received datagram, decrypted if it was encrypted.
struct received {
    struct udp_address from;
    bool is_secure; // it was encrypted
    uint8_t *data;
    size_t size;
};

struct enet_queue {
    uint32_t next, count; // the first unread datagram; datagrams queued
    uint64_t fills;       // number of times that the queue was emptied, plus one
    size_t used;          // bytes
    struct received datagrams[ENET_QUEUE_DATAGRAMS];
    uint8_t bytes[ENET_QUEUE_BYTES];
};

void enet_queue_init(struct enet_queue *queue);

// Whether the queue has room for a datagram of any size.
bool enet_queue_has_room(const struct enet_queue *queue);

// Copies a datagram of at most RAIM_MAX_DATAGRAM_BYTES into the queue, which has room.
void enet_queue_add(struct enet_queue *queue, const struct received *datagram);

bool enet_queue_is_empty(const struct enet_queue *queue);

// Takes the oldest datagram, whose bytes and gap are valid until the next enet_queue_add. NULL if
// the queue is empty.
const struct received *enet_queue_take(struct enet_queue *queue);
