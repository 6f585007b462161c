// SPDX-License-Identifier: MIT
// Couples a client with its ENet connection.
#include "link.h"

#include "access.h"
#include "crypto.h"
#include "enet_client.h"
#include "handshake.h"
#include "message.h"

#include <stdlib.h>
#include <string.h>

struct raim_link {
    struct raim_enet_client *connection;
    struct raim_client *client;
};

uint32_t raim_link_read_access(const char *text, uint8_t *access, size_t capacity)
{
    return (uint32_t)raim_crypto_decode_base64url(text, access, capacity);
}

uint64_t raim_link_now_us(void)
{
    return raim_enet_client_now_us();
}

// The server's key comes from the access token, whose signer knows it, or else from the def.
static struct raim_enet_client *create_connection(const char *host, uint16_t port,
                                                  const struct raim_client_def *def)
{
    struct raim_access access = {0};
    const bool reads =
        def->access_size > 0 && raim_access_read(def->access, def->access_size, &access) > 0;
    const struct raim_connector_def connector = {
        .require_encryption = def->require_encryption,
        .server_key = reads && access.has_key ? access.key : def->server_key,
        .access = def->access,
        .access_size = def->access_size,
    };
    return raim_enet_client_create(host, port, &connector);
}

static bool begin_connection(struct raim_link *link)
{
    return raim_enet_client_begin(link->connection, raim_client_token(link->client));
}

struct raim_link *raim_link_open(const char *host, uint16_t port, const struct raim_client_def *def)
{
    struct raim_link *link = calloc(1, sizeof *link);
    if (link == NULL)
        return NULL;
    link->connection = create_connection(host, port, def);
    link->client = raim_client_create(def);
    if (link->connection == NULL || link->client == NULL ||
        !raim_client_wants_connection(link->client, raim_link_now_us()) ||
        !begin_connection(link)) {
        raim_link_close(link);
        return NULL;
    }
    return link;
}

void raim_link_close(struct raim_link *link)
{
    if (link == NULL)
        return;
    raim_enet_client_destroy(link->connection);
    raim_client_destroy(link->client);
    free(link);
}

struct raim_client *raim_link_client(struct raim_link *link)
{
    return link->client;
}

// Ends the client before it was connected, by the GOODBYE that the server would have sent.
static void end_refused(struct raim_link *link, uint32_t reason, const char *text)
{
    uint8_t bytes[RAIM_MAX_MESSAGE_BYTES];
    struct raim_goodbye goodbye = {.reason = reason};
    strncpy(goodbye.text, text, sizeof goodbye.text - 1);
    raim_client_receive(link->client, raim_link_now_us(), bytes,
                        raim_goodbye_write(&goodbye, bytes, sizeof bytes));
    raim_enet_client_give_up(link->connection);
}

// Ends a client that has not played yet when the server shows another key, or offers no encryption.
// A client with a session goes on trying: its server may come back.
static void give_up_doubtful(struct raim_link *link)
{
    uint8_t key[RAIM_KEY_BYTES];
    const enum raim_connector_mismatch doubt = raim_connector_mismatch(
        raim_enet_client_connector(link->connection), raim_link_now_us(), key);
    if (doubt == RAIM_CONNECTOR_NO_MISMATCH ||
        raim_client_state(link->client) != RAIM_CLIENT_CONNECTING)
        return;
    end_refused(link, RAIM_REASON_LOST,
                doubt == RAIM_CONNECTOR_OTHER_KEY
                    ? "the server shows another key than the one that is known"
                    : "the server offers no encryption");
}

static void advance_connecting(struct raim_link *link)
{
    const struct raim_refused *refusal;
    switch (raim_enet_client_advance(link->connection)) {
    case RAIM_CONNECTOR_IDLE:
    case RAIM_CONNECTOR_READY:
        break;
    case RAIM_CONNECTOR_REFUSED:
        refusal = raim_connector_refusal(raim_enet_client_connector(link->connection));
        end_refused(link, refusal->reason, refusal->text);
        break;
    case RAIM_CONNECTOR_REQUESTING:
    case RAIM_CONNECTOR_HANDSHAKING:
        give_up_doubtful(link);
        break;
    }
}

static void handle(struct raim_link *link, const struct raim_enet_client_event *event)
{
    uint8_t bytes[RAIM_MAX_MESSAGE_BYTES];
    struct raim_client *client = link->client;
    const uint64_t now_us = raim_link_now_us();
    switch (event->kind) {
    case RAIM_ENET_CLIENT_UP:
        raim_enet_client_send(link->connection, true, bytes,
                              raim_client_write_hello(client, now_us, bytes, sizeof bytes));
        break;
    case RAIM_ENET_CLIENT_MESSAGE:
        // A client that cannot play in its arena has ended by itself. Disconnecting frees its slot.
        if (!raim_client_receive(client, now_us, event->data, event->size) &&
            raim_client_state(client) == RAIM_CLIENT_ENDED)
            raim_enet_client_disconnect(link->connection, raim_client_end(client).reason);
        break;
    case RAIM_ENET_CLIENT_DOWN:
        raim_client_disconnected(client, now_us, event->reason);
        break;
    }
}

