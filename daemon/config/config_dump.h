// SPDX-License-Identifier: MIT
// Writes a complete configuration from the key tables: every key with documentation and default.
#pragma once

#include <stdio.h>

// Writes a file with one arena and every key. config_load accepts it if maps/duel.conf exists in
// the file's directory. Write errors are left in the stream.
void config_dump(FILE *out);
