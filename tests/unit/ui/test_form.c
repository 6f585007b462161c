// SPDX-License-Identifier: MIT
// The focus of a form goes round its items and past them, fields are typed into, and buttons are
// chosen.
#include "chance.h"
#include "form.h"
#include "menu.h"
#include "test.h"

enum { NAME, HIDDEN, PLAY, ITEMS };

static struct entry name;
static struct form form;

static int set_up(void **state)
{
    (void)state;
    entry_set(&name, "old");
    form = (struct form){
        .count = ITEMS,
        .focus = ITEMS,
        .items = {[NAME] = {"Name", .entry = &name, .most = 5, .box = {{0, 0}, {10, 10}}},
                  [HIDDEN] = {"Hidden", .is_hidden = true, .box = {{20, 0}, {30, 10}}},
                  [PLAY] = {"Play", .box = {{40, 0}, {50, 10}}}},
    };
    return 0;
}

static int press(enum window_command command)
{
    return form_handle(&form, &(struct window_event){.kind = WINDOW_PRESSED, .command = command});
}

static int click(double x)
{
    return form_handle(
        &form, &(struct window_event){.kind = WINDOW_PRESSED, .clicked = true, .mouse = {x, 5}});
}

static int type(const char *text)
{
    struct window_event event = {.kind = WINDOW_TYPED};
    strcpy(event.text, text);
    return form_handle(&form, &event);
}

TEST(focus_goes_round_and_skips_hidden_items, set_up, NULL)
{
    static const int forward[] = {NAME, PLAY, ITEMS, NAME};
    for (int i = 0; i < 4; i++) {
        assert_int_equal(press(COMMAND_NEXT), FORM_NOTHING);
        assert_int_equal(form.focus, forward[i]);
    }
    form_move(&form, -1);
    assert_int_equal(form.focus, ITEMS);
    assert_int_equal(press(COMMAND_DOWN), FORM_PASSED);
    assert_int_equal(press(COMMAND_ACCEPT), FORM_PASSED);
}

TEST(typing_replaces_a_field_that_gets_the_focus, set_up, NULL)
{
    assert_int_equal(type("lost"), FORM_PASSED);
    assert_int_equal(click(5), FORM_NOTHING);
    assert_true(form_is_typing(&form));
    assert_int_equal(type("longer"), FORM_NOTHING);
    assert_string_equal(name.text, "longe");             // as many bytes as the field takes
    assert_int_equal(press(COMMAND_LEFT), FORM_NOTHING); // of the caret
    assert_int_equal(form.focus, NAME);
    assert_int_equal(press(COMMAND_ACCEPT), NAME);
}

TEST(buttons_are_chosen_by_click_and_enter, set_up, NULL)
{
    assert_int_equal(click(45), PLAY);
    assert_int_equal(press(COMMAND_ACCEPT), PLAY);
    assert_int_equal(click(25), FORM_PASSED);
    assert_int_equal(click(15), FORM_PASSED);
    assert_int_equal(press(COMMAND_BACK), FORM_PASSED);
}

// --- List ---

// A list shows as many rows as fit, and always the selected one.

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
