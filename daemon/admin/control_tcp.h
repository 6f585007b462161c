// SPDX-License-Identifier: MIT
// The control API over TCP: HTTPS with a bearer token or client certificates, or HTTP without
// either on a loopback address. The main thread runs it like http.h. Main thread only.
#pragma once

#include "config.h"
#include "control.h"
#include "metric.h"

#include <stddef.h>
#include <stdint.h>

extern const struct metric_table control_tcp_metrics; // of a struct control_tcp

struct control_tcp;
struct loop;

// Reads the certificates and listens. Serves every command and the dashboard of `page`, which may
// be NULL, to clients that have the token or a certificate. If neither is configured, it serves
// only the commands of matchmakers. Copies `config`, borrows the others. Returns NULL and writes a
// reason into `error`.
struct control_tcp *control_tcp_open(struct loop *loop, const struct config_control *config,
                                     struct control *control, struct http *page, char *error,
                                     size_t capacity);

// Takes NULL. The event streams must have been told to end.
void control_tcp_close(struct control_tcp *tcp);

uint16_t control_tcp_port(const struct control_tcp *tcp);
