// SPDX-License-Identifier: MIT
// Passes addresses of masters to the arenas, and compares each arena's standing with what was
// logged.
#include "master_listing.h"

#include "json_writer.h"
#include "log.h"
#include "loop.h"
#include "master_resolver.h"
#include "monotonic.h"
#include "socket_address.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EVERY_MS = 1000 };

struct master_listing {
    struct config_masters masters;
    struct master_resolver *resolver;
    struct masters_list list;
    const char *problems[CONFIG_MAX_MASTERS]; // that were logged; NULL: none
    const struct arena_list *arenas;
    int addresses[CONFIG_MAX_MASTERS]; // of each; 0: not resolved
    struct loop_source *interval;
};

// A master server, with what it and all arenas have sent each other.
static void write_master(struct json_writer *json, const struct master_listing *master_listing,
                         int index, uint64_t now_ms)
{
    const struct config_master *master = &master_listing->masters.items[index];
    uint64_t arenas = 0, heartbeats = 0, asked = 0;
    int64_t asked_ms = 0;
    for (int i = 0; i < master_listing->arenas->count; i++) {
        const struct masters_contact *contact =
            &arena_status(master_listing->arenas->arenas[i])->masters.contacts[index];
        arenas += masters_standing(contact, (int64_t)now_ms) == MASTERS_LISTED;
        heartbeats += contact->heartbeats;
        asked += contact->asked;
        asked_ms = contact->asked_ms > asked_ms ? contact->asked_ms : asked_ms;
    }
    json_begin_object(json, NULL);
    json_write_text(json, "host", master->host);
    json_write_count(json, "port", master->port);
    json_write_count(json, "addresses", (uint64_t)master_listing->addresses[index]);
    json_write_count(json, "arenas", arenas);
    json_write_count(json, "heartbeats", heartbeats);
    json_write_count(json, "asked", asked);
    if (asked == 0)
        json_write_null(json, "asked_s");
    else
        json_write_number(json, "asked_s", ((int64_t)now_ms - asked_ms) / 1000);
    json_write_end(json);
}

static void write_masters(const void *object, struct json_writer *json, uint64_t now_ms)
{
    const struct master_listing *master_listing = object;
    json_begin_array(json, "masters");
    for (int i = 0; master_listing != NULL && i < master_listing->masters.count; i++)
        write_master(json, master_listing, i, now_ms);
    json_write_end(json);
}

const struct metric_table master_listing_metrics = {.group = "masters",
                                                    .write_group = write_masters};

static void run(void *context);

struct master_listing *master_listing_start(struct loop *loop, const struct config_masters *masters,
                                            const struct arena_list *list)
{
    struct master_listing *master_listing = calloc(1, sizeof *master_listing);
    if (master_listing != NULL)
        master_listing->resolver = master_resolver_start(masters);
    if (master_listing == NULL || master_listing->resolver == NULL) {
        log_error("masters failed: cannot start a thread: %s", strerror(errno));
        free(master_listing);
        return NULL;
    }
    master_listing->masters = *masters;
    master_listing->arenas = list;
    master_listing->interval = loop_add_interval(loop, EVERY_MS, run, master_listing);
    if (master_listing->interval != NULL)
        return master_listing;
    log_error("masters failed: out of memory");
    master_listing_stop(master_listing);
    return NULL;
}

void master_listing_stop(struct master_listing *master_listing)
{
    if (master_listing == NULL)
        return;
    loop_remove(master_listing->interval);
    master_resolver_stop(master_listing->resolver);
    free(master_listing);
}

// Logs a master that cannot be resolved, once until it can.
static void note_problem(struct master_listing *master_listing, int index, const char *problem)
{
    const struct config_master *master = &master_listing->masters.items[index];
    const char *before = master_listing->problems[index];
    master_listing->problems[index] = problem;
    if (problem != NULL && before == NULL)
        log_warning("master not found master=%s: %s", master->host, problem);
    else if (problem == NULL && before != NULL)
        log_info("master found master=%s", master->host);
}

static void take_addresses(struct master_listing *master_listing)
{
    const char *problems[CONFIG_MAX_MASTERS];
    if (!master_resolver_take(master_listing->resolver, &master_listing->list, problems))
        return;
    memset(master_listing->addresses, 0, sizeof master_listing->addresses);
    for (int i = 0; i < master_listing->list.count; i++)
        master_listing->addresses[master_listing->list.items[i].master]++;
    for (int i = 0; i < master_listing->masters.count; i++)
        note_problem(master_listing, i, problems[i]);
}

// The masters that can reach an arena: of one on a loopback address, those of this machine.
static struct masters_list masters_for(const struct master_listing *master_listing,
                                       const struct config_arena *arena)
{
    union socket_address address;
    struct masters_list list = {.count = 0};
    const bool is_local = socket_address_parse(arena->address, arena->port, &address) &&
                          socket_address_is_loopback(&address);
    for (int i = 0; i < master_listing->list.count; i++)
        if (!is_local || ip_address_is_loopback(master_listing->list.items[i].to.ip))
            list.items[list.count++] = master_listing->list.items[i];
    return list;
}

static void log_standing(struct arena *arena, const struct config_master *master, int index,
                         uint64_t now_ms)
{
    const struct masters_contact *contact = &arena_status(arena)->masters.contacts[index];
    const char *name = arena_config(arena)->name;
    enum masters_standing *logged = &arena_masters_standings(arena)[index];
    const enum masters_standing standing = masters_standing(contact, (int64_t)now_ms);
    if (standing == *logged)
        return;
    if (standing == MASTERS_LISTED)
        log_arena_info(name, "listed arena=%s master=%s:%u", name, master->host, master->port);
    else if (standing == MASTERS_SILENT)
        log_arena_warning(name,
                          "not listed arena=%s master=%s:%u heartbeats=%llu: the master sends no "
                          "query; is the arena's UDP port open to it?",
                          name, master->host, master->port,
                          (unsigned long long)contact->heartbeats);
    *logged = standing;
}

static void run(void *context)
{
    struct master_listing *master_listing = context;
    const struct arena_list *list = master_listing->arenas;
    const uint64_t now_ms = monotonic_ms();
    take_addresses(master_listing);
    for (int i = 0; i < list->count; i++) {
        struct arena *arena = list->arenas[i];
        if (arena_config(arena)->is_on_demand)
            continue;
        const struct masters_list masters = masters_for(master_listing, arena_config(arena));
        arena_set_masters(arena, &masters);
        for (int j = 0; j < master_listing->masters.count; j++)
            log_standing(arena, &master_listing->masters.items[j], j, now_ms);
    }
}
