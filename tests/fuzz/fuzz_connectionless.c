// SPDX-License-Identifier: MIT
// Fuzzes connectionless datagrams at both ends: an accepted datagram is written as equal bytes, and
// every answer is smaller than its request.
#include "fuzz.h"

#include "discovery.h"
#include "gateway.h"
#include "secure_datagram.h"
#include "server_info.h"
#include "utf8.h"

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
    raim_init_write_head(init.cookie, init.aesgcm, written);
    assert(memcmp(data, written, sizeof written) == 0);
}

static void check_rejected(const uint8_t *data, size_t size)
{
    uint8_t written[RAIM_REJECTED_BYTES];
    struct raim_rejected rejected;
    if (!raim_rejected_read(data, size, &rejected))
        return;
    assert(raim_rejected_write(&rejected, written) == size && memcmp(data, written, size) == 0);
}

static void check_discovery(const uint8_t *data, size_t size)
{
    uint8_t written[RAIM_DISCOVERY_BYTES];
    struct raim_discovery discovery;
    uint64_t nonce;
    if (raim_discovery_read_request(data, size, &nonce))
        assert(size == RAIM_DISCOVERY_BYTES && !raim_discovery_read(data, size, &discovery));
    if (!raim_discovery_read(data, size, &discovery))
        return;
    assert(raim_discovery_write(&discovery, written) == size && memcmp(data, written, size) == 0);
}

static void check_server_info(const uint8_t *data, size_t size)
{
    struct raim_server_info info;
    uint32_t challenge;
    if (raim_server_info_read(data, size, &challenge, &info) != RAIM_SERVER_INFO_ANSWER)
        return;
    assert(memchr(info.name, '\0', sizeof info.name) != NULL);
    assert(memchr(info.tags, '\0', sizeof info.tags) != NULL);
    assert(raim_utf8_is_valid((const uint8_t *)info.tags, strlen(info.tags)));
}

static void check_announcement(const uint8_t *data, size_t size)
{
    static const uint8_t key[RAIM_GATEWAY_KEY_BYTES];
    uint8_t written[RAIM_ANNOUNCEMENT_BYTES];
    struct raim_announcement announcement;
    if (!raim_announcement_read(data, size, &announcement))
        return;
    raim_announcement_write(&announcement, key, written);
    assert(raim_announcement_verify(written, key));
    const bool is_same = memcmp(data, written, sizeof written) == 0;
    assert(raim_announcement_verify(data, key) == is_same);
}

static void check_credential(const uint8_t *data, size_t size)
{
    uint8_t written[RAIM_CREDENTIAL_MAX_BYTES];
    struct raim_credential credential;
    const size_t taken = raim_credential_read(data, size, &credential);
    assert(taken <= size);
    if (taken > 0)
        assert(raim_credential_write(&credential, written) == taken &&
               memcmp(data, written, taken) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    check_discovery(data, size);
    check_server_info(data, size);
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
    case RAIM_CONNECTIONLESS_REJECTED:
        check_rejected(data, size);
        break;
    case RAIM_CONNECTIONLESS_ANNOUNCEMENT:
        check_announcement(data, size);
        break;
    case RAIM_CONNECTIONLESS_NONE:
        break;
    }
    return 0;
}
