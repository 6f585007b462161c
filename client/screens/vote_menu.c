// SPDX-License-Identifier: MIT
// Fills and handles the menu that calls a vote.
#include "vote_menu.h"

#include <stdio.h>
#include <string.h>

static const uint32_t minutes[] = {5, 10, 20, 30};

static const struct {
    const char *text, *detail;
} kinds[] = {
    [RAIM_CLIENT_VOTE_KICK] = {"Kick a player", "may not return for a while"},
    [RAIM_CLIENT_VOTE_MUTE] = {"Mute a player", "no chat for a while"},
    [RAIM_CLIENT_VOTE_MAP] = {"Change the map", "at once"},
    [RAIM_CLIENT_VOTE_NEXTMAP] = {"Next map", "ends the round"},
    [RAIM_CLIENT_VOTE_RESTART] = {"Restart the round", ""},
    [RAIM_CLIENT_VOTE_EXTEND] = {"Play longer", "puts off the end of the round"},
    [RAIM_CLIENT_VOTE_SPECTATE] = {"Let a player only watch", "for a while"},
    [RAIM_CLIENT_VOTE_PAUSE] = {"Pause, or end the pause", ""},
};

enum { KINDS = sizeof kinds / sizeof *kinds };

static bool has_player(enum raim_client_vote_kind kind)
{
    return kind == RAIM_CLIENT_VOTE_KICK || kind == RAIM_CLIENT_VOTE_MUTE ||
           kind == RAIM_CLIENT_VOTE_SPECTATE;
}

void vote_menu_open(struct vote_menu *menu, const struct vote_panel *panel)
{
    memset(menu, 0, sizeof *menu);
    for (uint32_t kind = 1; kind < KINDS; kind++) {
        if ((panel->kinds & UINT32_C(1) << kind) == 0)
            continue;
        menu->kinds[menu->menu.list.count] = kind;
        menu_add(&menu->menu, kinds[kind].text, kinds[kind].detail);
    }
}

// Lists what a kind of vote may be about. Returns false where it needs no such choice.
static bool list_subjects(struct vote_menu *menu, const struct vote_panel *panel,
                          const struct scoreboard *scoreboard)
{
    memset(&menu->menu, 0, sizeof menu->menu);
    for (uint32_t i = 0; i < scoreboard->score_count && has_player(menu->kind); i++) {
        const struct score *score = &scoreboard->scores[i];
        if (score->own || score->bot || menu->menu.list.count == MENU_ITEMS)
            continue;
        menu->players[menu->menu.list.count] = score->id;
        menu_add(&menu->menu, score->name, "");
    }
    for (uint32_t i = 0; i < panel->map_count && menu->kind == RAIM_CLIENT_VOTE_MAP; i++)
        menu_add(&menu->menu, panel->maps[i], "");
    for (size_t i = 0;
         i < sizeof minutes / sizeof *minutes && menu->kind == RAIM_CLIENT_VOTE_EXTEND; i++) {
        char text[MENU_TEXT_BYTES];
        snprintf(text, sizeof text, "%u minutes", minutes[i]);
        menu_add(&menu->menu, text, "");
    }
    return has_player(menu->kind) || menu->kind == RAIM_CLIENT_VOTE_MAP ||
           menu->kind == RAIM_CLIENT_VOTE_EXTEND;
}

enum vote_menu_wish vote_menu_handle(struct vote_menu *menu, const struct vote_panel *panel,
                                     const struct scoreboard *scoreboard,
                                     const struct window *window, const struct window_event *event,
                                     struct raim_client_vote_call *call)
{
    const int item = menu_handle(&menu->menu, window, event);
    if (item == MENU_BACK)
        return VOTE_MENU_BACK;
    if (item < 0 || item >= menu->menu.list.count)
        return VOTE_MENU_ON;
    *call = (struct raim_client_vote_call){0};
    if (menu->kind == 0) {
        menu->kind = (enum raim_client_vote_kind)menu->kinds[item];
        call->kind = menu->kind;
        return list_subjects(menu, panel, scoreboard) ? VOTE_MENU_ON : VOTE_MENU_CALL;
    }
    call->kind = menu->kind;
    if (has_player(menu->kind))
        call->player = menu->players[item];
    else if (menu->kind == RAIM_CLIENT_VOTE_EXTEND)
        call->minutes = minutes[item];
    else if ((uint32_t)item < panel->map_count)
        call->map = panel->maps[item];
    return VOTE_MENU_CALL;
}

void vote_menu_draw(struct vote_menu *menu, const struct ui *ui)
{
    const char *title = menu->kind == 0 ? "Call a vote" : kinds[menu->kind].text;
    menu_draw(&menu->menu, ui, title,
              menu->menu.list.count == 0 ? "There is nobody else here" : "The match goes on");
}
