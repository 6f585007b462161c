// SPDX-License-Identifier: MIT
// Names that people give themselves.
#pragma once

#include "message.h"

// Copies a name without what is invisible or turns the direction of writing, and without outer
// spaces. False when it is not UTF-8 (RFC 3629), when nothing visible is left, or when what is left
// is longer than RAIM_MAX_NAME_BYTES.
bool raim_name_clean(const char *name, char cleaned[RAIM_MAX_NAME_BYTES + 1]);
