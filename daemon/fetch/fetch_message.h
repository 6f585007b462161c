// SPDX-License-Identifier: MIT
// What raimd and its process for requests say to each other, over a socket that keeps the bounds of
// packets (SOCK_SEQPACKET). A message is cut into packets of one job; packets of several jobs may
// alternate. An empty packet to the process cancels the job. Packets of a stream come before its
// answer, which is one packet. Neither side trusts the other's bytes.
#pragma once

#include "fetch.h"
#include "text_buffer.h"

#define FETCH_PACKET_BYTES 16384

struct fetch_packet {
    uint32_t job; // 0: of the process, it has begun and knows no jobs
    uint32_t is_last;
    char bytes[FETCH_PACKET_BYTES];
};

#define FETCH_PACKET_HEAD_BYTES offsetof(struct fetch_packet, bytes)

// Writes the message of a request.
void fetch_message_write_request(struct text_buffer *out, const struct fetch_request *request);

// Reads one from a text, which ends in a NUL and is changed, and which the request borrows. Returns
// false for one that is malformed.
bool fetch_message_read_request(char *text, size_t size, struct fetch_request *request);

// The same for an answer, of which the body is borrowed.
void fetch_message_write_answer(struct text_buffer *out, const struct fetch_answer *answer);
bool fetch_message_read_answer(char *text, size_t size, struct fetch_answer *answer);

// More than an answer's message has besides its body.
#define FETCH_ANSWER_HEAD_BYTES 1024
