// SPDX-License-Identifier: MIT
// Draws a moment of a recording with the game's head-up display.
#include "hud.h"
#include "painter.h"
#include "palette.h"
#include "replay_internal.h"

#include <stdio.h>

static const double hint_s = 12;

static void label_of(const struct replay *replay, enum action action, char label[32])
{
    window_button_label(replay->window, replay->bindings->buttons[BINDING_KEYS][action], label, 32);
}

// Writes the keys for the first seconds and while it is paused; "" otherwise. Returns the opacity.
static double write_hint(const struct replay *replay, char *hint, size_t capacity)
{
    const double left_s =
        replay->playback.is_paused ? 1 : replay->opened_s + hint_s - replay->now_s;
    char label[ACTION_COUNT][32];
    hint[0] = '\0';
    if (left_s <= 0 || replay->is_paused || replay->is_bare)
        return 0;
    if (window_has_fingers(replay->window)) {
        snprintf(hint, capacity, "Tap a player: follow     drag: fly");
        return fmin(left_s, 1);
    }
    for (int i = 0; i < ACTION_COUNT; i++)
        label_of(replay, (enum action)i, label[i]);
    snprintf(
        hint, capacity,
        "%s: pause     %s %s: tick     %s %s: speed     %s %s: 5 s     %s %s or a click: player"
        "     %s %s %s %s, drag, wheel: fly     %s: as sent     %s: scores     Esc: menu",
        label[ACTION_PAUSE], label[ACTION_STEP_BACK], label[ACTION_STEP_FORWARD],
        label[ACTION_SLOWER], label[ACTION_FASTER], label[ACTION_JUMP_BACK],
        label[ACTION_JUMP_FORWARD], label[ACTION_PREVIOUS_PLAYER], label[ACTION_NEXT_PLAYER],
        label[ACTION_UP], label[ACTION_LEFT], label[ACTION_DOWN], label[ACTION_RIGHT],
        label[ACTION_SENT], label[ACTION_SCORES]);
    return fmin(left_s, 1);
}

static void draw_phase(const struct replay *replay, const struct ui *ui,
                       const struct hud_layout *layout)
{
    char title[PHASE_TEXT_BYTES], text[PHASE_TEXT_BYTES];
    const struct scoreboard *scoreboard = &replay->scoreboard;
    if (phase_text_banner(&scoreboard->phase, replay->winner.name, scoreboard->next_map, title,
                          text)) {
        hud_banner(ui, layout->banner, title, text);
        return;
    }
    phase_text_clock(&scoreboard->phase, text);
    hud_clock(ui, layout->clock, text);
}

// Draws what a developer wants to know.
static void draw_figures(const struct replay *replay, const struct ui *ui, raim_box box)
{
    char words[3][64];
    const struct frame_summary frames = frame_times_summary(replay->frames);
    const struct raim_world *world = raim_recording_world(replay->recording);
    const struct text_style style = {
        .size = 14 * ui->unit, .align = TEXT_RIGHT, .colour = PALETTE_TEXT, .outlined = true};
    snprintf(words[0], sizeof words[0], "tick %u of %u", replay->before_tick, replay->info->ticks);
    snprintf(words[1], sizeof words[1], "world's tick %u, %u Hz", world->tick, world->tick_hz);
    snprintf(words[2], sizeof words[2], "%.0f fps, p99 %.1f ms", frames.hz, frames.p99_ms);
    for (int i = 0; i < 3; i++) {
        const double y = box.min.y + i * text_height(&style);
        if (y + text_height(&style) <= box.max.y)
            text_write_within(ui->text, (raim_vec2){box.max.x, y}, &style, words[i],
                              box.max.x - box.min.x);
    }
}

