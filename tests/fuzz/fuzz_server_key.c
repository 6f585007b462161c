// SPDX-License-Identifier: MIT
// Fuzzes the file of the server's static key: exactly 64 digits and a newline are accepted, a
// rejected file stays unchanged, and a generated key is read back.
#define _GNU_SOURCE
#include "fuzz.h"

#include "fuzz_file.h"

// Its key is read once for the process, and here anew for each input.
#include "server_key.c"

static char key_path[128];

// In place of the log, which would fill the screen.
void log_write(enum log_level level, const struct log_subject *subject, const char *format, ...)
{
    (void)level, (void)subject, (void)format;
}

static void clean_up(void)
{
    unlink(key_path);
}

static bool get(uint8_t secret[RAIM_KEY_BYTES])
{
    char error[256] = "";
    server_key.known = false;
    const bool good = server_key_get(secret, error, sizeof error);
    assert(good == (error[0] == '\0'));
    return good;
}

static size_t read_back(uint8_t *bytes, size_t capacity)
{
    FILE *file = fopen(key_path, "re");
    assert(file != NULL);
    const size_t size = fread(bytes, 1, capacity, file);
    fclose(file);
    return size;
}

// The file's bytes; none at all: there is no file.
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t secret[RAIM_KEY_BYTES], again[RAIM_KEY_BYTES], kept[4096];
    if (key_path[0] == '\0') {
        fuzz_make_directory("identity");
        snprintf(key_path, sizeof key_path, "%s/server.key", fuzz_directory);
        setenv("STATE_DIRECTORY", fuzz_directory, 1);
        atexit(clean_up);
    }
    unlink(key_path);
    if (size > 0)
        fuzz_write_file(key_path, data, size);
    if (!get(secret)) {
        assert(size > 0);
        assert(read_back(kept, sizeof kept) == (size < sizeof kept ? size : sizeof kept));
        assert(memcmp(kept, data, size < sizeof kept ? size : sizeof kept) == 0);
        return 0;
    }
    char text[TEXT_BYTES];
    raim_crypto_print_key(secret, text);
    assert(read_back(kept, sizeof kept) == TEXT_BYTES);
    assert(memcmp(kept, text, TEXT_BYTES - 1) == 0 && kept[TEXT_BYTES - 1] == '\n');
    assert(size == 0 || (size == TEXT_BYTES && memcmp(kept, data, size) == 0));
    assert(get(again) && memcmp(again, secret, sizeof secret) == 0);
    return 0;
}
