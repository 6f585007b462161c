// SPDX-License-Identifier: MIT
// Handles the home screen, and asks the servers.
#include "home.h"

#include "arenas.h"
#include "browser.h"
#include "form.h"
#include "hud.h"
#include "menu.h"
#include "palette.h"
#include "platform.h"
#include "recordings.h"
#include "settings_screen.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Items of the form. Where none of them has the focus, the list has it.
enum item {
    ITEM_NAME,
    ITEM_RECORDINGS,
    ITEM_SETTINGS,
    ITEM_QUIT,
    ITEM_ADDRESS,
    ITEM_PLAY,
    ITEM_SPECTATE,
    ITEM_SEARCH,
    ITEMS
};

// Columns of the list; a click on the first and on the last one does not play.
enum column { COLUMN_STAR, COLUMN_PLAY, COLUMN_SPECTATE };

struct home {
    struct preferences *preferences;
    struct browser *browser;
    char host[SERVER_HOST_BYTES];
    struct arenas *arenas; // the request under way; NULL: none
    double next_arenas_s;
    struct form form;
    struct entry name, address;
    struct server_address chosen;
    char problem[160];
    struct list list;
    bool is_in_settings, is_in_recordings;
    struct settings_screen settings;
    struct recordings_screen recordings;
    const char *recording;     // that was chosen
    double star_x, spectate_x; // where the columns of the list were drawn, pixels
};

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
                [ITEM_QUIT] = {.label = "Quit", .is_hidden = !platform_can_quit()},
                [ITEM_ADDRESS] = {.label = "Address of a server",
                                  .entry = &home->address,
                                  .most = SERVER_ADDRESS_BYTES - 1},
                [ITEM_PLAY] = {.label = "Play", .is_main = true},
                [ITEM_SPECTATE] = {.label = "Spectate"},
                [ITEM_SEARCH] = {.label = "Find an arena",
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
    if (platform_network_problem() != NULL)
        snprintf(home->problem, sizeof home->problem, "%s", platform_network_problem());
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

static bool home_is_favourite(const struct home *home, const char *address)
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
    if (home->arenas == NULL && home->host[0] != '\0' && now_s >= home->next_arenas_s) {
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

static const double row_points = 30, width_points = 940;

// Points of the page or desktop that a finger hits.
static const double finger_points = 40;

static void draw_title(const struct ui *ui, double top)
{
    const double unit = ui->unit;
    const raim_vec2 at = {(ui->area.min.x + ui->area.max.x) / 2, top};
    const struct text_style style = {
        .size = 56 * unit, .weight = TEXT_BOLD, .colour = PALETTE_WHITE};
    const double width = text_width(ui->text, &style, "raim");
    const raim_vec2 disc = {at.x - width / 2 - 30 * unit, at.y + 36 * unit};
    const draw_colour colour = palette_player(0);
    draw_glow(ui->draw, disc, 60 * unit, draw_faded(colour, 0.25));
    draw_line(ui->draw, disc, (raim_vec2){disc.x + 29 * unit, disc.y}, 10 * unit, colour, colour);
    draw_disc(ui->draw, disc, 20 * unit, PALETTE_WHITE);
    draw_disc(ui->draw, disc, 18 * unit, colour);
    text_write(ui->text, (raim_vec2){at.x - width / 2 + 12 * unit, at.y}, &style, "raim");
}

static void draw_star(const struct ui *ui, raim_vec2 centre, double radius, bool full)
{
    enum { POINTS = 5 };
    static const double pi = 3.14159265358979323846;
    raim_vec2 corners[2 * POINTS + 1];
    for (int i = 0; i <= 2 * POINTS; i++) {
        const double angle = pi * i / POINTS - pi / 2;
        corners[i] = raim_vec2_mad(centre, (raim_vec2){cos(angle), sin(angle)},
                                   i % 2 == 0 ? radius : 0.45 * radius);
    }
    const draw_colour colour = full ? palette_player(3) : PALETTE_QUIET;
    for (int i = 0; i < 2 * POINTS && full; i++)
        draw_triangle(ui->draw, (raim_vec2[3]){centre, corners[i], corners[i + 1]}, colour);
    draw_curve(ui->draw, corners, 2 * POINTS + 1, 1.2 * ui->unit, colour);
}

static void draw_lock(const struct ui *ui, raim_vec2 centre)
{
    const double unit = ui->unit;
    draw_box(ui->draw,
             (raim_box){{centre.x - 5 * unit, centre.y - unit},
                        {centre.x + 5 * unit, centre.y + 7 * unit}},
             PALETTE_SHIELD);
    draw_arc(ui->draw, (raim_vec2){centre.x, centre.y - unit}, 3.5 * unit, 1.6 * unit, 3.1416,
             6.2832, PALETTE_SHIELD);
}

// The left ends of the columns as parts of the list's width.
static const double name_at = 0.045, map_at = 0.44, players_at = 0.58, ping_at = 0.83,
                    lock_at = 0.855, spectate_at = 0.885;

static void write_players(const struct browser_row *row, char *words, size_t capacity)
{
    const struct raim_server_info *info = &row->found->info;
    int length = snprintf(words, capacity, "%u of %u", info->players, info->most_players);
    if (info->bots > 0)
        snprintf(words + length, capacity - (size_t)length, ", %u bot%s", info->bots,
                 info->bots == 1 ? "" : "s");
}

// Writes a server's name, followed by its address: a long name is cut, so that none can hide
// where it leads.
static void write_name(const struct ui *ui, const struct browser_row *row, raim_vec2 top,
                       const struct text_style *style, double arena)
{
    char address[SERVER_ADDRESS_BYTES + 8];
    if (!row->found->answers) {
        text_write_within(ui->text, top, style, row->address, arena);
        return;
    }
    snprintf(address, sizeof address, "  (%s)", row->address);
    const double width = fmin(text_width(ui->text, style, address), arena / 2);
    top.x += text_write_within(ui->text, top, style, row->found->info.name, arena - width);
    text_write_within(ui->text, top, style, address, width);
}

static void draw_row(const struct home *home, const struct ui *ui, const struct browser_row *row,
                     raim_box box, bool chosen)
{
    const double unit = ui->unit, width = box.max.x - box.min.x;
    const double middle = (box.min.y + box.max.y) / 2;
    char words[64];
    if (chosen)
        draw_panel(ui->draw, box, 6 * unit, PALETTE_CHOSEN);
    draw_star(ui, (raim_vec2){box.min.x + 0.022 * width, middle}, 8 * unit,
              home_is_favourite(home, row->address));
    struct text_style style = {.size = 16 * unit,
                               .weight = chosen ? TEXT_BOLD : TEXT_PLAIN,
                               .colour = row->found->answers ? PALETTE_WHITE : PALETTE_QUIET};
    const double y = middle - text_height(&style) / 2;
    write_name(ui, row, (raim_vec2){box.min.x + name_at * width, y}, &style,
               (map_at - name_at - 0.01) * width);
    style.weight = TEXT_PLAIN;
    style.colour = chosen ? PALETTE_WHITE : PALETTE_TEXT;
    if (!row->found->answers) {
        text_write_within(ui->text, (raim_vec2){box.min.x + map_at * width, y}, &style,
                          row->is_unknown ? "no such host" : "no answer",
                          (players_at - map_at) * width);
    } else {
        text_write_within(ui->text, (raim_vec2){box.min.x + map_at * width, y}, &style,
                          row->found->info.map, (players_at - map_at - 0.01) * width);
        write_players(row, words, sizeof words);
        text_write_within(ui->text, (raim_vec2){box.min.x + players_at * width, y}, &style, words,
                          (ping_at - players_at - 0.07) * width);
        style.align = TEXT_RIGHT;
        snprintf(words, sizeof words, row->found->ping_ms < 1 ? "< 1 ms" : "%.0f ms",
                 row->found->ping_ms);
        if (row->found->ping_ms >= 0)
            text_write(ui->text, (raim_vec2){box.min.x + ping_at * width, y}, &style, words);
        if (row->found->info.locked)
            draw_lock(ui, (raim_vec2){box.min.x + lock_at * width, middle});
    }
    style.align = TEXT_CENTRE;
    style.colour = chosen ? PALETTE_WHITE : PALETTE_QUIET;
    text_write_within(ui->text, (raim_vec2){box.min.x + (spectate_at + 1) / 2 * width, y}, &style,
                      "Spectate", (1 - spectate_at) * width);
}

static void draw_headings(const struct ui *ui, raim_box list)
{
    const double width = list.max.x - list.min.x, y = list.min.y - 22 * ui->unit;
    struct text_style style = {.size = 14 * ui->unit, .colour = PALETTE_QUIET};
    text_write(ui->text, (raim_vec2){list.min.x + name_at * width, y}, &style, "Server");
    text_write(ui->text, (raim_vec2){list.min.x + map_at * width, y}, &style, "Map");
    text_write(ui->text, (raim_vec2){list.min.x + players_at * width, y}, &style, "Players");
    style.align = TEXT_RIGHT;
    text_write(ui->text, (raim_vec2){list.min.x + ping_at * width, y}, &style, "Ping");
}

static void draw_list(struct home *home, const struct ui *ui, raim_box list)
{
    const double unit = ui->unit, width = list.max.x - list.min.x;
    const struct window *window = home->preferences->window;
    const double least =
        window_has_fingers(window) ? finger_points * window_pixel_ratio(window) : 0;
    home->list.count = browser_count(home->browser);
    list_lay_out(&home->list, list, fmax(row_points * unit, least));
    home->star_x = list.min.x + name_at * width;
    home->spectate_x = list.min.x + spectate_at * width;
    draw_panel(ui->draw,
               (raim_box){{list.min.x - 10 * unit, list.min.y - 28 * unit},
                          {list.max.x + 10 * unit, list.max.y + 6 * unit}},
               10 * unit, PALETTE_SHEET);
    draw_headings(ui, list);
    for (int i = home->list.first; i < home->list.first + home->list.shown; i++) {
        raim_box row = list_row(&home->list, i);
        row.max.y -= 2 * unit;
        draw_row(home, ui, browser_at(home->browser, i), row,
                 home->form.focus == ITEMS && i == home->list.selected);
    }
    const struct text_style style = {
        .size = 16 * unit, .align = TEXT_CENTRE, .colour = PALETTE_TEXT};
    if (home->list.count == 0)
        text_write_wrapped(ui->text,
                           (raim_vec2){(list.min.x + list.max.x) / 2, list.min.y + 30 * unit},
                           &style, browser_words(), width * 0.8);
}

static void place(struct home *home, enum item item, double left, double top, double right,
                  double bottom)
{
    home->form.items[item].box = (raim_box){{left, top}, {right, bottom}};
}

static void place_form(struct home *home, double unit, double left, double right, double top)
{
    static const enum item first_row[] = {ITEM_QUIT, ITEM_SETTINGS, ITEM_RECORDINGS},
                           second_row[] = {ITEM_SEARCH, ITEM_SPECTATE, ITEM_PLAY};
    const double height = 36 * unit, gap = 10 * unit, wide = 110 * unit;
    const double second = top + height + 32 * unit;
    double x = right;
    place(home, ITEM_NAME, left, top, left + 330 * unit, top + height);
    for (int i = 0; i < 3; i++) {
        place(home, first_row[i], x - wide, top, x, top + height);
        if (!home->form.items[first_row[i]].is_hidden)
            x -= wide + gap;
    }
    x = right;
    for (int i = 0; i < 3; i++) {
        place(home, second_row[i], x - wide, second, x, second + height);
        if (!home->form.items[second_row[i]].is_hidden)
            x -= wide + gap;
    }
    place(home, ITEM_ADDRESS, left, second, x, second + height);
}

void home_draw(struct home *home, const struct ui *given, double now_s)
{
    struct ui ui = *given;
    const raim_vec2 size = raim_vec2_sub(ui.area.max, ui.area.min);
    // Everything fits in 760 by 560 units, and the size of the text is chosen in the settings.
    ui.unit = fmax(fmin(size.x / 1280, size.y / 720),
                   0.8 * window_pixel_ratio(home->preferences->window)) *
              home->preferences->settings.ui_scale;
    ui.unit = fmax(fmin(ui.unit, fmin(size.x / 760, size.y / 560)), 0.3);
    const double unit = ui.unit, margin = 24 * unit;
    const double half = fmin(width_points * unit, size.x - 2 * margin) / 2;
    const double middle = (ui.area.min.x + ui.area.max.x) / 2;
    const double top = ui.area.min.y + 106 * unit;
    draw_box(ui.draw, ui.area, PALETTE_DARK);
    draw_title(&ui, ui.area.min.y + 12 * unit);
    place_form(home, unit, middle - half, middle + half, top);
    form_draw(&home->form, &ui, window_mouse(home->preferences->window), now_s);
    const raim_box list = {{middle - half + 10 * unit, top + 154 * unit},
                           {middle + half - 10 * unit, ui.area.max.y - 50 * unit}};
    draw_list(home, &ui, list);
    const struct text_style hint = {.size = 15 * unit,
                                    .align = TEXT_CENTRE,
                                    .colour =
                                        home->problem[0] != '\0' ? PALETTE_BAD : PALETTE_QUIET};
    text_write_within(
        ui.text, (raim_vec2){middle, ui.area.max.y - 32 * unit}, &hint,
        home->problem[0] != '\0' ? home->problem
        : window_has_fingers(home->preferences->window)
            ? "Tap a server: play"
            : "Enter: play     Tab: next field     left: favourite     right: spectate",
        2 * half);
    if (home->is_in_settings || home->is_in_recordings)
        hud_veil(&ui);
    if (home->is_in_settings)
        settings_screen_draw(&home->settings, &ui);
    else if (home->is_in_recordings)
        recordings_screen_draw(&home->recordings, &ui);
}
