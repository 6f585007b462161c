// SPDX-License-Identifier: MIT
// Decides when a checkpoint is due, and brings back who played.
#define _GNU_SOURCE
#include "arena_checkpoint.h"

#include "connectionless.h"
#include "crypto.h"
#include "log.h"
#include "unit_directories.h"

#include <arpa/inet.h>
#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    INVITES_PER_S = 5,
    INVITES = 2 * INVITES_PER_S + 1, // at once, and for two seconds
    TRUST_S = 10,                    // what runs so long after a restart is not what broke it
    ERROR_BYTES = PATH_MAX + 64,
};

static_assert(RAIM_TOKEN_BYTES == RAIM_CRYPTO_SIPHASH_KEY_BYTES, "a token is a key of SipHash");

bool arena_checkpoint_create(struct arena_checkpoint *keeper, const char *name)
{
    char directory[PATH_MAX];
    *keeper = (struct arena_checkpoint){0};
    assert(strlen(name) < sizeof keeper->name);
    strcpy(keeper->name, name);
    if (!unit_directories_find("RUNTIME_DIRECTORY", directory, sizeof directory))
        return true;
    keeper->seats = calloc(RAIM_MAX_PLAYERS, sizeof *keeper->seats);
    keeper->rows = calloc(RAIM_MAX_PLAYERS, sizeof *keeper->rows);
    keeper->checkpoint = checkpoint_create(directory, name);
    return keeper->seats != NULL && keeper->rows != NULL && keeper->checkpoint != NULL;
}

void arena_checkpoint_destroy(struct arena_checkpoint *keeper)
{
    checkpoint_destroy(keeper->checkpoint);
    free(keeper->seats);
    free(keeper->rows);
    *keeper = (struct arena_checkpoint){0};
}

struct checkpoint_map arena_checkpoint_find_map(const struct arena_checkpoint *keeper,
                                                const struct config_arena *config)
{
    char name[RAIM_MAP_NAME_BYTES];
    struct checkpoint_map map = {0};
    if (keeper->checkpoint == NULL || !checkpoint_find_map(keeper->checkpoint, &map, name))
        return map;
    const int count = config->rotation_count;
    // The rotation may be another one since then; a map may be in it twice.
    if (map.place < 0 || map.place > count)
        map.place = 0;
    for (int i = 0; i <= count && map.path[0] == '\0'; i++) {
        const int place = (map.place + i) % (count + 1);
        const struct raim_map *found = place == 0 ? config->map : config->rotation[place - 1];
        if (strcmp(found->name, name) == 0) {
            map.place = place;
            break;
        }
    }
    return map;
}

static uint32_t tick_hz(const struct raim_match *match)
{
    return raim_match_world(match)->tick_hz;
}

static void note_saved(struct arena_checkpoint *keeper, const struct raim_match *match)
{
    keeper->events = raim_match_events(match);
    keeper->saved_tick = raim_match_tick(match);
}

// A file of its own for a match; where there can be none, the arena runs on without.
static void bind_match(struct arena_checkpoint *keeper, const struct raim_match *match)
{
    char error[ERROR_BYTES];
    keeper->match = match;
    keeper->is_bound = checkpoint_bind(keeper->checkpoint, match, &keeper->map, keeper->seats,
                                       error, sizeof error);
    if (!keeper->is_bound)
        log_arena_warning(keeper->name, "checkpoint failed arena=%s: %s", keeper->name, error);
    note_saved(keeper, match);
}

static void tell_restored(const struct arena_checkpoint *keeper, const struct raim_match *match,
                          const struct checkpoint_result *result)
{
    const struct raim_match_counts counts = raim_match_counts(match);
    switch (result->verdict) {
    case CHECKPOINT_NONE:
        break;
    case CHECKPOINT_RESTORED:
        log_arena_info(keeper->name,
                       "arena restored name=%s players=%u bots=%u tick=%u age_ms=%llu",
                       keeper->name, counts.players, counts.bots, raim_match_tick(match),
                       (unsigned long long)result->age_ms);
        break;
    case CHECKPOINT_REFUSED:
        log_arena_warning(keeper->name, "checkpoint refused arena=%s: %s", keeper->name,
                          result->why);
        break;
    case CHECKPOINT_SET_ASIDE:
        log_arena_error(keeper->name, "checkpoint set aside arena=%s: %s", keeper->name,
                        result->why);
        break;
    }
}

void arena_checkpoint_note_map(struct arena_checkpoint *keeper, const struct checkpoint_map *map)
{
    keeper->map = *map;
}

void arena_checkpoint_start(struct arena_checkpoint *keeper, struct raim_match *match,
                            double grace_s)
{
    if (keeper->checkpoint == NULL || keeper->match != NULL)
        return; // the second time it is a match that ends
    const struct checkpoint_result result =
        checkpoint_restore(keeper->checkpoint, match, grace_s, keeper->seats);
    tell_restored(keeper, match, &result);
    if (result.verdict == CHECKPOINT_RESTORED) {
        keeper->untrusted_ticks = TRUST_S * tick_hz(match);
        keeper->invites_left = INVITES;
        raim_crypto_random(keeper->invite_nonce, sizeof keeper->invite_nonce);
        keeper->next_invites_tick = raim_match_tick(match) + 1;
    }
    bind_match(keeper, match);
}

