// SPDX-License-Identifier: MIT
// Lists that are longer than their box.
#include "menu.h"
#include "test.h"

TEST(a_press_beside_the_rows_goes_on)
{
    const raim_box box = {{0, 100}, {200, 200}};
    struct list list = {.count = 6};
    list_lay_out(&list, box, 25);
    assert_int_equal(list.shown, 4);
    list_go_on(&list, (raim_vec2){100, 90}); // it begins there
    list_go_on(&list, (raim_vec2){100, 150});
    assert_int_equal(list.selected, 0);
    for (int i = 0; i < 3; i++) {
        list_go_on(&list, (raim_vec2){100, 210});
        list_lay_out(&list, box, 25);
    }
    assert_int_equal(list.selected, 5);
    assert_int_equal(list.first, 2);
    list_go_on(&list, (raim_vec2){100, 90});
    list_lay_out(&list, box, 25);
    assert_int_equal(list.first, 1);
}
