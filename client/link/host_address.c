// SPDX-License-Identifier: MIT
// Reads and prints addresses by their characters alone; whether there is such a host shows when it
// is resolved.
#include "host_address.h"

#include <stdio.h>
#include <string.h>

#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

static const char name_characters[] = LETTERS "0123456789.-_";
static const char ipv6_characters[] = "0123456789abcdefABCDEF:.";

// The length of a name or an IPv4 address.
static size_t name_length(const char *text)
{
    return strspn(text, name_characters);
}

// The length of an IPv6 address, which may have a zone; 0 for any other text.
static size_t ipv6_length(const char *text)
{
    size_t length = strspn(text, ipv6_characters);
    if (memchr(text, ':', length) == NULL)
        return 0;
    if (text[length] == '%')
        length += 1 + strspn(text + length + 1, name_characters);
    return length;
}

// Reads a text that is a port, 1 to 65535, and nothing else; 0 for any other text.
static uint16_t read_port(const char *text)
{
    uint32_t port = 0;
    const size_t length = strspn(text, "0123456789");
    if (length == 0 || length > 5 || text[length] != '\0')
        return 0;
    for (size_t i = 0; i < length; i++)
        port = port * 10 + (uint32_t)(text[i] - '0');
    return port <= UINT16_MAX ? (uint16_t)port : 0;
}

bool raim_link_read_address(const char *text, char host[RAIM_LINK_HOST_BYTES], uint16_t *port)
{
    const bool has_brackets = text[0] == '[';
    const char *start = text + has_brackets;
    // Without brackets, two colons or more make an IPv6 address, which has no port.
    const char *colon = strchr(start, ':');
    const bool is_ipv6 = has_brackets || (colon != NULL && strchr(colon + 1, ':') != NULL);
    const size_t length = is_ipv6 ? ipv6_length(start) : name_length(start);
    const char *end = start + length;
    if (length == 0 || length >= RAIM_LINK_HOST_BYTES || (has_brackets && *end++ != ']'))
        return false;
    if (*end != '\0') {
        const uint16_t number = *end == ':' ? read_port(end + 1) : 0;
        if (number == 0)
            return false;
        *port = number;
    }
    memcpy(host, start, length);
    host[length] = '\0';
    return true;
}

void raim_host_address_print(const char *host, uint16_t port, char *text, size_t capacity)
{
    const bool is_ipv6 = strchr(host, ':') != NULL;
    snprintf(text, capacity, is_ipv6 ? "[%s]:%u" : "%s:%u", host, (unsigned)port);
}
