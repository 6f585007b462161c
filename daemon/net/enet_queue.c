// SPDX-License-Identifier: MIT
// Datagrams one after the other in an array, which is filled from its beginning once it is empty.
#include "enet_queue.h"

#include "enet_carrier.h"
#include "wire_limits.h"

#include <assert.h>
#include <string.h>

void enet_queue_init(struct enet_queue *queue)
{
    queue->next = queue->count = 0;
    queue->used = 0;
    queue->fills = 1;
}

bool enet_queue_has_room(const struct enet_queue *queue)
{
    return queue->count < ENET_QUEUE_DATAGRAMS &&
           ENET_QUEUE_BYTES - queue->used >= RAIM_ENET_CARRIER_GAP + RAIM_MAX_DATAGRAM_BYTES;
}

void enet_queue_add(struct enet_queue *queue, const struct received *datagram)
{
    assert(enet_queue_has_room(queue) && datagram->size <= RAIM_MAX_DATAGRAM_BYTES);
    struct received *copy = &queue->datagrams[queue->count++];
    *copy = *datagram;
    copy->data = queue->bytes + queue->used + RAIM_ENET_CARRIER_GAP;
    memcpy(copy->data, datagram->data, datagram->size);
    queue->used += RAIM_ENET_CARRIER_GAP + datagram->size;
}

bool enet_queue_is_empty(const struct enet_queue *queue)
{
    return queue->next == queue->count;
}

const struct received *enet_queue_take(struct enet_queue *queue)
{
    if (enet_queue_is_empty(queue))
        return NULL;
    const struct received *datagram = &queue->datagrams[queue->next++];
    if (enet_queue_is_empty(queue)) {
        queue->next = queue->count = 0;
        queue->used = 0;
        queue->fills++;
    }
    return datagram;
}
