// SPDX-License-Identifier: MIT
// HTTP requests of the process "raimd: fetch", several at once. Redirections are not followed, no
// proxy is asked, nothing is decompressed, and no cookie is kept.
#pragma once

#include "fetch.h"

// Sets what is called with each answer.
void fetch_http_open(void (*answer)(uint32_t job, const struct fetch_answer *answer));

// Begins a request, which borrows from `text`; takes that, for free().
void fetch_http_begin(uint32_t job, const struct fetch_request *request, char *text);

// Works until a descriptor can be read.
void fetch_http_wait(int descriptor);
