// SPDX-License-Identifier: MIT
// Draws the head-up display.
#include "hud.h"

#include "palette.h"

#include <math.h>
#include <stdio.h>

enum { MOST_HINT_LINES = 3 };

static const double pi = 3.14159265358979323846;
static const double margin = 12; // units of ui->unit from the edge of the area

static raim_vec2 middle_of(const struct ui *ui)
{
    return raim_vec2_scale(raim_vec2_add(ui->area.min, ui->area.max), 0.5);
}

void hud_bead(const struct ui *ui, raim_vec2 centre, raim_player_id id, double strength)
{
    const double unit = ui->unit, radius = 6 * unit;
    const draw_colour dark = draw_faded((draw_colour){12, 16, 24, 240}, strength);
    draw_disc(ui->draw, centre, radius, draw_faded(palette_player(id), strength));
    switch (palette_player_mark(id)) {
    case PALETTE_DOT:
        draw_disc(ui->draw, centre, 2 * unit, dark);
        break;
    case PALETTE_HOLE:
        draw_ring(ui->draw, centre, 3 * unit, 1.5 * unit, dark);
        break;
    case PALETTE_STROKE:
        draw_line(ui->draw, (raim_vec2){centre.x - 4 * unit, centre.y},
                  (raim_vec2){centre.x + 4 * unit, centre.y}, 2 * unit, dark, dark);
        break;
    case PALETTE_PLAIN:
    case PALETTE_MARKS:
        break;
    }
}

double hud_name(const struct ui *ui, raim_vec2 at, const struct hud_person *person,
                const struct text_style *style, double width, double strength)
{
    if (person->id == RAIM_NOBODY)
        return at.x;
    hud_bead(ui, (raim_vec2){at.x + 7 * ui->unit, at.y + text_height(style) / 2}, person->id,
             strength);
    const double x = at.x + 18 * ui->unit;
    return x +
           text_write_within(ui->text, (raim_vec2){x, at.y}, style, person->name, at.x + width - x);
}

double hud_row_height(const struct ui *ui)
{
    return fmax(20 * ui->unit, TEXT_SMALLEST + 3);
}

// Draws a line of the notice of death, on ground of its own: the names of players may lie below it.
static void write_death(const struct ui *ui, raim_vec2 top, const struct text_style *style,
                        const char *words, double width)
{
    const double half = fmin(text_width(ui->text, style, words) + 16 * ui->unit, width) / 2;
    draw_panel(ui->draw,
               (raim_box){{top.x - half, top.y}, {top.x + half, top.y + text_height(style)}},
               4 * ui->unit, PALETTE_PANEL);
    text_write_within(ui->text, top, style, words, width);
}

