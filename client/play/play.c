// SPDX-License-Identifier: MIT
// Plays in one arena: handles events, receives from the server, and sends input.
#define _GNU_SOURCE
#include "play_internal.h"

#include "matchmaker.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { GOODBYE_MS = 500 };

// The view until an arena has reported its own, units.
static const raim_vec2 default_view = {1600, 861};

static double now_s(void)
{
    return (double)raim_link_now_us() * 1e-6;
}

static void connect(struct play *play)
{
    struct raim_client_def def = raim_client_default_def();
    def.name = play->name;
    def.access = play->access;
    def.access_size = play->access_size;
    def.require_encryption = play->require_encryption;
    if (play->connect_timeout_s > 0)
        def.connect_timeout_s = play->connect_timeout_s;
    raim_link_close(play->link);
    play->link = NULL;
    if (raim_known_server_find(&play->known,
                               play->known_servers[0] != '\0' ? play->known_servers : NULL,
                               play->host, play->port)) {
        def.server_key = play->known.has_key ? play->known.key : NULL;
        play->link = raim_link_open(play->host, play->port, &def);
    }
    play->state = play->link != NULL ? RAIM_CLIENT_CONNECTING : RAIM_CLIENT_ENDED;
    play->picture->map = NULL;
    camera_clear(&play->camera);
    play->effects = (struct effects){0};
    play->netgraph = (struct netgraph){0};
    play->hits = 0;
    play->entries = 0;
    play->motd[0] = '\0';
    play->winner = (struct feed_person){0};
}

// Copies as much of a name as fits, in whole characters.
static void copy_name(char copy[RAIM_MAX_NAME_BYTES + 1], const char *name)
{
    size_t length = strlen(name);
    if (length > RAIM_MAX_NAME_BYTES)
        length = RAIM_MAX_NAME_BYTES;
    while (length > 0 && ((unsigned char)name[length] & 0xC0) == 0x80)
        length--;
    memcpy(copy, name, length);
    copy[length] = '\0';
}

struct play *play_open(const struct play_def *def)
{
    struct play *play = calloc(1, sizeof *play);
    if (play == NULL)
        return NULL;
    snprintf(play->host, sizeof play->host, "%s", def->host);
    copy_name(play->name, def->name);
    if (def->access != NULL)
        play->access_size = raim_link_read_access(def->access, play->access, sizeof play->access);
    play->port = def->port;
    play->require_encryption = def->require_encryption;
    play->connect_timeout_s = def->connect_timeout_s;
    if (def->known_servers != NULL)
        snprintf(play->known_servers, sizeof play->known_servers, "%s", def->known_servers);
    else if (!raim_known_servers_keeps(def->host) ||
             !raim_known_servers_path(play->known_servers, sizeof play->known_servers))
        play->known_servers[0] = '\0';
    play->window = def->window;
    play->keys = def->keys;
    play->picture = calloc(1, sizeof *play->picture);
    play->before = calloc(1, sizeof *play->before);
    if (play->picture == NULL || play->before == NULL) {
        play_close(play);
        return NULL;
    }
    connect(play);
    return play;
}

void play_close(struct play *play)
{
    if (play == NULL)
        return;
    if (play->link != NULL)
        raim_link_leave(play->link);
    const struct timespec moment = {.tv_nsec = 10000000};
    for (int ms = 0; ms < GOODBYE_MS && play->link != NULL && raim_link_is_open(play->link);
         ms += 10) {
        raim_link_service(play->link);
        nanosleep(&moment, NULL);
    }
    raim_link_close(play->link);
    camera_clear(&play->camera);
    window_take_text(play->window, false);
    window_show_pointer(play->window, true);
    free(play->picture);
    free(play->before);
    free(play);
}

