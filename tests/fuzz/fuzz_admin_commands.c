// SPDX-License-Identifier: MIT
// Fuzzes commands: any path, method and fields in sequence, and bodies of any bytes, with arenas
// that answer late or not at all. Every command is answered, rejected with a text, or waits for the
// arenas; the ban list stays readable.
#define _GNU_SOURCE
#include "fuzz.h"

#include "commands.h"
#include "fuzz_arenas.h"
#include "fuzz_file.h"
#include "loop.h"
#include "status.h"
#include "store.h"

#include <stdbool.h>

static char bans_path[128];

static void clean_up(void)
{
    unlink(bans_path);
}

static void set_up(void)
{
    fuzz_make_directory("commands");
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

enum { CALLS = 64 };

static struct command_call calls[CALLS];

static void check(struct command_call *call)
{
    assert(call->problem == NULL || call->status >= 400);
    assert(call->problem != NULL || call->waiting == 0);
    free(call->text);
    call->text = NULL;
}

// A command is a byte, a line with its path, and lines of a field's name, "=" and its value up to
// an empty one, or with "{" in front a line that is its body.
static void give(struct commands *commands, struct command_call *call, struct fuzz_input *input)
{
    static const char *const methods[] = {"GET", "POST"};
    char line[COMMAND_FIELD_BYTES + 16], allow[COMMAND_ALLOW_BYTES];
    const char *id;
    const uint8_t kind = fuzz_byte(input);
    take_text(input, line, sizeof line);
    commands_withdraw(commands, call);
    *call = (struct command_call){
        .row = command_route(methods[kind % 2], line, &id, allow), .via = "api", .done = check};
    assert(call->row == NULL || allow[0] != '\0');
    bool is_good = call->row != NULL;
    for (take_text(input, line, sizeof line); line[0] != '\0';
         take_text(input, line, sizeof line)) {
        char *value = strchr(line, '=');
        if (call->row != NULL && line[0] == '{') {
            call->body = line;
            call->body_bytes = strlen(line);
            is_good = command_body_read(call) == NULL;
            continue;
        }
        if (value == NULL || call->row == NULL)
            continue;
        *value++ = '\0';
        const enum command_field field = command_field_find(call->row, line);
        if (field != COMMAND_FIELDS && strlen(value) < COMMAND_FIELD_BYTES)
            strcpy(call->fields[field], value);
    }
    call->body = NULL;
    if (!is_good)
        return;
    commands_execute(commands, call);
    assert(call->waiting <= call->asked && call->asked <= FUZZ_ARENAS);
    if (kind & 2)
        fuzz_answer(fuzz_arenas[kind >> 2 & 1], (kind & 8) != 0);
    if ((kind & 16) != 0)
        commands_run(commands);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (bans_path[0] == '\0')
        set_up();
    fuzz_make_arenas();
    unlink(bans_path);
    char error[512];
    struct loop *loop = loop_create();
    struct commands *commands = commands_open(loop, &fuzz_fleet, NULL, error, sizeof error);
    assert(commands != NULL);
    const struct status_view view = {.list = &fuzz_fleet.running};
    commands_serve_status(commands, &view);
    struct fuzz_input input = {data, size};
    for (int i = 0; input.left > 0; i++)
        give(commands, &calls[i % CALLS], &input);
    for (int i = 0; i < FUZZ_ARENAS; i++)
        fuzz_answer(fuzz_arenas[i], true);
    commands_run(commands);
    for (int i = 0; i < FUZZ_ARENAS; i++)
        fuzz_answer(fuzz_arenas[i], true); // the bans that took the freed places
    commands_run(commands);
    commands_end(commands);
    commands_close(commands);
    loop_destroy(loop);
    store_flush(fuzz_fleet.store);
    struct bans_unread unread = {0};
    struct bans *bans = bans_load(bans_path, &unread, error, sizeof error);
    assert(bans != NULL && unread.lines == 0);
    free(bans);
    return 0;
}
