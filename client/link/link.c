// SPDX-License-Identifier: MIT
// Couples a client with its ENet connection.
#include "link.h"

#include "access.h"
#include "client_internal.h"
#include "crypto.h"
#include "enet_client.h"
#include "handshake.h"
#include "input_latch.h"
#include "message.h"
#include "notice.h"
#include "password_key.h"
#include "system.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A service thread updates at least so often: ENet and the connector repeat what is lost.
static const uint64_t max_pause_us = 10000;

static_assert(RAIM_LINK_PASSWORD_BYTES == RAIM_PASSWORD_BYTES + 1, "with its terminating zero");

struct raim_link {
    bool has_admin_key;
    uint8_t admin_key[RAIM_KEY_BYTES]; // its seed
    struct raim_enet_client *connection;
    struct raim_client *client;
    struct raim_mutex *mutex;      // guards everything else but `thread`
    struct raim_thread *thread;    // NULL: the application updates the link
    bool is_stopping;              // the thread is to end
    struct raim_input_latch latch; // for the thread
};

uint32_t raim_link_read_access(const char *text, uint8_t *access, size_t capacity)
{
    return (uint32_t)raim_crypto_decode_base64url(text, access, capacity);
}

bool raim_link_read_admin_key(const char *path, uint8_t key[RAIM_KEY_BYTES])
{
    enum { MAX = 256 };
    char *text = raim_private_file_read(path, MAX);
    const bool is_key = text != NULL && strcspn(text, "\r\n") == RAIM_CRYPTO_KEY_DIGITS &&
                        raim_crypto_read_key(text, key);
    if (text != NULL)
        raim_crypto_wipe(text, strlen(text));
    free(text);
    return is_key;
}

bool raim_link_read_password(const char *path, char password[RAIM_LINK_PASSWORD_BYTES])
{
    char line[RAIM_LINK_PASSWORD_BYTES + 2]; // with "\r\n", and one that is too long shows
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return false;
    setvbuf(file, NULL, _IONBF, 0); // no copy of it stays
    const bool reads = fgets(line, sizeof line, file) != NULL;
    fclose(file);
    const size_t length = reads ? strcspn(line, "\r\n") : 0;
    const bool good = length > 0 && length < RAIM_LINK_PASSWORD_BYTES;
    if (good) {
        memcpy(password, line, length);
        password[length] = '\0';
    }
    raim_crypto_wipe(line, sizeof line);
    return good;
}

void raim_link_wipe(void *secret, size_t size)
{
    raim_crypto_wipe(secret, size);
}

uint64_t raim_link_now_us(void)
{
    return raim_system_now_us();
}

// The server's key comes from the access token, whose signer knows it, or else from the def.
static struct raim_enet_client *create_connection(const char *host, uint16_t port,
                                                  const struct raim_client_def *def)
{
    if (host[0] == '\0' || strlen(host) >= RAIM_LINK_HOST_BYTES || port == 0)
        return NULL;
    struct raim_access access = {0};
    const bool reads =
        def->access_size > 0 && raim_access_read(def->access, def->access_size, &access) > 0;
    const struct raim_connector_def connector = {
        .require_encryption = def->require_encryption,
        .server_key = reads && access.has_key ? access.key : def->server_key,
        .access = def->access,
        .access_size = def->access_size,
        .password = def->password,
    };
    const uint32_t mtu = def->small_datagrams ? RAIM_SMALL_DATAGRAM_BYTES : RAIM_MAX_DATAGRAM_BYTES;
    return raim_enet_client_create(host, port, mtu, &connector);
}

static bool begin_connection(struct raim_link *link)
{
    return raim_enet_client_begin(link->connection, raim_client_token(link->client));
}

