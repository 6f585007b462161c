// SPDX-License-Identifier: MIT
// Serves RCON: accepts connections, and for each one reads a packet, has it executed, and sends the
// answer before it reads the next one.
#define _GNU_SOURCE
#include "rcon.h"

#include "crypto.h"
#include "log.h"
#include "loop.h"
#include "monotonic.h"
#include "rate_limit.h"
#include "rcon_packet.h"
#include "socket_address.h"
#include "text_commands.h"
#include "utf8.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

enum {
    CONNECTIONS = 8,
    CONNECTIONS_OF_ADDRESS = 4,
    CHECKS_OF_STRANGERS = 4, // passwords that are being verified, of addresses that are not known
    KNOWN = 16,              // addresses that have logged in
    AUTH_MS = 10000,         // from the connection to the right password
    PACKET_MS = 10000,       // from the first byte of a packet to its end, and for taking an answer
    IDLE_MS = 600000,        // between two commands
    DELAY_MS = 1000,         // after a wrong password
    ACCEPTS = 16,            // at a time
    ANSWER_BYTES = TEXT_COMMANDS_ANSWER_BYTES + (TEXT_COMMANDS_ANSWER_BYTES / RCON_BODY_BYTES + 2) *
                                                    (RCON_PACKET_BYTES - RCON_BODY_BYTES),
};

// Wrong passwords, in ms.
static const struct rate guesses_of_address = {.interval = 60000, .burst = 5};
static const struct rate guesses_of_network = {.interval = 15000, .burst = 20};

enum phase {
    FREE,
    READS,    // waits for a packet
    CHECKS,   // its password is being verified
    DELAYED,  // until `due_ms`, after a wrong password
    EXECUTES, // its command waits for arenas
    WRITES,   // its answer is being sent
};

struct connection {
    struct rcon *rcon;
    enum phase phase;
    int socket;
    bool is_open; // it has given the password
    struct ip_address ip;
    char address[SOCKET_ADDRESS_BYTES];
    uint64_t since_ms; // of the connection
    uint64_t due_ms;   // when the phase ends at the latest
    uint32_t password; // number of the check
    int32_t id;        // of the packet that is being answered
    struct command_call call;
    size_t read;          // bytes of `input`
    size_t written, size; // of `output`: sent, and in all
    uint8_t input[RCON_PACKET_BYTES];
    uint8_t output[ANSWER_BYTES];
};

struct rcon {
    struct config_rcon config;
    const struct arena_list *arenas;
    struct commands *commands;
    struct password_thread *passwords;
    uint64_t *denied;
    int listener, epoll;
    struct loop_source *sockets, *timer;
    uint64_t pause_end_ms; // of a pause in accepting after descriptors ran out; 0: none
    struct rate_limit guesses, network_guesses;
    struct ip_address known[KNOWN]; // of the last logins, a ring
    uint32_t logins;
    struct connection *connections[CONNECTIONS]; // NULL: never used
    char answer[TEXT_COMMANDS_ANSWER_BYTES];     // of the command that is being executed
};

// --- Lifetime ---

static void run(void *context);

struct rcon *rcon_open(struct loop *loop, const struct config_rcon *config,
                       const struct arena_list *arenas, struct commands *commands,
                       struct password_thread *passwords, uint64_t *denied, char *error,
                       size_t capacity)
{
    struct rcon *rcon = calloc(1, sizeof *rcon);
    if (rcon == NULL) {
        snprintf(error, capacity, "out of memory");
        return NULL;
    }
    rcon->config = *config;
    rcon->arenas = arenas;
    rcon->commands = commands;
    rcon->passwords = passwords;
    rcon->denied = denied;
    uint64_t secret;
    raim_crypto_random(&secret, sizeof secret);
    rate_limit_init(&rcon->guesses, RATE_OF_ADDRESS, guesses_of_address, RATE_UNLIMITED, secret);
    rate_limit_init(&rcon->network_guesses, RATE_OF_NETWORK, guesses_of_network, RATE_UNLIMITED,
                    secret);
    rcon->epoll = epoll_create1(EPOLL_CLOEXEC);
    rcon->listener =
        listen_socket_tcp(config->listen.address, config->listen.port, error, capacity);
    struct epoll_event event = {.events = EPOLLIN};
    if (rcon->listener >= 0 && rcon->epoll >= 0 &&
        epoll_ctl(rcon->epoll, EPOLL_CTL_ADD, rcon->listener, &event) == 0) {
        rcon->sockets = loop_add_descriptor(loop, rcon->epoll, run, rcon);
        rcon->timer = loop_add_timer(loop, 0, run, rcon);
    }
    if (rcon->sockets != NULL && rcon->timer != NULL) {
        listen_socket_log("rcon started address=", config->listen.address,
                          listen_socket_port(rcon->listener), "");
        return rcon;
    }
    if (rcon->listener >= 0)
        snprintf(error, capacity, "%s", strerror(errno));
    rcon_close(rcon);
    return NULL;
}

