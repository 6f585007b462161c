// SPDX-License-Identifier: MIT
// Reads the gateway's servers.json with jansson.
#include "page_gateway.h"

#include "crypto.h"
#include "http_request.h"
#include "page.h"
#include "platform.h"

#include <jansson.h>

#include <stdio.h>
#include <string.h>

enum { HTTP_OK = 200, MAX_BYTES = 1 << 18, TIMEOUT_MS = 4000, HASHES_BYTES = 512 };

static struct {
    char address[SERVER_ADDRESS_BYTES];
    char hashes[HASHES_BYTES];
    bool is_told; // the hashes, by the page's address
    bool is_ready;
    struct http_request *request;   // NULL: none is under way
    uint64_t asked_us, answered_us; // 0: never
    int count;
    struct gateway_row rows[GATEWAY_ROWS];
} gateway;

void gateway_choose(const char *address, const char *hashes)
{
    snprintf(gateway.address, sizeof gateway.address, "%s", address);
    snprintf(gateway.hashes, sizeof gateway.hashes, "%s", hashes);
    gateway.is_told = gateway.is_ready = hashes[0] != '\0';
}

const char *gateway_address(void)
{
    return gateway.address;
}

static void read_hashes(const json_t *list)
{
    size_t used = 0;
    gateway.hashes[0] = '\0';
    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *hash = json_string_value(json_array_get(list, i));
        const size_t room = sizeof gateway.hashes - used;
        if (hash != NULL && strlen(hash) + 2 <= room)
            used +=
                (size_t)snprintf(gateway.hashes + used, room, "%s%s", used > 0 ? " " : "", hash);
    }
}

static uint32_t read_count(const json_t *server, const char *name)
{
    const json_int_t count = json_integer_value(json_object_get(server, name));
    return count > 0 && count <= UINT16_MAX ? (uint32_t)count : 0;
}

static bool read_row(const json_t *server, struct gateway_row *row)
{
    const char *address = json_string_value(json_object_get(server, "address"));
    const char *name = json_string_value(json_object_get(server, "name"));
    const char *map = json_string_value(json_object_get(server, "map"));
    const char *key = json_string_value(json_object_get(server, "key"));
    struct server_address read;
    if (address == NULL || !server_address_read(address, &read))
        return false;
    *row = (struct gateway_row){.answers = name != NULL};
    server_address_write(&read, row->address);
    row->has_key = key != NULL && raim_crypto_read_key(key, row->key);
    snprintf(row->info.name, sizeof row->info.name, "%s", name != NULL ? name : "");
    snprintf(row->info.map, sizeof row->info.map, "%s", map != NULL ? map : "");
    row->info.players = read_count(server, "players");
    row->info.bots = read_count(server, "bots");
    row->info.most_players = read_count(server, "max_players");
    row->info.locked = json_is_true(json_object_get(server, "locked"));
    return true;
}

// Where the answer is none, the list before stays.
static void read_list(const char *text, size_t size)
{
    json_t *root = size > 0 ? json_loadb(text, size, 0, NULL) : NULL;
    const json_t *servers = json_object_get(root, "servers");
    if (json_is_array(servers)) {
        gateway.count = 0;
        if (!gateway.is_told)
            read_hashes(json_object_get(root, "certificate_hashes"));
    }
    for (size_t i = 0; i < json_array_size(servers) && gateway.count < GATEWAY_ROWS; i++)
        gateway.count += read_row(json_array_get(servers, i), &gateway.rows[gateway.count]);
    json_decref(root);
}

static void take_answer(uint64_t now_us)
{
    const enum http_request_state state = http_request_poll(gateway.request);
    if (state == HTTP_REQUEST_PENDING)
        return;
    if (state == HTTP_REQUEST_ANSWERED && http_request_status(gateway.request) == HTTP_OK) {
        size_t size;
        const char *body = http_request_body(gateway.request, &size);
        read_list(body, size);
        gateway.answered_us = now_us;
    }
    http_request_destroy(gateway.request);
    gateway.request = NULL;
    gateway.is_ready = true;
}

void gateway_update(uint64_t now_us, uint64_t pause_us)
{
    char url[SERVER_ADDRESS_BYTES + 32];
    const bool is_due = gateway.asked_us == 0 || now_us - gateway.asked_us >= pause_us;
    if (gateway.request == NULL && is_due) {
        // By the scheme of the page's own address.
        snprintf(url, sizeof url, "//%s/servers.json", gateway.address);
        const struct http_request_def def = {
            .url = url, .max_bytes = MAX_BYTES, .timeout_ms = TIMEOUT_MS};
        gateway.request = http_request_begin(&def);
        gateway.asked_us = now_us;
    }
    if (gateway.request != NULL)
        take_answer(now_us);
}

uint64_t gateway_answered_us(void)
{
    return gateway.answered_us;
}

bool gateway_is_ready(void)
{
    return gateway.is_ready;
}

int gateway_count(void)
{
    return gateway.count;
}

const struct gateway_row *gateway_at(int index)
{
    return &gateway.rows[index];
}

static void write_server(const char *host, uint16_t port, char text[SERVER_ADDRESS_BYTES])
{
    struct server_address address = {.port = port};
    snprintf(address.host, sizeof address.host, "%s", host);
    server_address_write(&address, text);
}

bool platform_server_key(const char *host, uint16_t port, uint8_t key[RAIM_KEY_BYTES])
{
    char name[SERVER_ADDRESS_BYTES];
    write_server(host, port, name);
    for (int i = 0; i < gateway.count; i++) {
        const struct gateway_row *row = &gateway.rows[i];
        if (!row->has_key || strcmp(row->address, name) != 0)
            continue;
        memcpy(key, row->key, RAIM_KEY_BYTES);
        return true;
    }
    return false;
}

int gateway_open_session(const char *host, uint16_t port)
{
    char server[SERVER_ADDRESS_BYTES], url[2 * SERVER_ADDRESS_BYTES + 32];
    static const char local[] = "localhost:"; // Chromium tries ::1 alone
    const bool is_local = strncmp(gateway.address, local, sizeof local - 1) == 0;
    write_server(host, port, server);
    snprintf(url, sizeof url, "https://%s%s/arena/%s", is_local ? "127.0.0.1:" : "",
             gateway.address + (is_local ? sizeof local - 1 : 0), server);
    return page_open_session(url, strlen(url), gateway.hashes, strlen(gateway.hashes));
}
