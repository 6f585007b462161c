// SPDX-License-Identifier: MIT
// Lobby: the menu of a server's arenas.
#pragma once

#include "window.h"

struct lobby;

// Copies the host. NULL when memory runs out.
struct lobby *lobby_open(const char *host);
void lobby_close(struct lobby *lobby);

enum { LOBBY_STAY = 0, LOBBY_QUIT = -1 };

// Handles an event. Returns the port of the chosen arena, LOBBY_STAY or LOBBY_QUIT.
int lobby_handle(struct lobby *lobby, const struct window *window,
                 const struct window_event *event);

// Draws the menu, and refreshes the list of arenas every few seconds.
void lobby_draw(struct lobby *lobby, const struct ui *ui, double now_s);
