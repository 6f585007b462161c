// SPDX-License-Identifier: MIT
// Opens recordings and handles their controls.
#include "replay_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double jump_s = 5;
static const double longest_frame_s = 0.5; // a window that stood still for longer does not jump
static const double zoom_factor = 1.2;     // of a notch of the wheel
static const double flight_share = 1.2;    // of the view's height, in a second
static const double least_height = 200;    // of the view, units
static const double beyond_border = 200;   // units that the eye may be outside of the arena
static const double whole_margin = 1.04;   // around the whole arena
static const double click_pixels = 14;     // from a player at least, that it is meant

static struct ui_view empty_view(const struct replay *replay)
{
    return (struct ui_view){.scale = replay->preferences->settings.ui_scale,
                            .footer_points = replay->is_bare ? 0 : REPLAY_FOOTER_POINTS};
}

// The part of the window for the view.
static raim_box room_of(const struct replay *replay)
{
    const struct ui_view view = empty_view(replay);
    return ui_room(replay->window, &view);
}

// Width by height of the room for the view.
static double aspect_of(const struct replay *replay)
{
    const raim_box room = room_of(replay);
    return (room.max.x - room.min.x) / fmax(room.max.y - room.min.y, 1);
}

// The height of a view that shows the whole arena.
static double whole_height(const struct replay *replay)
{
    const raim_box border = raim_recording_map(replay->recording)->border;
    return fmax(border.max.y - border.min.y, (border.max.x - border.min.x) / aspect_of(replay)) *
           whole_margin;
}

struct ui_view replay_view(const struct replay *replay)
{
    struct ui_view view = empty_view(replay);
    if (replay->followed != RAIM_NOBODY)
        view.size = (raim_vec2){replay->info->view_width, replay->info->view_height};
    else
        view.size = (raim_vec2){replay->height * aspect_of(replay), replay->height};
    return view;
}

struct viewport replay_viewport(const struct replay *replay)
{
    const struct ui_view view = replay_view(replay);
    struct viewport viewport = viewport_fit_in(view.size, room_of(replay));
    viewport.eye = replay->eye;
    return viewport;
}

// Flies from where the view is.
static void fly(struct replay *replay)
{
    if (replay->followed == RAIM_NOBODY)
        return;
    replay->height = replay->info->view_height;
    replay->followed = RAIM_NOBODY;
    replay_retake(replay);
}

// Near, the eye may be anywhere in the arena and somewhat beyond; the farther, the closer to its
// middle.
static void limit_flight(struct replay *replay)
{
    const raim_box border =
        raim_box_grow(raim_recording_map(replay->recording)->border, beyond_border);
    const double whole = fmax(whole_height(replay), least_height);
    replay->height = fmin(fmax(replay->height, least_height), whole);
    const double share = replay->height / whole;
    const raim_vec2 middle = raim_vec2_scale(raim_vec2_add(border.min, border.max), 0.5);
    const raim_vec2 reach = raim_vec2_scale(raim_vec2_sub(border.max, border.min),
                                            fmin(1, 1.6 * (1 - share * share)) / 2);
    replay->eye.x = fmin(fmax(replay->eye.x, middle.x - reach.x), middle.x + reach.x);
    replay->eye.y = fmin(fmax(replay->eye.y, middle.y - reach.y), middle.y + reach.y);
}

// What is under the mouse stays there.
static void zoom(struct replay *replay, raim_vec2 mouse, int way)
{
    fly(replay);
    const struct viewport before = replay_viewport(replay);
    const raim_vec2 under = viewport_to_world(&before, mouse);
    replay->height *= way > 0 ? 1 / zoom_factor : zoom_factor;
    limit_flight(replay);
    const struct viewport after = replay_viewport(replay);
    replay->eye =
        raim_vec2_add(replay->eye, raim_vec2_sub(under, viewport_to_world(&after, mouse)));
    limit_flight(replay);
}

static void show_whole_arena(struct replay *replay)
{
    const raim_box border = raim_recording_map(replay->recording)->border;
    replay->height = whole_height(replay);
    replay->eye = raim_vec2_scale(raim_vec2_add(border.min, border.max), 0.5);
}

static void follow(struct replay *replay, raim_player_id id)
{
    if (id == replay->followed)
        return;
    replay->followed = id;
    replay_retake(replay);
}

