// SPDX-License-Identifier: MIT
// Says where to look, and prints what was found as a table or as JSON.
#define _GNU_SOURCE

#include "columns.h"
#include "commands.h"
#include "discovery.h"
#include "master_list.h"
#include "server_finder.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <jansson.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sysexits.h>
#include <time.h>
#include <unistd.h>

// Finds arenas by UDP alone, as server_finder.h does, with the sockets of this machine.

enum { FINDER_ADDRESS_BYTES = 80 };

struct finder_row {
    char address[FINDER_ADDRESS_BYTES]; // ADDRESS:PORT
    bool answers;
    double ping_ms; // of the answer
    const struct raim_server_info *info;
};

struct finder;

static void finder_close(struct finder *finder);

enum { FAMILIES = 2, DATAGRAM_BYTES = 2048, TICK_MS = 10 };

union sockets_address {
    struct sockaddr any;
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
};

struct finder {
    int sockets[FAMILIES]; // IPv4, IPv6; -1: none
    struct raim_finder *servers;
    bool is_wanted[RAIM_FINDER_SERVERS]; // was given by its address: shown even if it is silent
    struct finder_row row;               // of the last finder_at
};

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static bool read_address(const struct sockaddr *from, struct raim_address *address)
{
    union sockets_address given;
    *address = (struct raim_address){.is_ipv6 = from->sa_family == AF_INET6};
    if (from->sa_family == AF_INET) {
        memcpy(&given.v4, from, sizeof given.v4);
        memcpy(address->bytes, &given.v4.sin_addr, 4);
        address->port = ntohs(given.v4.sin_port);
    } else if (from->sa_family == AF_INET6) {
        memcpy(&given.v6, from, sizeof given.v6);
        memcpy(address->bytes, &given.v6.sin6_addr, 16);
        address->scope = given.v6.sin6_scope_id;
        address->port = ntohs(given.v6.sin6_port);
    }
    return from->sa_family == AF_INET || from->sa_family == AF_INET6;
}

static socklen_t write_address(const struct raim_address *address, union sockets_address *to)
{
    if (!address->is_ipv6) {
        to->v4 = (struct sockaddr_in){.sin_family = AF_INET, .sin_port = htons(address->port)};
        memcpy(&to->v4.sin_addr, address->bytes, 4);
        return sizeof to->v4;
    }
    to->v6 = (struct sockaddr_in6){.sin6_family = AF_INET6,
                                   .sin6_port = htons(address->port),
                                   .sin6_scope_id = address->scope};
    memcpy(&to->v6.sin6_addr, address->bytes, 16);
    return sizeof to->v6;
}

static void print(const struct raim_address *address, char text[FINDER_ADDRESS_BYTES])
{
    union sockets_address at;
    const socklen_t size = write_address(address, &at);
    char host[64] = "?";
    getnameinfo(&at.any, size, host, sizeof host, NULL, 0, NI_NUMERICHOST);
    snprintf(text, FINDER_ADDRESS_BYTES, address->is_ipv6 ? "[%s]:%u" : "%s:%u", host,
             address->port);
}

