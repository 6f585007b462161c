// SPDX-License-Identifier: MIT
// Draws the head-up display.
#include "hud.h"

#include "message.h"
#include "palette.h"

#include <assert.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>

enum { MAX_HINT_LINES = 3 };

static const double pi = 3.14159265358979323846;
static const double text_margin = 12; // units of ui->unit from the edge of the area

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

// Draws a line of the notice of death, on its own background: the names of players may lie below
// it.
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

void hud_kill(const struct ui *ui, raim_box box, const struct hud_person *victim, uint32_t streak,
              double strength)
{
    const double width = box.max.x - box.min.x, middle = (box.min.x + box.max.x) / 2;
    const struct text_style style = {.size = 17 * ui->unit,
                                     .weight = TEXT_BOLD,
                                     .colour = draw_faded(PALETTE_WHITE, strength),
                                     .outlined = true};
    struct text_style quiet = style;
    char words[32] = "destroyed";
    quiet.weight = TEXT_PLAIN;
    quiet.align = TEXT_CENTRE;
    if (streak > 1)
        snprintf(words, sizeof words, "destroyed, %u in a row", streak);
    const double name =
        fmin(text_width(ui->text, &style, victim->name) + 18 * ui->unit, width - ui->unit);
    // Below the local player, where the box has room there.
    const double line = text_height(&style);
    const double y = fmin(middle_of(ui).y + 70 * ui->unit, box.max.y - 2 * line);
    if (strength <= 0 || y < box.min.y)
        return;
    hud_name(ui, (raim_vec2){middle - name / 2, y}, victim, &style, name + ui->unit, strength);
    text_write_within(ui->text, (raim_vec2){middle, y + line}, &quiet, words, width);
}

void hud_crosshair(const struct ui *ui, raim_vec2 mouse, double hit, double kill)
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
    if (kill > 0)
        draw_ring(ui->draw, mouse, (22 + 14 * (1 - kill)) * unit, 3 * unit,
                  draw_faded(PALETTE_WHITE, kill));
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

