// SPDX-License-Identifier: MIT
// Datagrams before a connection, at either end: what a reader accepts, its writer writes again byte
// for byte, and no answer is as large as its question.
#include "fuzz.h"

#include "secure_datagram.h"

static void check_knock(const uint8_t *data, size_t size)
{
    uint8_t written[RAIM_KNOCK_BYTES];
    struct raim_knock knock;
    if (!raim_knock_read(data, size, &knock))
        return;
    assert(size >= raim_knock_write(&knock, written));
    assert(memcmp(data, written, sizeof written) == 0);
}

static void check_ticket(const uint8_t *data, size_t size)
{
    uint8_t written[RAIM_TICKET_BYTES];
    struct raim_ticket ticket;
    if (!raim_ticket_read(data, size, &ticket))
        return;
    assert(size <= RAIM_TICKET_BYTES && size < RAIM_KNOCK_BYTES);
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

static void check_handshake(const uint8_t *data, size_t size)
{
    uint8_t written[RAIM_INIT_HEAD_BYTES];
    struct raim_init init;
    const uint8_t *message = raim_response_read(data, size);
    assert(message == NULL || message + RAIM_NOISE_OVERHEAD_BYTES + 1 == data + size);
    if (!raim_init_read(data, size, &init))
        return;
    assert(size > RAIM_RESPONSE_BYTES && init.message + init.size == data + size);
    raim_init_write_head(init.ticket, written);
    assert(memcmp(data, written, sizeof written) == 0);
}

static void check_refused(const uint8_t *data, size_t size)
{
    uint8_t written[RAIM_REFUSED_BYTES];
    struct raim_refused refused;
    if (!raim_refused_read(data, size, &refused))
        return;
    assert(raim_refused_write(&refused, written) == size && memcmp(data, written, size) == 0);
}

static void check_credential(const uint8_t *data, size_t size)
{
    uint8_t written[RAIM_CREDENTIAL_MOST_BYTES];
    struct raim_credential credential;
    const size_t taken = raim_credential_read(data, size, &credential);
    assert(taken <= size);
    if (taken > 0)
        assert(raim_credential_write(&credential, written) == taken &&
               memcmp(data, written, taken) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    check_credential(data, size);
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
    case RAIM_KNOCK_HANDSHAKE:
        check_handshake(data, size);
        break;
    case RAIM_KNOCK_REFUSED:
        check_refused(data, size);
        break;
    case RAIM_KNOCK_NONE:
        break;
    }
    return 0;
}
