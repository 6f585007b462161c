// SPDX-License-Identifier: MIT
// Handles the home screen, and asks the servers.
#include "home.h"

#include "arenas.h"
#include "home_internal.h"
#include "platform.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double arenas_s = 5; // between two requests for a host's arenas

static void show_servers(struct home *home)
{
    const struct servers *servers = &home->preferences->servers;
    struct server_address address;
    for (int i = 0; i < servers->count; i++)
        if (server_address_read(servers->entries[i].address, &address))
            browser_add(home->browser, &address, true);
}

// A name to begin with, which others can tell from those of other newcomers.
static void suggest_name(struct settings *settings)
{
    snprintf(settings->name, sizeof settings->name, "Player %u", platform_random() % 900 + 100);
}

static void fill_form(struct home *home, bool has_matchmaker)
{
    home->form = (struct form){
        .count = ITEMS,
        .focus = ITEMS,
        .items =
            {
                [ITEM_NAME] = {.label = "Your name",
                               .entry = &home->name,
                               .most = RAIM_MAX_NAME_BYTES},
                [ITEM_RECORDINGS] = {.label = "Recordings"},
                [ITEM_SETTINGS] = {.label = "Settings"},
                [ITEM_QUIT] = {.label = "Quit"},
                [ITEM_ADDRESS] = {.label = "Address of a server",
                                  .entry = &home->address,
                                  .most = SERVER_ADDRESS_BYTES - 1},
                [ITEM_PLAY] = {.label = "Play", .is_main = true},
                [ITEM_SPECTATE] = {.label = "Spectate"},
                [ITEM_SEARCH] = {.label = "Find a room",
                                 .is_main = true,
                                 .is_hidden = !has_matchmaker},
            },
    };
}

static void open_recordings(struct home *home)
{
    recordings_screen_open(&home->recordings, home->preferences);
    home->is_in_recordings = true;
}

struct home *home_open(const struct home_def *def)
{
    struct home *home = calloc(1, sizeof *home);
    if (home == NULL)
        return NULL;
    struct settings *settings = &def->preferences->settings;
    home->preferences = def->preferences;
    fill_form(home, def->has_matchmaker);
    snprintf(home->host, sizeof home->host, "%s", def->host);
    home->browser = browser_open();
    if (home->browser == NULL) {
        home_close(home);
        return NULL;
    }
    if (settings->name[0] == '\0')
        suggest_name(settings);
    entry_set(&home->name, settings->name);
    if (def->shows_recordings)
        open_recordings(home);
    show_servers(home);
    browser_scan(home->browser, home->host);
    for (int i = 0; i < def->master_count; i++)
        browser_add_master(home->browser, &def->masters[i]);
    if (def->preferences->servers.count > 0)
        entry_set(&home->address, def->preferences->servers.entries[0].address);
    return home;
}

void home_close(struct home *home)
{
    if (home == NULL)
        return;
    window_take_text(home->preferences->window, false);
    arenas_destroy(home->arenas);
    browser_close(home->browser);
    free(home);
}

const char *home_recording(const struct home *home)
{
    return home->recording;
}

void home_report(struct home *home, const char *problem)
{
    snprintf(home->recordings.problem, sizeof home->recordings.problem, "%s", problem);
}

struct server_address home_server(const struct home *home)
{
    return home->chosen;
}

static const struct browser_row *selected_row(const struct home *home)
{
    return browser_at(home->browser, home->list.selected);
}

bool home_is_favourite(const struct home *home, const char *address)
{
    const struct servers *servers = &home->preferences->servers;
    const int index = servers_find(servers, address);
    return index >= 0 && servers->entries[index].favourite;
}

static void toggle_favourite(struct home *home, const char *address)
{
    struct server_address listed;
    servers_set_favourite(&home->preferences->servers, address, !home_is_favourite(home, address));
    if (server_address_read(address, &listed))
        browser_add(home->browser, &listed, true);
    preferences_save_servers(home->preferences);
}

static enum home_wish choose(struct home *home, const char *text, enum home_wish wish)
{
    if (!server_address_read(text, &home->chosen)) {
        snprintf(home->problem, sizeof home->problem,
                 text[0] == '\0'
                     ? "Type the address of a server, or choose one below"
                     : "An address is HOST or HOST:PORT, such as play.example.org:7246");
        form_focus(&home->form, ITEM_ADDRESS);
        return HOME_STAY;
    }
    preferences_save_settings(home->preferences);
    return wish;
}

static enum home_wish choose_row(struct home *home, enum column column)
{
    const struct browser_row *row = selected_row(home);
    if (row == NULL)
        return HOME_STAY;
    if (column == COLUMN_STAR) {
        toggle_favourite(home, row->address);
        return HOME_STAY;
    }
    return choose(home, row->address, column == COLUMN_PLAY ? HOME_PLAY : HOME_SPECTATE);
}