static void draw_hud(struct replay *replay, const struct ui *ui)
{
    const struct scoreboard *scoreboard = &replay->scoreboard;
    const struct text_style small = {.size = 15 * ui->unit};
    char hint[640];
    const double strength = write_hint(replay, hint, sizeof hint);
    const struct hud_frame frame = {
        .window = {{0, 0}, {window_size(replay->window).x, ui->footer.min.y}},
        .area = ui->area,
        .unit = ui->unit,
        .line = text_height(&small),
        .hint_lines = strength > 0 ? hud_hint_lines(ui, hint) : 0,
        .has_table = replay_shows_table(replay),
        .has_banner = scoreboard->phase.kind != RAIM_CLIENT_PLAY,
        .has_graph = replay->shows_figures,
    };
    const struct hud_layout layout = hud_layout_of(&frame);
    kill_feed_draw_kills(ui, layout.kills, &replay->kills, replay->moment_s);
    kill_feed_draw_chat(ui, layout.chat, &replay->chat, NULL, replay->moment_s);
    if (frame.has_table)
        scoreboard_draw_table(ui, layout.table, scoreboard->scores, scoreboard->score_count,
                              &replay->first_score);
    else
        scoreboard_draw_top(ui, layout.scores, scoreboard->scores, scoreboard->score_count);
    draw_phase(replay, ui, &layout);
    if (replay->shows_figures)
        draw_figures(replay, ui, layout.graph);
    // The words of the timeline's place under the mouse lie there.
    const bool is_covered =
        raim_box_contains(replay->layout.boxes[REPLAY_BAR], window_mouse(replay->window));
    if (strength > 0 && !is_covered)
        hud_hint(ui, layout.hint, hint, strength);
}

// Draws where and why the recording plays no further.
static void draw_fault(const struct replay *replay, const struct ui *ui)
{
    const char *fault = replay_fault(replay);
    if (fault == NULL || replay->is_paused || replay->is_bare)
        return;
    const double unit = ui->unit, middle = (ui->area.min.x + ui->area.max.x) / 2;
    const double width = fmin(600 * unit, ui->area.max.x - ui->area.min.x - 40 * unit);
    const struct text_style style = {
        .size = 16 * unit, .align = TEXT_CENTRE, .colour = PALETTE_BAD};
    const double height = text_wrap(ui->text, &style, fault, width)->count * text_height(&style);
    const double y = (ui->area.min.y + ui->area.max.y - height) / 2;
    draw_panel(ui->draw,
               (raim_box){{middle - width / 2 - 14 * unit, y - 12 * unit},
                          {middle + width / 2 + 14 * unit, y + height + 12 * unit}},
               10 * unit, PALETTE_SHEET);
    text_write_wrapped(ui->text, (raim_vec2){middle, y}, &style, fault, width);
}

static void draw_layer(struct replay *replay, const struct ui *ui)
{
    window_show_pointer(replay->window, true);
    if (!replay->is_paused)
        return;
    hud_veil(ui);
    pause_menu_draw(&replay->pause, ui, replay->name);
}

void replay_draw(struct replay *replay, const struct ui *ui)
{
    struct viewport viewport = viewport_fit_in(replay_view(replay).size, ui->area);
    viewport.eye = replay->shown->eye;
    painter_paint(ui, &viewport, replay->shown, &replay->effects);
    draw_hud(replay, ui);
    draw_fault(replay, ui);
    if (!replay->is_bare)
        replay_footer_draw(replay, ui);
    draw_layer(replay, ui);
}

enum { MAX_MARKS = 8192 };

static raim_vec2 middle_of(raim_box box)
{
    return raim_vec2_scale(raim_vec2_add(box.min, box.max), 0.5);
}

static bool is_shown(raim_box box)
{
    return box.max.x > box.min.x;
}

