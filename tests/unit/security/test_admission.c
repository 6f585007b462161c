// SPDX-License-Identifier: MIT
// Admission: connect requests, cookies, credentials and bans, with a simulated clock.
#include "admission.h"
#include "chance.h"
#include "test.h"

#include <arpa/inet.h>

enum { PORT = 7246, MS = 1000, S = 1000 * MS };

static struct admission admission;
static struct udp_address home, elsewhere;

static void init_admission(void)
{
    struct admission_secrets secrets = {.hash = raim_random_next(&chance)};
    for (size_t i = 0; i < sizeof secrets.challenge; i++)
        secrets.challenge[i] = (uint8_t)chance_int(0, 255);
    admission_init(&admission, PORT, &secrets);
}

static int set_up(void **state)
{
    (void)state;
    init_admission();
    admission.requires_cookies = true;
    home = udp_address_v4(0x0A000001, 40000);
    elsewhere = udp_address_v4(0xC0000201, 40000);
    return 0;
}

static struct admission_answer say(struct udp_address from, const uint8_t *bytes, size_t size,
                                   int64_t now_us)
{
    struct admission_answer answer;
    admission_receive(&admission, from, bytes, size, now_us, &answer);
    if (answer.verdict == ADMISSION_ANSWERED || answer.verdict == ADMISSION_CHALLENGED)
        assert_in_range(answer.size + answer.notice_size, 1, size - 1);
    return answer;
}

static struct admission_answer connect_request(struct udp_address from, int64_t now_us)
{
    uint8_t bytes[RAIM_CONNECTIONLESS_BYTES];
    return say(from, bytes, raim_connect_request_write(&(struct raim_connect_request){0}, bytes),
               now_us);
}

static uint32_t cookie_of(struct udp_address from, int64_t now_us)
{
    struct raim_cookie cookie;
    const struct admission_answer answer = connect_request(from, now_us);
    assert_int_equal(answer.verdict, ADMISSION_ANSWERED);
    assert_int_equal(raim_connectionless_kind(answer.reply, answer.size),
                     RAIM_CONNECTIONLESS_COOKIE);
    assert_true(raim_cookie_read(answer.reply, answer.size, &cookie));
    assert_int_not_equal(cookie.cookie, 0);
    return cookie.cookie;
}

static enum datagram_verdict connect_with(uint32_t cookie, struct udp_address from, int64_t now_us)
{
    static uint32_t id;
    id++;
    return admission_admit(&admission, from, (struct datagram_connect){id, cookie}, false, now_us);
}

TEST(a_cookie_is_good_for_its_address_from_any_port, set_up, NULL)
{
    const uint32_t cookie = cookie_of(home, 0);
    assert_int_equal(connect_with(cookie, home, 0), DATAGRAM_OK);
    home.port++;
    assert_int_equal(connect_with(cookie, home, 0), DATAGRAM_OK);
    assert_int_equal(connect_with(cookie, elsewhere, 0), DATAGRAM_COOKIE);
    home.ip.low++;
    assert_int_equal(connect_with(cookie, home, 0), DATAGRAM_COOKIE);
}

TEST(a_cookie_is_good_for_one_arena, set_up, NULL)
{
    const uint32_t cookie = cookie_of(home, 0);
    admission.port++; // the keys stay equal
    assert_int_equal(connect_with(cookie, home, 0), DATAGRAM_COOKIE);
    init_admission();
    admission.requires_cookies = true;
    assert_int_equal(connect_with(cookie, home, 0), DATAGRAM_COOKIE);
}

TEST(cookies_grow_old, set_up, NULL)
{
    for (int trial = 0; trial < 200; trial++) {
        set_up(NULL);
        const int64_t begin_us = chance_int(0, 100) * (int64_t)S;
        connect_request(elsewhere, begin_us); // an epoch begins with the first request
        const int64_t asked_us = begin_us + chance_int(0, 100000) * (int64_t)MS;
        const uint32_t cookie = cookie_of(home, asked_us);
        const int64_t young_us = asked_us + chance_int(0, CHALLENGE_EPOCH_MS) * (int64_t)MS;
        const int64_t old_us =
            asked_us + (2 * CHALLENGE_EPOCH_MS + chance_int(0, 100000)) * (int64_t)MS;
        assert_int_equal(connect_with(cookie, home, young_us), DATAGRAM_OK);
        assert_int_equal(connect_with(cookie, home, old_us), DATAGRAM_COOKIE);
    }
}

