// SPDX-License-Identifier: MIT
// Writes the key tables as a configuration file: every key with its documentation and default.
#pragma once

#include <stdio.h>

// Writes a file with one arena and every key. config_load accepts it if maps/duel.conf exists in
// the file's directory. Write errors are left in the stream.
void config_reference(FILE *out);
