// SPDX-License-Identifier: MIT
// Issues and verifies cookies, and applies bans, credentials and rate limits to new clients.
#include "gate.h"

#include <assert.h>
#include <string.h>

enum { US_PER_MS = 1000, US_PER_S = 1000000, CONNECT_REQUEST_BURST_S = 2 };

// Reasons in a REJECTED; PROTOCOL.md, "Reasons".
enum { REASON_BANNED = 12, REASON_ACCESS = 14, REASON_PASSWORD = 17 };

static const char password_words[] =
    "this arena needs its password, and accepts it only over an encrypted connection";

static_assert(sizeof password_words <= RAIM_MAX_TEXT_BYTES + 1, "they fit a REJECTED");

static_assert(QUERY_CHALLENGE_REPLY <= RAIM_COOKIE_BYTES, "a reply holds either");

void gate_init(struct gate *gate, uint16_t port, const struct gate_secrets *secrets)
{
    memset(gate, 0, sizeof *gate);
    gate->port = port;
    gate->hash = secrets->hash;
    strcpy(gate->offer.arena, "arena");
    challenge_init(&gate->cookies, secrets->challenge);
    // One secret serves both: the purpose separates cookies from the challenges of queries.
    query_guard_init(&gate->queries, secrets->hash, secrets->challenge);
    gate_set_limits(gate, &GATE_LIMITS_DEFAULT);
}

static bool is_same(const struct gate_limits *a, const struct gate_limits *b)
{
#define IS_SAME(name, ...) &&a->name == b->name
    return a->loopback == b->loopback GATE_LIMITS(IS_SAME);
#undef IS_SAME
}

void gate_set_limits(struct gate *gate, const struct gate_limits *limits)
{
    if (is_same(&gate->limits, limits))
        return; // a reset would refill the buckets of clients that have used up their tokens
    gate->limits = *limits;
    const struct rate of_network = {US_PER_S / limits->connect_requests_per_second,
                                    CONNECT_REQUEST_BURST_S * limits->connect_requests_per_second};
    const struct rate of_all = {US_PER_S / limits->connect_requests_total,
                                limits->connect_requests_total};
    rate_limit_init(&gate->connect_requests, RATE_OF_NETWORK, of_network, of_all, gate->hash);
    check_limit_init(&gate->checks, gate->hash);
    rate_limit_init(&gate->passwords, RATE_OF_ADDRESS, GATE_PASSWORDS_OF_ADDRESS, RATE_UNLIMITED,
                    gate->hash);
    rate_limit_init(&gate->network_passwords, RATE_OF_NETWORK, GATE_PASSWORDS_OF_NETWORK,
                    RATE_UNLIMITED, gate->hash);
    rate_limit_init(&gate->rejections, RATE_OF_NETWORK, GATE_REJECTIONS_OF_NETWORK,
                    GATE_REJECTIONS_OF_ALL, gate->hash);
    connect_rate_init(&gate->connect_rate, limits->connects_per_second, gate->hash);
}

bool gate_is_limited(const struct gate *gate, struct ip_address ip)
{
    return gate->limits.loopback || !ip_address_is_loopback(ip);
}

static void reject(struct gate_answer *answer, enum datagram_verdict rejection)
{
    answer->verdict = GATE_REJECTED;
    answer->rejection = rejection;
}

// A cookie holds for the arena's port instead of the client's.
static struct udp_address cookie_source(const struct gate *gate, struct udp_address from)
{
    from.port = gate->port;
    return from;
}

static bool is_cookie(struct gate *gate, enum challenge_purpose purpose, struct udp_address from,
                      uint32_t cookie, int64_t now_us)
{
    return challenge_verify(&gate->cookies, purpose, cookie_source(gate, from), cookie,
                            now_us / US_PER_MS);
}

// Takes a token for an expensive check (a signature or a key agreement).
static bool take_check(struct gate *gate, struct ip_address ip, int64_t now_us)
{
    const struct check_limit_known known = {gate->policy.has_player_at, gate->policy.context};
    return !gate_is_limited(gate, ip) ||
           check_limit_take(&gate->checks, ip, &known, now_us / US_PER_MS);
}

static const char *find_ban(const struct gate *gate, struct ip_address ip)
{
    const struct gate_policy *policy = &gate->policy;
    return policy->find_ban != NULL ? policy->find_ban(policy->context, ip) : NULL;
}

// Takes a token for an answer to a banned address.
static bool take_rejection(struct gate *gate, struct ip_address ip, int64_t now_us)
{
    return !gate_is_limited(gate, ip) || rate_limit_take(&gate->rejections, ip, now_us / US_PER_MS);
}

