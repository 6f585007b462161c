// SPDX-License-Identifier: MIT
// The keys by which an arena presents itself to strangers.
#define _GNU_SOURCE
#include "config_fixture.h"

static void assert_rejected_with(const char *keys, const char *reason)
{
    char text[1024];
    char *report;
    snprintf(text, sizeof text, "arenas = ({" ARENA "%s });", keys);
    write_text("raimd.conf", text);
    assert_null(load("raimd.conf", &report));
    if (strstr(report, reason) == NULL)
        fail_msg("%s: %s", keys, report);
    free(report);
}

TEST(an_arena_has_a_name_tags_region_and_website)
{
    struct config *config =
        assert_accepted("arenas = ({" ARENA "hostname = \"Caf\xc3\xa9 \xe2\x9a\x94 of 64 bytes\";"
                        "tags = ( \"ffa\", \"No-Bots\", \"1.0+\" ); region = \"Z\xc3\xbcrich\";"
                        "website = \"https://example.org/a?b=c#d\"; },"
                        "{ name = \"b\"; map = \"m.conf\"; port = 1; tags = [ ]; });");
    const struct config_arena *arena = &config->arenas[0];
    assert_string_equal(config_shown_name(arena), "Caf\xc3\xa9 \xe2\x9a\x94 of 64 bytes");
    assert_int_equal(arena->tags.count, 3);
    assert_string_equal(arena->tags.words[1], "No-Bots");
    assert_string_equal(arena->region, "Z\xc3\xbcrich");
    assert_string_equal(arena->website, "https://example.org/a?b=c#d");
    assert_string_equal(config_shown_name(&config->arenas[1]), "b");
    assert_int_equal(config->arenas[1].tags.count, 0);
    assert_string_equal(config->arenas[1].website, "");
    config_unload(config);
}

TEST(only_texts_that_show_all_of_themselves_are_names)
{
    static const char *const bad[] = {
        " x", "a\\nb", "a\xe2\x80\x8b", "\xff",
        "65 bytes 65 bytes 65 bytes 65 bytes 65 bytes 65 bytes 65 bytes 65"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char key[256];
        snprintf(key, sizeof key, "hostname = \"%s\";", bad[i]);
        assert_rejected_with(key, ", want at most 64 bytes of UTF-8 without anything invisible\n");
    }
    assert_rejected_with("region = \"33 bytes, which is one too many..\";",
                         "want at most 32 bytes");
}

TEST(a_website_is_a_url_of_a_browser)
{
    static const char *const bad[] = {"example.org",  "ftp://a",    "https://",
                                      "javascript:a", "http://a b", "http://\xc3\xa9",
                                      "http://a/<b>"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char key[256];
        snprintf(key, sizeof key, "website = \"%s\";", bad[i]);
        assert_rejected_with(key, ", want a URL of http or https of at most 128 characters");
    }
    char key[256] = "website = \"http://";
    memset(key + strlen(key), 'a', 122);
    strcat(key, "\";");
    assert_rejected_with(key, "want a URL of http or https");
}

TEST(tags_are_a_few_short_words)
{
    assert_rejected_with(
        "tags = ( \"a\", \"b\", \"c\", \"d\", \"e\", \"f\", \"g\", \"h\", \"i\" );",
        "want a list of at most 8 words");
    assert_rejected_with("tags = ( \"a,b\" );", "want 1 to 15 characters of A-Z");
    assert_rejected_with("tags = ( \"0123456789abcdef\" );", "want 1 to 15 characters of A-Z");
    assert_rejected_with("tags = ( \"\" );", "want 1 to 15 characters of A-Z");
    assert_rejected_with("tags = ( 1 );", "want 1 to 15 characters of A-Z");
    assert_rejected_with("tags = \"ffa\";", "want a list of at most 8 words");
}

TEST_GROUP(set_up, tear_down)
