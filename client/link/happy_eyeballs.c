// SPDX-License-Identifier: MIT
// Resolves hosts and races their addresses. The thread and the resolver share a job; the last one
// to finish with it frees it.
#include "happy_eyeballs.h"

#include <stdlib.h>
#include <string.h>

enum { SYSTEM_ADDRESSES = 16 };

struct job {
    struct raim_mutex *mutex;
    bool is_done, is_abandoned; // guarded by the mutex
    uint32_t count;
    struct raim_address addresses[RAIM_RESOLVER_ADDRESSES];
    uint16_t port;
    char host[];
};

struct raim_resolver {
    struct job *job; // NULL: there is none, or no memory for one
    bool has_failed; // to start
    uint16_t port;
    char host[];
};

struct raim_resolver *raim_resolver_create(const char *host, uint16_t port)
{
    const size_t size = strlen(host) + 1;
    struct raim_resolver *resolver = calloc(1, sizeof *resolver + size);
    if (resolver == NULL)
        return NULL;
    resolver->port = port;
    memcpy(resolver->host, host, size);
    return resolver;
}

static void destroy_job(struct job *job)
{
    raim_system_destroy_mutex(job->mutex);
    free(job);
}

void raim_resolver_destroy(struct raim_resolver *resolver)
{
    if (resolver != NULL && resolver->job != NULL) {
        struct job *job = resolver->job;
        raim_system_lock(job->mutex);
        const bool is_done = job->is_done;
        job->is_abandoned = true;
        raim_system_unlock(job->mutex);
        if (is_done)
            destroy_job(job);
    }
    free(resolver);
}

// Takes the addresses of both families in turns, beginning with the system's first choice, and each
// family in the system's order (RFC 8305, section 4).
static uint32_t interleave(const struct raim_address *from, uint32_t from_count,
                           struct raim_address to[RAIM_RESOLVER_ADDRESSES])
{
    uint32_t count = 0, next[2] = {0, 0};
    bool is_ipv6 = from_count > 0 && from[0].is_ipv6;
    while (count < RAIM_RESOLVER_ADDRESSES && (next[0] < from_count || next[1] < from_count)) {
        uint32_t *at = &next[is_ipv6];
        while (*at < from_count && from[*at].is_ipv6 != is_ipv6)
            ++*at;
        if (*at < from_count)
            to[count++] = from[(*at)++];
        is_ipv6 = !is_ipv6;
    }
    return count;
}

static void resolve(struct job *job, bool is_numeric)
{
    struct raim_address found[SYSTEM_ADDRESSES];
    const uint32_t count =
        raim_system_resolve(job->host, job->port, is_numeric, found, SYSTEM_ADDRESSES);
    job->count = interleave(found, count, job->addresses);
}

static void run(void *context)
{
    struct job *job = context;
    resolve(job, false);
    raim_system_lock(job->mutex);
    job->is_done = true;
    const bool is_abandoned = job->is_abandoned;
    raim_system_unlock(job->mutex);
    if (is_abandoned)
        destroy_job(job);
}

static struct job *create_job(const struct raim_resolver *resolver)
{
    const size_t size = strlen(resolver->host) + 1;
    struct job *job = calloc(1, sizeof *job + size);
    if (job == NULL)
        return NULL;
    job->mutex = raim_system_create_mutex();
    job->port = resolver->port;
    memcpy(job->host, resolver->host, size);
    if (job->mutex != NULL)
        return job;
    free(job);
    return NULL;
}

void raim_resolver_start(struct raim_resolver *resolver)
{
    if (resolver->job != NULL)
        return;
    struct job *job = create_job(resolver);
    resolver->has_failed = job == NULL;
    if (job == NULL)
        return;
    resolve(job, true);
    if (job->count > 0) {
        job->is_done = true;
    } else if (!raim_system_start_detached_thread(run, job)) {
        destroy_job(job);
        resolver->has_failed = true;
        return;
    }
    resolver->job = job;
}

enum raim_resolver_state raim_resolver_take(struct raim_resolver *resolver,
                                            struct raim_address addresses[RAIM_RESOLVER_ADDRESSES],
                                            uint32_t *count)
{
    struct job *job = resolver->job;
    *count = 0;
    if (job == NULL) {
        const bool has_failed = resolver->has_failed;
        resolver->has_failed = false;
        return has_failed ? RAIM_RESOLVER_FAILED : RAIM_RESOLVER_IDLE;
    }
    raim_system_lock(job->mutex);
    const bool is_done = job->is_done;
    raim_system_unlock(job->mutex);
    if (!is_done)
        return RAIM_RESOLVER_RUNNING;
    *count = job->count;
    memcpy(addresses, job->addresses, job->count * sizeof *addresses);
    resolver->job = NULL;
    destroy_job(job);
    return *count > 0 ? RAIM_RESOLVER_FOUND : RAIM_RESOLVER_FAILED;
}

void raim_address_race_init(struct raim_address_race *race)
{
    *race = (struct raim_address_race){0};
}

static void make_first(struct raim_address_race *race, uint32_t index)
{
    const struct raim_address first = race->addresses[index];
    memmove(&race->addresses[1], &race->addresses[0], index * sizeof first);
    race->addresses[0] = first;
}

static bool is_same(const struct raim_address *one, const struct raim_address *other)
{
    return one->is_ipv6 == other->is_ipv6 && one->scope == other->scope &&
           one->port == other->port && memcmp(one->bytes, other->bytes, sizeof one->bytes) == 0;
}

void raim_address_race_set(struct raim_address_race *race, const struct raim_address *addresses,
                           uint32_t count)
{
    const bool had_any = race->count > 0;
    const struct raim_address first = race->addresses[0];
    race->count = count;
    memcpy(race->addresses, addresses, count * sizeof *addresses);
    for (uint32_t i = 0; i < count && had_any; i++)
        if (is_same(&race->addresses[i], &first)) {
            make_first(race, i);
            break;
        }
}

static void close_all(struct raim_address_race *race)
{
    for (uint32_t i = 0; i < race->open; i++)
        raim_system_close(race->sockets[i]);
    race->open = 0;
}

void raim_address_race_reset(struct raim_address_race *race)
{
    close_all(race);
    race->tried = 0;
    race->is_won = false;
}

bool raim_address_race_try_next(struct raim_address_race *race)
{
    if (race->open == 0 && race->tried == race->count)
        race->tried = 0; // a network may have come up
    while (!race->is_won && race->tried < race->count) {
        const uint32_t index = race->tried++;
        const raim_socket socket = raim_system_open_udp(&race->addresses[index]);
        if (socket == RAIM_NO_SOCKET)
            continue;
        race->sockets[race->open] = socket;
        race->address_of[race->open++] = index;
        return true;
    }
    return false;
}

size_t raim_address_race_send(struct raim_address_race *race, const uint8_t *data, size_t size)
{
    size_t sent = 0;
    for (uint32_t i = 0; i < race->open; i++)
        sent += raim_system_send(race->sockets[i], data, size) ? size : 0;
    return sent;
}

void raim_address_race_win(struct raim_address_race *race, uint32_t socket)
{
    if (race->is_won)
        return;
    const raim_socket winner = race->sockets[socket];
    const uint32_t index = race->address_of[socket];
    race->sockets[socket] = race->sockets[--race->open];
    close_all(race);
    race->sockets[0] = winner;
    race->open = 1;
    race->is_won = true;
    make_first(race, index);
}

void raim_address_race_reopen(struct raim_address_race *race)
{
    if (!race->is_won)
        return;
    race->is_won = false;
    race->tried = 1; // the winner's address has become the first
    race->address_of[0] = 0;
}
