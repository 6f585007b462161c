// SPDX-License-Identifier: MIT
// One connection: the callbacks of ngtcp2 and GnuTLS, the streams of HTTP/3, and the packets.
#define _GNU_SOURCE // batch.h
#include <ngtcp2/ngtcp2.h>
#include <ngtcp2/ngtcp2_crypto.h>

#include "quic_internal.h"

#include "certificate.h"
#include "crypto.h"
#include "monotonic.h"

#include <gnutls/gnutls.h>
#include <ngtcp2/ngtcp2_crypto_gnutls.h>

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
    // What a client may send on streams for as long as it is connected: a request and its settings
    // take some hundred bytes. No window grows, so a stream costs nobody more than this.
    STREAM_BYTES = 8192,
    ALL_STREAM_BYTES = 32768,
    OTHER_STREAMS = 8, // unidirectional: control, two of QPACK, and what browsers test servers by
    IDLE_S = 30,
    HANDSHAKE_S = 10,
    // Acknowledgements go with the next datagram; without one, the timer sends them.
    UNACKNOWLEDGED_PACKETS = 8,
    MAX_ACK_DELAY_MS = 25,
};

// --- Streams ---

void quic_connection_fail(struct quic_connection *connection, enum http3_error error)
{
    if (connection->wants_close)
        return;
    connection->wants_close = true;
    ngtcp2_ccerr_set_application_error(&connection->error, error, NULL, 0);
}

static void reject_request(struct quic_connection *connection, enum http3_error error)
{
    connection->quic->def.counts->rejected_request++;
    quic_connection_fail(connection, error);
}

// Answers the request of a session, or closes the connection.
static void take_request(struct quic_connection *connection, int64_t id,
                         const struct http3_request *request)
{
    const struct quic_def *def = &connection->quic->def;
    struct quic_stream *stream = &connection->streams[QUIC_SESSION];
    if (stream->id >= 0) {
        reject_request(connection, HTTP3_REQUEST_REJECTED); // a second one
        return;
    }
    const int status = request->is_webtransport ? def->open(def->context, connection, request->path,
                                                            &connection->session)
                                                : 400;
    stream->id = id;
    stream->size = http3_write_response(status, stream->bytes);
    stream->has_end = status != 200;
    connection->is_urgent = true;
    def->counts->rejected_request += !request->is_webtransport;
    if (connection->session == NULL)
        return; // the connection ends when the request's time is over
    def->counts->sessions++;
    def->counts->sessions_total++;
}

static void end_session(struct quic_connection *connection)
{
    const struct quic_def *def = &connection->quic->def;
    if (connection->session == NULL)
        return;
    def->close(connection->session);
    def->counts->sessions--;
    connection->session = NULL;
}

static int take_stream(ngtcp2_conn *conn, uint32_t flags, int64_t id, uint64_t offset,
                       const uint8_t *bytes, size_t size, void *context, void *stream_context)
{
    (void)conn, (void)offset, (void)stream_context;
    struct quic_connection *connection = context;
    // Of the client's unidirectional streams none is needed: the settings of browsers are known,
    // and without a dynamic table the streams of QPACK stay empty.
    if (!ngtcp2_is_bidi_stream(id))
        return 0;
    assert(id / 4 < QUIC_REQUEST_STREAMS);
    struct http3_stream *stream = connection->requests[id / 4];
    if (stream == NULL)
        stream = connection->requests[id / 4] = calloc(1, sizeof *stream);
    if (stream == NULL)
        return NGTCP2_ERR_CALLBACK_FAILURE;
    enum http3_event event = HTTP3_MORE;
    while (size > 0 && !connection->wants_close) {
        event = http3_read(stream, &bytes, &size);
        if (event == HTTP3_REQUEST)
            take_request(connection, id, &stream->request);
        else if (event == HTTP3_BAD)
            reject_request(connection, stream->error);
        else if (event == HTTP3_CLOSE)
            quic_connection_fail(connection, HTTP3_NO_ERROR);
    }
    if ((flags & NGTCP2_STREAM_DATA_FLAG_FIN) != 0 && id == connection->streams[QUIC_SESSION].id)
        quic_connection_fail(connection, HTTP3_NO_ERROR);
    return 0;
}

