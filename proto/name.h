// SPDX-License-Identifier: MIT
// Names that people give themselves.
#pragma once

#include "message.h"

// Copies a name without control characters, invisible or direction-changing ones, and outer
// spaces. False when it is not UTF-8 (RFC 3629) or nothing visible is left; never longer.
bool raim_name_clean(const char *name, char cleaned[RAIM_MAX_NAME_BYTES + 1]);
