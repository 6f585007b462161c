// SPDX-License-Identifier: MIT
// raimd under an orchestrator, Agones: gives the state machine (agones.h) the state of the arenas,
// carries its requests to the client (agones_client.h), and executes its decisions. Main thread
// only; nothing here blocks but orchestrator_open, which runs the loop.
#pragma once

#include "arena_table.h"
#include "config.h"
#include "control.h"
#include "on_demand.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fetch;
struct loop;
struct orchestrator;

// The port of Agones' SDK server by the configuration and $AGONES_SDK_HTTP_PORT; 0: off.
uint16_t orchestrator_port(const struct config *config);

// Prepares the connection to this port, by `fetch`, which is borrowed. If an arena's port is 0, it
// waits until the GameServer has ports, and makes the table, which has its configuration, give them
// to its arenas: call it before arena_table_open. Waits for at most 30 seconds, and ends at a
// pending SIGTERM or SIGINT. Returns NULL and writes a reason into `error`.
struct orchestrator *orchestrator_open(struct loop *loop, struct fetch *fetch, uint16_t port,
                                       struct arena_table *table, char *error, size_t capacity);

// Takes NULL.
void orchestrator_close(struct orchestrator *orchestrator);

// For the status and the metrics, see agones.h.
const struct agones_status *orchestrator_status(const struct orchestrator *orchestrator);

// Joins the loop, once the arenas run. Borrows `table`, `control` and `on_demand`, which it
// observes until on_demand_close. False when memory runs out.
bool orchestrator_start(struct orchestrator *orchestrator, struct loop *loop,
                        struct arena_table *table, struct control *control,
                        struct on_demand *on_demand);

// Begins a drain because of a signal.
void orchestrator_drain(struct orchestrator *orchestrator);

// Whether Agones has been sent Shutdown after a drain, or does not answer, and the process may
// exit.
bool orchestrator_has_ended(const struct orchestrator *orchestrator);
