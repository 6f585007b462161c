// SPDX-License-Identifier: MIT
// Stubs for targets of the operator's interface: arenas that never run but answer when the target
// says so, and changes of the server that are all rejected.
#pragma once

#include "arena.h"
#include "arena_command.h"
#include "arena_table_changes.h"
#include "fuzz.h"
#include "log.h"
#include "mailbox.h"
#include "systemd.h"

#include <stdio.h>

enum { FUZZ_ARENAS = 2 };

static struct arena *fuzz_arenas[FUZZ_ARENAS];
static struct arena_table fuzz_fleet; // that runs them
static struct config *fuzz_config;

static inline void fuzz_remove_arenas(void)
{
    for (int i = 0; i < FUZZ_ARENAS; i++)
        arena_destroy(fuzz_arenas[i]);
    config_unload(fuzz_config);
}

// Makes them, once for the process. Call it for every input: some change the log's level.
static inline void fuzz_make_arenas(void)
{
    static struct socket_activation nothing;
    static struct wakeup nobody;
    char error[256];
    log_set_level(LOG_LEVEL_ERROR); // the screen is for what the target has to say
    if (fuzz_config != NULL)
        return;
    fuzz_config = config_demo(NULL, &(struct diagnostics){.out = stderr});
    for (int i = 0; i < FUZZ_ARENAS; i++) {
        fuzz_config->arenas[i].port = 0;
        fuzz_arenas[i] = arena_create(fuzz_config, &fuzz_config->arenas[i], &nothing, NULL, &nobody,
                                      error, sizeof error);
        assert(fuzz_arenas[i] != NULL);
        fuzz_fleet.running.arenas[i] = fuzz_arenas[i];
    }
    fuzz_fleet.running.count = FUZZ_ARENAS;
    atexit(fuzz_remove_arenas);
}

// What an arena was asked for comes back, done or not.
static inline void fuzz_answer(struct arena *arena, bool done)
{
    struct mailbox *mailbox = arena_mailbox(arena);
    for (struct command *message; (message = mailbox_peek(mailbox)) != NULL;) {
        if (message->kind == COMMAND_BANS)
            message->bans = NULL; // it had none before
        message->done = done;
        mailbox_complete(mailbox);
    }
}

// Discards all messages when no reply is awaited any more.
static inline void fuzz_empty_mailboxes(void)
{
    for (int i = 0; i < FUZZ_ARENAS; i++) {
        fuzz_answer(fuzz_arenas[i], false);
        while (mailbox_completed(arena_mailbox(fuzz_arenas[i])) != NULL)
            mailbox_release(arena_mailbox(fuzz_arenas[i]));
    }
}

bool arena_table_add_arena(struct arena_table *fleet, const char *name, char *error,
                           size_t capacity)
{
    (void)fleet;
    snprintf(error, capacity, "not here: %.40s", name);
    return false;
}

bool arena_table_remove_arena(struct arena_table *fleet, int index, char *error, size_t capacity)
{
    return arena_table_add_arena(fleet, arena_config(fleet->running.arenas[index])->name, error,
                                 capacity);
}

bool arena_table_change_map(struct arena_table *fleet, int index, const char *path, char *error,
                            size_t capacity)
{
    (void)index;
    return arena_table_add_arena(fleet, path, error, capacity);
}

bool arena_table_reload(struct arena_table *fleet, struct reload_report *outcome)
{
    (void)fleet, (void)outcome;
    return false;
}
