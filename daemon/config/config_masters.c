// SPDX-License-Identifier: MIT
// Loads the list of master servers.
#include "config_loader.h"

#include <stdlib.h>
#include <string.h>

static_assert(CONFIG_MAX_MASTERS == 8, "`expected` of masters names the limit");

enum { DEFAULT_PORT = 27950 }; // dpmaster's

// Reads the digits of a port from 1 to 65535.
static bool read_port(const char *text, uint16_t *port)
{
    const size_t digits = strspn(text, "0123456789");
    if (digits < 1 || digits > 5 || text[digits] != '\0' || atol(text) < 1 ||
        atol(text) > UINT16_MAX)
        return false;
    *port = (uint16_t)atol(text);
    return true;
}

// Splits HOST, HOST:PORT, [IPV6] or [IPV6]:PORT. False for any other text.
static bool read_master(const char *text, struct config_master *master)
{
    union socket_address address;
    const bool has_brackets = text[0] == '[';
    const size_t length = strcspn(text, has_brackets ? "]" : ":");
    const char *behind = text + length + (has_brackets && text[length] == ']');
    *master = (struct config_master){.port = DEFAULT_PORT};
    if (length < 1 || length >= sizeof master->host)
        return false;
    memcpy(master->host, text + has_brackets, length - has_brackets);
    if (behind[0] != '\0' && (behind[0] != ':' || !read_port(behind + 1, &master->port)))
        return false;
    const bool is_address = socket_address_parse(master->host, master->port, &address);
    return has_brackets ? is_address && address.any.sa_family == AF_INET6
                        : is_address || http_guard_is_name(master->host);
}

static bool is_master(const char *text)
{
    struct config_master master;
    return read_master(text, &master);
}

void config_load_masters(reader_node list, void *into, void *context)
{
    struct config_masters *masters = &((struct config *)into)->masters;
    (void)context;
    const int count = reader_count(list);
    if (count > CONFIG_MAX_MASTERS) {
        reader_value_error(list, "a list of at most %d master servers", CONFIG_MAX_MASTERS);
        return;
    }
    for (int i = 0; i < count; i++) {
        const char *text;
        if (reader_text(reader_item(list, i), is_master,
                        "\"HOST:PORT\", \"HOST\" or \"[IPV6]:PORT\"", &text))
            read_master(text, &masters->items[masters->count++]);
    }
}
