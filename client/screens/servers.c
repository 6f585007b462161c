// SPDX-License-Identifier: MIT
// Keeps the list of servers sorted, and reads and writes it with jansson.
#include "servers.h"

#include "settings.h"

#include <jansson.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char file_name[] = "servers";

static int compare(const void *left, const void *right)
{
    const struct servers_entry *a = left, *b = right;
    if (a->favourite != b->favourite)
        return a->favourite ? -1 : 1;
    if (a->played_s != b->played_s)
        return a->played_s > b->played_s ? -1 : 1;
    return strcmp(a->address, b->address);
}

static void sort(struct servers *servers)
{
    qsort(servers->entries, (size_t)servers->count, sizeof *servers->entries, compare);
}

int servers_find(const struct servers *servers, const char *address)
{
    for (int i = 0; i < servers->count; i++)
        if (strcmp(servers->entries[i].address, address) == 0)
            return i;
    return -1;
}

// The entry of an address, which is added where it is missing. NULL where 64 favourites leave no
// room.
static struct servers_entry *entry_of(struct servers *servers, const char *address)
{
    int index = servers_find(servers, address);
    if (index < 0) {
        if (servers->count == SERVERS_MAX && servers->entries[SERVERS_MAX - 1].favourite)
            return NULL;
        index = servers->count < SERVERS_MAX ? servers->count++ : SERVERS_MAX - 1;
        servers->entries[index] = (struct servers_entry){0};
        snprintf(servers->entries[index].address, SERVERS_ADDRESS_BYTES, "%s", address);
    }
    return &servers->entries[index];
}

void servers_note_game(struct servers *servers, const char *address, int64_t now_s)
{
    struct servers_entry *entry = entry_of(servers, address);
    if (entry != NULL)
        entry->played_s = now_s;
    sort(servers);
}

void servers_set_favourite(struct servers *servers, const char *address, bool favourite)
{
    struct servers_entry *entry = entry_of(servers, address);
    if (entry == NULL)
        return;
    entry->favourite = favourite;
    if (!favourite && entry->played_s == 0)
        *entry = servers->entries[--servers->count];
    sort(servers);
}

void servers_load(struct servers *servers, const char *directory)
{
    char path[FILES_PATH_BYTES];
    json_t *root;
    memset(servers, 0, sizeof *servers);
    if (!client_file_load(directory, file_name, path, &root))
        return;
    const json_t *list = json_object_get(root, "servers");
    for (size_t i = 0; i < json_array_size(list) && servers->count < SERVERS_MAX; i++) {
        const json_t *row = json_array_get(list, i);
        const char *address = json_string_value(json_object_get(row, "address"));
        if (address == NULL || strlen(address) >= SERVERS_ADDRESS_BYTES ||
            servers_find(servers, address) >= 0)
            continue;
        struct servers_entry *entry = entry_of(servers, address);
        entry->favourite = json_is_true(json_object_get(row, "favourite"));
        entry->played_s = json_integer_value(json_object_get(row, "played"));
    }
    json_decref(root);
    sort(servers);
}

bool servers_save(const struct servers *servers, const char *directory)
{
    json_t *list = json_array();
    bool is_good = list != NULL;
    for (int i = 0; i < servers->count && is_good; i++) {
        const struct servers_entry *entry = &servers->entries[i];
        is_good =
            json_array_append_new(list, json_pack("{s:s, s:b, s:I}", "address", entry->address,
                                                  "favourite", (int)entry->favourite, "played",
                                                  (json_int_t)entry->played_s)) == 0;
    }
    json_t *root = json_pack("{s:o}", "servers", list);
    is_good = is_good && root != NULL && client_file_save(directory, file_name, root);
    json_decref(root);
    return is_good;
}