static int end_stream(ngtcp2_conn *conn, uint32_t flags, int64_t id, uint64_t error, void *context,
                      void *stream_context)
{
    (void)conn, (void)flags, (void)error, (void)stream_context;
    struct quic_connection *connection = context;
    for (int i = 0; i < QUIC_STREAMS; i++)
        if (connection->streams[i].id == id)
            quic_connection_fail(connection, HTTP3_NO_ERROR);
    return 0;
}

static int take_datagram(ngtcp2_conn *conn, uint32_t flags, const uint8_t *bytes, size_t size,
                         void *context)
{
    (void)conn, (void)flags;
    struct quic_connection *connection = context;
    const struct quic_def *def = &connection->quic->def;
    const size_t prefix =
        connection->session == NULL
            ? 0
            : http3_read_prefix(connection->streams[QUIC_SESSION].id, bytes, size);
    if (prefix == 0)
        def->counts->dropped_early++;
    else
        def->receive(connection->session, bytes + prefix, size - prefix);
    return 0;
}

// Opens the streams that HTTP/3 wants, as soon as packets can be protected.
static int take_key(ngtcp2_conn *conn, ngtcp2_encryption_level level, void *context)
{
    struct quic_connection *connection = context;
    for (int i = QUIC_CONTROL; level == QUIC_LEVEL_1RTT && i <= QUIC_DECODER; i++) {
        struct quic_stream *stream = &connection->streams[i];
        if (ngtcp2_conn_open_uni_stream(conn, &stream->id, NULL) != 0)
            return NGTCP2_ERR_CALLBACK_FAILURE; // the client permits none
        stream->bytes[0] = i == QUIC_ENCODER ? 2 : 3;
        stream->size = i == QUIC_CONTROL ? http3_write_settings(stream->bytes) : 1;
    }
    return 0;
}

static int end_handshake(ngtcp2_conn *conn, void *context)
{
    (void)conn;
    struct quic_connection *connection = context;
    uint64_t *excess =
        connection->is_proven ? NULL : quic_find_excess(connection->quic, connection->from.ip);
    if (excess != NULL) {
        ++*excess;
        quic_connection_fail(connection, HTTP3_REQUEST_REJECTED);
    }
    connection->is_handshaking = false;
    connection->is_proven = true;
    connection->quic->def.counts->handshaking--;
    connection->quic->def.counts->handshakes++;
    connection->due = quic_now() + QUIC_REQUEST_MS * (ngtcp2_tstamp)QUIC_MS;
    return 0;
}

// --- Creation ---

static void fill_random(uint8_t *bytes, size_t size, const ngtcp2_rand_ctx *context)
{
    (void)context;
    raim_crypto_random(bytes, size);
}

static int make_cid(ngtcp2_conn *conn, ngtcp2_cid *id, uint8_t *token, size_t size, void *context)
{
    (void)conn;
    struct quic_connection *connection = context;
    raim_crypto_random(id->data, size);
    id->datalen = size;
    return ngtcp2_crypto_generate_stateless_reset_token(token, connection->quic->secret,
                                                        QUIC_SECRET_BYTES, id) == 0 &&
                   quic_add_cid(connection, id)
               ? 0
               : NGTCP2_ERR_CALLBACK_FAILURE;
}

static int drop_cid(ngtcp2_conn *conn, const ngtcp2_cid *id, void *context)
{
    (void)conn;
    quic_remove_cid(context, id);
    return 0;
}

static ngtcp2_conn *find_conn(ngtcp2_crypto_conn_ref *reference)
{
    return ((struct quic_connection *)reference->user_data)->conn;
}

static const ngtcp2_callbacks callbacks = {
    .recv_client_initial = ngtcp2_crypto_recv_client_initial_cb,
    .recv_crypto_data = ngtcp2_crypto_recv_crypto_data_cb,
    .encrypt = ngtcp2_crypto_encrypt_cb,
    .decrypt = ngtcp2_crypto_decrypt_cb,
    .hp_mask = ngtcp2_crypto_hp_mask_cb,
    .update_key = ngtcp2_crypto_update_key_cb,
    .delete_crypto_aead_ctx = ngtcp2_crypto_delete_crypto_aead_ctx_cb,
    .delete_crypto_cipher_ctx = ngtcp2_crypto_delete_crypto_cipher_ctx_cb,
    .get_path_challenge_data = ngtcp2_crypto_get_path_challenge_data_cb,
    .version_negotiation = ngtcp2_crypto_version_negotiation_cb,
    .rand = fill_random,
    .get_new_connection_id = make_cid,
    .remove_connection_id = drop_cid,
    .recv_tx_key = take_key,
    .handshake_completed = end_handshake,
    .recv_stream_data = take_stream,
    .stream_close = end_stream,
    .recv_datagram = take_datagram,
};