static void end(struct connection *connection)
{
    if (connection->phase == FREE)
        return;
    commands_withdraw(connection->rcon->commands, &connection->call);
    free(connection->call.text);
    connection->call.text = NULL;
    close(connection->socket);
    raim_crypto_wipe(connection->input, sizeof connection->input);
    connection->phase = FREE;
}

void rcon_close(struct rcon *rcon)
{
    if (rcon == NULL)
        return;
    for (int i = 0; i < CONNECTIONS; i++) {
        if (rcon->connections[i] != NULL)
            end(rcon->connections[i]);
        free(rcon->connections[i]);
    }
    loop_remove(rcon->sockets);
    loop_remove(rcon->timer);
    if (rcon->listener >= 0)
        close(rcon->listener);
    if (rcon->epoll >= 0)
        close(rcon->epoll);
    raim_crypto_wipe(&rcon->config, sizeof rcon->config);
    free(rcon);
}

// Sets the timer to the phase that ends first.
static void set_timer(const struct rcon *rcon)
{
    uint64_t due_ms = rcon->pause_end_ms > 0 ? rcon->pause_end_ms : LOOP_NEVER;
    for (int i = 0; i < CONNECTIONS; i++) {
        const struct connection *connection = rcon->connections[i];
        if (connection != NULL && connection->phase != FREE && connection->due_ms < due_ms)
            due_ms = connection->due_ms;
    }
    loop_set_timer(rcon->timer, due_ms);
}

// --- Answers ---

// Watches for what the phase waits for.
static void watch(struct connection *connection)
{
    struct epoll_event event = {.data.ptr = connection};
    if (connection->phase == READS)
        event.events = EPOLLIN;
    else if (connection->phase == WRITES)
        event.events = EPOLLOUT;
    if (epoll_ctl(connection->rcon->epoll, EPOLL_CTL_MOD, connection->socket, &event) != 0)
        end(connection);
}

static void await_packet(struct connection *connection, uint64_t now_ms)
{
    connection->phase = READS;
    connection->due_ms = !connection->is_open   ? connection->since_ms + AUTH_MS
                         : connection->read > 0 ? now_ms + PACKET_MS
                                                : now_ms + IDLE_MS;
}

static void add_packet(struct connection *connection, int32_t type, int32_t id, const char *body,
                       size_t bytes)
{
    assert(connection->size + RCON_PACKET_BYTES - RCON_BODY_BYTES + bytes <= ANSWER_BYTES);
    connection->size +=
        rcon_packet_write(connection->output + connection->size, id, type, body, bytes);
}

// The largest part of a text that a packet holds and that ends between two characters.
static size_t part_of(const char *text, size_t bytes)
{
    if (bytes <= RCON_BODY_BYTES)
        return bytes;
    size_t part = RCON_BODY_BYTES;
    while (part > 1 && ((unsigned char)text[part] & 0xC0) == 0x80)
        part--;
    return part;
}

// Begins to send an answer, in as many packets as it needs.
static void answer(struct connection *connection, const char *text)
{
    size_t left = strlen(text);
    do {
        const size_t part = part_of(text, left);
        add_packet(connection, RCON_RESPONSE, connection->id, text, part);
        text += part;
        left -= part;
    } while (left > 0);
    connection->phase = WRITES;
    connection->due_ms = monotonic_ms() + PACKET_MS;
}

// --- Passwords ---

// Whether there was a login from an address, which strangers then cannot keep out.
static bool is_known(const struct rcon *rcon, struct ip_address ip)
{
    for (int i = 0; i < KNOWN; i++)
        if (!ip_address_is_none(rcon->known[i]) &&
            ip_address_host(rcon->known[i]) == ip_address_host(ip))
            return true;
    return false;
}

