// SPDX-License-Identifier: MIT
// Finds the parts of an URL (RFC 3986) without allocating.
#include "url.h"

#include <stdlib.h>
#include <string.h>

// The length of the host at the beginning of a text; 0: none.
static size_t host_length(const char *text)
{
    if (text[0] == '[') { // IPv6
        const size_t length = strspn(text + 1, "0123456789abcdefABCDEF:.");
        return length > 0 && text[1 + length] == ']' ? length + 2 : 0;
    }
    return strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_");
}

bool url_read(const char *text, uint16_t *port)
{
    const bool is_tls = strncmp(text, "https://", 8) == 0;
    if ((!is_tls && strncmp(text, "http://", 7) != 0) || strlen(text) >= URL_BYTES)
        return false;
    for (const char *at = text; *at != '\0'; at++)
        if (*at <= 0x20 || *at > 0x7e || strchr("\"<>\\^`{|}", *at) != NULL)
            return false;
    const char *host = text + (is_tls ? 8 : 7);
    const size_t length = host_length(host);
    const char *rest = host + length;
    *port = is_tls ? 443 : 80;
    if (length == 0)
        return false;
    if (*rest == ':') {
        const size_t digits = strspn(rest + 1, "0123456789");
        const long number = digits >= 1 && digits <= 5 ? strtol(rest + 1, NULL, 10) : 0;
        if (number < 1 || number > UINT16_MAX)
            return false;
        *port = (uint16_t)number;
        rest += 1 + digits;
    }
    return *rest == '\0' || *rest == '/' || *rest == '?';
}
