// SPDX-License-Identifier: MIT
// Checks the Host, Origin and Authorization headers of a request against the configuration.
#define _GNU_SOURCE
#include "http_access.h"

#include "crypto.h"

#include <arpa/inet.h>
#include <string.h>
#include <strings.h>

#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
#define DIGITS "0123456789"

enum { PORT_DIGITS = 5 };

bool http_access_is_name(const char *text)
{
    const size_t length = strspn(text, LETTERS DIGITS "-.");
    return length > 0 && length < HTTP_HOST_BYTES && text[length] == '\0' && text[0] != '.' &&
           text[0] != '-';
}

bool http_access_is_token(const char *text)
{
    const size_t length = strspn(text, LETTERS DIGITS "-._~+/=");
    return length >= HTTP_TOKEN_MIN_CHARS && length < HTTP_TOKEN_BYTES && text[length] == '\0';
}

// Removes the port and the brackets of an IPv6 address. Returns false for a text that is not
// "HOST[:PORT]".
static bool split_host(const char *text, char host[HTTP_HOST_BYTES])
{
    const bool has_brackets = text[0] == '[';
    const char *begin = text + has_brackets;
    const size_t length = strcspn(begin, has_brackets ? "]" : ":");
    const char *end = begin + length;
    if (length == 0 || length >= HTTP_HOST_BYTES || (has_brackets && *end++ != ']'))
        return false;
    memcpy(host, begin, length);
    host[length] = '\0';
    if (*end == '\0')
        return true;
    const size_t digits = strspn(end + 1, DIGITS);
    return *end == ':' && digits > 0 && digits <= PORT_DIGITS && end[1 + digits] == '\0';
}

static bool is_configured(const struct http_access *guard, const char *name)
{
    for (int i = 0; i < guard->host_count; i++)
        if (strcasecmp(guard->hosts[i], name) == 0)
            return true;
    return false;
}

// IP addresses and "localhost", which DNS rebinding cannot redirect.
static bool is_literal(const char *host, bool has_brackets)
{
    struct in6_addr address;
    if (has_brackets)
        return inet_pton(AF_INET6, host, &address) == 1;
    return inet_pton(AF_INET, host, &address) == 1 || strcasecmp(host, "localhost") == 0;
}

bool http_access_takes_host(const struct http_access *guard, const char *host)
{
    char name[HTTP_HOST_BYTES];
    return host == NULL || (split_host(host, name) &&
                            (is_literal(name, host[0] == '[') || is_configured(guard, name)));
}

bool http_access_takes_origin(const struct http_access *guard, const char *origin, const char *host)
{
    static const char *const schemes[] = {"http://", "https://"};
    char name[HTTP_HOST_BYTES];
    if (origin == NULL)
        return true;
    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++) {
        if (strncasecmp(origin, schemes[i], strlen(schemes[i])) != 0)
            continue;
        const char *from = origin + strlen(schemes[i]);
        return (host != NULL && strcasecmp(from, host) == 0) ||
               (split_host(from, name) && is_configured(guard, name));
    }
    return false;
}

enum http_token http_access_check_token(const struct http_access *guard, const char *authorization)
{
    static const char scheme[] = "Bearer ";
    const size_t size = strlen(guard->token);
    if (size == 0 || authorization == NULL ||
        strncasecmp(authorization, scheme, strlen(scheme)) != 0)
        return HTTP_TOKEN_NONE;
    const char *token = authorization + strlen(scheme);
    const bool is_right = strlen(token) == size && raim_crypto_is_equal(token, guard->token, size);
    return is_right ? HTTP_TOKEN_RIGHT : HTTP_TOKEN_WRONG;
}
