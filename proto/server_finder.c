// SPDX-License-Identifier: MIT
// Keeps the list of servers: which is asked when, and which answers count.
#include "server_finder.h"

#include "discovery.h"
#include "master_list.h"

#include <assert.h>
#include <stdlib.h>

static_assert((int)RAIM_FINDER_BYTES >= RAIM_DISCOVERY_BYTES, "a discovery fits");
static_assert((int)RAIM_FINDER_BYTES >= RAIM_MASTER_REQUEST_BYTES, "a request for a list fits");

enum {
    PINGS = 4,
    MAX_NEAR = 256,   // servers found in the local network
    MAX_LISTED = 512, // servers that masters list
    ASKS = 3,         // queries without an answer to a server that a list or a host named
    ASKS_A_CALL = 32, // servers asked at once, at all their addresses, so that the queue holds all
    ASKS_FOREVER = 1 << 30
};

static const double once_period_s = 0.5;  // between two requests, with is_once
static const double ask_period_s = 1.907; // between two queries of a server; no multiple of a tick
static const double silence_s = 6.5;      // after which a server no longer answers: three queries
static const double broadcast_period_s = 3;  // between two broadcasts
static const double multicast_delay_s = 1.1; // after a broadcast, so that IPv4 is found first
static const double multicast_once_delay_s = 0.3;
static const double accepts_s = 2;       // after either, strangers are accepted for so long
static const double listen_s = 1.2;      // for answers of the local network, with is_once
static const double master_period_s = 5; // between two requests to a master that does not answer
static const double list_period_s = 60;  // between two lists of a master

// Who named a server.
enum origin { GIVEN, NEAR, LISTED };

struct server {
    struct raim_finder_row row;
    enum origin origin;
    int asks_left;       // until it answers
    int answering;       // index of the address that answered; -1: none yet
    uint32_t challenge;  // 0: none
    bool was_challenged; // since it was asked: a query causes one more, and no endless exchange
    bool has_answered;   // since it was asked: what else comes is no answer
    double ask_s;        // when to ask next
    double asked_s;      // 0: not yet
    double answered_s;
    double pings_ms[PINGS];
};

struct master {
    uint32_t address_count;
    struct raim_address addresses[RAIM_FINDER_ADDRESSES];
    int asks;
    double ask_s; // when to ask next
    bool has_answered;
};

struct raim_finder {
    struct raim_finder_def def;
    double begin_s;                  // of the first update; 0: none yet
    double broadcast_s, multicast_s; // of the next ones
    double accepts_until_s;
    int broadcasts;
    int host_count, master_count, count, near_count, listed_count;
    struct raim_address hosts[RAIM_FINDER_HOSTS];
    struct master masters[RAIM_FINDER_MASTERS];
    struct server servers[RAIM_FINDER_SERVERS];
};

struct raim_finder *raim_finder_create(const struct raim_finder_def *def)
{
    struct raim_finder *finder = calloc(1, sizeof *finder);
    if (finder != NULL)
        finder->def = *def;
    return finder;
}

void raim_finder_destroy(struct raim_finder *finder)
{
    free(finder);
}

static void send(const struct raim_finder *finder, struct raim_finder_datagram *datagram,
                 enum raim_finder_to to, const struct raim_address *address)
{
    datagram->to = to;
    datagram->address = *address;
    finder->def.send(finder->def.context, datagram);
}

static void send_query(const struct raim_finder *finder, const struct raim_address *to,
                       uint32_t challenge)
{
    struct raim_finder_datagram query;
    query.size = raim_server_info_write_request(challenge, query.bytes);
    send(finder, &query, RAIM_FINDER_TO_ADDRESS, to);
}

// The server at an address, and which of its addresses it is.
static struct server *server_of(struct raim_finder *finder, const struct raim_address *address,
                                int *index)
{
    for (int i = 0; i < finder->count; i++) {
        const struct raim_finder_row *row = &finder->servers[i].row;
        for (*index = 0; *index < (int)row->address_count; ++*index)
            if (raim_address_is_same(&row->addresses[*index], address))
                return &finder->servers[i];
    }
    return NULL;
}

