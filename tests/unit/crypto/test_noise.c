// SPDX-License-Identifier: MIT
// Tests of the handshake with published vectors of both ciphers: those of
// cacophony (vectors/cacophony.txt of haskell-cryptography/cacophony) and of snow
// (tests/vectors/snow.txt of mcginty/snow). Changed and truncated messages must fail.
#include "noise.h"
#include "test.h"

enum { MAX = 256, MESSAGES = 6 };

struct vector {
    enum raim_cipher cipher;
    const char *prologue, *static_secret, *static_key, *initiator, *responder;
    const char *handshake_hash; // NULL: not published
    struct {
        const char *payload, *ciphertext;
    } messages[MESSAGES];
};

static const struct vector vectors[] = {
    // cacophony
    {RAIM_CIPHER_CHACHAPOLY,
     "4a6f686e2047616c74",
     "4a3acbfdb163dec651dfa3194dece676d437029c62a408b4c5ea9114246e4893",
     "31e0303fd6418d2f8c0e78b91f22e8caed0fbe48656dcf4767e4834f701b8f62",
     "893e28b9dc6ca8d611ab664754b8ceb7bac5117349a4439a6b0569da977c464a",
     "bbdb4cdbd309f1a1f2e1456967fe288cadd6f712d65dc7b7793d5e63da6b375b",
     "f87aa4eb6416e5b0d2b6e6f0b7bc41f3c5986a5d32d55c08d67cbd412f3ec2fa"
     "04d8e358ab95b3bbfab054a140a98eccf4284bb6309b600981d451ecac484932",
     {
         {"4c756477696720766f6e204d69736573",
          "ca35def5ae56cec33dc2036731ab14896bc4c75dbb07a61f879f8e3afa4c7944"
          "f3041e39b0c8ba56008f2d1183fea6ac83564ead0267b0842ec4c521ed1e1407"},
         {"4d757272617920526f746862617264",
          "95ebc60d2b1fa672c1f46a8aa265ef51bfe38e7ccb39ec5be34069f144808843"
          "2281dcc1835131f305dca14525e15e27d1f32294aa835e40fc18be480c1db9"},
         {"462e20412e20486179656b", "357e24e9f28ba22080666f7efacc01b2a0a4e358e742aeeff2aaf5"},
         {"4361726c204d656e676572", "8b23b34ff3169de06a39551e969ca7876cc5122a4acff74bf2ec29"},
         {"4a65616e2d426170746973746520536179",
          "5c104779b6f36e59fca73ed94b0ae092eae1d76dd109caf5060aaaedba385d7076"},
         {"457567656e2042f6686d20766f6e2042617765726b",
          "34ae0518d0cd3aa641ed372ea94935ceecd87f8c4b422ce21a33d3f6f5493891e3e915d83f"},
     }},
    // snow
    {RAIM_CIPHER_CHACHAPOLY,
     "5468657265206973206e6f20726967687420616e642077726f6e672e20546865"
     "72652773206f6e6c792066756e20616e6420626f72696e672e",
     "0c0cac2c24c7ac76ab07049932d34f3aac2f791fd99ff957e81f685a7756138a",
     "7ff2c76e27af9ed6b83e0e8987e9a125c2879a990b200823f56c648f5974d41d",
     "151f660015d45eea5f28ee50258f33373c75906fb58e4ab59ed52dab535161cb",
     "dafad8e4c6404375195a18b8f7cd7feb985220f2f2ecc307b381207193298c3b",
     NULL,
     {
         {"a3a6441fd70fea11009bf133cd42402e358ab1024ed36f5199fef05203d6cac6",
          "d956ead53c15c6e114e9ee181ed233e2287ef647b65f1bdf1c455760ac7f2a7c"
          "e376799bd5adb227eb614be9db1d210bbe413a371e18ecfeb45bf4ca5eeb35a9"
          "668e8423875e16144100af1f849b5986"},
         {"dba779f15f86d73d3c10aacecabd0dd1869308dc7f38f8c7f95274844e34618b",
          "77b149decc3c2339f0794c856db88c7de6ee665b923a43bad41bf5b54d80c51d"
          "26cc588eeb0d1a50a055c305f47bc0dde983039526354548b0abb04c2d3c1e5e"
          "7cc8d9cef41d0d4b7eb4b3cbfdd6a178"},
         {"a40e189598732182bd93f25667217b0897cdf1be327f16236046aae1b1a05d02",
          "6595aea3a643319bb6f139f122d8fa32d7e1165721f5af678f51cf4d104c5b03"
          "aee688efa0ab2aa0f6e6309565653f4a"},
         {"f825cd333af9f37889ecdcbc2f2f4862c8e117a058420074072f0488a90a6443",
          "9b8d0a0cbad3638d2cbef5bd69d23661e16b0c8692b968190052ac13751f17ac"
          "080e01d45668e04a365adaee3f9303d6"},
     }},
    // cacophony, with AES-256-GCM
    {RAIM_CIPHER_AESGCM,
     "4a6f686e2047616c74",
     "4a3acbfdb163dec651dfa3194dece676d437029c62a408b4c5ea9114246e4893",
     "31e0303fd6418d2f8c0e78b91f22e8caed0fbe48656dcf4767e4834f701b8f62",
     "893e28b9dc6ca8d611ab664754b8ceb7bac5117349a4439a6b0569da977c464a",
     "bbdb4cdbd309f1a1f2e1456967fe288cadd6f712d65dc7b7793d5e63da6b375b",
     "048ff8ede89a0f5646775cda7fc6167b63403d10a95dc43364f849a4268d1fe3"
     "2e70c71c1a4cc84015eeff2d1cb6391f99bab426829749d7a6cc2bfaeb5d3ad9",
     {{"4c756477696720766f6e204d69736573",
       "ca35def5ae56cec33dc2036731ab14896bc4c75dbb07a61f879f8e3afa4c7944"
       "1a2fd66fb1397d8d7b7165acfc695e7f26fd702eb0eeff8680b7a1c99a13ce09"},
      {"4d757272617920526f746862617264",
       "95ebc60d2b1fa672c1f46a8aa265ef51bfe38e7ccb39ec5be34069f144808843"
       "259947125be4dbd015e5f7fa1023d269f81c3ed76cc3a7712b0dc1cc255c64"},
      {"462e20412e20486179656b", "9cf7016579213e0c25d5e7676843bf99f4062cba40aa67fb6e78c5"},
      {"4361726c204d656e676572", "30e0e39dc24d5fee76a6225945e220817c394f7dabba439874cf04"},
      {"4a65616e2d426170746973746520536179",
       "5ae4a8839694d2f0895e5d6eb0aa68b68a231bc2db04f6bc97cd2e416c839a69"
       "0d"},
      {"457567656e2042f6686d20766f6e2042617765726b",
       "40a95e70ac2c5f4a421bf580c3de4169a019fec1a63eb636c1ef0649306db8b9"
       "d16d2d2112"}}},
};

