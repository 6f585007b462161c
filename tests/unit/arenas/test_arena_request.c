// SPDX-License-Identifier: MIT
// Bodies of requests about arenas: what is good, and that every mistake is found at once.
#define _GNU_SOURCE
#include "config_fixture.h"

#include "arena_request.h"

#include "json_writer.h"

#define KEYS "map = \"m.conf\"; max_players = 4; "

static struct config *config;

static int load_templates(void **state)
{
    (void)state;
    write_text("n.conf", MAP);
    config =
        config_of("arenas = (); on_demand = { ports = \"7300-7303\"; "
                  "templates = ({ name = \"open\"; " KEYS "rotation = (\"n.conf\"); bots = 2;"
                  "rules = { player_radius = 15; }; },"
                  "{ name = \"token\"; " KEYS "round_time = 60; access = \"token\"; access_key = \""
                  "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a\"; }); };");
    return 0;
}

static int unload_templates(void **state)
{
    (void)state;
    config_unload(config);
    return 0;
}

static struct arena_request request;

static void accept_body(const char *json)
{
    struct text_buffer mistakes = {0};
    const bool good = arena_request_parse(&request, config, json, strlen(json), &mistakes);
    char *text = text_buffer_take(&mistakes);
    assert_string_equal(text, "");
    assert_true(good);
    free(text);
}

static void reject_body(const char *json, const char *expected)
{
    struct text_buffer mistakes = {0};
    assert_false(arena_request_parse(&request, config, json, strlen(json), &mistakes));
    char *text = text_buffer_take(&mistakes);
    assert_string_equal(text, expected);
    free(text);
    arena_request_clear(&request);
}

TEST(a_request_has_the_template_s_values, load_templates, unload_templates)
{
    accept_body("{\"template\":\"open\"}");
    assert_string_equal(request.template_name, "open");
    assert_string_equal(request.arena.name, "");
    assert_int_equal(request.arena.port, 0);
    assert_true(request.arena.is_on_demand);
    assert_int_equal(request.arena.match.tuning.max_players, 4);
    assert_int_equal(request.arena.match.bots, 2);
    assert_int_equal(request.arena.rotation_count, 1);
    assert_int_equal(request.join_within_s, 60);
    assert_int_equal(request.ends, ARENA_ENDS_EMPTY);
    assert_string_equal(request.metadata, "{}");
    arena_request_clear(&request);
}

TEST(a_request_may_differ_from_its_template, load_templates, unload_templates)
{
    accept_body("{\"template\":\"token\",\"max_players\":2,\"players\":[\"ada\",\"b\\u00e9\"],"
                "\"join_within_s\":5,\"ends\":\"round\",\"rules\":{\"bullet_speed\":700},"
                "\"metadata\":{\"b\":\"2\",\"a\":\"\"}}");
    assert_int_equal(request.arena.match.tuning.max_players, 2);
    assert_int_equal(request.player_count, 2);
    assert_string_equal(request.players[1], "b\xc3\xa9");
    assert_int_equal(request.join_within_s, 5);
    assert_int_equal(request.ends, ARENA_ENDS_ROUND);
    assert_true(request.arena.match.rules.bullet_speed == 700);
    assert_string_equal(request.metadata, "{\"a\":\"\",\"b\":\"2\"}");
    arena_request_clear(&request);
    accept_body("{\"template\":\"open\",\"map\":\"n\"}");
    assert_string_equal(request.arena.match.map->name, "n");
    assert_int_equal(request.arena.rotation_count, 0);
    arena_request_clear(&request);
}

TEST(equal_requests_have_equal_texts, load_templates, unload_templates)
{
    accept_body("{\"template\":\"open\",\"max_players\":3}");
    char *text = strdup(request.text);
    arena_request_clear(&request);
    accept_body("  { \"max_players\" : 3 ,\n\"template\":\"\\u006fpen\" } ");
    assert_string_equal(request.text, text);
    arena_request_clear(&request);
    free(text);
}

