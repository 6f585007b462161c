// SPDX-License-Identifier: MIT
// Draws the head-up display.
#include "hud.h"

#include "palette.h"

#include <stdio.h>
#include <stdlib.h>

enum { SCORES_SHOWN = 8, ALL_SHOWN = 24, KILLS_SHOWN = 5, CHAT_SHOWN = 6, CHAT_HISTORY = 12 };

static const double pi = 3.14159265358979323846;
static const double kill_s = 5, chat_s = 9;
static const double margin = 12; // units of ui->unit from the edge of the area

static raim_vec2 middle_of(const struct ui *ui)
{
    return raim_vec2_scale(raim_vec2_add(ui->area.min, ui->area.max), 0.5);
}

// --- scores ---

static int compare_scores(const void *left, const void *right)
{
    const struct hud_score *a = left, *b = right;
    if (a->score != b->score)
        return a->score > b->score ? -1 : 1;
    if (a->deaths != b->deaths)
        return a->deaths < b->deaths ? -1 : 1;
    return (a->id > b->id) - (a->id < b->id);
}

void hud_sort(struct hud_score *scores, uint32_t count)
{
    qsort(scores, count, sizeof *scores, compare_scores);
}

static void draw_bead(const struct ui *ui, raim_vec2 centre, raim_player_id id, double strength)
{
    draw_disc(ui->draw, centre, 5 * ui->unit, draw_faded(palette_player(id), strength));
}

// Draws a row of the scores. Columns are placed from the row's left end, the last ones by their
// right ends.
static void draw_score(const struct ui *ui, const struct hud_score *score, uint32_t rank,
                       raim_box row, bool all)
{
    const double unit = ui->unit, y = row.min.y + 2 * unit;
    char words[64];
    if (score->own)
        draw_panel(ui->draw, row, 4 * unit, draw_faded(PALETTE_CHOSEN, 0.8));
    struct text_style style = {.size = 14 * unit, .align = TEXT_RIGHT, .colour = PALETTE_QUIET};
    snprintf(words, sizeof words, "%u", rank);
    text_write(ui->text, (raim_vec2){row.min.x + 24 * unit, y}, &style, words);
    draw_bead(ui, (raim_vec2){row.min.x + 36 * unit, (row.min.y + row.max.y) / 2}, score->id, 1);
    style.align = TEXT_LEFT;
    style.colour = score->own ? PALETTE_WHITE : PALETTE_TEXT;
    style.weight = score->own ? TEXT_BOLD : TEXT_PLAIN;
    snprintf(words, sizeof words, "%s", score->name);
    text_write(ui->text, (raim_vec2){row.min.x + 48 * unit, y}, &style, words);
    style.align = TEXT_RIGHT;
    snprintf(words, sizeof words, "%u", score->score);
    const double score_x = all ? row.max.x - 80 * unit : row.max.x - 8 * unit;
    text_write(ui->text, (raim_vec2){score_x, y}, &style, words);
    if (!all)
        return;
    style.colour = PALETTE_QUIET;
    snprintf(words, sizeof words, "%u", score->deaths);
    text_write(ui->text, (raim_vec2){row.max.x - 8 * unit, y}, &style, words);
    if (score->bot)
        text_write(ui->text, (raim_vec2){row.max.x - 140 * unit, y}, &style, "bot");
}

// Chooses the rows to show by rank from 0: the first ones, and the local player's instead of the
// last where it would be missing.
static uint32_t choose_scores(const struct hud_score *scores, uint32_t count, uint32_t room,
                              uint32_t *ranks)
{
    const uint32_t shown = count < room ? count : room;
    for (uint32_t i = 0; i < shown; i++)
        ranks[i] = i;
    for (uint32_t i = shown; i < count; i++)
        if (scores[i].own)
            ranks[shown - 1] = i;
    return shown;
}

static void write_headings(const struct ui *ui, raim_box panel)
{
    const double unit = ui->unit, y = panel.min.y + 10 * unit;
    struct text_style style = {.size = 13 * unit, .colour = PALETTE_QUIET};
    text_write(ui->text, (raim_vec2){panel.min.x + 56 * unit, y}, &style, "player");
    style.align = TEXT_RIGHT;
    text_write(ui->text, (raim_vec2){panel.max.x - 88 * unit, y}, &style, "kills");
    text_write(ui->text, (raim_vec2){panel.max.x - 16 * unit, y}, &style, "deaths");
}

