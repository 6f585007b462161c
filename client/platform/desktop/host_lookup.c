// SPDX-License-Identifier: MIT
// Resolves names with getaddrinfo.
#define _GNU_SOURCE
#include "host_lookup.h"

#include <netdb.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Shared by the caller and the thread; whoever drops it last frees it.
struct host_lookup {
    char host[256];
    atomic_int owners;
    atomic_bool is_done;
    struct host_lookup_result result; // the thread's until is_done
};

void host_lookup_drop(struct host_lookup *lookup)
{
    if (lookup != NULL && atomic_fetch_sub(&lookup->owners, 1) == 1)
        free(lookup);
}

static void resolve(struct host_lookup *lookup, int flags)
{
    const struct addrinfo hints = {
        .ai_family = AF_UNSPEC, .ai_socktype = SOCK_DGRAM, .ai_flags = flags};
    struct addrinfo *found = NULL;
    struct host_lookup_result *result = &lookup->result;
    if (getaddrinfo(lookup->host, NULL, &hints, &found) != 0)
        return;
    for (struct addrinfo *one = found; one != NULL && result->count < HOST_LOOKUP_MOST;
         one = one->ai_next)
        if (one->ai_family == AF_INET || one->ai_family == AF_INET6)
            memcpy(&result->addresses[result->count++], one->ai_addr, one->ai_addrlen);
    freeaddrinfo(found);
}

static void *run(void *argument)
{
    struct host_lookup *lookup = argument;
    resolve(lookup, 0);
    atomic_store_explicit(&lookup->is_done, true, memory_order_release);
    host_lookup_drop(lookup);
    return NULL;
}

struct host_lookup *host_lookup_begin(const char *host)
{
    struct host_lookup *lookup = calloc(1, sizeof *lookup);
    pthread_t thread;
    if (lookup == NULL)
        return NULL;
    snprintf(lookup->host, sizeof lookup->host, "%s", host);
    atomic_init(&lookup->owners, 1);
    resolve(lookup, AI_NUMERICHOST);
    if (lookup->result.count > 0) {
        atomic_store(&lookup->is_done, true);
        return lookup;
    }
    atomic_store(&lookup->owners, 2);
    if (pthread_create(&thread, NULL, run, lookup) != 0) {
        free(lookup);
        return NULL;
    }
    pthread_detach(thread);
    return lookup;
}

bool host_lookup_poll(struct host_lookup *lookup, struct host_lookup_result *result)
{
    if (!atomic_load_explicit(&lookup->is_done, memory_order_acquire))
        return false;
    *result = lookup->result;
    return true;
}
