// SPDX-License-Identifier: MIT
// The focus of a form goes round its items and past them, fields are typed into, and buttons are
// chosen.
#include "form.h"
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
