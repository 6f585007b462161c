// SPDX-License-Identifier: MIT
// The file of known servers, with links of our own: first visits, other keys, and files that must
// not be followed or believed.
#define _GNU_SOURCE
#include "known_servers.c"

#include "files_fixture.h"

static struct {
    bool is_encrypted, is_other;
    uint8_t key[RAIM_KEY_BYTES];
} shown;
static const struct raim_link *const any_link = (const struct raim_link *)&shown;

bool __real_raim_link_server_key(const struct raim_link *link, uint8_t key[RAIM_KEY_BYTES]);
bool __wrap_raim_link_server_key(const struct raim_link *link, uint8_t key[RAIM_KEY_BYTES]);
bool __wrap_raim_link_server_key(const struct raim_link *link, uint8_t key[RAIM_KEY_BYTES])
{
    if (link != any_link)
        return __real_raim_link_server_key(link, key);
    memcpy(key, shown.key, sizeof shown.key);
    return shown.is_encrypted;
}

bool __real_raim_link_other_key(const struct raim_link *link, uint8_t key[RAIM_KEY_BYTES]);
bool __wrap_raim_link_other_key(const struct raim_link *link, uint8_t key[RAIM_KEY_BYTES]);
bool __wrap_raim_link_other_key(const struct raim_link *link, uint8_t key[RAIM_KEY_BYTES])
{
    if (link != any_link)
        return __real_raim_link_other_key(link, key);
    memcpy(key, shown.key, sizeof shown.key);
    return shown.is_other;
}

static const char *path;

static void set_up(void)
{
    assert_true(raim_crypto_init());
    memset(&shown, 0, sizeof shown);
    path = path_in(test_directory(), "a/b/known");
}

TEST_EACH(set_up, NULL)

static void visit(const char *host, uint16_t port, uint8_t first)
{
    struct raim_known_server server;
    memset(shown.key, first, sizeof shown.key);
    shown.is_encrypted = true;
    assert_true(raim_known_server_find(&server, path, host, port));
    raim_known_server_update(&server, any_link);
}

static void assert_known(const char *host, uint16_t port, int first)
{
    struct raim_known_server server;
    assert_true(raim_known_server_find(&server, path, host, port));
    assert_int_equal(server.has_key, first >= 0);
    if (first >= 0)
        assert_int_equal(server.key[31], first);
}

TEST(the_key_of_the_first_visit_stays)
{
    struct stat info;
    assert_known("one.example", 7246, -1);
    visit("one.example", 7246, 1);
    visit("two.example", 7246, 2);
    visit("one.example", 7247, 3);
    visit("one.example", 7246, 9);
    assert_known("one.example", 7246, 1);
    assert_known("two.example", 7246, 2);
    assert_known("one.example", 7247, 3);
    assert_known("one.example", 724, -1);
    assert_known("ne.example", 7246, -1);
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0600);
}

TEST(a_plain_connection_is_not_remembered)
{
    struct raim_known_server server;
    assert_true(raim_known_server_find(&server, path, "one.example", 1));
    raim_known_server_update(&server, any_link);
    raim_known_server_update(&server, NULL);
    assert_false(server.has_key);
    assert_int_equal(access(path, F_OK), -1);
}

TEST(another_key_is_warned_of_once_and_not_kept)
{
    struct raim_known_server server;
    visit("one.example", 7246, 1);
    assert_true(raim_known_server_find(&server, path, "one.example", 7246));
    memset(shown.key, 7, sizeof shown.key);
    shown.is_encrypted = false;
    shown.is_other = true;
    raim_known_server_update(&server, any_link);
    assert_true(server.is_done);
    assert_known("one.example", 7246, 1);
}

TEST(lines_of_others_are_kept_and_damage_is_rejected)
{
    struct raim_known_server server;
    raim_private_file_replace(path, "# mine\nbad.example:1 00zz\nworse.example:1 ");
    visit("one.example", 7246, 1);
    assert_known("one.example", 7246, 1);
    assert_false(raim_known_server_find(&server, path, "bad.example", 1));
    assert_false(raim_known_server_find(&server, path, "worse.example", 1));
    const char *text = freed(raim_private_file_read(path, MAX_BYTES));
    assert_non_null(strstr(text, "# mine\nbad.example:1 00zz\n"));
}

TEST(a_link_in_its_place_is_not_followed)
{
    struct raim_known_server server;
    raim_private_file_replace(path, "");
    unlink(path);
    assert_int_equal(symlink("/dev/null", path), 0);
    assert_false(raim_known_server_find(&server, path, "one.example", 7246));
}

TEST(paths_follow_the_environment)
{
    char found[128];
    setenv("HOME", "/home/ada", 1);
    unsetenv("XDG_STATE_HOME");
    assert_true(raim_known_servers_path(found, sizeof found));
    assert_string_equal(found, "/home/ada/.local/state/raim/known_servers");
    setenv("XDG_STATE_HOME", "/state", 1);
    assert_true(raim_known_servers_path(found, sizeof found));
    assert_string_equal(found, "/state/raim/known_servers");
    setenv("XDG_STATE_HOME", "relative", 1);
    unsetenv("HOME");
    assert_false(raim_known_servers_path(found, sizeof found));
    assert_true(raim_known_servers_keeps("play.example"));
    assert_false(raim_known_servers_keeps("localhost") || raim_known_servers_keeps("127.0.0.1"));
}
