// SPDX-License-Identifier: MIT
// The gateway's configuration: what is accepted, and what is said of mistakes.
#define _GNU_SOURCE
#include "crypto.h"
#include "diagnostics.h"
#include "test.h"
#include "web_config.h"

#include <sys/stat.h>
#include <unistd.h>

static char directory[] = "/tmp/test_web_config_XXXXXX";

static int set_up(void **state)
{
    (void)state;
    return raim_crypto_init() && mkdtemp(directory) != NULL ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    char command[64];
    snprintf(command, sizeof command, "rm -r %s", directory);
    return system(command);
}

TEST_GROUP(set_up, tear_down)

static void write_file(const char *name, const char *text, mode_t mode)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
    assert_int_equal(chmod(path, mode), 0);
}

// Loads a text; the report has paths relative to the test's directory.
static struct web_config *load(const char *text, char **report)
{
    char path[128];
    size_t size;
    write_file("web.conf", text, 0644);
    snprintf(path, sizeof path, "%s/web.conf", directory);
    struct diagnostics diagnostics = {.out = open_memstream(report, &size)};
    struct web_config *config = web_config_load(path, &diagnostics);
    fclose(diagnostics.out);
    const size_t prefix = strlen(directory) + 1;
    for (char *at = *report; (at = strstr(at, directory)) != NULL;)
        memmove(at, at + prefix, strlen(at + prefix) + 1);
    return config;
}

static void assert_rejected(const char *text, const char *expected)
{
    char *report;
    struct web_config *config = load(text, &report);
    assert_string_equal(report, expected);
    assert_null(config);
    free(report);
}

static struct web_config *assert_accepted(const char *text)
{
    char *report;
    struct web_config *config = load(text, &report);
    assert_string_equal(report, "");
    assert_non_null(config);
    free(report);
    return config;
}

#define KEY "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define TARGETS "targets = ( \"127.0.0.1:7246\" );\n"

TEST(targets_are_all_that_is_needed)
{
    struct web_config *config = assert_accepted("targets = ( \"127.0.0.1:7246\", \"[::1]:7247 " KEY
                                                "\", \"arena-2.example.org:7000-8000\" );");
    assert_int_equal(config->target_count, 3);
    assert_int_equal(config->targets[0].last_port, 7246);
    assert_int_equal(config->targets[2].address.port, 7000);
    assert_int_equal(config->targets[2].last_port, 8000);
    assert_string_equal(config->targets[1].address.host, "::1");
    assert_int_equal(config->targets[1].address.port, 7247);
    assert_string_equal(config->targets[1].address.text, "[::1]:7247");
    assert_string_equal(config->targets[1].key, KEY);
    assert_string_equal(config->targets[2].key, "");
    assert_string_equal(config->targets[2].address.host, "arena-2.example.org");
    assert_string_equal(config->listen.host, "127.0.0.1");
    assert_int_equal(config->listen.port, 7240);
    assert_false(config->has_gateway_key);
    assert_true(config->sandbox);
    web_config_free(config);
}

TEST(a_gateway_without_targets_relays_nothing)
{
    assert_rejected("",
                    "web.conf: got no key \"targets\", want a list of 1 to 64 of \"HOST:PORT\" and "
                    "\"[IPV6]:PORT\"\n");
    assert_rejected("targets = ();",
                    "web.conf:1: targets: got a list of 0, want a list of 1 to 64 arenas\n");
}

TEST(addresses_are_checked)
{
    static const char *const wrong[] = {"127.0.0.1",
                                        "127.0.0.1:0",
                                        "127.0.0.1:65536",
                                        "::1:7246",
                                        "[127.0.0.1]:1",
                                        ":7246",
                                        "http://a.example:1",
                                        "a b:1",
                                        "a:1x",
                                        "[::1]",
                                        "a:",
                                        "*:7246",
                                        "a:1 ",
                                        "a:1 0123",
                                        "a:1 " KEY "0",
                                        "a:1  " KEY,
                                        "a:7-7",
                                        "a:7-6",
                                        "a:0-6",
                                        "a:7-",
                                        "a:7-8-9",
                                        "a:7-65536",
                                        "a:7-8 " KEY};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char text[256], expected[256];
        snprintf(text, sizeof text, "\ntargets = ( \"%s\" );", wrong[i]);
        snprintf(expected, sizeof expected,
                 "web.conf:2: targets[0]: got \"%s\", want \"HOST:PORT\" or \"[IPV6]:PORT\", and a "
                 "key or -PORT\n",
                 wrong[i]);
        assert_rejected(text, expected);
    }
    assert_rejected(TARGETS "listen = \"localhost:7240\";",
                    "web.conf:2: listen: got \"localhost:7240\", want \"IPV4:PORT\" or "
                    "\"[IPV6]:PORT\"\n");
}

TEST(a_certificate_needs_its_key)
{
    write_file("c.pem", "-----BEGIN CERTIFICATE-----\n", 0644);
    write_file("k.pem", "-----BEGIN PRIVATE KEY-----\n", 0600);
    struct web_config *config =
        assert_accepted(TARGETS "certificate = \"c.pem\"; key = \"k.pem\";");
    assert_non_null(strstr(config->certificate, "/c.pem"));
    web_config_free(config);
    assert_rejected(TARGETS "certificate = \"c.pem\";",
                    "web.conf:2: certificate: got no key beside it, want both or none\n");
    write_file("k.pem", "-----BEGIN PRIVATE KEY-----\n", 0644);
    assert_rejected(TARGETS "certificate = \"c.pem\"; key = \"k.pem\";",
                    "web.conf:2: key: cannot take \"k.pem\": others have access to it, want mode "
                    "0640 or less\n");
}

TEST(the_gateway_key_is_of_hexadecimal_digits)
{
    write_file("key", "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1eff\n", 0600);
    struct web_config *config = assert_accepted(TARGETS "gateway_key_file = \"key\";");
    assert_true(config->has_gateway_key);
    assert_int_equal(config->gateway_key[1], 1);
    assert_int_equal(config->gateway_key[31], 255);
    web_config_free(config);
    write_file("key", "not-hexadecimal-but-long-enough\n", 0600);
    assert_rejected(TARGETS "gateway_key_file = \"key\";",
                    "web.conf:2: gateway_key_file: the file's first line is no key, want 64 "
                    "lower-case hexadecimal digits, as `openssl rand -hex 32` prints\n");
}

TEST(all_mistakes_are_reported)
{
    char *report;
    assert_null(load(TARGETS "limits = { connections = 0; };\nlisten = 7;\npgae = \"\";", &report));
    assert_non_null(strstr(report, "web.conf:2: limits.connections: "));
    assert_non_null(strstr(report, "web.conf:3: listen: "));
    assert_non_null(strstr(report, "web.conf:4: pgae: "));
    free(report);
}
