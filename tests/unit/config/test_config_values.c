// SPDX-License-Identifier: MIT
// Tests of the texts and locations of configuration values, and of the dump of all keys.
#define _GNU_SOURCE
#include "config_fixture.h"

#include "config_dump.h"
#include "config_keys.h"
#include "config_loader.h"
#include "config_values.h"

#include <sys/stat.h>

static void assert_value(const struct config *config, int arena, const char *name, const char *text,
                         const char *place)
{
    const struct config_value *value = config_values_find(config->values, arena, name);
    if (value == NULL)
        fail_msg("no value %s", name);
    assert_string_equal(value->text, text);
    assert_string_equal(value->location, path_of(place));
}

static void test_values_report_their_text_and_their_place(void **state)
{
    (void)state;
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
    config_unload(config);
}

static void test_defaults_have_the_place_of_the_group_that_lacks_them(void **state)
{
    (void)state;
    struct config *config =
        assert_accepted("arenas = (\n{ " ARENA " },\n"
                        "{ name = \"b\"; map = \"m.conf\"; port = 1;\n rules = { }; });");
    assert_value(config, -1, "status", "\"127.0.0.1:7246\"", "raimd.conf");
    assert_value(config, 0, "resume_grace", "30", "raimd.conf:2");
    assert_value(config, 0, "rules.bullet_radius", "4", "raimd.conf:2");
    assert_value(config, 1, "rules.bullet_radius", "4", "raimd.conf:4");
    assert_true(config_values_find(config->values, 0, "resume_grace")->is_default);
    config_unload(config);
}

static void test_every_key_of_the_tables_has_a_value(void **state)
{
    (void)state;
    struct config *config = assert_accepted("arenas = ({" ARENA "});");
    int all = 0;
    for (int group = CONFIG_ROOT; group <= CONFIG_RULES; group++) {
        int count;
        const struct reader_key *keys = config_keys((enum config_group)group, &count);
        for (int i = 0; i < count; i++) {
            bool found = keys[i].keys != NULL;
            for (int v = 0; v < config->values->count; v++)
                found = found || config->values->values[v].key == &keys[i];
            if (!found)
                fail_msg("no value of %s: does its group have `keys` in the table?", keys[i].name);
            all += keys[i].keys == NULL;
        }
    }
    assert_int_equal(config->values->count, all);
    config_unload(config);
}

static void test_texts_are_quoted_so_that_they_read_back(void **state)
{
    (void)state;
    write_text("a \"b\" \\ c.conf", "name = \"m\";" MAP);
    struct config *config =
        assert_accepted("arenas = ({ name = \"a\"; map = \"a \\\"b\\\" \\\\ c.conf\"; });");
    assert_value(config, 0, "map", "\"a \\\"b\\\" \\\\ c.conf\"", "raimd.conf:1");
    config_unload(config);
}

static void test_print_reports_each_value_and_its_source(void **state)
{
    (void)state;
    struct config *config = assert_accepted("workers = 3;\narenas = ({" ARENA "});");
    char *text, expected[PATH_MAX];
    size_t size;
    FILE *out = open_memstream(&text, &size);
    config_values_print(config->values, out);
    fclose(out);
    snprintf(expected, sizeof expected, "workers = 3; # %s:1\nstatus = \"127.0.0.1:7246\"; # %s\n",
             path_of("raimd.conf"), "default");
    assert_memory_equal(text, expected, strlen(expected));
    assert_non_null(strstr(text, "\narenas[0].rules.spawn_protection = 1; # default\n"));
    free(text);
    config_unload(config);
}

