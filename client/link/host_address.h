// SPDX-License-Identifier: MIT
// The text of a server's address: a host and a port, with brackets around an IPv6 address (RFC
// 3986).
#pragma once

#include "link.h"

#include <stddef.h>

// Writes HOST:PORT, or [HOST]:PORT for an IPv6 address. Longer text is cut off.
void raim_host_address_print(const char *host, uint16_t port, char *text, size_t capacity);
