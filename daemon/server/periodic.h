// SPDX-License-Identifier: MIT
// Periodic duties of the main thread: feeds the service manager's watchdog, reports the number of
// players to it, logs overloaded arenas and rejected datagrams. Main thread only.
#pragma once

#include "arena_table.h"

#include <stdint.h>

struct loop;
struct periodic;

// Borrows the table. Returns NULL when memory runs out.
struct periodic *periodic_start(struct loop *loop, struct arena_table *table);

// Takes NULL.
void periodic_stop(struct periodic *periodic);
