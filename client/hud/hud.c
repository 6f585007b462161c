// SPDX-License-Identifier: MIT
// Draws the head-up display.
#include "hud.h"

#include "palette.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { SCORES_SHOWN = 8, KILLS_SHOWN = 6, CHAT_SHOWN = 6, CHAT_HISTORY = 16, MOST_HINT_LINES = 3 };

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

// Draws a player's colour and mark.
static void draw_bead(const struct ui *ui, raim_vec2 centre, raim_player_id id, double strength)
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

static double row_height_of(const struct ui *ui)
{
    return fmax(20 * ui->unit, TEXT_SMALLEST + 3);
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

static void draw_score(const struct ui *ui, const struct hud_score *score, uint32_t rank,
                       raim_box row, bool table)
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
    draw_bead(ui, (raim_vec2){rank_right + 13 * unit, (row.min.y + row.max.y) / 2}, score->id, 1);
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
static uint32_t choose_scores(const struct hud_score *scores, uint32_t count, uint32_t room,
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

void hud_scores(const struct ui *ui, raim_box box, const struct hud_score *scores, uint32_t count)
{
    const double unit = ui->unit, row_height = row_height_of(ui), edge = 4 * unit;
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

void hud_table(const struct ui *ui, raim_box box, const struct hud_score *scores, uint32_t count,
               uint32_t *first)
{
    const double unit = ui->unit, row_height = row_height_of(ui), edge = 6 * unit;
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

// --- kills ---

// Writes a name behind its player's bead, at most `width` wide, and returns where it ends.
static double write_name(const struct ui *ui, raim_vec2 at, const struct feed_person *person,
                         const struct text_style *style, double width, double strength)
{
    if (person->id == RAIM_NOBODY)
        return at.x;
    draw_bead(ui, (raim_vec2){at.x + 7 * ui->unit, at.y + text_height(style) / 2}, person->id,
              strength);
    const double x = at.x + 18 * ui->unit;
    return x +
           text_write_within(ui->text, (raim_vec2){x, at.y}, style, person->name, at.x + width - x);
}

static void write_kill(const struct ui *ui, raim_vec2 at, const struct feed_line *line,
                       double width, double strength)
{
    const double unit = ui->unit;
    const struct text_style style = {
        .size = 15 * unit,
        .weight = line->own ? TEXT_BOLD : TEXT_PLAIN,
        .colour = draw_faded(line->own ? PALETTE_WHITE : PALETTE_TEXT, strength),
        .outlined = true,
    };
    const struct text_style quiet = {
        .size = 15 * unit, .colour = draw_faded(PALETTE_QUIET, strength), .outlined = true};
    const double verb = text_width(ui->text, &quiet, line->text);
    const bool has_two = line->second.id != RAIM_NOBODY;
    // Both names get the same room; where it is small, the verb makes way.
    double room = (width - verb - (has_two ? 16 : 8) * unit) / (has_two ? 2 : 1);
    const bool has_verb = room > 50 * unit || !has_two;
    if (!has_verb)
        room = (width - 12 * unit) / 2;
    double x = write_name(ui, at, &line->first, &style, room, strength) + 8 * unit;
    if (has_verb)
        x += text_write_within(ui->text, (raim_vec2){x, at.y}, &quiet, line->text,
                               at.x + width - x) +
             8 * unit;
    if (has_two)
        write_name(ui, (raim_vec2){x, at.y}, &line->second, &style, at.x + width - x, strength);
}

void hud_kills(const struct ui *ui, raim_box box, const struct feed *kills, double now_s)
{
    const double row_height = row_height_of(ui);
    raim_vec2 at = box.min;
    for (uint32_t age = 0; age < KILLS_SHOWN && at.y + row_height <= box.max.y; age++) {
        const struct feed_line *line = feed_line_at(kills, age);
        const double strength = line != NULL ? feed_strength(line, now_s, kill_s) : 0;
        if (strength <= 0)
            break;
        write_kill(ui, at, line, box.max.x - box.min.x, strength);
        at.y += row_height;
    }
}

// --- chat ---

// Where a chat line's parts lie: the speaker, and the text beside it or, after a long name, below.
struct said {
    double name_width; // pixels
    bool below;
    double indent, text_width, height;
};

static const char server_label[] = "SERVER", notice_label[] = "TO YOU";

static bool is_by_server(const struct feed_line *line)
{
    return line->first.id == RAIM_NOBODY;
}

static draw_colour server_colour(const struct feed_line *line)
{
    return line->is_notice ? PALETTE_QUIET : PALETTE_SHIELD;
}

// What stands before a line.
static const char *label_of(const struct feed_line *line)
{
    return line->is_notice ? notice_label : is_by_server(line) ? server_label : line->first.name;
}

static struct text_style speaker_style(const struct ui *ui, const struct feed_line *line,
                                       double strength)
{
    const bool by_server = is_by_server(line);
    return (struct text_style){
        .size = (by_server ? 13 : 15) * ui->unit,
        .weight = TEXT_BOLD,
        .colour = draw_faded(by_server ? PALETTE_ROCK : palette_player(line->first.id), strength),
        .outlined = !by_server,
    };
}

static struct text_style said_style(const struct ui *ui, const struct feed_line *line,
                                    double strength)
{
    const bool is_loud = is_by_server(line) && !line->is_notice;
    return (struct text_style){
        .size = 15 * ui->unit,
        .weight = is_loud ? TEXT_BOLD : TEXT_PLAIN,
        .colour = draw_faded(line->is_notice      ? PALETTE_TEXT
                             : is_by_server(line) ? PALETTE_SHIELD
                                                  : PALETTE_WHITE,
                             strength),
        .outlined = true,
    };
}

static struct said measure_said(const struct ui *ui, const struct feed_line *line, double width)
{
    const struct text_style speaker = speaker_style(ui, line, 1), style = said_style(ui, line, 1);
    struct said said = {.name_width = text_width(ui->text, &speaker, label_of(line)) +
                                      (is_by_server(line) ? 12 * ui->unit : 0)};
    said.below = said.name_width > 0.4 * width;
    said.indent = said.below ? 12 * ui->unit : said.name_width + 8 * ui->unit;
    said.text_width = width - said.indent;
    const int lines = text_wrap(ui->text, &style, line->text, said.text_width)->count;
    said.height = ((lines > 0 ? lines : 1) + said.below) * text_height(&style) + 3 * ui->unit;
    return said;
}

// Writes a chat line. Those of the server stand behind a filled badge, which no text can contain,
// and in a colour that no player has: the operator's, and those for the local player alone.
static void write_said(const struct ui *ui, raim_vec2 at, const struct feed_line *line,
                       const struct said *said, double width, double strength)
{
    const struct text_style speaker = speaker_style(ui, line, strength),
                            style = said_style(ui, line, strength);
    const double unit = ui->unit, height = text_height(&style);
    if (is_by_server(line)) {
        draw_panel(ui->draw, (raim_box){at, {at.x + said->name_width, at.y + height}}, 4 * unit,
                   draw_faded(server_colour(line), strength));
        text_write(ui->text,
                   (raim_vec2){at.x + 6 * unit, at.y + (height - text_height(&speaker)) / 2},
                   &speaker, label_of(line));
    } else {
        text_write_within(ui->text, at, &speaker, line->first.name, width);
    }
    text_write_wrapped(ui->text,
                       (raim_vec2){at.x + said->indent, at.y + (said->below ? height : 0)}, &style,
                       line->text, said->text_width);
}

void hud_entry(const struct ui *ui, raim_vec2 at, const struct text_style *style,
               const struct entry *entry, double width, bool has_caret, bool is_focused)
{
    char head[ENTRY_BYTES];
    const double unit = ui->unit, bottom = at.y + text_height(style);
    snprintf(head, sizeof head, "%.*s", (int)entry->caret, entry->text);
    // Of a long text the part before the caret is shown.
    const char *shown = text_end_within(ui->text, style, head, width);
    const double caret = at.x + text_width(ui->text, style, shown) + 1.5 * unit;
    shown = entry->text + (shown - head);
    if (entry->is_selected && is_focused)
        draw_box(ui->draw,
                 (raim_box){{at.x - unit, at.y - unit},
                            {at.x + fmin(text_width(ui->text, style, shown), width) + unit,
                             bottom + unit}},
                 PALETTE_CHOSEN);
    text_write_within(ui->text, at, style, shown, width + unit);
    if (has_caret)
        draw_line(ui->draw, (raim_vec2){caret, at.y - unit}, (raim_vec2){caret, bottom + unit},
                  1.5 * unit, PALETTE_WHITE, PALETTE_WHITE);
}

// Draws the text being typed at the bottom of a box. Returns its top.
static double draw_entry(const struct ui *ui, raim_box box, const struct entry *entry, double now_s)
{
    const double unit = ui->unit;
    const struct text_style style = {.size = 15 * unit, .colour = PALETTE_WHITE};
    const double top = box.max.y - text_height(&style) - 8 * unit;
    const double room = box.max.x - box.min.x - 16 * unit;
    draw_panel(ui->draw, (raim_box){{box.min.x, top}, {box.max.x - 1, box.max.y - 1}}, 5 * unit,
               PALETTE_PANEL);
    hud_entry(ui, (raim_vec2){box.min.x + 6 * unit, top + 4 * unit}, &style, entry, room,
              fmod(now_s, 1) < 0.6, true);
    return top - 4 * unit;
}

void hud_chat(const struct ui *ui, raim_box box, const struct feed *chat, const struct entry *entry,
              double now_s)
{
    const double width = box.max.x - box.min.x;
    double bottom = entry != NULL ? draw_entry(ui, box, entry, now_s) : box.max.y;
    const uint32_t most = entry != NULL ? CHAT_HISTORY : CHAT_SHOWN;
    for (uint32_t age = 0; age < most; age++) {
        const struct feed_line *line = feed_line_at(chat, age);
        const double strength = line == NULL    ? 0
                                : entry != NULL ? 1
                                                : feed_strength(line, now_s, chat_s);
        if (strength <= 0)
            break;
        const struct said said = measure_said(ui, line, width);
        bottom -= said.height;
        if (bottom < box.min.y)
            break;
        write_said(ui, (raim_vec2){box.min.x, bottom}, line, &said, width, strength);
    }
}

// --- the local player ---

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

void hud_death(const struct ui *ui, raim_box box, const struct feed_person *killer,
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
    write_name(ui, (raim_vec2){middle.x - name / 2, top + line}, killer, &style, name + 1, 1);
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

// --- the phase of the match ---

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

// --- notices ---

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