// The marks of the followed player differ by shape and place, too: up for its kills, down for its
// deaths; `has_tip` false leaves the triangle out.
static void draw_mark(const struct ui *ui, const struct timeline_mark *mark, raim_box groove,
                      double unit, bool has_tip)
{
    const raim_box bar = {{mark->x, groove.min.y}, {mark->x + fmax(1, unit), groove.max.y}};
    const double half = 4.5 * unit, tall = 7 * unit, x = mark->x + fmax(1, unit) / 2;
    const double top = groove.min.y - unit, bottom = groove.max.y + unit;
    switch (mark->kind) {
    case TIMELINE_KILL:
        draw_box(ui->draw, bar, draw_faded(PALETTE_WHITE, 0.3));
        break;
    case TIMELINE_KILL_BY:
        draw_box(ui->draw, bar, PALETTE_GOOD);
        if (has_tip)
            draw_triangle(ui->draw,
                          (raim_vec2[3]){{x - half, top}, {x + half, top}, {x, top - tall}},
                          PALETTE_GOOD);
        break;
    case TIMELINE_KILL_OF:
        draw_box(ui->draw, bar, PALETTE_BAD);
        if (has_tip)
            draw_triangle(
                ui->draw,
                (raim_vec2[3]){{x - half, bottom}, {x + half, bottom}, {x, bottom + tall}},
                PALETTE_BAD);
        break;
    case TIMELINE_ROUND:
    case TIMELINE_ROUND_END:
        draw_box(ui->draw,
                 (raim_box){{mark->x, groove.min.y - 3 * unit},
                            {mark->x + fmax(1, 2 * unit), groove.max.y + 3 * unit}},
                 mark->kind == TIMELINE_ROUND ? PALETTE_SHIELD : PALETTE_QUIET);
        break;
    case TIMELINE_KINDS:
        break;
    }
}

// Marks of the followed player cover others. Where they are dense, not each has a triangle.
static void draw_marks(const struct ui *ui, const struct timeline_mark *marks, uint32_t count,
                       raim_box groove, double unit)
{
    for (int kind = 0; kind < TIMELINE_KINDS; kind++) {
        double free_x = groove.min.x - 1;
        for (uint32_t i = 0; i < count; i++) {
            if ((int)marks[i].kind != kind)
                continue;
            const bool has_tip = marks[i].x >= free_x;
            draw_mark(ui, &marks[i], groove, unit, has_tip);
            if (has_tip)
                free_x = marks[i].x + 8 * unit;
        }
    }
}

// Writes what a place in the timeline stands for: a chapter, or the time.
static void write_place(const struct replay *replay, const struct timeline *timeline, double x,
                        char *words, size_t capacity)
{
    char when[PLAYBACK_TIME_BYTES];
    uint32_t count;
    const struct raim_chapter *chapters = raim_recording_chapters(replay->recording, &count);
    const struct raim_chapter *chapter = timeline_chapter_at(
        timeline, chapters, count, replay->followed, x, 5 * replay->layout.unit);
    playback_time(&replay->playback, chapter != NULL ? chapter->tick : timeline_tick(timeline, x),
                  false, when);
    if (chapter == NULL)
        snprintf(words, capacity, "%s", when);
    else if (chapter->kind == RAIM_CHAPTER_KILL)
        snprintf(words, capacity, "%s   %s destroyed %s", when,
                 replay_player_name(replay, chapter->player, chapter->tick),
                 replay_player_name(replay, chapter->victim, chapter->tick));
    else if (chapter->kind == RAIM_CHAPTER_ROUND)
        snprintf(words, capacity, "%s   Round %u", when, chapter->round);
    else if (chapter->player == RAIM_NOBODY)
        snprintf(words, capacity, "%s   The round is a draw", when);
    else
        snprintf(words, capacity, "%s   %s wins the round", when,
                 replay_player_name(replay, chapter->player, chapter->tick));
}

// Draws the words of the place under the mouse above the timeline.
static void draw_tip(const struct replay *replay, const struct ui *ui,
                     const struct timeline *timeline)
{
    const raim_vec2 mouse = window_mouse(replay->window);
    const double unit = replay->layout.unit;
    char words[128];
    if (!raim_box_contains(timeline->bar, mouse) || replay->is_paused)
        return;
    write_place(replay, timeline, mouse.x, words, sizeof words);
    const struct text_style style = {
        .size = 15 * unit, .align = TEXT_CENTRE, .colour = PALETTE_WHITE};
    const double half = text_width(ui->text, &style, words) / 2 + 8 * unit;
    const double x = fmin(fmax(mouse.x, timeline->bar.min.x + half),
                          fmax(timeline->bar.max.x - half, timeline->bar.min.x + half));
    const double bottom = ui->footer.min.y - 2 * unit;
    const double top = bottom - text_height(&style) - 6 * unit;
    draw_panel(ui->draw, (raim_box){{x - half, top}, {x + half, bottom}}, 5 * unit, PALETTE_SHEET);
    text_write(ui->text, (raim_vec2){x, top + 3 * unit}, &style, words);
}

