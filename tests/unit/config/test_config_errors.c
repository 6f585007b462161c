// SPDX-License-Identifier: MIT
// The configuration loader: each mistake gets its own clear line.
#define _GNU_SOURCE
#include "config_fixture.h"

#include "source.h"

#include <sys/stat.h>

// --- Mistakes in the daemon's file ---

TEST(every_mistake_is_reported_at_once)
{
    write_text("bad.conf", "border = (0, 0, 500);\nspawn = ((1, 1));\n");
    assert_rejected(
        "workers = -1;\n"
        "http = { listen = \"localhost:80\"; };\n"
        "arenas = (\n"
        "  { name = \"Duel\"; map = \"bad.conf\"; port = 70000;\n"
        "    tick_hz = 60.0; bots = \"many\"; adress = \"0.0.0.0\"; },\n"
        "  { map = \"none.conf\"; address = \"1.2.3\"; max_players = 0;\n"
        "    rules = { bulet_speed = 1; bullet_speed = 1; player_radius = true; }; },\n"
        "  17\n"
        ");\n",
        "raimd.conf:1: workers: got -1, want an integer from 0 to 256\n"
        "raimd.conf:2: http.listen: got \"localhost:80\", want \"IPV4:PORT\", \"[IPV6]:PORT\" or "
        "\"off\"\n"
        "raimd.conf:4: arenas[0].name: got \"Duel\", want 1 to 31 characters of a-z, "
        "0-9, _ and -\n"
        "raimd.conf:4: arenas[0].port: got 70000, want an integer from 0 to 65535\n"
        "raimd.conf:5: arenas[0].bots: got \"many\", want an integer from 0 to 200\n"
        "raimd.conf:5: arenas[0].tick_hz: got 60.0, want an integer from 10 to 240 Hz\n"
        "raimd.conf:5: arenas[0].adress: got an unknown key, did you mean "
        "\"address\"?\n"
        "raimd.conf:6: arenas[1]: got no key \"name\", want 1 to 31 characters of a-z, "
        "0-9, _ and -\n"
        "raimd.conf:6: arenas[1].address: got \"1.2.3\", want an IPv4 or IPv6 address\n"
        "raimd.conf:6: arenas[1].max_players: got 0, want an integer from 1 to 1000\n"
        "raimd.conf:6: arenas[1].map: cannot read \"none.conf\": No such file or "
        "directory\n"
        "raimd.conf:7: arenas[1].rules.player_radius: got true, want a number from 4 "
        "to 100 units\n"
        "raimd.conf:7: arenas[1].rules.bullet_speed: got 1, want a number from 50 to "
        "20000 units/s\n"
        "raimd.conf:7: arenas[1].rules.bulet_speed: got an unknown key, did you mean "
        "\"bullet_speed\"?\n"
        "raimd.conf:8: arenas[2]: got 17, want a group { name = ...; map = ...; }\n"
        "bad.conf: got no key \"spawns\", want a list of 1 to 256 points ( x, y )\n"
        "bad.conf:1: border: got a list of 3, want x_min, y_min, x_max, y_max\n"
        "bad.conf:2: spawn: got an unknown key, did you mean \"spawns\"?\n");
}

