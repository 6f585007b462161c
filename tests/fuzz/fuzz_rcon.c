// SPDX-License-Identifier: MIT
// Fuzzes Source RCON and the lines of admins: any bytes as packets, and the bodies as lines of
// givers of any level. A packet lies within the bytes and ends with a zero; a line is answered or
// becomes a command with a route that its giver's level permits, whose fields end and which can be
// executed.
#define _GNU_SOURCE
#include "fuzz.h"

#include "command_line.h"
#include "fuzz_arenas.h"
#include "fuzz_file.h"
#include "loop.h"
#include "rcon_packet.h"

#include <stdbool.h>

static struct loop *loop;
static struct admin_commands *commands;

static void clean_up(void)
{
    admin_commands_close(commands);
    loop_destroy(loop);
}

static void set_up(void)
{
    char error[512];
    unsetenv("STATE_DIRECTORY");
    loop = loop_create();
    commands = admin_commands_open(loop, &fuzz_fleet, NULL, error, sizeof error);
    assert(commands != NULL);
    atexit(clean_up);
}

static void check_fields(const struct admin_command *command)
{
    for (int i = 0; i < ADMIN_FIELDS; i++)
        assert(memchr(command->fields[i], '\0', ADMIN_FIELD_BYTES) != NULL);
}

// Executes a command as far as it goes without arenas that answer.
static void execute(struct admin_command *command, char answer[COMMAND_LINE_ANSWER_BYTES])
{
    uint32_t number;
    bool done;
    admin_commands_execute(commands, command);
    if (command->waiting == 0)
        command_line_answer(command, answer);
    free(command->text);
    for (int i = 0; i < FUZZ_ARENAS; i++)
        fuzz_answer(fuzz_arenas[i], true);
    while (admin_commands_collect(commands, &number, &done))
        continue;
}

static void give(const char *line, uint8_t byte)
{
    static char answer[COMMAND_LINE_ANSWER_BYTES];
    static struct admin_command command;
    const struct command_line_giver giver = {
        .by = "somebody",
        .via = "rcon",
        .level = (enum config_admin_level)(byte % CONFIG_ADMIN_LEVELS),
        .arena = (byte & 4) != 0 ? arena_config(fuzz_arenas[0])->name : "",
    };
    const bool is_command = command_line_read(&fuzz_fleet.running, &giver, line, &command, answer);
    const size_t length = strnlen(answer, sizeof answer);
    assert(length < sizeof answer);
    check_fields(&command);
    if (!is_command) {
        assert(length > 0 && answer[length - 1] == '\n');
        return;
    }
    assert(giver.level > CONFIG_ADMIN_NONE && command.route != NULL);
    assert(admin_commands_changes(command.route));
    execute(&command, answer);
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
