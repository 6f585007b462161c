// SPDX-License-Identifier: MIT
// Filter in front of ENet: applies datagram_check, the gate and the peer guards to each datagram.
#pragma once

#include "transport_internal.h"

struct _ENetEvent;

// ENet's intercept callback, called before ENet parses a datagram: 1 discards the datagram, 0
// passes it on to ENet.
int transport_intercept(struct transport *transport, struct _ENetHost *host,
                        struct _ENetEvent *event);

// Ends the encrypted sessions that have no ENet peer; see secure_sessions_sweep.
void transport_sweep_sessions(struct transport *transport);
