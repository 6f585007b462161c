// SPDX-License-Identifier: MIT
// What a player in an arena does by keys, mouse and fingers: in the game, and in the layers over
// it.
#include "message.h"
#include "play_internal.h"

#include <stdio.h>

static bool may_vote(const struct play *play)
{
    return play->state == RAIM_CLIENT_PLAYING && play->votes.kinds != 0;
}

void play_open_layer(struct play *play, enum layer layer)
{
    const bool is_typed = layer == LAYER_CHAT || layer == LAYER_CREDENTIAL;
    window_take_text(play->window, is_typed);
    if (is_typed)
        entry_clear(&play->entry);
    if (layer == LAYER_MENU)
        pause_menu_open(&play->pause, "Leave the arena",
                        play->watch      ? "Join as a player"
                        : may_vote(play) ? "Call a vote"
                                         : "");
    if (layer == LAYER_VOTE)
        vote_menu_open(&play->vote_menu, &play->votes);
    play->layer = layer;
    if (layer == LAYER_CHAT)
        play_learn(play, HINT_CHAT);
    if (layer == LAYER_MENU)
        play_learn(play, HINT_MENU);
}

// Connects again, as a player, once the goodbye is over.
static void join(struct play *play)
{
    play->watch = false;
    play->state = RAIM_CLIENT_CONNECTING;
    play_leave(play, &play->goodbye);
}

static enum play_wish handle_menu(struct play *play, const struct window_event *event)
{
    switch (pause_menu_handle(&play->pause, play->preferences, event)) {
    case PAUSE_ON:
        break;
    case PAUSE_RESUME:
        play_open_layer(play, LAYER_NONE);
        break;
    case PAUSE_LEAVE:
        return PLAY_LEAVE;
    case PAUSE_OTHER:
        play_open_layer(play, play->watch ? LAYER_NONE : LAYER_VOTE);
        if (play->watch)
            join(play);
        break;
    }
    return PLAY_ON;
}

static void handle_vote_menu(struct play *play, const struct window_event *event)
{
    struct raim_client_vote_call call;
    switch (vote_menu_handle(&play->vote_menu, &play->votes, &play->scoreboard, play->window, event,
                             &call)) {
    case VOTE_MENU_ON:
        break;
    case VOTE_MENU_BACK:
        play_open_layer(play, play->vote_menu.kind == 0 ? LAYER_MENU : LAYER_VOTE);
        break;
    case VOTE_MENU_CALL:
        if (play->link != NULL)
            raim_link_call_vote(play->link, &call);
        play_open_layer(play, LAYER_NONE);
        break;
    }
}

// Votes by a key; false for any other button.
static bool cast_vote(struct play *play, window_button button)
{
    const bool is_yes = bindings_triggers(play->bindings, ACTION_VOTE_YES, button);
    if (!is_yes && !bindings_triggers(play->bindings, ACTION_VOTE_NO, button))
        return false;
    if (play->link != NULL)
        raim_link_cast_vote(play->link, is_yes ? RAIM_CLIENT_VOTE_YES : RAIM_CLIENT_VOTE_NO);
    return true;
}

static void handle_chat(struct play *play, const struct window_event *event)
{
    if (entry_handle(&play->entry, event, RAIM_MAX_CHAT_BYTES) || event->kind != WINDOW_PRESSED)
        return;
    if (event->command == COMMAND_ACCEPT && play->entry.text[0] != '\0' && play->link != NULL)
        raim_link_send_chat(play->link, play->entry.text);
    const bool is_tapped = event->clicked && window_has_fingers(play->window);
    if (event->command == COMMAND_ACCEPT || event->command == COMMAND_BACK || is_tapped)
        play_open_layer(play, LAYER_NONE);
}

// The way to another player in the order of the scores by which a spectator's press leads; 0: none.
static int way_to_target(const struct play *play, const struct window_event *event)
{
    if (!play->watch)
        return 0;
    if (window_has_fingers(play->window) && event->command == COMMAND_ACCEPT)
        return event->mouse.x < window_size(play->window).x / 2 ? -1 : 1;
    return bindings_triggers(play->bindings, ACTION_RIGHT, event->button) -
           bindings_triggers(play->bindings, ACTION_LEFT, event->button);
}

