// SPDX-License-Identifier: MIT
// The state of a recording on the screen: replay.c handles it, replay_seek.c moves through the
// recording, replay_draw.c draws it.
#pragma once

#include "effects.h"
#include "files.h"
#include "kill_feed.h"
#include "picture.h"
#include "recording.h"
#include "replay.h"
#include "replay_controls.h"
#include "scoreboard.h"
#include "settings_screen.h"
#include "ui.h"

#define REPLAY_NO_TICK UINT32_MAX

// What the held first mouse button drags.
enum replay_drag { REPLAY_NO_DRAG, REPLAY_DRAG_BAR, REPLAY_DRAG_VIEW };

struct replay {
    struct window *window;
    struct preferences *preferences;
    struct bindings *bindings; // of the preferences
    const struct frame_times *frames;
    bool is_bare;
    char name[128]; // of the file
    struct files_map file;
    struct raim_recording *recording;
    const struct raim_recording_info *info;
    struct playback playback;
    char fault[256]; // why playback.ticks is less than the recording's; "": it is not

    // The recording at the tick before the position, and at the next one; the picture between
    // them, and the one of the last frame.
    uint32_t before_tick; // from the first one; REPLAY_NO_TICK: none
    uint32_t at_tick;     // of `recording`
    struct picture *before, *after, *shown, *last;
    bool has_last; // `last` is of a moment shortly before
    bool is_heard; // sounds play: it is played at its own speed

    raim_player_id followed; // RAIM_NOBODY: the view is flown
    bool is_present;         // the followed player is in the arena
    bool is_known;           // it is known what the followed player was sent
    bool as_sent;            // shows what the followed player was sent, and nothing else
    raim_vec2 eye;           // units
    double height;           // of the view while it is flown, units
    enum replay_drag drag;
    raim_vec2 dragged_at; // pixels

    struct scoreboard scoreboard;
    struct kill_feed kills, chat;
    struct effects effects;
    uint32_t heard; // effects whose sounds have been played
    bool is_paused; // the menu is open
    struct pause_menu pause;
    uint32_t first_score; // row at the top of the table of scores
    bool shows_figures;
    double opened_s, now_s;      // of the wall clock
    double moment_s;             // of the recording: what feeds and effects count
    struct replay_layout layout; // of the frame drawn last
    struct hud_person winner;
};

// In replay_seek.c:

// The name of a player who was in the arena at this tick from the first one; "?": nobody with this
// id was.
const char *replay_player_name(const struct replay *replay, raim_player_id id, uint32_t tick);

// Takes the pictures for the position, by steps or by seeking.
void replay_take(struct replay *replay);

// Takes them anew, where the view has changed.
void replay_retake(struct replay *replay);

// In replay.c:

// The viewport of the view in its part of the window.
struct viewport replay_viewport(const struct replay *replay);

// Whether the table of all scores is shown: while its key is held, and in breaks.
bool replay_shows_table(const struct replay *replay);

// In replay_draw.c:

void replay_footer_draw(struct replay *replay, const struct ui *ui);