// GnuTLS checks the protocol of ALPN only where a client names one.
static int check_protocol(gnutls_session_t session, unsigned type, unsigned when,
                          unsigned is_incoming, const gnutls_datum_t *message)
{
    (void)type, (void)when, (void)is_incoming, (void)message;
    gnutls_datum_t protocol;
    return gnutls_alpn_get_selected_protocol(session, &protocol) == 0
               ? 0
               : GNUTLS_E_NO_APPLICATION_PROTOCOL;
}

static bool start_tls(struct quic_connection *connection)
{
    static const gnutls_datum_t protocol = {(unsigned char *)"h3", 2};
    connection->reference =
        (ngtcp2_crypto_conn_ref){.get_conn = find_conn, .user_data = connection};
    if (gnutls_init(&connection->tls,
                    GNUTLS_SERVER | GNUTLS_NO_AUTO_SEND_TICKET | GNUTLS_NO_END_OF_EARLY_DATA) != 0)
        return false;
    gnutls_session_t tls = connection->tls;
    if (gnutls_priority_set(tls, connection->quic->priorities) != 0 ||
        gnutls_credentials_set(tls, GNUTLS_CRD_CERTIFICATE, connection->certificate->credentials) !=
            0 ||
        gnutls_alpn_set_protocols(tls, &protocol, 1, GNUTLS_ALPN_MANDATORY) != 0 ||
        ngtcp2_crypto_gnutls_configure_server_session(tls) != 0)
        return false;
    gnutls_handshake_set_hook_function(tls, GNUTLS_HANDSHAKE_CLIENT_HELLO, GNUTLS_HOOK_POST,
                                       check_protocol);
    gnutls_session_set_ptr(tls, &connection->reference);
    ngtcp2_conn_set_tls_native_handle(connection->conn, tls);
    return true;
}

static ngtcp2_path path_of(const struct quic *quic, const union socket_address *remote)
{
    return (ngtcp2_path){
        .local = {(struct sockaddr *)&quic->local.any, socket_address_size(&quic->local)},
        .remote = {(struct sockaddr *)&remote->any, socket_address_size(remote)},
    };
}

static bool start_conn(struct quic_connection *connection, const ngtcp2_pkt_hd *header,
                       const ngtcp2_cid *original, const union socket_address *remote)
{
    struct quic *quic = connection->quic;
    ngtcp2_settings settings;
    ngtcp2_settings_default(&settings);
    settings.initial_ts = quic_now();
    settings.handshake_timeout = HANDSHAKE_S * NGTCP2_SECONDS;
    settings.ack_thresh = UNACKNOWLEDGED_PACKETS;

    ngtcp2_transport_params parameters;
    ngtcp2_transport_params_default(&parameters);
    parameters.initial_max_data = ALL_STREAM_BYTES;
    parameters.initial_max_stream_data_bidi_remote = STREAM_BYTES;
    parameters.initial_max_stream_data_uni = STREAM_BYTES;
    parameters.initial_max_streams_bidi = QUIC_REQUEST_STREAMS;
    parameters.initial_max_streams_uni = OTHER_STREAMS;
    parameters.max_idle_timeout = IDLE_S * NGTCP2_SECONDS;
    parameters.max_datagram_frame_size = BATCH_BYTES;
    parameters.max_udp_payload_size = BATCH_BYTES;
    parameters.max_ack_delay = MAX_ACK_DELAY_MS * QUIC_MS;
    quic_set_original(&parameters, original != NULL ? *original : header->dcid);
    if (original != NULL) {
        quic_set_token(&settings, header);
        parameters.retry_scid = header->dcid;
        parameters.retry_scid_present = 1;
    }

    ngtcp2_cid id = {.datalen = QUIC_CID_BYTES};
    raim_crypto_random(id.data, id.datalen);
    parameters.stateless_reset_token_present =
        ngtcp2_crypto_generate_stateless_reset_token(parameters.stateless_reset_token, quic->secret,
                                                     QUIC_SECRET_BYTES, &id) == 0;
    const ngtcp2_path path = path_of(quic, remote);
    // The client uses the id that it chose itself until it has heard from the server.
    return ngtcp2_conn_server_new(&connection->conn, &header->scid, &id, &path, header->version,
                                  &callbacks, &settings, &parameters, NULL, connection) == 0 &&
           quic_add_cid(connection, &id) && quic_add_cid(connection, &header->dcid);
}

