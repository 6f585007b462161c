// SPDX-License-Identifier: MIT
// Shows the menu of a server's arenas, and refreshes it every few seconds.
#include "lobby.h"

#include "arenas.h"
#include "hud.h"
#include "menu.h"
#include "palette.h"

#include <stdio.h>
#include <stdlib.h>

static const double refresh_s = 3;

struct lobby {
    char host[256];
    struct arenas *known; // the list shown; NULL: none yet
    struct arenas *asked; // the request under way; NULL: none
    char problem[128];    // of the last request; "": none
    double next_s;        // when to send the next request
    struct menu menu;
};

struct lobby *lobby_open(const char *host)
{
    struct lobby *lobby = calloc(1, sizeof *lobby);
    if (lobby == NULL)
        return NULL;
    snprintf(lobby->host, sizeof lobby->host, "%s", host);
    return lobby;
}

void lobby_close(struct lobby *lobby)
{
    if (lobby == NULL)
        return;
    arenas_destroy(lobby->known);
    arenas_destroy(lobby->asked);
    free(lobby);
}

int lobby_handle(struct lobby *lobby, const struct window *window, const struct window_event *event)
{
    const int chosen = menu_handle(&lobby->menu, window, event);
    if (chosen == MENU_BACK)
        return LOBBY_QUIT;
    return chosen == MENU_NOTHING ? LOBBY_STAY : arenas_at(lobby->known, chosen)->port;
}

static void fill_menu(struct lobby *lobby)
{
    char detail[MENU_DETAIL_BYTES];
    lobby->menu.count = 0;
    for (int i = 0; i < arenas_count(lobby->known); i++) {
        const struct arenas_row *row = arenas_at(lobby->known, i);
        snprintf(detail, sizeof detail, "%s   %u player%s, %u bot%s", row->map, row->players,
                 row->players == 1 ? "" : "s", row->bots, row->bots == 1 ? "" : "s");
        menu_add(&lobby->menu, row->name, detail);
    }
}

static void ask(struct lobby *lobby, double now_s)
{
    if (lobby->asked == NULL && now_s >= lobby->next_s) {
        lobby->next_s = now_s + refresh_s;
        lobby->asked = arenas_ask(lobby->host);
    }
    if (lobby->asked == NULL)
        return;
    switch (arenas_poll(lobby->asked)) {
    case ARENAS_ASKING:
        return;
    case ARENAS_KNOWN:
        arenas_destroy(lobby->known);
        lobby->known = lobby->asked;
        lobby->problem[0] = '\0';
        fill_menu(lobby);
        break;
    case ARENAS_FAILED:
        snprintf(lobby->problem, sizeof lobby->problem, "%s", arenas_problem(lobby->asked));
        arenas_destroy(lobby->asked);
        break;
    }
    lobby->asked = NULL;
}

// Draws the name of the game, and a player that aims at it.
static void draw_title(const struct ui *ui)
{
    const double unit = ui->unit;
    const raim_vec2 at = {(ui->area.min.x + ui->area.max.x) / 2, ui->area.min.y + 60 * unit};
    const struct text_style style = {
        .size = 76 * unit, .weight = TEXT_BOLD, .colour = PALETTE_WHITE};
    const double width = text_width(ui->text, &style, "raim");
    const raim_vec2 disc = {at.x - width / 2 - 44 * unit, at.y + 48 * unit};
    const draw_colour colour = palette_player(0);
    draw_glow(ui->draw, disc, 80 * unit, draw_faded(colour, 0.25));
    draw_line(ui->draw, disc, (raim_vec2){disc.x + 38 * unit, disc.y}, 13 * unit, colour, colour);
    draw_disc(ui->draw, disc, 26 * unit, PALETTE_WHITE);
    draw_disc(ui->draw, disc, 23 * unit, colour);
    text_write(ui->text, (raim_vec2){at.x - width / 2 + 14 * unit, at.y}, &style, "raim");
}

void lobby_draw(struct lobby *lobby, const struct ui *ui, double now_s)
{
    char title[320];
    ask(lobby, now_s);
    draw_box(ui->draw, ui->area, PALETTE_DARK);
    snprintf(title, sizeof title, "Arenas of %s", lobby->host);
    const bool failed = lobby->problem[0] != '\0';
    const char *problem = failed ? lobby->problem : "Loading the list of arenas ...";
    if (lobby->known != NULL)
        menu_draw(&lobby->menu, ui, title, "Enter: play     Esc: quit     F11: full screen");
    else
        hud_notice(ui, &(struct hud_notice){title, problem, "Esc: quit"});
    draw_title(ui);
}
