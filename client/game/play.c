// SPDX-License-Identifier: MIT
// Plays in one arena: the connection, and what is shown at a moment.
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

void play_connect(struct play *play)
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
        if (platform_server_key(play->host, play->port, play->known.key))
            play->known.has_key = play->known.is_done = true; // nothing is to be stored
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
    play->round = UINT32_MAX;
    play->has_first_aim = false;
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
    play_connect(play);
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

void play_leave(struct play *play, struct goodbye *goodbye)
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
    play_leave(play, goodbye);
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
           (window_has_fingers(play->window) && play->controls.touch.shows_scores) ||
           play->scoreboard.phase.kind == RAIM_CLIENT_BREAK;
}

void play_learn(struct play *play, enum hint hint)
{
    if (play->state == RAIM_CLIENT_PLAYING && !play->watch &&
        hints_learn(play->preferences->settings.learned, hint))
        preferences_save_settings(play->preferences);
}

static void note_actions(struct play *play, const raim_input *input)
{
    if (!play->has_first_aim)
        play->first_aim = input->aim;
    play->has_first_aim = play->state == RAIM_CLIENT_PLAYING;
    if (input->move_x != 0 || input->move_y != 0)
        play_learn(play, HINT_MOVE);
    if (abs((int16_t)(input->aim - play->first_aim)) > RAIM_ANGLE_TURN / 16)
        play_learn(play, HINT_AIM);
    if (input->fire)
        play_learn(play, HINT_FIRE);
    if (bindings_are_held(play->bindings, ACTION_SCORES, play->window) ||
        play->controls.touch.shows_scores)
        play_learn(play, HINT_SCORES);
}

// Sets the input that the link's thread sends from now on. It sends a press even if that is
// released before the next tick.
static void set_input(struct play *play)
{
    const struct viewport viewport = viewport_fit(play_view(play), window_size(play->window));
    raim_input input = controls_read(&play->controls, play->window, play->bindings, &viewport);
    if (play->layer == LAYER_NONE)
        note_actions(play, &input);
    else
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
        play_open_layer(play, is_asked ? LAYER_CREDENTIAL : LAYER_NONE);
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
        play_connect(play);
    if (play->retry_s > 0 && play->now_s >= play->retry_s)
        play_connect(play);
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

static void take_summary(struct play *play, const struct raim_client *client)
{
    const struct scoreboard *scoreboard = &play->scoreboard;
    play->round_end[0] = '\0';
    if (scoreboard->phase.kind != RAIM_CLIENT_BREAK)
        return;
    summary_write_reason(&play->summary, scoreboard, play->round_end);
    summary_write_own(&play->summary, scoreboard, raim_client_get_stats(client), play->own_result);
    summary_write_best(&play->summary, scoreboard, play->best_result);
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
    play_take_events(play, client, now);
    take_picture(play, client, now);
    scoreboard_take(&play->scoreboard, client);
    take_summary(play, client);
    vote_panel_take(&play->votes, client, now_us, now);
    const struct raim_client_quality quality = raim_client_get_quality(client);
    raim_link_unlock(play->link);
    play->round_trip_ms = quality.round_trip_ms;
    netgraph_look(&play->netgraph, now, &quality, play->frames);
}
