// SPDX-License-Identifier: MIT
// Certificates of the clients of a TLS server. Main thread only.
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct gnutls_session_int;

// Makes a session's handshake fail where the key of the client's certificate is expensive to verify
// with. Call it before the handshake.
void http_tls_limit_keys(struct gnutls_session_int *session);

// Whether the client has shown a certificate that an authority of the server has signed, that is
// valid now, and that is not for other purposes than that of a TLS client.
bool http_tls_has_certificate(struct gnutls_session_int *session);

// Copies the common name of the client's certificate; "" where it has none.
void http_tls_name(struct gnutls_session_int *session, char *name, size_t capacity);
