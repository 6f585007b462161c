// SPDX-License-Identifier: MIT
// Plays in one arena: handles events, receives from the server, and sends input.
#include "play_internal.h"

#include "effects.h"
#include "matchmaker.h"
#include "message.h"
#include "platform.h"
#include "server_address.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The view until an arena has reported its own, units.
static const raim_vec2 default_view = {1600, 861};

// Without an answer for so long, the player is told so.
static const double connect_timeout_s = 5;

static const double goodbye_s = 0.5;

// Notes why there is no connection, and when to try again.
static void note_end(struct play *play, const struct raim_client *client)
{
    char where[SERVER_ADDRESS_BYTES];
    uint8_t other[RAIM_KEY_BYTES];
    struct server_address address = {.port = play->port};
    const struct raim_client_end end =
        client != NULL ? raim_client_get_end(client) : (struct raim_client_end){0};
    snprintf(address.host, sizeof address.host, "%s", play->host);
    server_address_write(&address, where);
    play->end = end_text_of(&(struct end_text_case){
        .where = where,
        .is_resolved = client != NULL && !raim_link_is_unresolved(play->link),
        .was_entered = play->entered_s > 0,
        .had_password = play->password[0] != '\0',
        .had_access = play->access_size > 0,
        .shows_other_key = client != NULL && raim_link_other_key(play->link, other),
        .reason = end.reason,
        .text = end.text,
    });
    const char *problem = platform_network_problem();
    if (problem != NULL && end.reason == RAIM_REASON_LOST)
        snprintf(play->end.text, sizeof play->end.text, "%s.", problem);
    platform_say(play->end.title);
    platform_say(play->end.text);
    play->state = RAIM_CLIENT_ENDED;
    play->end_reason = end.reason;
    play->retry_s = play->end.retry_s > 0 ? play->now_s + play->end.retry_s : 0;
}

static void connect(struct play *play)
{
    struct raim_client_def def = raim_client_default_def();
    def.name = play->name;
    def.access = play->access;
    def.access_size = play->access_size;
    def.admin_key = play->has_admin_key ? play->admin_key : NULL;
    def.password = play->password[0] != '\0' ? play->password : NULL;
    def.require_encryption = play->require_encryption;
    def.small_datagrams = platform_has_small_datagrams();
    def.watch = play->watch;
    def.target = play->target;
    def.connect_timeout_s =
        play->connect_timeout_s > 0 ? play->connect_timeout_s : connect_timeout_s;
    raim_link_close(play->link);
    play->link = NULL;
    if (raim_known_server_find(&play->known,
                               play->known_servers[0] != '\0' ? play->known_servers : NULL,
                               play->host, play->port)) {
        def.server_key = play->known.has_key ? play->known.key : NULL;
        play->link = raim_link_open(play->host, play->port, &def);
    }
    if (play->link != NULL)
        raim_link_start_thread(play->link); // where there are no threads, play_update serves it
    play->state = RAIM_CLIENT_CONNECTING;
    play->retry_s = 0;
    if (play->link == NULL)
        note_end(play, NULL);
    play->picture->map = NULL;
    camera_clear(&play->camera);
    memset(&play->effects, 0, sizeof play->effects);
    memset(&play->netgraph, 0, sizeof play->netgraph);
    play->entered_s = 0;
    play->hits = 0;
    play->entries = 0;
    play->motd[0] = '\0';
    play->winner = (struct hud_person){0};
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
    play->has_admin_key = def->admin_key != NULL;
    if (play->has_admin_key)
        memcpy(play->admin_key, def->admin_key, sizeof play->admin_key);
    play->port = def->port;
    if (def->password != NULL)
        snprintf(play->password, sizeof play->password, "%s", def->password);
    play->require_encryption = def->require_encryption;
    play->connect_timeout_s = def->connect_timeout_s;
    if (def->known_servers != NULL)
        snprintf(play->known_servers, sizeof play->known_servers, "%s", def->known_servers);
    else if (!raim_known_servers_keeps(def->host) ||
             !raim_known_servers_path(play->known_servers, sizeof play->known_servers))
        play->known_servers[0] = '\0';
    play->window = def->window;
    play->preferences = def->preferences;
    play->bindings = &def->preferences->bindings;
    play->frames = def->frames;
    play->now_s = def->now_s;
    play->watch = def->watch;
    play->picture = calloc(1, sizeof *play->picture);
    play->before = calloc(1, sizeof *play->before);
    if (play->picture == NULL || play->before == NULL) {
        play_close(play, &play->goodbye);
        return NULL;
    }
    connect(play);
    return play;
}

