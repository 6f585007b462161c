// SPDX-License-Identifier: MIT
// Issues and verifies cookies, and applies bans, credentials and rate limits to new clients.
#include "admission.h"

#include <assert.h>
#include <string.h>

enum { US_PER_MS = 1000, US_PER_S = 1000000, CONNECT_REQUEST_BURST_S = 2 };

// Reasons in a REJECTED; PROTOCOL.md, "Reasons".
enum { REASON_BANNED = 12, REASON_ACCESS = 14, REASON_PASSWORD = 17 };

static const char password_words[] =
    "this arena needs its password, and accepts it only over an encrypted connection";

static_assert(sizeof password_words <= RAIM_MAX_TEXT_BYTES + 1, "they fit a REJECTED");

static_assert(QUERY_CHALLENGE_REPLY <= RAIM_COOKIE_BYTES, "a reply holds either");

void admission_init(struct admission *admission, uint16_t port,
                    const struct admission_secrets *secrets)
{
    memset(admission, 0, sizeof *admission);
    admission->port = port;
    admission->hash = secrets->hash;
    strcpy(admission->offer.arena, "arena");
    challenge_init(&admission->cookies, secrets->challenge);
    // One secret serves both: the purpose separates cookies from the challenges of queries.
    query_guard_init(&admission->queries, secrets->hash, secrets->challenge);
    admission_set_limits(admission, &ADMISSION_LIMITS_DEFAULT);
}

static bool is_same(const struct admission_limits *a, const struct admission_limits *b)
{
#define IS_SAME(name, ...) &&a->name == b->name
    return a->loopback == b->loopback ADMISSION_LIMITS(IS_SAME);
#undef IS_SAME
}

void admission_set_limits(struct admission *admission, const struct admission_limits *limits)
{
    if (is_same(&admission->limits, limits))
        return; // a reset would refill the buckets of clients that have used up their tokens
    admission->limits = *limits;
    const struct rate of_network = {US_PER_S / limits->connect_requests_per_second,
                                    CONNECT_REQUEST_BURST_S * limits->connect_requests_per_second};
    const struct rate of_all = {US_PER_S / limits->connect_requests_total,
                                limits->connect_requests_total};
    rate_limit_init(&admission->connect_requests, RATE_OF_NETWORK, of_network, of_all,
                    admission->hash);
    check_limit_init(&admission->checks, admission->hash);
    rate_limit_init(&admission->passwords, RATE_OF_ADDRESS, ADMISSION_PASSWORDS_OF_ADDRESS,
                    RATE_UNLIMITED, admission->hash);
    rate_limit_init(&admission->network_passwords, RATE_OF_NETWORK, ADMISSION_PASSWORDS_OF_NETWORK,
                    RATE_UNLIMITED, admission->hash);
    rate_limit_init(&admission->rejections, RATE_OF_NETWORK, ADMISSION_REJECTIONS_OF_NETWORK,
                    ADMISSION_REJECTIONS_OF_ALL, admission->hash);
    connect_rate_init(&admission->connect_rate, limits->connects_per_second, admission->hash);
}

bool admission_is_limited(const struct admission *admission, struct ip_address ip)
{
    return admission->limits.loopback || !ip_address_is_loopback(ip);
}

static void reject(struct admission_answer *answer, enum datagram_verdict rejection)
{
    answer->verdict = ADMISSION_REJECTED;
    answer->rejection = rejection;
}

// A cookie holds for the arena's port instead of the client's.
static struct udp_address cookie_source(const struct admission *admission, struct udp_address from)
{
    from.port = admission->port;
    return from;
}

static bool is_cookie(struct admission *admission, enum challenge_purpose purpose,
                      struct udp_address from, uint32_t cookie, int64_t now_us)
{
    return challenge_verify(&admission->cookies, purpose, cookie_source(admission, from), cookie,
                            now_us / US_PER_MS);
}

// Takes a token for an expensive check (a signature or a key agreement).
static bool take_check(struct admission *admission, struct ip_address ip, int64_t now_us)
{
    const struct check_limit_known known = {admission->policy.has_player_at,
                                            admission->policy.context};
    return !admission_is_limited(admission, ip) ||
           check_limit_take(&admission->checks, ip, &known, now_us / US_PER_MS);
}

static const char *find_ban(const struct admission *admission, struct ip_address ip)
{
    const struct admission_policy *policy = &admission->policy;
    return policy->find_ban != NULL ? policy->find_ban(policy->context, ip) : NULL;
}

// Takes a token for an answer to a banned address.
static bool take_rejection(struct admission *admission, struct ip_address ip, int64_t now_us)
{
    return !admission_is_limited(admission, ip) ||
           rate_limit_take(&admission->rejections, ip, now_us / US_PER_MS);
}