TEST(a_guessed_cookie_is_rejected, set_up, NULL)
{
    const uint32_t cookie = cookie_of(home, 0);
    const uint32_t obvious[] = {0, 1, UINT32_MAX, htonl(cookie), cookie + 1, ~cookie};
    for (size_t i = 0; i < sizeof obvious / sizeof *obvious; i++)
        if (obvious[i] != cookie)
            assert_int_equal(connect_with(obvious[i], home, 0), DATAGRAM_COOKIE);
    for (int i = 0; i < 10000; i++)
        assert_int_equal(connect_with((uint32_t)raim_random_next(&chance), home, 0),
                         DATAGRAM_COOKIE);
    // Rejected requests take no tokens.
    assert_int_equal(connect_with(cookie, home, 0), DATAGRAM_OK);
}

TEST(where_no_cookies_are_wanted_none_is_needed, set_up, NULL)
{
    admission.requires_cookies = false;
    assert_int_equal(connect_with(0, home, 0), DATAGRAM_OK);
    cookie_of(home, 0); // cookies are issued anyway
}

TEST(only_a_padded_connect_request_is_answered, set_up, NULL)
{
    uint8_t bytes[1200] = {0};
    raim_connect_request_write(&(struct raim_connect_request){0}, bytes);
    for (size_t size = 0; size < RAIM_CONNECTIONLESS_BYTES; size++) {
        const struct admission_answer answer = say(home, bytes, size, 0);
        assert_int_equal(answer.verdict, ADMISSION_REJECTED);
        assert_int_equal(answer.rejection, DATAGRAM_CONNECTIONLESS);
    }
    assert_int_equal(say(home, bytes, RAIM_CONNECTIONLESS_BYTES, 0).verdict, ADMISSION_ANSWERED);
    assert_int_equal(say(home, bytes, sizeof bytes, 0).verdict, ADMISSION_ANSWERED);
    for (int i = 0; i < 100; i++) {
        // Anywhere but in the cookie's number and the credential.
        const int at = chance_int(0, 1) == 0 ? chance_int(4, 9) : chance_int(17, sizeof bytes - 1);
        const uint8_t bit = (uint8_t)(1 << chance_int(0, 7));
        bytes[at] ^= bit;
        assert_int_equal(say(home, bytes, sizeof bytes, 0).verdict, ADMISSION_REJECTED);
        bytes[at] ^= bit;
    }
}

TEST(a_flood_of_connect_requests_is_cut_to_its_rate, set_up, NULL)
{
    int answered = 0;
    for (int i = 0; i < 50000; i++) {
        const struct admission_answer answer = connect_request(home, i * (int64_t)MS / 10);
        answered += answer.verdict == ADMISSION_ANSWERED;
        if (answer.verdict != ADMISSION_ANSWERED)
            assert_int_equal(answer.rejection, DATAGRAM_CONNECT_REQUESTS);
    }
    const uint32_t per_s = ADMISSION_LIMITS_DEFAULT.connect_requests_per_second;
    assert_in_range(answered, 6 * per_s, 7 * per_s + 1);
    // Others are answered meanwhile.
    assert_int_equal(connect_request(elsewhere, 5 * (int64_t)S).verdict, ADMISSION_ANSWERED);
}

TEST(a_thousand_connect_requests_leave_the_neighbours_theirs, set_up, NULL)
{
    const struct udp_address neighbour = {.ip = home.ip, .port = 41000};
    for (int ms = 0; ms < 10000; ms++) {
        assert_int_equal(connect_request(home, ms * (int64_t)MS).verdict, ADMISSION_ANSWERED);
        if (ms % 100 == 0)
            assert_int_equal(connect_request(neighbour, ms * (int64_t)MS).verdict,
                             ADMISSION_ANSWERED);
    }
}

TEST(all_together_have_a_rate_too, set_up, NULL)
{
    uint32_t answered = 0;
    struct admission_limits limits = ADMISSION_LIMITS_DEFAULT;
    limits.connect_requests_total = 2000;
    admission_set_limits(&admission, &limits);
    for (uint32_t network = 1; network <= 10000; network++) {
        const struct udp_address from = udp_address_v4(network << 8, 40000);
        answered += connect_request(from, network * (int64_t)100).verdict == ADMISSION_ANSWERED;
    }
    assert_in_range(answered, 2000, 4001);
}

TEST(frequent_connects_and_wrong_cookies_have_different_verdicts, set_up, NULL)
{
    const uint32_t cookie = cookie_of(home, 0);
    int in = 0;
    for (int i = 0; i < 1000; i++) {
        const enum datagram_verdict verdict = connect_with(cookie, home, i * (int64_t)MS);
        in += verdict == DATAGRAM_OK;
        if (verdict != DATAGRAM_OK)
            assert_int_equal(verdict, DATAGRAM_CONNECT_RATE);
    }
    assert_int_equal(in, 20 + 4);
    assert_int_equal(connect_with(cookie, elsewhere, S), DATAGRAM_COOKIE);
}

