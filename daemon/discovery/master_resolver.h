// SPDX-License-Identifier: MIT
// Resolves the names of master servers in its own thread, again every hour, so that a slow
// name server stops neither a tick nor the main thread. The last addresses of a name stay in use
// while it cannot be resolved.
#pragma once

#include "masters.h"

#include <stdbool.h>

struct master_resolver;

// Starts the thread. Copies `masters`. Returns NULL with errno.
struct master_resolver *master_resolver_start(const struct config_masters *masters);

// Returns at once; a lookup that is under way ends by itself. Takes NULL.
void master_resolver_stop(struct master_resolver *resolver);

// Takes the newest addresses. Returns false if there are none since the last call. `problems` gets
// for each master why it could not be resolved this time, a static text, or NULL.
bool master_resolver_take(struct master_resolver *resolver, struct masters_list *list,
                          const char *problems[CONFIG_MAX_MASTERS]);

// Whether a master is named, so that a lookup needs the system's resolver.
bool master_resolver_needs_names(const struct config_masters *masters);
