// SPDX-License-Identifier: MIT
// Deletes and keeps recordings by name.
#include "admin_recordings.h"

#include "http_answer.h"
#include "status.h"

#include <errno.h>
#include <string.h>

static void refuse_unknown(struct admin_command *command)
{
    command->status = HTTP_NOT_FOUND;
    command->problem = "no such recording";
}

// Whether there can be a recording of the name that the command has.
static bool has_name(struct recordings *recordings, const struct admin_command *command)
{
    struct recording_name parts;
    return recordings != NULL && recording_name_read(command->fields[ADMIN_RECORDING], &parts);
}

// Sets the problem of what failed with errno.
static void refuse(struct admin_command *command)
{
    if (errno == ENOENT) {
        refuse_unknown(command);
        return;
    }
    command->status = HTTP_CONFLICT;
    command->text = status_problem_json(strerror(errno));
    if (command->text == NULL) {
        command->status = HTTP_SERVER_ERROR;
        command->problem = "out of memory";
    }
}

void admin_recordings_delete(struct recordings *recordings, struct admin_command *command)
{
    if (!has_name(recordings, command))
        refuse_unknown(command);
    else if (!recordings_delete(recordings, command->fields[ADMIN_RECORDING]))
        refuse(command);
}

void admin_recordings_keep(struct recordings *recordings, struct admin_command *command,
                           bool is_kept)
{
    if (!has_name(recordings, command))
        refuse_unknown(command);
    else if (!recordings_keep(recordings, command->fields[ADMIN_RECORDING], is_kept))
        refuse(command);
}
