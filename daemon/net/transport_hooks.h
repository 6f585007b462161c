// SPDX-License-Identifier: MIT
// Replacement of libenet's clock and socket functions by those of transport_hooks.c, through the
// dynamic linker.
#pragma once

#include <stdbool.h>
#include <stddef.h>

// Checks that libenet calls the functions of transport_hooks.c: a libenet linked with
// -Bsymbolic-functions would call its own, and no datagram would be checked, encrypted or timed. On
// failure returns false and writes a reason of at most `capacity` bytes into `error`. Any thread.
bool transport_check_hooks(char *error, size_t capacity);
