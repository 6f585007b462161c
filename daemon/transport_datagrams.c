// SPDX-License-Identifier: MIT
// Datagrams between the batches and ENet, opened and sealed on the way where the arena is sealed.
#define _GNU_SOURCE // what batch.h is made of
#include "seals.h"
#include "transport_inside.h"

#include <arpa/inet.h>
#include <assert.h>
#include <string.h>

static_assert(QUERY_MAX_REPLY <= TRANSPORT_MTU, "a reply is one datagram");
static_assert(BATCH_BYTES == TRANSPORT_MTU + SEALS_BYTES + 1, "larger ones are known as such");

static struct seals_peer seals_peer_of(struct query_source who)
{
    return (struct seals_peer){.address = ntohl(who.address), .port = who.port};
}

// Opens a sealed datagram. What cannot be opened is still shown to transport_judge, which counts
// it, so that a flood is bounded like any other.
static size_t open_datagram(struct transport *transport, struct query_source from,
                            const uint8_t *sealed, size_t size, uint8_t *data)
{
    enum datagram_verdict verdict;
    const size_t opened = seals_open(transport->seals, seals_peer_of(from), sealed, size,
                                     transport_now_us() / 1000, data, &verdict);
    if (opened > 0)
        return opened;
    transport->opening = verdict;
    data[0] = 0;
    return 1;
}

int transport_take(struct transport *transport, struct query_source *from, uint8_t *data)
{
    struct batch *in = &transport->in;
    if (in->next == in->count && !transport->dry)
        transport->dry = !batch_receive(in, transport->socket);
    if (in->next == in->count) {
        // The end mark could be 0. But -1 also ends the service, which would go on to send
        // acknowledgements in datagrams of their own; so they travel with the tick's messages.
        return -1;
    }
    const size_t i = in->next++;
    const size_t size = in->headers[i].msg_len;
    transport->stats.packets_in++;
    transport->stats.bytes_in += size;
    *from = (struct query_source){.address = in->addresses[i].sin_addr.s_addr,
                                  .port = ntohs(in->addresses[i].sin_port)};
    transport->opening = DATAGRAM_OK;
    if (size == 0) {
        // ENet takes 0 for the end. One byte is as malformed as none.
        data[0] = 0;
        return 1;
    }
    const size_t shown = size < BATCH_BYTES ? size : BATCH_BYTES;
    if (transport->seals != NULL)
        return (int)open_datagram(transport, *from, in->data[i], shown, data);
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

// Copies, because ENet frees its buffers when this returns.
static int send_batched(struct transport *transport, struct query_source to,
                        const struct iovec *parts, size_t count)
{
    if (transport->out.count == BATCH_DATAGRAMS)
        transport_send_batch(transport);
    if (!batch_add(&transport->out, to.address, htons(to.port), parts, count)) {
        transport->stats.send_errors++;
        return 0;
    }
    return (int)transport->out.parts[transport->out.count - 1].iov_len;
}

// Who has no session is told nothing: as if it were lost.
static int send_sealed(struct transport *transport, struct query_source to,
                       const struct iovec *parts, size_t count)
{
    uint8_t plain[TRANSPORT_MTU], sealed[TRANSPORT_MTU + SEALS_MOST_BYTES];
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
        .iov_base = sealed,
        .iov_len = seals_close(transport->seals, seals_peer_of(to), plain, size, sealed),
    };
    return whole.iov_len > 0 ? send_batched(transport, to, &whole, 1) : 0;
}

int transport_put(struct transport *transport, struct query_source to, const struct iovec *parts,
                  size_t count)
{
    return transport->seals != NULL ? send_sealed(transport, to, parts, count)
                                    : send_batched(transport, to, parts, count);
}

void transport_send_to(struct transport *transport, struct query_source to, const uint8_t *data,
                       size_t size)
{
    assert(size <= QUERY_MAX_REPLY);
    const struct iovec whole = {.iov_base = (void *)data, .iov_len = size};
    send_batched(transport, to, &whole, 1);
}

void transport_reply(struct transport *transport, struct query_source to, const uint8_t *data,
                     size_t size)
{
    transport_send_to(transport, to, data, size);
    transport->stats.queries++;
}
