// SPDX-License-Identifier: MIT
// What the game asks its platform besides the window, the canvas, sounds and files: the time of
// day, random numbers, and what the platform cannot do. The steady clock is a parameter of game.h.
#pragma once

#include "wire_limits.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Unix time, seconds.
int64_t platform_unix_s(void);

// Writes a Unix time as the date and time of the player's place; "" where it has none.
enum { PLATFORM_DATE_BYTES = 24 };
void platform_write_date(int64_t unix_s, char text[PLATFORM_DATE_BYTES]);

// A random number, for nothing that must be kept secret.
uint32_t platform_random(void);

// Whether the player can end the program; a page is closed by its browser.
bool platform_can_quit(void);

// Why no server can be reached from here, and what to do; NULL: nothing is known that prevents it.
const char *platform_network_problem(void);

// Whether a gateway on the way to all servers carries small datagrams alone (client.h).
bool platform_has_small_datagrams(void);

// The public key of a server, if a source that the player trusts has named it. False: unknown.
bool platform_server_key(const char *host, uint16_t port, uint8_t key[RAIM_KEY_BYTES]);

// Says a text to a player who does not see the screen.
void platform_say(const char *words);