bool goodbye_is_done(struct goodbye *goodbye, double now_s)
{
    if (goodbye->link == NULL)
        return true;
    if (goodbye->until_s == 0)
        goodbye->until_s = now_s + goodbye_s;
    raim_link_serve(goodbye->link);
    if (now_s < goodbye->until_s && raim_link_is_open(goodbye->link))
        return false;
    goodbye_end(goodbye);
    return true;
}

void goodbye_end(struct goodbye *goodbye)
{
    raim_link_close(goodbye->link);
    *goodbye = (struct goodbye){0};
}

// Begins to say goodbye to the server.
static void leave(struct play *play, struct goodbye *goodbye)
{
    if (play->link == NULL)
        return;
    goodbye_end(goodbye);
    goodbye->link = play->link;
    play->link = NULL;
    raim_link_leave(goodbye->link);
}

void play_close(struct play *play, struct goodbye *goodbye)
{
    if (play == NULL)
        return;
    leave(play, goodbye);
    if (goodbye != &play->goodbye)
        goodbye_end(&play->goodbye);
    camera_clear(&play->camera);
    window_take_text(play->window, false);
    window_take_fingers(play->window, false);
    window_show_pointer(play->window, true);
    free(play->picture);
    free(play->before);
    raim_link_wipe(play->password, sizeof play->password);
    raim_link_wipe(&play->entry, sizeof play->entry);
    free(play);
}

bool play_wants_arena(const struct play *play)
{
    if (play->link == NULL)
        return play->goodbye.link == NULL;
    if (play->state == RAIM_CLIENT_ENDED)
        return matchmaker_requeues(play->end_reason);
    const struct raim_client *client = raim_link_client(play->link);
    const double patience_s = raim_client_get_phase(client).kind == RAIM_CLIENT_BREAK
                                  ? MATCHMAKER_BREAK_PATIENCE_S
                                  : MATCHMAKER_PATIENCE_S;
    return play->state == RAIM_CLIENT_RESUMING && play->now_s > play->lost_at_s + patience_s;
}

bool play_was_entered(const struct play *play)
{
    return play->entered_s > 0;
}

double play_round_trip_ms(const struct play *play)
{
    return play->round_trip_ms;
}

struct raim_link *play_link(const struct play *play)
{
    return play->link;
}

raim_vec2 play_view(const struct play *play)
{
    return play->picture->map != NULL ? play->picture->view : default_view;
}

bool play_shows_table(const struct play *play)
{
    if (play->state != RAIM_CLIENT_PLAYING)
        return false;
    return bindings_are_held(play->bindings, ACTION_SCORES, play->window) ||
           (play->controls.touch.is_used && play->controls.touch.shows_scores) ||
           play->scoreboard.phase.kind == RAIM_CLIENT_BREAK;
}

static bool may_vote(const struct play *play)
{
    return play->state == RAIM_CLIENT_PLAYING && play->votes.kinds != 0;
}

static void open_layer(struct play *play, enum layer layer)
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
}

// Connects again, as a player, once the goodbye is over.
static void join(struct play *play)
{
    play->watch = false;
    play->state = RAIM_CLIENT_CONNECTING;
    leave(play, &play->goodbye);
}

