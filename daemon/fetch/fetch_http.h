// SPDX-License-Identifier: MIT
// HTTP requests of the process "raimd: fetch", several at once. Redirections are not followed, no
// proxy is asked, nothing is decompressed, and no cookie is kept.
#pragma once

#include "fetch.h"

// Sets what is called with each answer, and with each piece of a stream before it.
void fetch_http_open(void (*answer)(uint32_t job, const struct fetch_answer *answer),
                     void (*piece)(uint32_t job, const char *bytes, size_t size));

// Begins a request, which borrows from `text`; takes that, for free().
void fetch_http_begin(uint32_t job, const struct fetch_request *request, char *text);

// Ends a request without an answer, unless it has ended.
void fetch_http_cancel(uint32_t job);

// Works until a descriptor can be read.
void fetch_http_wait(int descriptor);