static int open_socket(int family)
{
    const int yes = 1, hops = RAIM_DISCOVERY_HOPS;
    const int descriptor = socket(family, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (descriptor < 0)
        return -1;
    if (family == AF_INET) {
        setsockopt(descriptor, SOL_SOCKET, SO_BROADCAST, &yes, sizeof yes);
        setsockopt(descriptor, IPPROTO_IP, IP_TTL, &hops, sizeof hops);
    } else {
        setsockopt(descriptor, IPPROTO_IPV6, IPV6_V6ONLY, &yes, sizeof yes);
        setsockopt(descriptor, IPPROTO_IPV6, IPV6_UNICAST_HOPS, &hops, sizeof hops);
        setsockopt(descriptor, IPPROTO_IPV6, IPV6_MULTICAST_HOPS, &hops, sizeof hops);
    }
    return descriptor;
}

// What the kernel rejects is as what was lost.
static void send_to(const struct finder *finder, const struct raim_address *to,
                    const struct raim_finder_datagram *datagram)
{
    union sockets_address address;
    const socklen_t size = write_address(to, &address);
    if (finder->sockets[to->is_ipv6] >= 0)
        (void)sendto(finder->sockets[to->is_ipv6], datagram->bytes, datagram->size, 0, &address.any,
                     size);
}

// Sends a datagram to the address, or to everybody on the links of all interfaces.
static void send_datagram(void *context, const struct raim_finder_datagram *datagram)
{
    const struct finder *finder = context;
    struct raim_address to = datagram->address, own;
    struct ifaddrs *all = NULL;
    if (datagram->to == RAIM_FINDER_TO_ADDRESS)
        send_to(finder, &to, datagram);
    else if (getifaddrs(&all) != 0)
        return;
    for (const struct ifaddrs *one = all; one != NULL; one = one->ifa_next) {
        const unsigned wanted = to.is_ipv6 ? IFF_MULTICAST : IFF_BROADCAST;
        if (one->ifa_addr == NULL || (one->ifa_flags & IFF_UP) == 0 ||
            (one->ifa_flags & wanted) == 0 || !read_address(one->ifa_addr, &own) ||
            own.is_ipv6 != to.is_ipv6)
            continue;
        if (to.is_ipv6)
            inet_pton(AF_INET6, RAIM_DISCOVERY_GROUP, to.bytes);
        else if (one->ifa_broadaddr == NULL || !read_address(one->ifa_broadaddr, &to))
            continue;
        to.scope = if_nametoindex(one->ifa_name);
        to.port = datagram->address.port;
        send_to(finder, &to, datagram);
    }
    freeifaddrs(all);
}

// With `has_network` it looks for the arenas of the local network and of this machine. NULL if
// there are no sockets or no memory. Close takes NULL.
static struct finder *finder_open(bool has_network)
{
    struct finder *finder = calloc(1, sizeof *finder);
    struct raim_finder_def def = {
        .is_once = true, .has_network = has_network, .send = send_datagram, .context = finder};
    if (finder == NULL)
        return NULL;
    finder->sockets[0] = open_socket(AF_INET);
    finder->sockets[1] = open_socket(AF_INET6);
    if ((finder->sockets[0] >= 0 || finder->sockets[1] >= 0) &&
        getrandom(&def.nonce, sizeof def.nonce, 0) == (ssize_t)sizeof def.nonce)
        finder->servers = raim_finder_create(&def);
    if (finder->servers == NULL) {
        finder_close(finder);
        return NULL;
    }
    // Arenas on loopback answer no discovery.
    struct raim_address local = {.bytes = {127, 0, 0, 1}, .port = RAIM_FINDER_PORT};
    for (int i = 0; i < RAIM_FINDER_PORTS && has_network; i++, local.port++)
        raim_finder_add(finder->servers, &local, 1);
    return finder;
}

static void finder_close(struct finder *finder)
{
    if (finder == NULL)
        return;
    for (int i = 0; i < FAMILIES; i++)
        if (finder->sockets[i] >= 0)
            close(finder->sockets[i]);
    raim_finder_destroy(finder->servers);
    free(finder);
}

// Splits HOST, HOST:PORT, [IPV6] or [IPV6]:PORT and resolves the host. Returns the number of
// addresses, of each family one.
static int resolve(const char *text, uint16_t default_port, struct raim_address found[FAMILIES],
                   bool *has_port)
{
    char host[256], port[6];
    const char *behind = text[0] == '[' ? strchr(text, ']') : NULL;
    const bool has_brackets = behind != NULL;
    const size_t length = has_brackets ? (size_t)(behind - text - 1) : strcspn(text, ":");
    const char *rest = text + length + (has_brackets ? 2 : 0);
    *has_port = rest[0] == ':';
    if (length == 0 || length >= sizeof host || (rest[0] != '\0' && rest[0] != ':') ||
        (*has_port && (strlen(rest + 1) > 5 || rest[1 + strspn(rest + 1, "0123456789")] != '\0' ||
                       atoi(rest + 1) < 1 || atoi(rest + 1) > UINT16_MAX)))
        return 0;
    snprintf(host, sizeof host, "%.*s", (int)length, text + has_brackets);
    snprintf(port, sizeof port, "%u", *has_port ? (unsigned)atoi(rest + 1) : default_port);
    const struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_DGRAM};
    struct addrinfo *all = NULL;
    int count = 0;
    if (getaddrinfo(host, port, &hints, &all) != 0)
        return 0;
    for (const struct addrinfo *one = all; one != NULL && count < FAMILIES; one = one->ai_next)
        if (read_address(one->ai_addr, &found[count]) &&
            (count == 0 || found[0].is_ipv6 != found[count].is_ipv6))
            count++;
    freeaddrinfo(all);
    return count;
}