bool play_wants_room(const struct play *play, double patience_s)
{
    if (play->link == NULL)
        return true;
    if (play->state == RAIM_CLIENT_ENDED)
        return matchmaker_requeues(raim_client_end(raim_link_client(play->link)).reason);
    return play->state == RAIM_CLIENT_RESUMING && now_s() > play->lost_at_s + patience_s;
}

bool play_was_entered(const struct play *play)
{
    return play->entered_s > 0;
}

raim_vec2 play_view(const struct play *play)
{
    return play->picture->map != NULL ? play->picture->view : default_view;
}

// --- layers ---

static void fill_menu(struct play *play)
{
    play->menu = (struct menu){0};
    menu_add(&play->menu, "Resume", "");
    menu_add(&play->menu, "Keys", "");
    menu_add(&play->menu, "Leave the arena", "");
}

static void fill_keys(struct play *play, int selected)
{
    char label[MENU_DETAIL_BYTES];
    play->menu = (struct menu){.selected = selected};
    for (int i = 0; i < KEY_ACTIONS; i++) {
        window_button_label(play->keys->buttons[i], label, sizeof label);
        menu_add(&play->menu, keys_title((enum key_action)i), label);
    }
    menu_add(&play->menu, "Restore the defaults", "");
}

static void open_layer(struct play *play, enum layer layer)
{
    window_take_text(play->window, layer == LAYER_CHAT);
    if (layer == LAYER_CHAT)
        entry_clear(&play->entry);
    if (layer == LAYER_MENU)
        fill_menu(play);
    if (layer == LAYER_KEYS)
        fill_keys(play, 0);
    play->layer = layer;
}

static enum play_wish handle_menu(struct play *play, const struct window_event *event)
{
    switch (menu_handle(&play->menu, play->window, event)) {
    case MENU_BACK:
    case 0:
        open_layer(play, LAYER_NONE);
        return PLAY_ON;
    case 1:
        open_layer(play, LAYER_KEYS);
        return PLAY_ON;
    case 2:
        return PLAY_LEAVE;
    default:
        return PLAY_ON;
    }
}

static void save_keys(struct play *play)
{
    keys_save(play->keys, window_settings_directory(play->window));
    fill_keys(play, play->menu.selected);
}

static void handle_keys(struct play *play, const struct window_event *event)
{
    const int chosen = menu_handle(&play->menu, play->window, event);
    if (chosen == MENU_BACK) {
        open_layer(play, LAYER_MENU);
    } else if (chosen == KEY_ACTIONS) {
        *play->keys = keys_default();
        save_keys(play);
    } else if (chosen != MENU_NOTHING) {
        play->menu.selected = chosen;
        snprintf(play->menu.items[chosen].detail, MENU_DETAIL_BYTES, "press a key ...");
        play->layer = LAYER_BIND;
    }
}

static void handle_press(struct play *play, const struct window_event *event)
{
    if (event->kind != WINDOW_PRESSED)
        return;
    // Escape always opens the menu, so it cannot be bound.
    if (event->command != COMMAND_BACK && event->button != 0) {
        keys_bind(play->keys, (enum key_action)play->menu.selected, event->button);
        save_keys(play);
    }
    fill_keys(play, play->menu.selected);
    play->layer = LAYER_KEYS;
}

static void handle_chat(struct play *play, const struct window_event *event)
{
    if (event->kind == WINDOW_TYPED)
        entry_type(&play->entry, event->text);
    if (event->kind != WINDOW_PRESSED)
        return;
    if (event->command == COMMAND_ERASE)
        entry_erase(&play->entry);
    if (event->command == COMMAND_ACCEPT && play->entry.text[0] != '\0' && play->link != NULL)
        raim_link_say(play->link, play->entry.text);
    if (event->command == COMMAND_ACCEPT || event->command == COMMAND_BACK)
        open_layer(play, LAYER_NONE);
}