TEST(loopback_is_limited_only_where_that_is_asked_for, set_up, NULL)
{
    const struct udp_address local = udp_address_v4(0x7F000001, 40000);
    for (int wanted = 0; wanted < 2; wanted++) {
        struct admission_limits limits = ADMISSION_LIMITS_DEFAULT;
        limits.loopback = wanted;
        admission_set_limits(&admission, &limits);
        const uint32_t cookie = cookie_of(local, 0);
        int answered = 0, in = 0;
        for (int i = 0; i < 5000; i++) {
            answered += connect_request(local, 0).verdict == ADMISSION_ANSWERED;
            in += connect_with(cookie, local, 0) == DATAGRAM_OK;
        }
        assert_int_equal(answered, wanted ? 2 * limits.connect_requests_per_second - 1 : 5000);
        assert_int_equal(in, wanted ? 20 : 5000);
    }
}

// --- Policies ---

static struct ip_address banned;
static int checked; // signatures

static const char *find_ban(void *context, struct ip_address ip)
{
    (void)context;
    return ip_address_equal(ip, banned) ? "spam" : NULL;
}

static bool admits_token(void *context, const uint8_t *token, size_t size)
{
    (void)context;
    checked++;
    return size == 4 && memcmp(token, "good", 4) == 0;
}

static bool admits_home(void *context, struct udp_address from)
{
    (void)context;
    return udp_address_equal(from, home);
}

TEST(a_getinfo_is_a_masters_or_rejected, set_up, NULL)
{
    static const uint8_t getinfo[] = "\xFF\xFF\xFF\xFFgetinfo A_ch4Lleng3";
    admission.answers_queries = true;
    struct admission_answer answer = say(home, getinfo, sizeof getinfo - 1, 0);
    assert_int_equal(answer.verdict, ADMISSION_REJECTED);
    admission.policy.admits_master = admits_home;
    answer = say(home, getinfo, sizeof getinfo - 1, 0);
    assert_int_equal(answer.verdict, ADMISSION_QUERY);
    assert_int_equal(answer.query, QUERY_GETINFO);
    answer = say(elsewhere, getinfo, sizeof getinfo - 1, 0);
    assert_int_equal(answer.verdict, ADMISSION_REJECTED);
    assert_int_equal(answer.rejection, DATAGRAM_CONNECTIONLESS);
    admission.answers_queries = false;
    assert_int_equal(say(home, getinfo, sizeof getinfo - 1, 0).verdict, ADMISSION_REJECTED);
}

static const uint8_t right_key[RAIM_PASSWORD_KEY_BYTES] = {1}, wrong_key[RAIM_PASSWORD_KEY_BYTES];

static bool admits_password(void *context, const uint8_t *key)
{
    (void)context;
    checked++;
    return memcmp(key, right_key, sizeof right_key) == 0;
}

static int set_up_policy(void **state)
{
    set_up(state);
    banned = (struct ip_address){0};
    checked = 0;
    admission.offer.needs_admission = true;
    admission.policy = (struct admission_policy){
        .find_ban = find_ban, .admits_token = admits_token, .admits_password = admits_password};
    return 0;
}

static struct admission_answer show(struct udp_address from, uint32_t cookie, const char *token,
                                    int64_t now_us)
{
    uint8_t bytes[RAIM_CONNECTIONLESS_BYTES];
    struct raim_connect_request asked = {.cookie = cookie};
    asked.credential.kind = token[0] != '\0' ? RAIM_CREDENTIAL_ACCESS : RAIM_CREDENTIAL_NONE;
    asked.credential.size = (uint8_t)strlen(token);
    memcpy(asked.credential.bytes, token, asked.credential.size);
    return say(from, bytes, raim_connect_request_write(&asked, bytes), now_us);
}

