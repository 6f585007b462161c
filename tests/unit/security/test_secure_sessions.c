// SPDX-License-Identifier: MIT
// The server's encrypted sessions against the client's connector, with a simulated clock and
// network: handshakes, eviction and lifetime.
#include "chance.h"
#include "connector.h"
#include "secure_sessions.h"
#include "test.h"

enum { MAX = 1200, CAPACITY = 8, MAX_CLIENTS = 40, HASH = 1 };

static const struct udp_address here = {.ip.low = IP_V4_MAPPED << 32 | 0x0A000001, .port = 40000};
static const struct secure_limits unlimited = {0};
static const uint8_t secret[RAIM_KEY_BYTES] = {8};
static const uint8_t word[] = {0x80, 0x01, 0, 7, 0x85, 0, 0, 1};

static struct secure_sessions *sessions;
static struct raim_cookie offer;
static int64_t now;
static struct raim_connector *clients[MAX_CLIENTS];
static int client_count;

static void set_up(void)
{
    now = 1000;
    sessions = secure_sessions_create(CAPACITY, secret, HASH);
    offer = (struct raim_cookie){.cookie = 7, .offers_encryption = true, .arena = "duel"};
    offer.offers_aesgcm = chance_int(0, raim_crypto_has_aesgcm());
    memcpy(offer.server_key, secure_sessions_public_key(sessions), sizeof offer.server_key);
    assert_true(sessions != NULL);
}

static void tear_down(void)
{
    secure_sessions_destroy(sessions);
    while (client_count > 0)
        raim_connector_destroy(clients[--client_count]);
}

TEST_EACH(set_up, tear_down)

struct datagram {
    uint8_t bytes[MAX + 100];
    size_t size;
};

static uint64_t now_us(void)
{
    return (uint64_t)now * 1000;
}

static struct raim_connector *add_client(void)
{
    const struct raim_connector_def def = {.access = (const uint8_t *)"token", .access_size = 5};
    assert_true(client_count < MAX_CLIENTS);
    clients[client_count] = raim_connector_create(&def);
    assert_non_null(clients[client_count]);
    return clients[client_count++];
}

// Writes the client's INIT in answer to a cookie.
static struct datagram init_of(struct raim_connector *client)
{
    struct datagram datagram;
    uint8_t cookie[RAIM_COOKIE_BYTES];
    raim_connector_begin(client, NULL, now_us());
    assert_int_equal(raim_connector_send(client, now_us(), datagram.bytes),
                     RAIM_CONNECTIONLESS_BYTES);
    raim_connector_receive(client, now_us(), cookie, raim_cookie_write(&offer, cookie));
    assert_int_equal(raim_connector_state(client), RAIM_CONNECTOR_HANDSHAKING);
    datagram.size = raim_connector_send(client, now_us(), datagram.bytes);
    assert_in_range(datagram.size, RAIM_RESPONSE_BYTES + 1, RAIM_INIT_BYTES);
    return datagram;
}

static const uint8_t *new_ephemeral(void)
{
    static uint8_t ephemeral[RAIM_KEY_BYTES];
    raim_crypto_random(ephemeral, sizeof ephemeral);
    return ephemeral;
}

// Makes the server read an INIT and begin its session.
static enum datagram_verdict begin_with(const struct datagram *init, struct udp_address peer,
                                        struct secure_limits limits, bool resumes,
                                        struct datagram *reply)
{
    struct raim_init read;
    struct raim_credential credential;
    uint8_t cookie[RAIM_COOKIE_BYTES];
    if (raim_connectionless_kind(init->bytes, init->size) != RAIM_CONNECTIONLESS_HANDSHAKE ||
        !raim_init_read(init->bytes, init->size, &read))
        return DATAGRAM_CONNECTIONLESS;
    struct raim_cookie sent = offer;
    sent.cookie = read.cookie;
    if (sent.cookie == 0 || sent.cookie >> RAIM_COOKIE_BITS != 0)
        return DATAGRAM_COOKIE;
    reply->size = secure_sessions_repeat(sessions, peer, &read, reply->bytes);
    if (reply->size > 0)
        return DATAGRAM_OK;
    if (!secure_sessions_read(sessions, &read, cookie, raim_cookie_write(&sent, cookie),
                              new_ephemeral(), &credential))
        return DATAGRAM_FORGED;
    reply->size = RAIM_RESPONSE_BYTES;
    return secure_sessions_begin(sessions, peer, limits,
                                 resumes ? RAIM_CREDENTIAL_SESSION : RAIM_CREDENTIAL_NONE, now,
                                 reply->bytes);
}