static void handle_game(struct play *play, const struct window_event *event)
{
    if (event->kind != WINDOW_PRESSED)
        return;
    if (event->command == COMMAND_BACK)
        open_layer(play, LAYER_MENU);
    else if (event->button != 0 && event->button == play->keys->buttons[KEY_CHAT])
        open_layer(play, LAYER_CHAT);
    else if (event->button != 0 && event->button == play->keys->buttons[KEY_NETWORK])
        play->shows_netgraph = !play->shows_netgraph;
}

static enum play_wish handle_end(struct play *play, const struct window_event *event)
{
    if (event->kind == WINDOW_PRESSED && event->command == COMMAND_ACCEPT)
        connect(play);
    if (event->kind == WINDOW_PRESSED && event->command == COMMAND_BACK)
        return PLAY_QUIT;
    return PLAY_ON;
}

enum play_wish play_handle(struct play *play, const struct window_event *event)
{
    if (event->kind == WINDOW_CLOSED)
        return PLAY_QUIT;
    if (play->state == RAIM_CLIENT_ENDED)
        return handle_end(play, event);
    switch (play->layer) {
    case LAYER_NONE:
        handle_game(play, event);
        break;
    case LAYER_CHAT:
        handle_chat(play, event);
        break;
    case LAYER_MENU:
        return handle_menu(play, event);
    case LAYER_KEYS:
        handle_keys(play, event);
        break;
    case LAYER_BIND:
        handle_press(play, event);
        break;
    }
    return PLAY_ON;
}

// --- from the server ---

static raim_player_id own_id(const struct raim_client *client)
{
    return raim_client_roster_entry(client, raim_client_own_slot(client))->id;
}

static void copy_names(struct play *play, const struct raim_client *client)
{
    for (uint32_t slot = 0; slot < raim_client_max_players(client); slot++) {
        const struct raim_client_roster_entry *member = raim_client_roster_entry(client, slot);
        if (member->id != RAIM_NOBODY)
            memcpy(play->names[slot], member->name, sizeof member->name);
    }
}

static struct feed_person person(const struct play *play, raim_player_id id)
{
    struct feed_person person = {.id = id};
    if (id != RAIM_NOBODY)
        snprintf(person.name, sizeof person.name, "%s", play->names[raim_player_slot(id)]);
    return person;
}

static void handle_kill(struct play *play, const struct raim_client_event *event,
                        raim_player_id own, double now)
{
    struct feed_line line = {
        .born_s = now,
        .own = event->player == own || event->victim == own,
        .first = person(play, event->player),
        .second = person(play, event->victim),
        .text = "destroyed",
    };
    feed_add(&play->kills, &line);
    effects_add_kill(&play->effects, event->victim, now);
    if (event->victim == own)
        play->hurt_at_s = now;
}

static void handle_event(struct play *play, const struct raim_client_event *event,
                         raim_player_id own, double now)
{
    struct feed_line line = {.born_s = now, .first = person(play, event->player)};
    switch (event->kind) {
    case RAIM_CLIENT_JOINED:
    case RAIM_CLIENT_LEFT:
        snprintf(line.text, sizeof line.text, "%s",
                 event->kind == RAIM_CLIENT_JOINED ? "joined" : "left");
        feed_add(&play->kills, &line);
        break;
    case RAIM_CLIENT_KILL:
        handle_kill(play, event, own, now);
        break;
    case RAIM_CLIENT_CHAT:
        snprintf(line.text, sizeof line.text, "%s", event->text);
        feed_add(&play->chat, &line);
        break;
    case RAIM_CLIENT_PHASE:
        break; // drawn for as long as the phase lasts
    }
}

// Shows the message of the day as a chat line of the server, at first and after each change.
static void show_motd(struct play *play, const struct raim_client *client, double now)
{
    const char *motd = raim_client_motd(client);
    if (strcmp(motd, play->motd) == 0)
        return;
    struct feed_line line = {.born_s = now, .first = person(play, RAIM_NOBODY)};
    snprintf(play->motd, sizeof play->motd, "%s", motd);
    snprintf(line.text, sizeof line.text, "%s", motd);
    if (motd[0] != '\0')
        feed_add(&play->chat, &line);
}