TEST(a_good_credential_is_exchanged_for_an_admitted_cookie, set_up_policy, NULL)
{
    struct raim_cookie cookie;
    const uint32_t plain = cookie_of(home, 0);
    assert_int_equal(connect_with(plain, home, 0), DATAGRAM_COOKIE);
    const struct admission_answer answer = show(home, plain, "good", 0);
    assert_int_equal(answer.verdict, ADMISSION_ANSWERED);
    assert_int_equal(answer.notice_size, 0);
    assert_true(raim_cookie_read(answer.reply, answer.size, &cookie));
    assert_true(cookie.admitted && cookie.needs_admission);
    assert_int_not_equal(cookie.cookie, plain);
    assert_int_equal(connect_with(cookie.cookie, home, 0), DATAGRAM_OK);
    assert_int_equal(connect_with(cookie.cookie, elsewhere, 0), DATAGRAM_COOKIE);
    // An admitted cookie is not valid in a connect request or an INIT, only in a CONNECT.
    uint8_t bytes[RAIM_COOKIE_BYTES];
    size_t size;
    assert_int_equal(admission_check_init(&admission, home, cookie.cookie, 0, bytes, &size),
                     DATAGRAM_COOKIE);
    assert_int_equal(admission_check_init(&admission, home, plain, 0, bytes, &size), DATAGRAM_OK);
    assert_int_equal(checked, 1);
}

TEST(another_credential_is_rejected_with_less_than_was_asked, set_up_policy, NULL)
{
    struct raim_rejected rejected;
    const uint32_t cookie = cookie_of(home, 0);
    const char *const tokens[] = {"", "evil", "goo"};
    for (size_t i = 0; i < sizeof tokens / sizeof *tokens; i++) {
        const struct admission_answer answer = show(home, cookie, tokens[i], 0);
        assert_int_equal(answer.verdict, ADMISSION_ANSWERED);
        assert_int_equal(answer.rejection, DATAGRAM_ACCESS);
        assert_int_equal(answer.size, 0);
        assert_true(raim_rejected_read(answer.notice, answer.notice_size, &rejected));
        assert_int_equal(rejected.reason, 14);
    }
}

TEST(no_signature_is_checked_without_a_cookie_or_too_often, set_up_policy, NULL)
{
    struct raim_cookie cookie;
    const struct admission_answer answer = show(home, 12345, "good", 0);
    assert_true(raim_cookie_read(answer.reply, answer.size, &cookie));
    assert_false(cookie.admitted);
    assert_int_equal(checked, 0);
    int rejected = 0;
    for (int i = 0; i < 200; i++)
        rejected += show(home, cookie.cookie, "evil", 0).verdict == ADMISSION_REJECTED;
    assert_in_range(checked, 1, CHECK_LIMIT_OF_ALL.burst / 2);
    assert_int_equal(rejected, 200 - checked);
}

static enum datagram_verdict check_password(struct udp_address from, const uint8_t *key,
                                            int64_t now_us)
{
    enum raim_credential_kind accepted;
    struct raim_credential credential = {.kind = RAIM_CREDENTIAL_PASSWORD,
                                         .size = RAIM_PASSWORD_KEY_BYTES};
    memcpy(credential.bytes, key, RAIM_PASSWORD_KEY_BYTES);
    const enum datagram_verdict verdict =
        admission_check_credential(&admission, from.ip, &credential, now_us, &accepted);
    assert_int_equal(accepted,
                     verdict == DATAGRAM_OK ? RAIM_CREDENTIAL_PASSWORD : RAIM_CREDENTIAL_NONE);
    return verdict;
}

TEST(a_password_admits_and_wrong_ones_make_their_address_wait, set_up_policy, NULL)
{
    enum raim_credential_kind accepted;
    const struct raim_credential none = {0};
    admission.offer.offers_encryption = admission.offer.needs_password = true;
    assert_int_equal(admission_check_credential(&admission, home.ip, &none, 0, &accepted),
                     DATAGRAM_PASSWORD);
    assert_int_equal(admission_reason(DATAGRAM_PASSWORD), 17);
    for (int i = 0; i < 100; i++)
        assert_int_equal(check_password(home, right_key, 0), DATAGRAM_OK);
    checked = 0;
    for (int i = 0; i < 100; i++)
        assert_int_equal(check_password(home, wrong_key, 0), DATAGRAM_PASSWORD);
    assert_int_equal(checked, ADMISSION_PASSWORDS_OF_ADDRESS.burst);
    assert_int_equal(check_password(home, right_key, 0), DATAGRAM_PASSWORD);
    assert_int_equal(check_password(elsewhere, right_key, 0), DATAGRAM_OK);
    assert_int_equal(check_password(home, right_key, 6 * S), DATAGRAM_OK);
    // Every address of a network has its attempts, and the network has sixteen times as many.
    checked = 0;
    for (uint32_t host = 1; host < 256; host++)
        for (int i = 0; i < 100; i++)
            check_password(udp_address_v4(0xC6336400 + host, 1), wrong_key, 6 * S);
    assert_int_equal(checked, ADMISSION_PASSWORDS_OF_NETWORK.burst);
    assert_int_equal(check_password(elsewhere, right_key, 6 * S), DATAGRAM_OK);
    // An access token is as good, if it is.
    const struct raim_credential token = {RAIM_CREDENTIAL_ACCESS, 4, "good"};
    assert_int_equal(admission_check_credential(&admission, home.ip, &token, 0, &accepted),
                     DATAGRAM_OK);
    assert_int_equal(accepted, RAIM_CREDENTIAL_ACCESS);
}

