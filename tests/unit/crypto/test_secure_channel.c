// SPDX-License-Identifier: MIT
// Tests of the transport phase at both ends: loss, reordering, replays, changed bits, and rekeying
// by number and by time, with each cipher. The oracle is a model that records every number.
#include "chance.h"
#include "noise.h"
#include "secure_channel.h"
#include "test.h"

enum { MAX = 64, EPOCH = 1 << RAIM_SECURE_EPOCH_BITS };

static const uint8_t key_up[RAIM_CRYPTO_KEY_BYTES] = {1}, key_down[RAIM_CRYPTO_KEY_BYTES] = {2};
static struct raim_secure_channel here, there;
static enum raim_cipher cipher;
static int64_t now_ms;

struct datagram {
    size_t size;
    uint8_t bytes[MAX + RAIM_SECURE_BYTES];
};

static void set_up(void)
{
    now_ms = 1000;
    raim_secure_channel_begin(&here, cipher, key_up, key_down, now_ms);
    raim_secure_channel_begin(&there, cipher, key_down, key_up, now_ms);
}

// A test that passes with each cipher of this machine.
#define TEST_CIPHERS(name)                                                                         \
    static void name(void);                                                                        \
    TEST(name)                                                                                     \
    {                                                                                              \
        for (int i = 0; i <= raim_crypto_has_aesgcm(); i++) {                                      \
            cipher = (enum raim_cipher)i;                                                          \
            set_up();                                                                              \
            name();                                                                                \
        }                                                                                          \
    }                                                                                              \
    static void name(void)

static struct datagram encrypt(struct raim_secure_channel *channel, const char *text)
{
    struct datagram datagram;
    datagram.size = raim_secure_channel_encrypt(channel, now_ms, (const uint8_t *)text,
                                                strlen(text), datagram.bytes);
    assert_int_equal(datagram.size, strlen(text) + RAIM_SECURE_BYTES);
    assert_true(raim_secure_channel_is_datagram(datagram.bytes, datagram.size));
    assert_in_range(datagram.bytes[0], 0x40, 0x7F);
    return datagram;
}

static enum raim_secure_verdict decrypt_at(struct raim_secure_channel *channel,
                                           const struct datagram *datagram, const char *text)
{
    uint8_t plain[MAX + RAIM_SECURE_BYTES];
    size_t size = 0;
    const enum raim_secure_verdict verdict =
        raim_secure_channel_decrypt(channel, datagram->bytes, datagram->size, plain, &size);
    if (verdict == RAIM_SECURE_OK) {
        assert_int_equal(size, strlen(text));
        assert_memory_equal(plain, text, size);
    }
    return verdict;
}

static void assert_passes(void)
{
    const struct datagram up = encrypt(&here, "up"), down = encrypt(&there, "down");
    assert_int_equal(decrypt_at(&there, &up, "up"), RAIM_SECURE_OK);
    assert_int_equal(decrypt_at(&here, &down, "down"), RAIM_SECURE_OK);
}

TEST_CIPHERS(each_end_reads_the_other_and_not_itself)
{
    for (int i = 0; i < 10; i++)
        assert_passes();
    const struct datagram own = encrypt(&here, "own");
    assert_int_equal(decrypt_at(&here, &own, "own"), RAIM_SECURE_FORGED);
}

// Computes the header as PROTOCOL.md describes it.
TEST_CIPHERS(the_header_is_the_masked_number)
{
    uint8_t hash[RAIM_CRYPTO_HASH_BYTES];
    raim_crypto_hash(key_up, "raim number", 11, NULL, 0, hash);
    for (uint64_t number = 0; number < 100; number++) {
        const struct datagram datagram = encrypt(&here, "text");
        const uint8_t *tag = datagram.bytes + datagram.size - RAIM_CRYPTO_TAG_BYTES;
        const uint64_t mask = raim_crypto_siphash(hash, tag, RAIM_CRYPTO_TAG_BYTES);
        uint64_t header = 0;
        for (int i = 0; i < RAIM_SECURE_HEADER_BYTES; i++)
            header = header << 8 | datagram.bytes[i];
        assert_int_equal(header >> 62, 1);
        assert_true(((header ^ mask) & ((UINT64_C(1) << 62) - 1)) == number);
        uint8_t expected[MAX];
        raim_crypto_encrypt(cipher, key_up, number, NULL, 0, (const uint8_t *)"text", 4, expected);
        assert_memory_equal(datagram.bytes + RAIM_SECURE_HEADER_BYTES, expected,
                            4 + RAIM_CRYPTO_TAG_BYTES);
    }
}

TEST_CIPHERS(numbers_in_a_row_look_unrelated)
{
    // In 1,000 headers, each bit except the first two is set about half of the time.
    int set[64] = {0};
    for (int i = 0; i < 1000; i++) {
        const struct datagram datagram = encrypt(&here, "x");
        for (int bit = 0; bit < 64; bit++)
            set[bit] += datagram.bytes[bit / 8] >> (7 - bit % 8) & 1;
    }
    assert_int_equal(set[0], 0);
    assert_int_equal(set[1], 1000);
    for (int bit = 2; bit < 64; bit++)
        assert_in_range(set[bit], 400, 600);
}

