// SPDX-License-Identifier: MIT
// Implements client/link/system.h in a page. A socket is a session of the gateway, opened anew
// while it is lost. There are no threads: what a detached one would do is done at once.
#define _GNU_SOURCE // clock_gettime, strdup
#include "system.h"

#include "files.h"
#include "page.h"
#include "page_gateway.h"
#include "platform.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// The gateway resolves names. An address has the number of its host here.
enum { HOSTS = 64, SOCKETS = 16, NO_SESSION = -1 };

static char hosts[HOSTS][SERVER_HOST_BYTES];

static struct {
    bool is_open;
    struct raim_address address;
    int session; // of the page; NO_SESSION: to be opened
    bool was_open;
    uint64_t opened_us;
} sockets[SOCKETS];

// A session that does not open makes Chromium wait longer with each further one, up to 20 s at the
// 14th, for five minutes. So after a failure the gateway must have answered by HTTP.
static const uint64_t patience_us = 2000000, ask_us = 300000, retry_us = 250000;
static uint32_t failures; // in succession
static uint64_t failed_us;

uint64_t raim_system_now_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

uint32_t raim_system_resolve(const char *host, uint16_t port, bool is_numeric,
                             struct raim_address *addresses, uint32_t capacity)
{
    (void)is_numeric;
    for (uint8_t i = 0; i < HOSTS && capacity > 0 && strlen(host) < sizeof hosts[0]; i++) {
        if (hosts[i][0] != '\0' && strcmp(hosts[i], host) != 0)
            continue;
        snprintf(hosts[i], sizeof hosts[i], "%s", host);
        *addresses = (struct raim_address){.bytes = {i}, .port = port};
        return 1;
    }
    return 0;
}

static void note_failure(void)
{
    const uint32_t most = 5; // doublings of the time to the next try
    failures = failures < most ? failures + 1 : most;
    failed_us = raim_system_now_us();
}

static bool may_open(uint64_t now_us)
{
    if (failures == 0)
        return true;
    gateway_update(now_us, ask_us);
    const uint64_t answered_us = gateway_answered_us(); // 0 for a page that lies elsewhere
    return (answered_us > failed_us || answered_us == 0) &&
           now_us - failed_us >= retry_us << (failures - 1);
}

static void close_session(raim_socket socket)
{
    if (sockets[socket].session == NO_SESSION)
        return;
    const int state = page_session_state(sockets[socket].session);
    const bool was_long = raim_system_now_us() - sockets[socket].opened_us > patience_us;
    if (state == PAGE_SESSION_CLOSED || (state == PAGE_SESSION_OPENING && was_long))
        note_failure();
    page_close_session(sockets[socket].session);
    sockets[socket].session = NO_SESSION;
}

// Opens the session of a socket, anew where it was lost. Returns whether one that was open has been
// lost: the gateway sends by another address in the next one, for which servers have no connection.
static bool keep_open(raim_socket socket)
{
    const uint64_t now_us = raim_system_now_us();
    const int session = sockets[socket].session;
    const int state = session != NO_SESSION ? page_session_state(session) : PAGE_SESSION_CLOSED;
    if (state == PAGE_SESSION_OPEN) {
        failures = 0;
        sockets[socket].was_open = true;
    }
    if (state != PAGE_SESSION_CLOSED)
        return false;
    const bool is_loss = sockets[socket].was_open;
    sockets[socket].was_open = false;
    close_session(socket);
    if (is_loss || !may_open(now_us))
        return is_loss;
    const struct raim_address *address = &sockets[socket].address;
    sockets[socket].opened_us = now_us;
    sockets[socket].session = gateway_open_session(hosts[address->bytes[0]], address->port);
    return false;
}

const char *platform_network_problem(void)
{
    if (!page_can_connect())
        return "This browser reaches servers only from pages at https:// or http://localhost: ask "
               "for such a link, or update the browser";
    if (failures == 0)
        return NULL;
    return gateway_answered_us() > failed_us
               ? "The gateway opens no way to the server: this network may block UDP, or the "
                 "gateway does not lead there"
               : "The gateway of this page does not answer: is this device online?";
}

bool platform_has_small_datagrams(void)
{
    return true; // a datagram of WebTransport lies within a packet of QUIC
}

raim_socket raim_system_open_udp(const struct raim_address *address)
{
    if (!page_can_connect())
        return RAIM_NO_SOCKET;
    for (raim_socket i = 0; i < SOCKETS; i++) {
        if (sockets[i].is_open)
            continue;
        sockets[i].is_open = true;
        sockets[i].address = *address;
        sockets[i].session = NO_SESSION;
        sockets[i].was_open = false;
        keep_open(i);
        return i;
    }
    return RAIM_NO_SOCKET;
}

void raim_system_close(raim_socket socket)
{
    if (socket == RAIM_NO_SOCKET)
        return;
    close_session(socket);
    sockets[socket].is_open = false;
}

bool raim_system_send(raim_socket socket, const uint8_t *data, size_t size)
{
    const int session = sockets[socket].session;
    return session != NO_SESSION && page_send(session, data, size);
}

enum raim_received raim_system_receive(raim_socket socket, uint8_t *data, size_t capacity,
                                       size_t *size)
{
    const int session = sockets[socket].session;
    const int got = session != NO_SESSION ? page_receive(session, data, capacity) : -1;
    *size = got > 0 ? (size_t)got : 0;
    if (got < 0 && keep_open(socket))
        return RAIM_RECEIVED_LOSS;
    return got < 0                   ? RAIM_RECEIVED_NOTHING
           : (size_t)got <= capacity ? RAIM_RECEIVED_DATAGRAM
                                     : RAIM_RECEIVED_ERROR;
}

void raim_system_wait(const raim_socket *waiting, uint32_t count, uint64_t timeout_us)
{
    (void)waiting, (void)count, (void)timeout_us;
}

// --- Threads ---

struct raim_thread *raim_system_start_thread(void (*run)(void *context), void *context)
{
    (void)run, (void)context;
    return NULL;
}

void raim_system_join_thread(struct raim_thread *thread)
{
    (void)thread;
}

bool raim_system_start_detached_thread(void (*run)(void *context), void *context)
{
    run(context);
    return true;
}

struct raim_mutex {
    char nothing; // to lock
};

struct raim_mutex *raim_system_create_mutex(void)
{
    static struct raim_mutex mutex;
    return &mutex;
}

void raim_system_destroy_mutex(struct raim_mutex *mutex)
{
    (void)mutex;
}

void raim_system_lock(struct raim_mutex *mutex)
{
    (void)mutex;
}

void raim_system_unlock(struct raim_mutex *mutex)
{
    (void)mutex;
}

// --- Files ---

// A server is known as an address of a gateway: others may lead elsewhere by the same address, and
// a link to one of them must not change what is known of this page's own.
bool raim_private_file_path(const char *name, char *path, size_t capacity)
{
    return snprintf(path, capacity, "state/%s/%s", gateway_address(), name) < (int)capacity;
}

char *raim_private_file_read(const char *path, size_t most)
{
    size_t size = 0;
    char *text = files_read(path, &size);
    if (text != NULL && size < most)
        return text;
    free(text);
    return size < most ? strdup("") : NULL;
}

bool raim_private_file_replace(const char *path, const char *text)
{
    return files_replace(path, text, strlen(text));
}
