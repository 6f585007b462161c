// SPDX-License-Identifier: MIT
// The table of commands: what must hold for every row, so that each entrance can rely on it.
#include "command_schema.h"
#include "command_table.h"
#include "json_writer.h"
#include "test.h"

TEST(rows_are_found_by_name_and_by_path)
{
    for (int i = 0; i < command_count; i++) {
        const struct command_row *row = &command_rows[i];
        char path[COMMAND_PATH_BYTES], allow[COMMAND_ALLOW_BYTES];
        const char *id;
        assert_ptr_equal(command_find(row->name), row);
        command_path(row, "match-17", path);
        assert_ptr_equal(command_route(row->method, path, &id, allow), row);
        assert_string_equal(id, command_has(row, FIELD_ID) ? "match-17" : "");
        assert_null(command_route("TRACE", path, &id, allow));
        assert_non_null(strstr(allow, row->method));
    }
    char allow[COMMAND_ALLOW_BYTES];
    const char *id;
    assert_null(command_find("dance"));
    assert_null(command_route("POST", "/v1/commands/dance", &id, allow));
    assert_string_equal(allow, "");
    assert_null(command_route("GET", "/v1/arenas/", &id, allow)); // an id is not empty
}

// They are printed into lines of the log, help and the manual as they are.
static void assert_plain(const char *text)
{
    for (; *text != '\0'; text++)
        assert_true(*text >= ' ' && *text <= '~' && *text != '"' && *text != '\\' && *text != '_');
}

TEST(texts_need_no_escapes)
{
    for (int i = 0; i < command_count; i++) {
        char slug[COMMAND_SLUG_BYTES];
        assert_true(strlen(command_rows[i].name) < COMMAND_SLUG_BYTES);
        command_slug(&command_rows[i], slug);
        assert_int_equal(strspn(slug, "abcdefghijklmnopqrstuvwxyz-"), strlen(slug));
        assert_plain(command_rows[i].help);
    }
    for (int i = 0; i < COMMAND_FIELDS; i++) {
        assert_non_null(command_fields[i].name);
        assert_plain(command_fields[i].help);
        // Values that can be wrong have words for it.
        assert_true(command_fields[i].wrong != NULL || (command_fields[i].type != TYPE_INTEGER &&
                                                        command_fields[i].type != TYPE_CHOICE));
    }
}

TEST(a_command_that_can_fail_in_an_arena_says_how)
{
    for (int i = 0; i < command_count; i++) {
        const struct command_row *row = &command_rows[i];
        const bool is_of_player = (row->needs & COMMAND_BIT(FIELD_PLAYER)) != 0;
        assert_int_equal(row->needs & row->takes, 0);
        assert_true(!is_of_player || row->failure != NULL);
        assert_true(row->level == COMMAND_NOBODY || command_changes(row));
    }
}

TEST(integers_and_choices_are_checked)
{
    static const struct {
        enum command_field field;
        const char *value;
        bool is_good;
    } cases[] = {
        {FIELD_PLAYER, "1", true},           {FIELD_PLAYER, "65535", true},
        {FIELD_PLAYER, "0", false},          {FIELD_PLAYER, "65536", false},
        {FIELD_PLAYER, "", false},           {FIELD_PLAYER, "-1", false},
        {FIELD_PLAYER, "1x", false},         {FIELD_PLAYER, "99999999999999999999", false},
        {FIELD_SECONDS, "1000000000", true}, {FIELD_SECONDS, "1000000001", false},
        {FIELD_LEVEL, "error", true},        {FIELD_LEVEL, "info", true},
        {FIELD_LEVEL, "inf", false},         {FIELD_LEVEL, "", false},
        {FIELD_LEVEL, "error|info", false},  {FIELD_TEXT, "", true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(command_check(cases[i].field, cases[i].value), cases[i].is_good);
}

TEST(words_of_text_leave_out_what_the_place_tells)
{
    const struct command_row *kick = command_find("kick"), *ban = command_find("ban");
    const struct command_row *add = command_find("arena add");
    assert_false(command_is_word_of_text(kick, FIELD_ARENA));
    assert_true(command_is_word_of_text(kick, FIELD_PLAYER));
    assert_true(command_is_word_of_text(add, FIELD_ARENA));
    assert_false(command_is_word_of_text(ban, FIELD_PLAYER)); // an address may be a player's
    assert_true(command_needs_word_of_text(ban, FIELD_ADDRESS));
    assert_false(command_is_word_of_text(ban, FIELD_FROM));
    assert_int_equal(command_field_find(kick, "player"), FIELD_PLAYER);
    assert_int_equal(command_field_find(kick, "seconds"), COMMAND_FIELDS);
    assert_int_equal(command_field_find(command_find("arena clip"), "seconds"), FIELD_CLIP_SECONDS);
}

TEST(the_table_is_json)
{
    char *list = command_list_json(), *paths = command_paths_json();
    assert_true(json_text_is_object(list));
    assert_true(json_text_is_object(paths));
    for (int i = 0; i < command_count; i++)
        assert_non_null(strstr(list, command_rows[i].help));
    free(list);
    free(paths);
}
