// SPDX-License-Identifier: MIT
// Copies old values over new ones, by a table of where each key is kept.
#define _GNU_SOURCE
#include "config_keep.h"

#include "config_values.h"
#include "reader.h"
#include "xalloc.h"

#include <stddef.h>
#include <string.h>

struct field {
    const char *key;
    size_t offset, size;
};

#define ROOT(key, member)                                                                          \
    {                                                                                              \
        key, offsetof(struct config, member), sizeof(((const struct config *)NULL)->member)        \
    }
#define ARENA(key, member)                                                                         \
    {                                                                                              \
        key, offsetof(struct config_arena, member),                                                \
            sizeof(((const struct config_arena *)NULL)->member)                                    \
    }

// Some keys have several.
static const struct field root_fields[] = {
    ROOT("workers", workers),
    ROOT("status", status_address),
    ROOT("status", status_port),
    ROOT("status", status_enabled),
    ROOT("control", control),
    ROOT("status_hosts", status_guard.hosts),
    ROOT("status_hosts", status_guard.host_count),
    ROOT("live_token_file", status_guard.token),
    ROOT("sandbox", sandbox),
    ROOT("core_dumps", core_dumps),
};

// Those that need a restart, and of the others those that do when they exceed what was opened.
static const struct field arena_fields[] = {
    ARENA("address", address),
    ARENA("port", port),
    ARENA("max_players", max_players),
    ARENA("max_spectators", max_spectators),
    ARENA("bots", bots),
    ARENA("tick_hz", tick_hz),
    ARENA("view_width", view_width),
    ARENA("view_height", view_height),
    ARENA("sight", sight),
    ARENA("lag_compensation", lag_compensation_ms),
    ARENA("access", needs_access),
    ARENA("access_key", access_keys),
    ARENA("encryption", encryption),
};

#define COUNT(table) (sizeof(table) / sizeof *(table))

static bool copy_fields(const struct field *fields, size_t count, const char *key, void *to,
                        const void *from)
{
    bool found = false;
    for (size_t i = 0; i < count; i++) {
        if (strcmp(fields[i].key, key) != 0)
            continue;
        memcpy((char *)to + fields[i].offset, (const char *)from + fields[i].offset,
               fields[i].size);
        found = true;
    }
    return found;
}

static void keep_text(struct config_values *values, int arena, const struct config_value *old)
{
    for (int i = 0; i < values->count; i++) {
        struct config_value *value = &values->values[i];
        if (value->arena != arena || strcmp(value->name, old->name) != 0)
            continue;
        free(value->text);
        value->text = memory_must(strdup(old->text));
    }
}

bool config_keep(struct config *new_config, const struct config *old_config,
                 const struct config_change *change)
{
    const bool is_root = change->new_arena < 0;
    const char *key = change->key->name;
    const bool found =
        is_root ? copy_fields(root_fields, COUNT(root_fields), key, new_config, old_config)
                : copy_fields(arena_fields, COUNT(arena_fields), key,
                              &new_config->arenas[change->new_arena],
                              &old_config->arenas[change->old_arena]);
    const struct config_value *old = config_values_find(old_config->values, change->old_arena, key);
    if (found && old != NULL)
        keep_text(new_config->values, change->new_arena, old);
    return found;
}
