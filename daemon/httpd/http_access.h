// SPDX-License-Identifier: MIT
// Access rules of the HTTP status server: Host and Origin checks, and the bearer token of undelayed
// streams. A foreign web page can make a visitor's browser send requests to a server that only the
// visitor can reach. The checks detect such requests by the Host header (DNS rebinding) or by the
// Origin header that the browser adds. The functions are pure; any thread may call them.
#pragma once

#include <stdbool.h>

#define HTTP_MAX_HOSTS 16
#define HTTP_HOST_BYTES 254     // of a host's name with the closing NUL
#define HTTP_TOKEN_MIN_CHARS 16 // characters
#define HTTP_TOKEN_BYTES 129    // with the closing NUL

// Zero-initialize for no names and no token.
struct http_access {
    int host_count;
    char hosts[HTTP_MAX_HOSTS][HTTP_HOST_BYTES]; // accepted host names
    char token[HTTP_TOKEN_BYTES];                // of undelayed streams; "": none
};

// True for a host name: letters, digits, hyphens and dots, without a port.
bool http_access_is_name(const char *text);

// True for a valid token: HTTP_TOKEN_MIN_CHARS to HTTP_TOKEN_BYTES - 1 characters of RFC 6750's
// b64token set.
bool http_access_is_token(const char *text);

// Whether a Host header names this server: an IP address, "localhost" or a configured name, with or
// without a port. A missing header (NULL) is accepted, because every browser sends one.
bool http_access_takes_host(const struct http_access *guard, const char *host);

// Whether a request comes from a page of this server or from no page: the Origin is missing (NULL),
// equals the Host, or is a configured name.
bool http_access_takes_origin(const struct http_access *guard, const char *origin,
                              const char *host);

// Checks the Authorization header; NULL: there is none. Schemes other than Bearer count as no
// token, because a proxy in front may forward its own credentials. The comparison takes constant
// time.
enum http_token { HTTP_TOKEN_NONE, HTTP_TOKEN_WRONG, HTTP_TOKEN_RIGHT };
enum http_token http_access_check_token(const struct http_access *guard, const char *authorization);
