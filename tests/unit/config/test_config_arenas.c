// SPDX-License-Identifier: MIT
// The keys of arenas on demand: templates, the pool of ports, and the control over TCP.
#define _GNU_SOURCE
#include "config_fixture.h"

#include "config_diff.h"
#include "config_keys.h"

#define TEMPLATE "name = \"t\"; map = \"m.conf\";"
#define POOL "ports = \"7300-7363\";"
#define ON_DEMAND(templates) "on_demand = { " POOL " templates = (" templates "); };"

TEST(a_template_has_the_keys_of_an_arena_without_its_port)
{
    struct config *config = assert_accepted("arenas = ({" ARENA "});" ON_DEMAND(
        "{" TEMPLATE "max_players = 5; rotation = (\"m.conf\"); rules = { bullet_speed = 700; }; },"
        "{ name = \"a\"; map = \"m.conf\"; }")); // the name of an arena may be used again
    assert_int_equal(config->template_count, 2);
    assert_string_equal(config->templates[0].name, "t");
    assert_int_equal(config->templates[0].match.tuning.max_players, 5);
    assert_true(config->templates[0].match.rules.bullet_speed == 700);
    assert_int_equal(config->templates[0].port, 0);
    assert_ptr_equal(config->templates[0].match.map, config->arenas[0].match.map);
    assert_int_equal(config->templates[1].match.tuning.max_players, 64);
    assert_int_equal(config_port_count(&config->ports), 64);
    assert_int_equal(config->ports.first, 7300);
    assert_rejected(
        "arenas = (); " ON_DEMAND("{" TEMPLATE "max_players = 0; },\n7"),
        "raimd.conf:1: on_demand.templates[0].max_players: got 0, want an integer from 1 to "
        "1000\nraimd.conf:2: on_demand.templates[1]: got 7, want a group { name = ...; map = "
        "...; }\n");
    assert_rejected_for("arenas = (); " ON_DEMAND("{" TEMPLATE "port = 7; }"),
                        "templates[0].port: got an unknown key");
}

TEST(arenas_may_be_missing_beside_templates)
{
    struct config *config = assert_accepted("arenas = (); " ON_DEMAND("{" TEMPLATE "}"));
    assert_int_equal(config->arena_count, 0);
}

TEST(ports_are_a_range)
{
    static const char *const bad[] = {"7300", "7300-",   "-7300",      "0-5",
                                      "9-8",  "1-65536", "7300-7556",  "7300-7301 ",
                                      "a-b",  "1--2",    "007300-7301"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char text[128];
        snprintf(text, sizeof text, "on_demand = { ports = \"%s\"; }; arenas = ({" ARENA "});",
                 bad[i]);
        assert_rejected_for(text, ", want \"FIRST-LAST\" with at most 256 ports, or \"\"\n");
    }
    struct config *config =
        assert_accepted("on_demand = { ports = \"7300-7555\"; }; arenas = ({" ARENA "});");
    assert_int_equal(config_port_count(&config->ports), 256);
}

TEST(templates_need_ports_and_arenas_leave_them)
{
    assert_rejected("arenas = ({" ARENA "});\non_demand = { templates = ({" TEMPLATE "}); };",
                    "raimd.conf:2: on_demand.templates: got templates without ports, want both\n");
    assert_rejected(
        ON_DEMAND("") "arenas = ({" ARENA "\nport = 7363; });",
        "raimd.conf:2: arenas[0].port: got 7363, want a port outside of on_demand.ports, "
        "\"7300-7363\"\n");
    assert_rejected(
        "arenas = ();\n" ON_DEMAND("{" TEMPLATE "},\n{" TEMPLATE "}"),
        "raimd.conf:3: on_demand.templates[1].name: got \"t\", want another name than that of "
        "templates[0]\n");
}

TEST(a_change_of_templates_is_applied)
{
    struct config *before = assert_accepted("arenas = (); " ON_DEMAND("{" TEMPLATE "}"));
    struct config *after = assert_accepted(
        "arenas = (); on_demand = { ports = \"1-2\"; templates = ({" TEMPLATE "bots = 1; }); };");
    struct config_diff *diff = config_diff_create(before, after);
    assert_int_equal(diff->count, 2);
    assert_int_equal(diff->restart_count, 0);
    config_diff_free(diff);
    write_text("m.conf", "border = (0, 0, 600, 500); spawns = ((100, 100));");
    after = assert_accepted("arenas = (); " ON_DEMAND("{" TEMPLATE "}"));
    diff = config_diff_create(before, after);
    assert_int_equal(diff->count, 1);
    assert_non_null(strstr(diff->changes[0].text, "another file of this name"));
    config_diff_free(diff);
    write_text("m.conf", MAP);
}

#define PEM "-----BEGIN CERTIFICATE-----\n"

TEST(the_control_over_tcp_is_protected)
{
    write_text("c.pem", PEM);
    write_text("k.pem", PEM);
    write_text("token", "0123456789abcdef\n");
    assert_int_equal(chmod(path_of("k.pem"), 0600), 0);
    assert_int_equal(chmod(path_of("token"), 0600), 0);
    static const char arenas[] = "arenas = ({" ARENA "});\n";
    static const char rejection[] =
        "raimd.conf:2: control.listen: got 0.0.0.0 without protection, want an address of "
        "127.0.0.0/8 or [::1], or certificate, key, and token_file or clients\n";
    static const char *const open[] = {"", "token_file = \"token\";",
                                       "certificate = \"c.pem\"; key = \"k.pem\";"};
    char text[512];
    for (size_t i = 0; i < sizeof open / sizeof *open; i++) {
        snprintf(text, sizeof text, "%scontrol = { listen = \"0.0.0.0:7247\"; %s };", arenas,
                 open[i]);
        assert_rejected(text, rejection);
    }
    static const char *const closed[] = {
        "listen = \"127.0.0.1:7247\";",
        "listen = \"0.0.0.0:7247\"; certificate = \"c.pem\"; key = "
        "\"k.pem\"; token_file = \"token\";",
        "listen = \"0.0.0.0:7247\"; certificate = \"c.pem\"; key = "
        "\"k.pem\"; clients = \"c.pem\";"};
    for (size_t i = 0; i < sizeof closed / sizeof *closed; i++) {
        snprintf(text, sizeof text, "%scontrol = { %s };", arenas, closed[i]);
        struct config *config = assert_accepted(text);
        assert_true(config->control_tcp.listen.is_on);
        assert_int_equal(config->control_tcp.listen.port, 7247);
    }
}

TEST(files_of_the_control_are_checked)
{
    write_text("c.pem", PEM);
    write_text("k.pem", PEM);
    assert_int_equal(chmod(path_of("k.pem"), 0644), 0);
    write_text("bad.pem", "hello");
    assert_rejected("arenas = ({" ARENA "});\ncontrol = { certificate = \"bad.pem\";\n"
                    "key = \"k.pem\";\nclients = \"none.pem\"; };\n",
                    "raimd.conf:2: control.certificate: cannot take \"bad.pem\": it is not a PEM "
                    "file\nraimd.conf:3: control.key: cannot take \"k.pem\": others have access to "
                    "it, want mode 0640 or less\nraimd.conf:4: control.clients: cannot take "
                    "\"none.pem\": No such file or directory\n");
    assert_rejected("arenas = ({" ARENA "});\ncontrol = { certificate = \"c.pem\"; };\n",
                    "raimd.conf:2: control.certificate: got no key beside it, want both or none\n");
}

TEST_EACH(set_up, NULL)
