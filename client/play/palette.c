// SPDX-License-Identifier: MIT
// Chooses the colours and marks of players.
#include "palette.h"

static const draw_colour players[PALETTE_PLAYERS] = {
    {238, 166, 26, 255},  // orange
    {98, 190, 244, 255},  // sky blue
    {22, 178, 132, 255},  // bluish green
    {244, 232, 90, 255},  // yellow
    {70, 128, 226, 255},  // blue
    {232, 104, 30, 255},  // vermilion
    {222, 138, 188, 255}, // reddish purple
    {196, 204, 214, 255}, // grey
};

draw_colour palette_player(unsigned id)
{
    return players[id % PALETTE_PLAYERS];
}

enum palette_mark palette_player_mark(unsigned id)
{
    return (enum palette_mark)(id / PALETTE_PLAYERS % PALETTE_MARKS);
}