static void answer_cookie(struct admission *admission, struct udp_address from, bool admitted,
                          int64_t now_us, struct admission_answer *answer)
{
    struct raim_cookie cookie = admission->offer;
    cookie.admitted = admitted;
    cookie.cookie =
        challenge_compute(&admission->cookies, admitted ? CHALLENGE_ADMITTED : CHALLENGE_COOKIE,
                          cookie_source(admission, from), now_us / US_PER_MS);
    answer->verdict = ADMISSION_ANSWERED;
    answer->size = raim_cookie_write(&cookie, answer->reply);
}

uint8_t admission_reason(enum datagram_verdict verdict)
{
    if (verdict == DATAGRAM_PASSWORD)
        return REASON_PASSWORD;
    return verdict == DATAGRAM_BANNED ? REASON_BANNED : REASON_ACCESS;
}

static void answer_rejected(enum datagram_verdict rejection, const char *why,
                            struct admission_answer *answer)
{
    struct raim_rejected rejected = {.reason = admission_reason(rejection)};
    strncpy(rejected.text, why, sizeof rejected.text - 1);
    answer->verdict = ADMISSION_ANSWERED;
    answer->rejection = rejection;
    answer->notice_size = raim_rejected_write(&rejected, answer->notice);
}

// Verifies the key of a password. Only wrong ones use up the rates of an address and its network,
// which then wait even with the right one: otherwise they could go on guessing.
static bool is_password(struct admission *admission, struct ip_address ip, const uint8_t *key,
                        int64_t now_us)
{
    const struct admission_policy *policy = &admission->policy;
    const bool is_limited = admission_is_limited(admission, ip);
    const int64_t now_ms = now_us / US_PER_MS;
    if (policy->admits_password == NULL ||
        (is_limited && (rate_limit_left(&admission->passwords, ip, now_ms) < 1 ||
                        rate_limit_left(&admission->network_passwords, ip, now_ms) < 1)))
        return false;
    const bool good = policy->admits_password(policy->context, key);
    if (!good && is_limited) {
        rate_limit_take(&admission->passwords, ip, now_ms);
        rate_limit_take(&admission->network_passwords, ip, now_ms);
    }
    return good;
}

// Whether a credential is valid, other than by its kind NONE.
static bool is_valid(struct admission *admission, struct ip_address ip,
                     const struct raim_credential *credential, int64_t now_us)
{
    const struct admission_policy *policy = &admission->policy;
    switch (credential->kind) {
    case RAIM_CREDENTIAL_ACCESS:
        return admission->offer.needs_admission && policy->admits_token != NULL &&
               policy->admits_token(policy->context, credential->bytes, credential->size);
    case RAIM_CREDENTIAL_SESSION:
        return policy->has_session != NULL &&
               policy->has_session(policy->context, credential->bytes);
    case RAIM_CREDENTIAL_PASSWORD:
        return admission->offer.needs_password &&
               is_password(admission, ip, credential->bytes, now_us);
    case RAIM_CREDENTIAL_NONE:
    case RAIM_CREDENTIAL_KINDS:
        break;
    }
    return false;
}

enum datagram_verdict admission_check_credential(struct admission *admission, struct ip_address ip,
                                                 const struct raim_credential *credential,
                                                 int64_t now_us,
                                                 enum raim_credential_kind *accepted)
{
    *accepted = RAIM_CREDENTIAL_NONE;
    if (find_ban(admission, ip) != NULL)
        return DATAGRAM_BANNED;
    if (is_valid(admission, ip, credential, now_us))
        *accepted = credential->kind;
    else if (admission->offer.needs_admission)
        return admission->offer.needs_password ? DATAGRAM_PASSWORD : DATAGRAM_ACCESS;
    return DATAGRAM_OK;
}

// Exchanges a valid credential, sent with a cookie, for an admitted cookie. A password that anybody
// on the path could read is rejected unseen.
static void receive_credential(struct admission *admission, struct udp_address from,
                               const struct raim_credential *credential, int64_t now_us,
                               struct admission_answer *answer)
{
    enum raim_credential_kind accepted;
    if (!take_check(admission, from.ip, now_us)) {
        reject(answer, DATAGRAM_HANDSHAKES);
        return;
    }
    const enum datagram_verdict verdict =
        credential->kind == RAIM_CREDENTIAL_PASSWORD
            ? DATAGRAM_PASSWORD
            : admission_check_credential(admission, from.ip, credential, now_us, &accepted);
    if (verdict == DATAGRAM_OK)
        answer_cookie(admission, from, true, now_us, answer);
    else
        answer_rejected(verdict, verdict == DATAGRAM_PASSWORD ? password_words : "", answer);
}

