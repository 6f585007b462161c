// SPDX-License-Identifier: MIT
// The thread that calls getaddrinfo, and what it shares with the main thread.
#define _GNU_SOURCE
#include "master_resolver.h"

#include "socket_address.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    AGAIN_S = 3600,         // after a lookup of all names
    AGAIN_FAILED_S = 60,    // after one in which a name was not resolved
    LONGEST_FAILED_S = 3600 // by doubling
};

// The resolver's thread frees it, once the main thread has stopped it.
struct master_resolver {
    struct config_masters masters;
    pthread_mutex_t lock; // of what follows; held for moments
    pthread_cond_t stopped;
    bool is_stopped, is_fresh;
    struct masters_list list;
    const char *problems[CONFIG_MAX_MASTERS];
};

static void destroy(struct master_resolver *resolver)
{
    pthread_cond_destroy(&resolver->stopped);
    pthread_mutex_destroy(&resolver->lock);
    free(resolver);
}

static struct udp_address read_address(const struct sockaddr *address, uint16_t port)
{
    if (address->sa_family == AF_INET) {
        const struct sockaddr_in *v4 = (const struct sockaddr_in *)(const void *)address;
        return udp_address_v4(ntohl(v4->sin_addr.s_addr), port);
    }
    const struct sockaddr_in6 *v6 = (const struct sockaddr_in6 *)(const void *)address;
    struct udp_address read = {.scope = v6->sin6_scope_id, .port = port};
    for (int i = 0; i < 8; i++) {
        read.ip.high = read.ip.high << 8 | v6->sin6_addr.s6_addr[i];
        read.ip.low = read.ip.low << 8 | v6->sin6_addr.s6_addr[8 + i];
    }
    return read;
}

// Adds the first address of each family. Returns why there is none, or NULL.
static const char *resolve(const struct config_master *master, uint8_t index,
                           struct masters_list *list)
{
    const struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_DGRAM};
    struct addrinfo *found = NULL;
    const int error = getaddrinfo(master->host, NULL, &hints, &found);
    if (error != 0)
        return gai_strerror(error);
    bool has[2] = {false, false};
    for (const struct addrinfo *one = found; one != NULL; one = one->ai_next) {
        const bool is_v6 = one->ai_family == AF_INET6;
        if ((!is_v6 && one->ai_family != AF_INET) || has[is_v6])
            continue;
        has[is_v6] = true;
        list->items[list->count++] = (struct masters_address){
            .to = read_address(one->ai_addr, master->port), .master = index};
    }
    freeaddrinfo(found);
    return has[0] || has[1] ? NULL : "no address";
}

// Keeps the addresses that a master had.
static void keep(const struct masters_list *before, uint8_t index, struct masters_list *list)
{
    for (int i = 0; i < before->count; i++)
        if (before->items[i].master == index)
            list->items[list->count++] = before->items[i];
}

// Resolves all names. Returns false if one failed.
static bool resolve_all(struct master_resolver *resolver)
{
    struct masters_list list = {.count = 0};
    const char *problems[CONFIG_MAX_MASTERS] = {NULL};
    bool is_whole = true;
    for (int i = 0; i < resolver->masters.count; i++) {
        problems[i] = resolve(&resolver->masters.items[i], (uint8_t)i, &list);
        if (problems[i] != NULL)
            keep(&resolver->list, (uint8_t)i, &list); // only this thread writes it
        is_whole = is_whole && problems[i] == NULL;
    }
    pthread_mutex_lock(&resolver->lock);
    resolver->list = list;
    memcpy(resolver->problems, problems, sizeof problems);
    resolver->is_fresh = true;
    pthread_mutex_unlock(&resolver->lock);
    return is_whole;
}

static void *run(void *argument)
{
    struct master_resolver *resolver = argument;
    int failed_s = AGAIN_FAILED_S;
    pthread_setname_np(pthread_self(), "raimd-masters");
    for (bool is_stopped = false; !is_stopped;) {
        const bool is_whole = resolve_all(resolver);
        struct timespec until;
        clock_gettime(CLOCK_MONOTONIC, &until);
        until.tv_sec += is_whole ? AGAIN_S : failed_s;
        failed_s = is_whole                          ? AGAIN_FAILED_S
                   : 2 * failed_s < LONGEST_FAILED_S ? 2 * failed_s
                                                     : LONGEST_FAILED_S;
        pthread_mutex_lock(&resolver->lock);
        while (!resolver->is_stopped &&
               pthread_cond_timedwait(&resolver->stopped, &resolver->lock, &until) == 0)
            ;
        is_stopped = resolver->is_stopped;
        pthread_mutex_unlock(&resolver->lock);
    }
    destroy(resolver);
    return NULL;
}

struct master_resolver *master_resolver_start(const struct config_masters *masters)
{
    struct master_resolver *resolver = calloc(1, sizeof *resolver);
    pthread_condattr_t attributes;
    pthread_t thread;
    if (resolver == NULL)
        return NULL;
    resolver->masters = *masters;
    pthread_mutex_init(&resolver->lock, NULL);
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&resolver->stopped, &attributes);
    pthread_condattr_destroy(&attributes);
    errno = pthread_create(&thread, NULL, run, resolver);
    if (errno != 0) {
        destroy(resolver);
        return NULL;
    }
    pthread_detach(thread);
    return resolver;
}

void master_resolver_stop(struct master_resolver *resolver)
{
    if (resolver == NULL)
        return;
    pthread_mutex_lock(&resolver->lock);
    resolver->is_stopped = true;
    pthread_cond_signal(&resolver->stopped);
    pthread_mutex_unlock(&resolver->lock);
}

bool master_resolver_take(struct master_resolver *resolver, struct masters_list *list,
                          const char *problems[CONFIG_MAX_MASTERS])
{
    pthread_mutex_lock(&resolver->lock);
    const bool is_fresh = resolver->is_fresh;
    if (is_fresh) {
        *list = resolver->list;
        memcpy(problems, resolver->problems, sizeof resolver->problems);
    }
    resolver->is_fresh = false;
    pthread_mutex_unlock(&resolver->lock);
    return is_fresh;
}

bool master_resolver_needs_names(const struct config_masters *masters)
{
    union socket_address address;
    for (int i = 0; i < masters->count; i++)
        if (!socket_address_parse(masters->items[i].host, masters->items[i].port, &address))
            return true;
    return false;
}
