// SPDX-License-Identifier: MIT
// Admission of clients before ENet: address validation by stateless cookies, bans, credentials and
// rate limits. Admission keeps no state for an address that is not validated: its client may send a
// query (see query_guard.h) or a connect request, which is answered with a stateless cookie (see
// challenge.h). The cookie is bound to the client's address, not to its port, so that the client
// may request it from another socket, and to the arena's port. ENet sees a plain CONNECT only with
// a valid cookie, and only within the connect rate of its address. If the arena requires a
// credential, the client gets this cookie in exchange for a valid credential. A banned address gets
// only a rejection. Wrong passwords have rates, too. Cheap checks come first: each forgery costs a
// comparison or a hash. No sockets, no ENet; time and randomness come
// from the caller.
//
// What always holds in daemon/security:
// - Memory is fixed: tables do not grow, and a full one is a counted outcome.
// - A rejected datagram changes only counters and the budgets of its sender.
// - An IPv4 address or an IPv6 /64 is one host, an IPv4 /24 or an IPv6 /48 one network. Hosts and
//   networks have budgets.
// - Only the worker of an arena calls these functions for its arena.
//
// What reads as a bug and is none:
// - Wrong passwords have no rate of all addresses together, because strangers would use it up.
// - A reliable command that is already queued is acknowledged again, because the first
//   acknowledgement may be lost.
// - A client behind a translator of IPv6 to IPv4 counts by its IPv4 address.
#pragma once

#include "admission_limits.h"
#include "challenge.h"
#include "check_limit.h"
#include "connect_rate.h"
#include "connectionless.h"
#include "datagram.h"
#include "master_request.h"
#include "query_guard.h"
#include "rate_limit.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Rates of wrong passwords: an address may send 10, and then one in six seconds; a network (an IPv4
// /24 or IPv6 /48) 16 times as many. Beyond the rate even the right password is rejected.
#define ADMISSION_PASSWORDS_OF_ADDRESS ((struct rate){.interval = 6000, .burst = 10})
#define ADMISSION_PASSWORDS_OF_NETWORK ((struct rate){.interval = 375, .burst = 160})

// Rates of answers, and of handshakes that end in one, to a banned network and to all: a burst for
// the steps of a client, and then one a second, so that a banned network does not use up the checks
// of others.
#define ADMISSION_REJECTIONS_OF_NETWORK ((struct rate){.interval = 1000, .burst = 20})
#define ADMISSION_REJECTIONS_OF_ALL ((struct rate){.interval = 10, .burst = 100})

// Decisions that need the arena's keys, bans and match. A function may be NULL: then no address is
// banned, no credential is valid, or no master is answered.
struct admission_policy {
    void *context; // borrowed
    // The reason shown to a banned client; NULL if the address is not banned.
    const char *(*find_ban)(void *context, struct ip_address ip);
    // Whether an access token is valid. Does not use it up.
    bool (*admits_token)(void *context, const uint8_t *token, size_t size);
    // Whether a key of RAIM_PASSWORD_KEY_BYTES is derived from the arena's password.
    bool (*admits_password)(void *context, const uint8_t *key);
    // Whether a session of the match has this resume token of RAIM_TOKEN_BYTES.
    bool (*has_session)(void *context, const uint8_t *token);
    // Whether a player of the match, or one who may resume, is or was at this address.
    bool (*has_player_at)(void *context, struct ip_address ip);
    // Whether a getinfo of this address is answered. A true result uses it up (see masters.h).
    bool (*admits_master)(void *context, struct udp_address from);
};

// Random numbers known only to this process.
struct admission_secrets {
    uint64_t hash; // seeds the hashes of the rate limits
    uint8_t challenge[CHALLENGE_SECRET_BYTES];
};

struct admission {
    uint16_t port; // of the arena
    uint64_t hash; // see admission_secrets
    bool answers_queries;
    bool requires_cookies;
    struct admission_limits limits;
    struct admission_policy policy;
    struct raim_cookie offer; // the contents of a COOKIE, except its number
    struct query_guard queries;
    struct challenge cookies;
    struct rate_limit connect_requests;
    struct check_limit checks;
    struct rate_limit passwords, network_passwords; // wrong ones
    struct rate_limit rejections;                   // of banned networks
    struct connect_rate connect_rate;
};

// Initially admission requires no cookie, rejects queries and has ADMISSION_LIMITS_DEFAULT. `port`
// is the arena's UDP port.
void admission_init(struct admission *admission, uint16_t port,
                    const struct admission_secrets *secrets);

// Changes the limits. Resets the rate limits' counts unless the limits are equal.
void admission_set_limits(struct admission *admission, const struct admission_limits *limits);

// Whether the limits apply to an address: they exempt 127.0.0.0/8 and ::1 by default.
bool admission_is_limited(const struct admission *admission, struct ip_address ip);

enum admission_verdict {
    ADMISSION_REJECTED, // rejected for `rejection`, without an answer
    ADMISSION_DROPPED,  // a query beyond the rate
    ADMISSION_ANSWERED, // send `notice` and `reply` if they have a size; together they are smaller
                        // than the request. Count as `rejection` unless that is DATAGRAM_OK
    ADMISSION_CHALLENGED, // send `reply`, the challenge of a query
    ADMISSION_QUERY,      // the caller answers `query`
};

struct admission_answer {
    enum admission_verdict verdict;
    enum datagram_verdict rejection;
    enum query_kind query;
    size_t size, notice_size;
    uint8_t reply[RAIM_COOKIE_BYTES];
    uint8_t notice[RAIM_REJECTED_BYTES];
};

// Handles a datagram whose verdict is DATAGRAM_CONNECTIONLESS, except a handshake. `now_us` never
// decreases.
void admission_receive(struct admission *admission, struct udp_address from, const uint8_t *data,
                       size_t size, int64_t now_us, struct admission_answer *answer);

// Checks the cookie and the rate of an INIT. DATAGRAM_OK, or the reason to reject it. When OK,
// writes the COOKIE that the sender was sent into `cookie`, and its bytes into `size`.
enum datagram_verdict admission_check_init(struct admission *admission, struct udp_address from,
                                           uint32_t number, int64_t now_us,
                                           uint8_t cookie[RAIM_COOKIE_BYTES], size_t *size);

// Counts an INIT that admission_check_init let pass and whose authentication failed.
void admission_fail_init(struct admission *admission, struct ip_address ip, int64_t now_us);

// Checks the ban of an address and the credential of an encrypted handshake. Returns DATAGRAM_OK,
// _BANNED, _ACCESS or _PASSWORD. With DATAGRAM_OK, `accepted` is the kind of a valid credential,
// otherwise NONE.
enum datagram_verdict admission_check_credential(struct admission *admission, struct ip_address ip,
                                                 const struct raim_credential *credential,
                                                 int64_t now_us,
                                                 enum raim_credential_kind *accepted);

// The wire's reason (PROTOCOL.md, "Reasons") of DATAGRAM_BANNED, _ACCESS or _PASSWORD.
uint8_t admission_reason(enum datagram_verdict verdict);

// Whether ENet may see a CONNECT: DATAGRAM_OK, or the reason to reject it. A CONNECT in an
// encrypted session needs no cookie, because the session's handshake has checked cookie and
// credential.
enum datagram_verdict admission_admit(struct admission *admission, struct udp_address from,
                                      struct datagram_connect connect, bool is_secure,
                                      int64_t now_us);
