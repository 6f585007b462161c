// SPDX-License-Identifier: MIT
// Fuzzes Source RCON and the lines of admins: any bytes as packets, and the bodies as lines of
// givers of any level. A packet lies within the bytes and ends with a zero; a line is answered or
// becomes a command with a route that its giver's level permits, whose fields end and which can be
// executed.
#define _GNU_SOURCE
#include "fuzz.h"

#include "fuzz_arenas.h"
#include "fuzz_file.h"
#include "loop.h"
#include "rcon_packet.h"
#include "text_commands.h"

#include <stdbool.h>

static struct loop *loop;
static struct commands *commands;

static void clean_up(void)
{
    commands_close(commands);
    loop_destroy(loop);
}

static void set_up(void)
{
    char error[512];
    unsetenv("STATE_DIRECTORY");
    loop = loop_create();
    commands = commands_open(loop, &fuzz_fleet, NULL, error, sizeof error);
    assert(commands != NULL);
    atexit(clean_up);
}

static void check_fields(const struct command_call *call)
{
    for (int i = 0; i < COMMAND_FIELDS; i++)
        assert(memchr(call->fields[i], '\0', COMMAND_FIELD_BYTES) != NULL);
}

static char answer[TEXT_COMMANDS_ANSWER_BYTES];

static void take_answer(struct command_call *call)
{
    text_commands_answer(call, answer);
    free(call->text);
    call->text = NULL;
}

// Executes a command as far as it goes without arenas that answer.
static void execute(struct command_call *call)
{
    call->done = take_answer;
    commands_execute(commands, call);
    for (int i = 0; i < FUZZ_ARENAS; i++)
        fuzz_answer(fuzz_arenas[i], true);
    commands_run(commands);
    commands_end(commands);
}

static void give(const char *line, uint8_t byte)
{
    static struct command_call call;
    const struct text_commands_source source = {
        .by = "somebody",
        .via = "rcon",
        .level = (enum config_admin_level)(byte % CONFIG_ADMIN_LEVELS),
        .arena = (byte & 4) != 0 ? arena_config(fuzz_arenas[0])->name : "",
    };
    const bool is_command = text_commands_read(&fuzz_fleet.running, &source, line, &call, answer);
    const size_t length = strnlen(answer, sizeof answer);
    assert(length < sizeof answer);
    check_fields(&call);
    if (!is_command) {
        assert(length > 0 && answer[length - 1] == '\n');
        return;
    }
    assert(source.level > CONFIG_ADMIN_NONE && call.row != NULL);
    assert(command_changes(call.row));
    execute(&call);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct rcon_packet packet;
    fuzz_make_arenas();
    if (commands == NULL)
        set_up();
    for (size_t at = 0; at < size; at += packet.bytes) {
        if (rcon_packet_read(data + at, size - at, &packet) != RCON_PACKET)
            break;
        assert(packet.bytes >= 14 && packet.bytes <= size - at);
        assert(strlen(packet.body) <= RCON_BODY_BYTES + 1);
        static uint8_t again[RCON_PACKET_BYTES];
        const size_t body =
            strlen(packet.body) < RCON_BODY_BYTES ? strlen(packet.body) : RCON_BODY_BYTES;
        // A client may leave out one of the zeros.
        assert(rcon_packet_write(again, packet.id, packet.type, packet.body, body) <=
               packet.bytes + 1);
        char line[RCON_PACKET_BYTES];
        strcpy(line, packet.body);
        give(line, (uint8_t)packet.id);
    }
    return 0;
}
