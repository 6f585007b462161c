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
enum { HOSTS = 64, SOCKETS = 16 };

static const uint64_t reopen_us = 250000, patience_us = 2000000;

static char hosts[HOSTS][SERVER_HOST_BYTES];

static struct {
    bool is_open;
    struct raim_address address;
    int session; // of the page
    uint64_t opened_us;
} sockets[SOCKETS];

static bool is_shut; // the last session did not open within its time

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

static void open_session(raim_socket socket)
{
    const struct raim_address *address = &sockets[socket].address;
    sockets[socket].opened_us = raim_system_now_us();
    sockets[socket].session = gateway_open_session(hosts[address->bytes[0]], address->port);
}

static void close_session(raim_socket socket)
{
    is_shut = page_session_state(sockets[socket].session) != PAGE_SESSION_OPEN &&
              (is_shut || raim_system_now_us() - sockets[socket].opened_us > patience_us);
    page_close_session(sockets[socket].session);
}

const char *platform_network_problem(void)
{
    if (!page_can_connect())
        return "This browser reaches servers only from pages at https:// or http://localhost: ask "
               "for such a link, or update the browser";
    return is_shut ? "The gateway opens no way to the server: this network may block UDP, or the "
                     "gateway does not lead there"
                   : NULL;
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
        open_session(i);
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
    return page_send(sockets[socket].session, data, size);
}

// A gateway that was started again may have another certificate.
static void reopen(raim_socket socket)
{
    const uint64_t now_us = raim_system_now_us();
    gateway_update(now_us);
    if (now_us - sockets[socket].opened_us < reopen_us)
        return;
    close_session(socket);
    open_session(socket);
}

enum raim_received raim_system_receive(raim_socket socket, uint8_t *data, size_t capacity,
                                       size_t *size)
{
    const int got = page_receive(sockets[socket].session, data, capacity);
    if (got < 0 && page_session_state(sockets[socket].session) == PAGE_SESSION_CLOSED)
        reopen(socket);
    *size = got > 0 ? (size_t)got : 0;
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

bool raim_private_file_path(const char *name, char *path, size_t capacity)
{
    return snprintf(path, capacity, "state/%s", name) < (int)capacity;
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
