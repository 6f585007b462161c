// SPDX-License-Identifier: MIT
// Keeps and draws the latest lines.
#include "kill_feed.h"

#include "palette.h"

#include <math.h>

enum { KILLS_SHOWN = 6, CHAT_SHOWN = 6, CHAT_HISTORY = 16 };

static const double kill_s = 5, chat_s = 9;

void kill_feed_add(struct kill_feed *feed, const struct kill_feed_line *line)
{
    feed->lines[feed->count++ % KILL_FEED_LINES] = *line;
}

const struct kill_feed_line *kill_feed_line_at(const struct kill_feed *feed, uint32_t age)
{
    if (age >= KILL_FEED_LINES || age >= feed->count)
        return NULL;
    return &feed->lines[(feed->count - 1 - age) % KILL_FEED_LINES];
}

// Returns 1 for `shown_s`, and less and less within the next second.
static double opacity_of(const struct kill_feed_line *line, double now_s, double shown_s)
{
    const double left_s = line->born_s + shown_s + 1 - now_s;
    return fmin(fmax(left_s, 0), 1);
}

static void write_kill(const struct ui *ui, raim_vec2 at, const struct kill_feed_line *line,
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
    double x = hud_name(ui, at, &line->first, &style, room, strength) + 8 * unit;
    if (has_verb)
        x += text_write_within(ui->text, (raim_vec2){x, at.y}, &quiet, line->text,
                               at.x + width - x) +
             8 * unit;
    if (has_two)
        hud_name(ui, (raim_vec2){x, at.y}, &line->second, &style, at.x + width - x, strength);
}

void kill_feed_draw_kills(const struct ui *ui, raim_box box, const struct kill_feed *kills,
                          double now_s)
{
    const double row_height = hud_row_height(ui);
    raim_vec2 at = box.min;
    for (uint32_t age = 0; age < KILLS_SHOWN && at.y + row_height <= box.max.y; age++) {
        const struct kill_feed_line *line = kill_feed_line_at(kills, age);
        const double strength = line != NULL ? opacity_of(line, now_s, kill_s) : 0;
        if (strength <= 0)
            break;
        write_kill(ui, at, line, box.max.x - box.min.x, strength);
        at.y += row_height;
    }
}

// Where a chat line's parts lie: the speaker, and the text beside it or, after a long name, below.
struct said {
    double name_width; // pixels
    bool below;
    double indent, text_width, height;
};

static const char server_label[] = "SERVER", notice_label[] = "TO YOU";

static bool is_by_server(const struct kill_feed_line *line)
{
    return line->first.id == RAIM_NOBODY;
}

static draw_colour server_colour(const struct kill_feed_line *line)
{
    return line->is_notice ? PALETTE_QUIET : PALETTE_SHIELD;
}

// What stands before a line.
static const char *label_of(const struct kill_feed_line *line)
{
    return line->is_notice ? notice_label : is_by_server(line) ? server_label : line->first.name;
}

static struct text_style speaker_style(const struct ui *ui, const struct kill_feed_line *line,
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

static struct text_style chat_style(const struct ui *ui, const struct kill_feed_line *line,
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

static struct said measure_said(const struct ui *ui, const struct kill_feed_line *line,
                                double width)
{
    const struct text_style speaker = speaker_style(ui, line, 1), style = chat_style(ui, line, 1);
    struct said said = {.name_width = text_width(ui->text, &speaker, label_of(line)) +
                                      (is_by_server(line) ? 12 * ui->unit : 0)};
    said.below = said.name_width > 0.4 * width;
    said.indent = said.below ? 12 * ui->unit : said.name_width + 8 * ui->unit;
    said.text_width = width - said.indent;
    const int lines = text_wrap(ui->text, &style, line->text, said.text_width)->count;
    said.height = ((lines > 0 ? lines : 1) + said.below) * text_height(&style) + 3 * ui->unit;
    return said;
}

// Writes a chat line. Those of the server follow a filled badge, which no text can contain,
// and in a colour that no player has: the operator's, and those for the local player alone.
static void write_said(const struct ui *ui, raim_vec2 at, const struct kill_feed_line *line,
                       const struct said *said, double width, double strength)
{
    const struct text_style speaker = speaker_style(ui, line, strength),
                            style = chat_style(ui, line, strength);
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

// Draws the text being typed at the bottom of a box. Returns its top.
static double draw_entry(const struct ui *ui, raim_box box, const struct entry *entry, double now_s)
{
    const double unit = ui->unit;
    const struct text_style style = {.size = 15 * unit, .colour = PALETTE_WHITE};
    const double top = box.max.y - text_height(&style) - 8 * unit;
    const double room = box.max.x - box.min.x - 16 * unit;
    draw_panel(ui->draw, (raim_box){{box.min.x, top}, {box.max.x - 1, box.max.y - 1}}, 5 * unit,
               PALETTE_PANEL);
    entry_draw(entry, ui, (raim_vec2){box.min.x + 6 * unit, top + 4 * unit}, &style, room,
               fmod(now_s, 1) < 0.6, true);
    return top - 4 * unit;
}

void kill_feed_draw_chat(const struct ui *ui, raim_box box, const struct kill_feed *chat,
                         const struct entry *entry, double now_s)
{
    const double width = box.max.x - box.min.x;
    double bottom = entry != NULL ? draw_entry(ui, box, entry, now_s) : box.max.y;
    const uint32_t most = entry != NULL ? CHAT_HISTORY : CHAT_SHOWN;
    for (uint32_t age = 0; age < most; age++) {
        const struct kill_feed_line *line = kill_feed_line_at(chat, age);
        const double strength = line == NULL    ? 0
                                : entry != NULL ? 1
                                                : opacity_of(line, now_s, chat_s);
        if (strength <= 0)
            break;
        const struct said said = measure_said(ui, line, width);
        bottom -= said.height;
        if (bottom < box.min.y)
            break;
        write_said(ui, (raim_vec2){box.min.x, bottom}, line, &said, width, strength);
    }
}
