// SPDX-License-Identifier: MIT
// Writes a whole configuration from the tables of keys: each with its documentation and default.
#pragma once

#include <stdio.h>

// Writes a file that config_load accepts beside a map "maps/duel.conf": one arena, every key.
void config_dump(FILE *out);