// Each file with its whole report.
TEST(each_mistake_has_a_clear_line)
{
    static const char *const rows[][2] = {
        {"gravity = 9; arenas = ({" ARENA "});",
         "raimd.conf:1: gravity: got an unknown key, want one of workers, log_level, sandbox, "
         "core_dumps, http, control, admins, rcon, gateway, recordings, results, events, hook, "
         "bans, on_demand, agones, discovery, arenas\n"},
        {"bots = 3; bullet_speed = 700; arenas = ({" ARENA "});",
         "raimd.conf:1: bots: got a key that belongs into arenas\n"
         "raimd.conf:1: bullet_speed: got a key that belongs into arenas.rules\n"},
        {"\xEF\xBB\xBF"
         "arenas = ({" ARENA "});",
         "raimd.conf: got a byte order mark (BOM), want UTF-8 without one\n"},
        {"arenas =\n[ {" ARENA "} ];",
         "raimd.conf:2: got [ { ... } ], want ( { ... } ): a list of groups has parentheses\n"},
        {"hook = { target = \"/nonexistent/hook here\"; }; arenas = ({" ARENA "});",
         "raimd.conf:1: hook.target: cannot run \"/nonexistent/hook\": No such file or "
         "directory\n"},
        {"http = { hosts = ( \"a.example\",\n\"http://b.example\",\n\"c:80\", 7 ); };\n"
         "arenas = ({" ARENA "});",
         "raimd.conf:2: http.hosts[1]: got \"http://b.example\", want the name of a host, without "
         "scheme and port\n"
         "raimd.conf:3: http.hosts[2]: got \"c:80\", want the name of a host, without scheme and "
         "port\n"
         "raimd.conf:3: http.hosts[3]: got 7, want the name of a host, without scheme and port\n"},
        {"recordings = { directory = \"recordings\"; }; arenas = ({" ARENA "});",
         "raimd.conf:1: recordings.directory: got \"recordings\", want \"\" or an absolute path of "
         "at most 255 bytes\n"},
        {"log_level = \"debug\"; arenas = ({" ARENA "});",
         "raimd.conf:1: log_level: got \"debug\", want \"error\", \"warning\" or \"info\"\n"},
        {"", "raimd.conf: got no key \"arenas\", want a list of 1 to 256 groups\n"},
        {"arenas = ();", "raimd.conf:1: arenas: got a list of 0, want 1 to 256 arenas\n"},
        {"arenas = {};",
         "raimd.conf:1: arenas: got a group, want a list of 1 to 256 groups: ( ... )\n"},
        {"arenas = ({" ARENA "port = 1;\nrotation = {};\nrules = (); });",
         "raimd.conf:2: arenas[0].rotation: got a group, want a list of at most 32 paths of map "
         "files: ( ... )\n"
         "raimd.conf:3: arenas[0].rules: got a list of 0, want a group: { ... }\n"},
        {"arenas = ({" ARENA "port = 18446744073709551620; });",
         "raimd.conf:1: got 18446744073709551620, want a number below 2^63\n"},
        {"arenas = ({" ARENA "rules = { respawn_delay = 1e999; }; });",
         "raimd.conf:1: arenas[0].rules.respawn_delay: got inf, want a number from 0 to 60 s\n"},
        // Text that libconfig cannot read.
        {"workers = 1;\nstatus = = 3;\n",
         "raimd.conf:2: got a syntax error at or before this: status = = 3;\n"},
        {"status = \033[31m;\n",
         "raimd.conf:1: got a syntax error at or before this: status = ?[31m;\n"},
        {"workers = 1;\nworkers = 2;\n",
         "raimd.conf:2: got a duplicate setting name at or before this: workers = 2;\n"},
        {"arenas = [1,\n 2.5];",
         "raimd.conf:2: got a mismatched element type in array at or before this: 2.5];\n"},
        {"\n\nworkers = 1 # one",
         "raimd.conf: got no key \"arenas\", want a list of 1 to 256 groups\n"},
        {"workers = 1;\nstatus = \"off;\narenas = ({" ARENA "});\n",
         "raimd.conf:2: got a string without its end, want \" on the same line\n"},
        {"status = \"off\\\"",
         "raimd.conf:1: got a string without its end, want \" on the same line\n"},
        {"status = \"off\\",
         "raimd.conf:1: got a string without its end, want \" on the same line\n"},
        {"workers = 1;\n/* arenas\n = 3;\n",
         "raimd.conf:2: got a comment without its end, want */ after /*\n"},
        {"/* one\n two */ // three\n# four\nworkers/**/=/*\n*/-1; arenas = ({" ARENA "});",
         "raimd.conf:4: workers: got -1, want an integer from 0 to 256\n"},
        {"\n@include \"none.conf\"\n@include \".\"\n@include\n@include \"\n",
         "raimd.conf:2: @include: cannot read \"none.conf\": No such file or directory\n"
         "raimd.conf:3: @include: cannot read \".\": Is a directory\n"
         "raimd.conf:4: got @include without a file, want @include \"FILE\"\n"
         "raimd.conf:5: got @include without a file, want @include \"FILE\"\n"},
        {"@include \"raimd.conf\"\n",
         "raimd.conf:1: @include: got \"raimd.conf\" as well, want at most 64 files\n"},
        {"# @include \"none\"\n/*\n@include \"none\"\n*/\n// @include \"none\"\nworkers = -1;",
         "raimd.conf: got no key \"arenas\", want a list of 1 to 256 groups\n"
         "raimd.conf:6: workers: got -1, want an integer from 0 to 256\n"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_rejected(rows[i][0], rows[i][1]);
}

TEST(integers_do_not_wrap)
{
    static const char *const ports[] = {
        "65536",       "2147483648",          "3000000000",
        "4294967300",  // 4, were it cut to 32 bits
        "0x100000004", // 4 in the low 32 bits
        "0xFFFFFFFF",  // -1 as a 32-bit integer
        "0xFFFFFFFFL", "9223372036854775807", "-2147483648", "-2147483649",
        "-4294967295", // 1 in the low 32 bits
    };
    for (size_t i = 0; i < sizeof ports / sizeof *ports; i++) {
        char keys[64], reason[128];
        snprintf(keys, sizeof keys, "port = %s;", ports[i]);
        snprintf(reason, sizeof reason, "port: got %lld, want an integer from 0 to 65535\n",
                 strtoll(ports[i], NULL, 0));
        assert_arena_rejected_for(keys, reason);
    }
}

TEST(what_is_quoted_is_cut_and_adds_no_line)
{
    char text[4096], *report;
    snprintf(text, sizeof text, "arenas = ({ name = \"\\x1b[31m%02048d\"; map = \"x\\ny\"; });", 0);
    write_text("raimd.conf", text);
    assert_null(load("raimd.conf", &report));
    test_at_end(free, report);
    assert_non_null(strstr(report, "got \"?[31m000"));
    assert_non_null(strstr(report, "000...\", want"));
    assert_non_null(strstr(report, "x?y\": No such file"));
    assert_true(strlen(report) < 400);
    assert_ptr_equal(strchr(strchr(report, '\n') + 1, '\n'), report + strlen(report) - 1);
}

TEST(nesting_without_end_is_a_syntax_error)
{
    char text[40001] = "a = ";
    memset(text + 4, '(', 40000 - 4);
    assert_rejected_for(text, "raimd.conf:1: got a memory exhausted");
}

TEST(a_key_of_an_earlier_version_is_told_its_name)
{
    static const char before[] =
        "raimd.conf:1: status: got a key of an earlier version, want http.listen\n"
        "raimd.conf:2: control: got a key of an earlier version, want control.socket\n"
        "raimd.conf:3: results: got a key of an earlier version, want results.enabled\n"
        "raimd.conf:4: recording_keep: got a key of an earlier version, want "
        "recordings.gigabytes and recordings.days\n"
        "raimd.conf:5: templates: got a key of an earlier version, want on_demand.templates\n";
    assert_rejected("status = \"off\";\ncontrol = \"\";\nresults = true;\n"
                    "recording_keep = { days = 1; };\ntemplates = ();\narenas = ({" ARENA "});",
                    before);
}

static void assert_token_rejected(const char *why)
{
    char expected[512];
    snprintf(expected, sizeof expected,
             "raimd.conf:1: http.live_token_file: cannot take \"token\": %s\n", why);
    assert_rejected("http = { live_token_file = \"token\"; }; arenas = ({" ARENA "});", expected);
}

TEST(the_live_token_is_kept_from_everybody)
{
    assert_token_rejected("No such file or directory");
    write_text("token", "0123456789abcdef\n");
    assert_int_equal(chmod(path_of("token"), 0644), 0);
    assert_token_rejected("others have access to it, want mode 0640 or less");
    assert_int_equal(chmod(path_of("token"), 0640), 0);
    write_text("token", "too-short\n");
    assert_token_rejected("want a line of 16 to 128 letters, digits and -._~+/=");
    unlink(path_of("token"));
    assert_int_equal(mkfifo(path_of("token"), 0600), 0);
    assert_token_rejected("it is not a regular file");
    unlink(path_of("token"));
}

TEST(names_and_ports_are_unique)
{
    assert_rejected(
        "arenas = (\n"
        "{ name = \"a\"; map = \"m.conf\"; address = \"127.0.0.1\"; },\n"
        "{ name = \"a\"; map = \"m.conf\"; port = 7247; },\n"
        "{ name = \"b\"; map = \"m.conf\"; address = \"127.0.0.1\"; },\n"
        "{ name = \"c\"; map = \"m.conf\"; address = \"127.0.0.2\";\n"
        "  port = 7247; },\n"
        "{ name = \"d\"; map = \"m.conf\"; port = 7246; });",
        "raimd.conf:3: arenas[1].name: got \"a\", want another name than that of "
        "arenas[0]\n"
        "raimd.conf:4: arenas[2]: got 127.0.0.1:7246, want an address and port apart "
        "from 127.0.0.1:7246 of arenas[0]\n"
        "raimd.conf:6: arenas[3].port: got 127.0.0.2:7247, want an address and port "
        "apart from 0.0.0.0:7247 of arenas[1]\n"
        "raimd.conf:7: arenas[4].port: got 0.0.0.0:7246, want an address and port apart "
        "from 127.0.0.1:7246 of arenas[0]\n");
}

// A mistake hides only those that follow from it.
TEST(a_mistake_of_another_key_hides_no_shared_port)
{
    assert_rejected(
        "rcon = { listen = \"0.0.0.0:1\"; };\n"
        "arenas = (\n"
        "{ name = \"a\"; map = \"m.conf\"; bots = -1; },\n"
        "{ name = \"b\"; map = \"m.conf\"; },\n"
        "{ name = \"c\"; map = \"m.conf\"; address = \"x\"; });\n"
        "control = { listen = \"0.0.0.0:2\"; };",
        "raimd.conf:1: rcon.listen: got no password beside it, want one\n"
        "raimd.conf:1: rcon.listen: got 0.0.0.0, where the password and every command travel "
        "unencrypted, want an address of 127.0.0.0/8 or [::1], or remote = true\n"
        "raimd.conf:3: arenas[0].bots: got -1, want an integer from 0 to 200\n"
        "raimd.conf:4: arenas[1]: got 0.0.0.0:7246, want an address and port apart from "
        "0.0.0.0:7246 of arenas[0]\n"
        "raimd.conf:5: arenas[2].address: got \"x\", want an IPv4 or IPv6 address\n"
        "raimd.conf:6: control.listen: got 0.0.0.0 without protection, want an address "
        "of 127.0.0.0/8 or [::1], or certificate, key, and token_file or clients\n");
}

// --- Files ---

TEST(files_that_are_no_text)
{
    write_bytes("raimd.conf", "a = 1;\0b", 8);
    assert_report("raimd.conf: got a zero byte, want text\n");

    char *large = malloc(SOURCE_MAX_BYTES + 1);
    memset(large, ' ', SOURCE_MAX_BYTES + 1);
    write_bytes("raimd.conf", large, SOURCE_MAX_BYTES + 1);
    assert_report("raimd.conf: got more than 4194304 bytes of text\n");
    free(large);
}

TEST(files_that_cannot_be_read)
{
    char *report;
    assert_null(load("absent.conf", &report));
    assert_string_equal(report,
                        "absent.conf: cannot read \"absent.conf\": No such file or directory\n");
    free(report);
    assert_null(load(".", &report));
    assert_string_equal(report, ".: cannot read \".\": Is a directory\n");
    free(report);

    assert_rejected("arenas = ({ name = \"a\"; map = \".\"; });",
                    "raimd.conf:1: arenas[0].map: cannot read \".\": Is a directory\n");
    if (geteuid() == 0)
        return; // root reads everything
    write_text("raimd.conf", "");
    assert_int_equal(chmod(path_of("raimd.conf"), 0), 0);
    assert_report("raimd.conf: cannot read \"raimd.conf\": Permission denied\n");
    unlink(path_of("raimd.conf"));
}

// --- @include ---

TEST(include_is_relative_and_keeps_lines)
{
    mkdir(path_of("inc"), 0700);
    write_text("inc/first.conf", "@include \"second.conf\"\nbots = -2;");
    write_text("inc/second.conf", "\nport = -1;\n");
    assert_rejected("arenas = ({\n  @include \"inc/first.conf\" tick_hz = 1;\n" ARENA
                    "\nmax_players = 0; });",
                    "inc/second.conf:2: arenas[0].port: got -1, want an integer from 0 to 65535\n"
                    "raimd.conf:2: arenas[0].tick_hz: got 1, want an integer from 10 to 240 Hz\n"
                    "raimd.conf:4: arenas[0].max_players: got 0, want an integer from 1 to 1000\n"
                    "inc/first.conf:2: arenas[0].bots: got -2, want an integer from 0 to 200\n");
}

TEST_EACH(set_up, NULL)
