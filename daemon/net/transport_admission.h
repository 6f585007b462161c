// SPDX-License-Identifier: MIT
// Answers datagrams outside a connection, and filters those that ENet parses by admission and the
// peer guards.
#pragma once

#include "transport_internal.h"

// Handles a datagram outside a connection. Returns the query that the caller of transport_poll
// answers; QUERY_NONE if there is none.
enum query_kind transport_receive_connectionless(struct transport *transport,
                                                 const struct received *datagram);

// ENet's intercept callback, called before ENet parses a datagram that is DATAGRAM_OK: 1 discards
// the datagram, 0 passes it on to ENet.
int transport_intercept(struct transport *transport, struct _ENetHost *host);

// Ends the encrypted sessions that have no ENet peer; see secure_sessions_sweep.
void transport_sweep_sessions(struct transport *transport);
