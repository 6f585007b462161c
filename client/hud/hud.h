// SPDX-License-Identifier: MIT
// Head-up display over the picture: countdowns, notices, the crosshair. scoreboard.h draws the
// scores, kill_feed.h kills and chat.
#pragma once

#include "client.h"
#include "ui.h"
#include "vec2.h"

#include <stdbool.h>
#include <stdint.h>

// A player in a line. The name is copied, because the player may leave.
struct hud_person {
    raim_player_id id; // RAIM_NOBODY: nobody; in chat: the operator
    char name[RAIM_MAX_NAME_BYTES + 1];
};

// Draws a player's colour and mark.
void hud_bead(const struct ui *ui, raim_vec2 centre, raim_player_id id, double strength);

// Writes a name after its player's bead, at most `width` wide, and returns where it ends. Nothing
// for RAIM_NOBODY.
double hud_name(const struct ui *ui, raim_vec2 at, const struct hud_person *person,
                const struct text_style *style, double width, double strength);

// The height of a row of scores or kills.
double hud_row_height(const struct ui *ui);

// Every function below draws inside a box of hud_layout: as many rows as fit, and long lines
// wrapped or cut.

// Draws the countdown to the local player's spawn, `left_s` of `delay_s`, and who destroyed it.
void hud_death(const struct ui *ui, raim_box box, const struct hud_person *killer,
               bool awaits_spawn, double left_s, double delay_s);

// Draws the clock of the round; "": none.
void hud_clock(const struct ui *ui, raim_box box, const char *words);

// Draws what wins the round, or who was best in it: two texts, of which one may be "".
// hud_round_height is what they take in a view of this size.
void hud_round(const struct ui *ui, raim_box box, const char *const texts[2]);
double hud_round_height(const struct ui *ui, const char *const texts[2]);

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

// Draws the crosshair at the mouse. `hit` and `kill` fall from 1 to 0 after a bullet of the local
// player hit or destroyed somebody.
void hud_crosshair(const struct ui *ui, raim_vec2 mouse, double hit, double kill);

// Draws whom the local player destroyed, and how many in this life, with an opacity of 0 to 1.
void hud_kill(const struct ui *ui, raim_box box, const struct hud_person *victim, uint32_t streak,
              double strength);

// Draws a red edge around the view. `strength` falls from 1 to 0 after the local player fell.
void hud_hurt(const struct ui *ui, double strength);

// Marks who destroyed the local player.
void hud_killer(const struct ui *ui, raim_vec2 centre);

// Draws an arc around the middle of the view towards where the shot came from, a direction on the
// screen with y down. `strength` falls from 1 to 0.
void hud_hit_direction(const struct ui *ui, raim_vec2 direction, double strength);

// Layout of the head-up display: a box for each of its parts, such that no two of them that are
// shown together overlap, at any size of window and text. Pure.

// What is to be laid out.
struct hud_frame {
    raim_box window, area; // the area of the view lies in the window, and bars may be beside it
    double unit;           // scale of text and lines
    double line;           // height of a line of small text, pixels
    int hint_lines;        // 0: no hint
    bool has_table;        // all scores are shown in place of the first few
    bool has_banner;       // in place of the clock
    bool has_graph;
    double round_height; // of what wins the round or who was best, pixels; 0: none
    double vote_height;  // of the panel of a vote, pixels; 0: none
};

// Boxes in pixels; one that is not shown is empty.
struct hud_layout {
    raim_box clock, banner;
    raim_box round;  // under them: what wins the round, or who was best in it
    raim_box kills;  // top left
    raim_box chat;   // bottom left, with the line that is typed
    raim_box scores; // the first few, top right
    raim_box table;  // all scores, in the middle
    raim_box vote;   // under that
    raim_box death;  // in the middle: by whom, and the time until the spawn; or whom it destroyed
    raim_box graph;  // of the network: in a bar where one has room, otherwise bottom right
    raim_box hint;   // at the bottom
};

struct hud_layout hud_layout_of(const struct hud_frame *frame);

// The phase of the match in words, for the screen. Pure.

enum { PHASE_TEXT_BYTES = 96 };

// What ends the round, such as "2:31   to 20 points"; "" where nothing does, and in breaks and
// pauses.
void phase_text_clock(const struct raim_client_phase *phase, char words[PHASE_TEXT_BYTES]);

// What wins the round, in a sentence; "" in breaks and pauses.
void phase_text_goal(const struct raim_client_phase *phase, char words[PHASE_TEXT_BYTES]);

// The title of the notice about a lost connection.
const char *phase_text_lost(bool awaits_restart);

// The text for a break, with the winner's name and the next map's ("": the map stays), or for a
// pause. False while the match is played.
bool phase_text_banner(const struct raim_client_phase *phase, const char *winner,
                       const char *next_map, char title[PHASE_TEXT_BYTES],
                       char text[PHASE_TEXT_BYTES]);

// Says in plain words why there is no connection, what to do, and when to try again. Pure.

enum { END_TEXT_BYTES = 360 };

struct end_text {
    char title[END_TEXT_BYTES];
    char text[END_TEXT_BYTES];
    double retry_s; // seconds until the next try; 0: trying again would not help
};

struct end_text_case {
    const char *where;    // HOST:PORT
    bool is_resolved;     // the host's name has an address
    bool was_entered;     // the player has been in the arena
    bool had_password;    // one was sent, where one was wanted
    bool had_access;      // a token was sent, where one was wanted
    bool shows_other_key; // the server has another key than the stored one
    uint32_t reason;      // of raim_client_get_end
    const char *text;     // of raim_client_get_end
};

struct end_text end_text_of(const struct end_text_case *end);
