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
    double ping_ms; // below 0: unknown
    char name[RAIM_MAX_NAME_BYTES + 1];
};

// Sorts by score, best first, then by fewer deaths.
void hud_sort(struct hud_score *scores, uint32_t count);

// Every function draws inside a box of hud_layout.h: as many rows as fit, and long lines wrapped or
// cut.

// Draws the first few scores and the local player's at the right edge of the box.
void hud_scores(const struct ui *ui, raim_box box, const struct hud_score *scores, uint32_t count);

// Draws a table of all scores from the row `first` on, which it limits to the last page.
void hud_table(const struct ui *ui, raim_box box, const struct hud_score *scores, uint32_t count,
               uint32_t *first);

// Draws the kills, the newest one on top.
void hud_kills(const struct ui *ui, raim_box box, const struct feed *kills, double now_s);

// Draws the chat, the newest line at the bottom. With `entry`, the text being typed and older lines
// are added.
// A line that is typed, at most `width` wide, with its caret and, focused, with what is selected.
void hud_entry(const struct ui *ui, raim_vec2 at, const struct text_style *style,
               const struct entry *entry, double width, bool has_caret, bool is_focused);

void hud_chat(const struct ui *ui, raim_box box, const struct feed *chat, const struct entry *entry,
              double now_s);

// Draws the countdown to the local player's spawn, `left_s` of `delay_s`, and who destroyed it.
void hud_death(const struct ui *ui, raim_box box, const struct feed_person *killer,
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
