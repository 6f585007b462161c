// SPDX-License-Identifier: MIT
// Deadlines and eviction of HTTP connections.
#include "http_clients.h"

#include <sys/socket.h>

enum { SLOTS = HTTP_MAX_CLIENTS + HTTP_SPARE_CLIENTS };

static bool is_alive(const struct http_client *client)
{
    return client->state != HTTP_CLIENT_FREE && client->state != HTTP_CLIENT_ENDED;
}

static void set_state(struct http_client *client, enum http_client_state state, uint64_t now_ms)
{
    client->state = state;
    client->since_ms = now_ms;
    client->order = ++client->all->orders;
}

// Adds `change` (1, or UINT32_MAX for -1) to the connection count of an address.
static void count_peer(struct http_clients *clients, uint64_t address, uint32_t change)
{
    clients->count += change;
    for (size_t i = 0; i < SLOTS; i++)
        if (is_alive(&clients->list[i]) && clients->list[i].address == address)
            clients->list[i].peers += change;
}

// Shuts the socket down without closing it. The HTTP library notices and closes the descriptor; a
// close here could hit a reused descriptor.
void http_client_end(struct http_client *client)
{
    if (!is_alive(client))
        return;
    shutdown(client->descriptor, SHUT_RDWR);
    count_peer(client->all, client->address, UINT32_MAX);
    client->state = HTTP_CLIENT_ENDED;
}

// The oldest client in this state of the address with the most connections, or NULL.
static struct http_client *find_oldest(struct http_clients *clients, enum http_client_state state)
{
    struct http_client *found = NULL;
    for (size_t i = 0; i < SLOTS; i++) {
        struct http_client *client = &clients->list[i];
        if (client->state != state)
            continue;
        if (found == NULL || client->peers > found->peers ||
            (client->peers == found->peers && client->order < found->order))
            found = client;
    }
    return found;
}

static void evict_client(struct http_clients *clients, struct http_client *newest, uint64_t now_ms)
{
    struct http_client *victim = find_oldest(clients, HTTP_CLIENT_AWAITED);
    struct http_client *answered = find_oldest(clients, HTTP_CLIENT_ANSWERED);
    if (victim == newest && answered != NULL &&
        (answered->peers > newest->peers || now_ms - answered->since_ms >= HTTP_ANSWER_GRACE_MS))
        victim = answered;
    http_client_end(victim);
}

struct http_client *http_clients_join(struct http_clients *clients, int descriptor,
                                      uint64_t address, uint64_t now_ms)
{
    struct http_client *client = NULL;
    uint32_t peers = 0;
    for (size_t i = 0; i < SLOTS; i++) {
        struct http_client *other = &clients->list[i];
        if (other->state == HTTP_CLIENT_FREE && client == NULL)
            client = other;
        else if (is_alive(other) && other->address == address)
            peers = other->peers;
    }
    if (client == NULL)
        return NULL;
    *client = (struct http_client){.all = clients,
                                   .descriptor = descriptor,
                                   .address = address,
                                   .due_ms = now_ms + HTTP_DEADLINE_MS};
    set_state(client, HTTP_CLIENT_AWAITED, now_ms);
    client->peers = peers;
    count_peer(clients, address, 1);
    if (clients->count > clients->limit)
        evict_client(clients, client, now_ms);
    return client;
}

void http_client_renew(struct http_client *client, uint64_t now_ms)
{
    if (!is_alive(client))
        return;
    client->due_ms = now_ms + HTTP_DEADLINE_MS;
    if (client->state == HTTP_CLIENT_AWAITED)
        set_state(client, HTTP_CLIENT_ANSWERED, now_ms);
}

void http_client_stream(struct http_client *client)
{
    if (is_alive(client))
        client->state = HTTP_CLIENT_STREAMING;
}

void http_client_await(struct http_client *client, uint64_t now_ms)
{
    if (is_alive(client))
        set_state(client, HTTP_CLIENT_AWAITED, now_ms);
}

void http_client_leave(struct http_client *client)
{
    if (is_alive(client))
        count_peer(client->all, client->address, UINT32_MAX);
    client->state = HTTP_CLIENT_FREE;
}

uint64_t http_clients_due_ms(const struct http_clients *clients)
{
    uint64_t due_ms = UINT64_MAX;
    for (size_t i = 0; i < SLOTS; i++) {
        const struct http_client *client = &clients->list[i];
        if (is_alive(client) && client->due_ms < due_ms)
            due_ms = client->due_ms;
    }
    return due_ms;
}

bool http_clients_are_answered(const struct http_clients *clients)
{
    for (size_t i = 0; i < SLOTS; i++)
        if (clients->list[i].state == HTTP_CLIENT_ANSWERED)
            return true;
    return false;
}

void http_clients_end_late(struct http_clients *clients, uint64_t now_ms)
{
    for (size_t i = 0; i < SLOTS; i++)
        if (clients->list[i].due_ms <= now_ms)
            http_client_end(&clients->list[i]);
}