struct quic_connection *quic_connection_create(struct quic *quic, const ngtcp2_pkt_hd *header,
                                               const ngtcp2_cid *original, struct udp_address from,
                                               const union socket_address *remote)
{
    struct quic_connection *connection = calloc(1, sizeof *connection);
    if (connection == NULL)
        return NULL;
    connection->quic = quic;
    connection->from = from;
    connection->is_handshaking = true;
    connection->is_proven = original != NULL;
    connection->due = QUIC_NEVER;
    connection->certificate = certificate_keep(certificates_current(quic->def.certificates));
    ngtcp2_ccerr_default(&connection->error);
    for (int i = 0; i < QUIC_STREAMS; i++)
        connection->streams[i].id = -1;
    connection->next = quic->list;
    connection->link = &quic->list;
    if (quic->list != NULL)
        quic->list->link = &connection->next;
    quic->list = connection;
    quic->def.counts->connections++;
    quic->def.counts->handshaking++;
    if (start_conn(connection, header, original, remote) && start_tls(connection))
        return connection;
    quic_connection_destroy(connection);
    return NULL;
}

void quic_connection_destroy(struct quic_connection *connection)
{
    struct web_counts *counts = connection->quic->def.counts;
    assert(!connection->is_touched);
    end_session(connection);
    counts->connections--;
    counts->handshaking -= connection->is_handshaking;
    *connection->link = connection->next;
    if (connection->next != NULL)
        connection->next->link = connection->link;
    for (int i = 0; i < QUIC_MAX_CIDS; i++)
        if (connection->cids[i].connection != NULL)
            quic_remove_cid(connection, &connection->cids[i].id);
    for (int i = 0; i < QUIC_REQUEST_STREAMS; i++) {
        if (connection->requests[i] != NULL)
            http3_stream_clear(connection->requests[i]);
        free(connection->requests[i]);
    }
    ngtcp2_conn_del(connection->conn);
    if (connection->tls != NULL)
        gnutls_deinit(connection->tls);
    certificate_release(connection->certificate);
    free(connection->closing);
    free(connection);
}

// --- Packets ---

// Where ngtcp2 wants a packet to be sent. The server's own address is that of the client's last
// packet.
static struct udp_address target_of(const struct quic_connection *connection,
                                    const ngtcp2_path *path)
{
    struct udp_address to = socket_udp_read(path->remote.addr);
    to.local = connection->from.local;
    return to;
}

// Sends CONNECTION_CLOSE. It answers what still comes for three probe timeouts (RFC 9000, 10.2).
static void close_connection(struct quic_connection *connection)
{
    ngtcp2_path_storage path;
    ngtcp2_pkt_info info;
    const ngtcp2_tstamp now = quic_now();
    if (connection->state != QUIC_OPEN)
        return;
    end_session(connection);
    ngtcp2_path_storage_zero(&path);
    connection->closing = malloc(QUIC_PACKET_BYTES);
    ngtcp2_ssize size = 0;
    if (connection->closing != NULL && !ngtcp2_conn_in_closing_period(connection->conn) &&
        !ngtcp2_conn_in_draining_period(connection->conn))
        size = ngtcp2_conn_write_connection_close(connection->conn, &path.path, &info,
                                                  connection->closing, QUIC_PACKET_BYTES,
                                                  &connection->error, now);
    connection->state = size > 0 ? QUIC_CLOSING : QUIC_DRAINING;
    connection->due = now + 3 * ngtcp2_conn_get_pto(connection->conn);
    if (size <= 0)
        return;
    connection->closing_bytes = (size_t)size;
    connection->from = target_of(connection, &path.path);
    memcpy(quic_packet(connection->quic), connection->closing, (size_t)size);
    quic_add_packet(connection->quic, connection->from, (size_t)size);
}

// Only of the packets 1, 2, 4, 8, ...: two ends that both answer would never stop.
static void answer_closed(struct quic_connection *connection)
{
    const uint32_t count = ++connection->closing_packets;
    if (connection->state != QUIC_CLOSING || (count & (count - 1)) != 0)
        return;
    memcpy(quic_packet(connection->quic), connection->closing, connection->closing_bytes);
    quic_add_packet(connection->quic, connection->from, connection->closing_bytes);
}