static void draw_bar(const struct replay *replay, const struct ui *ui)
{
    static struct timeline_mark marks[MAX_MARKS]; // too large for the stack
    const struct timeline timeline = {replay->layout.boxes[REPLAY_BAR], replay->info->ticks};
    const double unit = replay->layout.unit, middle = middle_of(timeline.bar).y;
    const double now = timeline_x(&timeline, replay->playback.position);
    const raim_box groove = {{timeline.bar.min.x, middle - 4 * unit},
                             {timeline.bar.max.x, middle + 4 * unit}};
    raim_box part = groove;
    uint32_t count;
    const struct raim_chapter *chapters = raim_recording_chapters(replay->recording, &count);
    count = timeline_marks(&timeline, chapters, count, replay->followed, marks, MAX_MARKS);
    draw_box(ui->draw, groove, PALETTE_ROCK);
    part.min.x = timeline_x(&timeline, replay->playback.ticks);
    if (part.min.x < part.max.x)
        draw_box(ui->draw, part, draw_faded(PALETTE_BAD, 0.5)); // damaged
    part = groove;
    part.max.x = now;
    if (part.min.x < part.max.x)
        draw_box(ui->draw, part, draw_mixed(PALETTE_CHOSEN, PALETTE_QUIET, 0.25));
    draw_marks(ui, marks, count, groove, unit);
    draw_disc(ui->draw, (raim_vec2){now, middle}, 7 * unit, PALETTE_WHITE);
    draw_tip(replay, ui, &timeline);
}

static void draw_button(const struct replay *replay, const struct ui *ui, enum replay_part part,
                        bool is_on)
{
    const raim_box box = replay->layout.boxes[part];
    const double unit = replay->layout.unit;
    const bool is_lit = !replay->is_paused && raim_box_contains(box, window_mouse(replay->window));
    draw_colour fill = is_on ? PALETTE_CHOSEN : PALETTE_SHEET;
    fill.a = 255;
    ui_frame(ui, unit, box, ui_rim(is_lit), fill);
}

static void write_in(const struct replay *replay, const struct ui *ui, enum replay_part part,
                     const char *words, enum text_align align)
{
    const raim_box box = replay->layout.boxes[part];
    const struct text_style style = {
        .size = 15 * replay->layout.unit, .align = align, .colour = PALETTE_TEXT};
    const double x = align == TEXT_LEFT ? box.min.x : middle_of(box).x;
    if (is_shown(box))
        text_write_within(ui->text, (raim_vec2){x, middle_of(box).y - text_height(&style) / 2},
                          &style, words, box.max.x - box.min.x - 6 * replay->layout.unit);
}

static void draw_word_button(const struct replay *replay, const struct ui *ui,
                             enum replay_part part, const char *words, bool is_on)
{
    if (!is_shown(replay->layout.boxes[part]))
        return;
    draw_button(replay, ui, part, is_on);
    write_in(replay, ui, part, words, TEXT_CENTRE);
}

// A triangle that points right for a `way` of 1 and left for -1.
static void draw_arrow(const struct ui *ui, raim_vec2 centre, double size, int way,
                       draw_colour colour)
{
    const double tip = centre.x + way * size, base = centre.x - way * 0.7 * size;
    draw_triangle(ui->draw,
                  (raim_vec2[3]){{base, centre.y - size}, {base, centre.y + size}, {tip, centre.y}},
                  colour);
}

