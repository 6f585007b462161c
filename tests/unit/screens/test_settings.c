// SPDX-License-Identifier: MIT
// The settings and the servers played survive in their files, and damaged files do no harm.
#define _GNU_SOURCE
#include "files.h"
#include "files_fixture.h"
#include "servers.h"
#include "settings.h"

static const char *directory;

static void set_up(void)
{
    directory = path_in(test_directory(), "raim/");
}

TEST_EACH(set_up, NULL)

static const char *write_setting(const char *name, const char *text)
{
    const struct settings made = settings_default();
    assert_true(settings_save(&made, directory)); // makes the directory
    const char *path = path_in(directory, name);
    write_file(path, text);
    return path;
}

// Loads settings in whose place the given thing stands, which is left there.
static void check_obstacle(const char *path)
{
    const struct settings made = settings_default(), loaded = settings_load(directory);
    assert_true(loaded.volume == made.volume);
    struct servers servers;
    servers_load(&servers, directory);
    assert_int_equal(servers.count, 0);
    assert_int_equal(access(path, F_OK), 0);
    assert_int_equal(remove(path), 0);
}

TEST(what_is_no_file_or_too_large_is_left_alone)
{
    const char *path = write_setting("settings", "{}");
    assert_int_equal(remove(path), 0);
    assert_int_equal(mkdir(path, 0700), 0);
    check_obstacle(path);
    assert_int_equal(mkfifo(path, 0600), 0);
    check_obstacle(path);
    assert_int_equal(symlink("/dev/zero", path), 0);
    check_obstacle(path);
    write_setting("settings", "{\"volume\": 0.1}");
    assert_int_equal(truncate(path, 2 << 20), 0);
    check_obstacle(path);
}

TEST(deep_and_wild_values_do_no_harm)
{
    static char deep[400001];
    memset(deep, '[', sizeof deep - 1);
    write_setting("settings", deep);
    settings_load(directory);
    write_setting("settings", "{\"volume\": 1e999}");
    settings_load(directory);
    write_setting("settings", "{\"volume\": -1e300, \"frame_cap\": -9223372036854775808, "
                              "\"ui_scale\": NaN, \"sensitivity\": 1e-320}");
    settings_load(directory);
    write_setting("settings", "{\"volume\": -1e300, \"frame_cap\": -9223372036854775808}");
    const struct settings loaded = settings_load(directory);
    assert_true(loaded.volume >= 0 && loaded.volume <= 1);
    assert_int_equal(loaded.frame_cap_hz, 0);
}

TEST(a_full_disk_leaves_the_settings_before)
{
    const char *fresh = path_in(directory, "settings.new");
    struct settings settings = settings_default();
    settings.volume = 0.25;
    assert_true(settings_save(&settings, directory));
    assert_int_equal(symlink("/dev/full", fresh), 0);
    settings.volume = 0.5;
    assert_false(settings_save(&settings, directory));
    remove(fresh);
    assert_true(settings_load(directory).volume == 0.25);
}

TEST(settings_survive)
{
    struct settings settings = {
        .name = "Mira \u4e2d",
        .sensitivity = 1.25,
        .confines_mouse = true,
        .ui_scale = 1.5,
        .palette = PALETTE_CONTRAST,
        .full_screen = true,
        .frame_cap_hz = 144,
        .volume = 0.3,
        .mutes_sound = true,
        .rumbles = true,
        .learned = "move fire",
    };
    assert_true(settings_save(&settings, directory));
    const struct settings read = settings_load(directory);
    assert_string_equal(read.name, settings.name);
    assert_true(read.sensitivity == 1.25);
    assert_true(read.confines_mouse);
    assert_true(read.ui_scale == 1.5);
    assert_int_equal(read.palette, PALETTE_CONTRAST);
    assert_true(read.full_screen);
    assert_int_equal(read.frame_cap_hz, 144);
    assert_true(read.volume == 0.3);
    assert_true(read.mutes_sound);
    assert_false(read.shakes);
    assert_true(read.rumbles);
    assert_string_equal(read.learned, "move fire");
}

TEST(without_a_file_the_defaults_hold)
{
    const struct settings read = settings_load(directory);
    assert_string_equal(read.name, "");
    assert_true(read.sensitivity == 1);
    assert_int_equal(read.palette, PALETTE_STANDARD);
    assert_false(settings_save(&read, "/proc/none/"));
    assert_false(settings_save(&read, ""));
}

TEST(a_damaged_file_is_kept_aside)
{
    const char *const texts[] = {"", "{\"volume\": 0.5", "[1]", "volume = 1",
                                 "{\"name\": \"\xff\"}"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        write_setting("settings", texts[i]);
        const struct settings read = settings_load(directory);
        assert_true(read.volume == settings_default().volume);
        assert_int_not_equal(access(path_in(directory, "settings"), F_OK), 0);
        assert_int_equal(access(path_in(directory, "settings.bad"), F_OK), 0);
    }
}

