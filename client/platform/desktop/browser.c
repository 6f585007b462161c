// SPDX-License-Identifier: MIT
// Sends and receives the queries of the server browser.
#define _GNU_SOURCE
#include "browser.h"

#include "discovery.h"
#include "host_lookup.h"
#include "local_network.h"
#include "master_list.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    DATAGRAM_BYTES = 1500,
    DATAGRAMS_A_CALL = 64,
    PINGS = 4,
    FAMILIES = LOCAL_NETWORK_SOCKETS,
    MOST_STRANGERS = 64, // servers found in the local network
    MOST_LISTED = 384,   // servers that masters list
    LISTED_ASKS = 3,     // queries without an answer to a server that a master lists
    ASKS_A_CALL = 32,    // queries at once, so that none is lost on the way out
};

static const double ask_s = 1.907;     // between two queries of a server; no multiple of a tick
static const double silence_s = 6.5;   // after which a server no longer answers: three queries
static const double broadcast_s = 3;   // between two broadcasts
static const double multicast_s = 1.1; // after a broadcast, so that IPv4 is found first
static const double accepts_s = 2;     // after either, strangers are accepted for so long
static const double master_s = 5;      // between two requests to a master that does not answer
static const double list_s = 60;       // between two lists of a master

struct server {
    struct browser_row row;
    bool is_shown;
    uint16_t port;
    struct host_lookup *lookup; // NULL: resolved, or `row.is_unknown`
    int address_count;
    struct sockaddr_storage addresses[HOST_LOOKUP_MOST];
    int answering;       // index of the address that answered; -1: none yet
    uint32_t challenge;  // 0: none
    bool was_challenged; // since it was asked: a query causes one more, and no endless exchange
    bool has_answered;   // since it was asked: what else comes is no answer
    bool is_stranger;    // was found in the local network
    bool is_listed;      // by a master, and nobody else named it
    int asks_left;       // of one that is listed, until it answers or is listed again
    uint64_t identity;   // of a discovery: the same at all of its addresses; 0: unknown
    double ask_s;        // when to ask next
    double asked_s, answered_s;
    double pings_ms[PINGS];
    uint32_t answers;
};

struct master {
    uint16_t port;
    struct host_lookup *lookup; // NULL: resolved
    int address_count;
    struct sockaddr_storage addresses[HOST_LOOKUP_MOST];
    double ask_s; // when to ask next
};

struct browser {
    int sockets[FAMILIES];           // IPv4, IPv6; -1: none
    uint64_t nonce;                  // of discoveries
    double broadcast_s, multicast_s; // of the next ones
    double accepts_until_s;
    int stranger_count, listed_count, master_count;
    struct master masters[BROWSER_MASTERS];
    struct local_network network;
    int count;
    struct server servers[BROWSER_MOST];
    int shown_count;
    int shown[BROWSER_MOST]; // indices of servers
};

// --- sockets ---