static void draw_upright(const struct ui *ui, double x, double y, double half_height, double width)
{
    draw_box(ui->draw,
             (raim_box){{x - width / 2, y - half_height}, {x + width / 2, y + half_height}},
             PALETTE_TEXT);
}

static void draw_step_button(const struct replay *replay, const struct ui *ui,
                             enum replay_part part, int way)
{
    const double unit = replay->layout.unit;
    const raim_vec2 at = middle_of(replay->layout.boxes[part]);
    if (!is_shown(replay->layout.boxes[part]))
        return;
    draw_button(replay, ui, part, false);
    draw_arrow(ui, (raim_vec2){at.x + way * 2 * unit, at.y}, 6 * unit, way, PALETTE_TEXT);
    draw_upright(ui, at.x - way * 6 * unit, at.y, 6 * unit, 2.5 * unit);
}

static void draw_play_button(const struct replay *replay, const struct ui *ui)
{
    const double unit = replay->layout.unit;
    const raim_vec2 at = middle_of(replay->layout.boxes[REPLAY_PLAY]);
    if (!is_shown(replay->layout.boxes[REPLAY_PLAY]))
        return;
    draw_button(replay, ui, REPLAY_PLAY, true);
    if (replay->playback.is_paused) {
        draw_arrow(ui, (raim_vec2){at.x - unit, at.y}, 9 * unit, 1, PALETTE_WHITE);
        return;
    }
    draw_upright(ui, at.x - 4.5 * unit, at.y, 8 * unit, 5 * unit);
    draw_upright(ui, at.x + 4.5 * unit, at.y, 8 * unit, 5 * unit);
}

static void write_who(const struct replay *replay, char *words, size_t capacity)
{
    const struct scoreboard *scoreboard = &replay->scoreboard;
    const uint32_t row = scoreboard_row(scoreboard, replay->followed);
    if (replay->followed == RAIM_NOBODY)
        snprintf(words, capacity, "Free view");
    else if (row == scoreboard->score_count)
        snprintf(words, capacity, "%s is not in the arena",
                 replay_player_name(replay, replay->followed, replay->before_tick));
    else
        snprintf(words, capacity, "%s%s", scoreboard->scores[row].name,
                 !scoreboard->is_alive                  ? " is down"
                 : !replay->as_sent || replay->is_known ? ""
                 : scoreboard->scores[row].bot          ? ": a bot, which is sent nothing"
                                                        : ": nothing was sent yet");
}

void replay_footer_draw(struct replay *replay, const struct ui *ui)
{
    char words[128], now[PLAYBACK_TIME_BYTES], end[PLAYBACK_TIME_BYTES];
    replay->layout = replay_layout_of(ui->footer, window_has_fingers(replay->window));
    draw_bar(replay, ui);
    draw_word_button(replay, ui, REPLAY_MENU, "Menu", false);
    draw_step_button(replay, ui, REPLAY_STEP_BACK, -1);
    draw_play_button(replay, ui);
    draw_step_button(replay, ui, REPLAY_STEP_FORWARD, 1);
    draw_word_button(replay, ui, REPLAY_SLOWER, "-", false);
    draw_word_button(replay, ui, REPLAY_FASTER, "+", false);
    snprintf(words, sizeof words, "%gx", playback_factor(&replay->playback));
    write_in(replay, ui, REPLAY_SPEED, words, TEXT_CENTRE);
    playback_time(&replay->playback, replay->playback.position, true, now);
    playback_time(&replay->playback, replay->info->ticks, false, end);
    snprintf(words, sizeof words, "%s / %s", now, end);
    write_in(replay, ui, REPLAY_TIME, words, TEXT_CENTRE);
    write_who(replay, words, sizeof words);
    write_in(replay, ui, REPLAY_WHO, words, TEXT_CENTRE);
    draw_word_button(replay, ui, REPLAY_SENT, replay->as_sent ? "As sent" : "Everything",
                     replay->as_sent && replay->followed != RAIM_NOBODY);
    draw_word_button(replay, ui, REPLAY_FLY, "Fly", replay->followed == RAIM_NOBODY);
}