static void answer_cookie(struct gate *gate, struct udp_address from, bool admitted, int64_t now_us,
                          struct gate_answer *answer)
{
    struct raim_cookie cookie = gate->offer;
    cookie.admitted = admitted;
    cookie.cookie =
        challenge_compute(&gate->cookies, admitted ? CHALLENGE_ADMITTED : CHALLENGE_COOKIE,
                          cookie_source(gate, from), now_us / US_PER_MS);
    answer->verdict = GATE_ANSWERED;
    answer->size = raim_cookie_write(&cookie, answer->reply);
}

uint8_t gate_reason(enum datagram_verdict verdict)
{
    if (verdict == DATAGRAM_PASSWORD)
        return REASON_PASSWORD;
    return verdict == DATAGRAM_BANNED ? REASON_BANNED : REASON_ACCESS;
}

static void answer_rejected(enum datagram_verdict rejection, const char *why,
                            struct gate_answer *answer)
{
    struct raim_rejected rejected = {.reason = gate_reason(rejection)};
    strncpy(rejected.text, why, sizeof rejected.text - 1);
    answer->verdict = GATE_ANSWERED;
    answer->rejection = rejection;
    answer->notice_size = raim_rejected_write(&rejected, answer->notice);
}

// Verifies the key of a password. Only wrong ones use up the rates of an address and its network,
// which then wait even with the right one: otherwise they could go on guessing.
static bool is_password(struct gate *gate, struct ip_address ip, const uint8_t *key, int64_t now_us)
{
    const struct gate_policy *policy = &gate->policy;
    const bool is_limited = gate_is_limited(gate, ip);
    const int64_t now_ms = now_us / US_PER_MS;
    if (policy->admits_password == NULL ||
        (is_limited && (rate_limit_left(&gate->passwords, ip, now_ms) < 1 ||
                        rate_limit_left(&gate->network_passwords, ip, now_ms) < 1)))
        return false;
    const bool good = policy->admits_password(policy->context, key);
    if (!good && is_limited) {
        rate_limit_take(&gate->passwords, ip, now_ms);
        rate_limit_take(&gate->network_passwords, ip, now_ms);
    }
    return good;
}

// Whether a credential is valid, other than by its kind NONE.
static bool is_valid(struct gate *gate, struct ip_address ip,
                     const struct raim_credential *credential, int64_t now_us)
{
    const struct gate_policy *policy = &gate->policy;
    switch (credential->kind) {
    case RAIM_CREDENTIAL_ACCESS:
        return gate->offer.needs_admission && policy->admits_token != NULL &&
               policy->admits_token(policy->context, credential->bytes, credential->size);
    case RAIM_CREDENTIAL_SESSION:
        return policy->has_session != NULL &&
               policy->has_session(policy->context, credential->bytes);
    case RAIM_CREDENTIAL_PASSWORD:
        return gate->offer.needs_password && is_password(gate, ip, credential->bytes, now_us);
    case RAIM_CREDENTIAL_NONE:
    case RAIM_CREDENTIAL_KINDS:
        break;
    }
    return false;
}

enum datagram_verdict gate_check_credential(struct gate *gate, struct ip_address ip,
                                            const struct raim_credential *credential,
                                            int64_t now_us, enum raim_credential_kind *accepted)
{
    *accepted = RAIM_CREDENTIAL_NONE;
    if (find_ban(gate, ip) != NULL)
        return DATAGRAM_BANNED;
    if (is_valid(gate, ip, credential, now_us))
        *accepted = credential->kind;
    else if (gate->offer.needs_admission)
        return gate->offer.needs_password ? DATAGRAM_PASSWORD : DATAGRAM_ACCESS;
    return DATAGRAM_OK;
}

// Exchanges a valid credential, sent with a cookie, for an admitted cookie. A password that anybody
// on the path could read is rejected unseen.
static void receive_credential(struct gate *gate, struct udp_address from,
                               const struct raim_credential *credential, int64_t now_us,
                               struct gate_answer *answer)
{
    enum raim_credential_kind accepted;
    if (!take_check(gate, from.ip, now_us)) {
        reject(answer, DATAGRAM_HANDSHAKES);
        return;
    }
    const enum datagram_verdict verdict =
        credential->kind == RAIM_CREDENTIAL_PASSWORD
            ? DATAGRAM_PASSWORD
            : gate_check_credential(gate, from.ip, credential, now_us, &accepted);
    if (verdict == DATAGRAM_OK)
        answer_cookie(gate, from, true, now_us, answer);
    else
        answer_rejected(verdict, verdict == DATAGRAM_PASSWORD ? password_words : "", answer);
}