static void set_addresses(struct server *server, const struct raim_address *addresses,
                          uint32_t count)
{
    if (count > RAIM_FINDER_ADDRESSES)
        count = RAIM_FINDER_ADDRESSES;
    server->row.address_count = count;
    if (count > 0)
        memcpy(server->row.addresses, addresses, count * sizeof *addresses);
}

static void make(const struct raim_finder *finder, struct server *server, enum origin origin,
                 const struct raim_address *addresses, uint32_t count)
{
    const bool is_limited = finder->def.is_once || origin == LISTED;
    *server = (struct server){
        .origin = origin, .asks_left = is_limited ? ASKS : ASKS_FOREVER, .answering = -1};
    set_addresses(server, addresses, count);
}

int raim_finder_add(struct raim_finder *finder, const struct raim_address *addresses,
                    uint32_t count)
{
    int index;
    struct server *server = count > 0 ? server_of(finder, addresses, &index) : NULL;
    if (server == NULL && finder->count == RAIM_FINDER_SERVERS)
        return -1;
    if (server == NULL) {
        server = &finder->servers[finder->count++];
        make(finder, server, GIVEN, addresses, count);
    }
    return (int)(server - finder->servers);
}

void raim_finder_resolve(struct raim_finder *finder, int index,
                         const struct raim_address *addresses, uint32_t count)
{
    set_addresses(&finder->servers[index], addresses, count);
}

void raim_finder_keep(struct raim_finder *finder, int index)
{
    struct server *server = &finder->servers[index];
    finder->near_count -= server->origin == NEAR;
    finder->listed_count -= server->origin == LISTED;
    server->origin = GIVEN;
    server->asks_left = ASKS_FOREVER;
}

// A place for a server that a list or a host named: a new one, or that of one of its kind that
// never told its name and is silent by now.
static struct server *place_for(struct raim_finder *finder, enum origin origin, double now_s)
{
    int *count = origin == LISTED ? &finder->listed_count : &finder->near_count;
    if (*count < (origin == LISTED ? MAX_LISTED : MAX_NEAR) &&
        finder->count < RAIM_FINDER_SERVERS) {
        ++*count;
        return &finder->servers[finder->count++];
    }
    for (int i = 0; i < finder->count; i++) {
        struct server *server = &finder->servers[i];
        if (server->origin == origin && (origin != LISTED || server->asks_left <= 0) &&
            server->row.answer_count == 0 && now_s > server->answered_s + silence_s)
            return server;
    }
    return NULL;
}

// Adds a server that a list or a host named, to be asked at `first_s`. NULL where there is no
// place.
static struct server *add_found(struct raim_finder *finder, const struct raim_address *at,
                                enum origin origin, double first_s, double now_s)
{
    struct server *server = place_for(finder, origin, now_s);
    if (server == NULL)
        return NULL;
    make(finder, server, origin, at, 1);
    server->ask_s = first_s;
    server->answered_s = now_s;
    return server;
}

static void ask(struct raim_finder *finder, struct server *server, double now_s)
{
    struct raim_finder_row *row = &server->row;
    server->ask_s = now_s + (finder->def.is_once ? once_period_s : ask_period_s);
    server->asked_s = now_s;
    server->asks_left -= server->asks_left < ASKS_FOREVER;
    server->was_challenged = server->has_answered = false;
    if (row->answers && now_s > server->answered_s + silence_s) {
        row->answers = false;
        server->challenge = 0;
        server->answering = -1;
    }
    for (int i = 0; i < (int)row->address_count; i++)
        if (server->answering < 0 || server->answering == i)
            send_query(finder, &row->addresses[i], server->challenge);
}

