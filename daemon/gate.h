// SPDX-License-Identifier: MIT
// Who may come near an arena. Nothing is kept for anybody who has not proven its address: a
// stranger may ask (a query, see query_guard.h) or knock and is then told a ticket, which is a
// number that nobody remembers (see challenge.h). It is bound to the address alone, so that it may
// be asked for from another socket, and to the arena's port. ENet gets to see a CONNECT only with a
// right ticket, as far as its address may connect that often. The cheapest question is asked first,
// and a flood of forgeries ends at a comparison or a hash. No sockets, no ENet; time comes from the
// caller.
#pragma once

#include "challenge.h"
#include "churn.h"
#include "datagram.h"
#include "gate_limits.h"
#include "knock.h"
#include "query_guard.h"
#include "rate_limit.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gate {
    uint16_t port; // of the arena
    bool admits_queries;
    bool wants_tickets;
    struct gate_limits limits;
    struct raim_ticket offer; // what a ticket tells beside its number
    struct query_guard queries;
    struct challenge tickets;
    struct rate_limit knocks;
    struct churn churn;
};

// Lets in who comes without a ticket, refuses queries, and has the default limits.
void gate_init(struct gate *gate, uint16_t port);

// Puts other limits in force; what was counted towards the ones before is forgotten.
void gate_limit(struct gate *gate, const struct gate_limits *limits);

// Whether an address (network byte order) is limited at all.
bool gate_is_limited(const struct gate *gate, uint32_t address);

enum gate_verdict {
    GATE_REFUSED,  // for `refusal`
    GATE_DROPPED,  // a query too many
    GATE_ANSWERED, // `size` bytes of `reply`, fewer than have come
    GATE_TOLD,     // the same for a query's challenge
    GATE_ASKED,    // `query`, to be answered by others
};

struct gate_answer {
    enum gate_verdict verdict;
    enum datagram_verdict refusal;
    enum query_kind query;
    size_t size;
    uint8_t reply[RAIM_TICKET_BYTES];
};

// Judges a DATAGRAM_CONNECTIONLESS.
void gate_hear(struct gate *gate, struct query_source from, const uint8_t *data, size_t size,
               int64_t now_us, struct gate_answer *answer);

// Whether an address (network byte order) was told a ticket, or needs none.
bool gate_has_told(struct gate *gate, uint32_t address, uint32_t ticket, int64_t now_us);

// Whether a CONNECT may go on: DATAGRAM_OK, or why it is refused.
enum datagram_verdict gate_admit(struct gate *gate, struct query_source from,
                                 struct datagram_connect connect, int64_t now_us);
