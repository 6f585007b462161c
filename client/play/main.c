// SPDX-License-Identifier: MIT
// raim: the game. Opens the window and switches between the menu of arenas and an arena.
#include "keys.h"
#include "link.h"
#include "lobby.h"
#include "options.h"
#include "play.h"
#include "play_draw.h"
#include "window.h"

#include <stdlib.h>

// Either the lobby or an arena is open.
struct game {
    const struct options *options;
    struct window *window;
    struct keys keys;
    struct lobby *lobby;
    struct play *play;
};

static const raim_vec2 lobby_view = {1600, 861};

static double now_s(void)
{
    return (double)raim_link_now_us() * 1e-6;
}

static bool enter_arena(struct game *game, uint16_t port)
{
    const struct play_def def = {
        .host = game->options->host,
        .port = port,
        .name = game->options->name,
        .access = game->options->access,
        .known_servers = game->options->known_servers,
        .require_encryption = game->options->require_encryption,
        .window = game->window,
        .keys = &game->keys,
    };
    lobby_close(game->lobby);
    game->lobby = NULL;
    game->play = play_open(&def);
    return game->play != NULL;
}

// Returns to the lobby. False ends the game: without a lobby at the start, leaving the arena does
// so.
static bool leave_arena(struct game *game)
{
    if (game->options->port != 0)
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
    else
        lobby_draw(game->lobby, &ui, now_s());
    return window_end(game->window, last ? game->options->screenshot : NULL);
}

// Runs the game. False when a frame or the screenshot failed.
static bool run(struct game *game)
{
    const struct options *options = game->options;
    if (options->port != 0)
        enter_arena(game, options->port);
    else
        game->lobby = lobby_open(options->host);
    if (game->play == NULL && game->lobby == NULL)
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
    window_destroy(game.window);
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
