// SPDX-License-Identifier: MIT
// Scrolls a list.
#include "list.h"

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

bool list_move(struct list *list, int way)
{
    const int next = list->selected + way;
    if (next < 0 || next >= list->count)
        return false;
    list->selected = next;
    return true;
}
