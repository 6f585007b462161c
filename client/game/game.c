// SPDX-License-Identifier: MIT
// Switches between an arena, a recording, and what leads to them.
#include "game.h"

#include "home.h"
#include "hud.h"
#include "matchmaker.h"
#include "palette.h"
#include "platform.h"
#include "play.h"
#include "regions.h"
#include "replay.h"
#include "ui.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PROBLEM_BYTES = 256 };

// Either the home screen, the search, an arena or a recording is open; none while it ends.
struct game {
    const struct game_def *def;
    struct window *window;
    struct preferences *preferences;
    struct ui ui;
    struct frame_times frames;
    double now_s;
    bool is_ending, has_failed, was_in_arena;
    struct home *home;
    struct matchmaker *search;               // for an arena
    double search_s;                         // since when
    struct regions regions;                  // of the matchmaker
    struct regions_measurement *measurement; // of their pings; NULL: done
    struct play *play;
    struct replay *replay;
    struct goodbye goodbye;           // to the arena that was left
    bool is_in_arena;                 // of the matchmaker
    char noted[SERVER_ADDRESS_BYTES]; // of the home screen: to be stored once entered; "": none
};

// An arena that ended before it was entered is not followed by a search at once.
static const double pause_s = 0.5;

static void close_all(struct game *game)
{
    play_close(game->play, &game->goodbye);
    replay_close(game->replay);
    home_close(game->home);
    matchmaker_close(game->search);
    game->play = NULL;
    game->replay = NULL;
    game->home = NULL;
    game->search = NULL;
}

static bool open_play(struct game *game, const struct play_def *def)
{
    struct play *play = play_open(def);
    close_all(game);
    game->play = play;
    return play != NULL;
}

// The name of the definition, or else the one that was chosen on the home screen.
static const char *player_name(const struct game *game)
{
    const char *chosen = game->preferences->settings.name;
    if (game->def->name != NULL)
        return game->def->name;
    return chosen[0] != '\0' ? chosen : "player";
}

static struct play_def play_def(struct game *game)
{
    const struct game_def *def = game->def;
    return (struct play_def){
        .host = def->host,
        .name = player_name(game),
        .access = def->access,
        .admin_key = def->has_admin_key ? def->admin_key : NULL,
        .password = def->password,
        .known_servers = def->known_servers,
        .require_encryption = def->require_encryption,
        .window = game->window,
        .preferences = game->preferences,
        .frames = &game->frames,
        .now_s = game->now_s,
    };
}

static bool enter_arena(struct game *game, const struct server_address *server, bool watch)
{
    struct play_def def = play_def(game);
    def.host = server->host;
    def.port = server->port;
    def.watch = watch;
    game->is_in_arena = false;
    return open_play(game, &def);
}

static bool enter_found_arena(struct game *game, const struct matchmaker_arena *arena)
{
    struct play_def def = play_def(game);
    def.host = arena->address;
    def.port = arena->port;
    def.access = arena->access[0] != '\0' ? arena->access : NULL;
    def.connect_timeout_s = MATCHMAKER_CONNECT_S;
    game->is_in_arena = true;
    return open_play(game, &def);
}

static bool search(struct game *game, double begin_s)
{
    close_all(game);
    game->search_s = begin_s;
    game->search = matchmaker_queue(game->def->matchmaker, player_name(game), &game->regions);
    return game->search != NULL;
}

// With a matchmaker: enters the arena that is found, and searches again after its end or loss.
// False when memory runs out.
static bool follow_matchmaker(struct game *game)
{
    if (game->search != NULL) {
        const bool is_due = game->measurement == NULL && game->now_s >= game->search_s;
        const struct matchmaker_arena *arena =
            is_due ? matchmaker_poll(game->search, game->now_s) : NULL;
        return arena == NULL || enter_found_arena(game, arena);
    }
    if (!game->is_in_arena || !play_wants_arena(game->play))
        return true;
    return search(game, play_was_entered(game->play) ? game->now_s : game->now_s + pause_s);
}

// False, with the reason in English, where the file cannot be played.
static bool watch_recording(struct game *game, const char *file, char *problem, size_t capacity)
{
    const struct replay_def def = {
        .file = file,
        .follow = game->def->follow,
        .window = game->window,
        .preferences = game->preferences,
        .frames = &game->frames,
    };
    struct replay *replay = replay_open(&def, problem, capacity);
    if (replay == NULL)
        return false;
    preferences_note_recording(game->preferences, file);
    close_all(game);
    game->replay = replay;
    return true;
}

// Goes to the home screen. False when memory runs out.
static bool go_home(struct game *game)
{
    const struct home_def def = {
        .preferences = game->preferences,
        .host = game->def->host,
        .master_count = game->def->master_count,
        .masters = game->def->masters,
        .has_matchmaker = game->def->matchmaker != NULL,
        .shows_recordings = game->replay != NULL,
    };
    close_all(game);
    game->noted[0] = '\0';
    game->home = home_open(&def);
    return game->home != NULL;
}

void game_quit(struct game *game)
{
    close_all(game);
    game->is_ending = true;
}

static bool handle_home(struct game *game, const struct window_event *event)
{
    const enum home_wish wish = home_handle(game->home, event);
    const struct server_address server = home_server(game->home);
    char problem[PROBLEM_BYTES];
    switch (wish) {
    case HOME_STAY:
        return true;
    case HOME_PLAY:
    case HOME_SPECTATE:
        server_address_write(&server, game->noted);
        return enter_arena(game, &server, wish == HOME_SPECTATE);
    case HOME_SEARCH:
        return search(game, game->now_s);
    case HOME_WATCH:
        if (!watch_recording(game, home_recording(game->home), problem, sizeof problem))
            home_report(game->home, problem);
        return true;
    case HOME_QUIT:
        game_quit(game);
        return true;
    }
    return true;
}

