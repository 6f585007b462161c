// SPDX-License-Identifier: MIT
// Which requests of browsers the control takes: those of its own page (daemon/status/dashboard),
// and commands only with a header that a page of another site cannot send. A browser that reaches
// the control, through an SSH tunnel or with a client certificate, also shows pages of strangers;
// these can make it send requests in the operator's name. Main thread only.
#pragma once

#include "http_guard.h"
#include "http_listener.h"

#include <stdbool.h>

// The header of a command of the page, with any value. A foreign page that adds it has to ask first
// (CORS, Fetch standard), and is refused.
#define OPERATOR_PAGE_HEADER "X-Raimd-Command"

// How a command came, as of struct command_note: by "page", "raimctl" or another program, "api".
const char *operator_page_via(const struct http_request *step);

// Answers a request that no operator has sent, and returns true in `is_answered`: of a page of
// another site; of a page, to change something, without the header. With `guard`, also one for a
// foreign host name, which DNS rebinding leads here: a name with a dot that is neither an IP
// address nor one of the guard's. Programs send no Origin and are not concerned by the rest.
bool operator_page_check(const struct http_guard *guard, const struct http_request *step,
                         bool *is_answered);