// A /48, or 64 of them, that guesses 100 times a second keeps out no other network.
TEST(guesses_of_a_network_keep_no_other_out, set_up_policy, NULL)
{
    admission.offer.needs_password = true;
    for (int networks = 1; networks <= 64; networks *= 64)
        for (int64_t ms = 0; ms < 60000; ms++) {
            const int guesses = networks == 1 ? ms % 10 == 0 : chance_int(6, 7);
            for (int i = 0; i < guesses; i++) {
                const uint64_t site =
                    0x20010DB800000000 + ((uint64_t)chance_int(1, networks) << 16);
                check_password((struct udp_address){.ip = {site + chance_int(0, 65535), 1}},
                               wrong_key, ms * MS);
            }
            const uint64_t honest = 0x2A00000000000000 + ((uint64_t)chance_int(0, 39) << 16);
            assert_int_equal(
                check_password((struct udp_address){.ip = {honest, 1}}, right_key, ms * MS),
                DATAGRAM_OK);
        }
}

TEST(a_password_in_plain_text_is_rejected_unseen, set_up_policy, NULL)
{
    struct raim_rejected rejected;
    admission.offer.offers_encryption = admission.offer.needs_password = true;
    const uint32_t cookie = cookie_of(home, 0);
    uint8_t bytes[RAIM_CONNECTIONLESS_BYTES];
    struct raim_connect_request asked = {.cookie = cookie};
    asked.credential.kind = RAIM_CREDENTIAL_PASSWORD;
    asked.credential.size = RAIM_PASSWORD_KEY_BYTES;
    memcpy(asked.credential.bytes, right_key, sizeof right_key);
    const struct admission_answer answer =
        say(home, bytes, raim_connect_request_write(&asked, bytes), 0);
    assert_int_equal(answer.rejection, DATAGRAM_PASSWORD);
    assert_int_equal(answer.size, 0);
    assert_int_equal(checked, 0);
    assert_true(raim_rejected_read(answer.notice, answer.notice_size, &rejected));
    assert_int_equal(rejected.reason, 17);
    assert_non_null(strstr(rejected.text, "encrypted"));
}

TEST(a_banned_address_gets_no_further, set_up_policy, NULL)
{
    struct raim_rejected rejected;
    struct raim_cookie cookie;
    admission.offer.needs_admission = false;
    const uint32_t number = cookie_of(home, 0);
    banned = home.ip;
    struct admission_answer answer = connect_request(home, 0);
    assert_int_equal(answer.rejection, DATAGRAM_BANNED);
    assert_int_equal(answer.size, 0);
    assert_true(raim_rejected_read(answer.notice, answer.notice_size, &rejected));
    assert_int_equal(rejected.reason, 12);
    assert_string_equal(rejected.text, "spam");
    assert_int_equal(connect_with(number, home, 0), DATAGRAM_BANNED);
    assert_int_equal(
        admission_admit(&admission, home, (struct datagram_connect){1, number}, true, 0),
        DATAGRAM_BANNED);
    assert_int_equal(connect_with(cookie_of(elsewhere, 0), elsewhere, 0), DATAGRAM_OK);
    // Its answers have a rate, and its handshakes, which cost two key agreements each.
    int answered = 1, checks = 0;
    uint8_t bytes[RAIM_COOKIE_BYTES];
    size_t size;
    for (int i = 0; i < 100; i++) {
        answered += connect_request(home, 0).verdict == ADMISSION_ANSWERED;
        checks += admission_check_init(&admission, home, number, 0, bytes, &size) == DATAGRAM_OK;
    }
    assert_int_equal(answered + checks, ADMISSION_REJECTIONS_OF_NETWORK.burst);
    set_up_policy(state);
    admission.offer.needs_admission = false;
    banned = home.ip;
    admission.policy = (struct admission_policy){
        .find_ban = find_ban, .admits_token = admits_token, .admits_password = admits_password};
    // A client that trusts only encrypted answers needs a cookie to be rejected in the handshake.
    admission.offer.offers_encryption = true;
    answer = connect_request(home, 0);
    assert_true(answer.notice_size > 0);
    assert_true(raim_cookie_read(answer.reply, answer.size, &cookie));
    assert_true(answer.size + answer.notice_size < RAIM_CONNECTIONLESS_BYTES);
}