// Follows the next player in the order of the scores, or the one before.
static void follow_other(struct replay *replay, int way)
{
    const struct scoreboard *scoreboard = &replay->scoreboard;
    const uint32_t count = scoreboard->score_count;
    const uint32_t row = scoreboard_row(scoreboard, replay->followed);
    if (count == 0)
        return;
    if (row == count)
        follow(replay, scoreboard->scores[way > 0 ? 0 : count - 1].id);
    else
        follow(replay, scoreboard->scores[(row + count + (uint32_t)way) % count].id);
}

static void follow_again(struct replay *replay)
{
    follow_other(replay, 1);
}

// The shown player at a place on the screen, or RAIM_NOBODY.
static raim_player_id player_at(const struct replay *replay, raim_vec2 place)
{
    const struct viewport viewport = replay_viewport(replay);
    const struct picture *picture = replay->shown;
    double best = fmax(1.6 * picture->player_radius * viewport.scale, click_pixels);
    raim_player_id id = RAIM_NOBODY;
    for (uint32_t i = 0; i < picture->player_count; i++) {
        const raim_vec2 at = viewport_to_screen(&viewport, picture->players[i].position);
        const double away = raim_vec2_length(raim_vec2_sub(at, place));
        if (away <= best) {
            best = away;
            id = picture->players[i].id;
        }
    }
    return id;
}

// The player of this name who is in the arena at a tick, or else the first one who had the name;
// RAIM_NOBODY: there was none.
static raim_player_id player_named(const struct replay *replay, const char *name, uint32_t tick)
{
    uint32_t count;
    raim_player_id id = RAIM_NOBODY;
    const struct raim_recording_player *players = raim_recording_players(replay->recording, &count);
    for (uint32_t i = 0; i < count; i++) {
        if (strcmp(players[i].name, name) != 0)
            continue;
        if (players[i].joined <= tick && players[i].left >= tick)
            return players[i].id;
        id = id == RAIM_NOBODY ? players[i].id : id;
    }
    return id;
}

// The first human who is present, or else the first bot.
static raim_player_id first_player(const struct replay *replay)
{
    const struct scoreboard *scoreboard = &replay->scoreboard;
    for (uint32_t i = 0; i < scoreboard->score_count; i++)
        if (!scoreboard->scores[i].bot)
            return scoreboard->scores[i].id;
    return scoreboard->score_count > 0 ? scoreboard->scores[0].id : RAIM_NOBODY;
}

static bool open_recording(struct replay *replay, const char *path, char *error, size_t capacity)
{
    const char *slash = strrchr(path, '/');
    if (!files_map(&replay->file, path, error, capacity))
        return false;
    replay->recording = raim_recording_open(replay->file.bytes, replay->file.size, error, capacity);
    if (replay->recording == NULL)
        return false;
    replay->info = raim_recording_info(replay->recording);
    snprintf(replay->name, sizeof replay->name, "%s", slash != NULL ? slash + 1 : path);
    replay->playback = (struct playback){
        .ticks = replay->info->ticks, .tick_hz = replay->info->tick_hz, .speed = PLAYBACK_NORMAL};
    return true;
}

static bool make_pictures(struct replay *replay, char *error, size_t capacity)
{
    struct picture **const pictures[] = {&replay->before, &replay->after, &replay->shown,
                                         &replay->last};
    for (size_t i = 0; i < sizeof pictures / sizeof *pictures; i++) {
        *pictures[i] = calloc(1, sizeof **pictures[i]);
        if (*pictures[i] == NULL) {
            snprintf(error, capacity, "out of memory");
            return false;
        }
    }
    return true;
}

struct replay *replay_open(const struct replay_def *def, char *error, size_t capacity)
{
    struct replay *replay = calloc(1, sizeof *replay);
    if (replay == NULL) {
        snprintf(error, capacity, "out of memory");
        return NULL;
    }
    replay->window = def->window;
    replay->preferences = def->preferences;
    replay->bindings = &def->preferences->bindings;
    replay->frames = def->frames;
    replay->is_bare = def->is_bare;
    replay->before_tick = REPLAY_NO_TICK;
    replay->as_sent = true;
    if (!open_recording(replay, def->file, error, capacity) ||
        !make_pictures(replay, error, capacity)) {
        replay_close(replay);
        return NULL;
    }
    show_whole_arena(replay);
    replay_show(replay, def->at_s);
    if (def->follow != NULL)
        replay->followed = player_named(replay, def->follow, replay->before_tick);
    else if (!replay->is_bare)
        replay->followed = first_player(replay);
    if (def->follow != NULL && replay->followed == RAIM_NOBODY) {
        snprintf(error, capacity, "nobody in it is called '%s'", def->follow);
        replay_close(replay);
        return NULL;
    }
    replay_retake(replay);
    return replay;
}

