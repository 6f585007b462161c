// SPDX-License-Identifier: MIT
// Writes the line and the event of a command.
#include "command_log.h"

#include "json_writer.h"
#include "log.h"

#include <stdlib.h>

static char *event_fields(const struct command_note *note)
{
    struct text_buffer out = {0};
    text_buffer_print(&out, "{\"by\":");
    json_text_quote(&out, note->by);
    text_buffer_print(&out, ",\"via\":\"%s\",\"command\":\"%s\",\"private\":{\"line\":", note->via,
                      note->command);
    // A command may name an address.
    struct text_buffer line = {0};
    text_buffer_print(&line, "%s%s", note->command, note->fields);
    char *text = text_buffer_take(&line);
    json_text_quote(&out, text != NULL ? text : note->command);
    free(text);
    text_buffer_print(&out, "}}");
    return text_buffer_take(&out);
}

void command_log_write(struct server_events *events, const struct command_note *note)
{
    const struct log_subject subject = {.arena = note->arena, .player = note->player};
    log_write(LOG_LEVEL_AUDIT, &subject, "command given by=%s via=%s command=%s%s", note->by,
              note->via, note->command, note->fields);
    if (server_events_wants(events, EVENT_COMMAND))
        server_events_add(events, "command", note->arena[0] != '\0' ? note->arena : NULL,
                          event_fields(note));
}

void command_log_set_by(char by[COMMAND_BY_BYTES], const char *name)
{
    size_t length = 0;
    for (; name[length] != '\0' && length < COMMAND_BY_BYTES - 1; length++) {
        const char byte = name[length];
        const bool is_plain = byte > ' ' && byte < 0x7F && byte != '"' && byte != '\\';
        by[length] = is_plain ? byte : '_';
    }
    by[length] = '\0';
}