static void receive_connect_request(struct admission *admission, struct udp_address from,
                                    const struct raim_connect_request *connect_request,
                                    int64_t now_us, struct admission_answer *answer)
{
    if (admission_is_limited(admission, from.ip) &&
        !rate_limit_take(&admission->connect_requests, from.ip, now_us)) {
        reject(answer, DATAGRAM_CONNECT_REQUESTS);
        return;
    }
    const char *ban = find_ban(admission, from.ip);
    if (ban != NULL) {
        if (!take_rejection(admission, from.ip, now_us)) {
            reject(answer, DATAGRAM_BANNED);
            return;
        }
        answer_rejected(DATAGRAM_BANNED, ban, answer);
        // A client that trusts only encrypted answers gets the rejection in the handshake.
        if (admission->offer.offers_encryption)
            answer_cookie(admission, from, false, now_us, answer);
        return;
    }
    if (admission->offer.needs_admission &&
        is_cookie(admission, CHALLENGE_COOKIE, from, connect_request->cookie, now_us))
        receive_credential(admission, from, &connect_request->credential, now_us, answer);
    else
        answer_cookie(admission, from, false, now_us, answer);
}

void admission_receive(struct admission *admission, struct udp_address from, const uint8_t *data,
                       size_t size, int64_t now_us, struct admission_answer *answer)
{
    answer->rejection = DATAGRAM_OK;
    answer->size = answer->notice_size = 0;
    if (raim_connectionless_kind(data, size) == RAIM_CONNECTIONLESS_REQUEST) {
        struct raim_connect_request connect_request;
        if (raim_connect_request_read(data, size, &connect_request))
            receive_connect_request(admission, from, &connect_request, now_us, answer);
        else
            reject(answer, DATAGRAM_CONNECTIONLESS);
        return;
    }
    if (!admission->answers_queries) {
        reject(answer, DATAGRAM_CONNECTIONLESS);
        return;
    }
    char challenge[MASTER_CHALLENGE_BYTES];
    const struct admission_policy *policy = &admission->policy;
    if (policy->admits_master != NULL && master_request_read(data, size, challenge) &&
        policy->admits_master(policy->context, from)) {
        answer->verdict = ADMISSION_QUERY;
        answer->query = QUERY_GETINFO;
        return;
    }
    switch (query_guard_judge(&admission->queries, from, data, size, now_us / US_PER_MS,
                              &answer->query, answer->reply)) {
    case QUERY_REJECTED:
        reject(answer, DATAGRAM_CONNECTIONLESS);
        break;
    case QUERY_LIMITED:
        answer->verdict = ADMISSION_DROPPED;
        break;
    case QUERY_CHALLENGED:
        answer->verdict = ADMISSION_CHALLENGED;
        answer->size = QUERY_CHALLENGE_REPLY;
        break;
    case QUERY_ADMITTED:
        answer->verdict = ADMISSION_QUERY;
        break;
    }
}

enum datagram_verdict admission_check_init(struct admission *admission, struct udp_address from,
                                           uint32_t number, int64_t now_us,
                                           uint8_t cookie[RAIM_COOKIE_BYTES], size_t *size)
{
    if (!is_cookie(admission, CHALLENGE_COOKIE, from, number, now_us))
        return DATAGRAM_COOKIE;
    if (find_ban(admission, from.ip) != NULL && !take_rejection(admission, from.ip, now_us))
        return DATAGRAM_BANNED;
    if (!take_check(admission, from.ip, now_us))
        return DATAGRAM_HANDSHAKES;
    struct raim_cookie sent = admission->offer;
    sent.cookie = number;
    *size = raim_cookie_write(&sent, cookie);
    return DATAGRAM_OK;
}

void admission_fail_init(struct admission *admission, struct ip_address ip, int64_t now_us)
{
    if (admission_is_limited(admission, ip))
        check_limit_fail(&admission->checks, ip, now_us / US_PER_MS);
}

// Whether a plain CONNECT has the kind of cookie that the arena requires.
static bool has_cookie(struct admission *admission, struct udp_address from, uint32_t cookie,
                       int64_t now_us)
{
    if (admission->offer.needs_admission)
        return is_cookie(admission, CHALLENGE_ADMITTED, from, cookie, now_us);
    return !admission->requires_cookies ||
           is_cookie(admission, CHALLENGE_COOKIE, from, cookie, now_us);
}

enum datagram_verdict admission_admit(struct admission *admission, struct udp_address from,
                                      struct datagram_connect connect, bool is_secure,
                                      int64_t now_us)
{
    if (!is_secure && !has_cookie(admission, from, connect.cookie, now_us))
        return DATAGRAM_COOKIE;
    if (find_ban(admission, from.ip) != NULL)
        return DATAGRAM_BANNED;
    if (admission_is_limited(admission, from.ip) &&
        !connect_rate_admit(&admission->connect_rate, from, connect.id, now_us / US_PER_MS))
        return DATAGRAM_CONNECT_RATE;
    return DATAGRAM_OK;
}