void hud_scores(const struct ui *ui, const struct hud_score *scores, uint32_t count, bool all)
{
    if (count == 0)
        return;
    const double unit = ui->unit, row_height = 20 * unit, head = (all ? 32 : 6) * unit;
    uint32_t ranks[ALL_SHOWN];
    const uint32_t shown = choose_scores(scores, count, all ? ALL_SHOWN : SCORES_SHOWN, ranks);
    const double width = (all ? 460 : 210) * unit;
    const double height = head + shown * row_height + 6 * unit;
    const raim_vec2 middle = middle_of(ui);
    const raim_vec2 corner =
        all ? (raim_vec2){middle.x - width / 2, middle.y - height / 2}
            : (raim_vec2){ui->area.max.x - margin * unit - width, ui->area.min.y + margin * unit};
    const raim_box panel = {corner, {corner.x + width, corner.y + height}};
    draw_panel(ui->draw, panel, 8 * unit, draw_faded(PALETTE_PANEL, all ? 1 : 0.8));
    if (all)
        write_headings(ui, panel);
    for (uint32_t i = 0; i < shown; i++) {
        const double top = corner.y + head + i * row_height;
        const double inset = (all ? 8 : 4) * unit;
        draw_score(
            ui, &scores[ranks[i]], ranks[i] + 1,
            (raim_box){{panel.min.x + inset, top}, {panel.max.x - inset, top + row_height - unit}},
            all);
    }
}

// --- kills ---

// Writes a name in its player's colour and returns where it ends.
static double write_name(const struct ui *ui, raim_vec2 at, const struct feed_person *person,
                         struct text_style style, double strength)
{
    if (person->id == RAIM_NOBODY)
        return at.x;
    draw_bead(ui, (raim_vec2){at.x + 5 * ui->unit, at.y + 9 * ui->unit}, person->id, strength);
    const double x = at.x + 16 * ui->unit;
    return x + text_write(ui->text, (raim_vec2){x, at.y}, &style, person->name);
}

void hud_kills(const struct ui *ui, const struct feed *kills, double now_s)
{
    const double unit = ui->unit;
    raim_vec2 at = {ui->area.min.x + margin * unit, ui->area.min.y + margin * unit};
    for (uint32_t age = 0; age < KILLS_SHOWN; age++) {
        const struct feed_line *line = feed_line_at(kills, age);
        const double strength = line != NULL ? feed_strength(line, now_s, kill_s) : 0;
        if (strength <= 0)
            break;
        struct text_style style = {
            .size = 15 * unit,
            .weight = line->own ? TEXT_BOLD : TEXT_PLAIN,
            .colour = draw_faded(line->own ? PALETTE_WHITE : PALETTE_TEXT, strength),
            .outlined = true,
        };
        double x = write_name(ui, at, &line->first, style, strength);
        struct text_style quiet = style;
        quiet.colour = draw_faded(PALETTE_QUIET, strength);
        quiet.weight = TEXT_PLAIN;
        x += 8 * unit;
        x += text_write(ui->text, (raim_vec2){x, at.y}, &quiet, line->text) + 8 * unit;
        write_name(ui, (raim_vec2){x, at.y}, &line->second, style, strength);
        at.y += 20 * unit;
    }
}

// --- chat ---

// Writes a chat line of the operator behind a filled badge and in a colour of its own, which no
// player can imitate by its name.
static void write_announcement(const struct ui *ui, raim_vec2 at, const struct feed_line *line,
                               double strength)
{
    static const char label[] = "SERVER";
    const double unit = ui->unit;
    struct text_style style = {
        .size = 13 * unit, .weight = TEXT_BOLD, .colour = draw_faded(PALETTE_ROCK, strength)};
    const double width = text_width(ui->text, &style, label);
    draw_panel(ui->draw, (raim_box){at, {at.x + width + 12 * unit, at.y + 18 * unit}}, 4 * unit,
               draw_faded(PALETTE_SHIELD, strength));
    text_write(ui->text, (raim_vec2){at.x + 6 * unit, at.y + 1.5 * unit}, &style, label);
    style = (struct text_style){.size = 15 * unit,
                                .weight = TEXT_BOLD,
                                .colour = draw_faded(PALETTE_SHIELD, strength),
                                .outlined = true};
    text_write(ui->text, (raim_vec2){at.x + width + 20 * unit, at.y}, &style, line->text);
}

