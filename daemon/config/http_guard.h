// SPDX-License-Identifier: MIT
// Which requests for the status are answered, and which see arenas without delay. A page from
// elsewhere can make its reader's browser ask a server that only the reader can reach; what gives
// it away is the name that it asks for (DNS rebinding) or the Origin that the browser adds. Any
// thread; nothing here keeps anything.
#pragma once

#include <stdbool.h>

#define HTTP_MAX_HOSTS 16
#define HTTP_HOST_BYTES 254     // of a host's name with the closing NUL
#define HTTP_TOKEN_MIN_CHARS 16 // characters
#define HTTP_TOKEN_BYTES 129    // with the closing NUL

// Zeroed: no names, no token.
struct http_guard {
    int host_count;
    char hosts[HTTP_MAX_HOSTS][HTTP_HOST_BYTES]; // names that the server goes by
    char token[HTTP_TOKEN_BYTES];                // for undelayed streams; "": there are none
};

// True for the name of a host: letters, digits, - and dots, no port.
bool http_guard_is_name(const char *text);

// True for what may be a token: HTTP_TOKEN_MIN_CHARS characters or more of those that RFC 6750 has.
bool http_guard_is_token(const char *text);

// Whether a request with this Host header is for this server: an IP address, "localhost" or one of
// the names, with or without a port. NULL, which no browser sends, is, too.
bool http_guard_takes_host(const struct http_guard *guard, const char *host);

// Whether a request with these headers comes from a page of this server, or from no page: there is
// no Origin, or it is that of the host, or of one of the names.
bool http_guard_takes_origin(const struct http_guard *guard, const char *origin, const char *host);

// What an Authorization header, or NULL, is worth. A password for somebody else's proxy, which may
// pass it on, is no token. Takes a time that does not tell where a token differs.
enum http_token { HTTP_TOKEN_NONE, HTTP_TOKEN_WRONG, HTTP_TOKEN_RIGHT };
enum http_token http_guard_check_token(const struct http_guard *guard, const char *authorization);
