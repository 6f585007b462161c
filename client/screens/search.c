// SPDX-License-Identifier: MIT
// Waits for a matchmaker's room and shows for how long.
#include "search.h"

#include "hud.h"
#include "palette.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

struct search {
    struct matchmaker *matchmaker;
    double begin_s;
};

struct search *search_open(const char *url, const char *player, const struct regions *regions,
                           double begin_s)
{
    struct search *search = calloc(1, sizeof *search);
    if (search == NULL)
        return NULL;
    search->begin_s = begin_s;
    search->matchmaker = matchmaker_queue(url, player, regions);
    if (search->matchmaker == NULL) {
        search_close(search);
        return NULL;
    }
    return search;
}

void search_close(struct search *search)
{
    if (search == NULL)
        return;
    matchmaker_close(search->matchmaker);
    free(search);
}

const struct matchmaker_room *search_poll(struct search *search, double now_s)
{
    return now_s >= search->begin_s ? matchmaker_poll(search->matchmaker, now_s) : NULL;
}

void search_draw(const struct search *search, const struct ui *ui, double now_s)
{
    char text[64];
    const char *problem = matchmaker_problem(search->matchmaker);
    snprintf(text, sizeof text, "%.0f s", floor(fmax(0, now_s - search->begin_s)));
    draw_box(ui->draw, ui->area, PALETTE_DARK);
    hud_notice(ui, &(struct hud_notice){"Searching for a room ...",
                                        problem[0] != '\0' ? problem : text, "Esc: home"});
}
