// SPDX-License-Identifier: MIT
// The colours of the game. The player chooses between palettes whose players' colours people with
// protanopia, deuteranopia and tritanopia can distinguish, too; one has high contrast. The choice
// holds for the process: palette_choose and everything that draws belong to one thread.
#pragma once

#include "canvas.h"

enum { PALETTE_PLAYERS = 8 };

struct palette {
    const char *name;   // in the settings file
    const char *title;  // on the screen
    draw_colour bar;    // beside the view
    draw_colour rock;   // beyond the border
    draw_colour floor;  // in sight
    draw_colour dark;   // out of sight
    draw_colour grid;   // lines on the floor
    draw_colour wall;   // an obstacle
    draw_colour halo;   // around an obstacle
    draw_colour lit;    // the face of an obstacle in sight
    draw_colour border; // the arena's outline
    draw_colour white, text, quiet;
    draw_colour panel;
    draw_colour sheet; // of a menu or a notice
    draw_colour veil;  // over the picture, under a menu
    draw_colour chosen, shield, bad, good;
    draw_colour players[PALETTE_PLAYERS];
};

enum palette_scheme {
    PALETTE_STANDARD, // Okabe and Ito (Color Universal Design, 2008), lightened for a dark ground
    PALETTE_PASTEL,   // after Paul Tol's light scheme (SRON/EPS/TN/09-002)
    PALETTE_VIVID,    // after Paul Tol's vibrant scheme
    PALETTE_CONTRAST, // the floor in sight differs from the rest by 3:1 and more (WCAG 2.1)
    PALETTE_SCHEMES
};

const struct palette *palette_of(enum palette_scheme scheme);

// Chooses the palette of everything drawn from now on; the first one is PALETTE_STANDARD.
void palette_choose(enum palette_scheme scheme);
const struct palette *palette_now(void);

#define PALETTE_BAR (palette_now()->bar)
#define PALETTE_ROCK (palette_now()->rock)
#define PALETTE_FLOOR (palette_now()->floor)
#define PALETTE_DARK (palette_now()->dark)
#define PALETTE_GRID (palette_now()->grid)
#define PALETTE_WALL (palette_now()->wall)
#define PALETTE_HALO (palette_now()->halo)
#define PALETTE_LIT (palette_now()->lit)
#define PALETTE_BORDER (palette_now()->border)
#define PALETTE_WHITE (palette_now()->white)
#define PALETTE_TEXT (palette_now()->text)
#define PALETTE_QUIET (palette_now()->quiet)
#define PALETTE_PANEL (palette_now()->panel)
#define PALETTE_SHEET (palette_now()->sheet)
#define PALETTE_VEIL (palette_now()->veil)
#define PALETTE_CHOSEN (palette_now()->chosen)
#define PALETTE_SHIELD (palette_now()->shield)
#define PALETTE_BAD (palette_now()->bad)
#define PALETTE_GOOD (palette_now()->good)

// The material of a map: it tints the colours of floor, walls and rock but not in high contrast,
// and hardly changes how light they are.
enum { PALETTE_MATERIALS = 4 };
unsigned palette_material(const char *map);
draw_colour palette_tinted(draw_colour colour, unsigned material);

// The sign in the middle of a player's circle, by which players of one colour differ.
enum palette_mark { PALETTE_PLAIN, PALETTE_DOT, PALETTE_HOLE, PALETTE_STROKE, PALETTE_MARKS };

// The colour and mark of a player, constant for an id and a palette. They follow from the id's
// slot, so that the first 8 players differ by colour, and the first 32 by colour or mark.
draw_colour palette_player(unsigned id);
enum palette_mark palette_player_mark(unsigned id);