static enum datagram_verdict begin(struct raim_connector *client, struct udp_address peer)
{
    struct datagram reply;
    const struct datagram init = init_of(client);
    const enum datagram_verdict verdict = begin_with(&init, peer, unlimited, false, &reply);
    if (verdict == DATAGRAM_OK)
        raim_connector_receive(client, now_us(), reply.bytes, reply.size);
    return verdict;
}

static struct datagram from_client(struct raim_connector *client)
{
    struct datagram datagram;
    datagram.size = raim_connector_encrypt(client, now_us(), word, sizeof word, datagram.bytes);
    return datagram;
}

static enum datagram_verdict to_server(struct udp_address peer, const struct datagram *datagram)
{
    uint8_t plain[MAX + 100];
    enum datagram_verdict verdict = DATAGRAM_VERDICTS;
    const size_t size =
        secure_sessions_decrypt(sessions, peer, datagram->bytes, datagram->size, plain, &verdict);
    assert_int_equal(size > 0, verdict == DATAGRAM_OK);
    if (size > 0) {
        assert_int_equal(size, sizeof word);
        assert_memory_equal(plain, word, size);
    }
    return verdict;
}

static enum datagram_verdict say(struct raim_connector *client, struct udp_address peer)
{
    const struct datagram datagram = from_client(client);
    return to_server(peer, &datagram);
}

// Whether the client can decrypt a datagram of the server.
static bool is_heard(struct raim_connector *client, struct udp_address peer)
{
    struct datagram datagram;
    uint8_t plain[MAX + 100];
    datagram.size = secure_sessions_encrypt(sessions, peer, now, word, sizeof word, datagram.bytes);
    return datagram.size == sizeof word + RAIM_SECURE_BYTES &&
           raim_connector_decrypt(client, datagram.bytes, datagram.size, plain) == sizeof word &&
           memcmp(plain, word, sizeof word) == 0;
}

TEST(both_ends_understand_each_other)
{
    for (uint16_t i = 0; i < CAPACITY; i++) {
        struct raim_connector *client = add_client();
        const struct udp_address peer = udp_address_v4(9, i);
        assert_int_equal(begin(client, peer), DATAGRAM_OK);
        assert_true(raim_connector_is_secure(client));
        assert_true(secure_sessions_has(sessions, peer));
    }
    for (uint16_t i = 0; i < CAPACITY; i++)
        for (int k = 0; k < 3; k++) {
            const struct udp_address peer = udp_address_v4(9, i);
            assert_int_equal(say(clients[i], peer), DATAGRAM_OK);
            assert_true(is_heard(clients[i], peer));
            assert_false(is_heard(clients[(i + 1) % CAPACITY], peer));
        }
    assert_int_equal(say(clients[0], here), DATAGRAM_UNENCRYPTED);
}

TEST(a_repeated_init_gets_the_same_answer)
{
    struct raim_connector *client = add_client();
    const struct datagram init = init_of(client);
    struct datagram first, second;
    assert_int_equal(begin_with(&init, here, unlimited, false, &first), DATAGRAM_OK);
    now += 250;
    assert_int_equal(begin_with(&init, here, unlimited, false, &second), DATAGRAM_OK);
    assert_int_equal(first.size, second.size);
    assert_memory_equal(first.bytes, second.bytes, first.size);
    // From another address it begins a session with other keys, which the client cannot decrypt.
    const struct udp_address there = {.ip = here.ip, .port = 1};
    assert_int_equal(begin_with(&init, there, unlimited, false, &second), DATAGRAM_OK);
    assert_memory_not_equal(first.bytes, second.bytes, first.size);
    raim_connector_receive(client, now_us(), first.bytes, first.size);
    assert_true(is_heard(client, here));
    assert_false(is_heard(client, there));
    assert_int_equal(say(client, there), DATAGRAM_FORGED);
    assert_int_equal(say(client, here), DATAGRAM_OK);
}

TEST(a_change_of_any_bit_is_seen)
{
    struct raim_connector *client = add_client();
    const struct datagram init = init_of(client);
    struct datagram reply, changed;
    for (size_t bit = 0; bit < 8 * init.size; bit++) {
        changed = init;
        changed.bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
        assert_int_not_equal(begin_with(&changed, here, unlimited, false, &reply), DATAGRAM_OK);
    }
    for (size_t size = 0; size < init.size; size++) {
        changed = init;
        changed.size = size;
        assert_int_not_equal(begin_with(&changed, here, unlimited, false, &reply), DATAGRAM_OK);
    }
    assert_int_equal(begin_with(&init, here, unlimited, false, &reply), DATAGRAM_OK);
    for (size_t bit = 0; bit < 8 * reply.size; bit++) {
        changed = reply;
        changed.bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
        raim_connector_receive(client, now_us(), changed.bytes, changed.size);
        assert_int_equal(raim_connector_state(client), RAIM_CONNECTOR_HANDSHAKING);
    }
    raim_connector_receive(client, now_us(), reply.bytes, reply.size);
    assert_int_equal(raim_connector_state(client), RAIM_CONNECTOR_READY);
    assert_int_equal(say(client, here), DATAGRAM_OK);
}

