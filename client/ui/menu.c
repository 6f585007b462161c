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
    if (menu->list.count == MENU_ITEMS)
        return;
    struct menu_item *item = &menu->items[menu->list.count++];
    snprintf(item->text, sizeof item->text, "%s", text);
    snprintf(item->detail, sizeof item->detail, "%s", detail);
}

static int click(struct menu *menu, raim_vec2 place)
{
    const int under = list_at(&menu->list, place);
    if (under == LIST_NOTHING)
        list_go_on(&menu->list, place);
    return raim_box_contains(menu->panel, place) ? under : MENU_BACK;
}

int menu_handle(struct menu *menu, const struct window *window, const struct window_event *event)
{
    struct list *list = &menu->list;
    if (event->kind == WINDOW_POINTED) {
        const int under = list_at(list, window_mouse(window));
        list->selected = under != LIST_NOTHING ? under : list->selected;
    }
    if (event->kind != WINDOW_PRESSED)
        return MENU_NOTHING;
    if (event->clicked)
        return click(menu, event->mouse);
    if (event->command == COMMAND_UP && !list_move(list, -1) && list->count > 0)
        list->selected = list->count - 1;
    else if (event->command == COMMAND_DOWN && !list_move(list, 1))
        list->selected = 0;
    else if (event->command == COMMAND_ACCEPT && list->count > 0)
        return list->selected;
    return event->command == COMMAND_BACK ? MENU_BACK : MENU_NOTHING;
}

static void draw_row(const struct menu *menu, const struct ui *ui, int index, raim_box row)
{
    const double unit = ui->unit;
    const bool chosen = index == menu->list.selected;
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
    const double room = size.y - (head_points + foot_points + 8) * unit, row = row_points * unit;
    const double rows = fmin(fmax(1, floor(room / row)), fmax(menu->list.count, 0));
    const double half = fmin(width_points * unit, size.x - 60 * unit) / 2;
    const raim_box list = {{middle.x - half, middle.y - rows * row / 2},
                           {middle.x + half, middle.y + rows * row / 2}};
    list_lay_out(&menu->list, list, row);
    menu->panel = (raim_box){{list.min.x - 20 * unit, list.min.y - 62 * unit},
                             {list.max.x + 20 * unit, list.max.y + 46 * unit}};
    draw_panel(ui->draw, menu->panel, 12 * unit, PALETTE_SHEET);
    const struct text_style heading = {
        .size = 26 * unit, .weight = TEXT_BOLD, .align = TEXT_CENTRE, .colour = PALETTE_WHITE};
    text_write_within(ui->text, (raim_vec2){middle.x, list.min.y - 48 * unit}, &heading, title,
                      2 * half);
    const int end = menu->list.first + menu->list.shown;
    for (int i = menu->list.first; i < end; i++) {
        raim_box box = list_row(&menu->list, i);
        box.max.y -= 2 * unit;
        draw_row(menu, ui, i, box);
    }
    if (menu->list.first > 0)
        draw_arrow(ui, list.min.y - 4 * unit, -1);
    if (end < menu->list.count)
        draw_arrow(ui, list.max.y + 4 * unit, 1);
    const struct text_style small = {
        .size = 14 * unit, .align = TEXT_CENTRE, .colour = PALETTE_QUIET};
    text_write_within(ui->text, (raim_vec2){middle.x, list.max.y + 16 * unit}, &small, hint,
                      2 * half);
}

void list_lay_out(struct list *list, raim_box box, double row_height)
{
    const double tolerance = 0.001; // of a box that was made for a number of rows
    const int room = (int)fmax(1, floor((box.max.y - box.min.y) / row_height + tolerance));
    list->box = box;
    list->row_height = row_height;
    if (list->selected >= list->count)
        list->selected = list->count > 0 ? list->count - 1 : 0;
    if (list->selected < list->first)
        list->first = list->selected;
    if (list->selected >= list->first + room)
        list->first = list->selected - room + 1;
    if (list->first > 0 && list->first + room > list->count)
        list->first = list->count > room ? list->count - room : 0;
    list->shown = list->count - list->first < room ? list->count - list->first : room;
}

raim_box list_row(const struct list *list, int index)
{
    const double top = list->box.min.y + (index - list->first) * list->row_height;
    return (raim_box){{list->box.min.x, top}, {list->box.max.x, top + list->row_height}};
}

int list_at(const struct list *list, raim_vec2 place)
{
    if (list->row_height <= 0 || !raim_box_contains(list->box, place))
        return LIST_NOTHING;
    const int row = (int)((place.y - list->box.min.y) / list->row_height);
    return row < list->shown ? list->first + row : LIST_NOTHING;
}

void list_go_on(struct list *list, raim_vec2 place)
{
    const int end = list->first + list->shown;
    if (place.y < list->box.min.y && list->first > 0)
        list->selected = list->first - 1;
    else if (place.y >= list->box.max.y && end < list->count)
        list->selected = end;
}

bool list_move(struct list *list, int way)
{
    const int next = list->selected + way;
    if (next < 0 || next >= list->count)
        return false;
    list->selected = next;
    return true;
}
