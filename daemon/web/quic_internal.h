// SPDX-License-Identifier: MIT
// What the two files of the QUIC server share: quic.c, the socket and the table of connections,
// and quic_connection.c, one connection. A file that includes this header defines _GNU_SOURCE and
// includes ngtcp2.h and ngtcp2_crypto.h first.
#pragma once

#include "batch.h"
#include "http3.h"
#include "quic.h"
#include "quic_version.h"

enum {
    QUIC_CID_BYTES = 8, // of the server's connection ids
    // A connection has those of the server, which ngtcp2 bounds by 8, and the client's first.
    QUIC_MAX_CIDS = 12,
    QUIC_PACKET_BYTES = 1452, // of a packet of the server's, where the path carries that
    QUIC_REQUEST_STREAMS = 4, // bidirectional ones of a client, of which one is used
};

#define QUIC_MS NGTCP2_MILLISECONDS
#define QUIC_NEVER UINT64_MAX

enum quic_state {
    QUIC_OPEN,
    QUIC_CLOSING,  // a CONNECTION_CLOSE was sent, which answers what still comes
    QUIC_DRAINING, // the client has sent one; nothing is sent any more
    QUIC_DEAD,
};

// An entry of the table of connections.
struct quic_cid {
    ngtcp2_cid id;
    struct quic_connection *connection; // NULL: unused
    struct quic_cid *next;              // in its row
};

// A stream of the server's to the client, or the session's: it is short enough for a buffer.
struct quic_stream {
    int64_t id; // -1: none
    size_t size, sent;
    bool has_end, is_ended, is_blocked;
    uint8_t bytes[96];
};

enum { QUIC_CONTROL, QUIC_ENCODER, QUIC_DECODER, QUIC_SESSION, QUIC_STREAMS };

struct quic_connection {
    struct quic *quic;
    struct quic_connection *next, **link; // in the list of all
    struct quic_connection *next_touched; // in the list of those that received a packet
    bool is_touched;
    enum quic_state state;
    ngtcp2_conn *conn;
    ngtcp2_crypto_conn_ref reference; // by which GnuTLS's callbacks find `conn`
    struct gnutls_session_int *tls;
    struct certificate *certificate; // referenced
    struct quic_cid cids[QUIC_MAX_CIDS];
    struct udp_address from; // of the first packet; its `local` of the last one
    ngtcp2_ccerr error;      // to close with
    bool wants_close, is_handshaking;
    uint64_t used_ms;  // see quic_use; 0: never
    bool is_proven;    // the client has answered from its address; limits count it by that
    bool is_urgent;    // more is to be sent than acknowledgements, which wait for a datagram
    ngtcp2_tstamp due; // of the request; then, when the state ends
    uint8_t *closing;  // CONNECTION_CLOSE, owned
    size_t closing_bytes;
    uint32_t closing_packets; // received since
    struct quic_stream streams[QUIC_STREAMS];
    struct http3_stream *requests[QUIC_REQUEST_STREAMS]; // owned
    void *session;                                       // NULL: none
};

struct quic {
    struct quic_def def;
    uint8_t secret[QUIC_SECRET_BYTES];
    union socket_address local;
    struct quic_cid **rows; // a hash table, whose rows are lists
    uint64_t row_mask;
    uint8_t hash_key[16];
    struct quic_connection *list, *touched;
    struct loop_source *source, *timer;
    uint64_t timer_ms;
    struct rate_limit *handshakes;
    struct gnutls_priority_st *priorities;
    struct batch in, out;
};

// --- quic.c ---

ngtcp2_tstamp quic_now(void);

// Adds an id of a connection. False if it has too many.
bool quic_add_cid(struct quic_connection *connection, const ngtcp2_cid *id);
void quic_remove_cid(struct quic_connection *connection, const ngtcp2_cid *id);

// Where to count that an address or its network has all the connections that it may have; NULL: it
// has fewer.
uint64_t *quic_find_excess(const struct quic *quic, struct ip_address ip);

// The buffer of the next packet, and its end.
uint8_t *quic_packet(struct quic *quic);
void quic_add_packet(struct quic *quic, struct udp_address to, size_t size);

// --- quic_connection.c ---

// A connection for a client's first packet, with its original connection id if that came with the
// token of a Retry. NULL when memory runs out.
struct quic_connection *quic_connection_create(struct quic *quic, const ngtcp2_pkt_hd *header,
                                               const ngtcp2_cid *original, struct udp_address from,
                                               const union socket_address *remote);

// Ends its session, too.
void quic_connection_destroy(struct quic_connection *connection);

void quic_connection_read(struct quic_connection *connection, struct udp_address from,
                          const union socket_address *remote, const uint8_t *packet, size_t size);

// Writes what is to be sent, and the datagrams; closes the connection where that is wanted.
void quic_connection_write(struct quic_connection *connection, const struct iovec *datagrams,
                           size_t count);

// Does what is due. Returns when something is due next.
ngtcp2_tstamp quic_connection_expire(struct quic_connection *connection, ngtcp2_tstamp now);

// Closes it at the next write, with an error of HTTP/3.
void quic_connection_fail(struct quic_connection *connection, enum http3_error error);