static enum play_wish handle_menu(struct play *play, const struct window_event *event)
{
    switch (pause_menu_handle(&play->pause, play->preferences, event)) {
    case PAUSE_ON:
        break;
    case PAUSE_RESUME:
        open_layer(play, LAYER_NONE);
        break;
    case PAUSE_LEAVE:
        return PLAY_LEAVE;
    case PAUSE_OTHER:
        open_layer(play, play->watch ? LAYER_NONE : LAYER_VOTE);
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
        open_layer(play, play->vote_menu.kind == 0 ? LAYER_MENU : LAYER_VOTE);
        break;
    case VOTE_MENU_CALL:
        if (play->link != NULL)
            raim_link_call_vote(play->link, &call);
        open_layer(play, LAYER_NONE);
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
    const bool is_tapped = event->clicked && play->controls.touch.is_used;
    if (event->command == COMMAND_ACCEPT || event->command == COMMAND_BACK || is_tapped)
        open_layer(play, LAYER_NONE);
}

// The way to another player in the order of the scores by which a spectator's press leads; 0: none.
static int way_to_target(const struct play *play, const struct window_event *event)
{
    if (!play->watch)
        return 0;
    if (play->controls.touch.is_used && event->command == COMMAND_ACCEPT)
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
        open_layer(play, LAYER_MENU);
    else if (bindings_triggers(play->bindings, ACTION_CHAT, event->button))
        open_layer(play, LAYER_CHAT);
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
    open_layer(play, LAYER_NONE);
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
        connect(play);
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

static raim_player_id own_id(const struct raim_client *client)
{
    if (raim_client_is_spectator(client))
        return RAIM_NOBODY;
    return raim_client_get_roster_entry(client, raim_client_own_slot(client))->id;
}

static void copy_names(struct play *play, const struct raim_client *client)
{
    for (uint32_t slot = 0; slot < raim_client_max_players(client); slot++) {
        const struct raim_client_roster_entry *member = raim_client_get_roster_entry(client, slot);
        if (member->id != RAIM_NOBODY)
            memcpy(play->names[slot], member->name, sizeof member->name);
    }
}

static struct hud_person person(const struct play *play, raim_player_id id)
{
    struct hud_person person = {.id = id};
    if (id != RAIM_NOBODY)
        snprintf(person.name, sizeof person.name, "%s", play->names[raim_player_slot(id)]);
    return person;
}

static void note_killer(struct play *play, struct hud_person killer, double now)
{
    play->hurt_at_s = now;
    play->killer = killer;
    play->has_killer_at = false;
    for (uint32_t i = 0; i < play->picture->player_count; i++) {
        if (play->picture->players[i].id == killer.id) {
            play->killer_at = play->picture->players[i].position;
            play->has_killer_at = true;
        }
    }
}

static void handle_kill(struct play *play, const struct raim_client_event *event,
                        raim_player_id own, double now)
{
    struct kill_feed_line line = {
        .born_s = now,
        .own = own != RAIM_NOBODY && (event->player == own || event->victim == own),
        .first = person(play, event->player),
        .second = person(play, event->victim),
        .text = "destroyed",
    };
    kill_feed_add(&play->kills, &line);
    effects_add_kill(&play->effects, event->victim, now);
    if (event->victim == own && own != RAIM_NOBODY)
        note_killer(play, line.first, now);
}

// Adds a line to the chat, and tells it.
static void add_chat(struct play *play, const struct kill_feed_line *line)
{
    char words[RAIM_MAX_NAME_BYTES + sizeof line->text + 2];
    snprintf(words, sizeof words, "%s%s%s", line->first.name,
             line->first.name[0] != '\0' ? ": " : "", line->text);
    kill_feed_add(&play->chat, line);
    platform_say(words);
}

static const char *words_for_chat_rejection(uint32_t rejection)
{
    static const char *const words[][2] = {
        {"rate", "Not sent: too many messages. Wait a second"},
        {"muted", "Not sent: the operator of this server has muted you"},
        {"text", "Not sent: there is nothing visible in your message"},
        {"length", "Not sent: your message is too long. Shorten it"},
        {"watching", "Not sent: spectators cannot chat. Join as a player"},
        {"busy", "Not sent: the server is busy. Try again"},
        {"repeat", "Not sent: you have just said that"},
        {"command", "Not sent: this server does not know this command"},
    };
    const char *name = raim_client_chat_rejection_name(rejection);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(name, words[i][0]) == 0)
            return words[i][1];
    return "Your message could not be sent";
}

static void handle_event(struct play *play, const struct raim_client_event *event,
                         raim_player_id own, double now)
{
    struct kill_feed_line line = {.born_s = now, .first = person(play, event->player)};
    switch (event->kind) {
    case RAIM_CLIENT_JOINED:
    case RAIM_CLIENT_LEFT:
        snprintf(line.text, sizeof line.text, "%s",
                 event->kind == RAIM_CLIENT_JOINED ? "joined" : "left");
        kill_feed_add(&play->kills, &line);
        break;
    case RAIM_CLIENT_KILL:
        handle_kill(play, event, own, now);
        break;
    case RAIM_CLIENT_CHAT:
        snprintf(line.text, sizeof line.text, "%s", event->text);
        add_chat(play, &line);
        sound_play_here(play->preferences->sound, SOUND_CHAT);
        break;
    case RAIM_CLIENT_PHASE: // drawn for as long as it lasts
        sound_play_here(play->preferences->sound, SOUND_ROUND);
        break;
    case RAIM_CLIENT_CHAT_REJECTED:
        snprintf(line.text, sizeof line.text, "%s",
                 words_for_chat_rejection(event->chat_rejection));
        line.is_notice = true;
        add_chat(play, &line);
        break;
    case RAIM_CLIENT_VOTE_BEGAN:
        sound_play_here(play->preferences->sound, SOUND_CHAT);
        break;
    case RAIM_CLIENT_VOTE_ENDED: // drawn by the panel
        break;
    case RAIM_CLIENT_VOTE_REJECTED:
    case RAIM_CLIENT_NOTICE:
        snprintf(line.text, sizeof line.text, "%s", event->text);
        line.is_notice = true;
        add_chat(play, &line);
        break;
    }
}

// Shows the message of the day as a chat line of the server, at first and after each change.
static void show_motd(struct play *play, const struct raim_client *client, double now)
{
    const char *motd = raim_client_motd(client);
    if (strcmp(motd, play->motd) == 0)
        return;
    struct kill_feed_line line = {.born_s = now, .first = person(play, RAIM_NOBODY)};
    snprintf(play->motd, sizeof play->motd, "%s", motd);
    snprintf(line.text, sizeof line.text, "%s", motd);
    if (motd[0] != '\0')
        add_chat(play, &line);
}

// Stores the winner's name, because the winner may leave before the break is over.
static void note_winner(struct play *play, const struct raim_client *client)
{
    const struct raim_client_phase phase = raim_client_get_phase(client);
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
    const uint64_t hits = raim_client_get_stats(client)->hits;
    if (hits > play->hits) {
        play->hit_at_s = now;
        sound_play_here(play->preferences->sound, SOUND_HIT);
    }
    play->hits = hits;
}

// Sets the input that the link's thread sends from now on. It sends a press even if that is
// released before the next tick.
static void set_input(struct play *play)
{
    const struct viewport viewport = viewport_fit(play_view(play), window_size(play->window));
    raim_input input = controls_read(&play->controls, play->window, play->bindings, &viewport);
    if (play->layer != LAYER_NONE)
        input = (raim_input){.aim = input.aim};
    raim_link_set_input(play->link, &input);
    controls_clear_latch(&play->controls);
}

static void note_state(struct play *play, const struct raim_client *client, double now)
{
    const enum raim_client_state state = raim_client_get_state(client);
    play->awaits_restart = raim_client_awaits_restart(client);
    if (state == play->state)
        return;
    if (state == RAIM_CLIENT_PLAYING) {
        play->entered_s = play->entered_s == 0 ? now : play->entered_s;
        play->end = (struct end_text){0};
    }
    if (state == RAIM_CLIENT_RESUMING)
        play->lost_at_s = now;
    play->state = state;
    if (state == RAIM_CLIENT_ENDED) {
        note_end(play, client);
        const bool is_asked =
            play->end_reason == RAIM_REASON_PASSWORD || play->end_reason == RAIM_REASON_ACCESS;
        open_layer(play, is_asked ? LAYER_CREDENTIAL : LAYER_NONE);
    }
}

// Switches to the map of a new arena as soon as there is something to draw in it. Until then the
// last picture stays.
static void enter_arena(struct play *play, const struct raim_client *client)
{
    const uint64_t entries = raim_client_get_stats(client)->entries;
    if (entries == play->entries || !raim_client_can_draw(client))
        return;
    play->entries = entries;
    play->picture->map = play->before->map = NULL;
    memset(&play->effects, 0, sizeof play->effects);
    play->heard = 0;
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
        play->heard = sound_play_effects(play->preferences->sound, &play->effects, play->heard,
                                         play->picture);
    }
}