void replay_close(struct replay *replay)
{
    if (replay == NULL)
        return;
    raim_recording_close(replay->recording);
    files_unmap(&replay->file);
    free(replay->before);
    free(replay->after);
    free(replay->shown);
    free(replay->last);
    window_show_pointer(replay->window, true);
    free(replay);
}

static enum replay_wish handle_pause(struct replay *replay, const struct window_event *event)
{
    const enum pause_wish wish = pause_menu_handle(&replay->pause, replay->preferences, event);
    replay->is_paused = wish != PAUSE_RESUME;
    return wish == PAUSE_LEAVE ? REPLAY_LEAVE : REPLAY_ON;
}

static void toggle_sent(struct replay *replay)
{
    replay->as_sent = !replay->as_sent;
    replay_retake(replay);
}

static void jump(struct replay *replay, int way)
{
    playback_seek(&replay->playback,
                  replay->playback.position + way * jump_s * replay->playback.tick_hz);
}

static void act(struct replay *replay, enum action action)
{
    switch (action) {
    case ACTION_PAUSE:
        playback_toggle(&replay->playback);
        break;
    case ACTION_SLOWER:
    case ACTION_FASTER:
        playback_change_speed(&replay->playback, action == ACTION_FASTER ? 1 : -1);
        break;
    case ACTION_STEP_BACK:
    case ACTION_STEP_FORWARD:
        playback_step(&replay->playback, action == ACTION_STEP_FORWARD ? 1 : -1);
        break;
    case ACTION_JUMP_BACK:
    case ACTION_JUMP_FORWARD:
        jump(replay, action == ACTION_JUMP_FORWARD ? 1 : -1);
        break;
    case ACTION_PREVIOUS_PLAYER:
    case ACTION_NEXT_PLAYER:
        follow_other(replay, action == ACTION_NEXT_PLAYER ? 1 : -1);
        break;
    case ACTION_FLY:
        if (replay->followed == RAIM_NOBODY)
            follow_again(replay);
        else
            fly(replay);
        break;
    case ACTION_SENT:
        toggle_sent(replay);
        break;
    case ACTION_NETWORK:
    case ACTION_VOTE_YES:
    case ACTION_VOTE_NO:
        replay->shows_figures = !replay->shows_figures;
        break;
    case ACTION_UP: // held, see move
    case ACTION_DOWN:
    case ACTION_LEFT:
    case ACTION_RIGHT:
    case ACTION_SCORES:
    case ACTION_FIRE:
    case ACTION_CHAT:
    case ACTION_COUNT:
        break;
    }
}

static void seek_in_bar(struct replay *replay, double x)
{
    const struct timeline timeline = {replay->layout.boxes[REPLAY_BAR], replay->info->ticks};
    playback_seek(&replay->playback, floor(timeline_tick(&timeline, x)));
}

static void open_menu(struct replay *replay)
{
    replay->drag = REPLAY_NO_DRAG;
    replay->is_paused = true;
    pause_menu_open(&replay->pause, "Leave the recording", "");
}

static void click(struct replay *replay, raim_vec2 mouse)
{
    static const int actions[REPLAY_PARTS] = {
        [REPLAY_STEP_BACK] = ACTION_STEP_BACK,
        [REPLAY_PLAY] = ACTION_PAUSE,
        [REPLAY_STEP_FORWARD] = ACTION_STEP_FORWARD,
        [REPLAY_SLOWER] = ACTION_SLOWER,
        [REPLAY_FASTER] = ACTION_FASTER,
        [REPLAY_WHO] = ACTION_NEXT_PLAYER,
        [REPLAY_SENT] = ACTION_SENT,
        [REPLAY_FLY] = ACTION_FLY,
    };
    replay->drag = REPLAY_NO_DRAG;
    if (mouse.y >= room_of(replay).max.y) {
        for (int part = 0; part < REPLAY_PARTS; part++)
            if (actions[part] != 0 && raim_box_contains(replay->layout.boxes[part], mouse))
                act(replay, (enum action)actions[part]);
        if (raim_box_contains(replay->layout.boxes[REPLAY_MENU], mouse))
            open_menu(replay);
        if (raim_box_contains(replay->layout.boxes[REPLAY_BAR], mouse)) {
            replay->drag = REPLAY_DRAG_BAR;
            seek_in_bar(replay, mouse.x);
        }
        return;
    }
    const raim_player_id id = player_at(replay, mouse);
    if (id != RAIM_NOBODY) {
        follow(replay, id);
        return;
    }
    replay->drag = REPLAY_DRAG_VIEW;
    replay->dragged_at = mouse;
}