// Whether an address may give a password. Those of it and its network that are being verified count
// as wrong ones. A known address is not answerable for its network.
static bool may_guess(const struct rcon *rcon, struct ip_address ip)
{
    const int64_t now_ms = (int64_t)monotonic_ms();
    int of_address = 0, of_network = 0, of_strangers = 0;
    for (int i = 0; i < CONNECTIONS; i++) {
        const struct connection *other = rcon->connections[i];
        if (other == NULL || other->phase != CHECKS)
            continue;
        of_address += ip_address_host(other->ip) == ip_address_host(ip);
        of_network += ip_address_network(other->ip) == ip_address_network(ip);
        of_strangers += !is_known(rcon, other->ip);
    }
    if (rate_limit_left(&rcon->guesses, ip, now_ms) <= of_address)
        return false;
    return is_known(rcon, ip) || (of_strangers < CHECKS_OF_STRANGERS &&
                                  rate_limit_left(&rcon->network_guesses, ip, now_ms) > of_network);
}

static void end_password(struct connection *connection, bool is_right)
{
    struct rcon *rcon = connection->rcon;
    const uint64_t now_ms = monotonic_ms();
    connection->password = 0;
    connection->is_open = is_right;
    if (is_right) {
        if (!is_known(rcon, connection->ip))
            rcon->known[rcon->logins++ % KNOWN] = connection->ip;
        log_write(LOG_LEVEL_AUDIT, &(struct log_subject){0}, "rcon login address=%s",
                  connection->address);
        // Valve's servers send an empty response before it. Clients that wait for it work without,
        // and some that do not wait lose what follows it.
        add_packet(connection, RCON_AUTH_RESPONSE, connection->id, "", 0);
        connection->phase = WRITES;
        connection->due_ms = now_ms + PACKET_MS;
        watch(connection);
        return;
    }
    ++*rcon->denied;
    rate_limit_take(&rcon->guesses, connection->ip, (int64_t)now_ms);
    rate_limit_take(&rcon->network_guesses, connection->ip, (int64_t)now_ms);
    const bool is_blocked = rate_limit_left(&rcon->guesses, connection->ip, (int64_t)now_ms) < 1;
    log_warning("rcon rejected address=%s: wrong password%s", connection->address,
                is_blocked ? ", too many: this address is rejected for a minute" : "");
    add_packet(connection, RCON_AUTH_RESPONSE, -1, "", 0);
    connection->phase = DELAYED;
    connection->due_ms = now_ms + DELAY_MS;
    watch(connection);
}

static void take_password(void *context, uint32_t number, bool is_right)
{
    struct rcon *rcon = context;
    for (int i = 0; i < CONNECTIONS; i++) {
        struct connection *connection = rcon->connections[i];
        if (connection == NULL || connection->phase != CHECKS || connection->password != number)
            continue;
        end_password(connection, is_right);
        set_timer(rcon);
        return;
    }
}

static void begin_password(struct connection *connection, const char *plain)
{
    struct rcon *rcon = connection->rcon;
    connection->is_open = false;
    connection->password =
        strlen(plain) <= PASSWORD_MAX_BYTES && may_guess(rcon, connection->ip)
            ? password_thread_check(rcon->passwords, &rcon->config.password.password, plain,
                                    take_password, rcon)
            : 0;
    connection->phase = CHECKS;
    connection->due_ms = UINT64_MAX;
    if (connection->password == 0) {
        ++*rcon->denied;
        end(connection);
    }
}

// --- Commands ---

static void finish_call(struct command_call *call)
{
    struct connection *connection =
        (struct connection *)((char *)call - offsetof(struct connection, call));
    struct rcon *rcon = connection->rcon;
    text_commands_answer(call, rcon->answer);
    free(call->text);
    call->text = NULL;
    const bool has_waited = connection->phase == EXECUTES;
    answer(connection, rcon->answer);
    if (!has_waited)
        return;
    watch(connection);
    set_timer(rcon);
}

// Makes a line of what a client sent; false: it is not UTF-8.
static bool clean(const char *body, char line[RCON_PACKET_BYTES])
{
    const size_t length = strlen(body);
    if (!raim_utf8_is_valid((const uint8_t *)body, length))
        return false;
    for (size_t i = 0; i <= length; i++)
        line[i] =
            body[i] != '\0' && ((unsigned char)body[i] < ' ' || body[i] == 0x7F) ? ' ' : body[i];
    for (size_t end_of = length; end_of > 0 && line[end_of - 1] == ' '; end_of--)
        line[end_of - 1] = '\0';
    return true;
}

