// SPDX-License-Identifier: MIT
// Fuzzes raimctl's tokens from the command line and the key file to the arena: a client reads a
// created token as printed, it has the given values and is admitted; every failure has a reason.
#define _GNU_SOURCE
#include "fuzz.h"

#include "access.h"
#include "access_control.h"
#include "client.h"
#include "fuzz_file.h"
#include "link.h"
#include "token.h"
#include "used_tokens.h"

#include <sodium.h>
#include <stdbool.h>

enum { FIELDS = 6, FIELD_BYTES = 256 };

static char key_path[128];
static char printed[1024]; // the last line
static FILE *nowhere;      // what raimctl shows

// In place of the C library's: what raimctl prints.
int puts(const char *line)
{
    assert(strlen(line) < sizeof printed);
    strcpy(printed, line);
    return 0;
}

static void clean_up(void)
{
    fclose(nowhere);
    unlink(key_path);
}

// The public half of the key in the file, as it is to be configured.
static void publish(const char *line, struct access_control_keys *keys)
{
    uint8_t seed[crypto_sign_SEEDBYTES], secret[crypto_sign_SECRETKEYBYTES];
    assert(sodium_hex2bin(seed, sizeof seed, line, 2 * sizeof seed, NULL, NULL, NULL) == 0);
    *keys = (struct access_control_keys){.count = 1};
    crypto_sign_seed_keypair(keys->keys[0], secret, seed);
}

static void check_token(const struct token_options *options, const char *line)
{
    uint8_t token[RAIM_ACCESS_BYTES];
    struct raim_access access;
    struct access_control_keys keys;
    char name[RAIM_MAX_NAME_BYTES + 1] = "";
    const uint32_t size = raim_link_read_access(printed, token, sizeof token);
    assert(raim_access_read(token, size, &access) > 0);
    char problem[TOKEN_PROBLEM_BYTES] = "";
    assert(token_show(printed, nowhere, problem));
    assert(strcmp(access.arena, options->arena) == 0);
    assert(strcmp(access.name, options->name != NULL ? options->name : "") == 0);
    assert(access.has_key == (options->server_key != NULL));
    publish(line, &keys);
    static struct used_tokens used;
    used_tokens_init(&used, 0);
    const struct access_control_def def = {.arena = access.arena, .keys = &keys, .used = &used};
    struct access_control *admission = access_control_create(&def);
    const int64_t now_s = (int64_t)access.not_before;
    assert(access_control_check(admission, token, size, now_s) == ACCESS_CONTROL_ADMITTED);
    assert(access_control_admit(admission, token, size, now_s, false, name) ==
           ACCESS_CONTROL_ADMITTED);
    assert(strcmp(name, access.name) == 0);
    assert(access_control_admit(admission, token, size, now_s, false, name) == ACCESS_CONTROL_USED);
    access_control_destroy(admission);
}

// Any text, also none; what else a client is given to read.
static void check_text(const char *text)
{
    uint8_t token[RAIM_ACCESS_BYTES], small[3];
    char problem[TOKEN_PROBLEM_BYTES] = "";
    const uint32_t size = raim_link_read_access(text, token, sizeof token);
    assert(size <= sizeof token);
    assert(token_show(text, nowhere, problem) || problem[0] != '\0');
    assert(raim_link_read_access(text, small, sizeof small) == (size <= sizeof small ? size : 0));
}

// Lines: arena, name, duration, server key, not before and the file of the key, which is all the
// rest. A line of "-" is an option that was not given.
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char fields[FIELDS - 1][FIELD_BYTES];
    const char *given[FIELDS - 1];
    if (key_path[0] == '\0') {
        fuzz_make_directory("token");
        snprintf(key_path, sizeof key_path, "%s/key", fuzz_directory);
        atexit(clean_up);
        nowhere = fopen("/dev/null", "we");
        assert(nowhere != NULL);
    }
    struct fuzz_input input = {data, size};
    for (int i = 0; i < FIELDS - 1; i++) {
        size_t length = 0;
        for (uint8_t byte; (byte = fuzz_byte(&input)) != '\n' && byte != 0;)
            if (length + 1 < FIELD_BYTES)
                fields[i][length++] = (char)byte;
        fields[i][length] = '\0';
        given[i] = strcmp(fields[i], "-") == 0 ? NULL : fields[i];
        check_text(fields[i]);
    }
    const struct token_options options = {.key = key_path,
                                          .arena = fields[0], // raimctl asks for it
                                          .name = given[1],
                                          .duration = given[2],
                                          .server_key = given[3],
                                          .not_before = given[4]};
    fuzz_write_file(key_path, input.bytes, input.left);
    char line[128] = "";
    memcpy(line, input.bytes, input.left < sizeof line - 1 ? input.left : sizeof line - 1);
    char problem[TOKEN_PROBLEM_BYTES] = "";
    if (token_make(&options, problem))
        check_token(&options, line);
    else
        assert(problem[0] != '\0');
    return 0;
}
