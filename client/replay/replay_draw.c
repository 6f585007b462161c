// SPDX-License-Identifier: MIT
// Draws a moment of a recording with the game's head-up display.
#include "replay_internal.h"

#include "hud.h"
#include "hud_layout.h"
#include "painter.h"
#include "palette.h"
#include "phase_text.h"

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
    feed_draw_kills(ui, layout.kills, &replay->kills, replay->moment_s);
    feed_draw_chat(ui, layout.chat, &replay->chat, NULL, replay->moment_s);
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