static enum home_wish press(struct home *home, enum item item)
{
    switch (item) {
    case ITEM_RECORDINGS:
        open_recordings(home);
        return HOME_STAY;
    case ITEM_SETTINGS:
        settings_screen_open(&home->settings, home->preferences);
        home->is_in_settings = true;
        return HOME_STAY;
    case ITEM_QUIT:
        preferences_save_settings(home->preferences);
        return HOME_QUIT;
    case ITEM_ADDRESS:
    case ITEM_PLAY:
        return choose(home, home->address.text, HOME_PLAY);
    case ITEM_SPECTATE:
        return choose(home, home->address.text, HOME_SPECTATE);
    case ITEM_SEARCH:
        return HOME_SEARCH;
    case ITEM_NAME:
        form_focus(&home->form, ITEMS);
        return HOME_STAY;
    case ITEMS:
        break;
    }
    return HOME_STAY;
}

static void copy_name(struct home *home)
{
    snprintf(home->preferences->settings.name, sizeof home->preferences->settings.name, "%.*s",
             RAIM_MAX_NAME_BYTES, home->name.text);
}

// Handles a key while the list has the focus, or one that gives it the focus.
static enum home_wish handle_command(struct home *home, enum window_command command)
{
    if (command == COMMAND_BACK) {
        form_focus(&home->form, ITEMS);
        home->problem[0] = '\0';
    } else if (command == COMMAND_DOWN) {
        list_move(&home->list, 1);
    } else if (command == COMMAND_UP && !list_move(&home->list, -1)) {
        form_focus(&home->form, ITEM_ADDRESS);
    }
    return command == COMMAND_LEFT     ? choose_row(home, COLUMN_STAR)
           : command == COMMAND_RIGHT  ? choose_row(home, COLUMN_SPECTATE)
           : command == COMMAND_ACCEPT ? choose_row(home, COLUMN_PLAY)
                                       : HOME_STAY;
}

static enum home_wish click_list(struct home *home, raim_vec2 mouse)
{
    const int under = list_at(&home->list, mouse);
    if (under == LIST_NOTHING)
        return HOME_STAY;
    form_focus(&home->form, ITEMS);
    home->list.selected = under;
    return choose_row(home, mouse.x < home->star_x       ? COLUMN_STAR
                            : mouse.x > home->spectate_x ? COLUMN_SPECTATE
                                                         : COLUMN_PLAY);
}

static enum home_wish handle_home(struct home *home, const struct window_event *event)
{
    const int item = form_handle(&home->form, event);
    if (event->kind == WINDOW_TYPED)
        home->problem[0] = '\0';
    if (event->kind == WINDOW_CLOSED)
        return press(home, ITEM_QUIT);
    if (item >= 0)
        return press(home, (enum item)item);
    if (event->kind == WINDOW_POINTED && !form_is_typing(&home->form)) {
        const int under = list_at(&home->list, window_mouse(home->preferences->window));
        if (under != LIST_NOTHING) {
            home->list.selected = under;
            form_focus(&home->form, ITEMS);
        }
    }
    if (item == FORM_NOTHING || event->kind != WINDOW_PRESSED)
        return HOME_STAY;
    return event->clicked ? click_list(home, event->mouse) : handle_command(home, event->command);
}

static enum home_wish handle_recordings(struct home *home, const struct window_event *event)
{
    const int chosen =
        recordings_screen_handle(&home->recordings, home->preferences->window, event);
    if (chosen == RECORDINGS_SCREEN_BACK)
        home->is_in_recordings = false;
    if (chosen < 0)
        return HOME_STAY;
    home->recording = home->recordings.recordings.entries[chosen].path;
    return HOME_WATCH;
}

enum home_wish home_handle(struct home *home, const struct window_event *event)
{
    if (home->is_in_settings && event->kind != WINDOW_CLOSED) {
        home->is_in_settings = settings_screen_handle(&home->settings, event);
        return HOME_STAY;
    }
    if (home->is_in_recordings && event->kind != WINDOW_CLOSED)
        return handle_recordings(home, event);
    const enum home_wish wish = handle_home(home, event);
    copy_name(home);
    window_take_text(home->preferences->window, form_is_typing(&home->form));
    return wish;
}

// Asks the host for its arenas over HTTP, because they may use other ports. Without an answer the
// scan of the usual ports has to do.
static void update_arenas(struct home *home, double now_s)
{
    struct server_address address;
    if (home->arenas == NULL && now_s >= home->next_arenas_s) {
        home->next_arenas_s = now_s + arenas_s;
        home->arenas = arenas_ask(home->host);
    }
    if (home->arenas == NULL || arenas_poll(home->arenas) == ARENAS_ASKING)
        return;
    snprintf(address.host, sizeof address.host, "%s", home->host);
    for (int i = 0; i < arenas_count(home->arenas); i++) {
        address.port = arenas_at(home->arenas, i)->port;
        browser_add(home->browser, &address, false);
    }
    arenas_destroy(home->arenas);
    home->arenas = NULL;
}

void home_update(struct home *home, double now_s)
{
    update_arenas(home, now_s);
    browser_update(home->browser, now_s);
}
