// SPDX-License-Identifier: MIT
// The screen of the settings changes, applies, stores and restores them, by keys and by mouse.
#define _GNU_SOURCE
#include "settings_screen.h"

#include "files_fixture.h"
#include "window_desktop.h"

static struct window *window;
static struct preferences preferences;
static struct settings_screen screen;

static void set_up(void)
{
    const struct window_def def = {640, 480, true};
    window = window_create(&def);
    assert_non_null(window);
    preferences_open(&preferences, window, false);
    snprintf(preferences.directory, sizeof preferences.directory, "%s/", test_directory());
    settings_screen_open(&screen, &preferences);
}

static void tear_down(void)
{
    preferences_close(&preferences);
    window_destroy(window);
    palette_choose(PALETTE_STANDARD);
}

TEST_EACH(set_up, tear_down)

static bool press(enum window_command command)
{
    return settings_screen_handle(
        &screen, &(struct window_event){.kind = WINDOW_PRESSED, .command = command});
}

static void go_to(const char *title)
{
    for (int i = 0; i < screen.menu.list.count; i++) {
        if (strcmp(screen.menu.items[screen.menu.list.selected].text, title) == 0)
            return;
        assert_true(press(COMMAND_DOWN));
    }
    fail_msg("there is no %s", title);
}

static const char *detail(void)
{
    return screen.menu.items[screen.menu.list.selected].detail;
}

TEST(numbers_step_within_their_ranges)
{
    go_to("Mouse sensitivity");
    press(COMMAND_RIGHT);
    assert_true(preferences.settings.sensitivity == 1.05);
    assert_string_equal(detail(), "1.05");
    for (int i = 0; i < 200; i++)
        press(COMMAND_RIGHT);
    assert_string_equal(detail(), "5.00");
    for (int i = 0; i < 200; i++)
        press(COMMAND_LEFT);
    assert_string_equal(detail(), "0.10");
    go_to("Volume");
    for (int i = 0; i < 3; i++)
        press(COMMAND_RIGHT);
    assert_string_equal(detail(), "100 %");
    press(COMMAND_ACCEPT); // Enter and clicks go round
    assert_string_equal(detail(), "0 %");
    go_to("Size of text");
    for (int i = 0; i < 9; i++)
        press(COMMAND_LEFT);
    assert_string_equal(detail(), "75 %");
}

TEST(colours_apply_at_once)
{
    go_to("Colours");
    press(COMMAND_LEFT);
    assert_string_equal(detail(), "High contrast");
    assert_ptr_equal(palette_now(), palette_of(PALETTE_CONTRAST));
    press(COMMAND_RIGHT);
    assert_ptr_equal(palette_now(), palette_of(PALETTE_STANDARD));
}

TEST(a_limit_to_the_frame_rate_is_chosen_from_a_list)
{
    static const int expected[] = {30, 60, 120, 144, 240, 0};
    go_to("Frame rate limit");
    assert_string_equal(detail(), "as the display");
    for (int i = 0; i < 6; i++) {
        press(COMMAND_RIGHT);
        assert_int_equal(preferences.settings.frame_cap_hz, expected[i]);
    }
}

TEST(leaving_stores_everything)
{
    go_to("Mute");
    press(COMMAND_ACCEPT);
    go_to("Keep the mouse in the window");
    press(COMMAND_ACCEPT);
    assert_false(press(COMMAND_BACK));
    const struct settings stored = settings_load(preferences.directory);
    assert_true(stored.mutes_sound);
    assert_true(stored.confines_mouse);
}

TEST(the_defaults_come_back_but_the_name_stays)
{
    snprintf(preferences.settings.name, sizeof preferences.settings.name, "Mira");
    go_to("Volume");
    press(COMMAND_LEFT);
    go_to("Restore the defaults");
    press(COMMAND_ACCEPT);
    assert_true(preferences.settings.volume == settings_default().volume);
    assert_string_equal(preferences.settings.name, "Mira");
}

TEST(a_button_is_bound)
{
    const window_button key = window_button_named("I");
    go_to("Keys, mouse and gamepad ...");
    press(COMMAND_ACCEPT);
    assert_int_equal(screen.page, SETTINGS_BINDINGS);
    go_to(bindings_title(ACTION_UP));
    press(COMMAND_ACCEPT);
    assert_string_equal(detail(), "press a key or button ...");
    settings_screen_handle(&screen, &(struct window_event){.kind = WINDOW_POINTED});
    assert_true(screen.waits_for_button);
    settings_screen_handle(&screen, &(struct window_event){.kind = WINDOW_PRESSED, .button = key});
    assert_int_equal(preferences.bindings.buttons[BINDING_KEYS][ACTION_UP], key);
    press(COMMAND_ACCEPT);
    settings_screen_handle(&screen, &(struct window_event){.kind = WINDOW_PRESSED,
                                                           .button = window_button_named("Escape"),
                                                           .command = COMMAND_BACK,
                                                           .opens_menu = true});
    assert_false(screen.waits_for_button); // and the old one stays
    assert_int_equal(preferences.bindings.buttons[BINDING_KEYS][ACTION_UP], key);
    go_to("Restore the defaults");
    press(COMMAND_ACCEPT);
    assert_int_not_equal(preferences.bindings.buttons[BINDING_KEYS][ACTION_UP], key);
    go_to("Back");
    assert_true(press(COMMAND_ACCEPT));
    assert_int_equal(screen.page, SETTINGS_MAIN);
    go_to("Back");
    assert_false(press(COMMAND_ACCEPT));
}
