// SPDX-License-Identifier: MIT
// Source RCON: commands as lines over TCP, for the tools that server operators have. The protocol
// neither encrypts nor hides the password. Strangers get eight connections, ten seconds for a
// password, and an address five wrong ones and then one a minute; a network (/24, IPv6 /48) four
// times as many. An address from which somebody has logged in since the start shares neither its
// network's guesses nor the strangers' places. The main thread runs it like http.h and never blocks
// in it; passwords are verified by password_thread.h. Main thread only.
#pragma once

#include "commands.h"
#include "config.h"
#include "password_thread.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct loop;
struct rcon;

// Listens. Copies `config`, borrows the others; `denied` counts wrong passwords and rejected
// addresses. Returns NULL and writes a reason into `error`.
struct rcon *rcon_open(struct loop *loop, const struct config_rcon *config,
                       const struct arena_list *arenas, struct commands *commands,
                       struct password_thread *passwords, uint64_t *denied, char *error,
                       size_t capacity);

// Takes NULL. Withdraws the commands that wait.
void rcon_close(struct rcon *rcon);
