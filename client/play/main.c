// SPDX-License-Identifier: MIT
// raim: the game. Opens the window and switches between an arena, a recording, and what leads to
// them: the home screen or the search of a matchmaker.
#define _GNU_SOURCE
#include "home.h"
#include "link.h"
#include "options.h"
#include "play.h"
#include "play_draw.h"
#include "preferences.h"
#include "render.h"
#include "replay.h"
#include "search.h"
#include "window.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { EXIT_NO_RECORDING = 66, EXIT_UNREACHABLE = 69, PROBLEM_BYTES = 256 };

// Either the home screen, the search, an arena or a recording is open.
struct game {
    const struct options *options;
    struct regions regions; // of the matchmaker
    bool was_in_arena;
    struct window *window;
    struct preferences preferences;
    struct home *home;
    struct search *search;
    struct play *play;
    struct replay *replay;
    bool is_in_room;                  // of the matchmaker
    char noted[SERVER_ADDRESS_BYTES]; // of the home screen: to be stored once entered; "": none
};

// A room that ended before it was entered is not followed by a search at once.
static const double pause_s = 0.5;

static double now_s(void)
{
    return (double)raim_link_now_us() * 1e-6;
}

static bool open_play(struct game *game, const struct play_def *def)
{
    game->play = play_open(def);
    home_close(game->home);
    search_close(game->search);
    game->home = NULL;
    game->search = NULL;
    return game->play != NULL;
}

// The name of the command line, or else the one that was chosen on the home screen.
static const char *player_name(const struct game *game)
{
    const char *chosen = game->preferences.settings.name;
    if (game->options->name != NULL)
        return game->options->name;
    return chosen[0] != '\0' ? chosen : "player";
}

static struct play_def play_def(struct game *game)
{
    return (struct play_def){
        .host = game->options->host,
        .name = player_name(game),
        .access = game->options->access,
        .admin_key = game->options->has_admin_key ? game->options->admin_key : NULL,
        .password = game->options->password,
        .known_servers = game->options->known_servers,
        .require_encryption = game->options->require_encryption,
        .window = game->window,
        .preferences = &game->preferences,
    };
}

static bool enter_arena(struct game *game, const struct server_address *server, bool watch)
{
    struct play_def def = play_def(game);
    def.host = server->host;
    def.port = server->port;
    def.watch = watch;
    game->is_in_room = false;
    return open_play(game, &def);
}

static bool enter_room(struct game *game, const struct matchmaker_room *room)
{
    struct play_def def = play_def(game);
    def.host = room->address;
    def.port = room->port;
    def.access = room->access[0] != '\0' ? room->access : NULL;
    def.connect_timeout_s = MATCHMAKER_CONNECT_S;
    game->is_in_room = true;
    return open_play(game, &def);
}

static bool search(struct game *game, double begin_s)
{
    play_close(game->play);
    home_close(game->home);
    game->play = NULL;
    game->home = NULL;
    game->search =
        search_open(game->options->matchmaker, player_name(game), &game->regions, begin_s);
    return game->search != NULL;
}

// With a matchmaker: enters the room that is found, and searches again after its end or loss. False
// when memory runs out.
static bool follow_matchmaker(struct game *game)
{
    const double now = now_s();
    if (game->search != NULL) {
        const struct matchmaker_room *room = search_poll(game->search, now);
        return room == NULL || enter_room(game, room);
    }
    if (!game->is_in_room || !play_wants_room(game->play, MATCHMAKER_PATIENCE_S))
        return true;
    return search(game, play_was_entered(game->play) ? now : now + pause_s);
}

// Notes the folder of a recording, so that the home screen lists it.
static void note_folder(struct game *game, const char *file)
{
    char *path = realpath(file, NULL);
    char *slash = path != NULL ? strrchr(path, '/') : NULL;
    char *folder = game->preferences.settings.recordings;
    if (slash != NULL && slash != path && slash - path < SETTINGS_FOLDER_BYTES) {
        *slash = '\0';
        strcpy(folder, path);
        preferences_save_settings(&game->preferences);
    }
    free(path);
}

// False, with the reason in English, where the file cannot be played.
static bool watch_recording(struct game *game, const char *file, char *problem)
{
    const struct replay_def def = {
        .file = file,
        .follow = game->options->follow,
        .window = game->window,
        .preferences = &game->preferences,
    };
    game->replay = replay_open(&def, problem, PROBLEM_BYTES);
    if (game->replay == NULL)
        return false;
    note_folder(game, file);
    home_close(game->home);
    game->home = NULL;
    return true;
}

// Goes to the home screen. False when memory runs out.
static bool go_home(struct game *game)
{
    const struct home_def def = {
        .preferences = &game->preferences,
        .host = game->options->host,
        .master_count = game->options->master_count,
        .masters = game->options->masters,
        .has_matchmaker = game->options->matchmaker != NULL,
        .shows_recordings = game->replay != NULL,
    };
    play_close(game->play);
    replay_close(game->replay);
    search_close(game->search);
    game->play = NULL;
    game->replay = NULL;
    game->search = NULL;
    game->noted[0] = '\0';
    game->home = home_open(&def);
    return game->home != NULL;
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
        return search(game, now_s());
    case HOME_WATCH:
        if (!watch_recording(game, home_recording(game->home), problem))
            home_report(game->home, problem);
        return true;
    case HOME_QUIT:
        return false;
    }
    return true;
}