// Handles all events: an error on one datagram must not hide the others.
static void receive_all(struct raim_link *link)
{
    struct raim_enet_client_event event;
    uint32_t arrived, sent;
    for (bool more = raim_enet_client_receive(link->connection, &event); more;
         more = raim_enet_client_next(link->connection, &event))
        handle(link, &event);
    raim_enet_client_flush(link->connection);
    if (raim_enet_client_take_loss(link->connection, &arrived, &sent))
        raim_client_count_loss(link->client, arrived, sent);
}

// Whether the first connection has to be begun again. A client that resumes begins one every two
// seconds anyway.
static bool is_stuck(const struct raim_link *link)
{
    return raim_client_state(link->client) == RAIM_CLIENT_CONNECTING &&
           raim_enet_client_is_stuck(link->connection);
}

// Ends the connection of a client that has given up. It may never have read its WELCOME; the
// GOODBYE, once and without a token, keeps its player from being away for the whole grace.
static void end_lost(struct raim_link *link)
{
    uint8_t bytes[RAIM_MAX_MESSAGE_BYTES];
    const struct raim_farewell farewell = {.goodbye = {.reason = RAIM_REASON_LEFT}};
    raim_enet_client_end(link->connection, bytes,
                         raim_farewell_write(&farewell, bytes, sizeof bytes));
}

void raim_link_service(struct raim_link *link)
{
    raim_enet_client_expect_invitation(link->connection, raim_client_token(link->client));
    if (raim_enet_client_has_peer(link->connection))
        receive_all(link);
    advance_connecting(link);
    if (raim_enet_client_take_invitation(link->connection))
        raim_client_disconnected(link->client, raim_link_now_us(), RAIM_REASON_LOST);
    // After receiving, because what has just arrived may have ended a silence.
    if (raim_client_wants_connection(link->client, raim_link_now_us()) || is_stuck(link))
        begin_connection(link); // where that fails, the client asks again
    if (raim_client_state(link->client) == RAIM_CLIENT_ENDED)
        raim_enet_client_give_up(link->connection);
    if (raim_enet_client_has_peer(link->connection) &&
        raim_client_end(link->client).reason == RAIM_REASON_LOST)
        end_lost(link);
}

bool raim_link_is_input_due(const struct raim_link *link)
{
    return raim_client_is_input_due(link->client, raim_link_now_us());
}

void raim_link_send_input(struct raim_link *link, const raim_input *input)
{
    uint8_t bytes[RAIM_MAX_MESSAGE_BYTES];
    const size_t size =
        raim_client_write_input(link->client, raim_link_now_us(), input, bytes, sizeof bytes);
    raim_enet_client_send(link->connection, false, bytes, size);
    if (size > 0 && raim_enet_client_has_peer(link->connection))
        raim_enet_client_flush(link->connection);
}

void raim_link_say(struct raim_link *link, const char *text)
{
    uint8_t bytes[RAIM_MAX_MESSAGE_BYTES];
    raim_enet_client_send(link->connection, true, bytes,
                          raim_client_write_chat(link->client, text, bytes, sizeof bytes));
}

void raim_link_leave(struct raim_link *link)
{
    uint8_t bytes[RAIM_MAX_MESSAGE_BYTES];
    const size_t size = raim_client_write_goodbye(link->client, bytes, sizeof bytes);
    if (!raim_enet_client_has_peer(link->connection))
        return;
    raim_enet_client_send(link->connection, true, bytes, size);
    raim_enet_client_disconnect_later(link->connection);
}

bool raim_link_is_open(const struct raim_link *link)
{
    return raim_enet_client_has_peer(link->connection) ||
           raim_client_state(link->client) != RAIM_CLIENT_ENDED;
}

uint32_t raim_link_ping_ms(const struct raim_link *link)
{
    return raim_enet_client_ping_ms(link->connection);
}

struct raim_link_traffic raim_link_traffic(const struct raim_link *link)
{
    const struct raim_enet_client_traffic traffic = raim_enet_client_traffic(link->connection);
    return (struct raim_link_traffic){
        .bytes_down = traffic.bytes_down,
        .bytes_up = traffic.bytes_up,
        .largest_datagram = traffic.largest_datagram,
    };
}

bool raim_link_server_key(const struct raim_link *link, uint8_t key[RAIM_KEY_BYTES])
{
    const struct raim_connector *connector = raim_enet_client_connector(link->connection);
    return raim_connector_server_key(connector, key) && raim_connector_is_secure(connector);
}

bool raim_link_other_key(const struct raim_link *link, uint8_t key[RAIM_KEY_BYTES])
{
    return raim_connector_mismatch(raim_enet_client_connector(link->connection), raim_link_now_us(),
                                   key) == RAIM_CONNECTOR_OTHER_KEY;
}