void quic_connection_read(struct quic_connection *connection, struct udp_address from,
                          const union socket_address *remote, const uint8_t *packet, size_t size)
{
    const ngtcp2_path path = path_of(connection->quic, remote);
    const ngtcp2_pkt_info info = {0};
    if (connection->state != QUIC_OPEN) {
        answer_closed(connection);
        return;
    }
    const int result =
        ngtcp2_conn_read_pkt(connection->conn, &path, &info, packet, size, quic_now());
    connection->from.local = from.local;
    switch (result) {
    case 0:
        break;
    case NGTCP2_ERR_DRAINING:
        end_session(connection);
        connection->state = QUIC_DRAINING;
        connection->due = quic_now() + 3 * ngtcp2_conn_get_pto(connection->conn);
        break;
    case NGTCP2_ERR_DROP_CONN:
    case NGTCP2_ERR_RETRY:
        connection->state = QUIC_DEAD;
        break;
    case NGTCP2_ERR_CRYPTO:
        ngtcp2_ccerr_set_tls_alert(&connection->error, ngtcp2_conn_get_tls_alert(connection->conn),
                                   NULL, 0);
        connection->wants_close = true;
        break;
    default:
        ngtcp2_ccerr_set_liberr(&connection->error, result, NULL, 0);
        connection->wants_close = true;
        break;
    }
    for (int i = 0; i < QUIC_STREAMS; i++)
        connection->streams[i].is_blocked = false;
}

static struct quic_stream *find_stream(struct quic_connection *connection)
{
    for (int i = 0; i < QUIC_STREAMS; i++) {
        struct quic_stream *stream = &connection->streams[i];
        if (stream->id >= 0 && !stream->is_blocked &&
            (stream->sent < stream->size || (stream->has_end && !stream->is_ended)))
            return stream;
    }
    return NULL;
}

// A packet that is being written.
struct packet {
    ngtcp2_path_storage path;
    ngtcp2_pkt_info info;
    uint8_t *bytes;
    ngtcp2_tstamp now;
};

static ngtcp2_ssize write_stream(struct quic_connection *connection, struct quic_stream *stream,
                                 struct packet *packet)
{
    const ngtcp2_vec part = {stream->bytes + stream->sent, stream->size - stream->sent};
    const uint32_t flags =
        NGTCP2_WRITE_STREAM_FLAG_MORE | (stream->has_end ? NGTCP2_WRITE_STREAM_FLAG_FIN : 0);
    ngtcp2_ssize taken = -1;
    const ngtcp2_ssize size = ngtcp2_conn_writev_stream(
        connection->conn, &packet->path.path, &packet->info, packet->bytes, QUIC_PACKET_BYTES,
        &taken, flags, stream->id, &part, 1, packet->now);
    if (taken >= 0) {
        stream->sent += (size_t)taken;
        stream->is_ended = stream->has_end && stream->sent == stream->size;
    }
    if (size == NGTCP2_ERR_STREAM_DATA_BLOCKED || size == NGTCP2_ERR_STREAM_NOT_FOUND ||
        size == NGTCP2_ERR_STREAM_SHUT_WR) {
        stream->is_blocked = true;
        return NGTCP2_ERR_WRITE_MORE;
    }
    return size;
}

// `datagram` is taken where the result says WRITE_MORE, or `is_taken`.
static ngtcp2_ssize write_datagram(struct quic_connection *connection, const struct iovec *datagram,
                                   struct packet *packet, bool *is_taken)
{
    struct web_counts *counts = connection->quic->def.counts;
    uint8_t prefix[HTTP3_PREFIX_BYTES];
    const size_t prefix_bytes = http3_write_prefix(connection->streams[QUIC_SESSION].id, prefix);
    const ngtcp2_vec parts[] = {{prefix, prefix_bytes}, {datagram->iov_base, datagram->iov_len}};
    int accepted = 0;
    const ngtcp2_ssize size = ngtcp2_conn_writev_datagram(
        connection->conn, &packet->path.path, &packet->info, packet->bytes, QUIC_PACKET_BYTES,
        &accepted, NGTCP2_WRITE_DATAGRAM_FLAG_MORE, 0, parts, 2, packet->now);
    counts->datagrams_out += accepted != 0;
    *is_taken = accepted != 0;
    // The client takes none of this size; or it fits no packet, or the path is congested, which
    // ngtcp2 does not tell apart.
    if (size == NGTCP2_ERR_INVALID_ARGUMENT || size == NGTCP2_ERR_INVALID_STATE ||
        (size == 0 && datagram->iov_len > QUIC_SURE_DATAGRAM_BYTES)) {
        counts->dropped_large++;
        *is_taken = true;
        return NGTCP2_ERR_WRITE_MORE;
    }
    return size;
}