bool replay_shows_table(const struct replay *replay)
{
    return bindings_are_held(replay->bindings, ACTION_SCORES, replay->window) ||
           replay->scoreboard.phase.kind == RAIM_CLIENT_BREAK;
}

static void turn_wheel(struct replay *replay, const struct window_event *event)
{
    if (!replay_shows_table(replay))
        zoom(replay, event->mouse, event->wheel);
    else
        scoreboard_scroll(&replay->first_score, event->wheel);
}

static void handle_controls(struct replay *replay, const struct window_event *event)
{
    if (event->kind != WINDOW_PRESSED)
        return;
    if (event->opens_menu)
        open_menu(replay);
    else if (event->clicked)
        click(replay, event->mouse);
    else if (event->wheel != 0)
        turn_wheel(replay, event);
    else
        for (int i = 0; i < ACTION_COUNT; i++)
            if (bindings_triggers(replay->bindings, (enum action)i, event->button))
                act(replay, (enum action)i);
}

enum replay_wish replay_handle(struct replay *replay, const struct window_event *event)
{
    if (event->kind == WINDOW_CLOSED)
        return REPLAY_QUIT;
    if (replay->is_paused)
        return handle_pause(replay, event);
    handle_controls(replay, event);
    return REPLAY_ON;
}

static bool is_held(const struct replay *replay, enum action action, const char *arrow)
{
    return bindings_are_held(replay->bindings, action, replay->window) ||
           window_is_held(replay->window, window_button_named(arrow));
}

// Flies by the held keys.
static void move(struct replay *replay, double seconds)
{
    const raim_vec2 stick = window_pad(replay->window).left;
    const raim_vec2 way = {
        is_held(replay, ACTION_RIGHT, "Right") - is_held(replay, ACTION_LEFT, "Left") + stick.x,
        is_held(replay, ACTION_UP, "Up") - is_held(replay, ACTION_DOWN, "Down") + stick.y,
    };
    const double length = raim_vec2_length(way);
    if (length == 0)
        return;
    fly(replay);
    replay->eye =
        raim_vec2_mad(replay->eye, way, flight_share * replay->height * seconds / fmax(length, 1));
    limit_flight(replay);
}

// Follows the mouse while its first button is held.
static void drag(struct replay *replay)
{
    if (!window_is_held(replay->window, window_button_named("Mouse 1")))
        replay->drag = REPLAY_NO_DRAG;
    const raim_vec2 mouse = window_mouse(replay->window);
    if (replay->drag == REPLAY_DRAG_BAR)
        seek_in_bar(replay, mouse.x);
    const raim_vec2 moved = raim_vec2_sub(mouse, replay->dragged_at);
    const double least = replay->followed == RAIM_NOBODY ? 0 : 4; // pixels
    if (replay->drag != REPLAY_DRAG_VIEW || raim_vec2_length(moved) <= least)
        return;
    fly(replay);
    const double scale = replay_viewport(replay).scale;
    replay->eye = raim_vec2_add(replay->eye, (raim_vec2){-moved.x / scale, moved.y / scale});
    replay->dragged_at = mouse;
    limit_flight(replay);
}

void replay_look(struct replay *replay, double now_s)
{
    if (replay->opened_s == 0)
        replay->opened_s = replay->now_s = now_s;
    const double seconds = fmin(now_s - replay->now_s, longest_frame_s);
    replay->now_s = now_s;
    if (!replay->is_paused) {
        move(replay, seconds);
        drag(replay);
    }
    if (replay->drag != REPLAY_DRAG_BAR)
        playback_advance(&replay->playback, seconds);
    if (replay->followed == RAIM_NOBODY)
        limit_flight(replay);
    replay->is_heard = replay->playback.speed == PLAYBACK_NORMAL && !replay->playback.is_paused;
    replay_take(replay);
}

double replay_length_s(const struct replay *replay)
{
    return (double)replay->info->ticks / replay->info->tick_hz;
}

void replay_show(struct replay *replay, double at_s)
{
    playback_seek(&replay->playback, at_s * replay->playback.tick_hz);
    replay_take(replay);
}

const char *replay_fault(const struct replay *replay)
{
    if (replay->playback.position < replay->playback.ticks)
        return NULL;
    if (replay->fault[0] == '\0' && !replay->info->is_complete)
        return "The recording was not finished: up to ten seconds before its end are lost";
    return replay->fault[0] != '\0' ? replay->fault : NULL;
}