// Lets a spectator watch another player: counted from the one asked for last, because the snapshots
// that show it may still be on their way, unless it has left.
static void watch_other(struct play *play, int way)
{
    const struct scoreboard *scoreboard = &play->scoreboard;
    const uint32_t count = scoreboard->score_count;
    uint32_t row = scoreboard_row(scoreboard, play->target);
    if (row == count)
        row = scoreboard_row(scoreboard, scoreboard->watched);
    if (row == count || play->link == NULL)
        return;
    play->target = scoreboard->scores[(row + count + (uint32_t)way) % count].id;
    raim_link_send_watch(play->link, play->target);
}

static void handle_game(struct play *play, const struct window_event *event)
{
    if (event->kind != WINDOW_PRESSED)
        return;
    const struct viewport viewport = viewport_fit(play_view(play), window_size(play->window));
    const bool scrolls = event->button == 0 && play_shows_table(play);
    if (scrolls && (event->command == COMMAND_UP || event->command == COMMAND_DOWN))
        scoreboard_scroll(&play->first_score, event->command == COMMAND_UP ? 1 : -1);
    else if (event->opens_menu)
        play_open_layer(play, LAYER_MENU);
    else if (bindings_triggers(play->bindings, ACTION_CHAT, event->button))
        play_open_layer(play, LAYER_CHAT);
    else if (bindings_triggers(play->bindings, ACTION_NETWORK, event->button))
        play->shows_netgraph = !play->shows_netgraph;
    else if (cast_vote(play, event->button))
        return;
    else if (way_to_target(play, event) != 0)
        watch_other(play, way_to_target(play, event));
    else
        controls_handle(&play->controls, play->bindings, event, &viewport);
}

// Takes the typed password or access token along, which is remembered until the arena is left.
// False, with a word, where it is neither.
static bool take_credential(struct play *play)
{
    if (play->entry.text[0] == '\0')
        return false;
    if (play->end_reason == RAIM_REASON_PASSWORD) {
        snprintf(play->password, sizeof play->password, "%.*s", (int)sizeof play->password - 1,
                 play->entry.text);
    } else {
        play->access_size =
            raim_link_read_access(play->entry.text, play->access, sizeof play->access);
        if (play->access_size == 0) {
            snprintf(play->end.text, sizeof play->end.text,
                     "That is no access token: it has letters, digits, - and _ alone.");
            return false;
        }
    }
    raim_link_wipe(&play->entry, sizeof play->entry);
    play_open_layer(play, LAYER_NONE);
    return true;
}

static enum play_wish handle_end(struct play *play, const struct window_event *event)
{
    const size_t most =
        play->end_reason == RAIM_REASON_PASSWORD ? sizeof play->password - 1 : ENTRY_BYTES - 1;
    if (play->layer == LAYER_CREDENTIAL && entry_handle(&play->entry, event, most))
        return PLAY_ON;
    if (event->kind == WINDOW_PRESSED && event->command == COMMAND_ACCEPT &&
        (play->layer != LAYER_CREDENTIAL || take_credential(play)))
        play_connect(play);
    if (event->kind == WINDOW_PRESSED && event->command == COMMAND_BACK)
        return PLAY_LEAVE;
    return PLAY_ON;
}

enum play_wish play_handle(struct play *play, const struct window_event *event)
{
    struct window_event press;
    if (event->kind == WINDOW_CLOSED)
        return PLAY_QUIT;
    if (touch_translate(&play->controls.touch, play->window, play->bindings, event, &press))
        event = &press;
    if (play->state == RAIM_CLIENT_ENDED)
        return handle_end(play, event);
    const bool is_joining =
        play->state == RAIM_CLIENT_CONNECTING || play->state == RAIM_CLIENT_ENTERING;
    if (is_joining && event->kind == WINDOW_PRESSED && event->opens_menu)
        return PLAY_LEAVE;
    switch (play->layer) {
    case LAYER_NONE:
        handle_game(play, event);
        break;
    case LAYER_CHAT:
        handle_chat(play, event);
        break;
    case LAYER_CREDENTIAL: // of ENDED alone, see handle_end
        break;
    case LAYER_MENU:
        return handle_menu(play, event);
    case LAYER_VOTE:
        handle_vote_menu(play, event);
        break;
    }
    return PLAY_ON;
}