struct bytes {
    size_t size;
    uint8_t data[MAX];
};

static struct bytes read_hex(const char *hex)
{
    struct bytes bytes = {.size = strlen(hex) / 2};
    assert_true(bytes.size <= MAX);
    for (size_t i = 0; i < bytes.size; i++) {
        unsigned value;
        assert_int_equal(sscanf(hex + 2 * i, "%2x", &value), 1);
        bytes.data[i] = (uint8_t)value;
    }
    return bytes;
}

static void assert_bytes(const uint8_t *data, size_t size, const char *hex)
{
    const struct bytes expected = read_hex(hex);
    assert_int_equal(size, expected.size);
    assert_memory_equal(data, expected.data, size);
}

struct ends {
    struct raim_noise initiator, responder;
};

static struct ends begin(const struct vector *vector)
{
    struct ends ends;
    const struct bytes prologue = read_hex(vector->prologue);
    const struct bytes static_key = read_hex(vector->static_key);
    raim_noise_initiate(&ends.initiator, vector->cipher, static_key.data, prologue.data,
                        prologue.size);
    raim_noise_respond(&ends.responder, vector->cipher, read_hex(vector->static_secret).data,
                       static_key.data, prologue.data, prologue.size);
    return ends;
}

// Passes one message from one end to the other and compares it with the vector.
static void pass(const struct vector *vector, int index, struct raim_noise *from,
                 struct raim_noise *to)
{
    uint8_t message[MAX], payload[MAX];
    const struct bytes sent = read_hex(vector->messages[index].payload);
    const struct bytes secret = read_hex(index == 0 ? vector->initiator : vector->responder);
    assert_true(raim_noise_write(from, secret.data, sent.data, sent.size, message));
    assert_bytes(message, sent.size + RAIM_NOISE_BYTES, vector->messages[index].ciphertext);
    assert_true(raim_noise_read(to, message, sent.size + RAIM_NOISE_BYTES, payload));
    assert_memory_equal(payload, sent.data, sent.size);
}

