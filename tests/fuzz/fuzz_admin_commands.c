// SPDX-License-Identifier: MIT
// Fuzzes the operator's requests: any path, method and form fields in sequence, with arenas that
// answer late or not at all. Every command is answered, refused with a text, or waits for the
// arenas; the ban list stays readable.
#define _GNU_SOURCE
#include "fuzz.h"

#include "admin_commands.h"
#include "admin_fields.h"
#include "fuzz_arenas.h"
#include "fuzz_file.h"
#include "loop.h"
#include "store.h"

#include <stdbool.h>

static char bans_path[128];

static void clean_up(void)
{
    unlink(bans_path);
}

static void set_up(void)
{
    fuzz_make_directory("orders");
    snprintf(bans_path, sizeof bans_path, "%s/bans", fuzz_directory);
    fuzz_fleet.store = store_create(fuzz_directory);
    atexit(clean_up);
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

// An order is a line with its path, which names the method by its first byte, and lines of a
// field's name, "=" and its value, up to an empty one.
static void give(struct admin_commands *orders, struct fuzz_input *input)
{
    struct admin_command order = {0};
    char line[ADMIN_FIELD_BYTES + 16];
    bool path_is_known;
    const uint8_t kind = fuzz_byte(input);
    take_text(input, line, sizeof line);
    order.route = admin_commands_find(line, kind % 2 != 0 ? "POST" : "GET", &path_is_known);
    assert(order.route == NULL || path_is_known);
    for (take_text(input, line, sizeof line); line[0] != '\0';
         take_text(input, line, sizeof line)) {
        char *value = strchr(line, '=');
        if (value == NULL)
            continue;
        *value++ = '\0';
        char *field = admin_commands_field(&order, line);
        if (field != NULL && strlen(value) < ADMIN_FIELD_BYTES)
            strcpy(field, value);
    }
    if (order.route == NULL)
        return;
    admin_commands_execute(orders, &order);
    assert(order.problem == NULL || order.status >= 400);
    assert(order.problem != NULL || order.text != NULL || order.waiting > 0 || order.changes_bans);
    assert(order.waiting <= order.asked && order.asked <= FUZZ_ARENAS);
    free(order.text);
    if (kind & 2)
        fuzz_answer(fuzz_arenas[kind >> 2 & 1], (kind & 8) != 0);
    uint32_t number;
    bool done;
    while ((kind & 16) != 0 && admin_commands_collect(orders, &number, &done))
        continue;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (bans_path[0] == '\0')
        set_up();
    fuzz_make_arenas();
    unlink(bans_path);
    char error[512];
    struct loop *loop = loop_create();
    struct admin_commands *orders =
        admin_commands_open(loop, &fuzz_fleet, NULL, error, sizeof error);
    assert(orders != NULL);
    struct fuzz_input input = {data, size};
    while (input.left > 0)
        give(orders, &input);
    uint32_t number;
    bool done;
    for (int i = 0; i < FUZZ_ARENAS; i++)
        fuzz_answer(fuzz_arenas[i], true);
    while (admin_commands_collect(orders, &number, &done))
        continue;
    for (int i = 0; i < FUZZ_ARENAS; i++)
        fuzz_answer(fuzz_arenas[i], true); // the bans that took the freed places
    while (admin_commands_collect(orders, &number, &done))
        continue;
    admin_commands_close(orders);
    loop_destroy(loop);
    store_flush(fuzz_fleet.store);
    struct bans_unread unread = {0};
    struct bans *bans = bans_load(bans_path, &unread, error, sizeof error);
    assert(bans != NULL && unread.lines == 0);
    free(bans);
    return 0;
}
