// SPDX-License-Identifier: MIT
// Sends and receives the queries of the server browser.
#define _GNU_SOURCE
#include "browser.h"

#include "host_lookup.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    DATAGRAM_BYTES = 1500,
    DATAGRAMS_A_CALL = 64,
    PINGS = 4,
    FAMILIES = 2,
    MOST_STRANGERS = 64, // servers found by broadcast
    MOST_NETWORKS = 32   // of this machine
};

static const double ask_s = 1.907;   // between two queries of a server; no multiple of a tick
static const double silence_s = 6.5; // after which a server no longer answers: three queries
static const double broadcast_s = 3; // between two broadcasts
static const double accepts_s = 2;   // after a broadcast, strangers are accepted for so long

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
    bool is_stranger;    // was found by broadcast
    double ask_s;        // when to ask next
    double asked_s, answered_s;
    double pings_ms[PINGS];
    uint32_t answers;
};

// An IPv4 network of this machine, network order.
struct network {
    uint32_t own, mask;
};

struct browser {
    int sockets[FAMILIES]; // IPv4, IPv6; -1: none
    double broadcast_s;    // of the next broadcast
    double accepts_until_s;
    int stranger_count, network_count;
    struct network networks[MOST_NETWORKS];
    int count;
    struct server servers[BROWSER_MOST];
    int shown_count;
    int shown[BROWSER_MOST]; // indices of servers
};

// --- sockets ---

static int open_socket(int family)
{
    const int yes = 1;
    const int descriptor = socket(family, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (descriptor < 0)
        return -1;
    if (family == AF_INET)
        setsockopt(descriptor, SOL_SOCKET, SO_BROADCAST, &yes, sizeof yes);
    else
        setsockopt(descriptor, IPPROTO_IPV6, IPV6_V6ONLY, &yes, sizeof yes);
    return descriptor;
}

struct browser *browser_open(void)
{
    struct browser *browser = calloc(1, sizeof *browser);
    if (browser == NULL)
        return NULL;
    browser->sockets[0] = open_socket(AF_INET);
    browser->sockets[1] = open_socket(AF_INET6);
    if (browser->sockets[0] < 0 && browser->sockets[1] < 0) {
        free(browser);
        return NULL;
    }
    return browser;
}

void browser_close(struct browser *browser)
{
    if (browser == NULL)
        return;
    for (int i = 0; i < browser->count; i++)
        host_lookup_drop(browser->servers[i].lookup);
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

static void send_request(struct browser *browser, const struct sockaddr_storage *to,
                         uint32_t challenge)
{
    uint8_t bytes[RAIM_SERVER_INFO_REQUEST_BYTES];
    const size_t size = raim_server_info_write_request(challenge, bytes);
    const int descriptor = browser->sockets[to->ss_family == AF_INET ? 0 : 1];
    const socklen_t length =
        to->ss_family == AF_INET ? sizeof(struct sockaddr_in) : sizeof(struct sockaddr_in6);
    // A query that the kernel refuses is as one that was lost.
    if (descriptor >= 0)
        (void)sendto(descriptor, bytes, size, 0, (const struct sockaddr *)to, length);
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

static void broadcast_to(struct browser *browser, uint32_t address)
{
    struct sockaddr_storage to = {.ss_family = AF_INET};
    ((struct sockaddr_in *)&to)->sin_addr.s_addr = address;
    for (int i = 0; i < BROWSER_PORTS; i++) {
        set_port(&to, (uint16_t)(SERVER_DEFAULT_PORT + i));
        send_request(browser, &to, 0);
    }
}

static void broadcast(struct browser *browser, double now_s)
{
    struct ifaddrs *all = NULL;
    browser->broadcast_s = now_s + broadcast_s;
    browser->accepts_until_s = now_s + accepts_s;
    broadcast_to(browser, INADDR_BROADCAST);
    if (getifaddrs(&all) != 0)
        return;
    browser->network_count = 0;
    for (const struct ifaddrs *one = all; one != NULL; one = one->ifa_next) {
        if (one->ifa_addr == NULL || one->ifa_addr->sa_family != AF_INET)
            continue;
        if (browser->network_count < MOST_NETWORKS && one->ifa_netmask != NULL)
            browser->networks[browser->network_count++] = (struct network){
                ((struct sockaddr_in *)one->ifa_addr)->sin_addr.s_addr,
                ((struct sockaddr_in *)one->ifa_netmask)->sin_addr.s_addr,
            };
        if ((one->ifa_flags & IFF_BROADCAST) != 0 && one->ifa_broadaddr != NULL)
            broadcast_to(browser, ((struct sockaddr_in *)one->ifa_broadaddr)->sin_addr.s_addr);
    }
    freeifaddrs(all);
}

// Whether a broadcast can have reached an address: another machine's in one of the networks, at a
// port that was asked. Nobody else has been asked, whatever it sends.
static bool was_asked(const struct browser *browser, const struct sockaddr_in *from)
{
    const uint32_t address = from->sin_addr.s_addr, port = ntohs(from->sin_port);
    bool is_near = false;
    if (port < SERVER_DEFAULT_PORT || port >= SERVER_DEFAULT_PORT + BROWSER_PORTS)
        return false;
    for (int i = 0; i < browser->network_count; i++) {
        const struct network *network = &browser->networks[i];
        if (network->own == address)
            return false;
        is_near = is_near || ((network->own ^ address) & network->mask) == 0;
    }
    return is_near;
}

// A place for a server that answered a broadcast: a new one, or that of one that never told its
// name and is silent by now.
static struct server *place_for_stranger(struct browser *browser, double now_s)
{
    if (browser->stranger_count < MOST_STRANGERS && browser->count < BROWSER_MOST) {
        browser->stranger_count++;
        return &browser->servers[browser->count++];
    }
    for (int i = 0; i < browser->count; i++) {
        struct server *server = &browser->servers[i];
        if (server->is_stranger && !server->is_shown && now_s > server->answered_s + silence_s)
            return server;
    }
    return NULL;
}

// Adds a server that answered a broadcast. One of this machine is found at its loopback address.
static struct server *accept_stranger(struct browser *browser, const struct sockaddr_storage *from,
                                      double now_s)
{
    struct server_address address = {.port = 0};
    const struct sockaddr_in *ipv4 = (const void *)from;
    if (from->ss_family != AF_INET || now_s > browser->accepts_until_s || !was_asked(browser, ipv4))
        return NULL;
    struct server *server = place_for_stranger(browser, now_s);
    if (server == NULL)
        return NULL;
    inet_ntop(AF_INET, &ipv4->sin_addr, address.host, sizeof address.host);
    address.port = ntohs(ipv4->sin_port);
    *server = (struct server){
        .is_stranger = true,
        .port = address.port,
        .address_count = 1,
        .addresses = {*from},
        .answering = -1,
        .ask_s = now_s + ask_s,
        .asked_s = browser->broadcast_s - broadcast_s,
        .answered_s = now_s,
    };
    server_address_write(&address, server->row.address);
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

static void note_answer(struct browser *browser, struct server *server,
                        const struct raim_server_info *info, double now_s)
{
    show(browser, server);
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
    uint32_t challenge = 0;
    int index;
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
    for (int i = 0; i < browser->count; i++) {
        resolve(&browser->servers[i]);
        if (browser->servers[i].address_count > 0 && now_s >= browser->servers[i].ask_s)
            ask(browser, &browser->servers[i], now_s);
    }
    if (now_s >= browser->broadcast_s)
        broadcast(browser, now_s);
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
