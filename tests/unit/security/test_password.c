// SPDX-License-Identifier: MIT
// Passwords: the line of the configuration, and what it verifies.
#include "crypto.h"
#include "password.h"
#include "test.h"

// Computed with argon2(1) of the reference implementation (-id -t 2 -k 65536 -p 1 -l 32 -r) and
// Python's hashlib.blake2b(digest_size=32).
static const uint8_t salt[] = "0123456789abcdef";
static const char plain[] = "correct horse";
static const char line[] =
    "raim1$MDEyMzQ1Njc4OWFiY2RlZg$Ry5hq-gOA2F_tfU-sacL9QCaiuELMemdH61UeqZp0JM";

static void set_up(void)
{
    assert_true(raim_crypto_init());
}

TEST_EACH(set_up, NULL)

TEST(a_line_is_read_and_printed)
{
    struct password password;
    char text[PASSWORD_TEXT_BYTES];
    assert_true(password_read(line, &password));
    assert_memory_equal(password.salt, salt, PASSWORD_SALT_BYTES);
    password_print(&password, text);
    assert_string_equal(text, line);
}

TEST(any_other_text_is_rejected)
{
    struct password password;
    char text[PASSWORD_TEXT_BYTES + 1];
    for (size_t length = 0; length < sizeof line - 1; length++) {
        memcpy(text, line, length);
        text[length] = '\0';
        assert_false(password_read(text, &password));
    }
    strcat(strcpy(text, line), "A");
    assert_false(password_read(text, &password));
    // A character that is none of base64url's, in every position; of the prefix any other one.
    for (size_t i = 0; i < sizeof line - 1; i++) {
        strcpy(text, line);
        text[i] = '+';
        assert_false(password_read(text, &password));
    }
    // The last characters of both parts have bits that must be zero.
    strcpy(text, line);
    text[27] = 'h';
    assert_false(password_read(text, &password));
    assert_false(password_read("correct horse", &password));
}

TEST(a_password_is_what_was_made)
{
    struct password password;
    uint8_t key[PASSWORD_KEY_BYTES];
    char text[PASSWORD_TEXT_BYTES];
    assert_true(password_make(plain, salt, &password));
    password_print(&password, text);
    assert_string_equal(text, line);
    assert_true(password_check_plain(&password, plain));
    assert_false(password_check_plain(&password, "correct horsf"));
    assert_true(raim_crypto_derive_password_key(plain, salt, key));
    assert_true(password_check_key(&password, key));
    for (size_t i = 0; i < sizeof key; i++) {
        key[i] ^= 1;
        assert_false(password_check_key(&password, key));
        key[i] ^= 1;
    }
    // Whoever reads the configuration cannot send what it says.
    assert_false(password_check_key(&password, password.verifier));
}

TEST(a_password_has_1_to_128_bytes)
{
    struct password password;
    char longest[PASSWORD_MAX_BYTES + 2];
    memset(longest, 'x', sizeof longest);
    longest[PASSWORD_MAX_BYTES + 1] = '\0';
    assert_false(password_make("", salt, &password));
    assert_false(password_make(longest, salt, &password));
    longest[PASSWORD_MAX_BYTES] = '\0';
    assert_true(password_make(longest, salt, &password));
    assert_true(password_check_plain(&password, longest));
}
