// SPDX-License-Identifier: MIT
// Moves datagrams between the batches and ENet, and decrypts and encrypts those of sessions.
#define _GNU_SOURCE // struct mmsghdr, for batch.h
#include "transport_datagrams.h"

#include "monotonic.h"
#include "secure_sessions.h"

#include <arpa/inet.h>
#include <assert.h>
#include <string.h>

_Thread_local struct transport *transport_serving;

// Decrypts or copies a datagram into ENet's buffer, for a transport that offers encryption. A
// refused datagram becomes one zero byte, which transport_intercept counts and discards, so that a
// flood of refused datagrams stays within the limits of a tick.
static size_t decrypt_or_copy(struct transport *transport, struct udp_address from,
                              const uint8_t *received, size_t size, uint8_t *data)
{
    size_t shown = 0;
    if (raim_secure_channel_is_datagram(received, size)) {
        shown = secure_sessions_decrypt(transport->sessions, from, received, size, data,
                                        &transport->decrypt_verdict);
        transport->is_secure = shown > 0;
    } else if ((size >= 2 && received[0] == 0xFF && received[1] == 0xFF) ||
               (!transport->gate.offer.requires_encryption &&
                !secure_sessions_has(transport->sessions, from))) {
        memcpy(data, received, size);
        return size;
    } else {
        transport->decrypt_verdict = DATAGRAM_UNENCRYPTED;
    }
    if (shown > 0)
        return shown;
    data[0] = 0;
    return 1;
}

int transport_next_datagram(struct transport *transport, struct udp_address *from, uint8_t *data)
{
    struct batch *in = &transport->in;
    if (in->next == in->count && !transport->drained)
        transport->drained = !batch_receive(in, transport->socket);
    if (in->next == in->count) {
        // ENet takes 0 for "no datagram" too. But -1 also ends the service before it sends
        // acknowledgements, so that they share datagrams with the tick's messages.
        return -1;
    }
    const size_t i = in->next++;
    const size_t size = in->headers[i].msg_len;
    transport->stats.packets_in++;
    transport->stats.bytes_in += size;
    *from = (struct udp_address){.address = ntohl(in->addresses[i].sin_addr.s_addr),
                                 .port = ntohs(in->addresses[i].sin_port)};
    transport->decrypt_verdict = DATAGRAM_OK;
    transport->is_secure = false;
    if (size == 0) {
        // ENet takes 0 for "no datagram". One byte is just as malformed as an empty datagram.
        data[0] = 0;
        return 1;
    }
    const size_t shown = size < BATCH_BYTES ? size : BATCH_BYTES;
    if (transport->sessions != NULL)
        return (int)decrypt_or_copy(transport, *from, in->data[i], shown, data);
    memcpy(data, in->data[i], shown);
    return (int)shown;
}

void transport_send_batch(struct transport *transport)
{
    const struct batch_sent sent = batch_send(&transport->out, transport->socket);
    transport->stats.packets_out += sent.packets;
    transport->stats.bytes_out += sent.bytes;
    transport->stats.send_errors += sent.errors;
}

// Copies the parts, because ENet frees its buffers when this returns.
static int send_batched(struct transport *transport, struct udp_address to,
                        const struct iovec *parts, size_t count)
{
    if (transport->out.count == BATCH_DATAGRAMS)
        transport_send_batch(transport);
    if (!batch_add(&transport->out, htonl(to.address), htons(to.port), parts, count)) {
        transport->stats.send_errors++;
        return 0;
    }
    return (int)transport->out.parts[transport->out.count - 1].iov_len;
}

static int send_encrypted(struct transport *transport, struct udp_address to,
                          const struct iovec *parts, size_t count)
{
    uint8_t plain[RAIM_MAX_DATAGRAM_BYTES], encrypted[RAIM_MAX_DATAGRAM_BYTES + RAIM_SECURE_BYTES];
    size_t size = 0;
    for (size_t i = 0; i < count; i++) {
        if (parts[i].iov_len > sizeof plain - size) {
            transport->stats.send_errors++;
            return 0;
        }
        memcpy(plain + size, parts[i].iov_base, parts[i].iov_len);
        size += parts[i].iov_len;
    }
    const struct iovec whole = {
        .iov_base = encrypted,
        .iov_len = secure_sessions_encrypt(transport->sessions, to, monotonic_ms(), plain, size,
                                           encrypted),
    };
    return send_batched(transport, to, &whole, 1);
}

int transport_queue(struct transport *transport, struct udp_address to, const struct iovec *parts,
                    size_t count)
{
    if (transport->sessions == NULL)
        return send_batched(transport, to, parts, count);
    if (secure_sessions_has(transport->sessions, to))
        return send_encrypted(transport, to, parts, count);
    // If encryption is required, a peer that has lost its session is sent nothing.
    return transport->gate.offer.requires_encryption ? 0
                                                     : send_batched(transport, to, parts, count);
}

void transport_queue_plain(struct transport *transport, struct udp_address to, const uint8_t *data,
                           size_t size)
{
    assert(size <= RAIM_MAX_DATAGRAM_BYTES);
    const struct iovec whole = {.iov_base = (void *)data, .iov_len = size};
    send_batched(transport, to, &whole, 1);
}

int transport_refuse(struct transport *transport, enum datagram_verdict reason)
{
    transport->stats.refused[reason]++;
    return 1;
}
