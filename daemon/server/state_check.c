// SPDX-License-Identifier: MIT
// Has each module read its files, with a store that takes no changes.
#define _GNU_SOURCE
#include "state_check.h"

#include "arena.h"
#include "arena_list.h"
#include "ban_store.h"
#include "log.h"
#include "on_demand.h"
#include "program.h"
#include "result_db.h"
#include "server_events.h"
#include "store.h"
#include "systemd.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

static bool check_files(struct config *config, struct store *store)
{
    static const struct arena_list none;
    char error[PATH_MAX + 128], path[PATH_MAX];
    struct ban_store *bans = ban_store_open(&none, store, error, sizeof error);
    const bool has_bans = bans != NULL;
    if (!has_bans)
        log_error("bans rejected, a start would fail: %s", error);
    ban_store_close(bans);
    server_events_close(server_events_open(store));
    const bool has_results =
        !config->results || !store_path(store, "results.db", path) || result_db_is_known(path);
    if (!has_results)
        log_warning("results database is made again from results.jsonl: it has another layout");
    return on_demand_check(config, store) && has_bans && has_results && store_unread(store) == 0;
}

int state_check(struct config *config)
{
    char directory[PATH_MAX];
    bool good = true;
    for (int i = 0; i < config->arena_count; i++)
        good = arena_check(config, &config->arenas[i]) && good;
    struct store *store = store_create(
        unit_directories_find("STATE_DIRECTORY", directory, sizeof directory) ? directory : NULL);
    if (store == NULL) {
        log_error("out of memory");
        return EXIT_FAILURE;
    }
    store_only_read(store);
    good = check_files(config, store) && good;
    store_close(store);
    puts(good ? PROGRAM_TAKES_ALL : PROGRAM_TAKES_PART);
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