void quic_connection_write(struct quic_connection *connection, const struct iovec *datagrams,
                           size_t count)
{
    struct quic *quic = connection->quic;
    struct packet packet = {.now = quic_now()};
    size_t next = 0;
    if (connection->state != QUIC_OPEN)
        return;
    for (;;) {
        struct quic_stream *stream = find_stream(connection);
        bool is_taken = false;
        ngtcp2_ssize size;
        packet.bytes = quic_packet(quic);
        ngtcp2_path_storage_zero(&packet.path);
        if (stream != NULL)
            size = write_stream(connection, stream, &packet);
        else if (next < count)
            size = write_datagram(connection, &datagrams[next], &packet, &is_taken);
        else
            size = ngtcp2_conn_writev_stream(
                connection->conn, &packet.path.path, &packet.info, packet.bytes, QUIC_PACKET_BYTES,
                NULL, NGTCP2_WRITE_STREAM_FLAG_NONE, -1, NULL, 0, packet.now);
        next += is_taken;
        if (size == NGTCP2_ERR_WRITE_MORE)
            continue;
        if (size < 0) {
            ngtcp2_ccerr_set_liberr(&connection->error, (int)size, NULL, 0);
            connection->wants_close = true;
        }
        if (size <= 0)
            break; // nothing more to send, or the path takes no more now
        quic_add_packet(quic, target_of(connection, &packet.path.path), (size_t)size);
    }
    quic->def.counts->dropped_congested += count - next;
    connection->is_urgent = false;
    if (connection->wants_close)
        close_connection(connection);
}

ngtcp2_tstamp quic_connection_expire(struct quic_connection *connection, ngtcp2_tstamp now)
{
    if (connection->state != QUIC_OPEN) {
        if (connection->due <= now)
            connection->state = QUIC_DEAD;
        return connection->due;
    }
    if (connection->due <= now && connection->session == NULL) {
        connection->quic->def.counts->rejected_request += connection->streams[QUIC_SESSION].id < 0;
        quic_connection_fail(connection, HTTP3_REQUEST_REJECTED);
    }
    if (connection->wants_close) {
        quic_connection_write(connection, NULL, 0);
    } else if (ngtcp2_conn_get_expiry(connection->conn) <= now) {
        const int result = ngtcp2_conn_handle_expiry(connection->conn, now);
        if (result == NGTCP2_ERR_IDLE_CLOSE || result == NGTCP2_ERR_HANDSHAKE_TIMEOUT ||
            result == NGTCP2_ERR_DROP_CONN) {
            connection->state = QUIC_DEAD;
            return now;
        }
        if (result != 0) {
            ngtcp2_ccerr_set_liberr(&connection->error, result, NULL, 0);
            connection->wants_close = true;
        }
        quic_connection_write(connection, NULL, 0);
    }
    if (connection->state != QUIC_OPEN)
        return connection->due;
    const ngtcp2_tstamp expiry = ngtcp2_conn_get_expiry(connection->conn);
    return connection->session == NULL && connection->due < expiry ? connection->due : expiry;
}

void quic_end(struct quic_connection *connection, uint32_t code, const char *reason)
{
    struct quic_stream *stream = &connection->streams[QUIC_SESSION];
    if (stream->id < 0 || stream->has_end || connection->wants_close)
        return;
    stream->size += http3_write_close(code, reason, stream->bytes + stream->size);
    stream->has_end = true;
    quic_connection_fail(connection, HTTP3_NO_ERROR);
}

void quic_use(struct quic_connection *connection)
{
    connection->used_ms = monotonic_ms();
}

void quic_send(struct quic_connection *connection, const struct iovec *datagrams, size_t count)
{
    quic_connection_write(connection, datagrams, count);
}

struct udp_address quic_address(const struct quic_connection *connection)
{
    const ngtcp2_path *path = ngtcp2_conn_get_path(connection->conn);
    return socket_udp_read(path->remote.addr);
}