// False when memory runs out.
static bool handle(struct game *game, const struct window_event *event)
{
    if (game->play != NULL) {
        const enum play_wish wish = play_handle(game->play, event);
        if (wish == PLAY_QUIT)
            game_quit(game);
        return wish != PLAY_LEAVE || go_home(game);
    }
    if (game->replay != NULL) {
        const enum replay_wish wish = replay_handle(game->replay, event);
        if (wish == REPLAY_QUIT)
            game_quit(game);
        return wish != REPLAY_LEAVE || go_home(game);
    }
    if (game->home != NULL)
        return handle_home(game, event);
    if (event->kind == WINDOW_PRESSED && event->command == COMMAND_BACK)
        return go_home(game);
    if (event->kind == WINDOW_CLOSED)
        game_quit(game);
    return true;
}

// Notes that the server that was chosen has been played on.
static void note_game(struct game *game)
{
    if (game->noted[0] == '\0' || game->play == NULL || !play_was_entered(game->play))
        return;
    servers_note_game(&game->preferences->servers, game->noted, platform_unix_s());
    preferences_save_servers(game->preferences);
    game->noted[0] = '\0';
}

static void measure_regions(struct game *game)
{
    if (game->measurement == NULL || !regions_poll(game->measurement))
        return;
    regions_end(game->measurement);
    game->measurement = NULL;
}

// False when memory runs out.
static bool update(struct game *game, uint64_t now_us)
{
    struct window_event event;
    measure_regions(game);
    while (!game->is_ending && window_next_event(game->window, &event))
        if (!handle(game, &event))
            return false;
    if (game->play != NULL) {
        play_update(game->play, now_us);
        note_game(game);
    }
    if (game->home != NULL)
        home_update(game->home, game->now_s);
    else if (!game->is_ending && game->replay == NULL && game->def->matchmaker != NULL)
        return follow_matchmaker(game);
    return true;
}

bool game_serve(struct game *game, uint64_t now_us)
{
    game->now_s = (double)now_us * 1e-6;
    game->has_failed = game->has_failed || !update(game, now_us);
    const bool is_done = goodbye_is_done(&game->goodbye, game->now_s);
    return !game->has_failed && (!game->is_ending || !is_done);
}

static void draw_search(const struct game *game)
{
    char text[64];
    const char *problem = matchmaker_problem(game->search);
    snprintf(text, sizeof text, "%.0f s", floor(fmax(0, game->now_s - game->search_s)));
    draw_box(game->ui.draw, game->ui.area, PALETTE_DARK);
    hud_notice(&game->ui, &(struct hud_notice){"Searching for an arena ...",
                                               problem[0] != '\0' ? problem : text, "Esc: home"});
}

bool game_frame(struct game *game, uint64_t now_us, const char *file, bool fine)
{
    struct ui_view view = {.size = window_size(game->window)};
    game->now_s = (double)now_us * 1e-6;
    frame_times_take(&game->frames, game->now_s);
    if (game->is_ending)
        return true;
    if (game->play != NULL) {
        play_look(game->play, now_us);
        view.size = play_view(game->play);
    } else if (game->replay != NULL) {
        replay_look(game->replay, game->now_s);
        view = replay_view(game->replay);
    }
    if (game->replay != NULL || (game->play != NULL && play_was_entered(game->play)))
        game->was_in_arena = true;
    view.scale = game->preferences->settings.ui_scale;
    view.fine = fine;
    if (!ui_begin(&game->ui, game->window, &view))
        return false;
    if (game->play != NULL)
        play_draw(game->play, &game->ui);
    else if (game->replay != NULL)
        replay_draw(game->replay, &game->ui);
    else if (game->search != NULL)
        draw_search(game);
    else
        home_draw(game->home, &game->ui, game->now_s);
    return ui_end(&game->ui, game->window, file);
}

static bool open_first(struct game *game, char *problem, size_t capacity)
{
    const struct game_def *def = game->def;
    struct server_address server = {.port = def->port};
    memcpy(server.host, def->host, sizeof server.host);
    if (def->recording != NULL)
        return watch_recording(game, def->recording, problem, capacity);
    if (def->matchmaker != NULL)
        return search(game, game->now_s);
    return def->port != 0 ? enter_arena(game, &server, def->watch) : go_home(game);
}

struct game *game_begin(const struct game_def *def, struct window *window,
                        struct preferences *preferences, uint64_t now_us, char *problem,
                        size_t capacity)
{
    struct game *game = calloc(1, sizeof *game);
    snprintf(problem, capacity, "out of memory");
    if (game == NULL)
        return NULL;
    game->def = def;
    game->window = window;
    game->preferences = preferences;
    game->now_s = (double)now_us * 1e-6;
    if (def->matchmaker != NULL)
        game->measurement = regions_begin(def->matchmaker, &game->regions);
    if (ui_open(&game->ui, window) && open_first(game, problem, capacity))
        return game;
    game_end(game);
    return NULL;
}

void game_end(struct game *game)
{
    if (game == NULL)
        return;
    close_all(game);
    regions_end(game->measurement);
    goodbye_end(&game->goodbye);
    ui_close(&game->ui);
    free(game);
}

bool game_was_in_arena(const struct game *game)
{
    return game->was_in_arena;
}

double game_round_trip_ms(const struct game *game)
{
    return game->play != NULL && play_was_entered(game->play) ? play_round_trip_ms(game->play) : -1;
}

const struct frame_times *game_frame_times(const struct game *game)
{
    return &game->frames;
}

struct raim_link *game_link(const struct game *game)
{
    return game->play != NULL ? play_link(game->play) : NULL;
}