// False when the game ends.
static bool handle(struct game *game, const struct window_event *event)
{
    if (game->play != NULL) {
        const enum play_wish wish = play_handle(game->play, event);
        return wish == PLAY_LEAVE ? go_home(game) : wish == PLAY_ON;
    }
    if (game->replay != NULL) {
        const enum replay_wish wish = replay_handle(game->replay, event);
        return wish == REPLAY_LEAVE ? go_home(game) : wish == REPLAY_ON;
    }
    if (game->home != NULL)
        return handle_home(game, event);
    if (event->kind == WINDOW_PRESSED && event->command == COMMAND_BACK)
        return go_home(game);
    return event->kind != WINDOW_CLOSED;
}

static bool handle_all(struct game *game)
{
    struct window_event event;
    while (window_next_event(game->window, &event))
        if (!handle(game, &event))
            return false;
    return true;
}

// Handles events and plays until the next frame is due. False when the game ends.
static bool wait_for_frame(struct game *game)
{
    do {
        if (!handle_all(game))
            return false;
        if (game->play != NULL)
            play_update(game->play);
        if (game->home != NULL)
            home_update(game->home, now_s());
        else if (game->replay == NULL && game->options->matchmaker != NULL &&
                 !follow_matchmaker(game))
            return false;
    } while (window_is_early(game->window));
    return true;
}

// Notes that the server that was chosen has been played on.
static void note_game(struct game *game)
{
    if (game->noted[0] == '\0' || game->play == NULL || !play_was_entered(game->play))
        return;
    servers_note_game(&game->preferences.servers, game->noted, time(NULL));
    preferences_save_servers(&game->preferences);
    game->noted[0] = '\0';
}

static bool show(struct game *game, bool last)
{
    // The software renderer of a headless run does not smooth edges, so its last frame is drawn
    // larger.
    const bool fine = last && game->options->headless;
    struct window_view view = {.size = window_size(game->window)};
    if (game->play != NULL) {
        play_look(game->play);
        note_game(game);
        view.size = play_view(game->play);
    } else if (game->replay != NULL) {
        replay_look(game->replay, now_s());
        view = replay_view(game->replay);
    }
    struct ui ui;
    view.fine = fine;
    if (!window_begin(game->window, &view, &ui))
        return false;
    if (game->play != NULL)
        play_draw(game->play, &ui, now_s());
    else if (game->replay != NULL)
        replay_draw(game->replay, &ui);
    else if (game->search != NULL)
        search_draw(game->search, &ui, now_s());
    else
        home_draw(game->home, &ui, now_s());
    return window_end(game->window, last ? game->options->screenshot : NULL);
}

// Prints the times of the last frames, and the round trip.
static void print_frames(const struct game *game)
{
    const struct frame_summary frames = frame_times_summary(window_frames(game->window));
    printf("%.1f frames/s, frame time p50 %.1f ms, p99 %.1f ms", frames.hz, frames.p50_ms,
           frames.p99_ms);
    if (game->play != NULL && play_was_entered(game->play))
        printf(", round trip %.1f ms", play_round_trip_ms(game->play));
    putchar('\n');
}

// Runs the game. False when a frame or the screenshot failed.
static bool run(struct game *game)
{
    const struct options *options = game->options;
    struct server_address server = {.port = options->port};
    snprintf(server.host, sizeof server.host, "%s", options->host);
    bool opened;
    if (game->replay != NULL)
        opened = true;
    else if (options->matchmaker != NULL)
        opened = search(game, now_s());
    else if (options->port != 0)
        opened = enter_arena(game, &server, false);
    else
        opened = go_home(game);
    if (!opened)
        return false;
    for (int frame = 1; wait_for_frame(game); frame++) {
        const bool last = frame == options->frames;
        if (!show(game, last))
            return false;
        if (game->replay != NULL || (game->play != NULL && play_was_entered(game->play)))
            game->was_in_arena = true;
        if (last)
            return true;
    }
    return options->frames == 0 || options->screenshot == NULL;
}

// Plays or renders the recording of the command line, or plays in arenas. Returns the exit status.
static int start(struct game *game)
{
    const struct options *options = game->options;
    char problem[PROBLEM_BYTES];
    if (options->video != NULL) {
        static const int statuses[] = {
            [RENDER_DONE] = EXIT_SUCCESS,
            [RENDER_FAILED] = EXIT_FAILURE,
            [RENDER_NO_RECORDING] = EXIT_NO_RECORDING,
        };
        return statuses[render(options, game->window, &game->preferences)];
    }
    if (options->recording != NULL && !watch_recording(game, options->recording, problem)) {
        fprintf(stderr, "raim: %s: %s\n", options->recording, problem);
        return EXIT_NO_RECORDING;
    }
    const bool good = run(game);
    if (options->frames > 0)
        print_frames(game);
    if (good && options->frames > 0 && !game->was_in_arena)
        return EXIT_UNREACHABLE;
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}

int main(int argc, char **argv)
{
    const struct options options = options_parse(argc, argv);
    const bool headless = options.headless || options.video != NULL;
    const struct window_def def = {options.width, options.height, headless};
    struct game game = {.options = &options};
    if (options.matchmaker != NULL)
        regions_measure(options.matchmaker, &game.regions);
    game.window = window_create(&def);
    if (game.window == NULL)
        return EXIT_FAILURE;
    preferences_open(&game.preferences, game.window, !headless);
    if (options.frame_cap_hz > 0)
        window_set_frame_cap(game.window, options.frame_cap_hz);
    const int status = start(&game);
    play_close(game.play);
    replay_close(game.replay);
    home_close(game.home);
    search_close(game.search);
    preferences_close(&game.preferences);
    window_destroy(game.window);
    return status;
}