static void execute(struct connection *connection, const char *body)
{
    struct rcon *rcon = connection->rcon;
    struct command_call *call = &connection->call;
    char line[RCON_PACKET_BYTES];
    const struct text_commands_source source = {
        .by = connection->address, .via = "rcon", .level = CONFIG_ADMIN_OPERATE, .arena = ""};
    if (!clean(body, line)) {
        answer(connection, "want UTF-8\n");
        return;
    }
    if (!text_commands_read(rcon->arenas, &source, line, call, rcon->answer)) {
        answer(connection, rcon->answer);
        return;
    }
    call->done = finish_call;
    connection->phase = READS; // finish_call may be called at once
    commands_execute(rcon->commands, call);
    if (call->is_waiting) {
        connection->phase = EXECUTES;
        connection->due_ms = UINT64_MAX; // commands have a deadline of their own
    }
}

// Handles a packet. Clients find the end of a long answer by an empty packet of the server's type
// after their command, which is mirrored after the answer.
static void handle(struct connection *connection, const struct rcon_packet *packet)
{
    connection->id = packet->id;
    if (packet->type == RCON_AUTH)
        begin_password(connection, packet->body);
    else if (!connection->is_open)
        end(connection);
    else if (packet->type == RCON_COMMAND)
        execute(connection, packet->body);
    else
        answer(connection, "");
}

// --- Connections ---

// Handles the next packet that has arrived, if one is whole.
static void take_packet(struct connection *connection)
{
    struct rcon_packet packet;
    switch (rcon_packet_read(connection->input, connection->read, &packet)) {
    case RCON_INCOMPLETE:
        return;
    case RCON_MALFORMED:
        end(connection);
        return;
    case RCON_PACKET:
        break;
    }
    handle(connection, &packet);
    connection->read -= packet.bytes;
    memmove(connection->input, connection->input + packet.bytes, connection->read);
    // A password stays in no memory that is not in use.
    raim_crypto_wipe(connection->input + connection->read,
                     sizeof connection->input - connection->read);
}

static void receive(struct connection *connection, uint64_t now_ms)
{
    const size_t before = connection->read;
    const ssize_t size = recv(connection->socket, connection->input + before,
                              sizeof connection->input - before, MSG_DONTWAIT);
    if (size == 0 || (size < 0 && errno != EAGAIN && errno != EINTR)) {
        end(connection);
        return;
    }
    connection->read += size > 0 ? (size_t)size : 0;
    if (before == 0 && connection->is_open)
        connection->due_ms = now_ms + PACKET_MS;
    take_packet(connection);
    if (connection->phase != FREE && connection->phase != READS)
        watch(connection);
}