void arena_checkpoint_rename(struct arena_checkpoint *keeper, const char *name)
{
    if (strcmp(keeper->name, name) == 0)
        return;
    if (keeper->checkpoint != NULL && !checkpoint_rename(keeper->checkpoint, name))
        log_arena_warning(name, "checkpoint failed arena=%s: cannot be renamed: %s", name,
                          strerror(errno));
    strcpy(keeper->name, name);
}

// Of who is away it stays known from where they last played.
static void find_seats(struct arena_checkpoint *keeper, const struct raim_match *match,
                       const struct transport *transport)
{
    const uint32_t places = raim_match_world(match)->max_players;
    const uint32_t count = raim_match_players(match, keeper->rows, RAIM_MAX_PLAYERS);
    uint32_t next = 0;
    for (uint32_t place = 0; place < places; place++) {
        struct checkpoint_seat *seat = &keeper->seats[place];
        if (next == count || raim_player_slot(keeper->rows[next].id) != place) {
            *seat = (struct checkpoint_seat){0};
            continue;
        }
        const struct raim_match_player *row = &keeper->rows[next++];
        if (seat->player != row->id)
            *seat = (struct checkpoint_seat){.player = row->id};
        if (row->bot || row->away)
            continue;
        const struct udp_address from = transport_source(transport, row->client);
        seat->address = htonl(from.address);
        seat->port = from.port;
    }
}

static void save(struct arena_checkpoint *keeper, const struct raim_match *match,
                 const struct transport *transport)
{
    find_seats(keeper, match, transport);
    if (match != keeper->match) {
        bind_match(keeper, match);
        return;
    }
    checkpoint_save(keeper->checkpoint, match, keeper->seats);
    note_saved(keeper, match);
}

// All of a restart have one nonce, so that a client heeds one of them, however many are repeated.
static void invite(const struct arena_checkpoint *keeper, const uint8_t token[RAIM_TOKEN_BYTES],
                   const struct checkpoint_seat *seat, struct transport *transport)
{
    struct raim_invite invite;
    uint8_t bytes[RAIM_INVITE_BYTES];
    memcpy(invite.nonce, keeper->invite_nonce, sizeof invite.nonce);
    const uint64_t proof = raim_crypto_siphash(token, invite.nonce, sizeof invite.nonce);
    for (size_t i = 0; i < sizeof invite.proof; i++)
        invite.proof[i] = (uint8_t)(proof >> 8 * i);
    transport_send_to(transport,
                      (struct udp_address){.address = ntohl(seat->address), .port = seat->port},
                      bytes, raim_invite_write(&invite, bytes));
}

static void invite_those_away(struct arena_checkpoint *keeper, const struct raim_match *match,
                              struct transport *transport)
{
    const uint32_t places = raim_match_world(match)->max_players;
    if (keeper->invites_left == 0 ||
        raim_tick_diff(raim_match_tick(match), keeper->next_invites_tick) < 0)
        return;
    keeper->invites_left--;
    keeper->next_invites_tick = raim_match_tick(match) + tick_hz(match) / INVITES_PER_S;
    for (uint32_t place = 0; place < places; place++) {
        const struct checkpoint_seat *seat = &keeper->seats[place];
        uint8_t token[RAIM_TOKEN_BYTES];
        if (seat->address != 0 && raim_match_token(match, seat->player, token))
            invite(keeper, token, seat, transport);
    }
}

void arena_checkpoint_run(struct arena_checkpoint *keeper, const struct raim_match *match,
                          struct transport *transport)
{
    if (keeper->checkpoint == NULL)
        return;
    invite_those_away(keeper, match, transport);
    const uint32_t waited = raim_match_tick(match) - keeper->saved_tick;
    if (match != keeper->match || raim_match_events(match) != keeper->events ||
        waited >= tick_hz(match))
        save(keeper, match, transport);
    if (keeper->untrusted_ticks > 0 && --keeper->untrusted_ticks == 0)
        checkpoint_trust(keeper->checkpoint);
}

void arena_checkpoint_end(struct arena_checkpoint *keeper, struct raim_match *match,
                          const struct transport *transport, bool goes_on)
{
    if (!keeper->is_bound || !goes_on) {
        raim_match_shutdown(match);
        if (keeper->is_bound)
            checkpoint_remove(keeper->checkpoint);
        return;
    }
    // Connections are known until they are suspended.
    find_seats(keeper, match, transport);
    raim_match_suspend(match);
    checkpoint_trust(keeper->checkpoint);
    checkpoint_save(keeper->checkpoint, match, keeper->seats);
}