static void write_said(const struct ui *ui, raim_vec2 at, const struct feed_line *line,
                       double strength)
{
    if (line->first.id == RAIM_NOBODY) {
        write_announcement(ui, at, line, strength);
        return;
    }
    struct text_style style = {.size = 15 * ui->unit,
                               .weight = TEXT_BOLD,
                               .colour = draw_faded(palette_player(line->first.id), strength),
                               .outlined = true};
    double x = at.x + text_write(ui->text, at, &style, line->first.name) + 8 * ui->unit;
    style.weight = TEXT_PLAIN;
    style.colour = draw_faded(PALETTE_WHITE, strength);
    text_write(ui->text, (raim_vec2){x, at.y}, &style, line->text);
}

static void draw_entry(const struct ui *ui, raim_vec2 at, const struct entry *entry, double now_s)
{
    const double unit = ui->unit;
    const struct text_style style = {.size = 15 * unit, .colour = PALETTE_WHITE};
    const double width = fmax(text_width(ui->text, &style, entry->text) + 28 * unit, 420 * unit);
    draw_panel(ui->draw,
               (raim_box){{at.x - 6 * unit, at.y - 4 * unit}, {at.x + width, at.y + 22 * unit}},
               5 * unit, PALETTE_PANEL);
    const double x = at.x + text_write(ui->text, at, &style, entry->text) + 2 * unit;
    if (fmod(now_s, 1) < 0.6)
        draw_line(ui->draw, (raim_vec2){x, at.y + unit}, (raim_vec2){x, at.y + 17 * unit},
                  1.5 * unit, PALETTE_WHITE, PALETTE_WHITE);
}

void hud_chat(const struct ui *ui, const struct feed *chat, const struct entry *entry, double now_s)
{
    const double unit = ui->unit;
    raim_vec2 at = {ui->area.min.x + margin * unit, ui->area.max.y - (margin + 24) * unit};
    if (entry != NULL)
        draw_entry(ui, at, entry, now_s);
    const uint32_t most = entry != NULL ? CHAT_HISTORY : CHAT_SHOWN;
    for (uint32_t age = 0; age < most; age++) {
        const struct feed_line *line = feed_line_at(chat, age);
        if (line == NULL)
            break;
        const double strength = entry != NULL ? 1 : feed_strength(line, now_s, chat_s);
        at.y -= 21 * unit;
        if (strength > 0)
            write_said(ui, at, line, strength);
    }
}

// --- the local player ---

void hud_countdown(const struct ui *ui, double left_s, double delay_s)
{
    const double unit = ui->unit;
    const raim_vec2 middle = middle_of(ui);
    const double part = delay_s > 0 ? fmin(fmax(left_s / delay_s, 0), 1) : 0;
    char words[32];
    draw_disc(ui->draw, middle, 44 * unit, PALETTE_PANEL);
    draw_ring(ui->draw, middle, 38 * unit, 4 * unit, draw_faded(PALETTE_QUIET, 0.3));
    draw_arc(ui->draw, middle, 38 * unit, 4 * unit, -pi / 2, -pi / 2 + 2 * pi * part,
             PALETTE_SHIELD);
    struct text_style style = {
        .size = 26 * unit, .weight = TEXT_BOLD, .align = TEXT_CENTRE, .colour = PALETTE_WHITE};
    snprintf(words, sizeof words, "%.1f", fmax(left_s, 0));
    text_write(ui->text, (raim_vec2){middle.x, middle.y - 15 * unit}, &style, words);
    style = (struct text_style){
        .size = 16 * unit, .align = TEXT_CENTRE, .colour = PALETTE_TEXT, .outlined = true};
    text_write(ui->text, (raim_vec2){middle.x, middle.y + 54 * unit}, &style,
               left_s > 0 ? "You are down" : "Waiting for a free spawn point");
}

void hud_crosshair(const struct ui *ui, raim_vec2 mouse, double hit)
{
    const double unit = ui->unit;
    const draw_colour colour = PALETTE_WHITE, dark = {0, 0, 0, 150};
    for (int i = 0; i < 4; i++) {
        const raim_vec2 way = {i % 2 == 0 ? 1 - i : 0, i % 2 == 1 ? 2 - i : 0};
        const raim_vec2 near = raim_vec2_mad(mouse, way, 5 * unit);
        const raim_vec2 far = raim_vec2_mad(mouse, way, 11 * unit);
        draw_line(ui->draw, near, far, 3.5 * unit, dark, dark);
        draw_line(ui->draw, near, far, 1.5 * unit, colour, colour);
    }
    draw_disc(ui->draw, mouse, 1.5 * unit, colour);
    for (int i = 0; i < 4 && hit > 0; i++) {
        const raim_vec2 way = {i < 2 ? 0.7 : -0.7, i % 2 == 0 ? 0.7 : -0.7};
        const draw_colour flash = draw_faded(PALETTE_BAD, hit);
        draw_line(ui->draw, raim_vec2_mad(mouse, way, 9 * unit),
                  raim_vec2_mad(mouse, way, 17 * unit), 3 * unit, flash, flash);
    }
}

