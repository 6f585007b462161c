// SPDX-License-Identifier: MIT
// What needs a restart keeps its old value, and is told again.
#define _GNU_SOURCE
#include "config_fixture.h"

#include "config_diff.h"
#include "config_keep.h"
#include "config_keys.h"
#include "config_values.h"

static void test_every_key_that_needs_a_restart_can_be_kept(void **state)
{
    (void)state;
    struct config *old_config = assert_accepted("arenas = ({" ARENA "});");
    struct config *new_config = assert_accepted("arenas = ({" ARENA "});");
    const enum config_group groups[] = {CONFIG_ROOT, CONFIG_ARENA, CONFIG_RULES};
    for (int group = 0; group < 3; group++) {
        int count;
        const struct reader_key *keys = config_keys(groups[group], &count);
        const int arena = groups[group] == CONFIG_ROOT ? -1 : 0;
        for (int i = 0; i < count; i++) {
            const struct config_change change = {
                .needs_restart = true, .old_arena = arena, .new_arena = arena, .key = &keys[i]};
            if (!keys[i].reloadable && !config_keep(new_config, old_config, &change))
                fail_msg("%s cannot be kept", keys[i].name);
        }
    }
    config_unload(old_config);
    config_unload(new_config);
}

static void test_what_is_kept_is_told_again(void **state)
{
    (void)state;
    static const char old_text[] = "workers = 2; status = \"off\"; arenas = ({" ARENA
                                   "port = 7; tick_hz = 60; max_players = 5; });";
    static const char new_text[] = "workers = 3; status = \"127.0.0.1:99\"; arenas = ({" ARENA
                                   "port = 8; tick_hz = 30; max_players = 6; bots = 2; });";
    struct config *old_config = assert_accepted(old_text);
    struct config *kept = assert_accepted(new_text);
    struct config_diff *diff = config_diff_create(old_config, kept);
    assert_int_equal(diff->count, 6);
    for (int i = 0; i < diff->count; i++)
        if (strcmp(diff->changes[i].key->name, "bots") != 0)
            assert_true(config_keep(kept, old_config, &diff->changes[i]));
    config_diff_free(diff);

    assert_int_equal(kept->workers, 2);
    assert_false(kept->status_enabled);
    assert_int_equal(kept->arenas[0].port, 7);
    assert_int_equal(kept->arenas[0].tick_hz, 60);
    assert_int_equal(kept->arenas[0].max_players, 5);
    assert_int_equal(kept->arenas[0].bots, 2);

    struct config *again = assert_accepted(new_text);
    diff = config_diff_create(kept, again);
    assert_int_equal(diff->count, 5);
    assert_non_null(strstr(diff->changes[0].text, "workers: 2 -> 3"));
    config_diff_free(diff);
    config_unload(old_config);
    config_unload(kept);
    config_unload(again);
}

static void test_a_shared_configuration_lives_until_the_last_unloads_it(void **state)
{
    (void)state;
    struct config *config = assert_accepted("arenas = ({" ARENA "});");
    assert_ptr_equal(config_share(config), config);
    config_unload(config);
    assert_string_equal(config->arenas[0].map->name, "m"); // a sanitizer would object
    config_unload(config);
}

int main(int argc, char **argv)
{
    chance_start(argc, argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_key_that_needs_a_restart_can_be_kept),
        cmocka_unit_test(test_what_is_kept_is_told_again),
        cmocka_unit_test(test_a_shared_configuration_lives_until_the_last_unloads_it),
    };
    return RUN_IN_DIRECTORY("config_keep", tests);
}
