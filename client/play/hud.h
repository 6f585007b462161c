// SPDX-License-Identifier: MIT
// Head-up display over the picture: scores, kills, chat, countdowns, notices.
#pragma once

#include "client.h"
#include "entry.h"
#include "feed.h"
#include "ui.h"

#include <stdbool.h>
#include <stdint.h>

struct hud_score {
    raim_player_id id;
    bool own, bot;
    uint32_t score, deaths;
    char name[RAIM_MAX_NAME_BYTES + 1];
};

// Sorts by score, best first, then by fewer deaths.
void hud_sort(struct hud_score *scores, uint32_t count);

// Draws the first few scores and the local player's at the top right, or, with `all`, every score
// with more columns in the middle.
void hud_scores(const struct ui *ui, const struct hud_score *scores, uint32_t count, bool all);

// Draws the kills at the top left.
void hud_kills(const struct ui *ui, const struct feed *kills, double now_s);

// Draws the chat at the bottom left. With `entry`, the text being typed and older lines are added.
void hud_chat(const struct ui *ui, const struct feed *chat, const struct entry *entry,
              double now_s);

// Draws the countdown to the local player's spawn: `left_s` of `delay_s`.
void hud_countdown(const struct ui *ui, double left_s, double delay_s);

// Draws the clock of the round at the top; "": none.
void hud_clock(const struct ui *ui, const char *words);

// Draws large text above the middle, for breaks and pauses.
void hud_banner(const struct ui *ui, const char *title, const char *text);

// A message in the middle over a darkened picture; a line may be "".
struct hud_notice {
    const char *title, *text, *hint;
};
void hud_notice(const struct ui *ui, const struct hud_notice *notice);

// Darkens the picture under a menu or notice.
void hud_veil(const struct ui *ui);

// Draws an unobtrusive line at the bottom, with an opacity of 0 to 1.
void hud_hint(const struct ui *ui, const char *hint, double strength);

// Draws the crosshair at the mouse. `hit` falls from 1 to 0 after a bullet of the local player hit.
void hud_crosshair(const struct ui *ui, raim_vec2 mouse, double hit);

// Draws a red edge around the view. `strength` falls from 1 to 0 after the local player fell.
void hud_hurt(const struct ui *ui, double strength);
