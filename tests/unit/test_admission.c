// SPDX-License-Identifier: MIT
// Access tokens: their bytes, and who is admitted with them. The clock and the signer are invented.
#include "access.h"
#include "admission.h"

#include <setjmp.h>
#include <sodium.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { NOW = 1800000000, LIFE = 600 };

struct signer {
    uint8_t secret[crypto_sign_SECRETKEYBYTES];
    uint8_t shown[ADMISSION_KEY_BYTES];
};

static struct signer matchmaker, impostor;
static struct admission *admission;
static char name[ADMISSION_NAME_BYTES];

static struct signer make_signer(uint8_t seed)
{
    uint8_t seeds[crypto_sign_SEEDBYTES];
    memset(seeds, seed, sizeof seeds);
    struct signer signer;
    crypto_sign_seed_keypair(signer.shown, signer.secret, seeds);
    return signer;
}

static int set_up(void **state)
{
    (void)state;
    matchmaker = make_signer(1);
    impostor = make_signer(2);
    struct admission_keys keys = {.count = 2};
    memset(keys.keys[0], 7, sizeof keys.keys[0]);
    memcpy(keys.keys[1], matchmaker.shown, sizeof keys.keys[1]);
    admission = admission_create("duel", &keys);
    strcpy(name, "chosen");
    return admission != NULL ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    admission_destroy(admission);
    return 0;
}

struct token {
    uint8_t bytes[RAIM_ACCESS_TOKEN_BYTES];
    size_t size;
};

static struct token sign(const struct raim_access *access, const struct signer *signer)
{
    struct token token;
    const size_t size = raim_access_write(access, token.bytes);
    crypto_sign_detached(token.bytes + size, NULL, token.bytes, size, signer->secret);
    token.size = size + RAIM_ACCESS_SIGNATURE_BYTES;
    return token;
}

static struct raim_access usual(void)
{
    static uint64_t nonce;
    return (struct raim_access){.expiry = NOW + LIFE, .nonce = ++nonce, .arena = "duel"};
}

static struct token usual_token(void)
{
    const struct raim_access access = usual();
    return sign(&access, &matchmaker);
}

static enum admission_verdict judge(const struct token *token, int64_t now_s)
{
    return admission_judge(admission, token->bytes, token->size, now_s, name);
}

static void test_a_token_tells_what_was_written_into_it(void **state)
{
    (void)state;
    struct raim_access longest = {.expiry = UINT64_MAX - 1, .nonce = 0x0123456789ABCDEF};
    memset(longest.arena, 'a', sizeof longest.arena - 1);
    memset(longest.name, 'n', sizeof longest.name - 1);
    longest.has_key = true;
    memset(longest.key, 5, sizeof longest.key);
    const struct raim_access shortest = {.arena = "x"};
    for (int i = 0; i < 2; i++) {
        const struct raim_access *written = i == 0 ? &longest : &shortest;
        const struct token token = sign(written, &matchmaker);
        struct raim_access read;
        assert_int_equal(raim_access_read(token.bytes, token.size, &read),
                         token.size - RAIM_ACCESS_SIGNATURE_BYTES);
        assert_true(read.expiry == written->expiry && read.nonce == written->nonce);
        assert_string_equal(read.arena, written->arena);
        assert_string_equal(read.name, written->name);
        assert_int_equal(read.has_key, written->has_key);
        assert_memory_equal(read.key, written->key, sizeof read.key);
    }
}

static void test_a_good_token_lets_in_once_under_its_name(void **state)
{
    (void)state;
    struct raim_access access = usual();
    strcpy(access.name, "given");
    const struct token token = sign(&access, &matchmaker);
    assert_int_equal(judge(&token, NOW), ADMISSION_ADMITTED);
    assert_string_equal(name, "given");
    assert_int_equal(judge(&token, NOW), ADMISSION_USED);
    assert_int_equal(judge(&token, NOW + LIFE + ADMISSION_SKEW_S - 1), ADMISSION_USED);
}

static void test_without_a_name_the_client_chooses(void **state)
{
    (void)state;
    const struct token token = usual_token();
    assert_int_equal(judge(&token, NOW), ADMISSION_ADMITTED);
    assert_string_equal(name, "chosen");
}

static void test_a_token_ends_with_its_time_and_the_skew(void **state)
{
    (void)state;
    const struct token early = usual_token(), late = usual_token();
    assert_int_equal(judge(&early, NOW + LIFE + ADMISSION_SKEW_S), ADMISSION_EXPIRED);
    assert_int_equal(judge(&late, NOW + LIFE + ADMISSION_SKEW_S - 1), ADMISSION_ADMITTED);
    // Used up, and then over: what is forgotten cannot come back.
    assert_int_equal(judge(&late, NOW + LIFE + ADMISSION_SKEW_S), ADMISSION_EXPIRED);
    struct raim_access access = usual();
    access.expiry = UINT64_MAX;
    const struct token eternal = sign(&access, &matchmaker);
    assert_int_equal(judge(&eternal, NOW), ADMISSION_ADMITTED);
    access.expiry = 0;
    const struct token never = sign(&access, &matchmaker);
    assert_int_equal(judge(&never, NOW), ADMISSION_EXPIRED);
}

static void test_another_arenas_token_is_foreign(void **state)
{
    (void)state;
    struct raim_access access = usual();
    strcpy(access.arena, "duel2");
    const struct token token = sign(&access, &matchmaker);
    assert_int_equal(judge(&token, NOW), ADMISSION_FOREIGN);
}

