// SPDX-License-Identifier: MIT
// Access tokens: their encoding, and the verdict for each kind of token.
#define _GNU_SOURCE
#include "access_control_fixture.h"

TEST(a_good_token_lets_in_once_under_its_name)
{
    struct raim_access access = usual();
    strcpy(access.name, "given");
    const struct token token = sign(&access, &matchmaker), nameless = usual_token();
    assert_int_equal(judge(&nameless, NOW), ACCESS_CONTROL_ADMITTED);
    assert_string_equal(name, "chosen");
    assert_int_equal(judge(&token, NOW), ACCESS_CONTROL_ADMITTED);
    assert_string_equal(name, "given");
    assert_int_equal(judge(&token, NOW), ACCESS_CONTROL_USED);
    assert_int_equal(judge(&token, NOW + LIFE + ACCESS_CONTROL_SKEW_S - 1), ACCESS_CONTROL_USED);
}

TEST(a_token_ends_with_its_time_and_the_skew)
{
    const struct token early = usual_token(), late = usual_token();
    assert_int_equal(judge(&early, NOW + LIFE + ACCESS_CONTROL_SKEW_S), ACCESS_CONTROL_EXPIRED);
    assert_int_equal(judge(&late, NOW + LIFE + ACCESS_CONTROL_SKEW_S - 1), ACCESS_CONTROL_ADMITTED);
    // A used and expired token stays rejected after its nonce is forgotten.
    assert_int_equal(judge(&late, NOW + LIFE + ACCESS_CONTROL_SKEW_S), ACCESS_CONTROL_EXPIRED);
}

TEST(a_token_begins_with_its_time_and_the_skew)
{
    const struct token token = usual_token();
    assert_int_equal(judge(&token, NOW - ACCESS_CONTROL_SKEW_S - 1), ACCESS_CONTROL_NOT_YET_VALID);
    assert_int_equal(judge(&token, NOW - ACCESS_CONTROL_SKEW_S), ACCESS_CONTROL_ADMITTED);
    assert_int_equal(judge(&token, -1), ACCESS_CONTROL_NOT_YET_VALID);
}

TEST(no_token_is_valid_for_longer_than_a_day)
{
    static const struct {
        uint64_t not_before, expiry;
        enum access_control_verdict verdict;
    } rows[] = {
        {NOW, NOW + ACCESS_CONTROL_MAX_LIFETIME_S, ACCESS_CONTROL_ADMITTED},
        {NOW, NOW + ACCESS_CONTROL_MAX_LIFETIME_S + 1, ACCESS_CONTROL_LIVES_TOO_LONG},
        {NOW - ACCESS_CONTROL_MAX_LIFETIME_S, NOW + 1, ACCESS_CONTROL_LIVES_TOO_LONG},
        {0, UINT64_MAX, ACCESS_CONTROL_LIVES_TOO_LONG},
        {NOW, UINT64_MAX, ACCESS_CONTROL_LIVES_TOO_LONG},
        {NOW, NOW, ACCESS_CONTROL_EXPIRED},
        {NOW + 1, NOW, ACCESS_CONTROL_EXPIRED},
        {NOW, 0, ACCESS_CONTROL_EXPIRED},
        {UINT64_MAX, UINT64_MAX, ACCESS_CONTROL_NOT_YET_VALID},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct raim_access access = usual();
        access.not_before = rows[i].not_before;
        access.expiry = rows[i].expiry;
        const struct token token = sign(&access, &matchmaker);
        assert_int_equal(judge(&token, NOW), rows[i].verdict);
    }
}

TEST(tokens_are_for_the_name_that_the_arena_has_now)
{
    const struct token before = usual_token();
    struct raim_access access = usual();
    strcpy(access.arena, "duels");
    const struct token after = sign(&access, &matchmaker);
    rename_admission(admission, "duels", NOW);
    assert_int_equal(judge(&before, NOW), ACCESS_CONTROL_OTHER_ARENA);
    assert_int_equal(judge(&after, NOW), ACCESS_CONTROL_ADMITTED);
    rename_admission(admission, "duel", NOW);
    assert_int_equal(judge(&before, NOW), ACCESS_CONTROL_ADMITTED);
}

TEST(another_signers_token_is_forged)
{
    const struct raim_access access = usual();
    const struct token token = sign(&access, &impostor);
    assert_int_equal(judge(&token, NOW), ACCESS_CONTROL_BAD_SIGNATURE);
    // Nor with the forger's own key.
    struct raim_access own = access;
    memcpy(own.key_id, impostor.shown, sizeof own.key_id);
    const struct token foreign = sign(&own, &impostor);
    assert_int_equal(judge(&foreign, NOW), ACCESS_CONTROL_UNKNOWN_KEY);
    // The forgery has not used up the nonce of the genuine token.
    const struct token genuine = sign(&access, &matchmaker);
    assert_int_equal(judge(&genuine, NOW), ACCESS_CONTROL_ADMITTED);
}

