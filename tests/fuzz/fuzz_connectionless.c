// SPDX-License-Identifier: MIT
// Fuzzes connectionless datagrams at both ends: an accepted datagram is written as equal bytes, and
// every answer is smaller than its request.
#include "fuzz.h"

#include "secure_datagram.h"

static void check_connect_request(const uint8_t *data, size_t size)
{
    uint8_t written[RAIM_CONNECTIONLESS_BYTES];
    struct raim_connect_request connect_request;
    if (!raim_connect_request_read(data, size, &connect_request))
        return;
    assert(size >= raim_connect_request_write(&connect_request, written));
    assert(memcmp(data, written, sizeof written) == 0);
}

static void check_cookie(const uint8_t *data, size_t size)
{
    uint8_t written[RAIM_COOKIE_BYTES];
    struct raim_cookie cookie;
    if (!raim_cookie_read(data, size, &cookie))
        return;
    assert(size <= RAIM_COOKIE_BYTES && size < RAIM_CONNECTIONLESS_BYTES);
    assert(raim_cookie_write(&cookie, written) == size && memcmp(data, written, size) == 0);
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
    raim_init_write_head(init.cookie, written);
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
    switch (raim_connectionless_kind(data, size)) {
    case RAIM_CONNECTIONLESS_REQUEST:
        check_connect_request(data, size);
        break;
    case RAIM_CONNECTIONLESS_COOKIE:
        check_cookie(data, size);
        break;
    case RAIM_CONNECTIONLESS_INVITE:
        check_invite(data, size);
        break;
    case RAIM_CONNECTIONLESS_HANDSHAKE:
        check_handshake(data, size);
        break;
    case RAIM_CONNECTIONLESS_REFUSED:
        check_refused(data, size);
        break;
    case RAIM_CONNECTIONLESS_NONE:
        break;
    }
    return 0;
}
