// SPDX-License-Identifier: MIT
// Sends an arena's heartbeats and infoResponses from its own socket, by whose address a master
// server knows it.
#define _GNU_SOURCE
#include "arena_internal.h"

#include "monotonic.h"

#include <string.h>

void arena_set_masters(struct arena *arena, const struct masters_list *list)
{
    memcpy(triple_buffer_back(&arena->shared.masters), list, sizeof *list);
    triple_buffer_publish(&arena->shared.masters);
}

enum masters_standing *arena_masters_standings(struct arena *arena)
{
    return arena->main.standings;
}

// Sends a text to every master that the socket reaches.
static void send_to_all(struct arena *arena, const char *text)
{
    const struct masters_list *list = &arena->worker.masters.list;
    for (int i = 0; i < list->count; i++)
        if (transport_reaches(arena->worker.transport, list->items[i].to.ip))
            transport_send_to(arena->worker.transport, list->items[i].to, (const uint8_t *)text,
                              strlen(text));
}

bool arena_masters_run(struct arena *arena)
{
    struct masters *masters = &arena->worker.masters;
    const struct masters_list *list = triple_buffer_front(&arena->shared.masters);
    if (list->count != masters->list.count ||
        memcmp(list->items, masters->list.items, sizeof list->items) != 0)
        masters_set_list(masters, list);
    const struct raim_match_counts counts = raim_match_counts(arena->worker.match);
    const bool is_full = counts.players >= arena->worker.config->match.tuning.max_players;
    // A master's clients ask what it lists by server queries.
    if (!arena->worker.config->queries ||
        !masters_beat(masters, counts.players == 0, is_full, (int64_t)monotonic_ms()))
        return false;
    send_to_all(arena, MASTERS_HEARTBEAT);
    return true;
}

void arena_masters_end(struct arena *arena)
{
    send_to_all(arena, MASTERS_FAREWELL);
}

void arena_masters_answer(struct arena *arena, struct udp_address to, const uint8_t *data,
                          size_t size)
{
    char challenge[MASTER_CHALLENGE_BYTES];
    uint8_t reply[MASTERS_MAX_INFO];
    const struct config_arena *config = arena->worker.config;
    const struct raim_match_counts counts = raim_match_counts(arena->worker.match);
    const struct masters_info info = {
        .hostname = config_shown_name(config),
        .map = config->match.map->name,
        .clients = counts.players,
        .bots = counts.bots,
        .max_clients = config->match.tuning.max_players,
        .needs_password = config_is_locked(config),
    };
    if (master_request_read(data, size, challenge))
        transport_send_to(arena->worker.transport, to, reply,
                          masters_write_info(&info, challenge, reply));
}
