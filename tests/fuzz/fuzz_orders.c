// SPDX-License-Identifier: MIT
// What the operator's side makes of requests: any path and method, any fields of a form, one after
// another, with arenas that answer late or not at all. Every order is answered, refused with words,
// or waits for arenas that were asked; the list of bans stays one that can be read.
#define _GNU_SOURCE
#include "fuzz.h"

#include "acts.h"
#include "command.h"
#include "fuzz_file.h"
#include "mailbox.h"
#include "orders.h"

#include <stdbool.h>

enum { ARENAS = 2 };

static char bans_path[128];
static struct arena *arenas[ARENAS];
static struct config *config;

static void clean_up(void)
{
    unlink(bans_path);
    for (int i = 0; i < ARENAS; i++)
        arena_destroy(arenas[i]);
    config_unload(config);
}

static void set_up(void)
{
    static struct passed nothing;
    char error[256];
    fuzz_make_directory("orders");
    snprintf(bans_path, sizeof bans_path, "%s/bans", fuzz_directory);
    setenv("STATE_DIRECTORY", fuzz_directory, 1);
    config = config_demo();
    for (int i = 0; i < ARENAS; i++) {
        config->arenas[i].port = 0;
        arenas[i] = arena_create(config, &config->arenas[i], &nothing, error, sizeof error);
        assert(arenas[i] != NULL);
    }
    atexit(clean_up);
}

// The server itself refuses everything.
static bool refuse_arena(struct server *server, const char *name, char *error, size_t capacity)
{
    (void)server;
    snprintf(error, capacity, "not here: %.40s", name);
    return false;
}

static bool refuse_map(struct server *server, const char *name, const char *path, char *error,
                       size_t capacity)
{
    (void)path;
    return refuse_arena(server, name, error, capacity);
}

static bool refuse_reload(struct server *server, struct outcome *outcome)
{
    (void)server, (void)outcome;
    return false;
}

// Takes a line of text without control characters, as those of a form that got this far.
static void take_text(struct fuzz_input *input, char *text, size_t capacity)
{
    size_t length = 0;
    for (uint8_t byte; (byte = fuzz_byte(input)) != '\n' && byte != 0;)
        if (length + 1 < capacity && byte >= ' ' && byte != 0x7F)
            text[length++] = (char)byte;
    text[length] = '\0';
}

// Some letters come back, done or not.
static void answer(struct arena *arena, bool done)
{
    struct mailbox *mailbox = arena_mailbox(arena);
    for (struct command *letter; (letter = mailbox_open(mailbox)) != NULL;) {
        if (letter->kind == COMMAND_BANS)
            letter->bans = NULL; // it had none before
        letter->done = done;
        mailbox_reply(mailbox);
    }
}

// An order is a line with its path, which names the method by its first byte, and lines of a
// field's name, "=" and its value, up to an empty one.
static void give(struct orders *orders, struct fuzz_input *input)
{
    struct order order = {0};
    char line[ORDERS_FIELD_BYTES + 16];
    bool path_is_known;
    const uint8_t kind = fuzz_byte(input);
    take_text(input, line, sizeof line);
    order.route = orders_find(line, kind % 2 != 0 ? "POST" : "GET", &path_is_known);
    assert(order.route == NULL || path_is_known);
    for (take_text(input, line, sizeof line); line[0] != '\0';
         take_text(input, line, sizeof line)) {
        char *value = strchr(line, '=');
        if (value == NULL)
            continue;
        *value++ = '\0';
        char *field = orders_field(&order, line);
        if (field != NULL && strlen(value) < ORDERS_FIELD_BYTES)
            strcpy(field, value);
    }
    if (order.route == NULL)
        return;
    orders_give(orders, &order);
    assert(order.problem == NULL || order.status >= 400);
    assert(order.problem != NULL || order.text != NULL || order.waiting > 0);
    assert(order.waiting <= order.asked && order.asked <= ARENAS);
    free(order.text);
    if (kind & 2)
        answer(arenas[kind >> 2 & 1], (kind & 8) != 0);
    uint32_t number;
    bool done;
    while ((kind & 16) != 0 && orders_collect(orders, &number, &done))
        continue;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (bans_path[0] == '\0')
        set_up();
    unlink(bans_path);
    char error[512];
    const struct status_source source = {.arenas = arenas, .arena_count = ARENAS};
    static const struct acts acts = {.add_arena = refuse_arena,
                                     .remove_arena = refuse_arena,
                                     .change_map = refuse_map,
                                     .reload = refuse_reload};
    struct orders *orders = orders_open(&source, &acts, error, sizeof error);
    assert(orders != NULL);
    struct fuzz_input input = {data, size};
    while (input.left > 0)
        give(orders, &input);
    uint32_t number;
    bool done;
    for (int i = 0; i < ARENAS; i++)
        answer(arenas[i], true);
    while (orders_collect(orders, &number, &done))
        continue;
    for (int i = 0; i < ARENAS; i++)
        answer(arenas[i], true); // the bans that took the freed places
    while (orders_collect(orders, &number, &done))
        continue;
    orders_close(orders);
    struct bans *bans = bans_load(bans_path, error, sizeof error);
    assert(bans != NULL);
    free(bans);
    return 0;
}
