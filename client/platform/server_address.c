// SPDX-License-Identifier: MIT
// Trims what people type; the link knows the rest.
#include "server_address.h"

#include "host_address.h"

#include <stdio.h>
#include <string.h>

bool server_address_read(const char *text, struct server_address *address)
{
    char trimmed[SERVER_ADDRESS_BYTES];
    text += strspn(text, " ");
    size_t length = strlen(text);
    while (length > 0 && text[length - 1] == ' ')
        length--;
    *address = (struct server_address){.port = SERVER_DEFAULT_PORT};
    if (length >= sizeof trimmed)
        return false;
    snprintf(trimmed, sizeof trimmed, "%.*s", (int)length, text);
    return raim_link_read_address(trimmed, address->host, &address->port);
}

void server_address_write(const struct server_address *address, char text[SERVER_ADDRESS_BYTES])
{
    raim_host_address_print(address->host, address->port, text, SERVER_ADDRESS_BYTES);
}
