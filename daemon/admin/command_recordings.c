// SPDX-License-Identifier: MIT
// Commands about recordings: clips, and recordings by name.
#define _GNU_SOURCE
#include "commands_internal.h"

#include <stdio.h>

// --- Clips ---

void command_arena_clip(struct commands *commands, struct command_call *call)
{
    enum { USUAL_S = 30 };
    const int64_t seconds = command_number(call, FIELD_CLIP_SECONDS);
    const struct arena_list *list = &commands->table->running;
    const int index = command_find_arena(commands, call);
    if (index < 0)
        return;
    struct recorder_stream *stream = arena_recorder_stream(list->arenas[index]);
    if (stream == NULL)
        command_refuse(call, HTTP_CONFLICT, "the arena is not being recorded");
    else if (!recorder_order_clip(commands->table->recorder, stream,
                                  seconds > 0 ? (uint32_t)seconds : USUAL_S, call->number))
        command_refuse(call, HTTP_UNAVAILABLE, "too many clips are being written");
    else
        call->asked = call->waiting = 1;
}

void command_answer_recorder(struct command_call *call, const struct recorder_answer *answer)
{
    char *text = NULL;
    call->waiting = 0;
    call->answered = call->asked;
    if (answer->problem[0] != '\0')
        command_answer_error(call, HTTP_CONFLICT, answer->problem);
    else if (answer->clip[0] != '\0')
        command_answer(call,
                       asprintf(&text, "{\"recording\":\"%s\"}\n", answer->clip) < 0 ? NULL : text);
}

// --- By name ---

// Has the recorder change a recording, kept or not. Downloads that are under way go on.
static void change(struct commands *commands, struct command_call *call,
                   enum recorder_change change)
{
    struct recording_entry entry;
    struct recorder *recorder = commands->table->recorder;
    const char *name = call->fields[FIELD_RECORDING];
    if (recorder == NULL || !recordings_find(recorder_recordings(recorder), name, &entry))
        command_refuse(call, HTTP_NOT_FOUND, "no such recording");
    else if (!recorder_order_change(recorder, change, name, call->number))
        command_refuse(call, HTTP_UNAVAILABLE, "too many changes of recordings wait");
    else
        call->waiting = 1;
}

void command_recording_delete(struct commands *commands, struct command_call *call)
{
    change(commands, call, RECORDER_DELETE);
}

void command_recording_keep(struct commands *commands, struct command_call *call)
{
    change(commands, call, RECORDER_KEEP);
}

void command_recording_unkeep(struct commands *commands, struct command_call *call)
{
    change(commands, call, RECORDER_UNKEEP);
}
