// SPDX-License-Identifier: MIT
// Writes and reads datagrams without a connection.
#include "connectionless.h"

#include <assert.h>
#include <string.h>

enum {
    HEAD_BYTES = RAIM_KNOCK_HEAD_BYTES,
    FLAG_NEEDS_ADMISSION = 1,
    FLAG_OFFERS_ENCRYPTION = 2,
    FLAG_REQUIRES_ENCRYPTION = 4,
    FLAG_ADMITTED = 8,
    FLAGS = 15,
};

static const uint8_t prefix[8] = {0xFF, 0xFF, 0xFF, 0xFF, 'R', 'A', 'I', 'M'};

static_assert(HEAD_BYTES + 1 + 4 + RAIM_TICKET_ARENA_BYTES + RAIM_KEY_BYTES == RAIM_TICKET_BYTES,
              "a ticket fits");
static_assert(HEAD_BYTES + 16 == RAIM_INVITE_BYTES, "an invitation is no larger");
static_assert(RAIM_TICKET_BYTES + RAIM_REFUSED_BYTES < RAIM_KNOCK_BYTES,
              "both answers are smaller than their question");
static_assert(HEAD_BYTES + 4 + RAIM_CREDENTIAL_MOST_BYTES < RAIM_KNOCK_BYTES,
              "every credential fits");

void raim_knock_write_head(enum raim_knock_kind kind, uint8_t bytes[RAIM_KNOCK_HEAD_BYTES])
{
    memcpy(bytes, prefix, sizeof prefix);
    bytes[8] = (uint8_t)kind;
    bytes[9] = RAIM_KNOCK_FORM;
}

enum raim_knock_kind raim_knock_kind(const uint8_t *data, size_t size)
{
    if (size < HEAD_BYTES || memcmp(data, prefix, sizeof prefix) != 0 ||
        data[9] != RAIM_KNOCK_FORM || data[8] > RAIM_KNOCK_REFUSED)
        return RAIM_KNOCK_NONE;
    return (enum raim_knock_kind)data[8];
}

static void write_u32(uint8_t *bytes, uint32_t number)
{
    for (int i = 0; i < 4; i++)
        bytes[i] = (uint8_t)(number >> 8 * i);
}

static uint32_t read_u32(const uint8_t *bytes)
{
    uint32_t number = 0;
    for (int i = 0; i < 4; i++)
        number |= (uint32_t)bytes[i] << 8 * i;
    return number;
}

size_t raim_credential_write(const struct raim_credential *credential,
                             uint8_t bytes[RAIM_CREDENTIAL_MOST_BYTES])
{
    bytes[0] = (uint8_t)credential->kind;
    bytes[1] = credential->size;
    memcpy(bytes + 2, credential->bytes, credential->size);
    return 2U + credential->size;
}

size_t raim_credential_read(const uint8_t *data, size_t size, struct raim_credential *credential)
{
    *credential = (struct raim_credential){0};
    if (size < 2 || data[0] >= RAIM_CREDENTIAL_KINDS || size - 2 < data[1])
        return 0;
    if ((data[0] == RAIM_CREDENTIAL_NONE && data[1] != 0) ||
        (data[0] == RAIM_CREDENTIAL_ACCESS && data[1] == 0) ||
        (data[0] == RAIM_CREDENTIAL_SESSION && data[1] != RAIM_SESSION_TOKEN_BYTES))
        return 0;
    credential->kind = (enum raim_credential_kind)data[0];
    credential->size = data[1];
    memcpy(credential->bytes, data + 2, data[1]);
    return 2U + data[1];
}

size_t raim_knock_write(const struct raim_knock *knock, uint8_t bytes[RAIM_KNOCK_BYTES])
{
    memset(bytes, 0, RAIM_KNOCK_BYTES);
    raim_knock_write_head(RAIM_KNOCK_KNOCK, bytes);
    write_u32(bytes + HEAD_BYTES, knock->ticket);
    raim_credential_write(&knock->credential, bytes + HEAD_BYTES + 4);
    return RAIM_KNOCK_BYTES;
}