static void transmit(struct connection *connection, uint64_t now_ms)
{
    const ssize_t size = send(connection->socket, connection->output + connection->written,
                              connection->size - connection->written, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (size < 0 && errno != EAGAIN && errno != EINTR) {
        end(connection);
        return;
    }
    connection->written += size > 0 ? (size_t)size : 0;
    if (connection->written < connection->size)
        return;
    connection->written = connection->size = 0;
    await_packet(connection, now_ms);
    take_packet(connection); // that has arrived meanwhile
    if (connection->phase != FREE)
        watch(connection);
}

// The connection to end where a new one of an address needs a place: the oldest that has given no
// password, and of a known address only for another one; NULL: none.
static struct connection *find_stranger(const struct rcon *rcon, struct ip_address ip)
{
    struct connection *found = NULL;
    for (int i = 0; i < CONNECTIONS; i++) {
        struct connection *connection = rcon->connections[i];
        if (connection != NULL && connection->phase != FREE && !connection->is_open &&
            connection->phase != CHECKS &&
            (is_known(rcon, ip) || !is_known(rcon, connection->ip)) &&
            (found == NULL || connection->since_ms < found->since_ms))
            found = connection;
    }
    return found;
}

// A place for a connection of an address; NULL: none.
static struct connection *find_place(struct rcon *rcon, struct ip_address ip)
{
    struct connection **place = NULL;
    int of_address = 0;
    for (int i = 0; i < CONNECTIONS; i++) {
        struct connection *connection = rcon->connections[i];
        if (connection == NULL || connection->phase == FREE)
            place = &rcon->connections[i];
        else
            of_address += ip_address_host(connection->ip) == ip_address_host(ip);
    }
    if (of_address >= CONNECTIONS_OF_ADDRESS)
        return NULL;
    struct connection *stranger = place == NULL ? find_stranger(rcon, ip) : NULL;
    if (stranger != NULL) {
        end(stranger);
        return stranger;
    }
    if (place != NULL && *place == NULL)
        *place = calloc(1, sizeof **place);
    return place != NULL ? *place : NULL;
}

static void begin(struct rcon *rcon, int socket, const union socket_address *address,
                  uint64_t now_ms)
{
    const struct ip_address ip = socket_udp_read(&address->any).ip;
    const bool is_blocked = rate_limit_left(&rcon->guesses, ip, (int64_t)now_ms) < 1;
    struct connection *connection = is_blocked ? NULL : find_place(rcon, ip);
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = connection};
    if (connection == NULL || epoll_ctl(rcon->epoll, EPOLL_CTL_ADD, socket, &event) != 0) {
        ++*rcon->denied;
        close(socket);
        return;
    }
    connection->rcon = rcon;
    connection->socket = socket;
    connection->is_open = false;
    connection->ip = ip;
    connection->since_ms = now_ms;
    connection->read = connection->written = connection->size = 0;
    connection->password = 0;
    socket_address_print_host(address, connection->address);
    await_packet(connection, now_ms);
}

static void watch_listener(struct rcon *rcon, uint32_t events)
{
    struct epoll_event event = {.events = events};
    epoll_ctl(rcon->epoll, EPOLL_CTL_MOD, rcon->listener, &event);
}

// Without a free descriptor the listener would stay readable for ever.
static void pause_accepting(struct rcon *rcon, uint64_t now_ms)
{
    rcon->pause_end_ms = now_ms + DELAY_MS;
    watch_listener(rcon, 0);
}

static void accept_some(struct rcon *rcon, uint64_t now_ms)
{
    for (int i = 0; i < ACCEPTS; i++) {
        union socket_address address;
        socklen_t size = sizeof address;
        const int socket =
            accept4(rcon->listener, &address.any, &size, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (socket < 0 && errno != EAGAIN && errno != EINTR && errno != ECONNABORTED)
            pause_accepting(rcon, now_ms);
        if (socket < 0)
            return;
        begin(rcon, socket, &address, now_ms);
    }
}

// Ends a phase whose time is over.
static void expire(struct connection *connection, uint64_t now_ms)
{
    if (connection->phase != DELAYED) {
        end(connection);
        return;
    }
    connection->phase = WRITES; // the rejection
    connection->due_ms = now_ms + PACKET_MS;
    watch(connection);
}

static void run(void *context)
{
    struct rcon *rcon = context;
    struct epoll_event events[CONNECTIONS + 1];
    const uint64_t now_ms = monotonic_ms();
    const int count = epoll_wait(rcon->epoll, events, CONNECTIONS + 1, 0);
    bool accepts = false;
    for (int i = 0; i < count; i++) {
        struct connection *connection = events[i].data.ptr;
        if (connection == NULL)
            accepts = true; // last: it may end a connection of this list
        else if (connection->phase == READS)
            receive(connection, now_ms);
        else if (connection->phase == WRITES)
            transmit(connection, now_ms);
        else if (connection->phase == CHECKS) // after a hang-up, too, the outcome is waited for
            epoll_ctl(rcon->epoll, EPOLL_CTL_DEL, connection->socket, NULL);
        else if ((events[i].events & (EPOLLHUP | EPOLLERR)) != 0)
            end(connection);
    }
    for (int i = 0; i < CONNECTIONS; i++) {
        struct connection *connection = rcon->connections[i];
        if (connection != NULL && connection->phase != FREE && now_ms >= connection->due_ms)
            expire(connection, now_ms);
    }
    if (rcon->pause_end_ms > 0 && now_ms >= rcon->pause_end_ms) {
        rcon->pause_end_ms = 0;
        watch_listener(rcon, EPOLLIN);
    }
    if (accepts)
        accept_some(rcon, now_ms);
    set_timer(rcon);
}