void hud_hurt(const struct ui *ui, double strength)
{
    if (strength <= 0)
        return;
    const draw_colour red = draw_faded(PALETTE_BAD, 0.35 * strength), none = draw_faded(red, 0);
    const raim_vec2 min = ui->area.min, max = ui->area.max;
    const double deep = 0.16 * (max.y - min.y);
    const raim_vec2 outer[4] = {min, {max.x, min.y}, max, {min.x, max.y}};
    const raim_vec2 inner[4] = {{min.x + deep, min.y + deep},
                                {max.x - deep, min.y + deep},
                                {max.x - deep, max.y - deep},
                                {min.x + deep, max.y - deep}};
    for (int i = 0; i < 4; i++) {
        const int next = (i + 1) % 4;
        const raim_vec2 corners[4] = {outer[i], outer[next], inner[next], inner[i]};
        draw_quad(ui->draw, corners, (draw_colour[4]){red, red, none, none});
    }
}

// --- the phase of the match ---

void hud_clock(const struct ui *ui, const char *words)
{
    const struct text_style style = {.size = 20 * ui->unit,
                                     .weight = TEXT_BOLD,
                                     .align = TEXT_CENTRE,
                                     .colour = PALETTE_WHITE,
                                     .outlined = true};
    const raim_vec2 top = {middle_of(ui).x, ui->area.min.y + margin * ui->unit};
    if (words[0] != '\0')
        text_write(ui->text, top, &style, words);
}

void hud_banner(const struct ui *ui, const char *title, const char *text)
{
    const double unit = ui->unit, top = ui->area.min.y + 28 * unit;
    const raim_vec2 middle = middle_of(ui);
    struct text_style style = {
        .size = 30 * unit, .weight = TEXT_BOLD, .align = TEXT_CENTRE, .colour = PALETTE_WHITE};
    const double half = fmax(text_width(ui->text, &style, title) / 2 + 28 * unit, 200 * unit);
    draw_panel(ui->draw, (raim_box){{middle.x - half, top}, {middle.x + half, top + 82 * unit}},
               12 * unit, PALETTE_PANEL);
    text_write(ui->text, (raim_vec2){middle.x, top + 8 * unit}, &style, title);
    style.size = 16 * unit;
    style.weight = TEXT_PLAIN;
    style.colour = PALETTE_TEXT;
    text_write(ui->text, (raim_vec2){middle.x, top + 52 * unit}, &style, text);
}

// --- notices ---

void hud_veil(const struct ui *ui)
{
    draw_box(ui->draw, ui->area, PALETTE_VEIL);
}

void hud_notice(const struct ui *ui, const struct hud_notice *notice)
{
    const double unit = ui->unit;
    const raim_vec2 middle = middle_of(ui);
    struct text_style style = {
        .size = 30 * unit, .weight = TEXT_BOLD, .align = TEXT_CENTRE, .colour = PALETTE_WHITE};
    hud_veil(ui);
    draw_panel(ui->draw,
               (raim_box){{middle.x - 330 * unit, middle.y - 84 * unit},
                          {middle.x + 330 * unit, middle.y + 84 * unit}},
               12 * unit, PALETTE_SHEET);
    text_write(ui->text, (raim_vec2){middle.x, middle.y - 60 * unit}, &style, notice->title);
    style.size = 18 * unit;
    style.weight = TEXT_PLAIN;
    style.colour = PALETTE_TEXT;
    text_write(ui->text, (raim_vec2){middle.x, middle.y - 8 * unit}, &style, notice->text);
    style.size = 16 * unit;
    style.colour = PALETTE_QUIET;
    text_write(ui->text, (raim_vec2){middle.x, middle.y + 44 * unit}, &style, notice->hint);
}

void hud_hint(const struct ui *ui, const char *hint, double strength)
{
    const struct text_style style = {.size = 15 * ui->unit,
                                     .align = TEXT_CENTRE,
                                     .colour = draw_faded(PALETTE_TEXT, strength),
                                     .outlined = true};
    text_write(ui->text, (raim_vec2){middle_of(ui).x, ui->area.max.y - 30 * ui->unit}, &style,
               hint);
}
