// SPDX-License-Identifier: MIT
// Names, reads and prints the fields of commands.
#include "admin_fields.h"

#include "name.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_SECONDS INT64_C(1000000000)

static const char *const field_names[ADMIN_FIELDS] = {
    [ADMIN_ARENA] = "arena",   [ADMIN_PLAYER] = "player",   [ADMIN_TEXT] = "text",
    [ADMIN_REASON] = "reason", [ADMIN_ADDRESS] = "address", [ADMIN_SECONDS] = "seconds",
    [ADMIN_MAP] = "map",       [ADMIN_LEVEL] = "level",     [ADMIN_RECORDING] = "recording",
    [ADMIN_WIDE] = "wide",     [ADMIN_FROM] = "from",
};

char *admin_commands_field(struct admin_command *command, const char *name)
{
    for (int i = 0; i < ADMIN_FIELDS; i++)
        if (strcmp(name, field_names[i]) == 0)
            return command->fields[i];
    return NULL;
}

void admin_commands_print_fields(const struct admin_command *command, char *text, size_t capacity)
{
    size_t length = 0;
    text[0] = '\0';
    for (int i = 0; i < ADMIN_FIELDS && length < capacity; i++) {
        const bool has_words = i == ADMIN_TEXT || i == ADMIN_REASON || i == ADMIN_MAP;
        if (command->fields[i][0] != '\0')
            length += (size_t)snprintf(text + length, capacity - length,
                                       has_words ? " %s=\"%s\"" : " %s=%s", field_names[i],
                                       command->fields[i]);
    }
}

bool admin_commands_read_player(const struct admin_command *command, raim_player_id *player)
{
    const char *text = command->fields[ADMIN_PLAYER];
    const size_t length = strspn(text, "0123456789");
    const long id = length >= 1 && length <= 5 && text[length] == '\0' ? atol(text) : 0;
    *player = (raim_player_id)id;
    return id > 0 && id <= UINT16_MAX;
}

bool admin_commands_read_seconds(const struct admin_command *command, int64_t *seconds)
{
    const char *text = command->fields[ADMIN_SECONDS];
    const size_t length = strspn(text, "0123456789");
    *seconds = length <= 10 ? atoll(text) : MAX_SECONDS + 1;
    return text[length] == '\0' && *seconds <= MAX_SECONDS && (length == 0 || *seconds > 0);
}

bool admin_commands_read_text(const struct admin_command *command,
                              enum admin_commands_field_kind field, char *text)
{
    text[0] = '\0';
    return command->fields[field][0] == '\0' ||
           raim_text_clean(command->fields[field], text, RAIM_MAX_TEXT_BYTES);
}
