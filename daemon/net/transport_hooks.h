// SPDX-License-Identifier: MIT
// Whether libenet calls the functions of transport_hooks.c in place of its own.
#pragma once

#include <stdbool.h>
#include <stddef.h>

// Whether libenet really calls the functions of transport_hooks.c: a libenet that is linked with
// -Bsymbolic-functions would call its own, and nothing would be checked, encrypted or timed.
// Otherwise writes a reason.
bool transport_check_hooks(char *error, size_t capacity);