static void test_the_demo_is_the_file_that_the_repository_has(void **state)
{
    (void)state;
    struct diagnostics report = {.out = stderr};
    struct config *demo = config_demo(&report);
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

static void test_the_file_of_all_keys_loads_as_the_defaults(void **state)
{
    (void)state;
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    config_dump(out);
    fclose(out);
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
    config_unload(all);
    config_unload(none);
    free(text);
}

// --- The manual ---

// Makes any blanks one and takes out the signs of scdoc.
static void flatten(char *text)
{
    char *to = text;
    for (const char *from = text; *from != '\0'; from++)
        if (*from == '*' || *from == '\\')
            continue;
        else if (*from != ' ' && *from != '\n' && *from != '\t')
            *to++ = *from;
        else if (to > text && to[-1] != ' ')
            *to++ = ' ';
    *to = '\0';
}

static bool is_key(const char *name)
{
    for (int group = CONFIG_ROOT; group <= CONFIG_RULES; group++) {
        int count;
        const struct reader_key *keys = config_keys((enum config_group)group, &count);
        for (int i = 0; i < count; i++)
            if (strcmp(keys[i].name, name) == 0)
                return true;
    }
    return false;
}

static bool applies_at_once(enum reader_applies applies)
{
    return applies == READER_AT_ONCE;
}

static bool waits_for_round_or_break(enum reader_applies applies)
{
    return applies == READER_WITH_BREAK || applies == READER_WITH_ROUND;
}

static bool takes_a_match(enum reader_applies applies)
{
    return applies == READER_WITH_MATCH || applies == READER_WITH_MAP ||
           applies == READER_WITH_ROTATION;
}

// In the manual, where each group of keys stands under the words for when it applies, those of
// every key of the file or an arena must be; a group within says it for all that is in it.
static void assert_manual_says_when(const char *text, const char *words, const char *end,
                                    bool (*belongs)(enum reader_applies applies))
{
    const char *begin = strstr(text, words);
    if (begin == NULL)
        fail_msg("the manual lacks \"%s\"", words);
    const char *until = strstr(begin, end);
    assert_non_null(until);
    for (int group = CONFIG_ROOT; group <= CONFIG_ARENA; group++) {
        int count;
        const struct reader_key *keys = config_keys((enum config_group)group, &count);
        for (int i = 0; i < count; i++) {
            char name[64];
            snprintf(name, sizeof name, "*%s*", keys[i].name);
            const char *found = strstr(begin, name);
            if (belongs(keys[i].applies) && (found == NULL || found > until))
                fail_msg("the manual lacks %s after \"%s\"", name, words);
        }
    }
}

static void test_the_manual_reports_when_each_key_applies_as_the_tables_do(void **state)
{
    (void)state;
    char *text = read_text(RAIM_SOURCE_DIR "/man/raimd.conf.5.scd");
    static const char at_once[] = "\nAt once\n", round_or_break[] = "\nWith the next round, or";
    assert_manual_says_when(text, at_once, round_or_break, applies_at_once);
    assert_manual_says_when(text, round_or_break, "\n\n", waits_for_round_or_break);
    assert_manual_says_when(text, "\nWith the next round\n", "All other keys", takes_a_match);
    // What is in a group applies as the group does.
    for (int group = CONFIG_LIMITS; group <= CONFIG_RULES; group++) {
        int count;
        const struct reader_key *keys = config_keys((enum config_group)group, &count);
        for (int i = 0; i < count; i++)
            assert_int_equal(keys[i].applies,
                             group == CONFIG_RULES ? READER_WITH_MATCH : READER_AT_ONCE);
    }
    free(text);
}

// Appends "a, b, c": the keys that a reload can change.
static void list_reloadable(char *list, size_t capacity)
{
    size_t used = 0;
    for (int group = CONFIG_ROOT; group <= CONFIG_RULES; group++) {
        int count;
        const struct reader_key *keys = config_keys((enum config_group)group, &count);
        for (int i = 0; i < count; i++)
            if (keys[i].applies != READER_AT_RESTART)
                used += (size_t)snprintf(list + used, capacity - used, "%s%s",
                                         used == 0 ? "" : ", ", keys[i].name);
    }
    assert_true(used < capacity);
}

static void test_the_manual_has_every_key_as_the_tables_do(void **state)
{
    (void)state;
    char *text = read_text(RAIM_SOURCE_DIR "/man/raimd.conf.5.scd");
    for (const char *at = text; (at = strstr(at, "\n*")) != NULL; at++) {
        char name[64];
        if (sscanf(at, "\n*%63[a-z_]*:\n", name) == 1 && !is_key(name) &&
            strncmp(at + 2 + strlen(name), "*:\n", 3) == 0)
            fail_msg("the manual has a key that there is not: %s", name);
    }
    flatten(text);
    for (int group = CONFIG_ROOT; group <= CONFIG_RULES; group++) {
        int count;
        const struct reader_key *keys = config_keys((enum config_group)group, &count);
        for (int i = 0; i < count; i++) {
            char line[512];
            reader_document(&keys[i], line, sizeof line);
            if (strstr(text, line) == NULL)
                fail_msg("the manual lacks: %s", line);
        }
    }
    char list[1024];
    list_reloadable(list, sizeof list - 2);
    strcat(list, ". ");
    if (strstr(text, list) == NULL)
        fail_msg("the manual lacks the reloadable keys: %s", list);
    free(text);
}

int main(int argc, char **argv)
{
    chance_start(argc, argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values_report_their_text_and_their_place),
        cmocka_unit_test(test_defaults_have_the_place_of_the_group_that_lacks_them),
        cmocka_unit_test(test_every_key_of_the_tables_has_a_value),
        cmocka_unit_test(test_texts_are_quoted_so_that_they_read_back),
        cmocka_unit_test(test_print_reports_each_value_and_its_source),
        cmocka_unit_test(test_the_demo_is_the_file_that_the_repository_has),
        cmocka_unit_test(test_the_file_of_all_keys_loads_as_the_defaults),
        cmocka_unit_test(test_the_manual_has_every_key_as_the_tables_do),
        cmocka_unit_test(test_the_manual_reports_when_each_key_applies_as_the_tables_do),
    };
    return RUN_IN_DIRECTORY("config_values", tests);
}
