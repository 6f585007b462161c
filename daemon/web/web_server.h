// SPDX-License-Identifier: MIT
// The gateway as a whole: the page, the list of arenas and the status over HTTP, and WebTransport
// on the UDP port of the same number. Main thread only.
#pragma once

#include "web_config.h"

struct loop;
struct web_server;

// Takes the configuration, even on failure. Returns NULL after logging the reason.
struct web_server *web_server_start(struct loop *loop, struct web_config *config);

// Looks at once for changed files: of the page and of the certificate.
void web_server_reload(struct web_server *server);

// Ends all sessions. Takes NULL.
void web_server_stop(struct web_server *server);
