// SPDX-License-Identifier: MIT
// Stubs for targets of the operator's interface: arenas that never run but answer when the target
// says so, and a server that ignores its requests.
#pragma once

#include "acts.h"
#include "arena.h"
#include "arena_command.h"
#include "fuzz.h"
#include "log.h"
#include "mailbox.h"
#include "socket_activation.h"

#include <stdio.h>

enum { FUZZ_ARENAS = 2 };

static struct arena *fuzz_arenas[FUZZ_ARENAS];
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
    char error[256];
    log_set_level(LOG_LEVEL_ERROR); // the screen is for what the target has to say
    if (fuzz_config != NULL)
        return;
    fuzz_config = config_demo(&(struct diagnostics){.out = stderr});
    for (int i = 0; i < FUZZ_ARENAS; i++) {
        fuzz_config->arenas[i].port = 0;
        fuzz_arenas[i] =
            arena_create(fuzz_config, &fuzz_config->arenas[i], &nothing, error, sizeof error);
        assert(fuzz_arenas[i] != NULL);
    }
    atexit(fuzz_remove_arenas);
}

// What an arena was asked for comes back, done or not.
static inline void fuzz_answer(struct arena *arena, bool done)
{
    struct mailbox *mailbox = arena_mailbox(arena);
    for (struct command *message; (message = mailbox_open(mailbox)) != NULL;) {
        if (message->kind == COMMAND_BANS)
            message->bans = NULL; // it had none before
        message->done = done;
        mailbox_reply(mailbox);
    }
}

// Discards all messages when no reply is awaited any more.
static inline void fuzz_empty_mailboxes(void)
{
    for (int i = 0; i < FUZZ_ARENAS; i++) {
        fuzz_answer(fuzz_arenas[i], false);
        while (mailbox_answer(arena_mailbox(fuzz_arenas[i])) != NULL)
            mailbox_forget(arena_mailbox(fuzz_arenas[i]));
    }
}

static inline bool fuzz_refuse_arena(struct server *server, const char *name, char *error,
                                     size_t capacity)
{
    (void)server;
    snprintf(error, capacity, "not here: %.40s", name);
    return false;
}

static inline bool fuzz_refuse_map(struct server *server, const char *name, const char *path,
                                   char *error, size_t capacity)
{
    (void)path;
    return fuzz_refuse_arena(server, name, error, capacity);
}

static inline bool fuzz_refuse_reload(struct server *server, struct reload_report *outcome)
{
    (void)server, (void)outcome;
    return false;
}

static const struct acts fuzz_acts = {.add_arena = fuzz_refuse_arena,
                                      .remove_arena = fuzz_refuse_arena,
                                      .change_map = fuzz_refuse_map,
                                      .reload = fuzz_refuse_reload};
