// SPDX-License-Identifier: MIT
// Copies, sorts and draws the scores.
#include "scoreboard.h"

#include "hud.h"
#include "palette.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SCORES_SHOWN = 8, ROWS_SCROLLED = 3 };

static int compare_scores(const void *left, const void *right)
{
    const struct score *a = left, *b = right;
    if (a->score != b->score)
        return a->score > b->score ? -1 : 1;
    if (a->deaths != b->deaths)
        return a->deaths < b->deaths ? -1 : 1;
    return (a->id > b->id) - (a->id < b->id);
}

void scoreboard_sort(struct score *scores, uint32_t count)
{
    qsort(scores, count, sizeof *scores, compare_scores);
}

static void take_scores(struct scoreboard *scoreboard, const struct raim_client *client)
{
    scoreboard->score_count = 0;
    for (uint32_t slot = 0; slot < raim_client_max_players(client); slot++) {
        const struct raim_client_roster_entry *member = raim_client_get_roster_entry(client, slot);
        if (member->id == RAIM_NOBODY)
            continue;
        const bool own = slot == raim_client_own_slot(client);
        struct score *score = &scoreboard->scores[scoreboard->score_count++];
        *score = (struct score){
            .id = member->id,
            .own = own,
            .bot = member->bot,
            .score = member->score,
            .deaths = member->deaths,
            .ping_ms = own ? raim_client_get_quality(client).round_trip_ms : member->ping_ms,
        };
        memcpy(score->name, member->name, sizeof score->name);
    }
    scoreboard_sort(scoreboard->scores, scoreboard->score_count);
}

uint32_t scoreboard_row(const struct scoreboard *scoreboard, raim_player_id id)
{
    uint32_t row = 0;
    while (row < scoreboard->score_count && scoreboard->scores[row].id != id)
        row++;
    return row;
}

void scoreboard_take(struct scoreboard *scoreboard, const struct raim_client *client)
{
    scoreboard->phase = raim_client_get_phase(client);
    strcpy(scoreboard->next_map, raim_client_next_map(client));
    scoreboard->is_spectator = raim_client_is_spectator(client);
    scoreboard->is_alive = raim_client_alive(client);
    scoreboard->awaits_spawn = raim_client_awaits_spawn(client);
    scoreboard->respawn_delay_s = raim_client_rules(client)->respawn_delay;
    scoreboard->watched = raim_client_get_roster_entry(client, raim_client_viewpoint(client))->id;
    take_scores(scoreboard, client);
}

static void write_number(const struct ui *ui, double right, double y,
                         const struct text_style *style, uint32_t number)
{
    char words[16];
    snprintf(words, sizeof words, "%u", number);
    text_write(ui->text, (raim_vec2){right, y}, style, words);
}

// The right ends of the table's columns, from the row's right end, for digits of this width.
struct columns {
    double kills, deaths, ping, name; // `name`: where names end
};

static struct columns columns_of(const struct ui *ui, raim_box row, bool table)
{
    const struct text_style style = {.size = 13 * ui->unit};
    const double column = text_width(ui->text, &style, "deaths") + 8 * ui->unit;
    const double right = row.max.x - 8 * ui->unit;
    if (!table)
        return (struct columns){.kills = right, .name = right - column * 0.7};
    return (struct columns){.ping = right,
                            .deaths = right - column,
                            .kills = right - 2 * column,
                            .name = right - 2.75 * column};
}

static void draw_score(const struct ui *ui, const struct score *score, uint32_t rank, raim_box row,
                       bool table)
{
    const double unit = ui->unit;
    const struct columns columns = columns_of(ui, row, table);
    char words[32];
    struct text_style style = {.size = 14 * unit, .align = TEXT_RIGHT, .colour = PALETTE_QUIET};
    const double y = (row.min.y + row.max.y - text_height(&style)) / 2;
    if (score->own)
        draw_panel(ui->draw, row, 4 * unit, draw_faded(PALETTE_CHOSEN, 0.8));
    const double rank_right = row.min.x + 8 * unit + text_width(ui->text, &style, "000");
    write_number(ui, rank_right, y, &style, rank);
    hud_bead(ui, (raim_vec2){rank_right + 13 * unit, (row.min.y + row.max.y) / 2}, score->id, 1);
    style.align = TEXT_LEFT;
    style.colour = score->own ? PALETTE_WHITE : PALETTE_TEXT;
    style.weight = score->own ? TEXT_BOLD : TEXT_PLAIN;
    const double name = rank_right + 24 * unit;
    text_write_within(ui->text, (raim_vec2){name, y}, &style, score->name, columns.name - name);
    style.align = TEXT_RIGHT;
    write_number(ui, columns.kills, y, &style, score->score);
    if (!table)
        return;
    style.colour = score->own ? PALETTE_WHITE : PALETTE_QUIET;
    style.weight = TEXT_PLAIN;
    write_number(ui, columns.deaths, y, &style, score->deaths);
    snprintf(words, sizeof words, score->bot ? "bot" : "%.0f", score->ping_ms);
    if (score->bot || score->ping_ms >= 0)
        text_write(ui->text, (raim_vec2){columns.ping, y}, &style, words);
}