static void ask_servers(struct raim_finder *finder, double now_s)
{
    for (int i = 0, asked = 0; i < finder->count && asked < ASKS_A_CALL; i++) {
        struct server *server = &finder->servers[i];
        if (server->row.address_count == 0 || server->asks_left <= 0 || now_s < server->ask_s ||
            (finder->def.is_once && server->row.answers))
            continue;
        ask(finder, server, now_s);
        asked++;
    }
}

void raim_finder_add_host(struct raim_finder *finder, const struct raim_address *host)
{
    if (finder->host_count == RAIM_FINDER_HOSTS)
        return;
    finder->hosts[finder->host_count] = *host;
    finder->hosts[finder->host_count++].port = RAIM_DISCOVERY_PORT;
}

static void write_discovery(const struct raim_finder *finder,
                            struct raim_finder_datagram *discovery)
{
    discovery->size = RAIM_DISCOVERY_BYTES;
    raim_discovery_write_request(finder->def.nonce, discovery->bytes);
}

static void broadcast(struct raim_finder *finder, double now_s)
{
    const bool is_once = finder->def.is_once;
    struct raim_finder_datagram discovery, query;
    struct raim_address to = {.port = RAIM_FINDER_PORT};
    finder->broadcasts++;
    finder->broadcast_s = now_s + (is_once ? once_period_s : broadcast_period_s);
    finder->multicast_s = now_s + (is_once ? multicast_once_delay_s : multicast_delay_s);
    finder->accepts_until_s = now_s + accepts_s;
    write_discovery(finder, &discovery);
    for (int i = 0; i < finder->host_count; i++)
        send(finder, &discovery, RAIM_FINDER_TO_ADDRESS, &finder->hosts[i]);
    if (!finder->def.has_network)
        return;
    query.size = raim_server_info_write_request(0, query.bytes);
    for (int i = 0; i < RAIM_FINDER_PORTS && !is_once; i++, to.port++)
        send(finder, &query, RAIM_FINDER_TO_BROADCAST, &to);
    to.port = RAIM_DISCOVERY_PORT;
    send(finder, &discovery, RAIM_FINDER_TO_BROADCAST, &to);
    if (is_once)
        return;
    const struct raim_address loopback = {.bytes = {127, 0, 0, 1}, .port = RAIM_DISCOVERY_PORT};
    send(finder, &discovery, RAIM_FINDER_TO_ADDRESS, &loopback);
}

static void multicast(struct raim_finder *finder, double now_s)
{
    const struct raim_address to = {.is_ipv6 = true, .port = RAIM_DISCOVERY_PORT};
    struct raim_finder_datagram discovery;
    finder->multicast_s = now_s + broadcast_period_s; // a broadcast comes before
    finder->accepts_until_s = now_s + accepts_s;
    write_discovery(finder, &discovery);
    if (finder->def.has_network)
        send(finder, &discovery, RAIM_FINDER_TO_MULTICAST, &to);
}

// Adds a server that answered a broadcast of queries: another machine's in one of the networks, at
// a port that was asked. Datagrams of others are ignored. One of this machine is
// found at its loopback address.
static struct server *accept_stranger(struct raim_finder *finder, const struct raim_address *from,
                                      enum raim_finder_place place, double now_s)
{
    if (!finder->def.has_network || finder->def.is_once || now_s > finder->accepts_until_s ||
        from->is_ipv6 || from->port < RAIM_FINDER_PORT ||
        from->port >= RAIM_FINDER_PORT + RAIM_FINDER_PORTS || place != RAIM_FINDER_NEIGHBOUR)
        return NULL;
    struct server *server = add_found(finder, from, NEAR, now_s + ask_period_s, now_s);
    if (server != NULL)
        server->asked_s = finder->broadcast_s - broadcast_period_s;
    return server;
}

static bool was_discovered(const struct raim_finder *finder, uint64_t server, uint16_t port)
{
    for (int i = 0; i < finder->count; i++)
        if (finder->servers[i].row.server == server &&
            finder->servers[i].row.addresses[0].port == port)
            return true;
    return false;
}

