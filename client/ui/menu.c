// SPDX-License-Identifier: MIT
// Handles and draws menus.
#include "menu.h"

#include "palette.h"

#include <math.h>
#include <stdio.h>

static const double row_points = 34, width_points = 600;
static const double head_points = 66, foot_points = 52; // above and below the rows

void menu_add(struct menu *menu, const char *text, const char *detail)
{
    if (menu->count == MENU_ITEMS)
        return;
    struct menu_item *item = &menu->items[menu->count++];
    snprintf(item->text, sizeof item->text, "%s", text);
    snprintf(item->detail, sizeof item->detail, "%s", detail);
}

static int shown_count(const struct menu *menu)
{
    const int left = menu->count - menu->first;
    return left < menu->shown ? left : menu->shown;
}

static void keep_selected_shown(struct menu *menu)
{
    if (menu->selected >= menu->count)
        menu->selected = menu->count > 0 ? menu->count - 1 : 0;
    if (menu->selected < menu->first)
        menu->first = menu->selected;
    if (menu->selected >= menu->first + menu->shown)
        menu->first = menu->selected - menu->shown + 1;
    if (menu->first > 0 && menu->first + menu->shown > menu->count)
        menu->first = menu->count > menu->shown ? menu->count - menu->shown : 0;
}

static int item_under(const struct menu *menu, raim_vec2 mouse)
{
    if (menu->row_height <= 0 || !raim_box_contains(menu->list, mouse))
        return MENU_NOTHING;
    const int row = (int)((mouse.y - menu->list.min.y) / menu->row_height);
    return row < shown_count(menu) ? menu->first + row : MENU_NOTHING;
}

int menu_handle(struct menu *menu, const struct window *window, const struct window_event *event)
{
    const int under = item_under(menu, window_mouse(window));
    if (event->kind == WINDOW_POINTED && under != MENU_NOTHING)
        menu->selected = under;
    if (event->kind != WINDOW_PRESSED)
        return MENU_NOTHING;
    if (event->clicked)
        return under;
    switch (event->command) {
    case COMMAND_UP:
        menu->selected = (menu->selected + menu->count - 1) % (menu->count > 0 ? menu->count : 1);
        return MENU_NOTHING;
    case COMMAND_DOWN:
        menu->selected = (menu->selected + 1) % (menu->count > 0 ? menu->count : 1);
        return MENU_NOTHING;
    case COMMAND_ACCEPT:
        return menu->count > 0 ? menu->selected : MENU_NOTHING;
    case COMMAND_BACK:
        return MENU_BACK;
    case COMMAND_ERASE:
    case COMMAND_DELETE:
    case COMMAND_HOME:
    case COMMAND_END:
    case COMMAND_SELECT_ALL:
    case COMMAND_LEFT:
    case COMMAND_RIGHT:
    case COMMAND_NEXT:
    case COMMAND_NONE:
        break;
    }
    return MENU_NOTHING;
}

static void draw_row(const struct menu *menu, const struct ui *ui, int index, raim_box row)
{
    const double unit = ui->unit;
    const bool chosen = index == menu->selected;
    if (chosen)
        draw_panel(ui->draw, row, 6 * unit, PALETTE_CHOSEN);
    struct text_style style = {
        .size = 18 * unit,
        .weight = chosen ? TEXT_BOLD : TEXT_PLAIN,
        .colour = chosen ? PALETTE_WHITE : PALETTE_TEXT,
    };
    const double y = row.min.y + 6 * unit, room = row.max.x - row.min.x - 36 * unit;
    const char *detail = menu->items[index].detail;
    const double text_room = detail[0] != '\0' ? room * 0.55 : room;
    text_write_within(ui->text, (raim_vec2){row.min.x + 14 * unit, y}, &style,
                      menu->items[index].text, text_room);
    style = (struct text_style){
        .size = 15 * unit, .align = TEXT_RIGHT, .colour = chosen ? PALETTE_TEXT : PALETTE_QUIET};
    text_write_within(ui->text, (raim_vec2){row.max.x - 14 * unit, y + 2 * unit}, &style, detail,
                      room - text_room);
}

// Draws the arrow that shows that the list goes on, up or down by the sign of `way`.
static void draw_arrow(const struct ui *ui, double y, double way)
{
    const double x = (ui->area.min.x + ui->area.max.x) / 2, unit = ui->unit;
    const raim_vec2 corners[3] = {{x - 7 * unit, y}, {x + 7 * unit, y}, {x, y + 7 * unit * way}};
    draw_triangle(ui->draw, corners, PALETTE_QUIET);
}

void menu_draw(struct menu *menu, const struct ui *ui, const char *title, const char *hint)
{
    const double unit = ui->unit;
    const raim_vec2 middle = raim_vec2_scale(raim_vec2_add(ui->area.min, ui->area.max), 0.5);
    const raim_vec2 size = raim_vec2_sub(ui->area.max, ui->area.min);
    const double room = size.y - (head_points + foot_points + 8) * unit;
    menu->shown = (int)fmax(1, floor(room / (row_points * unit)));
    keep_selected_shown(menu);
    const int shown = shown_count(menu);
    const double height = shown * row_points * unit;
    const double half = fmin(width_points * unit, size.x - 60 * unit) / 2;
    menu->row_height = row_points * unit;
    menu->list = (raim_box){{middle.x - half, middle.y - height / 2},
                            {middle.x + half, middle.y + height / 2}};
    const raim_box list = menu->list;
    draw_panel(ui->draw,
               (raim_box){{list.min.x - 20 * unit, list.min.y - 62 * unit},
                          {list.max.x + 20 * unit, list.max.y + 46 * unit}},
               12 * unit, PALETTE_SHEET);
    const struct text_style heading = {
        .size = 26 * unit, .weight = TEXT_BOLD, .align = TEXT_CENTRE, .colour = PALETTE_WHITE};
    text_write_within(ui->text, (raim_vec2){middle.x, list.min.y - 48 * unit}, &heading, title,
                      2 * half);
    for (int i = 0; i < shown; i++)
        draw_row(menu, ui, menu->first + i,
                 (raim_box){{list.min.x, list.min.y + i * menu->row_height},
                            {list.max.x, list.min.y + (i + 1) * menu->row_height - 2 * unit}});
    if (menu->first > 0)
        draw_arrow(ui, list.min.y - 4 * unit, -1);
    if (menu->first + shown < menu->count)
        draw_arrow(ui, list.max.y + 4 * unit, 1);
    const struct text_style small = {
        .size = 14 * unit, .align = TEXT_CENTRE, .colour = PALETTE_QUIET};
    text_write_within(ui->text, (raim_vec2){middle.x, list.max.y + 16 * unit}, &small, hint,
                      2 * half);
}