struct raim_link *raim_link_open(const char *host, uint16_t port, const struct raim_client_def *def)
{
    struct raim_client_def known;
    struct raim_link *link = calloc(1, sizeof *link);
    if (link == NULL)
        return NULL;
    if (raim_client_read_def(def, &known)) {
        link->mutex = raim_system_create_mutex();
        link->connection = create_connection(host, port, &known);
        link->client = raim_client_create(&known);
        link->has_admin_key = known.admin_key != NULL;
        if (link->has_admin_key)
            memcpy(link->admin_key, known.admin_key, sizeof link->admin_key);
    }
    if (link->mutex == NULL || link->connection == NULL || link->client == NULL ||
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
    raim_link_stop_thread(link);
    raim_enet_client_destroy(link->connection);
    raim_client_destroy(link->client);
    raim_system_destroy_mutex(link->mutex);
    raim_crypto_wipe(link->admin_key, sizeof link->admin_key);
    free(link);
}

struct raim_client *raim_link_client(struct raim_link *link)
{
    return link->client;
}

// Ends the client before it was connected, by the GOODBYE that the server would have sent.
static void end_rejected(struct raim_link *link, uint32_t reason, const char *text)
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
        raim_client_get_state(link->client) != RAIM_CLIENT_CONNECTING)
        return;
    end_rejected(link, RAIM_REASON_LOST,
                 doubt == RAIM_CONNECTOR_OTHER_KEY ? "the server's key differs from the known one"
                                                   : "the server offers no encryption");
}

static void advance_connecting(struct raim_link *link)
{
    const struct raim_rejected *rejection;
    switch (raim_enet_client_advance(link->connection)) {
    case RAIM_CONNECTOR_IDLE:
    case RAIM_CONNECTOR_READY:
        break;
    case RAIM_CONNECTOR_REJECTED:
        rejection = raim_connector_rejection(raim_enet_client_connector(link->connection));
        end_rejected(link, rejection->reason, rejection->text);
        break;
    case RAIM_CONNECTOR_REQUESTING:
    case RAIM_CONNECTOR_DERIVING:
    case RAIM_CONNECTOR_HANDSHAKING:
        if (raim_enet_client_has_no_address(link->connection))
            end_rejected(link, RAIM_REASON_LOST, "the name of the server cannot be resolved");
        else
            give_up_doubtful(link);
        break;
    }
}

// Whether the connection is encrypted; copies the key that the server has shown in its handshake.
static bool is_secure(const struct raim_link *link, uint8_t key[RAIM_KEY_BYTES])
{
    const struct raim_connector *connector = raim_enet_client_connector(link->connection);
    return raim_connector_server_key(connector, key) && raim_connector_is_secure(connector);
}

static void send_chat(struct raim_link *link, const char *text)
{
    uint8_t bytes[RAIM_MAX_MESSAGE_BYTES];
    raim_enet_client_send(link->connection, true, bytes,
                          raim_client_write_chat(link->client, text, bytes, sizeof bytes));
}

// Signs the server's challenge with the admin's key, together with the key of this server: a
// signature for one server is of no use at another.
static void answer_challenge(struct raim_link *link)
{
    uint8_t key[RAIM_KEY_BYTES], challenge[RAIM_CHALLENGE_BYTES];
    uint8_t statement[RAIM_STATEMENT_BYTES], signature[RAIM_CRYPTO_SIGNATURE_BYTES];
    char line[RAIM_MAX_NOTICE_BYTES + 1] = "/admin sign ";
    const bool is_whole = raim_crypto_decode_base64url(link->client->challenge, challenge,
                                                       sizeof challenge) == sizeof challenge;
    link->client->challenge[0] = '\0';
    if (!is_whole || !is_secure(link, key))
        return;
    if (!link->has_admin_key) {
        raim_client_roster_add_line(&link->client->roster, RAIM_CLIENT_NOTICE,
                                    "this login needs a password, or an admin's key");
        return;
    }
    raim_notice_statement(key, challenge, statement);
    raim_crypto_sign(link->admin_key, statement, sizeof statement, signature);
    raim_crypto_encode_base64url(signature, sizeof signature, line + strlen(line));
    send_chat(link, line);
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
            raim_client_get_state(client) == RAIM_CLIENT_ENDED)
            raim_enet_client_disconnect(link->connection, raim_client_get_end(client).reason);
        if (client->challenge[0] != '\0')
            answer_challenge(link);
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
    return raim_client_get_state(link->client) == RAIM_CLIENT_CONNECTING &&
           raim_enet_client_is_stuck(link->connection);
}

