// SPDX-License-Identifier: MIT
// raimrec audit: measures the players of a recording (audit_measures.h) and prints the figures.
#pragma once

#include "verify.h"

#include <stdbool.h>
#include <stdio.h>

// Audits a recording up to its end, or to the first fault in it, which is printed to `problems`,
// too. Faults are those of verify_files.
enum verify_status audit_file(const char *path, bool json, FILE *out, FILE *problems);
