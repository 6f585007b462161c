// SPDX-License-Identifier: MIT
// The colours of the game.
#pragma once

#include "draw.h"

#define PALETTE_BAR ((draw_colour){4, 6, 9, 255})         // beside the view
#define PALETTE_ROCK ((draw_colour){10, 13, 18, 255})     // beyond the border
#define PALETTE_FLOOR ((draw_colour){31, 38, 50, 255})    // in sight
#define PALETTE_DARK ((draw_colour){16, 20, 27, 255})     // out of sight
#define PALETTE_GRID ((draw_colour){140, 170, 215, 15})   // lines on the floor
#define PALETTE_WALL ((draw_colour){66, 78, 97, 255})     // an obstacle
#define PALETTE_HALO ((draw_colour){0, 0, 0, 90})         // around an obstacle
#define PALETTE_LIT ((draw_colour){150, 184, 226, 200})   // the face of an obstacle in sight
#define PALETTE_BORDER ((draw_colour){92, 112, 142, 255}) // the arena's outline

#define PALETTE_WHITE ((draw_colour){240, 244, 250, 255})
#define PALETTE_TEXT ((draw_colour){214, 222, 234, 255})
#define PALETTE_QUIET ((draw_colour){140, 152, 170, 255})
#define PALETTE_PANEL ((draw_colour){8, 11, 16, 190})
#define PALETTE_SHEET ((draw_colour){14, 19, 28, 238}) // of a menu or a notice
#define PALETTE_VEIL ((draw_colour){5, 7, 11, 150})    // over the picture, under a menu
#define PALETTE_CHOSEN ((draw_colour){60, 84, 120, 220})
#define PALETTE_SHIELD ((draw_colour){150, 225, 255, 255})
#define PALETTE_BAD ((draw_colour){240, 120, 70, 255})

// Colours of players, which colour-blind people can distinguish too: those of Okabe and Ito (Color
// Universal Design, 2008), lightened for a dark background.
enum { PALETTE_PLAYERS = 8 };

// The sign in the middle of a player's circle, by which players of one colour differ.
enum palette_mark { PALETTE_PLAIN, PALETTE_DOT, PALETTE_HOLE, PALETTE_STROKE, PALETTE_MARKS };

// The colour and mark of a player, constant for an id. They follow from the id's slot, so that the
// first 8 players differ by colour, and the first 32 by colour or mark.
draw_colour palette_player(unsigned id);
enum palette_mark palette_player_mark(unsigned id);