TEST(every_mistake_is_reported, load_templates, unload_templates)
{
    reject_body("{\"template\":\"open\",\"map\":\"o\",\"rules\":{\"bullet_speed\":\"x\",\"g\":1,"
                "\"player_radius\":16,\"pellets\":2.5},\"max_players\":5,\"players\":[\"ada\"],"
                "\"join_within_s\":3601,"
                "\"ends\":\"round\",\"metadata\":{\"\":1},\"x\\n\":0}",
                "\"map: want the name of a map of the template, like \\\"m\\\"\","
                "\"rules: bullet_speed: want a number from 50 to 20000\","
                "\"rules: g: there is no such rule\","
                "\"rules: player_radius: want a number from 4 to 15\","
                "\"rules: pellets: want an integer from 1 to 8\","
                "\"max_players: got 5, want an integer from 1 to 4\","
                "\"players: the template has no access tokens, which reserved slots need\","
                "\"join_within_s: got 3601, want an integer from 1 to 3600\","
                "\"ends: the template has neither round_time nor score_limit, so that no round "
                "ends\","
                "\"metadata: want names of 1 to 63 bytes\","
                "\"metadata: : want a text of at most 255 bytes\","
                "\"x\\u000a: there is no such field\"");
}

TEST(players_are_names_and_fit, load_templates, unload_templates)
{
    reject_body("{\"template\":\"token\",\"max_players\":1,\"players\":[\"a\",\"b\"]}",
                "\"players: want a list of at most 1 names, max_players\"");
    reject_body("{\"template\":\"token\",\"players\":[\"a\",\"a\"]}",
                "\"players: \\\"a\\\" is named twice\"");
    reject_body("{\"template\":\"token\",\"players\":[\"a \"]}",
                "\"players: want names of players, of at most 24 bytes without invisible "
                "characters\"");
}

TEST(what_is_no_request_is_rejected, load_templates, unload_templates)
{
    reject_body("", "\"template: want the name of a template\"");
    reject_body("[]", "\"the body is a list, want an object\"");
    reject_body("{\"template\":7}", "\"template: got a number, want the name of a template\"");
    reject_body("{\"template\":\"x\"}", "\"template: there is no template \\\"x\\\"\"");
    reject_body("{\"template\":\"open\",\"max_players\":null}",
                "\"max_players: got null, want an integer from 1 to 4\"");
}

TEST(ids)
{
    char longest[65];
    memset(longest, 'a', sizeof longest);
    longest[63] = '\0';
    assert_true(arena_request_is_id(longest));
    assert_true(arena_request_is_id("A.z_0-9"));
    longest[63] = 'a';
    longest[64] = '\0';
    assert_false(arena_request_is_id(longest));
    static const char *const bad[] = {"", ".", "..", "a/b", "a b", "\xc3\xa4", "a\n"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(arena_request_is_id(bad[i]));
}

TEST(an_end_has_a_limit_only_if_it_drains)
{
    struct arena_end end;
    struct text_buffer mistakes = {0};
    static const char good[] = "{\"reason\":\"bye\",\"drain\":true,\"within_s\":3}",
                      bad[] = "{\"within_s\":3,\"drain\":1,\"reason\":7}";
    assert_true(arena_end_parse(&end, good, strlen(good), &mistakes));
    assert_string_equal(end.reason, "bye");
    assert_true(end.drains && end.within_s == 3);
    assert_true(arena_end_parse(&end, NULL, 0, &mistakes));
    assert_false(arena_end_parse(&end, bad, strlen(bad), &mistakes));
    char *text = text_buffer_take(&mistakes);
    assert_string_equal(text, "\"reason: want a text of at most 120 bytes with a visible "
                              "character\",\"drain: got a number, want true or false\"");
    free(text);
}

TEST(a_quoted_text_reads_back)
{
    struct text_buffer out = {0};
    json_text_quote(&out, "a\"\\\n\x7f\xc3\xa4");
    char *text = text_buffer_take(&out);
    assert_string_equal(text, "\"a\\\"\\\\\\u000a\x7f\xc3\xa4\"");
    free(text);
}

TEST_EACH(set_up, NULL)
