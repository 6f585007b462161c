// SPDX-License-Identifier: MIT
// Datagrams before a connection, at either end: what a reader accepts, its writer writes again byte
// for byte, and no answer is as large as its question.
#include "fuzz.h"

#include "knock.h"

static void check_knock(const uint8_t *data, size_t size)
{
    uint8_t written[RAIM_KNOCK_BYTES];
    if (!raim_knock_read(data, size))
        return;
    assert(size >= raim_knock_write(written));
    assert(memcmp(data, written, sizeof written) == 0);
}

static void check_ticket(const uint8_t *data, size_t size)
{
    uint8_t written[RAIM_TICKET_BYTES];
    struct raim_ticket ticket;
    if (!raim_ticket_read(data, size, &ticket))
        return;
    assert(size < RAIM_KNOCK_BYTES);
    assert(raim_ticket_write(&ticket, written) == size && memcmp(data, written, size) == 0);
}

static void check_invite(const uint8_t *data, size_t size)
{
    uint8_t written[RAIM_INVITE_BYTES];
    struct raim_invite invite;
    if (!raim_invite_read(data, size, &invite))
        return;
    assert(raim_invite_write(&invite, written) == size && memcmp(data, written, size) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    // A reader sees no more than one datagram, and no datagram that is not of its kind.
    switch (raim_knock_kind(data, size)) {
    case RAIM_KNOCK_KNOCK:
        check_knock(data, size);
        break;
    case RAIM_KNOCK_TICKET:
        check_ticket(data, size);
        break;
    case RAIM_KNOCK_INVITE:
        check_invite(data, size);
        break;
    case RAIM_KNOCK_SEALED:
    case RAIM_KNOCK_NONE:
        break;
    }
    return 0;
}
