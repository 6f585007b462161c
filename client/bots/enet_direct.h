// SPDX-License-Identifier: MIT
// Carries ENet's datagrams between libenet and the links without the sockets in between, because
// hundreds of links share a process here. It replaces libenet's enet_socket_send and
// enet_socket_receive for the whole process, which only a program may do.
#pragma once

// Call it before the first link.
void enet_direct_start(void);