// Adds the arenas at HOST:PORT, or of HOST at the default port and as it answers itself. Resolves
// a name, which may take seconds. False if it is no address or unknown.
static bool finder_add_host(struct finder *finder, const char *text)
{
    struct raim_address found[FAMILIES];
    bool has_port;
    const int count = resolve(text, RAIM_FINDER_PORT, found, &has_port);
    const int index = count > 0 ? raim_finder_add(finder->servers, found, (uint32_t)count) : -1;
    if (index >= 0)
        finder->is_wanted[index] = true;
    for (int i = 0; i < count && !has_port; i++)
        raim_finder_add_host(finder->servers, &found[i]);
    return count > 0;
}

// Adds the arenas that a master server at HOST[:PORT] lists. As finder_add_host.
static bool finder_add_master(struct finder *finder, const char *text)
{
    struct raim_address found[FAMILIES];
    bool has_port;
    const int count = resolve(text, RAIM_MASTER_PORT, found, &has_port);
    if (count > 0)
        raim_finder_add_master(finder->servers, found, (uint32_t)count);
    return count > 0;
}

static void receive(struct finder *finder, int descriptor)
{
    uint8_t data[DATAGRAM_BYTES];
    union sockets_address from = {.any = {.sa_family = AF_UNSPEC}};
    socklen_t length = sizeof from;
    struct raim_address address;
    ssize_t size;
    while ((size = recvfrom(descriptor, data, sizeof data, 0, &from.any, &length)) >= 0) {
        if (read_address(&from.any, &address))
            raim_finder_take(finder->servers, &address, RAIM_FINDER_NEIGHBOUR, data, (size_t)size,
                             now_s());
        length = sizeof from;
    }
}

// Asks, for at most `timeout_ms`.
static void finder_run(struct finder *finder, int timeout_ms)
{
    const double end_s = now_s() + timeout_ms * 1e-3;
    do {
        raim_finder_update(finder->servers, now_s());
        struct pollfd waits[FAMILIES];
        for (int i = 0; i < FAMILIES; i++)
            waits[i] = (struct pollfd){.fd = finder->sockets[i], .events = POLLIN};
        poll(waits, FAMILIES, TICK_MS);
        for (int i = 0; i < FAMILIES; i++)
            if (finder->sockets[i] >= 0)
                receive(finder, finder->sockets[i]);
    } while (now_s() < end_s && raim_finder_is_waiting(finder->servers, now_s()));
}

// Whether every master server answered.
static bool finder_has_all_lists(const struct finder *finder)
{
    return raim_finder_has_all_lists(finder->servers);
}

// The rows in the order in which they were found, each valid until the next call; NULL for one that
// is not shown: it is silent, or another address of an arena that is.
static int finder_count(const struct finder *finder)
{
    return raim_finder_count(finder->servers);
}

// Whether a server on loopback is the arena of all addresses that was also found in the network.
static bool is_double(const struct finder *finder, const struct raim_finder_row *row)
{
    const uint8_t loopback[4] = {127, 0, 0, 1};
    if (row->server != 0 || row->addresses[0].is_ipv6 ||
        memcmp(row->addresses[0].bytes, loopback, sizeof loopback) != 0)
        return false;
    for (int i = 0; i < finder_count(finder); i++) {
        const struct raim_finder_row *other = raim_finder_at(finder->servers, i);
        if (other->server != 0 && other->answers &&
            other->addresses[0].port == row->addresses[0].port &&
            strcmp(other->info.name, row->info.name) == 0)
            return true;
    }
    return false;
}

static const struct finder_row *finder_at(struct finder *finder, int index)
{
    const struct raim_finder_row *row = raim_finder_at(finder->servers, index);
    if (row->answers ? is_double(finder, row) : !finder->is_wanted[index])
        return NULL;
    finder->row =
        (struct finder_row){.answers = row->answers, .ping_ms = row->ping_ms, .info = &row->info};
    print(&row->addresses[row->answering], finder->row.address);
    return &finder->row;
}

enum { TIMEOUT_MS = 4000 };