TEST(published_vectors_are_met)
{
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
        const struct vector *vector = &vectors[i];
        if (vector->cipher == RAIM_CIPHER_AESGCM && !raim_crypto_has_aesgcm())
            continue;
        uint8_t keys[2][RAIM_CRYPTO_KEY_BYTES], same[2][RAIM_CRYPTO_KEY_BYTES], encrypted[MAX];
        struct ends ends = begin(vector);
        pass(vector, 0, &ends.initiator, &ends.responder);
        pass(vector, 1, &ends.responder, &ends.initiator);
        assert_memory_equal(ends.initiator.h, ends.responder.h, sizeof ends.initiator.h);
        if (vector->handshake_hash != NULL)
            assert_bytes(ends.initiator.h, sizeof ends.initiator.h, vector->handshake_hash);
        raim_noise_split(&ends.initiator, keys[0], keys[1]);
        raim_noise_split(&ends.responder, same[0], same[1]);
        assert_memory_equal(keys, same, sizeof keys);
        // Transport messages alternate, beginning with the initiator; each direction has its own
        // nonces.
        for (int m = 2; m < MESSAGES && vector->messages[m].payload != NULL; m++) {
            const struct bytes sent = read_hex(vector->messages[m].payload);
            raim_crypto_encrypt(vector->cipher, keys[m % 2], (uint64_t)(m - 2) / 2, NULL, 0,
                                sent.data, sent.size, encrypted);
            assert_bytes(encrypted, sent.size + RAIM_CRYPTO_TAG_BYTES,
                         vector->messages[m].ciphertext);
        }
    }
}

TEST(split_wipes_the_handshake)
{
    static const struct raim_noise zeros;
    uint8_t keys[2][RAIM_CRYPTO_KEY_BYTES];
    struct ends ends = begin(&vectors[0]);
    pass(&vectors[0], 0, &ends.initiator, &ends.responder);
    pass(&vectors[0], 1, &ends.responder, &ends.initiator);
    raim_noise_split(&ends.initiator, keys[0], keys[1]);
    assert_memory_equal(&ends.initiator, &zeros, sizeof zeros);
}

// Runs a handshake with one message changed in a bit or truncated. Returns whether its reader
// accepts it.
static bool survives(int changed, size_t bit, size_t cut)
{
    const struct vector *vector = &vectors[1];
    struct ends ends = begin(vector);
    for (int index = 0; index < 2; index++) {
        struct raim_noise *reader = index == 0 ? &ends.responder : &ends.initiator;
        struct bytes message = read_hex(vector->messages[index].ciphertext);
        uint8_t payload[MAX], written[MAX];
        const struct bytes sent = read_hex(vector->messages[index].payload);
        const struct bytes secret = read_hex(index == 0 ? vector->initiator : vector->responder);
        raim_noise_write(index == 0 ? &ends.initiator : &ends.responder, secret.data, sent.data,
                         sent.size, written);
        if (index == changed) {
            message.data[bit / 8] ^= (uint8_t)(1 << bit % 8);
            return raim_noise_read(reader, message.data, message.size - cut, payload);
        }
        assert_true(raim_noise_read(reader, message.data, message.size, payload));
    }
    return true;
}

