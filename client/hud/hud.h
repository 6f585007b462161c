// SPDX-License-Identifier: MIT
// Head-up display over the picture: countdowns, notices, the crosshair. The scores are
// scoreboard.h; kills and chat, feed.h.
#pragma once

#include "client.h"
#include "ui.h"

#include <stdbool.h>
#include <stdint.h>

// A player in a line. The name is copied, because the player may leave.
struct hud_person {
    raim_player_id id; // RAIM_NOBODY: nobody; in chat: the operator
    char name[RAIM_MAX_NAME_BYTES + 1];
};

// Draws a player's colour and mark.
void hud_bead(const struct ui *ui, raim_vec2 centre, raim_player_id id, double strength);

// Writes a name behind its player's bead, at most `width` wide, and returns where it ends. Nothing
// for RAIM_NOBODY.
double hud_name(const struct ui *ui, raim_vec2 at, const struct hud_person *person,
                const struct text_style *style, double width, double strength);

// The height of a row of scores or kills.
double hud_row_height(const struct ui *ui);

// Every function below draws inside a box of hud_layout.h: as many rows as fit, and long lines
// wrapped or cut.

// Draws the countdown to the local player's spawn, `left_s` of `delay_s`, and who destroyed it.
void hud_death(const struct ui *ui, raim_box box, const struct hud_person *killer,
               bool awaits_spawn, double left_s, double delay_s);

// Draws the clock of the round; "": none.
void hud_clock(const struct ui *ui, raim_box box, const char *words);

// Draws large text for breaks and pauses.
void hud_banner(const struct ui *ui, raim_box box, const char *title, const char *text);

// The lines that a hint takes in a view of this size.
int hud_hint_lines(const struct ui *ui, const char *hint);

// Draws an unobtrusive hint, with an opacity of 0 to 1.
void hud_hint(const struct ui *ui, raim_box box, const char *hint, double strength);

// A message in the middle over a darkened picture; a line may be "".
struct hud_notice {
    const char *title, *text, *hint;
};
void hud_notice(const struct ui *ui, const struct hud_notice *notice);

// Darkens the picture under a menu or notice.
void hud_veil(const struct ui *ui);

// Draws the crosshair at the mouse. `hit` falls from 1 to 0 after a bullet of the local player hit.
void hud_crosshair(const struct ui *ui, raim_vec2 mouse, double hit);

// Draws a red edge around the view. `strength` falls from 1 to 0 after the local player fell.
void hud_hurt(const struct ui *ui, double strength);

// Draws an arc around the middle of the view towards where the shot came from, a direction on the
// screen with y down. `strength` falls from 1 to 0.
void hud_hit_direction(const struct ui *ui, raim_vec2 direction, double strength);