static void receive_connect_request(struct gate *gate, struct udp_address from,
                                    const struct raim_connect_request *connect_request,
                                    int64_t now_us, struct gate_answer *answer)
{
    if (gate_is_limited(gate, from.ip) &&
        !rate_limit_take(&gate->connect_requests, from.ip, now_us)) {
        reject(answer, DATAGRAM_CONNECT_REQUESTS);
        return;
    }
    const char *ban = find_ban(gate, from.ip);
    if (ban != NULL) {
        if (!take_rejection(gate, from.ip, now_us)) {
            reject(answer, DATAGRAM_BANNED);
            return;
        }
        answer_rejected(DATAGRAM_BANNED, ban, answer);
        // A client that trusts only encrypted answers gets the rejection in the handshake.
        if (gate->offer.offers_encryption)
            answer_cookie(gate, from, false, now_us, answer);
        return;
    }
    if (gate->offer.needs_admission &&
        is_cookie(gate, CHALLENGE_COOKIE, from, connect_request->cookie, now_us))
        receive_credential(gate, from, &connect_request->credential, now_us, answer);
    else
        answer_cookie(gate, from, false, now_us, answer);
}

void gate_receive(struct gate *gate, struct udp_address from, const uint8_t *data, size_t size,
                  int64_t now_us, struct gate_answer *answer)
{
    answer->rejection = DATAGRAM_OK;
    answer->size = answer->notice_size = 0;
    if (raim_connectionless_kind(data, size) == RAIM_CONNECTIONLESS_REQUEST) {
        struct raim_connect_request connect_request;
        if (raim_connect_request_read(data, size, &connect_request))
            receive_connect_request(gate, from, &connect_request, now_us, answer);
        else
            reject(answer, DATAGRAM_CONNECTIONLESS);
        return;
    }
    if (!gate->answers_queries) {
        reject(answer, DATAGRAM_CONNECTIONLESS);
        return;
    }
    char challenge[MASTER_CHALLENGE_BYTES];
    const struct gate_policy *policy = &gate->policy;
    if (policy->admits_master != NULL && master_request_read(data, size, challenge) &&
        policy->admits_master(policy->context, from)) {
        answer->verdict = GATE_QUERY;
        answer->query = QUERY_GETINFO;
        return;
    }
    switch (query_guard_judge(&gate->queries, from, data, size, now_us / US_PER_MS, &answer->query,
                              answer->reply)) {
    case QUERY_REJECTED:
        reject(answer, DATAGRAM_CONNECTIONLESS);
        break;
    case QUERY_LIMITED:
        answer->verdict = GATE_DROPPED;
        break;
    case QUERY_CHALLENGED:
        answer->verdict = GATE_CHALLENGED;
        answer->size = QUERY_CHALLENGE_REPLY;
        break;
    case QUERY_ADMITTED:
        answer->verdict = GATE_QUERY;
        break;
    }
}

enum datagram_verdict gate_check_init(struct gate *gate, struct udp_address from, uint32_t number,
                                      int64_t now_us, uint8_t cookie[RAIM_COOKIE_BYTES],
                                      size_t *size)
{
    if (!is_cookie(gate, CHALLENGE_COOKIE, from, number, now_us))
        return DATAGRAM_COOKIE;
    if (find_ban(gate, from.ip) != NULL && !take_rejection(gate, from.ip, now_us))
        return DATAGRAM_BANNED;
    if (!take_check(gate, from.ip, now_us))
        return DATAGRAM_HANDSHAKES;
    struct raim_cookie sent = gate->offer;
    sent.cookie = number;
    *size = raim_cookie_write(&sent, cookie);
    return DATAGRAM_OK;
}

void gate_fail_init(struct gate *gate, struct ip_address ip, int64_t now_us)
{
    if (gate_is_limited(gate, ip))
        check_limit_fail(&gate->checks, ip, now_us / US_PER_MS);
}

// Whether a plain CONNECT has the kind of cookie that the arena requires.
static bool has_cookie(struct gate *gate, struct udp_address from, uint32_t cookie, int64_t now_us)
{
    if (gate->offer.needs_admission)
        return is_cookie(gate, CHALLENGE_ADMITTED, from, cookie, now_us);
    return !gate->requires_cookies || is_cookie(gate, CHALLENGE_COOKIE, from, cookie, now_us);
}

enum datagram_verdict gate_admit(struct gate *gate, struct udp_address from,
                                 struct datagram_connect connect, bool is_secure, int64_t now_us)
{
    if (!is_secure && !has_cookie(gate, from, connect.cookie, now_us))
        return DATAGRAM_COOKIE;
    if (find_ban(gate, from.ip) != NULL)
        return DATAGRAM_BANNED;
    if (gate_is_limited(gate, from.ip) &&
        !connect_rate_admit(&gate->connect_rate, from, connect.id, now_us / US_PER_MS))
        return DATAGRAM_CONNECT_RATE;
    return DATAGRAM_OK;
}