// Ends the connection of a client that has given up. It may never have read its WELCOME; the
// GOODBYE, once and without a token, keeps its player from being away for the whole grace.
static void end_lost(struct raim_link *link)
{
    uint8_t bytes[RAIM_MAX_MESSAGE_BYTES];
    const struct raim_client_goodbye client_goodbye = {.reason = RAIM_REASON_LEFT};
    raim_enet_client_end(link->connection, bytes,
                         raim_client_goodbye_write(&client_goodbye, bytes, sizeof bytes));
}

static void update(struct raim_link *link)
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
    if (raim_client_get_state(link->client) == RAIM_CLIENT_ENDED)
        raim_enet_client_give_up(link->connection);
    if (raim_enet_client_has_peer(link->connection) &&
        raim_client_get_end(link->client).reason == RAIM_REASON_LOST)
        end_lost(link);
}

static void send_input(struct raim_link *link, const raim_input *input)
{
    uint8_t bytes[RAIM_MAX_MESSAGE_BYTES];
    const size_t size =
        raim_client_write_input(link->client, raim_link_now_us(), input, bytes, sizeof bytes);
    raim_enet_client_send(link->connection, false, bytes, size);
    if (size > 0 && raim_enet_client_has_peer(link->connection))
        raim_enet_client_flush(link->connection);
}

// --- For the application, whose calls may meet those of the service thread ---

static void lock(const struct raim_link *link)
{
    raim_system_lock(link->mutex);
}

static void unlock(const struct raim_link *link)
{
    raim_system_unlock(link->mutex);
}

void raim_link_lock(struct raim_link *link)
{
    lock(link);
}

void raim_link_unlock(struct raim_link *link)
{
    unlock(link);
}

void raim_link_update(struct raim_link *link)
{
    lock(link);
    update(link);
    unlock(link);
}

bool raim_link_is_input_due(const struct raim_link *link)
{
    lock(link);
    const bool is_due = raim_client_is_input_due(link->client, raim_link_now_us());
    unlock(link);
    return is_due;
}

void raim_link_send_input(struct raim_link *link, const raim_input *input)
{
    lock(link);
    send_input(link, input);
    unlock(link);
}

void raim_link_set_input(struct raim_link *link, const raim_input *input)
{
    lock(link);
    raim_input_latch_set(&link->latch, input);
    unlock(link);
}

void raim_link_send_chat(struct raim_link *link, const char *text)
{
    uint8_t key[RAIM_KEY_BYTES];
    static const char admin[] = "/admin";
    lock(link);
    // It may be a password, which must not be read on the network.
    if (strncmp(text, admin, sizeof admin - 1) == 0 && !is_secure(link, key))
        raim_client_roster_add_line(&link->client->roster, RAIM_CLIENT_NOTICE,
                                    "not sent: this connection is not encrypted");
    else
        send_chat(link, text);
    unlock(link);
}

void raim_link_send(struct raim_link *link, const uint8_t *bytes, size_t size)
{
    lock(link);
    raim_enet_client_send(link->connection, true, bytes, size);
    unlock(link);
}

void raim_link_call_vote(struct raim_link *link, const struct raim_client_vote_call *call)
{
    uint8_t bytes[RAIM_MAX_MESSAGE_BYTES];
    lock(link);
    raim_enet_client_send(link->connection, true, bytes,
                          raim_client_write_vote_call(link->client, call, bytes, sizeof bytes));
    unlock(link);
}

void raim_link_cast_vote(struct raim_link *link, enum raim_client_vote_choice choice)
{
    uint8_t bytes[RAIM_MAX_MESSAGE_BYTES];
    lock(link);
    raim_enet_client_send(link->connection, true, bytes,
                          raim_client_write_vote_cast(link->client, choice, bytes, sizeof bytes));
    unlock(link);
}

void raim_link_withdraw_vote(struct raim_link *link)
{
    uint8_t bytes[RAIM_MAX_MESSAGE_BYTES];
    lock(link);
    raim_enet_client_send(link->connection, true, bytes,
                          raim_client_write_vote_withdraw(link->client, bytes, sizeof bytes));
    unlock(link);
}

void raim_link_send_watch(struct raim_link *link, raim_player_id player)
{
    uint8_t bytes[RAIM_MAX_MESSAGE_BYTES];
    lock(link);
    raim_enet_client_send(link->connection, true, bytes,
                          raim_client_write_watch(link->client, player, bytes, sizeof bytes));
    unlock(link);
}

