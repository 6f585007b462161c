// SPDX-License-Identifier: MIT
// Makes liars of raim-bots: linked in front of the client library's raim_client_write_input, it
// holds the acknowledgement of snapshots back and claims the oldest view that an INPUT can tell. So
// their bullets were to fly through what they had seen already.
#include "client.h"
#include "input.h"
#include "message.h"

#include <assert.h>
#include <stdlib.h>

enum { HELD = 6, CLIENTS = 64 }; // INPUTs for which an acknowledgement is held; liars at most

size_t __real_raim_client_write_input(struct raim_client *client, uint64_t now_us,
                                      const raim_input *input, uint8_t *bytes, size_t capacity);
size_t __wrap_raim_client_write_input(struct raim_client *client, uint64_t now_us,
                                      const raim_input *input, uint8_t *bytes, size_t capacity);

// What each client has named.
static struct held {
    const struct raim_client *client;
    uint32_t count, snapshots[HELD];
} all[CLIENTS];

static struct held *held_of(const struct raim_client *client)
{
    int i = 0;
    while (all[i].client != NULL && all[i].client != client) {
        i++;
        assert(i < CLIENTS);
    }
    all[i].client = client;
    return &all[i];
}

size_t __wrap_raim_client_write_input(struct raim_client *client, uint64_t now_us,
                                      const raim_input *input, uint8_t *bytes, size_t capacity)
{
    const size_t size = __real_raim_client_write_input(client, now_us, input, bytes, capacity);
    raim_reader reader = raim_reader_make(bytes, size);
    struct raim_input_message message;
    if (size == 0 || raim_message_read(&reader) != RAIM_MESSAGE_INPUT ||
        !raim_input_read(&reader, &message) || !message.has_snapshot)
        return size;
    struct held *held = held_of(client);
    const uint32_t newest = message.snapshot;
    uint32_t *oldest = &held->snapshots[held->count % HELD];
    if (held->count++ >= HELD)
        message.snapshot = *oldest;
    *oldest = newest;
    for (uint32_t i = 0; i < message.count; i++)
        if (message.inputs[i].fire)
            message.inputs[i].view_age = RAIM_WIRE_REWIND;
    return raim_input_write(&message, bytes, capacity);
}
