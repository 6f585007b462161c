// SPDX-License-Identifier: MIT
// Confusable names: equal keys, reserved names, and numbers for duplicates.
#include "peer_fixture.h"

#include "name.h"

static struct raim_name_key key_of(const char *name)
{
    char cleaned[RAIM_MAX_NAME_BYTES + 1];
    if (!raim_name_clean(name, cleaned))
        fail_msg("\"%s\" is rejected", name);
    return raim_name_key_of(cleaned);
}

static bool look_alike(const char *one, const char *other)
{
    return raim_name_keys_match(key_of(one), key_of(other));
}

TEST(names_that_look_alike_have_the_same_key)
{
    static const char *const pairs[][2] = {
        {"Ada", "ada"},
        {"Ada", "A d a"},
        {"Alice", "AIice"},
        {"Alice", "A1ice"},
        {"Bob", "B0b"},
        {"modern", "modem"},
        {"paypal", "\u0440\u0430\u0443\u0440\u0430l"}, // Cyrillic
        {"Anna", "\u0391nna"},                         // Greek
        {"Zo\u00eb", "Zoe\u0308"},
        {"Zo\u00eb", "zoe"},
        {"K\u00f6ln", "\uff2bo\uff4cn"}, // full width
        {"\u0418\u0432\u0430\u043d", "\u0438\u0432a\u043d"},
        {"Ada", "\u13aada"}, // Cherokee
    };
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++)
        if (!look_alike(pairs[i][0], pairs[i][1]))
            fail_msg("\"%s\" and \"%s\"", pairs[i][0], pairs[i][1]);
}

TEST(others_have_others)
{
    static const char *const names[] = {
        "Ada",    "Adam",       "Ada2",     "Ada (2)",     "Ada (3)", "Ada (02)", "Ada ()",
        "(2)",    "Ada (a)",    "Ada (20)", "Ada (20000)", "Bob",     "\u0416",   "\u4e2d",
        "\u6587", "\U0001F600", "\uac00",   "\uac01",      "_Ada_",   "Ada!",     "Ada (2) (2)",
    };
    const size_t count = sizeof names / sizeof names[0];
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < i; j++)
            if (look_alike(names[i], names[j]))
                fail_msg("\"%s\" and \"%s\"", names[i], names[j]);
    assert_true(look_alike("Ada (2)", "ADA(2)"));
    assert_int_equal(key_of("Ada (10)").number, 10);
    assert_int_equal(key_of("Ada (lo)").number, 10);
    assert_int_equal(key_of("Ada (9999)").number, 9999);
    assert_int_equal(key_of("Ada (99999)").number, 0);
    assert_true(key_of("Ada (10)").skeleton == key_of("Ada").skeleton);
}

TEST(nobody_passes_for_the_server)
{
    static const char *const evil[] = {
        "Server",
        "server",
        "SERVER",
        "S e r v e r",
        "[Server]",
        "*** SERVER ***",
        "Server (2)",
        "Server1",
        "Server 2",
        "\u0405erver",
        "Serv\u0435r",
        "\uff33erver",
        "\U0001D54Aerver",
        "S\u00e9rver",
        "Se\u200brver",
        "\u2605Server\u2605",
        "raimd",
        "RAlMD",
        "admin",
        "Adm1n",
        "\u0410dmin",
        "Administrator",
        "operator",
        "0perator",
        "0per\u0430t0r",
        "c0ns0le",
        "moderator",
        "rnoderator",
        "System",
        "systern",
        "_system_",
        "Admin.",
        "Server:",
        "\U0001F451 Admin",
        "Raim",
    };
    static const char *const good[] = {
        "Observer", "Systematic", "Ada",   "Madmin", "Servers", "Serverus",
        "Moderate", "Cooperator", "Bot 1", "player", "root",    "Raimund",
        "\u4e2d",   "-",          "1",     "l",
    };
    char cleaned[RAIM_MAX_NAME_BYTES + 1];
    for (size_t i = 0; i < sizeof evil / sizeof evil[0]; i++)
        if (raim_name_clean(evil[i], cleaned) && !raim_name_is_reserved(cleaned))
            fail_msg("\"%s\" passes", evil[i]);
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        assert_true(raim_name_clean(good[i], cleaned));
        if (raim_name_is_reserved(cleaned))
            fail_msg("\"%s\" does not pass", good[i]);
    }
}

TEST(a_number_leaves_whole_characters)
{
    static const struct {
        const char *name, *numbered;
        uint32_t number;
    } rows[] = {
        {"Ada", "Ada (2)", 2},
        {"123456789012345678901234", "12345678901234567890 (2)", 2},
        {"123456789012345678901234", "12345678901234567 (1024)", 1024},
        {"1234567890123456789 1234", "1234567890123456789 (2)", 2},
        {"123456789012345678\u4e2d123", "123456789012345678 (2)", 2},
        {"\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4",
         "\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4 (10)", 10},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char numbered[RAIM_MAX_NAME_BYTES + 1], cleaned[RAIM_MAX_NAME_BYTES + 1];
        raim_name_append_number(rows[i].name, rows[i].number, numbered);
        assert_string_equal(numbered, rows[i].numbered);
        assert_true(raim_name_clean(numbered, cleaned));
        assert_string_equal(cleaned, numbered);
        assert_int_equal(raim_name_key_of(numbered).number, rows[i].number);
    }
}

// --- In a match ---

static void enter_as(struct test_match *test, uint32_t handle, const char *name)
{
    struct raim_hello hello = {.version = RAIM_PROTOCOL_VERSION};
    strcpy(hello.name, name);
    connect_peer(test, handle, &hello);
    ticks(test, 1);
}

static const char *name_of(const struct test_match *test, uint32_t row)
{
    static struct raim_match_player rows[RAIM_MAX_PLAYERS];
    assert_true(row < raim_match_players(test->match, rows, RAIM_MAX_PLAYERS));
    return rows[row].name;
}

TEST(who_comes_later_gets_a_number)
{
    struct test_match *test = open_test_match(with_players(usual_def(), 6));
    static const char *const given[] = {"Ada", "\u0410da", "Ada (2)", "ADA", "Ada (5)", "ada"};
    static const char *const wanted[] = {"Ada",     "\u0410da (2)", "Ada (2) (2)",
                                         "ADA (3)", "Ada (5)",      "ada (4)"};
    for (uint32_t i = 0; i < 6; i++)
        enter_as(test, i, given[i]);
    for (uint32_t i = 0; i < 6; i++)
        assert_string_equal(name_of(test, i), wanted[i]);
}

TEST(a_player_who_resumes_keeps_the_name)
{
    struct test_match *test = open_test_match(with_grace(usual_def(), 5));
    enter_as(test, 0, "Ada");
    ticks(test, 2);
    const struct raim_welcome welcome = test->peers[0].welcome;
    leave(test, 0);
    enter_as(test, 1, "Ada"); // of the player who is away
    assert_string_equal(name_of(test, 0), "Ada");
    assert_string_equal(name_of(test, 1), "Ada (2)");
    resume(test, 2, welcome.token);
    ticks(test, 1);
    assert_string_equal(name_of(test, 0), "Ada");
    assert_string_equal(name_of(test, 1), "Ada (2)");
}

TEST(a_reserved_name_is_rejected)
{
    struct test_match *test = open_test_match(usual_def());
    enter_as(test, 0, "\u0405erver");
    assert_true(test->peers[0].is_over);
    assert_int_equal(test->peers[0].goodbye.reason, RAIM_REASON_NAME);
    assert_int_equal(rejected(test, RAIM_REJECTED_NAME), 1);
}
