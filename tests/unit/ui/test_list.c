// SPDX-License-Identifier: MIT
// A list shows as many rows as fit, and always the selected one.
#include "menu.h"

#include "chance.h"
#include "test.h"

static const raim_box box = {{10, 100}, {210, 200}};

TEST(selected_row_is_always_shown)
{
    struct list list = {.count = 30};
    for (int i = 0; i < 5000; i++) {
        if (chance_int(0, 49) == 0)
            list.count = chance_int(0, 39);
        list_move(&list, chance_int(0, 1) == 0 ? 1 : -1);
        const double row_height = chance_between(5, 155);
        list_lay_out(&list, box, row_height);
        const int room = row_height < 100 ? (int)(100 / row_height + 0.001) : 1;
        assert_int_equal(list.shown, list.count < room ? list.count : room);
        assert_true(list.first >= 0 && list.first + list.shown <= list.count);
        if (list.count > 0)
            assert_in_range(list.selected, list.first, list.first + list.shown - 1);
    }
}

TEST(a_row_is_where_it_is_clicked)
{
    struct list list = {.count = 8, .selected = 7};
    assert_int_equal(list_at(&list, (raim_vec2){20, 110}), LIST_NOTHING); // not laid out yet
    list_lay_out(&list, box, 20);
    assert_int_equal(list.first, 3);
    for (int i = 3; i < 8; i++) {
        const raim_box row = list_row(&list, i);
        assert_int_equal(list_at(&list, (raim_vec2){50, row.min.y + 1}), i);
        assert_int_equal(list_at(&list, (raim_vec2){50, row.max.y - 1}), i);
    }
    assert_int_equal(list_at(&list, (raim_vec2){50, 99}), LIST_NOTHING);
    assert_int_equal(list_at(&list, (raim_vec2){9, 110}), LIST_NOTHING);
    list.count = 2;
    list_lay_out(&list, box, 20);
    assert_int_equal(list_at(&list, (raim_vec2){50, 150}), LIST_NOTHING); // below the last row
}

TEST(selection_stays_in_the_list)
{
    struct list list = {.count = 2};
    assert_false(list_move(&list, -1));
    assert_true(list_move(&list, 1));
    assert_false(list_move(&list, 1));
    assert_int_equal(list.selected, 1);
}
