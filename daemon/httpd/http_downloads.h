// SPDX-License-Identifier: MIT
// Downloads of files over HTTP. The thread of the listener reads them block by block, and they
// share a rate in turns, so that they neither keep that thread busy nor fill the machine's uplink.
// Their number is bounded, in total and per address. A client that does not take a block within
// HTTP_DEADLINE_MS is disconnected. It needs some 15 kB/s, because the kernel asks for more only
// when a good part of its buffer is free. Main thread only.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define HTTP_DOWNLOAD_BLOCK_BYTES (1U << 16) // read at a time, and kept in memory for each client

struct MHD_Connection;
struct http_downloads;
struct loop;

struct http_downloads_def {
    unsigned max, max_of_address; // downloads at a time; an address is a host, see ip_address_host
    uint64_t bytes_per_s;         // of all downloads; 0: not limited
};

// Returns NULL when memory runs out.
struct http_downloads *http_downloads_create(struct loop *loop,
                                             const struct http_downloads_def *def);

// All downloads must have ended. Takes NULL.
void http_downloads_destroy(struct http_downloads *downloads);

// Answers a GET or HEAD request with an open regular file: 200, 206, 304, 412 or 416 by the
// request's headers (http_conditions_*), or 503 with Retry-After if too many downloads are running.
// `name` is the name under which to save it, of letters, digits, dots, hyphens and underscores.
// Takes the descriptor. If the file becomes shorter, the connection is closed. Returns the result
// for a request handler.
bool http_downloads_answer(struct http_downloads *downloads, struct MHD_Connection *connection,
                           bool is_head, int descriptor, const char *name);

// Ends all downloads at the next run of the listener or its stop.
void http_downloads_close(struct http_downloads *downloads);