void hud_death(const struct ui *ui, raim_box box, const struct hud_person *killer,
               bool awaits_spawn, double left_s, double delay_s)
{
    const double unit = ui->unit, width = box.max.x - box.min.x;
    const raim_vec2 middle = middle_of(ui);
    const double part = delay_s > 0 ? fmin(fmax(left_s / delay_s, 0), 1) : 0;
    struct text_style style = {
        .size = 17 * unit, .align = TEXT_CENTRE, .colour = PALETTE_TEXT, .outlined = true};
    char words[32];
    // The ring is in the middle of the view where the box has room for all below it.
    const double line = text_height(&style) + 2 * unit;
    const double radius = fmin(42 * unit, (box.max.y - box.min.y - 3 * line) / 2);
    const double below = radius + 6 * unit + 2 * line;
    const double y = fmin(fmax(middle.y, box.min.y + radius + 2 * unit), box.max.y - below);
    if (radius < 8)
        return;
    draw_disc(ui->draw, (raim_vec2){middle.x, y}, radius, PALETTE_PANEL);
    draw_ring(ui->draw, (raim_vec2){middle.x, y}, 0.87 * radius, 4 * unit,
              draw_faded(PALETTE_QUIET, 0.3));
    draw_arc(ui->draw, (raim_vec2){middle.x, y}, 0.87 * radius, 4 * unit, -pi / 2,
             -pi / 2 + 2 * pi * part, PALETTE_SHIELD);
    const struct text_style number = {
        .size = 0.6 * radius, .weight = TEXT_BOLD, .align = TEXT_CENTRE, .colour = PALETTE_WHITE};
    snprintf(words, sizeof words, "%.1f", fmax(left_s, 0));
    text_write_within(ui->text, (raim_vec2){middle.x, y - text_height(&number) / 2}, &number, words,
                      2 * radius);
    const double top = y + radius + 6 * unit;
    write_death(ui, (raim_vec2){middle.x, top}, &style,
                awaits_spawn                ? "Waiting for a free spawn point"
                : killer->id != RAIM_NOBODY ? "You were destroyed by"
                                            : "You are down",
                width);
    if (killer->id == RAIM_NOBODY || awaits_spawn)
        return;
    style.weight = TEXT_BOLD;
    style.align = TEXT_LEFT;
    style.colour = PALETTE_WHITE;
    const double name =
        fmin(text_width(ui->text, &style, killer->name) + 18 * unit, width - 13 * unit);
    draw_panel(ui->draw,
               (raim_box){{middle.x - name / 2 - 6 * unit, top + line},
                          {middle.x + name / 2 + 6 * unit, top + line + text_height(&style)}},
               4 * unit, PALETTE_PANEL);
    hud_name(ui, (raim_vec2){middle.x - name / 2, top + line}, killer, &style, name + 1, 1);
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

void hud_hit_direction(const struct ui *ui, raim_vec2 direction, double strength)
{
    const double angle = atan2(direction.y, direction.x), half = 0.35;
    if (strength > 0)
        draw_arc(ui->draw, middle_of(ui), 150 * ui->unit, 9 * ui->unit, angle - half, angle + half,
                 draw_faded(PALETTE_BAD, 0.9 * strength));
}

void hud_clock(const struct ui *ui, raim_box box, const char *words)
{
    const struct text_style style = {.size = 20 * ui->unit,
                                     .weight = TEXT_BOLD,
                                     .align = TEXT_CENTRE,
                                     .colour = PALETTE_WHITE,
                                     .outlined = true};
    const raim_vec2 top = {(box.min.x + box.max.x) / 2, box.min.y};
    if (words[0] != '\0')
        text_write_within(ui->text, top, &style, words, box.max.x - box.min.x - 2 * ui->unit);
}

void hud_banner(const struct ui *ui, raim_box box, const char *title, const char *text)
{
    const double unit = ui->unit, middle = (box.min.x + box.max.x) / 2;
    const double most = box.max.x - box.min.x - 24 * unit;
    struct text_style large = {
        .size = 30 * unit, .weight = TEXT_BOLD, .align = TEXT_CENTRE, .colour = PALETTE_WHITE};
    const struct text_style small = {
        .size = 16 * unit, .align = TEXT_CENTRE, .colour = PALETTE_TEXT};
    const double wanted = text_width(ui->text, &large, title);
    if (wanted > most)
        large.size = fmax(large.size * most / wanted - 1, 17 * unit);
    const double half =
        fmin(fmax(fmax(wanted, text_width(ui->text, &small, text)) + 40 * unit, 340 * unit),
             box.max.x - box.min.x) /
        2;
    draw_panel(ui->draw, (raim_box){{middle - half, box.min.y}, {middle + half, box.max.y - 1}},
               10 * unit, PALETTE_PANEL);
    const double rest = box.max.y - box.min.y - text_height(&large) - text_height(&small);
    text_write_within(ui->text, (raim_vec2){middle, box.min.y + rest / 3}, &large, title, most);
    text_write_within(ui->text,
                      (raim_vec2){middle, box.max.y - rest / 3 - text_height(&small) - unit},
                      &small, text, most);
}

void hud_veil(const struct ui *ui)
{
    draw_box(ui->draw, ui->area, PALETTE_VEIL);
}

void hud_notice(const struct ui *ui, const struct hud_notice *notice)
{
    const double unit = ui->unit,
                 width = fmin(640 * unit, ui->area.max.x - ui->area.min.x - 40 * unit);
    const raim_vec2 middle = middle_of(ui);
    struct text_style title = {
        .size = 28 * unit, .weight = TEXT_BOLD, .align = TEXT_CENTRE, .colour = PALETTE_WHITE};
    const struct text_style text = {
        .size = 18 * unit, .align = TEXT_CENTRE, .colour = PALETTE_TEXT};
    const struct text_style hint = {
        .size = 16 * unit, .align = TEXT_CENTRE, .colour = PALETTE_QUIET};
    if (text_width(ui->text, &title, notice->title) > width)
        title.size = 20 * unit;
    const int titles = text_wrap(ui->text, &title, notice->title, width)->count;
    const int texts = text_wrap(ui->text, &text, notice->text, width)->count;
    const double height =
        titles * text_height(&title) + texts * text_height(&text) + text_height(&hint) + 84 * unit;
    raim_vec2 at = {middle.x, middle.y - height / 2};
    hud_veil(ui);
    draw_panel(ui->draw,
               (raim_box){{middle.x - width / 2 - 18 * unit, at.y},
                          {middle.x + width / 2 + 18 * unit, at.y + height}},
               12 * unit, PALETTE_SHEET);
    at.y += 22 * unit;
    at.y += text_write_wrapped(ui->text, at, &title, notice->title, width) + 18 * unit;
    at.y += text_write_wrapped(ui->text, at, &text, notice->text, width) + 22 * unit;
    text_write_within(ui->text, at, &hint, notice->hint, width);
}

static struct text_style hint_style(const struct ui *ui, double strength)
{
    return (struct text_style){.size = 15 * ui->unit,
                               .align = TEXT_CENTRE,
                               .colour = draw_faded(PALETTE_TEXT, strength),
                               .outlined = true};
}

int hud_hint_lines(const struct ui *ui, const char *hint)
{
    const struct text_style style = hint_style(ui, 1);
    const double width = ui->area.max.x - ui->area.min.x - 2 * margin * ui->unit;
    const int count = text_wrap(ui->text, &style, hint, width)->count;
    return count < MOST_HINT_LINES ? count : MOST_HINT_LINES;
}

void hud_hint(const struct ui *ui, raim_box box, const char *hint, double strength)
{
    const struct text_style style = hint_style(ui, strength);
    text_write_wrapped(ui->text, (raim_vec2){(box.min.x + box.max.x) / 2, box.min.y}, &style, hint,
                       box.max.x - box.min.x);
}