void raim_link_leave(struct raim_link *link)
{
    uint8_t bytes[RAIM_MAX_MESSAGE_BYTES];
    lock(link);
    const size_t size = raim_client_write_goodbye(link->client, bytes, sizeof bytes);
    if (raim_enet_client_has_peer(link->connection)) {
        raim_enet_client_send(link->connection, true, bytes, size);
        raim_enet_client_disconnect_later(link->connection);
    }
    unlock(link);
}

bool raim_link_is_open(const struct raim_link *link)
{
    lock(link);
    const bool is_open = raim_enet_client_has_peer(link->connection) ||
                         raim_client_get_state(link->client) != RAIM_CLIENT_ENDED;
    unlock(link);
    return is_open;
}

uint32_t raim_link_ping_ms(const struct raim_link *link)
{
    lock(link);
    const uint32_t ping_ms = raim_enet_client_ping_ms(link->connection);
    unlock(link);
    return ping_ms;
}

struct raim_link_traffic raim_link_get_traffic(const struct raim_link *link)
{
    lock(link);
    const struct raim_enet_client_traffic traffic = raim_enet_client_traffic(link->connection);
    unlock(link);
    return (struct raim_link_traffic){
        .bytes_down = traffic.bytes_down,
        .bytes_up = traffic.bytes_up,
        .largest_datagram = traffic.largest_datagram,
    };
}

bool raim_link_server_key(const struct raim_link *link, uint8_t key[RAIM_KEY_BYTES])
{
    lock(link);
    const bool has_key = is_secure(link, key);
    unlock(link);
    return has_key;
}

bool raim_link_other_key(const struct raim_link *link, uint8_t key[RAIM_KEY_BYTES])
{
    lock(link);
    const enum raim_connector_mismatch mismatch = raim_connector_mismatch(
        raim_enet_client_connector(link->connection), raim_link_now_us(), key);
    unlock(link);
    return mismatch == RAIM_CONNECTOR_OTHER_KEY;
}

bool raim_link_is_unresolved(const struct raim_link *link)
{
    lock(link);
    const bool is_unresolved = raim_client_get_state(link->client) == RAIM_CLIENT_ENDED &&
                               raim_enet_client_has_no_address(link->connection);
    unlock(link);
    return is_unresolved;
}

bool raim_link_is_deriving(const struct raim_link *link)
{
    lock(link);
    const bool is_deriving = raim_client_get_state(link->client) == RAIM_CLIENT_CONNECTING &&
                             raim_connector_state(raim_enet_client_connector(link->connection)) ==
                                 RAIM_CONNECTOR_DERIVING;
    unlock(link);
    return is_deriving;
}

// --- The service thread ---

// Sends the inputs that are due. Returns how long the thread may sleep where no datagram comes.
static uint64_t serve(struct raim_link *link)
{
    update(link);
    while (raim_client_is_input_due(link->client, raim_link_now_us())) {
        const raim_input input = raim_input_latch_take(&link->latch);
        send_input(link, &input);
    }
    const uint64_t pause_us = raim_client_until_input_us(link->client, raim_link_now_us());
    return pause_us < max_pause_us ? pause_us : max_pause_us;
}

static void run(void *context)
{
    struct raim_link *link = context;
    raim_socket sockets[RAIM_RESOLVER_ADDRESSES];
    lock(link);
    while (!link->is_stopping) {
        const uint64_t pause_us = serve(link);
        const uint32_t count = raim_enet_client_sockets(link->connection, sockets);
        unlock(link);
        raim_system_wait(sockets, count, pause_us);
        lock(link);
    }
    unlock(link);
}

bool raim_link_start_thread(struct raim_link *link)
{
    if (link->thread != NULL)
        return false;
    link->is_stopping = false;
    link->thread = raim_system_start_thread(run, link);
    return link->thread != NULL;
}

void raim_link_stop_thread(struct raim_link *link)
{
    if (link->thread == NULL)
        return;
    lock(link);
    link->is_stopping = true;
    unlock(link);
    raim_system_join_thread(link->thread);
    link->thread = NULL;
}

void raim_link_serve(struct raim_link *link)
{
    if (link->thread == NULL)
        serve(link);
}
