// SPDX-License-Identifier: MIT
// Writes and reads datagrams without a connection.
#include "knock.h"

#include <assert.h>
#include <string.h>

enum { HEAD_BYTES = 10, FLAG_ACCESS = 1, FLAG_SEALED = 2 };

static const uint8_t prefix[8] = {0xFF, 0xFF, 0xFF, 0xFF, 'R', 'A', 'I', 'M'};

static_assert(HEAD_BYTES + 5 + 2 * RAIM_KEY_BYTES <= RAIM_TICKET_BYTES, "a ticket fits");
static_assert(HEAD_BYTES + 16 == RAIM_INVITE_BYTES, "an invitation is no larger");
static_assert(RAIM_TICKET_BYTES < RAIM_KNOCK_BYTES, "an answer is smaller than its question");

static void write_head(uint8_t *bytes, enum raim_knock_kind kind)
{
    memcpy(bytes, prefix, sizeof prefix);
    bytes[8] = (uint8_t)kind;
    bytes[9] = RAIM_KNOCK_FORM;
}

enum raim_knock_kind raim_knock_kind(const uint8_t *data, size_t size)
{
    if (size < HEAD_BYTES || memcmp(data, prefix, sizeof prefix) != 0 ||
        data[9] != RAIM_KNOCK_FORM || data[8] > RAIM_KNOCK_SEALED)
        return RAIM_KNOCK_NONE;
    return (enum raim_knock_kind)data[8];
}

size_t raim_knock_write(uint8_t bytes[RAIM_KNOCK_BYTES])
{
    memset(bytes, 0, RAIM_KNOCK_BYTES);
    write_head(bytes, RAIM_KNOCK_KNOCK);
    return RAIM_KNOCK_BYTES;
}

bool raim_knock_read(const uint8_t *data, size_t size)
{
    // All are zero where the first is and each is like the one before; a flood is read so.
    const uint8_t *padding = data + HEAD_BYTES;
    return size >= RAIM_KNOCK_BYTES && padding[0] == 0 &&
           memcmp(padding, padding + 1, size - HEAD_BYTES - 1) == 0;
}

size_t raim_ticket_write(const struct raim_ticket *ticket, uint8_t bytes[RAIM_TICKET_BYTES])
{
    write_head(bytes, RAIM_KNOCK_TICKET);
    bytes[10] = (uint8_t)((ticket->access ? FLAG_ACCESS : 0) | (ticket->sealed ? FLAG_SEALED : 0));
    for (int i = 0; i < 4; i++)
        bytes[11 + i] = (uint8_t)(ticket->ticket >> 8 * i);
    if (!ticket->sealed)
        return HEAD_BYTES + 5;
    memcpy(bytes + 15, ticket->identity, RAIM_KEY_BYTES);
    memcpy(bytes + 15 + RAIM_KEY_BYTES, ticket->ephemeral, RAIM_KEY_BYTES);
    return HEAD_BYTES + 5 + 2 * RAIM_KEY_BYTES;
}

bool raim_ticket_read(const uint8_t *data, size_t size, struct raim_ticket *ticket)
{
    *ticket = (struct raim_ticket){0};
    if (size < HEAD_BYTES + 5)
        return false;
    ticket->access = (data[10] & FLAG_ACCESS) != 0;
    ticket->sealed = (data[10] & FLAG_SEALED) != 0;
    for (int i = 0; i < 4; i++)
        ticket->ticket |= (uint32_t)data[11 + i] << 8 * i;
    if (size != HEAD_BYTES + 5 + (ticket->sealed ? 2U * RAIM_KEY_BYTES : 0U))
        return false;
    if (ticket->sealed) {
        memcpy(ticket->identity, data + 15, RAIM_KEY_BYTES);
        memcpy(ticket->ephemeral, data + 15 + RAIM_KEY_BYTES, RAIM_KEY_BYTES);
    }
    return (data[10] & ~(FLAG_ACCESS | FLAG_SEALED)) == 0;
}

size_t raim_invite_write(const struct raim_invite *invite, uint8_t bytes[RAIM_INVITE_BYTES])
{
    write_head(bytes, RAIM_KNOCK_INVITE);
    memcpy(bytes + HEAD_BYTES, invite->nonce, sizeof invite->nonce);
    memcpy(bytes + HEAD_BYTES + 8, invite->proof, sizeof invite->proof);
    return RAIM_INVITE_BYTES;
}

bool raim_invite_read(const uint8_t *data, size_t size, struct raim_invite *invite)
{
    if (size != RAIM_INVITE_BYTES)
        return false;
    memcpy(invite->nonce, data + HEAD_BYTES, sizeof invite->nonce);
    memcpy(invite->proof, data + HEAD_BYTES + 8, sizeof invite->proof);
    return true;
}
