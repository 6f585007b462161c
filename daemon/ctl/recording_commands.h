// SPDX-License-Identifier: MIT
// The commands of raimctl about recordings, for the table in commands.c: each returns the exit
// status.
#pragma once

#include "commands.h"

int recording_list(const struct call *call);
int recording_get(const struct call *call);
int recording_delete(const struct call *call);
int recording_keep(const struct call *call);
int recording_unkeep(const struct call *call);
int recording_clip(const struct call *call);