TEST(a_token_cut_at_any_byte_is_rejected)
{
    struct raim_access access = usual();
    strcpy(access.name, "given");
    access.has_key = true;
    const struct token token = sign(&access, &matchmaker);
    for (size_t size = 0; size < token.size; size++) {
        struct token cut = {.size = size};
        memcpy(cut.bytes, token.bytes, size);
        assert_int_equal(judge(&cut, NOW), ACCESS_CONTROL_MALFORMED);
    }
    struct token longer = token;
    longer.bytes[longer.size++] = 0;
    assert_int_equal(judge(&longer, NOW), ACCESS_CONTROL_MALFORMED);
    assert_int_equal(judge(&token, NOW), ACCESS_CONTROL_ADMITTED);
}

TEST(a_token_changed_in_any_bit_is_rejected)
{
    struct raim_access access = usual();
    strcpy(access.name, "given");
    const struct token token = sign(&access, &matchmaker);
    for (size_t bit = 0; bit < 8 * token.size; bit++) {
        struct token changed = token;
        changed.bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
        assert_int_not_equal(judge(&changed, NOW), ACCESS_CONTROL_ADMITTED);
    }
    assert_string_equal(name, "chosen");
    assert_int_equal(judge(&token, NOW), ACCESS_CONTROL_ADMITTED);
}

TEST(a_full_memory_rejects_until_something_expires)
{
    int admitted = 0;
    for (enum access_control_verdict verdict = ACCESS_CONTROL_ADMITTED;
         verdict == ACCESS_CONTROL_ADMITTED;) {
        struct raim_access access = usual();
        access.expiry += admitted % 2 * 100;
        const struct token token = sign(&access, &matchmaker);
        verdict = access_control_admit(admission, token.bytes, token.size, NOW, false, name);
        admitted += verdict == ACCESS_CONTROL_ADMITTED;
        if (verdict != ACCESS_CONTROL_ADMITTED) {
            assert_int_equal(verdict, ACCESS_CONTROL_FULL);
            access.expiry = NOW + LIFE + 100;
            const struct token next = sign(&access, &matchmaker);
            assert_int_equal(judge(&next, NOW + LIFE + ACCESS_CONTROL_SKEW_S - 1),
                             ACCESS_CONTROL_FULL);
            assert_int_equal(judge(&next, NOW + LIFE + ACCESS_CONTROL_SKEW_S),
                             ACCESS_CONTROL_ADMITTED);
            assert_int_equal(judge(&next, NOW + LIFE + ACCESS_CONTROL_SKEW_S), ACCESS_CONTROL_USED);
        }
    }
    assert_in_range(admitted, USED_TOKENS_CAPACITY, 2 * USED_TOKENS_CAPACITY);
}

// Fills the table with tokens that expire, so that each later token replaces one.
TEST(a_clock_set_back_makes_no_forgotten_token_good_again)
{
    const struct token old = usual_token();
    assert_int_equal(judge(&old, NOW), ACCESS_CONTROL_ADMITTED);
    const int64_t later = NOW + LIFE + ACCESS_CONTROL_SKEW_S;
    int count = 0;
    do {
        struct raim_access access = usual();
        access.not_before = (uint64_t)later;
        access.expiry = (uint64_t)later + LIFE;
        const struct token token = sign(&access, &matchmaker);
        assert_int_equal(
            access_control_admit(admission, token.bytes, token.size, later, false, name),
            ACCESS_CONTROL_ADMITTED);
        assert_true(++count < 2 * USED_TOKENS_CAPACITY);
    } while (judge(&old, NOW) == ACCESS_CONTROL_USED);
    assert_int_equal(judge(&old, NOW), ACCESS_CONTROL_UNRECORDED);
}

TEST(keys_are_read_as_they_are_configured)
{
    char text[5 * 65 + 1] = "";
    struct access_control_keys keys;
    assert_false(access_control_read_keys(text, &keys));
    for (int count = 1; count <= 5; count++) {
        char key[66];
        for (int i = 0; i < 64; i++)
            key[i] = "0123456789abcdef"[(i + count) % 16];
        key[64] = '\0';
        strcat(strcat(text, count > 1 ? " " : ""), key);
        assert_int_equal(access_control_read_keys(text, &keys), count <= ACCESS_CONTROL_MAX_KEYS);
        if (count <= ACCESS_CONTROL_MAX_KEYS) {
            assert_int_equal(keys.count, count);
            assert_int_equal(keys.keys[count - 1][0], (count % 16) << 4 | (count + 1) % 16);
        }
        char wrong[sizeof text];
        strcpy(wrong, text);
        wrong[strlen(wrong) - 1] = 'g';
        assert_false(access_control_read_keys(wrong, &keys));
        wrong[strlen(wrong) - 1] = '\0';
        assert_false(access_control_read_keys(wrong, &keys));
        strcpy(wrong, text);
        wrong[strlen(wrong) - 1] = ' ';
        assert_false(access_control_read_keys(wrong, &keys));
        // Two keys with the same key id.
        snprintf(wrong, sizeof wrong, "%.64s %.16s%048d", text, text, 0);
        assert_false(access_control_read_keys(wrong, &keys));
    }
}