// Adds what the command line names. Returns false after saying what is wrong.
static bool add_all(const struct call *call, struct finder *finder)
{
    for (int i = 0; i < call->count; i++) {
        if (!finder_add_host(finder, call->words[i])) {
            fprintf(stderr, "raimctl: no such address: %s (want HOST, HOST:PORT or [IPV6]:PORT)\n",
                    call->words[i]);
            return false;
        }
    }
    for (int i = 0; i < call->option_count; i++) {
        const struct call_option *option = &call->options[i];
        if (strcmp(option->name, "master") == 0 && !finder_add_master(finder, option->value)) {
            fprintf(stderr, "raimctl: no such master server: %s (want HOST:PORT)\n", option->value);
            return false;
        }
    }
    return true;
}

// --- Table ---

static void add_row(struct columns *columns, const struct finder_row *row)
{
    const struct raim_server_info *info = row->info;
    columns_add(columns, row->address);
    if (!row->answers) {
        columns_add(columns, "no answer");
        for (int i = 0; i < 6; i++)
            columns_add(columns, "");
        return;
    }
    columns_add(columns, info->name);
    columns_add_format(columns, "%.0f", row->ping_ms);
    columns_add_format(columns, "%u/%u", info->players, info->most_players);
    columns_add_number(columns, info->bots);
    columns_add(columns, info->map);
    columns_add(columns, info->locked ? "yes" : "");
    columns_add(columns, info->tags);
}

static int print_table(struct finder *finder)
{
    struct columns *columns = columns_create("ADDRESS|NAME|>PING|>PLAYERS|>BOTS|MAP|LOCK|TAGS");
    int found = 0;
    for (int i = 0; i < finder_count(finder); i++) {
        const struct finder_row *row = finder_at(finder, i);
        if (row != NULL)
            add_row(columns, row);
        found += row != NULL && row->answers;
    }
    columns_print(columns, stdout);
    return found;
}

// --- JSON ---

static json_t *tags_json(const char *tags)
{
    json_t *array = json_array();
    while (*tags != '\0') {
        const size_t length = strcspn(tags, ",");
        json_array_append_new(array, json_stringn(tags, length));
        tags += length + (tags[length] == ',');
    }
    return array;
}

static json_t *row_json(const struct finder_row *row)
{
    const struct raim_server_info *info = row->info;
    if (!row->answers)
        return json_pack("{s:s, s:b}", "address", row->address, "answers", 0);
    return json_pack("{s:s, s:b, s:s, s:f, s:i, s:i, s:i, s:s, s:b, s:o}", "address", row->address,
                     "answers", 1, "name", info->name, "ping_ms", row->ping_ms, "players",
                     (int)info->players, "max", (int)info->most_players, "bots", (int)info->bots,
                     "map", info->map, "locked", (int)info->locked, "tags", tags_json(info->tags));
}

static int print_json(struct finder *finder)
{
    json_t *document = json_object(), *array = json_array();
    int found = 0;
    json_object_set_new(document, "servers", array);
    for (int i = 0; i < finder_count(finder); i++) {
        const struct finder_row *row = finder_at(finder, i);
        if (row != NULL)
            json_array_append_new(array, row_json(row));
        found += row != NULL && row->answers;
    }
    json_dumpf(document, stdout, JSON_COMPACT | JSON_REAL_PRECISION(4));
    putchar('\n');
    json_decref(document);
    return found;
}

int discover(const struct call *call)
{
    struct finder *finder =
        finder_open(call->count == 0 && commands_option(call, "master") == NULL);
    if (finder == NULL) {
        fputs("raimctl: rejected: no UDP socket\n", stderr);
        return EXIT_REJECTED;
    }
    if (!add_all(call, finder)) {
        finder_close(finder);
        return EX_UNAVAILABLE;
    }
    finder_run(finder, TIMEOUT_MS);
    const int found =
        commands_option(call, "json") != NULL ? print_json(finder) : print_table(finder);
    const bool has_all_lists = finder_has_all_lists(finder);
    finder_close(finder);
    if (!has_all_lists)
        fputs("raimctl: a master server does not answer\n", stderr);
    if (found == 0)
        fputs("raimctl: no arena answers\n", stderr);
    return found > 0 && has_all_lists ? EXIT_SUCCESS : EX_UNAVAILABLE;
}