TEST(impossible_values_are_ignored_one_by_one)
{
    write_setting("settings", "{\"name\": \"a name of more than twenty-four bytes\", "
                              "\"sensitivity\": 0, \"ui_scale\": 99, \"palette\": \"mauve\", "
                              "\"full_screen\": 1, \"frame_cap\": 7, \"volume\": \"loud\", "
                              "\"mute\": true, \"later\": {}}");
    const struct settings read = settings_load(directory);
    assert_string_equal(read.name, "");
    assert_true(read.sensitivity == 1);
    assert_true(read.ui_scale == 1);
    assert_int_equal(read.palette, PALETTE_STANDARD);
    assert_false(read.full_screen);
    assert_int_equal(read.frame_cap_hz, 0);
    assert_true(read.volume == 0.7);
    assert_true(read.mutes_sound);
}

TEST(settings_are_limited)
{
    struct settings settings = {.sensitivity = 0, .ui_scale = 9, .volume = -1, .frame_cap_hz = 5};
    settings_limit(&settings);
    assert_true(settings.sensitivity == 0.1);
    assert_true(settings.ui_scale == 2);
    assert_true(settings.volume == 0);
    assert_int_equal(settings.frame_cap_hz, 30);
    settings.frame_cap_hz = 0;
    settings_limit(&settings);
    assert_int_equal(settings.frame_cap_hz, 0);
}

TEST(the_directory_is_of_the_environment)
{
    char path[128];
    setenv("XDG_CONFIG_HOME", "/c", 1);
    assert_true(files_path(FILES_SETTINGS, "", path, sizeof path));
    assert_string_equal(path, "/c/raim/");
    assert_false(files_path(FILES_SETTINGS, "", path, 8));
    unsetenv("XDG_CONFIG_HOME");
    setenv("HOME", "/h", 1);
    assert_true(files_path(FILES_SETTINGS, "", path, sizeof path));
    assert_string_equal(path, "/h/.config/raim/");
    unsetenv("HOME");
    assert_false(files_path(FILES_SETTINGS, "", path, sizeof path));
}

TEST(favourites_come_first_then_the_latest_games)
{
    static struct servers servers, read;
    servers = (struct servers){0};
    servers_note_game(&servers, "a:1", 10);
    servers_note_game(&servers, "b:1", 30);
    servers_note_game(&servers, "c:1", 20);
    servers_set_favourite(&servers, "a:1", true);
    servers_set_favourite(&servers, "d:1", true);
    servers_note_game(&servers, "c:1", 40);
    assert_true(servers_save(&servers, directory));
    servers_load(&read, directory);
    assert_int_equal(read.count, 4);
    const char *const order[] = {"a:1", "d:1", "c:1", "b:1"};
    for (int i = 0; i < 4; i++)
        assert_string_equal(read.entries[i].address, order[i]);
    servers_set_favourite(&read, "d:1", false); // never played
    servers_set_favourite(&read, "a:1", false);
    assert_int_equal(read.count, 3);
    assert_string_equal(read.entries[2].address, "a:1");
    assert_int_equal(servers_find(&read, "d:1"), -1);
}

TEST(a_full_list_drops_the_oldest_game)
{
    static struct servers servers;
    char address[32];
    servers = (struct servers){0};
    servers_set_favourite(&servers, "kept:1", true);
    for (int i = 0; i < 2 * SERVERS_MAX; i++) {
        snprintf(address, sizeof address, "host%d:1", i);
        servers_note_game(&servers, address, 100 + i);
    }
    assert_int_equal(servers.count, SERVERS_MAX);
    assert_string_equal(servers.entries[0].address, "kept:1");
    assert_string_equal(servers.entries[1].address, address);
    for (int i = 0; i < 2 * SERVERS_MAX; i++) {
        snprintf(address, sizeof address, "host%d:1", i);
        servers_set_favourite(&servers, address, true);
    }
    assert_int_equal(servers.count, SERVERS_MAX); // of favourites none is dropped
    assert_true(servers_find(&servers, "kept:1") >= 0);
    servers_note_game(&servers, "new:1", 999);
    assert_int_equal(servers_find(&servers, "new:1"), -1);
}

TEST(a_list_of_servers_may_be_nonsense)
{
    static struct servers servers;
    write_setting("servers", "{\"servers\": [1, {}, {\"address\": 5}, {\"address\": \"a:1\"}, "
                             "{\"address\": \"a:1\", \"favourite\": true}]}");
    servers_load(&servers, directory);
    assert_int_equal(servers.count, 1);
    write_setting("servers", "{");
    servers_load(&servers, directory);
    assert_int_equal(servers.count, 0);
}