static int open_socket(int family)
{
    const int descriptor = socket(family, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (descriptor >= 0)
        local_network_prepare(descriptor, family);
    return descriptor;
}

struct browser *browser_open(void)
{
    struct browser *browser = calloc(1, sizeof *browser);
    if (browser == NULL)
        return NULL;
    browser->sockets[0] = open_socket(AF_INET);
    browser->sockets[1] = open_socket(AF_INET6);
    if ((browser->sockets[0] >= 0 || browser->sockets[1] >= 0) &&
        getrandom(&browser->nonce, sizeof browser->nonce, 0) == (ssize_t)sizeof browser->nonce)
        return browser;
    browser_close(browser);
    return NULL;
}

void browser_close(struct browser *browser)
{
    if (browser == NULL)
        return;
    for (int i = 0; i < browser->count; i++)
        host_lookup_drop(browser->servers[i].lookup);
    for (int i = 0; i < browser->master_count; i++)
        host_lookup_drop(browser->masters[i].lookup);
    for (int i = 0; i < FAMILIES; i++)
        if (browser->sockets[i] >= 0)
            close(browser->sockets[i]);
    free(browser);
}

static void set_port(struct sockaddr_storage *address, uint16_t port)
{
    if (address->ss_family == AF_INET)
        ((struct sockaddr_in *)address)->sin_port = htons(port);
    else
        ((struct sockaddr_in6 *)address)->sin6_port = htons(port);
}

static bool is_same(const struct sockaddr_storage *a, const struct sockaddr_storage *b)
{
    if (a->ss_family != b->ss_family)
        return false;
    if (a->ss_family == AF_INET) {
        const struct sockaddr_in *x = (const void *)a, *y = (const void *)b;
        return x->sin_port == y->sin_port && x->sin_addr.s_addr == y->sin_addr.s_addr;
    }
    const struct sockaddr_in6 *x = (const void *)a, *y = (const void *)b;
    return x->sin6_port == y->sin6_port &&
           memcmp(&x->sin6_addr, &y->sin6_addr, sizeof x->sin6_addr) == 0;
}

static void send_to(struct browser *browser, const struct sockaddr_storage *to,
                    const uint8_t *bytes, size_t size)
{
    const int descriptor = browser->sockets[to->ss_family == AF_INET ? 0 : 1];
    const socklen_t length =
        to->ss_family == AF_INET ? sizeof(struct sockaddr_in) : sizeof(struct sockaddr_in6);
    // A query that the kernel refuses is as one that was lost.
    if (descriptor >= 0)
        (void)sendto(descriptor, bytes, size, 0, (const struct sockaddr *)to, length);
}

static void send_request(struct browser *browser, const struct sockaddr_storage *to,
                         uint32_t challenge)
{
    uint8_t bytes[RAIM_SERVER_INFO_REQUEST_BYTES];
    send_to(browser, to, bytes, raim_server_info_write_request(challenge, bytes));
}

// --- the servers ---

static struct server *find(struct browser *browser, const char *address)
{
    for (int i = 0; i < browser->count; i++)
        if (strcmp(browser->servers[i].row.address, address) == 0)
            return &browser->servers[i];
    return NULL;
}

// Shows a server from now on, below the others.
static void show(struct browser *browser, struct server *server)
{
    if (!server->is_shown)
        browser->shown[browser->shown_count++] = (int)(server - browser->servers);
    server->is_shown = true;
}

void browser_add(struct browser *browser, const struct server_address *address, bool listed)
{
    char text[SERVER_ADDRESS_BYTES];
    server_address_write(address, text);
    struct server *server = find(browser, text);
    if (server == NULL && browser->count < BROWSER_MOST) {
        server = &browser->servers[browser->count++];
        *server = (struct server){.port = address->port, .answering = -1};
        memcpy(server->row.address, text, sizeof text);
        server->lookup = host_lookup_begin(address->host);
        server->row.is_unknown = server->lookup == NULL;
    }
    if (server != NULL)
        server->is_listed = false;
    if (server != NULL && listed)
        show(browser, server);
}

void browser_scan(struct browser *browser, const char *host)
{
    struct server_address address = {.port = SERVER_DEFAULT_PORT};
    snprintf(address.host, sizeof address.host, "%s", host);
    for (int i = 0; i < BROWSER_PORTS; i++, address.port++)
        browser_add(browser, &address, false);
}

static void resolve(struct server *server)
{
    struct host_lookup_result result;
    if (server->lookup == NULL || !host_lookup_poll(server->lookup, &result))
        return;
    host_lookup_drop(server->lookup);
    server->lookup = NULL;
    server->row.is_unknown = result.count == 0;
    server->address_count = result.count;
    for (int i = 0; i < result.count; i++) {
        server->addresses[i] = result.addresses[i];
        set_port(&server->addresses[i], server->port);
    }
}

static void ask(struct browser *browser, struct server *server, double now_s)
{
    server->ask_s = now_s + ask_s;
    server->asked_s = now_s;
    server->asks_left -= server->is_listed;
    server->was_challenged = server->has_answered = false;
    if (server->row.answers && now_s > server->answered_s + silence_s) {
        server->row.answers = false;
        server->challenge = 0;
        server->answering = -1;
    }
    for (int i = 0; i < server->address_count; i++)
        if (server->answering < 0 || server->answering == i)
            send_request(browser, &server->addresses[i], server->challenge);
}

// --- the local network ---

static void broadcast(struct browser *browser, double now_s)
{
    uint8_t query[RAIM_SERVER_INFO_REQUEST_BYTES], discovery[RAIM_DISCOVERY_BYTES];
    const size_t query_size = raim_server_info_write_request(0, query);
    struct sockaddr_storage loopback = {.ss_family = AF_INET};
    browser->broadcast_s = now_s + broadcast_s;
    browser->multicast_s = now_s + multicast_s;
    browser->accepts_until_s = now_s + accepts_s;
    local_network_refresh(&browser->network);
    for (uint16_t i = 0; i < BROWSER_PORTS; i++)
        local_network_broadcast(browser->sockets[0], (uint16_t)(SERVER_DEFAULT_PORT + i), query,
                                query_size);
    raim_discovery_write_request(browser->nonce, discovery);
    local_network_broadcast(browser->sockets[0], RAIM_DISCOVERY_PORT, discovery, sizeof discovery);
    ((struct sockaddr_in *)&loopback)->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    set_port(&loopback, RAIM_DISCOVERY_PORT);
    send_to(browser, &loopback, discovery, sizeof discovery);
}

static void multicast(struct browser *browser, double now_s)
{
    uint8_t discovery[RAIM_DISCOVERY_BYTES];
    browser->multicast_s = now_s + broadcast_s; // a broadcast comes before
    browser->accepts_until_s = now_s + accepts_s;
    raim_discovery_write_request(browser->nonce, discovery);
    local_network_multicast(browser->sockets[1], discovery, sizeof discovery);
}

// Whether a broadcast of queries can have reached an address: another machine's in one of the
// networks, at a port that was asked. Nobody else has been asked, whatever it sends.
static bool was_asked(const struct browser *browser, const struct sockaddr_storage *from)
{
    const uint32_t port = ntohs(((const struct sockaddr_in *)from)->sin_port);
    return from->ss_family == AF_INET && port >= SERVER_DEFAULT_PORT &&
           port < SERVER_DEFAULT_PORT + BROWSER_PORTS &&
           local_network_place_of(&browser->network, from) == LOCAL_NETWORK_NEIGHBOUR;
}

// A place for a server that somebody named: a new one, or that of one of its kind that never told
// its name and is silent by now.
static struct server *place_for(struct browser *browser, bool is_listed, double now_s)
{
    int *count = is_listed ? &browser->listed_count : &browser->stranger_count;
    if (*count < (is_listed ? MOST_LISTED : MOST_STRANGERS) && browser->count < BROWSER_MOST) {
        ++*count;
        return &browser->servers[browser->count++];
    }
    for (int i = 0; i < browser->count; i++) {
        struct server *server = &browser->servers[i];
        if ((is_listed ? server->is_listed && server->asks_left <= 0 : server->is_stranger) &&
            !server->is_shown && now_s > server->answered_s + silence_s)
            return server;
    }
    return NULL;
}

// Adds a server at a numeric address, to be asked at `first_s`.
static struct server *add_found(struct browser *browser, const struct sockaddr_storage *at,
                                bool is_listed, double first_s, double now_s)
{
    struct server_address address = {.port = 0};
    const bool is_ipv4 = at->ss_family == AF_INET;
    struct server *server = place_for(browser, is_listed, now_s);
    if (server == NULL ||
        getnameinfo((const struct sockaddr *)at,
                    is_ipv4 ? sizeof(struct sockaddr_in) : sizeof(struct sockaddr_in6),
                    address.host, sizeof address.host, NULL, 0, NI_NUMERICHOST) != 0)
        return NULL;
    address.port = ntohs(is_ipv4 ? ((const struct sockaddr_in *)at)->sin_port
                                 : ((const struct sockaddr_in6 *)at)->sin6_port);
    *server = (struct server){
        .is_stranger = !is_listed,
        .is_listed = is_listed,
        .asks_left = LISTED_ASKS,
        .port = address.port,
        .address_count = 1,
        .addresses = {*at},
        .answering = -1,
        .ask_s = first_s,
        .asked_s = now_s,
        .answered_s = now_s,
    };
    server_address_write(&address, server->row.address);
    return server;
}

// Adds a server that answered a broadcast of queries. One of this machine is found at its loopback
// address.
static struct server *accept_stranger(struct browser *browser, const struct sockaddr_storage *from,
                                      double now_s)
{
    if (now_s > browser->accepts_until_s || !was_asked(browser, from))
        return NULL;
    struct server *server = add_found(browser, from, false, now_s + ask_s, now_s);
    if (server != NULL)
        server->asked_s = browser->broadcast_s - broadcast_s;
    return server;
}

// --- replies ---

static struct server *server_of(struct browser *browser, const struct sockaddr_storage *from,
                                int *index)
{
    for (int i = 0; i < browser->count; i++)
        for (*index = 0; *index < browser->servers[i].address_count; ++*index)
            if (is_same(&browser->servers[i].addresses[*index], from))
                return &browser->servers[i];
    *index = 0;
    return NULL;
}

static bool has_identity(const struct browser *browser, uint64_t identity, uint16_t port)
{
    for (int i = 0; i < browser->count; i++)
        if (browser->servers[i].identity == identity && browser->servers[i].port == port)
            return true;
    return false;
}

// Adds the arenas of a server that answered a discovery, at one of its addresses.
static void take_discovery(struct browser *browser, const struct sockaddr_storage *from,
                           const struct raim_discovery *found, double now_s)
{
    struct sockaddr_storage at = *from;
    const enum local_network_place place = local_network_place_of(&browser->network, from);
    const uint16_t port =
        ntohs(from->ss_family == AF_INET ? ((const struct sockaddr_in *)from)->sin_port
                                         : ((const struct sockaddr_in6 *)from)->sin6_port);
    if (found->nonce != browser->nonce || port != RAIM_DISCOVERY_PORT ||
        now_s > browser->accepts_until_s || place == LOCAL_NETWORK_BEYOND)
        return;
    if (place == LOCAL_NETWORK_OWN && from->ss_family != AF_INET)
        return; // it is found at its loopback address
    if (place == LOCAL_NETWORK_OWN)
        ((struct sockaddr_in *)&at)->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    for (int i = 0; i < found->count; i++) {
        int index;
        set_port(&at, found->ports[i]);
        struct server *server = server_of(browser, &at, &index);
        if (server == NULL && !has_identity(browser, found->server, found->ports[i]))
            server = add_found(browser, &at, false, now_s, now_s);
        if (server != NULL)
            server->identity = found->server;
    }
}

// --- masters ---

void browser_add_master(struct browser *browser, const struct server_address *master)
{
    if (browser->master_count < BROWSER_MASTERS)
        browser->masters[browser->master_count++] =
            (struct master){.port = master->port, .lookup = host_lookup_begin(master->host)};
}

static void ask_master(struct browser *browser, struct master *master, double now_s)
{
    struct host_lookup_result result;
    uint8_t request[RAIM_MASTER_REQUEST_BYTES];
    if (master->lookup != NULL && host_lookup_poll(master->lookup, &result)) {
        host_lookup_drop(master->lookup);
        master->lookup = NULL;
        master->address_count = result.count;
        memcpy(master->addresses, result.addresses, sizeof master->addresses);
        for (int i = 0; i < result.count; i++)
            set_port(&master->addresses[i], master->port);
    }
    if (now_s < master->ask_s)
        return;
    const size_t size = raim_master_list_write_request(request);
    for (int i = 0; i < master->address_count; i++)
        send_to(browser, &master->addresses[i], request, size);
    if (master->address_count > 0)
        master->ask_s = now_s + master_s;
}

// Adds the servers of a list, or asks those again that were silent. The list is believed if its
// sender is a master; the servers are asked a few times only, because a lying one may name anybody.
static void take_list(struct browser *browser, const struct sockaddr_storage *from,
                      const struct raim_master_list *list, double now_s)
{
    bool is_masters = false;
    for (int i = 0; i < browser->master_count; i++)
        for (int j = 0; j < browser->masters[i].address_count; j++)
            if (is_same(&browser->masters[i].addresses[j], from)) {
                browser->masters[i].ask_s = now_s + list_s;
                is_masters = true;
            }
    for (int i = 0; i < list->count && is_masters; i++) {
        const struct raim_master_entry *entry = &list->entries[i];
        struct sockaddr_storage at = {.ss_family = entry->is_ipv6 ? AF_INET6 : AF_INET};
        int index;
        if (entry->is_ipv6)
            memcpy(&((struct sockaddr_in6 *)&at)->sin6_addr, entry->address, 16);
        else
            memcpy(&((struct sockaddr_in *)&at)->sin_addr, entry->address, 4);
        set_port(&at, entry->port);
        struct server *server = server_of(browser, &at, &index);
        if (server != NULL)
            server->asks_left = LISTED_ASKS;
        else
            add_found(browser, &at, true, now_s, now_s);
    }
}

// --- replies of servers ---

static void note_answer(struct browser *browser, struct server *server,
                        const struct raim_server_info *info, double now_s)
{
    show(browser, server);
    server->asks_left = LISTED_ASKS;
    server->row.info = *info;
    server->row.answers = true;
    server->answered_s = now_s;
    server->pings_ms[server->answers++ % PINGS] = (now_s - server->asked_s) * 1000;
    server->row.ping_ms = server->pings_ms[0];
    for (uint32_t i = 1; i < PINGS && i < server->answers; i++)
        if (server->pings_ms[i] < server->row.ping_ms)
            server->row.ping_ms = server->pings_ms[i];
}

static void take(struct browser *browser, const struct sockaddr_storage *from, const uint8_t *data,
                 size_t size, double now_s)
{
    struct raim_server_info info;
    struct raim_discovery found;
    struct raim_master_list list;
    uint32_t challenge = 0;
    int index;
    if (raim_discovery_read(data, size, &found))
        take_discovery(browser, from, &found, now_s);
    else if (raim_master_list_read(data, size, &list))
        take_list(browser, from, &list, now_s);
    const enum raim_server_info_reply reply = raim_server_info_read(data, size, &challenge, &info);
    if (reply == RAIM_SERVER_INFO_OTHER)
        return;
    struct server *server = server_of(browser, from, &index);
    if (server == NULL)
        server = accept_stranger(browser, from, now_s);
    if (server == NULL || server->has_answered)
        return;
    if (reply == RAIM_SERVER_INFO_ANSWER) {
        server->has_answered = true;
        server->answering = index;
        note_answer(browser, server, &info, now_s);
    } else if (!server->was_challenged) {
        server->was_challenged = true;
        server->challenge = challenge;
        server->asked_s = now_s;
        send_request(browser, from, challenge);
    }
}

static void receive(struct browser *browser, int descriptor, double now_s)
{
    uint8_t data[DATAGRAM_BYTES];
    for (int i = 0; i < DATAGRAMS_A_CALL; i++) {
        struct sockaddr_storage from = {.ss_family = AF_UNSPEC};
        socklen_t length = sizeof from;
        const ssize_t size =
            recvfrom(descriptor, data, sizeof data, 0, (struct sockaddr *)&from, &length);
        if (size < 0)
            return;
        take(browser, &from, data, (size_t)size, now_s);
    }
}

void browser_update(struct browser *browser, double now_s)
{
    for (int i = 0; i < FAMILIES; i++)
        if (browser->sockets[i] >= 0)
            receive(browser, browser->sockets[i], now_s);
    for (int i = 0; i < browser->master_count; i++)
        ask_master(browser, &browser->masters[i], now_s);
    for (int i = 0, asked = 0; i < browser->count && asked < ASKS_A_CALL; i++) {
        struct server *server = &browser->servers[i];
        resolve(server);
        if (server->address_count == 0 || now_s < server->ask_s ||
            (server->is_listed && server->asks_left <= 0))
            continue;
        ask(browser, server, now_s);
        asked++;
    }
    if (now_s >= browser->broadcast_s)
        broadcast(browser, now_s);
    else if (now_s >= browser->multicast_s)
        multicast(browser, now_s);
}

// --- what is shown ---

int browser_count(const struct browser *browser)
{
    return browser->shown_count;
}

const struct browser_row *browser_at(const struct browser *browser, int index)
{
    if (index < 0 || index >= browser->shown_count)
        return NULL;
    return &browser->servers[browser->shown[index]].row;
}

const struct browser_row *browser_find(const struct browser *browser, const char *address)
{
    for (int i = 0; i < browser->shown_count; i++)
        if (strcmp(browser_at(browser, i)->address, address) == 0)
            return browser_at(browser, i);
    return NULL;
}
