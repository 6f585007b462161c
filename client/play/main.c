// SPDX-License-Identifier: MIT
// raim: the game. Opens the window and switches between an arena and what leads to it: the menu of
// arenas or the search of a matchmaker.
#include "keys.h"
#include "link.h"
#include "lobby.h"
#include "options.h"
#include "play.h"
#include "play_draw.h"
#include "search.h"
#include "window.h"

#include <stdlib.h>

// Either the lobby, the search or an arena is open.
struct game {
    const struct options *options;
    struct window *window;
    struct keys keys;
    struct lobby *lobby;
    struct search *search;
    struct play *play;
};

static const raim_vec2 lobby_view = {1600, 861};

// A room that ended before it was entered is not followed by a search at once.
static const double pause_s = 0.5;

static double now_s(void)
{
    return (double)raim_link_now_us() * 1e-6;
}

static bool open_play(struct game *game, const struct play_def *def)
{
    game->play = play_open(def);
    lobby_close(game->lobby);
    search_close(game->search);
    game->lobby = NULL;
    game->search = NULL;
    return game->play != NULL;
}

static struct play_def play_def(struct game *game)
{
    return (struct play_def){
        .host = game->options->host,
        .name = game->options->name,
        .access = game->options->access,
        .known_servers = game->options->known_servers,
        .require_encryption = game->options->require_encryption,
        .window = game->window,
        .keys = &game->keys,
    };
}

static bool enter_arena(struct game *game, uint16_t port)
{
    struct play_def def = play_def(game);
    def.port = port;
    return open_play(game, &def);
}

static bool enter_room(struct game *game, const struct matchmaker_room *room)
{
    struct play_def def = play_def(game);
    def.host = room->address;
    def.port = room->port;
    def.access = room->access[0] != '\0' ? room->access : NULL;
    def.connect_timeout_s = MATCHMAKER_CONNECT_S;
    return open_play(game, &def);
}

static bool search(struct game *game, double begin_s)
{
    play_close(game->play);
    game->play = NULL;
    game->search = search_open(game->options->matchmaker, game->options->name, begin_s);
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
    if (!play_wants_room(game->play, MATCHMAKER_PATIENCE_S))
        return true;
    return search(game, play_was_entered(game->play) ? now : now + pause_s);
}

// Returns to the lobby. False ends the game: without a lobby at the start, leaving the arena does
// so.
static bool leave_arena(struct game *game)
{
    if (game->options->port != 0 || game->options->matchmaker != NULL)
        return false;
    play_close(game->play);
    game->play = NULL;
    game->lobby = lobby_open(game->options->host);
    return game->lobby != NULL;
}

// False when the game ends.
static bool handle(struct game *game, const struct window_event *event)
{
    if (game->play != NULL) {
        const enum play_wish wish = play_handle(game->play, event);
        return wish == PLAY_LEAVE ? leave_arena(game) : wish == PLAY_ON;
    }
    if (event->kind == WINDOW_CLOSED)
        return false;
    if (game->search != NULL)
        return event->kind != WINDOW_PRESSED || event->command != COMMAND_BACK;
    const int chosen = lobby_handle(game->lobby, game->window, event);
    if (chosen == LOBBY_STAY || chosen == LOBBY_QUIT)
        return chosen == LOBBY_STAY;
    return enter_arena(game, (uint16_t)chosen);
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
        if (game->options->matchmaker != NULL && !follow_matchmaker(game))
            return false;
    } while (window_is_early(game->window));
    return true;
}

static bool show(struct game *game, bool last)
{
    // The software renderer of a headless run does not smooth edges, so its last frame is drawn
    // larger.
    const bool fine = last && game->options->headless;
    if (game->play != NULL)
        play_look(game->play);
    const raim_vec2 view = game->play != NULL ? play_view(game->play) : lobby_view;
    const struct ui ui = window_begin(game->window, view, fine);
    if (game->play != NULL)
        play_draw(game->play, &ui, now_s());
    else if (game->search != NULL)
        search_draw(game->search, &ui, now_s());
    else
        lobby_draw(game->lobby, &ui, now_s());
    return window_end(game->window, last ? game->options->screenshot : NULL);
}

// Runs the game. False when a frame or the screenshot failed.
static bool run(struct game *game)
{
    const struct options *options = game->options;
    if (options->matchmaker != NULL)
        search(game, now_s());
    else if (options->port != 0)
        enter_arena(game, options->port);
    else
        game->lobby = lobby_open(options->host);
    if (game->play == NULL && game->lobby == NULL && game->search == NULL)
        return false;
    for (int frame = 1; wait_for_frame(game); frame++) {
        const bool last = frame == options->frames;
        if (!show(game, last))
            return false;
        if (last)
            return true;
    }
    return options->frames == 0 || options->screenshot == NULL;
}

int main(int argc, char **argv)
{
    const struct options options = options_parse(argc, argv);
    const struct window_def def = {options.width, options.height, options.headless};
    struct game game = {.options = &options, .window = window_create(&def)};
    if (game.window == NULL)
        return EXIT_FAILURE;
    game.keys = keys_default();
    keys_load(&game.keys, window_settings_directory(game.window));
    const bool good = run(&game);
    play_close(game.play);
    lobby_close(game.lobby);
    search_close(game.search);
    window_destroy(game.window);
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
