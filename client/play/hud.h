// SPDX-License-Identifier: MIT
// What lies over the picture: scores, kills, chat, countdowns, notices. Draws what it is given.
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

// Best first; of equals, who fell less often.
void hud_sort(struct hud_score *scores, uint32_t count);

// The first few and the own one, at the top right; `all` of them with more about them, in the
// middle.
void hud_scores(const struct ui *ui, const struct hud_score *scores, uint32_t count, bool all);

// Kills at the top left.
void hud_kills(const struct ui *ui, const struct feed *kills, double now_s);

// What was said, at the bottom left; with `entry`, what is being typed, and the older lines too.
void hud_chat(const struct ui *ui, const struct feed *chat, const struct entry *entry,
              double now_s);

// Until the own player rises: `left_s` of `delay_s`.
void hud_countdown(const struct ui *ui, double left_s, double delay_s);

// What ends the round, at the top; "" for nothing.
void hud_clock(const struct ui *ui, const char *words);

// Big words above the middle, for breaks and pauses.
void hud_banner(const struct ui *ui, const char *title, const char *text);

// Words in the middle over a darkened picture; a line may be "".
struct hud_notice {
    const char *title, *text, *hint;
};
void hud_notice(const struct ui *ui, const struct hud_notice *notice);

// Darkens the picture, for what is drawn over it.
void hud_veil(const struct ui *ui);

// One quiet line at the bottom.
void hud_hint(const struct ui *ui, const char *hint, double strength);

// Where the mouse points; `hit` flashes from 1 to 0 after a bullet hit somebody.
void hud_crosshair(const struct ui *ui, raim_vec2 mouse, double hit);

// The rim of the view glows, from 1 to 0 after the own player fell.
void hud_hurt(const struct ui *ui, double strength);
