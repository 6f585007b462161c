// SPDX-License-Identifier: MIT
// Deletes and keeps recordings by name.
#include "admin_recordings.h"

#include "http_answer.h"

static void refuse(struct admin_command *command, unsigned status, const char *problem)
{
    command->status = status;
    command->problem = problem;
}

void admin_recordings_change(struct recorder *recorder, enum recorder_change change,
                             struct admin_command *command)
{
    struct recording_entry entry;
    const char *name = command->fields[ADMIN_RECORDING];
    if (recorder == NULL || !recordings_find(recorder_recordings(recorder), name, &entry))
        refuse(command, HTTP_NOT_FOUND, "no such recording");
    else if (!recorder_order_change(recorder, change, name, command->number))
        refuse(command, HTTP_UNAVAILABLE, "too many changes of recordings wait");
    else
        command->waiting = 1;
}
