// SPDX-License-Identifier: MIT
// Handles and draws forms.
#include "form.h"

#include "palette.h"

#include <math.h>

static struct entry *focused(const struct form *form)
{
    return form->focus < form->count ? form->items[form->focus].entry : NULL;
}

bool form_is_typing(const struct form *form)
{
    return focused(form) != NULL;
}

void form_focus(struct form *form, int item)
{
    const bool is_new = form->focus != item;
    form->focus = item;
    if (is_new && focused(form) != NULL)
        entry_select(focused(form));
}

void form_move(struct form *form, int way)
{
    int item = form->focus;
    do
        item = (item + way + form->count + 1) % (form->count + 1);
    while (item < form->count && form->items[item].is_hidden);
    form_focus(form, item);
}

static int click(struct form *form, raim_vec2 mouse)
{
    for (int i = 0; i < form->count; i++) {
        if (form->items[i].is_hidden || !raim_box_contains(form->items[i].box, mouse))
            continue;
        form_focus(form, i);
        return form->items[i].entry == NULL ? i : FORM_NOTHING;
    }
    return FORM_PASSED;
}

int form_handle(struct form *form, const struct window_event *event)
{
    struct entry *entry = focused(form);
    if (entry != NULL && !window_button_is_pad(event->button) &&
        entry_handle(entry, event, form->items[form->focus].most))
        return FORM_NOTHING;
    if (event->kind != WINDOW_PRESSED)
        return FORM_PASSED;
    if (event->clicked)
        return click(form, event->mouse);
    const enum window_command command = event->command;
    const bool has_focus = form->focus < form->count;
    if (command == COMMAND_NEXT ||
        (has_focus && (command == COMMAND_DOWN || command == COMMAND_RIGHT)))
        form_move(form, 1);
    else if (has_focus && (command == COMMAND_UP || command == COMMAND_LEFT))
        form_move(form, -1);
    else
        return has_focus && command == COMMAND_ACCEPT ? form->focus : FORM_PASSED;
    return FORM_NOTHING;
}

static void draw_field(const struct form_item *item, const struct ui *ui, bool has_focus,
                       double now_s)
{
    const double unit = ui->unit;
    const raim_box box = item->box;
    struct text_style style = {.size = 14 * unit, .colour = PALETTE_QUIET};
    text_write(ui->text,
               (raim_vec2){box.min.x + 2 * unit, box.min.y - text_height(&style) - 3 * unit},
               &style, item->label);
    ui_frame(ui, unit, box, has_focus ? PALETTE_WHITE : PALETTE_QUIET, PALETTE_ROCK);
    style = (struct text_style){.size = 17 * unit, .colour = PALETTE_WHITE};
    const double y = (box.min.y + box.max.y - text_height(&style)) / 2;
    entry_draw(item->entry, ui, (raim_vec2){box.min.x + 10 * unit, y}, &style,
               box.max.x - box.min.x - 22 * unit, has_focus && fmod(now_s, 1) < 0.6, has_focus);
}

static void draw_button(const struct form_item *item, const struct ui *ui, bool is_lit)
{
    const double unit = ui->unit;
    const raim_box box = item->box;
    draw_colour fill = item->is_main || is_lit ? PALETTE_CHOSEN : PALETTE_SHEET;
    if (item->is_main || is_lit)
        fill.a = 255;
    ui_frame(ui, unit, box, ui_rim(is_lit), fill);
    const struct text_style style = {.size = 17 * unit,
                                     .weight = item->is_main ? TEXT_BOLD : TEXT_PLAIN,
                                     .align = TEXT_CENTRE,
                                     .colour = PALETTE_WHITE};
    text_write_within(
        ui->text,
        (raim_vec2){(box.min.x + box.max.x) / 2, (box.min.y + box.max.y - text_height(&style)) / 2},
        &style, item->label, box.max.x - box.min.x - 8 * unit);
}

void form_draw(const struct form *form, const struct ui *ui, raim_vec2 mouse, double now_s)
{
    for (int i = 0; i < form->count; i++) {
        const struct form_item *item = &form->items[i];
        const bool has_focus = form->focus == i;
        if (item->is_hidden)
            continue;
        if (item->entry != NULL)
            draw_field(item, ui, has_focus, now_s);
        else
            draw_button(item, ui, has_focus || raim_box_contains(item->box, mouse));
    }
}