void hud_killer(const struct ui *ui, raim_vec2 centre)
{
    draw_clip(ui->draw, &ui->area);
    draw_ring(ui->draw, centre, 30 * ui->unit, 3 * ui->unit, PALETTE_BAD);
    draw_clip(ui->draw, NULL);
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

static struct text_style round_style(const struct ui *ui)
{
    return (struct text_style){
        .size = 17 * ui->unit, .align = TEXT_CENTRE, .colour = PALETTE_WHITE, .outlined = true};
}

void hud_round(const struct ui *ui, raim_box box, const char *const texts[2])
{
    const struct text_style style = round_style(ui);
    const double width = box.max.x - box.min.x, height = box.max.y - box.min.y;
    const bool has_room = hud_round_height(ui, texts) < height + 1;
    raim_vec2 top = {(box.min.x + box.max.x) / 2, box.min.y};
    for (int i = 0; i < 2; i++) {
        if (has_room)
            top.y += text_write_wrapped(ui->text, top, &style, texts[i], width);
        else if (top.y + text_height(&style) < box.max.y + 1) {
            text_write_within(ui->text, top, &style, texts[i], width);
            top.y += text_height(&style);
        }
    }
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
    const double width = ui->area.max.x - ui->area.min.x - 2 * text_margin * ui->unit;
    const int count = text_wrap(ui->text, &style, hint, width)->count;
    return count < MAX_HINT_LINES ? count : MAX_HINT_LINES;
}

void hud_hint(const struct ui *ui, raim_box box, const char *hint, double strength)
{
    const struct text_style style = hint_style(ui, strength);
    text_write_wrapped(ui->text, (raim_vec2){(box.min.x + box.max.x) / 2, box.min.y}, &style, hint,
                       box.max.x - box.min.x);
}

// Parts of the view's width at which the columns begin and end.
static const double left_end = 0.31, middle_begin = 0.325, middle_end = 0.675, right_begin = 0.69;

double hud_round_height(const struct ui *ui, const char *const texts[2])
{
    const struct text_style style = round_style(ui);
    const double width = (middle_end - middle_begin) * (ui->area.max.x - ui->area.min.x);
    int lines = 0;
    for (int i = 0; i < 2; i++)
        lines += text_wrap(ui->text, &style, texts[i], width)->count;
    return lines * text_height(&style);
}

// Parts of the height.
static const double kills_end = 0.36, scores_end = 0.45;

static const double margin_points = 12, gap_points = 8, banner_points = 84;

// The least room for the network graph in a bar, points.
static const double bar_width_points = 170, bar_height_points = 64;

static raim_box box(double left, double top, double right, double bottom)
{
    return (raim_box){{left, top}, {fmax(left, right), fmax(top, bottom)}};
}

// The bar at the right or below, if the graph has room in it; otherwise an empty box.
static raim_box find_bar(const struct hud_frame *frame)
{
    const raim_box window = frame->window, area = frame->area;
    const double gap = gap_points * frame->unit;
    if (window.max.x - area.max.x >= bar_width_points * frame->unit)
        return box(area.max.x + gap, window.min.y + gap, window.max.x - gap, window.max.y - gap);
    if (window.max.y - area.max.y >= bar_height_points * frame->unit)
        return box(window.min.x + gap, area.max.y + gap, window.max.x - gap, window.max.y - gap);
    return (raim_box){{0, 0}, {0, 0}};
}

struct hud_layout hud_layout_of(const struct hud_frame *frame)
{
    struct hud_layout layout = {.clock = {{0, 0}, {0, 0}}};
    const raim_box area = frame->area;
    const double width = area.max.x - area.min.x, height = area.max.y - area.min.y;
    const double unit = frame->unit, gap = gap_points * unit;
    const double margin = fmin(margin_points * unit, height / 20);
    const double left = area.min.x + margin, right = area.max.x - margin;
    const double top = area.min.y + margin;
    const double middle = area.min.x + middle_begin * width,
                 middle_right = area.min.x + middle_end * width;
    const double hint_height = frame->hint_lines > 0 ? frame->hint_lines * frame->line + gap : 0;
    const double bottom = area.max.y - margin - hint_height;
    layout.hint = box(left, bottom + (hint_height > 0 ? gap / 2 : 0), right, area.max.y - margin);
    if (frame->hint_lines == 0)
        layout.hint = (raim_box){{0, 0}, {0, 0}};

    const double head = fmin(frame->has_banner ? banner_points * unit : 26 * unit, height / 4);
    const raim_box heading = box(middle, top, middle_right, top + fmax(head, 1.6 * frame->line));
    if (frame->has_banner)
        layout.banner = heading;
    else
        layout.clock = heading;
    double body_top = heading.max.y + gap;
    if (frame->round_height > 0) { // at most a third of the column, as the vote half of its rest
        const double most = (bottom - body_top) / 3;
        layout.round =
            box(middle, body_top, middle_right, body_top + fmin(frame->round_height, most));
        body_top = layout.round.max.y + gap;
    }
    if (frame->vote_height > 0) { // at most half of the column
        const double most = (bottom - body_top) / 2 - gap;
        layout.vote =
            box(middle, body_top, middle_right, body_top + fmin(frame->vote_height, most));
        body_top = layout.vote.max.y + gap;
    }
    const raim_box body = box(middle, body_top, middle_right, bottom);
    if (frame->has_table)
        layout.table = body;
    else
        layout.death = body;

    const double kills = top + kills_end * (bottom - top);
    layout.kills = box(left, top, area.min.x + left_end * width, kills);
    layout.chat = box(left, kills + gap, area.min.x + left_end * width, bottom);

    const double scores = top + scores_end * (bottom - top);
    const double column = area.min.x + right_begin * width;
    if (!frame->has_table)
        layout.scores = box(column, top, right, scores);
    if (!frame->has_graph)
        return layout;
    layout.graph = find_bar(frame);
    if (layout.graph.max.x <= layout.graph.min.x)
        layout.graph = box(column, scores + gap, right, bottom);
    return layout;
}

void phase_text_clock(const struct raim_client_phase *phase, char words[PHASE_TEXT_BYTES])
{
    const uint32_t left_s = (uint32_t)ceil(phase->left_s);
    const char *points = phase->score_limit == 1 ? "point" : "points";
    words[0] = '\0';
    if (phase->kind != RAIM_CLIENT_PLAY)
        return;
    int length = 0;
    if (phase->has_end)
        length = snprintf(words, PHASE_TEXT_BYTES, "%u:%02u", left_s / 60, left_s % 60);
    if (phase->score_limit > 0)
        snprintf(words + length, (size_t)(PHASE_TEXT_BYTES - length), "%sto %u %s",
                 phase->has_end ? "   " : "", phase->score_limit, points);
}

void phase_text_goal(const struct raim_client_phase *phase, char words[PHASE_TEXT_BYTES])
{
    words[0] = '\0';
    if (phase->kind != RAIM_CLIENT_PLAY)
        return;
    if (phase->score_limit > 0)
        snprintf(words, PHASE_TEXT_BYTES, "First to %u %s wins%s", phase->score_limit,
                 phase->score_limit == 1 ? "point" : "points",
                 phase->has_end ? ", or most when time is up" : "");
    else
        snprintf(words, PHASE_TEXT_BYTES, "%s",
                 phase->has_end ? "Most points when time is up wins"
                                : "Destroy the others: a point for each");
}

const char *phase_text_lost(bool awaits_restart)
{
    return awaits_restart ? "The server is restarting" : "Connection lost";
}

bool phase_text_banner(const struct raim_client_phase *phase, const char *winner,
                       const char *next_map, char title[PHASE_TEXT_BYTES],
                       char text[PHASE_TEXT_BYTES])
{
    switch (phase->kind) {
    case RAIM_CLIENT_BREAK:
        if (phase->winner == RAIM_NOBODY)
            snprintf(title, PHASE_TEXT_BYTES, "Round %u is a draw", phase->round);
        else
            snprintf(title, PHASE_TEXT_BYTES, "%s wins round %u", winner, phase->round);
        if (next_map[0] == '\0')
            snprintf(text, PHASE_TEXT_BYTES, "The next round begins in %.0f s",
                     ceil(phase->left_s));
        else
            snprintf(text, PHASE_TEXT_BYTES, "Next: %s   in %.0f s", next_map, ceil(phase->left_s));
        return true;
    case RAIM_CLIENT_PAUSED:
        snprintf(title, PHASE_TEXT_BYTES, "Paused");
        snprintf(text, PHASE_TEXT_BYTES, "The operator has paused the match");
        return true;
    case RAIM_CLIENT_PLAY:
        return false;
    }
    return false;
}

// "%s" stands for the address. The server's own text follows, if it sent one.
static const struct words {
    const char *title, *text;
    double retry_s;
} reasons[RAIM_REASONS] = {
    [RAIM_REASON_NONE] = {"%s ended the connection", "It gave no reason.", 5},
    [RAIM_REASON_LEFT] = {"You have left %s", "", 0},
    [RAIM_REASON_LOST] = {"The connection to %s broke",
                          "Your session could not be resumed. Is your network up?", 3},
    [RAIM_REASON_SHUTDOWN] = {"%s has shut down", "It may be back soon.", 5},
    [RAIM_REASON_VERSION] = {"%s speaks another version",
                             "Update the game, or ask the operator to update the server.", 0},
    [RAIM_REASON_FULL] = {"%s is full", "Wait for a free slot, or spectate from the home screen.",
                          5},
    [RAIM_REASON_NAME] = {"%s rejects your name", "Choose another one on the home screen.", 0},
    [RAIM_REASON_SILENT] = {"%s received nothing from you", "Your network may lose large packets.",
                            3},
    [RAIM_REASON_MALFORMED] = {"%s and this game speak different protocols",
                               "Update the game, or ask the operator to update the server.", 0},
    [RAIM_REASON_RESUMED] = {"Your session goes on elsewhere",
                             "Another window or machine has taken it over.", 0},
    [RAIM_REASON_KICKED] = {"The operator of %s ended your session", "", 0},
    [RAIM_REASON_DRAINING] = {"%s is about to shut down",
                              "It admits no new players. Choose another server.", 10},
    [RAIM_REASON_BANNED] = {"%s has banned your address", "", 0},
    [RAIM_REASON_RESTART] = {"%s restarts", "It should be back in a moment.", 3},
    [RAIM_REASON_ACCESS] = {"%s needs an access token",
                            "Type or paste it. The operator gives them out.", 0},
    [RAIM_REASON_IDLE] = {"You were idle for too long",
                          "Somebody else wanted to join, and the arena was full.", 0},
    [RAIM_REASON_PASSWORD] = {"%s needs a password", "Type it. The operator knows it.", 0},
    [RAIM_REASON_CHANNELS] = {"%s and this game speak different protocols",
                              "The connection had too few channels. Update the game.", 0},
};
static_assert(RAIM_REASONS == RAIM_REASON_PASSWORD + 1, "every reason has its words");

static struct end_text fill(const struct words *words, const struct end_text_case *end)
{
    struct end_text filled = {.retry_s = words->retry_s};
    // A title has at most one place for the address.
    const char *place = words->title;
    int length = 0;
    while (*place != '\0' && *place != '%')
        place++, length++;
    if (*place == '%')
        snprintf(filled.title, sizeof filled.title, "%.*s%s%s", length, words->title, end->where,
                 place + 2);
    else
        snprintf(filled.title, sizeof filled.title, "%s", words->title);
    // What ends a lost connection is said by the game itself.
    const bool speaks =
        end->text != NULL && end->text[0] != '\0' && end->reason != RAIM_REASON_LOST;
    snprintf(filled.text, sizeof filled.text, "%s%s%s%s%s", words->text,
             speaks && words->text[0] != '\0' ? " " : "", speaks ? "The server says: \"" : "",
             speaks ? end->text : "", speaks ? "\"." : "");
    return filled;
}

struct end_text end_text_of(const struct end_text_case *end)
{
    static const struct words
        unresolved = {"Unknown host: %s",
                      "This name leads to no server. Is the address right? Is your network up?", 0},
        other_key = {"%s has another key than before",
                     "Somebody may be in its place. If its operator has replaced the key, delete "
                     "its line from known_servers, in a browser the data of this site.",
                     0},
        wrong_password = {"%s has another password",
                          "Type it again. Spaces and case count; after ten wrong ones in a minute "
                          "your address has to wait.",
                          0},
        wrong_token =
            {"%s does not accept this access token",
             "It may be of another arena, used or out of date. Type or paste another one.", 0},
        no_encryption = {"%s offers no encryption", "The game requires it for this server.", 0},
        no_answer = {"No answer from %s", "Is it running? Is the address right?", 3};
    if (!end->is_resolved)
        return fill(&unresolved, end);
    if (end->shows_other_key)
        return fill(&other_key, end);
    if (end->reason == RAIM_REASON_PASSWORD && end->had_password)
        return fill(&wrong_password, end);
    if (end->reason == RAIM_REASON_ACCESS && end->had_access)
        return fill(&wrong_token, end);
    if (end->reason == RAIM_REASON_LOST && !end->was_entered)
        return fill(end->text != NULL && end->text[0] != '\0' ? &no_encryption : &no_answer, end);
    return fill(&reasons[end->reason < RAIM_REASONS ? end->reason : RAIM_REASON_NONE], end);
}
