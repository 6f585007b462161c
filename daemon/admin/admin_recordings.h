// SPDX-License-Identifier: MIT
// The operator's commands about recordings. Main thread only.
#pragma once

#include "admin_commands.h"
#include "recordings.h"

#include <stdbool.h>

// Each executes a command that names a recording (ADMIN_RECORDING), or sets its problem.
// `recordings` is NULL where nothing is recorded.

// Deletes it, kept or not. Downloads that are under way go on.
void admin_recordings_delete(struct recordings *recordings, struct admin_command *command);

// Exempts it from the limits that delete recordings, or ends that.
void admin_recordings_keep(struct recordings *recordings, struct admin_command *command,
                           bool is_kept);