TEST(a_change_of_any_bit_of_a_message_breaks_it)
{
    for (int index = 0; index < 2; index++)
        for (size_t bit = 0; bit < 8 * read_hex(vectors[1].messages[index].ciphertext).size; bit++)
            assert_false(survives(index, bit, 0));
}

TEST(a_message_cut_at_any_byte_is_rejected)
{
    for (int index = 0; index < 2; index++) {
        const size_t size = read_hex(vectors[1].messages[index].ciphertext).size;
        for (size_t cut = 1; cut <= size; cut++) {
            struct ends ends = begin(&vectors[1]);
            const struct bytes message = read_hex(vectors[1].messages[index].ciphertext);
            uint8_t payload[MAX];
            assert_false(raim_noise_read(index == 0 ? &ends.responder : &ends.initiator,
                                         message.data, size - cut, payload));
        }
    }
}

TEST(another_prologue_or_server_breaks_it)
{
    const struct vector *vector = &vectors[0];
    const struct bytes message = read_hex(vector->messages[0].ciphertext);
    const struct bytes static_key = read_hex(vector->static_key);
    struct bytes prologue = read_hex(vector->prologue);
    struct bytes secret = read_hex(vector->static_secret);
    struct raim_noise responder;
    uint8_t payload[MAX];
    prologue.data[0] ^= 1;
    raim_noise_respond(&responder, vector->cipher, secret.data, static_key.data, prologue.data,
                       prologue.size);
    assert_false(raim_noise_read(&responder, message.data, message.size, payload));
    prologue.data[0] ^= 1;
    secret.data[5] ^= 1;
    raim_noise_respond(&responder, vector->cipher, secret.data, static_key.data, prologue.data,
                       prologue.size);
    assert_false(raim_noise_read(&responder, message.data, message.size, payload));
}

TEST(a_low_order_key_is_rejected)
{
    static const uint8_t zeros[RAIM_CRYPTO_KEY_BYTES];
    struct raim_noise noise;
    uint8_t message[MAX] = {0}, payload[MAX];
    raim_noise_initiate(&noise, RAIM_CIPHER_CHACHAPOLY, zeros, "p", 1);
    assert_false(raim_noise_write(&noise, read_hex(vectors[0].initiator).data, "", 0, message));
    struct ends ends = begin(&vectors[0]);
    memset(message, 0, RAIM_CRYPTO_KEY_BYTES);
    assert_false(raim_noise_read(&ends.responder, message, RAIM_NOISE_BYTES, payload));
}

// REKEY(k): ENCRYPT(k, 2^64 - 1, "", 32 zeros), cut to 32 bytes.
TEST(rekey_is_the_beginning_of_the_last_nonce_s_encryption)
{
    static const uint8_t zeros[RAIM_CRYPTO_KEY_BYTES];
    const struct bytes key = read_hex(vectors[0].static_key);
    uint8_t next[RAIM_CRYPTO_KEY_BYTES], encrypted[RAIM_CRYPTO_KEY_BYTES + RAIM_CRYPTO_TAG_BYTES];
    raim_noise_rekey(RAIM_CIPHER_CHACHAPOLY, key.data, next);
    raim_crypto_encrypt(RAIM_CIPHER_CHACHAPOLY, key.data, UINT64_MAX, NULL, 0, zeros, sizeof zeros,
                        encrypted);
    assert_memory_equal(next, encrypted, sizeof next);
    assert_memory_not_equal(next, key.data, sizeof next);
}

static int set_up_group(void **state)
{
    (void)state;
    return raim_crypto_init() ? 0 : -1;
}

TEST_GROUP(set_up_group, NULL)
