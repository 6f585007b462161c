// SPDX-License-Identifier: MIT
// Limits that the protocol fixes for both ends: lengths of texts, sizes of messages, numbers of
// slots. Buffers for such values take their sizes from here. Lengths of texts are in bytes of UTF-8
// without the closing NUL, so a buffer needs one byte more. The file is not called limits.h,
// because its users also include the <limits.h> of C.
#pragma once

// A datagram without encryption. It is 1280, the smallest MTU of IPv6, less 80 for tunnels.
#define RAIM_MAX_DATAGRAM_BYTES 1200

// The least of them that a client may ask for by ENet's MTU, where its path carries less: a
// browser's datagrams (WebTransport) do.
#define RAIM_SMALL_DATAGRAM_BYTES 1100

// A message and ENet's headers fit one datagram beside a few acknowledgements.
#define RAIM_DATAGRAM_HEADERS_BYTES 48
#define RAIM_MAX_MESSAGE_BYTES (RAIM_MAX_DATAGRAM_BYTES - RAIM_DATAGRAM_HEADERS_BYTES)
#define RAIM_SMALL_MESSAGE_BYTES (RAIM_SMALL_DATAGRAM_BYTES - RAIM_DATAGRAM_HEADERS_BYTES)

#define RAIM_MAX_NAME_BYTES 24                  // of a player's name
#define RAIM_MAX_ARENA_BYTES 31                 // of an arena's name
#define RAIM_MAX_TITLE_BYTES 31                 // of a map's name
#define RAIM_MAX_TEXT_BYTES 120                 // of an explanation
#define RAIM_MAX_CHAT_BYTES RAIM_MAX_TEXT_BYTES // of a chat message
#define RAIM_MAX_NOTICE_BYTES RAIM_MAX_TEXT_BYTES
#define RAIM_MAX_MOTD_BYTES RAIM_MAX_TEXT_BYTES // of the message of the day
#define RAIM_MAX_VOTE_REASON_BYTES 32           // of the reason of a vote

#define RAIM_TOKEN_BYTES 16         // of a session's token
#define RAIM_KEY_BYTES 32           // of a public key of X25519
#define RAIM_PASSWORD_SALT_BYTES 16 // in a COOKIE
#define RAIM_PASSWORD_KEY_BYTES 32  // derived from a password and the salt
#define RAIM_ACCESS_BYTES 255       // maximum of an access token, and so of any credential
#define RAIM_ACCESS_NONCE_BYTES 16  // of the nonce in an access token

#define RAIM_PLAYER_ID_BITS 16
#define RAIM_WIRE_PLAYERS 1024 // most player slots
#define RAIM_WIRE_BULLETS 8192
#define RAIM_WIRE_OBSTACLES 4096
#define RAIM_WIRE_POINTS 16 // of one obstacle
#define RAIM_WIRE_RULES 31
#define RAIM_WIRE_REWIND 63       // ticks at most that a bullet is launched in the past
#define RAIM_WIRE_VOTE_MAPS 33    // maps of a rotation, to vote for
#define RAIM_WIRE_CAPABILITIES 32 // bits of HELLO and WELCOME for later features

// The most peers of an arena: a peer id has 12 bits, and ENet reserves the highest.
#define RAIM_MAX_PEERS 4095
