// SPDX-License-Identifier: MIT
// Orders: commands from whoever gives them to their answer. An order that arenas have to answer
// waits for them, for two seconds at most, and one that is to be stored for one second at most.
// Every executed order is logged, whoever gave it. Main thread only.
#pragma once

#include "admin_commands.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct admin_orders;
struct loop;

// Zeroed, with the route, fields, `by` and `via` of the command and `done` filled in by the caller,
// whose memory it is.
struct admin_order {
    struct admin_command command;

    // Called once, when the outcome is known: `problem` of the command, or else its text, may be
    // NULL, and its counts. Perhaps before admin_orders_give returns.
    void (*done)(struct admin_order *order);

    struct admin_order *next;
    uint64_t given_ms; // CLOCK_MONOTONIC
    bool is_waiting;
};

// As admin_commands_open.
struct admin_orders *admin_orders_open(struct loop *loop, struct arena_table *table,
                                       struct rooms *rooms, char *error, size_t capacity);

// Ends the orders that wait. Call it before what gave them is closed.
void admin_orders_end(struct admin_orders *orders);

// Takes NULL. The arenas must have ended, and no order may wait.
void admin_orders_close(struct admin_orders *orders);

struct admin_commands *admin_orders_commands(const struct admin_orders *orders);

void admin_orders_give(struct admin_orders *orders, struct admin_order *order);

// Forgets an order that may be waiting; `done` is not called.
void admin_orders_withdraw(struct admin_orders *orders, struct admin_order *order);

// Call it for a released arena before it is destroyed: orders that wait for it count it as not
// done, and it counts as reading no ban list.
void admin_orders_forget(struct admin_orders *orders, struct arena *arena);
