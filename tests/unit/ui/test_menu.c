// SPDX-License-Identifier: MIT
// Clicks beside the rows of a menu.
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

TEST(a_click_beside_a_menu_leads_back)
{
    struct menu menu = {.list = {.count = 2}, .panel = {{0, 0}, {200, 200}}};
    struct window_event event = {.kind = WINDOW_PRESSED, .clicked = true, .mouse = {100, 130}};
    list_lay_out(&menu.list, (raim_box){{20, 100}, {180, 150}}, 25);
    assert_int_equal(menu_handle(&menu, NULL, &event), 1);
    event.mouse.y = 50;
    assert_int_equal(menu_handle(&menu, NULL, &event), MENU_NOTHING);
    event.mouse.x = 210;
    assert_int_equal(menu_handle(&menu, NULL, &event), MENU_BACK);
}