TEST_CIPHERS(a_change_of_any_bit_is_rejected_and_harms_nothing)
{
    const struct datagram datagram = encrypt(&here, "text");
    for (size_t bit = 0; bit < 8 * datagram.size; bit++) {
        struct datagram changed = datagram;
        changed.bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
        assert_int_not_equal(decrypt_at(&there, &changed, "text"), RAIM_SECURE_OK);
    }
    for (size_t size = 0; size < datagram.size; size++) {
        struct datagram cut = datagram;
        cut.size = size;
        assert_int_not_equal(decrypt_at(&there, &cut, "text"), RAIM_SECURE_OK);
    }
    assert_int_equal(decrypt_at(&there, &datagram, "text"), RAIM_SECURE_OK);
}

// Numbers arrive in random order; some are lost, some are repeated. Each is accepted once within
// the last RAIM_SECURE_WINDOW numbers, and never outside.
TEST_CIPHERS(the_window_takes_each_number_once)
{
    enum { COUNT = 6000, AHEAD = 2500 };
    static struct datagram sent[COUNT];
    static bool taken[COUNT];
    for (int trial = 0; trial < 5; trial++) {
        set_up();
        memset(taken, 0, sizeof taken);
        for (int i = 0; i < COUNT; i++)
            sent[i] = encrypt(&here, "n");
        int highest = -1;
        for (int step = 0; step < 3 * COUNT; step++) {
            const int base = highest < 0 ? 0 : highest;
            int number = base + (chance_int(0, 3) > 0 ? chance_int(-1100, 20)
                                                      : chance_int(-AHEAD, AHEAD / 4));
            number = number < 0 ? 0 : number >= COUNT ? COUNT - 1 : number;
            const bool expected =
                !taken[number] && (number > highest || highest - number < RAIM_SECURE_WINDOW);
            assert_int_equal(decrypt_at(&there, &sent[number], "n"),
                             expected ? RAIM_SECURE_OK : RAIM_SECURE_REPLAYED);
            taken[number] |= expected;
            highest = expected && number > highest ? number : highest;
        }
    }
}

TEST_CIPHERS(keys_are_replaced_after_so_many_datagrams)
{
    uint8_t next[RAIM_CRYPTO_KEY_BYTES];
    for (int i = 0; i < EPOCH - 1; i++)
        encrypt(&here, "lost");
    assert_memory_equal(here.sender.key, key_up, sizeof key_up);
    const struct datagram last = encrypt(&here, "last"), first = encrypt(&here, "first");
    raim_noise_rekey(cipher, key_up, next);
    assert_memory_equal(here.sender.key, next, sizeof next);
    assert_int_equal(decrypt_at(&there, &first, "first"), RAIM_SECURE_OK);
    // The previous datagram is decrypted with the previous key.
    assert_int_equal(decrypt_at(&there, &last, "last"), RAIM_SECURE_OK);
    assert_int_equal(decrypt_at(&there, &last, "last"), RAIM_SECURE_REPLAYED);
    for (int i = 0; i < 3 * EPOCH; i++) {
        const struct datagram datagram = encrypt(&here, "on");
        if (i % 1000 == 0)
            assert_int_equal(decrypt_at(&there, &datagram, "on"), RAIM_SECURE_OK);
    }
    assert_passes();
}

TEST_CIPHERS(keys_are_replaced_after_some_time)
{
    for (uint64_t epoch = 0; epoch < 50; epoch++) {
        assert_int_equal(here.sender.next >> RAIM_SECURE_EPOCH_BITS, epoch);
        uint8_t before[RAIM_CRYPTO_KEY_BYTES];
        memcpy(before, here.sender.key, sizeof before);
        now_ms += RAIM_SECURE_EPOCH_MS - 1;
        assert_passes();
        assert_memory_equal(here.sender.key, before, sizeof before);
        now_ms++;
        assert_passes();
        assert_memory_not_equal(here.sender.key, before, sizeof before);
        assert_true(here.sender.next == ((epoch + 1) << RAIM_SECURE_EPOCH_BITS) + 1);
    }
    // When both limits are reached at once, only one epoch begins.
    for (int i = 1; i < EPOCH; i++)
        encrypt(&here, "x");
    now_ms += RAIM_SECURE_EPOCH_MS;
    encrypt(&here, "x");
    assert_true(here.sender.next == (UINT64_C(51) << RAIM_SECURE_EPOCH_BITS) + 1);
}

TEST_CIPHERS(an_epoch_further_ahead_is_rejected)
{
    assert_passes();
    for (int i = 0; i < 2; i++) {
        now_ms += RAIM_SECURE_EPOCH_MS;
        encrypt(&here, "lost");
    }
    const struct datagram ahead = encrypt(&here, "ahead");
    assert_int_equal(decrypt_at(&there, &ahead, "ahead"), RAIM_SECURE_FORGED);
}

TEST_CIPHERS(arbitrary_bytes_are_handled)
{
    for (int i = 0; i < 20000; i++) {
        struct datagram datagram = {.size = (size_t)chance_int(0, MAX)};
        for (size_t k = 0; k < datagram.size; k++)
            datagram.bytes[k] = (uint8_t)chance_int(0, 255);
        assert_int_not_equal(decrypt_at(&there, &datagram, ""), RAIM_SECURE_OK);
    }
    assert_passes();
}

static int set_up_group(void **state)
{
    (void)state;
    return raim_crypto_init() ? 0 : -1;
}

TEST_GROUP(set_up_group, NULL)
