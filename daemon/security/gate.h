// SPDX-License-Identifier: MIT
// Access control before ENet: who may come near an arena. Nothing is kept for anybody who has not
// proven its address: a stranger may ask (a query, see query_guard.h) or connect request, and is
// then sent a cookie, which is a stateless cookie (see challenge.h). It is bound to the address
// alone, so that it may be asked for from another socket, and to the arena's port. ENet gets to see
// a plain CONNECT only with a right cookie, which, where the arena wants a credential, is one that
// a good credential was exchanged for; and only as often as its address may connect. Banned
// addresses get no further than a refusal. The cheapest question is asked first, and a flood of
// forgeries ends at a comparison or a hash. No sockets, no ENet; time and randomness come from the
// caller.
#pragma once

#include "challenge.h"
#include "connect_rate.h"
#include "connectionless.h"
#include "datagram.h"
#include "gate_limits.h"
#include "query_guard.h"
#include "rate_limit.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Signatures checked and handshakes begun for a source network (/24), and for all together; a token
// each so many ms. One costs 0.1 to 0.3 ms (./dev bench encryption): at most a burst in a tick, and
// 10 % of a CPU.
#define GATE_CHECKS_OF_NETWORK ((struct rate){.interval = 10, .burst = 50})
#define GATE_CHECKS_OF_ALL ((struct rate){.interval = 2, .burst = 100})

// What is decided outside, where there are keys, bans and a match. Any function may be NULL: nobody
// is banned, no credential is good.
struct gate_policy {
    void *context; // borrowed
    // Why an address is banned, for people; NULL: it is not.
    const char *(*find_ban)(void *context, uint32_t address);
    // Whether an access token lets its bearer in; it is not used up.
    bool (*admits_token)(void *context, const uint8_t *token, size_t size);
    // Whether a session has this token of RAIM_TOKEN_BYTES.
    bool (*knows_session)(void *context, const uint8_t *token);
};

// Random numbers that nobody outside knows.
struct gate_secrets {
    uint64_t hash; // of the rates' tables
    uint8_t challenge[CHALLENGE_SECRET_BYTES];
};

struct gate {
    uint16_t port; // of the arena
    uint64_t hash; // see gate_secrets
    bool answers_queries;
    bool wants_cookies;
    struct gate_limits limits;
    struct gate_policy policy;
    struct raim_cookie offer; // what a cookie tells beside its number
    struct query_guard queries;
    struct challenge cookies;
    struct rate_limit connect_requests;
    struct rate_limit checks;
    struct connect_rate connect_rate;
};

// Lets in who comes without a cookie, refuses queries, and has the default limits.
void gate_init(struct gate *gate, uint16_t port, const struct gate_secrets *secrets);

// Puts other limits in force; what was counted towards the ones before is forgotten.
void gate_set_limits(struct gate *gate, const struct gate_limits *limits);

// Whether an IPv4 address is limited at all.
bool gate_is_limited(const struct gate *gate, uint32_t address);

enum gate_verdict {
    GATE_REFUSED,    // for `refusal`, without an answer
    GATE_DROPPED,    // a query too many
    GATE_ANSWERED,   // `notice` and `reply`, as far as they have a size; together smaller than the
                     // question. Counted as `refusal` where that is not DATAGRAM_OK
    GATE_CHALLENGED, // `reply` to a query: its challenge
    GATE_QUERY,      // `query`, to be answered by others
};

struct gate_answer {
    enum gate_verdict verdict;
    enum datagram_verdict refusal;
    enum query_kind query;
    size_t size, notice_size;
    uint8_t reply[RAIM_COOKIE_BYTES];
    uint8_t notice[RAIM_REFUSED_BYTES];
};

// Judges a DATAGRAM_CONNECTIONLESS.
void gate_hear(struct gate *gate, struct udp_address from, const uint8_t *data, size_t size,
               int64_t now_us, struct gate_answer *answer);

// Whether an INIT may be read: DATAGRAM_OK, or why it is refused. Then `cookie` gets the COOKIE
// that its sender was sent, and `size` its size.
enum datagram_verdict gate_check_init(struct gate *gate, struct udp_address from, uint32_t number,
                                      int64_t now_us, uint8_t cookie[RAIM_COOKIE_BYTES],
                                      size_t *size);

// Whether who shows a credential from an address may come in: DATAGRAM_OK, or
// DATAGRAM_BANNED or DATAGRAM_ACCESS. `resumes` says whether it is that of a session.
enum datagram_verdict gate_judge(struct gate *gate, uint32_t address,
                                 const struct raim_credential *credential, bool *resumes);

// The reason that whoever is refused for DATAGRAM_BANNED or DATAGRAM_ACCESS is sent.
uint8_t gate_reason(enum datagram_verdict verdict);

// Whether a CONNECT may go on: DATAGRAM_OK, or why it is refused. One of an encrypted session has
// shown its cookie and credential before.
enum datagram_verdict gate_admit(struct gate *gate, struct udp_address from,
                                 struct datagram_connect connect, bool is_secure, int64_t now_us);
