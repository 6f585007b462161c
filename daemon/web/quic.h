// SPDX-License-Identifier: MIT
// WebTransport server on one UDP socket: QUIC (RFC 9000) by ngtcp2 with GnuTLS, and the sessions'
// datagrams (RFC 9221). A connection carries one session; its client opened it with an extended
// CONNECT (http3.h). Strangers are limited: where many handshakes are unfinished
// (QUIC_FREE_HANDSHAKES) or have just begun, a client proves its address first (Retry); connections
// are counted by address and network, handshakes by network.
// Main thread only.
#pragma once

#include "ip_address.h"
#include "web_metrics.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

struct certificates;
struct loop;
struct quic;
struct quic_connection;

enum {
    QUIC_SECRET_BYTES = 32,
    QUIC_FREE_HANDSHAKES = 32,
    // A datagram of this size fits every packet. Larger ones fit where the path to the client has
    // been found to carry larger packets, up to some 1,400 bytes.
    QUIC_SURE_DATAGRAM_BYTES = 1150,
    QUIC_REQUEST_MS = 5000, // from the handshake to the CONNECT
    QUIC_UNUSED_MS = 10000, // since a session was used
};

struct quic_limits {
    uint32_t connections, of_address, of_network; // an address is a host, see ip_address_host
};

struct quic_def {
    struct loop *loop;     // borrowed
    int socket;            // bound; owned by the server, even if it cannot start
    bool has_locals;       // the socket reports where datagrams arrive, see local_address_enable
    const uint8_t *secret; // QUIC_SECRET_BYTES, of tokens and stateless resets; copied
    struct certificates *certificates; // borrowed
    struct quic_limits limits;
    struct web_counts *counts; // borrowed

    // Opens a session for a path. Returns 200 and a session, or the status of a rejection. It may
    // not send.
    int (*open)(void *context, struct quic_connection *connection, const char *path,
                void **session);
    // A datagram of a session's client. It may not send, nor close.
    void (*receive)(void *session, const uint8_t *bytes, size_t size);
    void (*close)(void *session); // called once for each session
    void *context;
};

// Returns NULL when memory or descriptors run out.
struct quic *quic_start(const struct quic_def *def);

// Ends all sessions; tells their clients. Takes NULL.
void quic_stop(struct quic *quic);

// Puts datagrams to a session's client into packets. Those that are too large or find the path
// congested are dropped and counted.
void quic_send(struct quic_connection *connection, const struct iovec *datagrams, size_t count);

// Notes that somebody plays by a session: it does not make room for others when there are too many.
void quic_use(struct quic_connection *connection);

// Sends the packets that quic_send has filled.
void quic_flush(struct quic *quic);

// Ends a session, with a code and a reason of at most 40 characters for the page, at the next
// flush. Its `close` is called later.
void quic_end(struct quic_connection *connection, uint32_t code, const char *reason);

// The client's address, which may change while it roams.
struct udp_address quic_address(const struct quic_connection *connection);
