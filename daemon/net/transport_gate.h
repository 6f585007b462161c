// SPDX-License-Identifier: MIT
// Which datagrams ENet gets to see.
#pragma once

#include "transport_internal.h"

struct _ENetEvent;

// ENet's intercept, which sees a datagram before ENet parses it: 1 where that is the end of it, 0
// where it goes on.
int transport_judge(struct transport *transport, struct _ENetHost *host, struct _ENetEvent *event);

// Ends the encrypted sessions whose ENet peer is gone.
void transport_sweep_sessions(struct transport *transport);
