// SPDX-License-Identifier: MIT
// The operator's commands about recordings. Main thread only.
#pragma once

#include "admin_commands.h"
#include "recorder.h"

// Has the recorder delete the recording that a command names (ADMIN_RECORDING), kept or not, exempt
// it from the limits that delete recordings, or end that; or sets the command's problem. Downloads
// that are under way go on. `recorder` is NULL where nothing is recorded.
void admin_recordings_change(struct recorder *recorder, enum recorder_change change,
                             struct admin_command *command);