static void test_tokens_are_for_the_name_that_the_arena_has_now(void **state)
{
    (void)state;
    const struct token before = usual_token();
    struct raim_access access = usual();
    strcpy(access.arena, "duels");
    const struct token after = sign(&access, &matchmaker);
    admission_rename(admission, "duels");
    assert_int_equal(judge(&before, NOW), ADMISSION_FOREIGN);
    assert_int_equal(judge(&after, NOW), ADMISSION_ADMITTED);
    admission_rename(admission, "duel");
    assert_int_equal(judge(&before, NOW), ADMISSION_ADMITTED);
}

static void test_another_signers_token_is_forged(void **state)
{
    (void)state;
    const struct raim_access access = usual();
    const struct token token = sign(&access, &impostor);
    assert_int_equal(judge(&token, NOW), ADMISSION_FORGED);
    // It has not used up the nonce of the one that it imitates.
    const struct token genuine = sign(&access, &matchmaker);
    assert_int_equal(judge(&genuine, NOW), ADMISSION_ADMITTED);
}

static void test_a_token_cut_at_any_byte_is_refused(void **state)
{
    (void)state;
    struct raim_access access = usual();
    strcpy(access.name, "given");
    access.has_key = true;
    const struct token token = sign(&access, &matchmaker);
    for (size_t size = 0; size < token.size; size++) {
        struct token cut = {.size = size};
        memcpy(cut.bytes, token.bytes, size);
        assert_int_equal(judge(&cut, NOW), ADMISSION_MALFORMED);
    }
    struct token longer = token;
    longer.bytes[longer.size++] = 0;
    assert_int_equal(judge(&longer, NOW), ADMISSION_MALFORMED);
    assert_int_equal(judge(&token, NOW), ADMISSION_ADMITTED);
}

static void test_a_token_changed_in_any_bit_is_refused(void **state)
{
    (void)state;
    struct raim_access access = usual();
    strcpy(access.name, "given");
    const struct token token = sign(&access, &matchmaker);
    for (size_t bit = 0; bit < 8 * token.size; bit++) {
        struct token changed = token;
        changed.bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
        assert_int_not_equal(judge(&changed, NOW), ADMISSION_ADMITTED);
    }
    assert_string_equal(name, "chosen");
    assert_int_equal(judge(&token, NOW), ADMISSION_ADMITTED);
}

static void test_a_full_memory_refuses_until_something_expires(void **state)
{
    (void)state;
    for (int i = 0; i < ADMISSION_TOKENS; i++) {
        struct raim_access access = usual();
        access.expiry += i == 100 ? 0 : 100;
        const struct token token = sign(&access, &matchmaker);
        assert_int_equal(judge(&token, NOW), ADMISSION_ADMITTED);
    }
    struct raim_access access = usual();
    access.expiry += 100;
    const struct token next = sign(&access, &matchmaker);
    assert_int_equal(judge(&next, NOW), ADMISSION_CROWDED);
    assert_int_equal(judge(&next, NOW + LIFE + ADMISSION_SKEW_S), ADMISSION_ADMITTED);
}

static void test_keys_are_read_as_they_are_configured(void **state)
{
    (void)state;
    char text[5 * 65 + 1] = "";
    struct admission_keys keys;
    assert_false(admission_read_keys(text, &keys));
    for (int count = 1; count <= 5; count++) {
        char key[66];
        for (int i = 0; i < 64; i++)
            key[i] = "0123456789abcdef"[(i + count) % 16];
        key[64] = '\0';
        strcat(strcat(text, count > 1 ? " " : ""), key);
        assert_int_equal(admission_read_keys(text, &keys), count <= ADMISSION_MAX_KEYS);
        if (count <= ADMISSION_MAX_KEYS) {
            assert_int_equal(keys.count, count);
            assert_int_equal(keys.keys[count - 1][0], (count % 16) << 4 | (count + 1) % 16);
        }
        char wrong[sizeof text];
        strcpy(wrong, text);
        wrong[strlen(wrong) - 1] = 'g';
        assert_false(admission_read_keys(wrong, &keys));
        wrong[strlen(wrong) - 1] = '\0';
        assert_false(admission_read_keys(wrong, &keys));
        strcpy(wrong, text);
        wrong[strlen(wrong) - 1] = ' ';
        assert_false(admission_read_keys(wrong, &keys));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define ADMISSION_TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
        ADMISSION_TEST(test_a_token_tells_what_was_written_into_it),
        ADMISSION_TEST(test_a_good_token_lets_in_once_under_its_name),
        ADMISSION_TEST(test_without_a_name_the_client_chooses),
        ADMISSION_TEST(test_a_token_ends_with_its_time_and_the_skew),
        ADMISSION_TEST(test_another_arenas_token_is_foreign),
        ADMISSION_TEST(test_tokens_are_for_the_name_that_the_arena_has_now),
        ADMISSION_TEST(test_another_signers_token_is_forged),
        ADMISSION_TEST(test_a_token_cut_at_any_byte_is_refused),
        ADMISSION_TEST(test_a_token_changed_in_any_bit_is_refused),
        ADMISSION_TEST(test_a_full_memory_refuses_until_something_expires),
        ADMISSION_TEST(test_keys_are_read_as_they_are_configured),
    };
    return sodium_init() < 0 ? 1 : cmocka_run_group_tests(tests, NULL, NULL);
}