bool raim_knock_read(const uint8_t *data, size_t size, struct raim_knock *knock)
{
    *knock = (struct raim_knock){0};
    if (size < RAIM_KNOCK_BYTES || size > RAIM_KNOCK_MOST_BYTES)
        return false;
    knock->ticket = read_u32(data + HEAD_BYTES);
    const size_t at = HEAD_BYTES + 4;
    const size_t taken = raim_credential_read(data + at, size - at, &knock->credential);
    // All are zero where the first is and each is like the one before; a flood is read so.
    const uint8_t *padding = data + at + taken;
    return taken > 0 && knock->ticket >> RAIM_TICKET_BITS == 0 && padding[0] == 0 &&
           memcmp(padding, padding + 1, size - at - taken - 1) == 0;
}

size_t raim_ticket_write(const struct raim_ticket *ticket, uint8_t bytes[RAIM_TICKET_BYTES])
{
    const size_t length = strlen(ticket->arena);
    assert(length > 0 && length < RAIM_TICKET_ARENA_BYTES);
    raim_knock_write_head(RAIM_KNOCK_TICKET, bytes);
    bytes[HEAD_BYTES] = (uint8_t)((ticket->needs_admission ? FLAG_NEEDS_ADMISSION : 0) |
                                  (ticket->offers_encryption ? FLAG_OFFERS_ENCRYPTION : 0) |
                                  (ticket->requires_encryption ? FLAG_REQUIRES_ENCRYPTION : 0) |
                                  (ticket->admitted ? FLAG_ADMITTED : 0));
    write_u32(bytes + HEAD_BYTES + 1, ticket->ticket);
    size_t at = HEAD_BYTES + 5;
    bytes[at++] = (uint8_t)length;
    memcpy(bytes + at, ticket->arena, length);
    at += length;
    if (!ticket->offers_encryption)
        return at;
    memcpy(bytes + at, ticket->server_key, RAIM_KEY_BYTES);
    return at + RAIM_KEY_BYTES;
}

bool raim_ticket_read(const uint8_t *data, size_t size, struct raim_ticket *ticket)
{
    *ticket = (struct raim_ticket){0};
    size_t at = HEAD_BYTES + 6;
    if (size < at)
        return false;
    const uint8_t flags = data[HEAD_BYTES];
    const size_t length = data[HEAD_BYTES + 5];
    ticket->needs_admission = (flags & FLAG_NEEDS_ADMISSION) != 0;
    ticket->offers_encryption = (flags & FLAG_OFFERS_ENCRYPTION) != 0;
    ticket->requires_encryption = (flags & FLAG_REQUIRES_ENCRYPTION) != 0;
    ticket->admitted = (flags & FLAG_ADMITTED) != 0;
    ticket->ticket = read_u32(data + HEAD_BYTES + 1);
    if ((flags & ~FLAGS) != 0 || ticket->ticket == 0 || ticket->ticket >> RAIM_TICKET_BITS != 0 ||
        (ticket->requires_encryption && !ticket->offers_encryption) || length == 0 ||
        length >= RAIM_TICKET_ARENA_BYTES ||
        size != at + length + (ticket->offers_encryption ? RAIM_KEY_BYTES : 0U) ||
        memchr(data + at, '\0', length) != NULL)
        return false;
    memcpy(ticket->arena, data + at, length);
    at += length;
    if (ticket->offers_encryption)
        memcpy(ticket->server_key, data + at, RAIM_KEY_BYTES);
    return true;
}

size_t raim_invite_write(const struct raim_invite *invite, uint8_t bytes[RAIM_INVITE_BYTES])
{
    raim_knock_write_head(RAIM_KNOCK_INVITE, bytes);
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

size_t raim_refused_write(const struct raim_refused *refused, uint8_t bytes[RAIM_REFUSED_BYTES])
{
    const size_t length = strlen(refused->text);
    assert(length < RAIM_REFUSED_TEXT_BYTES);
    raim_knock_write_head(RAIM_KNOCK_REFUSED, bytes);
    bytes[HEAD_BYTES] = refused->reason;
    memcpy(bytes + HEAD_BYTES + 1, refused->text, length);
    return HEAD_BYTES + 1 + length;
}

bool raim_refused_read(const uint8_t *data, size_t size, struct raim_refused *refused)
{
    *refused = (struct raim_refused){0};
    if (size <= HEAD_BYTES || size > RAIM_REFUSED_BYTES)
        return false;
    const size_t length = size - HEAD_BYTES - 1;
    if (memchr(data + HEAD_BYTES + 1, '\0', length) != NULL)
        return false;
    refused->reason = data[HEAD_BYTES];
    memcpy(refused->text, data + HEAD_BYTES + 1, length);
    return true;
}