// Whether a discovery was sent to an address, or to everybody in its network.
static bool was_sought(const struct raim_finder *finder, const struct raim_address *from,
                       enum raim_finder_place place, double now_s)
{
    if (finder->def.has_network && place != RAIM_FINDER_BEYOND && now_s <= finder->accepts_until_s)
        return true;
    for (int i = 0; i < finder->host_count; i++)
        if (raim_address_is_same_host(&finder->hosts[i], from))
            return true;
    return false;
}

// Adds the arenas of a server that answered a discovery, at one of its addresses.
static void take_discovery(struct raim_finder *finder, const struct raim_address *from,
                           enum raim_finder_place place, const struct raim_discovery *found,
                           double now_s)
{
    struct raim_address at = *from;
    if (found->nonce != finder->def.nonce || from->port != RAIM_DISCOVERY_PORT ||
        !was_sought(finder, from, place, now_s))
        return;
    if (place == RAIM_FINDER_OWN && from->is_ipv6)
        return; // it is found at its loopback address
    if (place == RAIM_FINDER_OWN)
        at = (struct raim_address){.bytes = {127, 0, 0, 1}};
    for (int i = 0; i < found->count; i++) {
        int index;
        at.port = found->ports[i];
        struct server *server = server_of(finder, &at, &index);
        if (server == NULL && !was_discovered(finder, found->server, at.port))
            server = add_found(finder, &at, NEAR, now_s, now_s);
        if (server != NULL)
            server->row.server = found->server;
    }
}

void raim_finder_add_master(struct raim_finder *finder, const struct raim_address *addresses,
                            uint32_t count)
{
    if (finder->master_count == RAIM_FINDER_MASTERS)
        return;
    struct master *master = &finder->masters[finder->master_count++];
    *master = (struct master){.address_count =
                                  count < RAIM_FINDER_ADDRESSES ? count : RAIM_FINDER_ADDRESSES};
    memcpy(master->addresses, addresses, master->address_count * sizeof *addresses);
}

static void ask_masters(struct raim_finder *finder, double now_s)
{
    const bool is_once = finder->def.is_once;
    struct raim_finder_datagram request;
    request.size = raim_master_list_write_request(request.bytes);
    for (int i = 0; i < finder->master_count; i++) {
        struct master *master = &finder->masters[i];
        if (now_s < master->ask_s || (is_once && (master->has_answered || master->asks == ASKS)))
            continue;
        master->asks++;
        master->ask_s = now_s + (is_once ? once_period_s : master_period_s);
        for (uint32_t j = 0; j < master->address_count; j++)
            send(finder, &request, RAIM_FINDER_TO_ADDRESS, &master->addresses[j]);
    }
}

static struct master *master_at(struct raim_finder *finder, const struct raim_address *address)
{
    for (int i = 0; i < finder->master_count; i++)
        for (uint32_t j = 0; j < finder->masters[i].address_count; j++)
            if (raim_address_is_same(&finder->masters[i].addresses[j], address))
                return &finder->masters[i];
    return NULL;
}

// Adds the servers of a list, or asks those again that were silent. The list is believed if its
// sender is a master; the servers are asked a few times only, because a lying one may name anybody.
static void take_list(struct raim_finder *finder, const struct raim_address *from,
                      const struct raim_master_list *list, double now_s)
{
    struct master *master = master_at(finder, from);
    if (master == NULL)
        return;
    master->has_answered = true;
    master->ask_s = now_s + list_period_s;
    for (int i = 0; i < list->count; i++) {
        const struct raim_master_entry *entry = &list->entries[i];
        struct raim_address at = {.is_ipv6 = entry->is_ipv6, .port = entry->port};
        int index;
        memcpy(at.bytes, entry->address, entry->is_ipv6 ? 16 : 4);
        struct server *server = server_of(finder, &at, &index);
        if (server == NULL)
            add_found(finder, &at, LISTED, now_s, now_s);
        else if (server->asks_left < ASKS && !finder->def.is_once)
            server->asks_left = ASKS;
    }
}