void play_update(struct play *play, uint64_t now_us)
{
    play->now_s = (double)now_us * 1e-6;
    window_take_fingers(play->window, play->layer == LAYER_NONE);
    play->controls.touch.has_vote = vote_panel_is_shown(&play->votes, play->now_s);
    if (play->goodbye.link != NULL && goodbye_is_done(&play->goodbye, play->now_s))
        connect(play);
    if (play->retry_s > 0 && play->now_s >= play->retry_s)
        connect(play);
    if (play->link == NULL)
        return;
    raim_link_serve(play->link);
    raim_link_lock(play->link);
    note_state(play, raim_link_client(play->link), play->now_s);
    raim_link_unlock(play->link);
    play->is_deriving = raim_link_is_deriving(play->link);
    raim_known_server_update(&play->known, play->link);
    set_input(play);
}

void play_look(struct play *play, uint64_t now_us)
{
    play_update(play, now_us);
    if (play->state != RAIM_CLIENT_PLAYING)
        return;
    const double now = play->now_s;
    struct raim_client *client = raim_link_client(play->link);
    raim_link_lock(play->link);
    if (raim_client_get_state(client) != RAIM_CLIENT_PLAYING) { // since a moment ago
        raim_link_unlock(play->link);
        return;
    }
    raim_client_interpolate(client, now_us);
    handle_all_events(play, client, now);
    take_picture(play, client, now);
    scoreboard_take(&play->scoreboard, client);
    vote_panel_take(&play->votes, client, now_us, now);
    const struct raim_client_quality quality = raim_client_get_quality(client);
    raim_link_unlock(play->link);
    play->round_trip_ms = quality.round_trip_ms;
    netgraph_look(&play->netgraph, now, &quality, play->frames);
}
