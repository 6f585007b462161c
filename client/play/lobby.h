// SPDX-License-Identifier: MIT
// The menu of a server's arenas.
#pragma once

#include "window.h"

struct lobby;

// Copies the host. NULL when memory runs out.
struct lobby *lobby_open(const char *host);
void lobby_close(struct lobby *lobby);

enum { LOBBY_STAY = 0, LOBBY_QUIT = -1 };

// What an event chooses: the port of an arena, or one of the two above.
int lobby_handle(struct lobby *lobby, const struct window *window,
                 const struct window_event *event);

// Draws it; asks for the arenas anew every few seconds.
void lobby_draw(struct lobby *lobby, const struct ui *ui, double now_s);