// Chooses the rows to show by rank from 0: the first ones, and the local player's instead of the
// last where it would be missing.
static uint32_t choose_scores(const struct score *scores, uint32_t count, uint32_t room,
                              uint32_t *ranks)
{
    const uint32_t shown = count < room ? count : room;
    for (uint32_t i = 0; i < shown; i++)
        ranks[i] = i;
    for (uint32_t i = shown; i < count && shown > 0; i++)
        if (scores[i].own)
            ranks[shown - 1] = i;
    return shown;
}

// The number of rows of this height in a box that has room for a head.
static uint32_t rows_in(raim_box box, double head, double row_height)
{
    const double room = box.max.y - box.min.y - head;
    return room > 0 ? (uint32_t)(room / row_height) : 0;
}

void scoreboard_draw_top(const struct ui *ui, raim_box box, const struct score *scores,
                         uint32_t count)
{
    const double unit = ui->unit, row_height = hud_row_height(ui), edge = 4 * unit;
    uint32_t ranks[SCORES_SHOWN];
    uint32_t room = rows_in(box, 2 * edge, row_height);
    room = room < SCORES_SHOWN ? room : SCORES_SHOWN;
    const uint32_t shown = choose_scores(scores, count, room, ranks);
    const double width = fmin(230 * unit, box.max.x - box.min.x);
    if (shown == 0)
        return;
    const raim_box panel = {{box.max.x - width, box.min.y},
                            {box.max.x, box.min.y + shown * row_height + 2 * edge}};
    draw_panel(ui->draw, panel, 8 * unit, draw_faded(PALETTE_PANEL, 0.8));
    for (uint32_t i = 0; i < shown; i++) {
        const double top = panel.min.y + edge + i * row_height;
        draw_score(
            ui, &scores[ranks[i]], ranks[i] + 1,
            (raim_box){{panel.min.x + edge, top}, {panel.max.x - edge, top + row_height - 1}},
            false);
    }
}

static void write_headings(const struct ui *ui, raim_box row)
{
    const struct columns columns = columns_of(ui, row, true);
    struct text_style style = {.size = 13 * ui->unit, .colour = PALETTE_QUIET};
    text_write(ui->text, (raim_vec2){row.min.x + 12 * ui->unit, row.min.y}, &style, "player");
    style.align = TEXT_RIGHT;
    text_write(ui->text, (raim_vec2){columns.kills, row.min.y}, &style, "kills");
    text_write(ui->text, (raim_vec2){columns.deaths, row.min.y}, &style, "deaths");
    text_write(ui->text, (raim_vec2){columns.ping, row.min.y}, &style, "ping");
}

void scoreboard_draw_table(const struct ui *ui, raim_box box, const struct score *scores,
                           uint32_t count, uint32_t *first)
{
    const double unit = ui->unit, row_height = hud_row_height(ui), edge = 6 * unit;
    const double head = row_height + 2 * edge;
    const uint32_t room = rows_in(box, head + row_height + edge, row_height);
    const uint32_t shown = count < room ? count : room;
    char words[48];
    if (*first > count - shown)
        *first = count - shown;
    const bool scrolls = shown < count;
    const double width = fmin(520 * unit, box.max.x - box.min.x);
    const double left = (box.min.x + box.max.x - width) / 2;
    const double height = head + (shown + (scrolls ? 1 : 0)) * row_height + edge;
    const raim_box panel = {{left, box.min.y}, {left + width, box.min.y + height}};
    const raim_box rows = {{panel.min.x + edge, panel.min.y + edge},
                           {panel.max.x - edge, panel.max.y - edge}};
    if (shown == 0)
        return;
    draw_panel(ui->draw, panel, 8 * unit, PALETTE_PANEL);
    write_headings(ui, rows);
    for (uint32_t i = 0; i < shown; i++) {
        const double top = panel.min.y + head + i * row_height;
        draw_score(ui, &scores[*first + i], *first + i + 1,
                   (raim_box){{rows.min.x, top}, {rows.max.x, top + row_height - 1}}, true);
    }
    const struct text_style style = {
        .size = 13 * unit, .align = TEXT_CENTRE, .colour = PALETTE_QUIET};
    snprintf(words, sizeof words, "%u to %u of %u, scroll with the wheel", *first + 1,
             *first + shown, count);
    if (scrolls)
        text_write_within(
            ui->text,
            (raim_vec2){(rows.min.x + rows.max.x) / 2, panel.min.y + head + shown * row_height},
            &style, words, rows.max.x - rows.min.x);
}

void scoreboard_scroll(uint32_t *first, int way)
{
    if (way < 0)
        *first += ROWS_SCROLLED;
    else
        *first -= *first < ROWS_SCROLLED ? *first : ROWS_SCROLLED;
}
