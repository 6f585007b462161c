// SPDX-License-Identifier: MIT
// Which key does what: bound, exchanged, kept in a file and read again.
#define _GNU_SOURCE
#include "keys.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static char directory[64];

static void path_of(char path[96])
{
    snprintf(path, 96, "%skeys", directory);
}

static int set_up(void **state)
{
    (void)state;
    char made[] = "/tmp/raim-keys-XXXXXX";
    if (mkdtemp(made) == NULL)
        return -1;
    snprintf(directory, sizeof directory, "%s/", made);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    char path[96];
    path_of(path);
    remove(path);
    return rmdir(directory);
}

static void write_file(const char *text)
{
    char path[96];
    path_of(path);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static void assert_same(const struct keys *a, const struct keys *b)
{
    assert_memory_equal(a->buttons, b->buttons, sizeof a->buttons);
}

static void test_every_action_has_a_key_of_its_own_at_first(void **state)
{
    (void)state;
    const struct keys keys = keys_default();
    for (int i = 0; i < KEY_ACTIONS; i++) {
        assert_true(keys.buttons[i] > 0);
        for (int j = 0; j < i; j++)
            assert_int_not_equal(keys.buttons[i], keys.buttons[j]);
    }
}

static void test_every_default_comes_back_by_its_name(void **state)
{
    (void)state;
    const struct keys keys = keys_default();
    for (int i = 0; i < KEY_ACTIONS; i++) {
        char name[64];
        window_button_name(keys.buttons[i], name, sizeof name);
        assert_int_equal(window_button_named(name), keys.buttons[i]);
    }
    assert_int_equal(window_button_named("no such key"), 0);
    assert_int_equal(window_button_named("Mouse 0"), 0);
    assert_int_equal(window_button_named("Mouse 99"), 0);
}

static void test_a_key_that_is_taken_is_exchanged(void **state)
{
    (void)state;
    const struct keys before = keys_default();
    struct keys keys = before;
    keys_bind(&keys, KEY_UP, before.buttons[KEY_FIRE]);
    assert_int_equal(keys.buttons[KEY_UP], before.buttons[KEY_FIRE]);
    assert_int_equal(keys.buttons[KEY_FIRE], before.buttons[KEY_UP]);
    keys_bind(&keys, KEY_UP, keys.buttons[KEY_UP]);
    assert_int_equal(keys.buttons[KEY_UP], before.buttons[KEY_FIRE]);
}

static void test_what_is_saved_is_loaded(void **state)
{
    (void)state;
    struct keys saved = keys_default();
    keys_bind(&saved, KEY_UP, window_button_named("Up"));
    keys_bind(&saved, KEY_CHAT, window_button_named("Mouse 3"));
    keys_bind(&saved, KEY_LEFT, saved.buttons[KEY_RIGHT]);
    assert_true(keys_save(&saved, directory));
    struct keys loaded = keys_default();
    keys_load(&loaded, directory);
    assert_same(&loaded, &saved);
}

static void test_wrong_lines_change_nothing(void **state)
{
    (void)state;
    write_file("up\nup =\n= W\njump = Space\nup = No Such Key\n\n#\nup = Mouse 77\n");
    const struct keys before = keys_default();
    struct keys keys = before;
    keys_load(&keys, directory);
    assert_same(&keys, &before);
}

static void test_without_a_directory_nothing_is_kept(void **state)
{
    (void)state;
    const struct keys before = keys_default();
    struct keys keys = before;
    keys_load(&keys, "");
    keys_load(&keys, "/nowhere/at/all/");
    assert_same(&keys, &before);
    assert_false(keys_save(&keys, ""));
    assert_false(keys_save(&keys, "/nowhere/at/all/"));
}

#define FILED(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_action_has_a_key_of_its_own_at_first),
        cmocka_unit_test(test_every_default_comes_back_by_its_name),
        cmocka_unit_test(test_a_key_that_is_taken_is_exchanged),
        FILED(test_what_is_saved_is_loaded),
        FILED(test_wrong_lines_change_nothing),
        cmocka_unit_test(test_without_a_directory_nothing_is_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
