// SPDX-License-Identifier: MIT
// Lays the buttons out by the pixels of the page or desktop, so that they are as wide as a finger.
#include "touch.h"

#include "palette.h"

#include <math.h>

enum button { BUTTON_MENU, BUTTON_CHAT, BUTTON_SCORES, BUTTON_YES, BUTTON_NO, BUTTONS };

static const char *const labels[BUTTONS] = {"Menu", "Chat", "Scores", "Yes", "No"};

// Points, of which a display has window_pixel_ratio pixels each.
static const double button_points = 52, gap_points = 10, reach_points = 60;

static const double fire_part = 0.6; // of the reach

static int button_count(const struct touch *touch)
{
    return touch->has_vote ? BUTTONS : BUTTON_YES;
}

static raim_box button_box(const struct window *window, int button)
{
    const double ratio = window_pixel_ratio(window);
    const double side = button_points * ratio, gap = gap_points * ratio;
    const double top = 0.2 * window_size(window).y + button * (0.8 * side + gap);
    return (raim_box){{gap / 2, top}, {gap / 2 + side, top + 0.8 * side}};
}

// The button at a place; BUTTONS: none.
static int button_at(const struct touch *touch, const struct window *window, raim_vec2 place)
{
    for (int i = 0; i < button_count(touch); i++)
        if (raim_box_contains(button_box(window, i), place))
            return i;
    return BUTTONS;
}

bool touch_translate(struct touch *touch, const struct window *window,
                     const struct bindings *bindings, const struct window_event *event,
                     struct window_event *press)
{
    static const enum action actions[BUTTONS] = {
        [BUTTON_CHAT] = ACTION_CHAT, [BUTTON_YES] = ACTION_VOTE_YES, [BUTTON_NO] = ACTION_VOTE_NO};
    if (event->kind != WINDOW_TOUCHED)
        return false;
    const int button = button_at(touch, window, event->mouse);
    *press = (struct window_event){.kind = WINDOW_PRESSED, .mouse = event->mouse};
    press->opens_menu = button == BUTTON_MENU;
    if (button == BUTTON_MENU)
        press->command = COMMAND_BACK;
    else if (button == BUTTON_SCORES)
        touch->shows_scores = !touch->shows_scores;
    else if (button < BUTTONS)
        press->button = bindings->buttons[BINDING_KEYS][actions[button]];
    else
        press->command = COMMAND_ACCEPT;
    return button != BUTTON_SCORES;
}

// How far a finger is from where it was put down, as a stick: y up, at most 1 long.
static raim_vec2 deflection(const struct window *window, const struct window_finger *finger)
{
    const raim_vec2 way = raim_vec2_sub(finger->at, finger->from);
    const double reach = reach_points * window_pixel_ratio(window);
    const raim_vec2 part = raim_vec2_scale(way, 1 / fmax(reach, raim_vec2_length(way)));
    return (raim_vec2){part.x, -part.y};
}

// A finger that was put down on a button is no stick.
static bool is_stick(const struct window *window, const struct window_finger *finger)
{
    const struct touch all = {.has_vote = true};
    return finger->is_down && button_at(&all, window, finger->from) == BUTTONS;
}

struct window_pad touch_pad(const struct window *window, bool *fires)
{
    const struct window_finger *fingers = window_fingers(window);
    const double middle = window_size(window).x / 2;
    struct window_pad pad = {0};
    for (int i = 0; i < WINDOW_FINGERS; i++) {
        if (!is_stick(window, &fingers[i]))
            continue;
        const raim_vec2 way = deflection(window, &fingers[i]);
        if (fingers[i].from.x < middle)
            pad.left = way;
        else
            pad.right = way;
    }
    *fires = raim_vec2_length(pad.right) > fire_part;
    return pad;
}

static void draw_stick(const struct ui *ui, raim_vec2 base, raim_vec2 knob, double reach,
                       double strength)
{
    draw_ring(ui->draw, base, reach, 2 * ui->unit, draw_faded(PALETTE_WHITE, 0.35 * strength));
    draw_disc(ui->draw, knob, 0.45 * reach, draw_faded(PALETTE_WHITE, 0.25 * strength));
}

void touch_draw(const struct touch *touch, const struct ui *ui, const struct window *window)
{
    const struct window_finger *fingers = window_fingers(window);
    const double ratio = window_pixel_ratio(window), reach = reach_points * ratio;
    const raim_vec2 size = window_size(window);
    bool is_held[2] = {false, false};
    for (int i = 0; i < WINDOW_FINGERS; i++) {
        if (!is_stick(window, &fingers[i]))
            continue;
        const raim_vec2 way = deflection(window, &fingers[i]);
        const raim_vec2 knob = {fingers[i].from.x + way.x * reach,
                                fingers[i].from.y - way.y * reach};
        is_held[fingers[i].from.x >= size.x / 2] = true;
        draw_stick(ui, fingers[i].from, knob, reach, 1);
    }
    for (int side = 0; side < 2; side++) {
        const double away = 2.2 * reach;
        const raim_vec2 rest = {side == 0 ? away : size.x - away, size.y - 1.4 * reach};
        if (!is_held[side])
            draw_stick(ui, rest, rest, reach, 0.5);
    }
    const struct text_style style = {
        .size = 13 * ratio, .align = TEXT_CENTRE, .colour = PALETTE_TEXT, .outlined = true};
    for (int i = 0; i < button_count(touch); i++) {
        const raim_box box = button_box(window, i);
        const raim_vec2 top = {(box.min.x + box.max.x) / 2,
                               (box.min.y + box.max.y - text_height(&style)) / 2};
        ui_frame(ui, ratio, box, draw_faded(PALETTE_CHOSEN, 0.6), draw_faded(PALETTE_PANEL, 0.8));
        text_write_within(ui->text, top, &style, labels[i], box.max.x - box.min.x);
    }
}
