// SPDX-License-Identifier: MIT
// Moves datagrams between the batches and ENet, and decrypts and encrypts those of sessions.
#define _GNU_SOURCE // struct mmsghdr, for batch.h
#include "transport_datagrams.h"

#include "gateways.h"
#include "secure_sessions.h"

#include <assert.h>
#include <string.h>

static enum datagram_verdict decrypt(struct transport *transport, struct received *datagram)
{
    enum datagram_verdict verdict = DATAGRAM_UNENCRYPTED;
    const uint8_t *data = datagram->data;
    const size_t size = datagram->size;
    if (raim_secure_channel_is_datagram(data, size)) {
        datagram->data += RAIM_SECURE_HEADER_BYTES;
        datagram->size = secure_sessions_decrypt(transport->sessions, datagram->from, data, size,
                                                 datagram->data, &verdict);
        datagram->is_secure = true;
    } else if ((size >= 2 && data[0] == 0xFF && data[1] == 0xFF) ||
               (!transport->admission.offer.requires_encryption &&
                !secure_sessions_has(transport->sessions, datagram->from))) {
        verdict = DATAGRAM_OK;
    }
    return verdict;
}

enum datagram_verdict transport_next_datagram(struct transport *transport,
                                              struct received *datagram)
{
    struct batch *in = &transport->in;
    assert(in->next < in->count);
    const size_t i = in->next++;
    const size_t size = in->headers[i].msg_len;
    transport->stats.packets_in++;
    transport->stats.bytes_in += size;
    *datagram = (struct received){
        .from = batch_sender(in, i),
        .data = in->data[i],
        .size = size < BATCH_BYTES ? size : BATCH_BYTES,
    };
    // An answer to :: would go to this machine itself.
    if (ip_address_is_none(datagram->from.ip))
        return DATAGRAM_MALFORMED;
    if (transport->gateways != NULL)
        gateways_translate(transport->gateways, &datagram->from, transport->now_ms);
    return transport->sessions != NULL ? decrypt(transport, datagram) : DATAGRAM_OK;
}

void transport_send_batch(struct transport *transport)
{
    if (transport->out.count == 0)
        return;
    const struct batch_sent sent = batch_send(&transport->out, transport->socket);
    transport->stats.packets_out += sent.packets;
    transport->stats.bytes_out += sent.bytes;
    transport->stats.send_errors += sent.errors;
}

// The memory for the next datagram, encrypted or not.
static uint8_t *begin_datagram(struct transport *transport)
{
    if (transport->out.count == BATCH_DATAGRAMS)
        transport_send_batch(transport);
    return batch_buffer(&transport->out);
}

// With sessions, plain bytes are written where their ciphertext goes.
static size_t plain_offset(const struct transport *transport)
{
    return transport->sessions != NULL ? RAIM_SECURE_HEADER_BYTES : 0;
}

uint8_t *transport_buffer(struct transport *transport)
{
    return begin_datagram(transport) + plain_offset(transport);
}

// Adds the datagram in the buffer, by the gateway of a player who is behind one.
static void add(struct transport *transport, struct udp_address to, size_t size)
{
    if (to.via == 0 || gateways_resolve(transport->gateways, &to))
        batch_add(&transport->out, to, size);
}

void transport_queue(struct transport *transport, struct udp_address to, size_t size)
{
    if (transport->sessions == NULL) {
        add(transport, to, size);
        return;
    }
    uint8_t *data = batch_buffer(&transport->out);
    const size_t encrypted = secure_sessions_encrypt(transport->sessions, to, transport->now_ms,
                                                     data + RAIM_SECURE_HEADER_BYTES, size, data);
    if (encrypted > 0) {
        add(transport, to, encrypted);
        return;
    }
    // If encryption is required, a peer that has lost its session is sent nothing.
    if (transport->admission.offer.requires_encryption)
        return;
    memmove(data, data + RAIM_SECURE_HEADER_BYTES, size);
    add(transport, to, size);
}

void transport_queue_plain(struct transport *transport, struct udp_address to, const uint8_t *data,
                           size_t size)
{
    assert(size <= RAIM_MAX_DATAGRAM_BYTES);
    memcpy(begin_datagram(transport), data, size);
    add(transport, to, size);
}

int transport_reject(struct transport *transport, enum datagram_verdict reason)
{
    transport->stats.rejected[reason]++;
    return 1;
}
