// SPDX-License-Identifier: MIT
// Tests that keys that need a restart keep their old value and are reported again.
#define _GNU_SOURCE
#include "config_fixture.h"

#include "config_diff.h"
#include "config_keys.h"

static void assert_kept(const struct reader_key *keys, int count)
{
    for (int i = 0; i < count; i++) {
        const bool can_need_one =
            keys[i].applies == READER_AT_RESTART || keys[i].scope != READER_ANY_SCOPE;
        if (can_need_one && keys[i].size == 0)
            fail_msg("%s cannot be kept: it has no size", keys[i].name);
        if (keys[i].keys != NULL)
            assert_kept(keys[i].keys->rows, keys[i].keys->count);
    }
}

TEST(every_key_that_can_need_a_restart_can_be_kept)
{
    int count;
    const struct reader_key *keys = config_keys(CONFIG_ROOT, &count);
    assert_kept(keys, count);
}

#define PASSWORD "raim1$MDEyMzQ1Njc4OWFiY2RlZg$Ry5hq-gOA2F_tfU-sacL9QCaiuELMemdH61UeqZp0JM"

TEST(everything_that_a_running_match_takes_is_copied)
{
    struct config *config = assert_accepted(
        "arenas = ({" ARENA "},{ name = \"b\"; map = \"m.conf\"; port = 1; max_players = 5;"
        "max_spectators = 6; resume_grace = 7; idle_timeout = 8; queries = false;"
        "query_names = false; round_time = 9; score_limit = 10; break_time = 11; motd = \"Hi\";"
        "hostname = \"Hall\"; tags = ( \"ffa\" ); region = \"EU\"; website = \"http://a\";"
        "address_validation = false; recording = \"all\"; password = \"" PASSWORD
        "\"; limits = { loopback = true; "
        "inputs_per_tick = 12; }; votes = { kinds = \"kick\"; silent = \"no\"; };"
        "tick_hz = 30; bots = 3; spectator_delay = 1; rules = { bullet_speed = 700; }; });");
    struct config_arena arena = config->arenas[0];
    const struct config_arena *before = &config->arenas[0], *from = &config->arenas[1];
    config_tune(&arena, from);
    assert_string_equal(arena.name, "b");
    assert_int_equal(arena.match.tuning.max_players, 5);
    assert_int_equal(arena.match.tuning.max_spectators, 6);
    assert_true(arena.match.tuning.resume_grace_s == 7);
    assert_true(arena.match.tuning.idle_timeout_s == 8);
    assert_false(arena.queries);
    assert_false(arena.query_names);
    assert_true(arena.match.tuning.round_s == 9);
    assert_int_equal(arena.match.tuning.score_limit, 10);
    assert_true(arena.match.tuning.break_s == 11);
    assert_string_equal(arena.match.tuning.motd, "Hi");
    assert_string_equal(arena.hostname, "Hall");
    assert_int_equal(arena.tags.count, 1);
    assert_string_equal(arena.tags.words[0], "ffa");
    assert_string_equal(arena.region, "EU");
    assert_string_equal(arena.website, "http://a");
    assert_false(arena.address_validation);
    assert_int_equal(arena.recording, CONFIG_RECORDING_ALL);
    assert_true(arena.password.is_set);
    assert_memory_equal(&arena.password.password, &from->password.password,
                        sizeof arena.password.password);
    assert_true(arena.limits.loopback);
    assert_int_equal(arena.limits.inputs_per_tick, 12);
    assert_int_equal(arena.match.tuning.votes.kinds, RAIM_VOTE_BIT(RAIM_VOTE_KICK));
    assert_true(arena.match.tuning.votes.silent_is_no);
    assert_int_equal(arena.port, before->port);
    assert_int_equal(arena.match.tick_hz, before->match.tick_hz);
    assert_int_equal(arena.match.bots, before->match.bots);
    assert_true(arena.match.spectator_delay_s == before->match.spectator_delay_s);
    assert_true(arena.match.rules.bullet_speed == before->match.rules.bullet_speed);
    config_unload(config);
}

TEST(what_is_kept_is_reported_again)
{
    static const char old_text[] = "workers = 2; http = { listen = \"off\"; }; arenas = ({" ARENA
                                   "port = 7; tick_hz = 60; max_players = 5; });";
    static const char new_text[] =
        "workers = 3; http = { listen = \"127.0.0.1:99\"; }; arenas = ({" ARENA
        "port = 8; tick_hz = 30; max_players = 6; bots = 2; });";
    struct config *old_config = assert_accepted(old_text);
    struct config *kept = assert_accepted(new_text);
    struct config_diff *diff = config_diff_create(old_config, kept);
    assert_int_equal(diff->count, 6);
    for (int i = 0; i < diff->count; i++)
        if (strcmp(diff->changes[i].to->key->name, "bots") != 0)
            assert_true(config_diff_restore(&diff->changes[i], kept, old_config));
    config_diff_free(diff);

    assert_int_equal(kept->workers, 2);
    assert_false(kept->status.is_on);
    assert_int_equal(kept->arenas[0].port, 7);
    assert_int_equal(kept->arenas[0].match.tick_hz, 60);
    assert_int_equal(kept->arenas[0].match.tuning.max_players, 5);
    assert_int_equal(kept->arenas[0].match.bots, 2);

    struct config *again = assert_accepted(new_text);
    diff = config_diff_create(kept, again);
    assert_int_equal(diff->count, 5);
    assert_non_null(strstr(diff->changes[0].text, "workers: 2 -> 3"));
    config_diff_free(diff);
    config_unload(old_config);
    config_unload(kept);
    config_unload(again);
}

TEST(a_shared_configuration_lives_until_the_last_unloads_it)
{
    struct config *config = assert_accepted("arenas = ({" ARENA "});");
    assert_ptr_equal(config_share(config), config);
    config_unload(config);
    assert_string_equal(config->arenas[0].match.map->name, "m"); // a sanitizer would object
    config_unload(config);
}

TEST_GROUP(set_up, tear_down)