static void note_answer(struct server *server, const struct raim_server_info *info, double now_s)
{
    struct raim_finder_row *row = &server->row;
    if (server->asks_left < ASKS)
        server->asks_left = ASKS;
    row->info = *info;
    row->answers = true;
    server->answered_s = now_s;
    server->pings_ms[row->answer_count++ % PINGS] = (now_s - server->asked_s) * 1000;
    row->ping_ms = server->pings_ms[0];
    for (uint32_t i = 1; i < PINGS && i < row->answer_count; i++)
        if (server->pings_ms[i] < row->ping_ms)
            row->ping_ms = server->pings_ms[i];
}

static void take_info(struct raim_finder *finder, const struct raim_address *from,
                      enum raim_finder_place place, const uint8_t *data, size_t size, double now_s)
{
    struct raim_server_info info;
    uint32_t challenge = 0;
    int index = 0;
    const enum raim_server_info_reply reply = raim_server_info_read(data, size, &challenge, &info);
    if (reply == RAIM_SERVER_INFO_OTHER)
        return;
    struct server *server = server_of(finder, from, &index);
    if (server == NULL) {
        server = accept_stranger(finder, from, place, now_s);
        index = 0;
    }
    if (server == NULL || server->has_answered || server->asked_s == 0)
        return;
    if (reply == RAIM_SERVER_INFO_ANSWER) {
        server->has_answered = true;
        server->answering = index;
        server->row.answering = (uint32_t)index;
        note_answer(server, &info, now_s);
    } else if (!server->was_challenged) {
        server->was_challenged = true;
        server->challenge = challenge;
        server->asked_s = now_s;
        send_query(finder, from, challenge);
    }
}

void raim_finder_take(struct raim_finder *finder, const struct raim_address *from,
                      enum raim_finder_place place, const uint8_t *data, size_t size, double now_s)
{
    struct raim_discovery found;
    struct raim_master_list list;
    if (raim_discovery_read(data, size, &found))
        take_discovery(finder, from, place, &found, now_s);
    else if (raim_master_list_read(data, size, &list))
        take_list(finder, from, &list, now_s);
    else
        take_info(finder, from, place, data, size, now_s);
}

void raim_finder_update(struct raim_finder *finder, double now_s)
{
    const bool may_broadcast = !finder->def.is_once || finder->broadcasts < 2;
    if (finder->begin_s == 0)
        finder->begin_s = now_s;
    ask_masters(finder, now_s);
    ask_servers(finder, now_s);
    if (may_broadcast && now_s >= finder->broadcast_s)
        broadcast(finder, now_s);
    else if (finder->broadcasts > 0 && now_s >= finder->multicast_s)
        multicast(finder, now_s);
}

bool raim_finder_is_waiting(const struct raim_finder *finder, double now_s)
{
    if ((finder->def.has_network || finder->host_count > 0) && now_s < finder->begin_s + listen_s)
        return true;
    for (int i = 0; i < finder->master_count; i++)
        if (!finder->masters[i].has_answered &&
            (finder->masters[i].asks < ASKS || now_s < finder->masters[i].ask_s))
            return true;
    for (int i = 0; i < finder->count; i++)
        if (!finder->servers[i].row.answers &&
            (finder->servers[i].asks_left > 0 || now_s < finder->servers[i].ask_s))
            return true;
    return false;
}

bool raim_finder_has_all_lists(const struct raim_finder *finder)
{
    for (int i = 0; i < finder->master_count; i++)
        if (!finder->masters[i].has_answered)
            return false;
    return true;
}

int raim_finder_count(const struct raim_finder *finder)
{
    return finder->count;
}

const struct raim_finder_row *raim_finder_at(const struct raim_finder *finder, int index)
{
    return &finder->servers[index].row;
}
