// SPDX-License-Identifier: MIT
// The palettes, and the colours and marks of players.
#include "palette.h"

#include <math.h>

// What the palettes with a dark ground share.
#define DARK_GROUND                                                                                \
    .bar = {4, 6, 9, 255}, .rock = {10, 13, 18, 255}, .floor = {31, 38, 50, 255},                  \
    .dark = {16, 20, 27, 255}, .grid = {140, 170, 215, 15}, .wall = {66, 78, 97, 255},             \
    .halo = {0, 0, 0, 90}, .lit = {150, 184, 226, 200}, .border = {92, 112, 142, 255},             \
    .white = {240, 244, 250, 255}, .text = {214, 222, 234, 255}, .quiet = {140, 152, 170, 255},    \
    .panel = {8, 11, 16, 190}, .sheet = {14, 19, 28, 238}, .veil = {5, 7, 11, 150},                \
    .chosen = {60, 84, 120, 220}, .shield = {150, 225, 255, 255}, .bad = {240, 120, 70, 255},      \
    .good = {110, 215, 165, 255}

static const struct palette palettes[PALETTE_SCHEMES] = {
    [PALETTE_STANDARD] = {.name = "standard",
                          .title = "Standard",
                          DARK_GROUND,
                          .players = {{238, 166, 26, 255},    // orange
                                      {98, 190, 244, 255},    // sky blue
                                      {22, 178, 132, 255},    // bluish green
                                      {244, 232, 90, 255},    // yellow
                                      {70, 128, 226, 255},    // blue
                                      {232, 104, 30, 255},    // vermilion
                                      {222, 138, 188, 255},   // reddish purple
                                      {196, 204, 214, 255}}}, // grey
    [PALETTE_PASTEL] = {.name = "pastel",
                        .title = "Pastel",
                        DARK_GROUND,
                        .players = {{238, 136, 102, 255},   // orange
                                    {119, 170, 221, 255},   // light blue
                                    {68, 187, 153, 255},    // mint
                                    {238, 221, 136, 255},   // light yellow
                                    {153, 221, 255, 255},   // light cyan
                                    {255, 170, 187, 255},   // pink
                                    {170, 170, 0, 255},     // olive
                                    {221, 221, 221, 255}}}, // pale grey
    [PALETTE_VIVID] = {.name = "vivid",
                       .title = "Vivid",
                       DARK_GROUND,
                       .players = {{238, 119, 51, 255},    // orange
                                   {51, 187, 238, 255},    // cyan
                                   {0, 153, 136, 255},     // teal
                                   {255, 221, 51, 255},    // yellow
                                   {30, 136, 210, 255},    // blue
                                   {214, 62, 32, 255},     // red
                                   {238, 51, 119, 255},    // magenta
                                   {221, 221, 221, 255}}}, // grey
    [PALETTE_CONTRAST] = {.name = "contrast",
                          .title = "High contrast",
                          .bar = {0, 0, 0, 255},
                          .rock = {0, 0, 0, 255},
                          .floor = {86, 92, 102, 255},
                          .dark = {2, 3, 5, 255},
                          .grid = {255, 255, 255, 18},
                          .wall = {24, 28, 36, 255},
                          .halo = {0, 0, 0, 60},
                          .lit = {255, 255, 255, 255},
                          .border = {255, 255, 255, 255},
                          .white = {255, 255, 255, 255},
                          .text = {255, 255, 255, 255},
                          .quiet = {206, 212, 222, 255},
                          .panel = {0, 0, 0, 225},
                          .sheet = {0, 0, 0, 250},
                          .veil = {0, 0, 0, 170},
                          .chosen = {0, 84, 170, 255},
                          .shield = {170, 240, 255, 255},
                          .bad = {255, 150, 90, 255},
                          .good = {140, 255, 190, 255},
                          .players = {{255, 186, 48, 255},    // orange
                                      {120, 216, 255, 255},   // sky blue
                                      {40, 220, 160, 255},    // bluish green
                                      {255, 250, 130, 255},   // yellow
                                      {138, 174, 255, 255},   // blue
                                      {255, 146, 96, 255},    // vermilion
                                      {255, 150, 200, 255},   // reddish purple
                                      {255, 255, 255, 255}}}, // white
};

static const struct palette *chosen = &palettes[PALETTE_STANDARD];

const struct palette *palette_of(enum palette_scheme scheme)
{
    return &palettes[scheme];
}

void palette_choose(enum palette_scheme scheme)
{
    chosen = &palettes[scheme];
}

const struct palette *palette_now(void)
{
    return chosen;
}

draw_colour palette_player(unsigned id)
{
    return chosen->players[id % PALETTE_PLAYERS];
}

unsigned palette_material(const char *map)
{
    uint32_t hash = 2166136261U; // FNV-1a
    for (; *map != '\0'; map++)
        hash = (hash ^ (uint8_t)*map) * 16777619U;
    return (hash >> 23) % PALETTE_MATERIALS;
}

draw_colour palette_tinted(draw_colour colour, unsigned material)
{
    static const double tints[PALETTE_MATERIALS][3] = {
        {1, 1, 1},         // slate
        {0.9, 1.07, 0.74}, // moss
        {1.25, 0.9, 1.02}, // porphyry
        {1.3, 1, 0.7},     // sandstone
    };
    const double *tint = tints[chosen == &palettes[PALETTE_CONTRAST] ? 0 : material];
    const double r = colour.r * tint[0], g = colour.g * tint[1], b = colour.b * tint[2];
    return (draw_colour){(uint8_t)fmin(r, 255), (uint8_t)fmin(g, 255), (uint8_t)fmin(b, 255),
                         colour.a};
}

enum palette_mark palette_player_mark(unsigned id)
{
    return (enum palette_mark)(id / PALETTE_PLAYERS % PALETTE_MARKS);
}
