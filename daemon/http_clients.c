// SPDX-License-Identifier: MIT
// Keeps the deadlines of HTTP connections.
#include "http_clients.h"

#include <sys/socket.h>

struct http_client *http_clients_join(struct http_clients *clients, int descriptor, uint64_t now_ms)
{
    for (size_t i = 0; i < HTTP_MAX_CLIENTS; i++) {
        struct http_client *client = &clients->list[i];
        if (client->due_ms == 0) {
            client->descriptor = descriptor;
            http_client_renew(client, now_ms);
            return client;
        }
    }
    return NULL;
}

void http_client_renew(struct http_client *client, uint64_t now_ms)
{
    client->due_ms = now_ms + HTTP_DEADLINE_MS;
}

void http_client_leave(struct http_client *client)
{
    client->due_ms = 0;
}

int http_clients_timeout_ms(const struct http_clients *clients, uint64_t now_ms)
{
    uint64_t due_ms = UINT64_MAX;
    for (size_t i = 0; i < HTTP_MAX_CLIENTS; i++) {
        const struct http_client *client = &clients->list[i];
        if (client->due_ms != 0 && client->due_ms < due_ms)
            due_ms = client->due_ms;
    }
    if (due_ms == UINT64_MAX)
        return -1;
    return due_ms > now_ms ? (int)(due_ms - now_ms) : 0;
}

void http_clients_end_late(struct http_clients *clients, uint64_t now_ms)
{
    for (size_t i = 0; i < HTTP_MAX_CLIENTS; i++) {
        struct http_client *client = &clients->list[i];
        if (client->due_ms == 0 || client->due_ms > now_ms)
            continue;
        // Closing is the library's, and so is noticing; a descriptor closed here could be another's
        // by then.
        shutdown(client->descriptor, SHUT_RDWR);
        client->due_ms = UINT64_MAX;
    }
}
