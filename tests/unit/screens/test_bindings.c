// SPDX-License-Identifier: MIT
// Which button does what: bound, exchanged, kept in a file and read again.
#define _GNU_SOURCE
#include "bindings.h"
#include "files_fixture.h"

static const char *directory;

static void set_up(void)
{
    directory = path_in(test_directory(), "");
}

TEST_EACH(set_up, NULL)

static void assert_same(const struct bindings *a, const struct bindings *b)
{
    assert_memory_equal(a->buttons, b->buttons, sizeof a->buttons);
}

TEST(every_action_has_a_key_of_its_own_at_first)
{
    const struct bindings bindings = bindings_default();
    for (int i = 0; i < ACTION_COUNT; i++) {
        assert_true(bindings.buttons[BINDING_KEYS][i] > 0);
        for (int j = 0; j < i; j++)
            assert_int_not_equal(bindings.buttons[BINDING_KEYS][i],
                                 bindings.buttons[BINDING_KEYS][j]);
    }
}

TEST(every_default_comes_back_by_its_name)
{
    const struct bindings bindings = bindings_default();
    for (int device = 0; device < BINDING_DEVICES; device++) {
        for (int i = 0; i < ACTION_COUNT; i++) {
            const window_button button = bindings.buttons[device][i];
            char name[64];
            window_button_name(button, name, sizeof name);
            assert_int_equal(window_button_named(name), button);
            assert_true(button == 0 || window_button_is_pad(button) == (device == BINDING_PAD));
        }
    }
    assert_int_equal(window_button_named("Pad leftx"), 0);
    assert_int_equal(window_button_named("Pad nonsense"), 0);
    assert_int_equal(window_button_named("no such key"), 0);
    assert_int_equal(window_button_named("Mouse 0"), 0);
    assert_int_equal(window_button_named("Mouse 99"), 0);
}

TEST(a_key_that_is_taken_is_exchanged)
{
    const struct bindings before = bindings_default();
    struct bindings bindings = before;
    bindings_bind(&bindings, ACTION_UP, before.buttons[BINDING_KEYS][ACTION_FIRE]);
    assert_int_equal(bindings.buttons[BINDING_KEYS][ACTION_UP],
                     before.buttons[BINDING_KEYS][ACTION_FIRE]);
    assert_int_equal(bindings.buttons[BINDING_KEYS][ACTION_FIRE],
                     before.buttons[BINDING_KEYS][ACTION_UP]);
    bindings_bind(&bindings, ACTION_UP, bindings.buttons[BINDING_KEYS][ACTION_UP]);
    assert_int_equal(bindings.buttons[BINDING_KEYS][ACTION_UP],
                     before.buttons[BINDING_KEYS][ACTION_FIRE]);
}

TEST(a_match_and_a_recording_may_share_a_key)
{
    const struct bindings before = bindings_default();
    struct bindings bindings = before;
    const window_button space = before.buttons[BINDING_KEYS][ACTION_PAUSE];
    bindings_bind(&bindings, ACTION_FIRE, space);
    assert_true(bindings_triggers(&bindings, ACTION_FIRE, space));
    assert_true(bindings_triggers(&bindings, ACTION_PAUSE, space));
    bindings_bind(&bindings, ACTION_UP, space); // which both have
    assert_int_equal(bindings.buttons[BINDING_KEYS][ACTION_PAUSE],
                     before.buttons[BINDING_KEYS][ACTION_UP]);
}

TEST(each_device_has_a_button_of_its_own)
{
    const struct bindings before = bindings_default();
    const window_button fire = before.buttons[BINDING_PAD][ACTION_FIRE];
    struct bindings bindings = before;
    bindings_bind(&bindings, ACTION_UP, fire);
    assert_int_equal(bindings.buttons[BINDING_PAD][ACTION_UP], fire);
    assert_int_equal(bindings.buttons[BINDING_KEYS][ACTION_UP],
                     before.buttons[BINDING_KEYS][ACTION_UP]);
    assert_true(bindings_triggers(&bindings, ACTION_UP, fire));
    assert_true(bindings_triggers(&bindings, ACTION_UP, window_button_named("W")));
    assert_false(bindings_triggers(&bindings, ACTION_FIRE, fire));
    assert_false(bindings_triggers(&bindings, ACTION_CHAT, 0));
}

TEST(what_is_saved_is_loaded)
{
    struct bindings saved = bindings_default();
    bindings_bind(&saved, ACTION_UP, window_button_named("Up"));
    bindings_bind(&saved, ACTION_CHAT, window_button_named("Mouse 3"));
    bindings_bind(&saved, ACTION_FIRE, window_button_named("Pad a"));
    bindings_bind(&saved, ACTION_CHAT, window_button_named("Pad y"));
    bindings_bind(&saved, ACTION_LEFT, saved.buttons[BINDING_KEYS][ACTION_RIGHT]);
    assert_true(bindings_save(&saved, directory));
    struct bindings loaded = bindings_default();
    bindings_load(&loaded, directory);
    assert_same(&loaded, &saved);
}

TEST(wrong_lines_change_nothing)
{
    write_file(path_in(directory, "keys"),
               "up\nup =\n= W\ndance = Space\nup = No Such Key\n\n#\nup = Mouse 77\n");
    const struct bindings before = bindings_default();
    struct bindings bindings = before;
    bindings_load(&bindings, directory);
    assert_same(&bindings, &before);
}

TEST(without_a_directory_nothing_is_kept)
{
    const struct bindings before = bindings_default();
    struct bindings bindings = before;
    bindings_load(&bindings, "");
    bindings_load(&bindings, "/dev/null/at/all/");
    assert_same(&bindings, &before);
    assert_false(bindings_save(&bindings, ""));
    assert_false(bindings_save(&bindings, "/dev/null/at/all/"));
}

TEST(a_full_disk_leaves_the_bindings_before)
{
    const char *fresh = path_in(directory, "keys.new");
    struct bindings saved = bindings_default();
    bindings_bind(&saved, ACTION_UP, window_button_named("Up"));
    assert_true(bindings_save(&saved, directory));
    assert_int_equal(symlink("/dev/full", fresh), 0);
    const struct bindings other = bindings_default();
    assert_false(bindings_save(&other, directory));
    remove(fresh);
    struct bindings loaded = bindings_default();
    bindings_load(&loaded, directory);
    assert_same(&loaded, &saved);
}
