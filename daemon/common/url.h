// SPDX-License-Identifier: MIT
// URLs that an operator configures: http or https, a host, and no user or password. Any thread.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define URL_BYTES 512 // of the longest, with its NUL

// Whether a text is such an URL, of visible ASCII alone; then `port` is the port of its server.
bool url_read(const char *text, uint16_t *port);
