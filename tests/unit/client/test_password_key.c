// SPDX-License-Identifier: MIT
// Keys of passwords: derived in a thread, shared by all with the same password and salt.
#define _GNU_SOURCE
#include "password_key.h"

#include "files_fixture.h"
#include "link.h"

#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

enum { USERS = 20 };

static const uint8_t salt[] = "0123456789abcdef", other_salt[] = "fedcba9876543210";
// Computed with argon2(1) of the reference implementation, for "correct horse" and `salt`.
static const uint8_t right[] = {0x5e, 0x52, 0x00, 0x46, 0x20, 0x44, 0xd2, 0x70, 0xc5, 0xec, 0xfb,
                                0x1f, 0xb9, 0xb9, 0xc4, 0x97, 0xbf, 0xa4, 0x8f, 0x66, 0x1c, 0x22,
                                0x94, 0x69, 0x14, 0x1c, 0x9d, 0x2c, 0x3b, 0xb1, 0x0e, 0x02};

static atomic_int kept; // pieces of memory for passwords and keys
static bool has_threads = true;

void *__real_raim_crypto_allocate(size_t size);
void *__wrap_raim_crypto_allocate(size_t size);
void *__wrap_raim_crypto_allocate(size_t size)
{
    kept++;
    return __real_raim_crypto_allocate(size);
}

void __real_raim_crypto_free(void *memory);
void __wrap_raim_crypto_free(void *memory);
void __wrap_raim_crypto_free(void *memory)
{
    kept -= memory != NULL;
    __real_raim_crypto_free(memory);
}

bool __real_raim_system_start_detached_thread(void (*run)(void *context), void *context);
bool __wrap_raim_system_start_detached_thread(void (*run)(void *context), void *context);
bool __wrap_raim_system_start_detached_thread(void (*run)(void *context), void *context)
{
    return has_threads && __real_raim_system_start_detached_thread(run, context);
}

static void wait_for(struct raim_password_key *password, const uint8_t *for_salt, uint8_t *key)
{
    const struct timespec moment = {.tv_nsec = 1000000};
    enum raim_password_key_state state;
    while ((state = raim_password_key_get(password, for_salt, key)) == RAIM_PASSWORD_KEY_DERIVING)
        nanosleep(&moment, NULL);
    assert_int_equal(state, RAIM_PASSWORD_KEY_READY);
}

TEST(every_user_gets_the_key_of_its_password_and_salt)
{
    struct raim_password_key *users[USERS];
    uint8_t key[32], other[32], again[32];
    for (int i = 0; i < USERS; i++) {
        users[i] = raim_password_key_create(i % 2 == 0 ? "correct horse" : "correct horsf");
        assert_non_null(users[i]);
        assert_int_equal(raim_password_key_get(users[i], salt, key), RAIM_PASSWORD_KEY_DERIVING);
    }
    for (int i = 0; i < USERS; i++) {
        wait_for(users[i], salt, key);
        assert_int_equal(memcmp(key, right, sizeof right) == 0, i % 2 == 0);
    }
    wait_for(users[0], other_salt, other);
    assert_memory_not_equal(other, right, sizeof right);
    wait_for(users[0], salt, again);
    assert_memory_equal(again, right, sizeof right);
    for (int i = 0; i < USERS; i++)
        raim_password_key_destroy(users[i]);
}

TEST(a_user_may_end_while_its_key_is_derived)
{
    uint8_t key[32];
    for (int i = 0; i < 3; i++) {
        struct raim_password_key *password = raim_password_key_create("soon gone");
        raim_password_key_get(password, i % 2 == 0 ? salt : other_salt, key);
        raim_password_key_get(password, i % 2 == 0 ? other_salt : salt, key);
        raim_password_key_destroy(password);
    }
    struct raim_password_key *last = raim_password_key_create("correct horse");
    wait_for(last, salt, key);
    assert_memory_equal(key, right, sizeof right);
    raim_password_key_destroy(last);
    raim_password_key_destroy(NULL);
}

TEST(a_thread_that_cannot_start_leaves_no_password_in_memory)
{
    uint8_t key[32];
    struct raim_password_key *password = raim_password_key_create("correct horse");
    has_threads = false;
    assert_int_equal(raim_password_key_get(password, salt, key), RAIM_PASSWORD_KEY_FAILED);
    has_threads = true;
    wait_for(password, salt, key);
    raim_password_key_destroy(password);
    for (int i = 0; i < 10000 && kept > 0; i++) // the threads end by themselves
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    assert_int_equal(kept, 0);
}

TEST(a_password_has_1_to_128_bytes)
{
    char longest[RAIM_PASSWORD_BYTES + 2];
    memset(longest, 'x', sizeof longest);
    longest[RAIM_PASSWORD_BYTES + 1] = '\0';
    assert_null(raim_password_key_create(""));
    assert_null(raim_password_key_create(longest));
    struct raim_client_def def = raim_client_default_def();
    def.password = longest;
    assert_null(raim_link_open("127.0.0.1", 7246, &def));
}

TEST(a_password_is_the_first_line_of_a_file)
{
    static const struct {
        const char *content, *password;
    } files[] = {{"sesame\n", "sesame"},
                 {"open sesame\r\nmore\n", "open sesame"},
                 {"x", "x"},
                 {"", NULL},
                 {"\n", NULL},
                 {"\nx\n", NULL}};
    const char *path = path_in(test_directory(), "password");
    char password[RAIM_LINK_PASSWORD_BYTES], longest[200];
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        write_file(path, files[i].content);
        assert_int_equal(raim_link_read_password(path, password), files[i].password != NULL);
        if (files[i].password != NULL)
            assert_string_equal(password, files[i].password);
    }
    for (size_t length = 127; length < 132; length++) {
        memset(longest, 'x', length);
        strcpy(longest + length, "\n");
        write_file(path, longest);
        assert_int_equal(raim_link_read_password(path, password), length <= RAIM_PASSWORD_BYTES);
    }
    unlink(path);
    assert_false(raim_link_read_password(path, password));
}
