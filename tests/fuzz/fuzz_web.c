// SPDX-License-Identifier: MIT
// Fuzzes the gateway for browsers: any bytes as a stream of HTTP/3, in pieces, and any datagrams to
// its server of QUIC, which rejects, answers or drops each. No answer to a stranger is larger than
// what it answers, apart from a connection's first packets, which are at most three times as large.
#define _GNU_SOURCE
#include "fuzz.h"

#include "certificate.h"
#include "crypto.h"
#include "http3.h"
#include "loop.h"
#include "quic.h"
#include "socket_address.h"

#include <stdbool.h>
#include <time.h>
#include <unistd.h>

static struct loop *loop;
static struct certificates *certificates;
static struct web_counts counts;
static struct quic *quic;
static union socket_address address;
static int stranger;

static int open_none(void *context, struct quic_connection *connection, const char *path,
                     void **session)
{
    (void)context, (void)connection, (void)path, (void)session;
    return 404;
}

static void receive_none(void *session, const uint8_t *bytes, size_t size)
{
    (void)session, (void)bytes, (void)size;
    abort();
}

static void close_none(void *session)
{
    (void)session;
    abort();
}

static void clean_up(void)
{
    quic_stop(quic);
    certificates_close(certificates);
    loop_destroy(loop);
    close(stranger);
}

static void set_up(void)
{
    char problem[256];
    static const uint8_t secret[QUIC_SECRET_BYTES];
    const struct certificates_def certificates_def = {.chain = "", .key = ""};
    raim_crypto_init();
    loop = loop_create();
    certificates = certificates_open(&certificates_def, time(NULL), problem, sizeof problem);
    stranger = socket_address_open("127.0.0.1", 0, SOCK_DGRAM, problem, sizeof problem);
    const int socket = socket_address_open("127.0.0.1", 0, SOCK_DGRAM, problem, sizeof problem);
    assert(loop != NULL && certificates != NULL && stranger >= 0 && socket >= 0 &&
           socket_address_of(socket, &address));
    const struct quic_def def = {
        .loop = loop,
        .socket = socket,
        .secret = secret,
        .certificates = certificates,
        .limits = {64, 64, 64},
        .counts = &counts,
        .open = open_none,
        .receive = receive_none,
        .close = close_none,
    };
    quic = quic_start(&def);
    assert(quic != NULL);
    atexit(clean_up);
}

static void check_stream(struct fuzz_input *input)
{
    struct http3_stream stream = {0};
    enum http3_event event = HTTP3_MORE;
    while (input->left > 0 && event != HTTP3_BAD && event != HTTP3_CLOSE) {
        size_t size;
        const uint8_t *piece = fuzz_block(input, 1 + fuzz_byte(input), &size);
        uint8_t *copy = fuzz_copy(piece, size);
        const uint8_t *at = copy;
        while (size > 0) {
            const uint8_t *before = at;
            event = http3_read(&stream, &at, &size);
            assert(event != HTTP3_MORE || size == 0);
            assert(at > before);
            if (event == HTTP3_REQUEST)
                assert(memchr(stream.request.path, '\0', sizeof stream.request.path) != NULL);
            if (event == HTTP3_BAD || event == HTTP3_CLOSE)
                break;
        }
        free(copy);
    }
    http3_stream_clear(&stream);
}

static void check_datagrams(struct fuzz_input *input)
{
    size_t sent = 0, received = 0;
    while (input->left > 0) {
        uint8_t datagram[1500] = {0}, answer[2048];
        size_t size;
        const uint8_t *bytes = fuzz_block(input, fuzz_pair(input) % sizeof datagram, &size);
        memcpy(datagram, bytes, size);
        // Strangers that are to be answered have padded what they send.
        const size_t padded = size > 0 && (datagram[0] & 0x80) != 0 && size < 1200 ? 1200 : size;
        if (sendto(stranger, datagram, padded, 0, &address.any, socket_address_size(&address)) < 0)
            continue;
        sent += padded;
        while (loop_wait(loop, 0))
            ;
        for (ssize_t got; (got = recv(stranger, answer, sizeof answer, MSG_DONTWAIT)) > 0;)
            received += (size_t)got;
        assert(received <= 3 * sent);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_input input = {data, size};
    if (loop == NULL)
        set_up();
    if (fuzz_byte(&input) % 2 == 0)
        check_stream(&input);
    else
        check_datagrams(&input);
    return 0;
}