// The transcript authenticates the cookie: a change by a relay makes the handshake fail.
TEST(another_offer_breaks_the_handshake)
{
    struct raim_connector *client = add_client();
    struct datagram init, reply;
    const struct raim_cookie sent = offer;
    offer.requires_encryption = true;
    init = init_of(client);
    offer = sent;
    assert_int_equal(begin_with(&init, here, unlimited, false, &reply), DATAGRAM_FORGED);
    strcpy(offer.arena, "dual");
    init = init_of(client);
    offer = sent;
    assert_int_equal(begin_with(&init, here, unlimited, false, &reply), DATAGRAM_FORGED);
    offer.needs_admission = true;
    init = init_of(client);
    offer = sent;
    assert_int_equal(begin_with(&init, here, unlimited, false, &reply), DATAGRAM_FORGED);
    assert_int_equal(begin(client, here), DATAGRAM_OK);
}

TEST(another_server_cannot_answer)
{
    static const uint8_t other_secret[RAIM_KEY_BYTES] = {16};
    struct raim_connector *client = add_client();
    const struct datagram init = init_of(client);
    struct datagram reply;
    struct secure_sessions *genuine = sessions;
    sessions = secure_sessions_create(CAPACITY, other_secret, HASH);
    assert_int_equal(begin_with(&init, here, unlimited, false, &reply), DATAGRAM_FORGED);
    secure_sessions_destroy(sessions);
    sessions = genuine;
    assert_int_equal(begin_with(&init, here, unlimited, false, &reply), DATAGRAM_OK);
}

TEST(a_rejection_is_authenticated_and_keeps_nothing)
{
    struct raim_connector *client = add_client();
    struct datagram init = init_of(client), reply;
    struct raim_init read;
    struct raim_credential credential;
    uint8_t cookie[RAIM_COOKIE_BYTES];
    assert_true(raim_init_read(init.bytes, init.size, &read));
    assert_true(secure_sessions_read(sessions, &read, cookie, raim_cookie_write(&offer, cookie),
                                     new_ephemeral(), &credential));
    assert_int_equal(secure_sessions_reject(sessions, 12, reply.bytes), RAIM_RESPONSE_BYTES);
    assert_false(secure_sessions_has(sessions, here));
    raim_connector_receive(client, now_us(), reply.bytes, RAIM_RESPONSE_BYTES);
    assert_int_equal(raim_connector_state(client), RAIM_CONNECTOR_REJECTED);
    assert_int_equal(raim_connector_rejection(client)->reason, 12);
}

TEST(a_session_with_a_peer_is_never_taken_over)
{
    struct raim_connector *client = add_client(), *intruder = add_client();
    assert_int_equal(begin(client, here), DATAGRAM_OK);
    secure_sessions_mark(sessions, here);
    for (int s = 0; s < 100; s++) {
        now += 1000;
        secure_sessions_mark(sessions, here);
        secure_sessions_sweep(sessions, now);
        assert_int_equal(begin(intruder, here), DATAGRAM_SESSIONS);
        assert_int_equal(say(client, here), DATAGRAM_OK);
    }
}

TEST(a_new_session_is_protected_for_a_second)
{
    struct raim_connector *first = add_client(), *second = add_client();
    assert_int_equal(begin(first, here), DATAGRAM_OK);
    now += SECURE_PROTECTED_MS - 1;
    assert_int_equal(begin(second, here), DATAGRAM_SESSIONS);
    assert_int_equal(say(first, here), DATAGRAM_OK);
    now++;
    assert_int_equal(begin(second, here), DATAGRAM_OK);
    assert_int_equal(say(first, here), DATAGRAM_FORGED);
}

TEST(a_session_ends_with_its_peer_and_datagrams_do_not_keep_it)
{
    struct raim_connector *client = add_client();
    assert_int_equal(begin(client, here), DATAGRAM_OK);
    for (int s = 0; s < 60; s++) {
        now += 1000;
        secure_sessions_mark(sessions, here);
        secure_sessions_sweep(sessions, now);
        assert_true(secure_sessions_has(sessions, here));
    }
    assert_int_equal(say(client, here), DATAGRAM_OK);
    secure_sessions_sweep(sessions, now); // the peer is gone
    assert_false(secure_sessions_has(sessions, here));
    // A session that never had a peer lasts SECURE_UNCONNECTED_MS, whatever is received.
    assert_int_equal(begin(client, here), DATAGRAM_OK);
    for (int ms = 0; ms < SECURE_UNCONNECTED_MS; ms += 500) {
        assert_int_equal(say(client, here), DATAGRAM_OK);
        now += 500;
        secure_sessions_sweep(sessions, now);
    }
    assert_false(secure_sessions_has(sessions, here));
}