// Stores the winner's name, because the winner may leave before the break is over.
static void note_winner(struct play *play, const struct raim_client *client)
{
    const struct raim_client_phase phase = raim_client_phase(client);
    const bool is_known = phase.kind != RAIM_CLIENT_BREAK || phase.winner == play->winner.id;
    if (!is_known && raim_player_slot(phase.winner) < raim_client_max_players(client))
        play->winner = person(play, phase.winner);
}

static void handle_all_events(struct play *play, struct raim_client *client, double now)
{
    struct raim_client_event event;
    copy_names(play, client);
    show_motd(play, client, now);
    note_winner(play, client);
    while (raim_client_next_event(client, &event))
        handle_event(play, &event, own_id(client), now);
    const uint64_t hits = raim_client_stats(client)->hits;
    if (hits > play->hits)
        play->hit_at_s = now;
    play->hits = hits;
}

// --- every frame ---

static void press(struct play *play, const struct raim_client *client)
{
    struct viewport viewport = viewport_fit(play_view(play), window_size(play->window));
    if (raim_client_can_draw(client))
        viewport.eye = raim_client_eye(client);
    raim_input input =
        controls_read(&play->controls, play->window, play->keys, &viewport, viewport.eye);
    if (play->layer != LAYER_NONE)
        input = (raim_input){.aim = input.aim};
    while (raim_link_is_input_due(play->link))
        raim_link_send_input(play->link, &input);
}

static void note_state(struct play *play, const struct raim_client *client, double now)
{
    const enum raim_client_state state = raim_client_state(client);
    if (state == play->state)
        return;
    if (state == RAIM_CLIENT_PLAYING && play->entered_s == 0)
        play->entered_s = now;
    if (state == RAIM_CLIENT_RESUMING)
        play->lost_at_s = now;
    if (state == RAIM_CLIENT_ENDED)
        open_layer(play, LAYER_NONE);
    play->state = state;
}

// Switches to the map of a new arena as soon as there is something to draw in it. Until then the
// last picture stays.
static void enter_arena(struct play *play, const struct raim_client *client)
{
    const uint64_t entries = raim_client_stats(client)->entries;
    if (entries == play->entries || !raim_client_can_draw(client))
        return;
    play->entries = entries;
    play->picture->map = play->before->map = NULL;
    play->effects = (struct effects){0};
    camera_enter(&play->camera, client);
}

static void take_picture(struct play *play, const struct raim_client *client, double now)
{
    enter_arena(play, client);
    struct picture *spare = play->before;
    play->before = play->picture;
    play->picture = spare;
    if (!camera_take(&play->camera, client, now, play->picture)) {
        play->picture = play->before;
        play->before = spare;
    } else if (play->before->map == play->picture->map) {
        effects_compare(&play->effects, play->before, play->picture);
    }
}

void play_update(struct play *play)
{
    if (play->link == NULL)
        return;
    struct raim_client *client = raim_link_client(play->link);
    raim_link_service(play->link);
    raim_known_server_update(&play->known, play->link);
    note_state(play, client, now_s());
    if (play->state == RAIM_CLIENT_PLAYING && raim_link_is_input_due(play->link)) {
        raim_client_interpolate(client, raim_link_now_us());
        press(play, client);
    }
}

void play_look(struct play *play)
{
    play_update(play);
    if (play->state != RAIM_CLIENT_PLAYING)
        return;
    struct raim_client *client = raim_link_client(play->link);
    const double now = now_s();
    raim_client_interpolate(client, raim_link_now_us());
    handle_all_events(play, client, now);
    take_picture(play, client, now);
    const struct raim_client_quality quality = raim_client_quality(client);
    netgraph_look(&play->netgraph, now, &quality);
}
