// SPDX-License-Identifier: MIT
// The texts and locations of configuration values, and the reference of all keys.
#define _GNU_SOURCE
#include "config_fixture.h"

#include "config_diff.h"
#include "config_keys.h"
#include "config_loader.h"
#include "config_reference.h"

static void assert_value(const struct config *config, int arena, const char *name, const char *text,
                         const char *place)
{
    const struct config_value *value = config_values_find(config->values, arena, name);
    if (value == NULL)
        fail_msg("no value %s", name);
    assert_string_equal(value->text, text);
    assert_string_equal(value->location, path_of(place));
}

TEST(values_report_their_text_and_their_place)
{
    write_text("more.conf", "\nbots = 0x10;\n");
    struct config *config = assert_accepted("workers = 2;\narenas = (\n  { " ARENA "\n"
                                            "    @include \"more.conf\"\n    sight = False;\n"
                                            "    rules = {\n      bullet_speed = 720; }; } );");
    assert_value(config, -1, "workers", "2", "raimd.conf:1");
    assert_value(config, 0, "name", "\"a\"", "raimd.conf:3");
    assert_value(config, 0, "bots", "16", "more.conf:2");
    assert_value(config, 0, "sight", "false", "raimd.conf:5");
    assert_value(config, 0, "rules.bullet_speed", "720", "raimd.conf:7");
    const struct config_value *value = config_values_find(config->values, 0, "rules.bullet_speed");
    assert_string_equal(value->path, "arenas[0].rules.bullet_speed");
    assert_false(value->is_default);
    assert_null(config_values_find(config->values, 1, "name"));
    assert_null(config_values_find(config->values, 0, "gravity"));
}

TEST(defaults_have_the_place_of_the_group_that_lacks_them)
{
    struct config *config =
        assert_accepted("arenas = (\n{ " ARENA " },\n"
                        "{ name = \"b\"; map = \"m.conf\"; port = 1;\n rules = { }; });");
    assert_value(config, -1, "http.listen", "\"127.0.0.1:7246\"", "raimd.conf");
    assert_value(config, 0, "resume_grace", "30", "raimd.conf:2");
    assert_value(config, 0, "rules.bullet_radius", "4", "raimd.conf:2");
    assert_value(config, 1, "rules.bullet_radius", "4", "raimd.conf:4");
    assert_true(config_values_find(config->values, 0, "resume_grace")->is_default);
}

// Counts the keys that are no groups; each must have a value.
static int count_values(const struct config_values *values, const struct reader_key *keys,
                        int count)
{
    int all = 0;
    for (int i = 0; i < count; i++) {
        bool found = keys[i].keys != NULL;
        for (int v = 0; v < values->count; v++)
            found = found || values->values[v].key == &keys[i];
        if (!found)
            fail_msg("no value of %s: does its group have `keys` in the table?", keys[i].name);
        if (keys[i].keys == NULL)
            all++;
        else
            all += count_values(values, keys[i].keys->rows, keys[i].keys->count);
    }
    return all;
}

TEST(every_key_of_the_tables_has_a_value)
{
    struct config *config = assert_accepted("arenas = ({" ARENA "});");
    int count;
    const struct reader_key *keys = config_keys(CONFIG_ROOT, &count);
    assert_int_equal(config->values->count, count_values(config->values, keys, count));
}

TEST(texts_are_quoted_so_that_they_read_back)
{
    write_text("a \"b\" \\ c.conf", "name = \"m\";" MAP);
    struct config *config =
        assert_accepted("arenas = ({ name = \"a\"; map = \"a \\\"b\\\" \\\\ c.conf\"; });");
    assert_value(config, 0, "map", "\"a \\\"b\\\" \\\\ c.conf\"", "raimd.conf:1");
}

TEST(print_reports_each_value_and_its_source)
{
    struct config *config = assert_accepted("workers = 3;\narenas = ({" ARENA "});");
    char *text, expected[PATH_MAX];
    size_t size;
    FILE *out = open_memstream(&text, &size);
    config_values_print(config->values, out);
    fclose(out);
    test_at_end(free, text);
    snprintf(expected, sizeof expected, "workers = 3; # %s:1\nlog_level = \"info\"; # %s\n",
             path_of("raimd.conf"), "default");
    assert_memory_equal(text, expected, strlen(expected));
    assert_non_null(strstr(text, "\narenas[0].rules.spawn_protection = 1; # default\n"));
}

TEST(the_demo_is_the_file_that_the_repository_has)
{
    struct diagnostics report = {.out = stderr};
    struct config *demo = config_demo(NULL, &report);
    struct config *file = config_load(RAIM_SOURCE_DIR "/config/demo.conf", stderr);
    assert_non_null(demo);
    assert_non_null(file);
    assert_int_equal(demo->values->count, file->values->count);
    for (int i = 0; i < demo->values->count; i++) {
        assert_string_equal(demo->values->values[i].path, file->values->values[i].path);
        assert_string_equal(demo->values->values[i].text, file->values->values[i].text);
    }
    for (int i = 0; i < demo->arena_count; i++)
        assert_true(config_has_same_map(&demo->arenas[i], &file->arenas[i]));
    config_unload(demo);
    config_unload(file);
}

TEST(the_file_of_all_keys_loads_as_the_defaults)
{
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    config_reference(out);
    fclose(out);
    test_at_end(free, text);
    for (const char *line = text; *line != '\0'; line = strchr(line, '\n') + 1)
        assert_true(strchr(line, '\n') - line <= 100);
    mkdir(path_of("maps"), 0700);
    write_text("maps/duel.conf", MAP);
    struct config *all = assert_accepted(text);
    struct config *none =
        assert_accepted("arenas = ({ name = \"duel\"; map = \"maps/duel.conf\"; });");
    assert_int_equal(all->values->count, none->values->count);
    for (int i = 0; i < all->values->count; i++) {
        assert_false(all->values->values[i].is_default);
        assert_string_equal(all->values->values[i].path, none->values->values[i].path);
        assert_string_equal(all->values->values[i].text, none->values->values[i].text);
    }
}

TEST_EACH(set_up, NULL)