TEST(sessions_without_a_peer_make_arena)
{
    for (uint16_t i = 0; i < CAPACITY - 1; i++) {
        assert_int_equal(begin(add_client(), udp_address_v4(9, i)), DATAGRAM_OK);
        secure_sessions_mark(sessions, udp_address_v4(9, i));
    }
    struct raim_connector *stranger = add_client();
    for (uint16_t i = 0; i < 50; i++) {
        const struct udp_address peer = udp_address_v4(10, i);
        assert_int_equal(begin(stranger, peer), DATAGRAM_OK);
        assert_int_equal(begin(add_client(), here), DATAGRAM_SESSIONS);
        raim_connector_destroy(clients[--client_count]);
        now += SECURE_PROTECTED_MS; // however often it sends
        assert_int_equal(say(stranger, peer), DATAGRAM_OK);
    }
    for (uint16_t i = 0; i < CAPACITY - 1; i++)
        assert_int_equal(say(clients[i], udp_address_v4(9, i)), DATAGRAM_OK);
}

TEST(a_resuming_client_takes_the_slot_of_a_new_one)
{
    for (uint16_t i = 0; i < CAPACITY; i++)
        assert_int_equal(begin(add_client(), udp_address_v4(i, 1)), DATAGRAM_OK);
    struct raim_connector *player = add_client();
    struct datagram init = init_of(player), reply;
    assert_int_equal(begin_with(&init, here, unlimited, false, &reply), DATAGRAM_SESSIONS);
    assert_int_equal(begin_with(&init, here, unlimited, true, &reply), DATAGRAM_OK);
    raim_connector_receive(player, now_us(), reply.bytes, reply.size);
    assert_int_equal(say(player, here), DATAGRAM_OK);
    // Another resuming client does not take the slot of the first.
    for (uint16_t i = 0; i < CAPACITY - 1; i++) {
        init = init_of(add_client());
        assert_int_equal(begin_with(&init, udp_address_v4(i, 2), unlimited, true, &reply),
                         DATAGRAM_OK);
    }
    init = init_of(add_client());
    assert_int_equal(begin_with(&init, udp_address_v4(77, 2), unlimited, true, &reply),
                     DATAGRAM_SESSIONS);
    assert_int_equal(say(player, here), DATAGRAM_OK);
}

TEST(an_address_and_a_network_have_their_shares)
{
    const struct secure_limits limits = {.of_address = 2, .of_network = 4};
    struct raim_connector *client = add_client();
    struct datagram init = init_of(client), reply;
    int begun = 0;
    for (uint16_t i = 0; i < 20; i++) {
        const struct udp_address peer = udp_address_v4(0x0A000001u + i % 5, i);
        init = init_of(client);
        begun += begin_with(&init, peer, limits, false, &reply) == DATAGRAM_OK;
    }
    assert_int_equal(begun, 4);
    init = init_of(client);
    assert_int_equal(begin_with(&init, udp_address_v4(0x0B000001, 1), limits, false, &reply),
                     DATAGRAM_OK);
    // Only idle sessions of its own address are evicted.
    now += SECURE_PROTECTED_MS;
    init = init_of(client);
    assert_int_equal(begin_with(&init, udp_address_v4(0x0A000001, 99), limits, false, &reply),
                     DATAGRAM_OK);
    assert_true(secure_sessions_has(sessions, udp_address_v4(0x0B000001, 1)));
}

TEST(any_bytes_are_survived)
{
    struct raim_connector *client = add_client(), *opener = add_client();
    assert_int_equal(begin(client, here), DATAGRAM_OK);
    const struct datagram init = init_of(opener);
    struct datagram reply;
    for (int i = 0; i < 20000; i++) {
        struct datagram datagram = {.size = (size_t)chance_int(0, 200)};
        for (size_t k = 0; k < datagram.size; k++)
            datagram.bytes[k] = (uint8_t)chance_int(0, 255);
        if (chance_int(0, 1) == 0)
            memcpy(datagram.bytes, init.bytes,
                   datagram.size < init.size ? (size_t)chance_int(0, (int)datagram.size) : 60);
        assert_int_not_equal(to_server(here, &datagram), DATAGRAM_OK);
        if (i % 50 == 0)
            assert_int_not_equal(begin_with(&datagram, here, unlimited, false, &reply),
                                 DATAGRAM_OK);
    }
    assert_int_equal(say(client, here), DATAGRAM_OK);
}
