// SPDX-License-Identifier: MIT
// Matches the answers of arenas with the orders that wait for them.
#define _GNU_SOURCE
#include "admin_orders.h"

#include "admin_fields.h"
#include "loop.h"
#include "monotonic.h"
#include "order_log.h"
#include "store.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    ANSWER_MS = 2000, // the time that arenas have for a command
    STORED_MS = 1000, // and the store
    CONFLICT = 409,
    TIMEOUT = 504,
};

struct admin_orders {
    struct arena_table *table;
    struct admin_commands *commands;
    struct loop_source *deadline;    // of the first that waits
    struct watcher answered, stored; // perhaps
    struct admin_order *waiting;
};

static void run(void *context);

struct admin_orders *admin_orders_open(struct loop *loop, struct arena_table *table,
                                       struct rooms *rooms, char *error, size_t capacity)
{
    struct admin_orders *orders = calloc(1, sizeof *orders);
    snprintf(error, capacity, "out of memory");
    if (orders == NULL)
        return NULL;
    orders->table = table;
    orders->answered = orders->stored = (struct watcher){.run = run, .context = orders};
    watchers_add(&table->watchers, &orders->answered);
    if (table->store != NULL)
        store_watch(table->store, &orders->stored);
    orders->deadline = loop_add_timer(loop, 0, run, orders);
    if (orders->deadline != NULL)
        orders->commands = admin_commands_open(loop, table, rooms, error, capacity);
    if (orders->commands != NULL)
        return orders;
    admin_orders_close(orders);
    return NULL;
}

struct admin_commands *admin_orders_commands(const struct admin_orders *orders)
{
    return orders->commands;
}

static void log_order(const struct admin_orders *orders, const struct admin_command *command)
{
    char fields[ADMIN_FIELDS * ADMIN_FIELD_BYTES];
    if (!admin_commands_changes(command->route))
        return;
    admin_commands_print_fields(command, fields, sizeof fields);
    order_log_write(orders->table->events, &(struct order_note){
                                               .by = command->by,
                                               .via = command->via,
                                               .command = command->route->path + 1,
                                               .arena = command->fields[ADMIN_ARENA],
                                               .player = command->fields[ADMIN_PLAYER],
                                               .fields = fields,
                                           });
}

// Judges the outcome of an order that waits no longer, and hands it back.
static void finish(struct admin_orders *orders, struct admin_order *order)
{
    struct admin_command *command = &order->command;
    if (command->problem == NULL && command->waiting > 0) {
        command->status = TIMEOUT;
        command->problem = "no answer in time";
    } else if (command->problem == NULL && command->asked > 0 && command->done == 0) {
        command->status = CONFLICT;
        command->problem = command->route->failure;
    }
    if (command->problem == NULL && command->changes_bans)
        admin_commands_answer_bans(orders->commands, command);
    // A text with a status is an answer to something that could not be done.
    if (command->problem == NULL && (command->text == NULL || command->status == 0))
        log_order(orders, command);
    order->done(order);
}

void admin_orders_withdraw(struct admin_orders *orders, struct admin_order *order)
{
    if (!order->is_waiting)
        return;
    struct admin_order **link = &orders->waiting;
    while (*link != order)
        link = &(*link)->next;
    *link = order->next;
    order->is_waiting = false;
}

// When an order is to be finished in any case; 0: at once.
static uint64_t due_ms(const struct admin_orders *orders, const struct admin_order *order)
{
    if (order->command.waiting > 0)
        return order->given_ms + ANSWER_MS;
    return admin_commands_is_storing(orders->commands, &order->command)
               ? order->given_ms + STORED_MS
               : 0;
}

static void set_deadline(const struct admin_orders *orders)
{
    uint64_t first_ms = LOOP_NEVER;
    for (const struct admin_order *order = orders->waiting; order != NULL; order = order->next)
        first_ms = due_ms(orders, order) < first_ms ? due_ms(orders, order) : first_ms;
    loop_set_timer(orders->deadline, first_ms);
}

void admin_orders_give(struct admin_orders *orders, struct admin_order *order)
{
    assert(order->command.via != NULL && order->done != NULL);
    admin_commands_execute(orders->commands, &order->command);
    order->given_ms = monotonic_ms();
    if (due_ms(orders, order) == 0) {
        finish(orders, order);
        return;
    }
    order->is_waiting = true;
    order->next = orders->waiting;
    orders->waiting = order;
    set_deadline(orders);
}

static void end_waiting(struct admin_orders *orders, struct admin_order *order)
{
    admin_orders_withdraw(orders, order);
    finish(orders, order);
}

void admin_orders_end(struct admin_orders *orders)
{
    while (orders->waiting != NULL)
        end_waiting(orders, orders->waiting);
}

void admin_orders_close(struct admin_orders *orders)
{
    if (orders == NULL)
        return;
    assert(orders->waiting == NULL);
    watchers_remove(&orders->table->watchers, &orders->answered);
    if (orders->table->store != NULL)
        store_unwatch(orders->table->store, &orders->stored);
    loop_remove(orders->deadline);
    admin_commands_close(orders->commands);
    free(orders);
}

// NULL: it was withdrawn, or its deadline has passed.
static struct admin_order *find_waiting(const struct admin_orders *orders, uint32_t number)
{
    struct admin_order *order = orders->waiting;
    while (order != NULL && order->command.number != number)
        order = order->next;
    return order;
}

// Counts an arena's answer to the command of this number.
static void count_answer(struct admin_orders *orders, uint32_t number, bool done)
{
    struct admin_order *order = find_waiting(orders, number);
    if (order == NULL)
        return;
    order->command.done += done;
    order->command.waiting--;
    if (due_ms(orders, order) == 0)
        end_waiting(orders, order);
}

void admin_orders_forget(struct admin_orders *orders, struct arena *arena)
{
    uint32_t number;
    bool done;
    admin_commands_forget(orders->commands, arena);
    while (admin_commands_collect_from(orders->commands, arena, &number, &done))
        count_answer(orders, number, done);
}

static void run(void *context)
{
    struct admin_orders *orders = context;
    struct recorder_answer answer;
    uint32_t number;
    bool done;
    while (admin_commands_collect(orders->commands, &number, &done))
        count_answer(orders, number, done);
    while (admin_commands_collect_recorder(orders->commands, &answer)) {
        struct admin_order *order = find_waiting(orders, answer.number);
        if (order == NULL)
            continue;
        admin_commands_answer_recorder(&order->command, &answer);
        end_waiting(orders, order);
    }
    const uint64_t now_ms = monotonic_ms();
    for (struct admin_order *order = orders->waiting, *next; order != NULL; order = next) {
        next = order->next;
        if (now_ms >= due_ms(orders, order))
            end_waiting(orders, order);
    }
    set_deadline(orders);
}
