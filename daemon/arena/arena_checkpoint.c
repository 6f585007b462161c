// SPDX-License-Identifier: MIT
// Decides when to save a checkpoint, and invites the players of a restored match.
#define _GNU_SOURCE
#include "arena_checkpoint.h"

#include "connectionless.h"
#include "crypto.h"
#include "log.h"
#include "store.h"
#include "systemd.h"

#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    INVITES_PER_S = 5,
    INVITES = 2 * INVITES_PER_S + 1, // at once, and for two seconds
    TRUST_S = 10, // a state that has run so long since a restart is not what crashed it
    ERROR_BYTES = PATH_MAX + 64,
};

static_assert(RAIM_TOKEN_BYTES == RAIM_CRYPTO_SIPHASH_KEY_BYTES, "a token is a key of SipHash");

static void reject_portable(struct arena_checkpoint *checkpoint, const char *why)
{
    checkpoint->rejected++;
    log_arena_warning(checkpoint->name, "portable checkpoint rejected arena=%s: %s",
                      checkpoint->name, why);
}

// Reads the portable checkpoint of the last process.
static void find_portable(struct arena_checkpoint *checkpoint, const char *directory)
{
    char path[CHECKPOINT_PATH_BYTES];
    const char *why;
    if (!checkpoint_is_there(checkpoint->file) ||
        !portable_checkpoint_path(directory, checkpoint->name, path))
        return; // what may be there is of a match that has ended
    checkpoint->found = portable_checkpoint_read(path, &checkpoint->kept, &why);
    if (checkpoint->found == NULL && why != NULL)
        reject_portable(checkpoint, why);
}

bool arena_checkpoint_create(struct arena_checkpoint *checkpoint, const char *name,
                             uint32_t max_players)
{
    char *directory = checkpoint->posted.directory;
    *checkpoint = (struct arena_checkpoint){0};
    assert(strlen(name) < sizeof checkpoint->name);
    strcpy(checkpoint->name, name);
    checkpoint->addresses = calloc(RAIM_MAX_PLAYERS, sizeof *checkpoint->addresses);
    checkpoint->rows = calloc(RAIM_MAX_PLAYERS, sizeof *checkpoint->rows);
    if (checkpoint->addresses == NULL || checkpoint->rows == NULL)
        return false;
    if (!unit_directories_find("RUNTIME_DIRECTORY", directory, CHECKPOINT_PATH_BYTES))
        return true;
    checkpoint->max_age_s = ARENA_CHECKPOINT_MAX_AGE_S;
    checkpoint->max_rows = 2 * max_players; // with those who have left
    checkpoint->file = checkpoint_create(directory, name);
    if (checkpoint->file == NULL ||
        !triple_buffer_create(&checkpoint->blocks, portable_checkpoint_size(checkpoint->max_rows)))
        return false;
    find_portable(checkpoint, directory);
    return true;
}

void arena_checkpoint_discard(struct arena_checkpoint *checkpoint)
{
    checkpoint->is_over = true;
}

static void remove_portable(struct arena_checkpoint *checkpoint, struct store *store)
{
    char path[CHECKPOINT_PATH_BYTES];
    if (checkpoint->posted.name[0] != '\0' &&
        portable_checkpoint_path(checkpoint->posted.directory, checkpoint->posted.name, path))
        store_remove(store, path);
    checkpoint->posted.name[0] = '\0';
}

// The block, with what is kept behind it; NULL when memory runs out.
static char *copy_block(const struct portable_checkpoint *block, const char *kept, size_t *size)
{
    const size_t kept_size = kept != NULL ? strlen(kept) : 0;
    const size_t block_size = portable_checkpoint_size(portable_checkpoint_rows(block));
    char *copy = malloc(block_size + kept_size);
    *size = block_size + kept_size;
    if (copy == NULL)
        return NULL;
    memcpy(copy, block, block_size);
    memcpy(copy + block_size, kept != NULL ? kept : "", kept_size);
    return copy;
}

void arena_checkpoint_post(struct arena_checkpoint *checkpoint, struct store *store)
{
    char path[CHECKPOINT_PATH_BYTES];
    size_t size;
    if (checkpoint->file == NULL)
        return;
    const struct portable_checkpoint *block = triple_buffer_front(&checkpoint->blocks);
    if (block->number == checkpoint->posted.number ||
        !portable_checkpoint_path(checkpoint->posted.directory, block->arena, path))
        return;
    if (strcmp(checkpoint->posted.name, block->arena) != 0)
        remove_portable(checkpoint, store);
    checkpoint->posted.number = block->number;
    strcpy(checkpoint->posted.name, block->arena);
    char *bytes = copy_block(block, checkpoint->kept, &size);
    store_replace_encoded(store, path, bytes, size, portable_checkpoint_encode);
}

static void end_portable(struct arena_checkpoint *checkpoint, struct store *store)
{
    if (checkpoint->is_over)
        remove_portable(checkpoint, store);
    else
        arena_checkpoint_post(checkpoint, store);
    if (!store_is_running(store))
        store_flush(store);
}

void arena_checkpoint_destroy(struct arena_checkpoint *checkpoint, struct store *store)
{
    if (checkpoint->is_bound && checkpoint->is_over)
        checkpoint_remove(checkpoint->file);
    if (store != NULL && checkpoint->file != NULL)
        end_portable(checkpoint, store);
    checkpoint_destroy(checkpoint->file);
    triple_buffer_destroy(&checkpoint->blocks);
    free(checkpoint->found);
    free(checkpoint->kept);
    free(checkpoint->addresses);
    free(checkpoint->rows);
    *checkpoint = (struct arena_checkpoint){0};
}

struct checkpoint_map arena_checkpoint_find_map(const struct arena_checkpoint *checkpoint,
                                                const struct config_arena *config)
{
    char name[RAIM_MAP_NAME_BYTES];
    struct checkpoint_map map = {0};
    if (checkpoint->file == NULL)
        return map;
    if (!checkpoint_find_map(checkpoint->file, checkpoint->max_age_s, &map, name)) {
        if (checkpoint->found == NULL ||
            checkpoint_is_expired(checkpoint->found->saved, checkpoint->max_age_s))
            return map;
        map = checkpoint->found->map;
        memcpy(name, checkpoint->found->match.map, sizeof name);
    }
    const int count = config->rotation_count;
    // The rotation may have changed since, and may contain a map twice.
    if (map.index < 0 || map.index > count)
        map.index = 0;
    for (int i = 0; i <= count && map.path[0] == '\0'; i++) {
        const int slot = (map.index + i) % (count + 1);
        const struct raim_map *found = slot == 0 ? config->match.map : config->rotation[slot - 1];
        if (strcmp(found->name, name) == 0) {
            map.index = slot;
            break;
        }
    }
    return map;
}

static uint32_t tick_hz(const struct raim_match *match)
{
    return raim_match_world(match)->tick_hz;
}

static void record_save(struct arena_checkpoint *checkpoint, const struct raim_match *match)
{
    checkpoint->events = raim_match_events(match);
    checkpoint->saved_tick = raim_match_tick(match);
}

// Creates the file of a match. Without one, the arena runs on without checkpoints.
static void bind_match(struct arena_checkpoint *checkpoint, const struct raim_match *match)
{
    char error[ERROR_BYTES];
    checkpoint->match = match;
    checkpoint->is_bound = checkpoint_bind(checkpoint->file, match, &checkpoint->map,
                                           checkpoint->addresses, error, sizeof error);
    if (!checkpoint->is_bound)
        log_arena_warning(checkpoint->name, "checkpoint failed arena=%s: %s", checkpoint->name,
                          error);
    record_save(checkpoint, match);
}

static void export_addresses(const struct arena_checkpoint *checkpoint,
                             struct portable_checkpoint *block)
{
    for (uint32_t i = 0; i < block->match.players; i++) {
        struct raim_portable_player *row = &block->rows[i];
        const struct checkpoint_address *from =
            &checkpoint->addresses[raim_player_slot((raim_player_id)row->id)];
        if (from->player != row->id)
            continue;
        row->address[0] = from->high;
        row->address[1] = from->low;
        row->address[2] = from->host;
        row->scope = from->scope;
        row->port = from->port;
    }
}

// Finds the addresses of the players who are in the match, where their ids may be others.
static void import_addresses(struct arena_checkpoint *checkpoint, const struct raim_match *match)
{
    const struct portable_checkpoint *found = checkpoint->found;
    const uint32_t count = raim_match_players(match, checkpoint->rows, RAIM_MAX_PLAYERS);
    for (uint32_t i = 0; i < count; i++) {
        const raim_player_id id = checkpoint->rows[i].id;
        uint8_t token[RAIM_TOKEN_BYTES];
        uint32_t from = 0;
        if (!raim_match_token(match, id, token))
            continue;
        while (memcmp(found->rows[from].token, token, sizeof token) != 0)
            from++;
        const struct raim_portable_player *row = &found->rows[from];
        checkpoint->addresses[raim_player_slot(id)] =
            (struct checkpoint_address){.host = row->address[2],
                                        .high = row->address[0],
                                        .low = row->address[1],
                                        .scope = row->scope,
                                        .port = (uint16_t)row->port,
                                        .player = id};
    }
}

// Publishes a block for the portable checkpoint.
static void publish(struct arena_checkpoint *checkpoint, const struct raim_match *match)
{
    struct portable_checkpoint *block = triple_buffer_back(&checkpoint->blocks);
    block->number = ++checkpoint->published;
    block->format = PORTABLE_CHECKPOINT_FORMAT;
    block->saved = checkpoint_now(checkpoint->file);
    strcpy(block->arena, checkpoint->name);
    block->map.index = checkpoint->map.index;
    strcpy(block->map.path, checkpoint->map.path);
    raim_match_export(match, &block->match, block->rows, checkpoint->max_rows);
    export_addresses(checkpoint, block);
    triple_buffer_publish(&checkpoint->blocks);
    checkpoint->published_tick = raim_match_tick(match);
    checkpoint->published_events = raim_match_events(match);
}

// Names the players for whom the arena has no slot any more.
static void log_left_out(const struct arena_checkpoint *checkpoint, const struct raim_match *match)
{
    for (uint32_t i = 0; i < checkpoint->found->match.players; i++) {
        const struct raim_portable_player *player = &checkpoint->found->rows[i];
        if (!player->bot && !raim_match_has_session(match, player->token))
            log_arena_warning(checkpoint->name,
                              "player left out arena=%s name=\"%s\" score=%u: the arena has fewer "
                              "slots",
                              checkpoint->name, player->name, player->score);
    }
}

// Continues the match of the portable checkpoint, because the other one was rejected. Where it has
// expired this becomes the result.
static bool continue_portable(struct arena_checkpoint *checkpoint, struct raim_match *match,
                              struct checkpoint_result *result)
{
    const struct portable_checkpoint *found = checkpoint->found;
    if (found == NULL)
        return false;
    const char *fault = checkpoint_time_fault(checkpoint->file, found->saved);
    const uint64_t age_ms = checkpoint_now(checkpoint->file).ms - found->saved.ms;
    if (fault == NULL && checkpoint_is_expired(found->saved, checkpoint->max_age_s)) {
        *result = (struct checkpoint_result){.verdict = CHECKPOINT_EXPIRED, .age_ms = age_ms};
        return false;
    }
    if (fault == NULL && !raim_match_import(match, &found->match, found->rows))
        fault = "it has no valid state";
    if (fault != NULL) {
        if (strcmp(fault, result->why) != 0) // the other one is usually of the same time
            reject_portable(checkpoint, fault);
        return false;
    }
    const struct raim_match_counts counts = raim_match_counts(match);
    checkpoint->gap_ms = age_ms;
    log_arena_info(checkpoint->name,
                   "arena continued arena=%s players=%u bots=%u round=%u age_ms=%llu: checkpoint "
                   "rejected, %s; portable checkpoint read",
                   checkpoint->name, counts.players, counts.bots, raim_match_round(match).round,
                   (unsigned long long)age_ms, result->why);
    log_left_out(checkpoint, match);
    import_addresses(checkpoint, match);
    return true;
}

static void log_restored(const struct arena_checkpoint *checkpoint, const struct raim_match *match,
                         const struct checkpoint_result *result)
{
    const struct raim_match_counts counts = raim_match_counts(match);
    switch (result->verdict) {
    case CHECKPOINT_NONE:
        break;
    case CHECKPOINT_RESTORED:
        log_arena_info(checkpoint->name,
                       "arena restored arena=%s players=%u bots=%u tick=%u age_ms=%llu",
                       checkpoint->name, counts.players, counts.bots, raim_match_tick(match),
                       (unsigned long long)result->age_ms);
        break;
    case CHECKPOINT_EXPIRED:
        log_arena_info(checkpoint->name, "match expired arena=%s age_s=%llu: a new one begins",
                       checkpoint->name, (unsigned long long)(result->age_ms / 1000));
        break;
    case CHECKPOINT_REJECTED:
        log_arena_warning(checkpoint->name, "checkpoint rejected arena=%s: %s", checkpoint->name,
                          result->why);
        break;
    case CHECKPOINT_SET_ASIDE:
        log_arena_error(checkpoint->name, "checkpoint set aside arena=%s: %s", checkpoint->name,
                        result->why);
        break;
    }
}

void arena_checkpoint_note_map(struct arena_checkpoint *checkpoint,
                               const struct checkpoint_map *map)
{
    checkpoint->map = *map;
}

enum checkpoint_guilt arena_checkpoint_guilt(const struct arena_checkpoint *checkpoint)
{
    return checkpoint->file != NULL ? checkpoint_guilt(checkpoint->file) : CHECKPOINT_INNOCENT;
}

void arena_checkpoint_excuse(struct arena_checkpoint *checkpoint)
{
    if (checkpoint->file != NULL)
        checkpoint_excuse(checkpoint->file);
}

// Restores or continues the match, or counts it as lost.
static enum checkpoint_verdict take_over(struct arena_checkpoint *checkpoint,
                                         struct raim_match *match)
{
    struct checkpoint_result result =
        checkpoint_restore(checkpoint->file, match, checkpoint->max_age_s, checkpoint->addresses);
    checkpoint->rejected += result.verdict >= CHECKPOINT_REJECTED;
    if (result.verdict == CHECKPOINT_RESTORED)
        checkpoint->gap_ms = result.age_ms;
    const bool is_continued =
        result.verdict == CHECKPOINT_REJECTED && continue_portable(checkpoint, match, &result);
    if (!is_continued)
        log_restored(checkpoint, match, &result);
    const struct portable_checkpoint *found = checkpoint->found;
    if (result.verdict == CHECKPOINT_RESTORED && found != NULL &&
        checkpoint_time_fault(checkpoint->file, found->saved) == NULL &&
        !checkpoint_is_expired(found->saved, checkpoint->max_age_s))
        raim_match_import_rest(match, &found->match, found->rows);
    free(checkpoint->found);
    checkpoint->found = NULL;
    checkpoint->gap_tick = raim_match_tick(match);
    checkpoint->lost += result.verdict >= CHECKPOINT_REJECTED && !is_continued;
    return result.verdict;
}

uint64_t arena_checkpoint_gap_ms(const struct arena_checkpoint *checkpoint, uint32_t since)
{
    return raim_tick_diff(since, checkpoint->gap_tick) <= 0 ? checkpoint->gap_ms : 0;
}

bool arena_checkpoint_check(struct arena_checkpoint *checkpoint, struct raim_match *match)
{
    if (checkpoint->file != NULL)
        checkpoint_only_check(checkpoint->file);
    if (checkpoint->file == NULL || take_over(checkpoint, match) == CHECKPOINT_NONE)
        log_arena_info(checkpoint->name, "arena has no checkpoint arena=%s", checkpoint->name);
    return checkpoint->lost == 0;
}

void arena_checkpoint_start(struct arena_checkpoint *checkpoint, struct raim_match *match)
{
    if (checkpoint->file == NULL)
        return;
    if (take_over(checkpoint, match) == CHECKPOINT_RESTORED)
        checkpoint->untrusted_ticks = TRUST_S * tick_hz(match);
    if (checkpoint->lost == 0) {
        checkpoint->invites_left = INVITES;
        raim_crypto_random(checkpoint->invite_nonce, sizeof checkpoint->invite_nonce);
        checkpoint->next_invites_tick = raim_match_tick(match) + 1;
    }
    checkpoint->slots = raim_match_world(match)->max_players; // whose addresses are known
    bind_match(checkpoint, match);
    publish(checkpoint, match);
}

void arena_checkpoint_rename(struct arena_checkpoint *checkpoint, const char *name)
{
    if (strcmp(checkpoint->name, name) == 0)
        return;
    if (checkpoint->file != NULL && !checkpoint_rename(checkpoint->file, name))
        log_arena_warning(name, "checkpoint failed arena=%s: cannot be renamed: %s", name,
                          strerror(errno));
    strcpy(checkpoint->name, name);
}

// Records the addresses of the connected players. An absent player keeps the last address.
static void find_addresses(struct arena_checkpoint *checkpoint, const struct raim_match *match,
                           const struct transport *transport)
{
    const uint32_t slots = raim_match_world(match)->max_players;
    const uint32_t count = raim_match_players(match, checkpoint->rows, RAIM_MAX_PLAYERS);
    uint32_t next = 0;
    checkpoint->slots = slots;
    for (uint32_t slot = 0; slot < slots; slot++) {
        struct checkpoint_address *address = &checkpoint->addresses[slot];
        if (next == count || raim_player_slot(checkpoint->rows[next].id) != slot) {
            *address = (struct checkpoint_address){0};
            continue;
        }
        const struct raim_match_player *row = &checkpoint->rows[next++];
        if (address->player != row->id)
            *address = (struct checkpoint_address){.player = row->id};
        if (row->bot || row->away)
            continue;
        const struct udp_address path = transport_path(transport, row->client);
        address->host = ip_address_host(transport_source(transport, row->client).ip);
        address->high = path.ip.high;
        address->low = path.ip.low;
        address->scope = path.scope;
        address->port = path.port;
    }
}

static void save(struct arena_checkpoint *checkpoint, const struct raim_match *match,
                 const struct transport *transport)
{
    find_addresses(checkpoint, match, transport);
    if (checkpoint->file != NULL && match != checkpoint->match) {
        bind_match(checkpoint, match);
        return;
    }
    if (checkpoint->file != NULL)
        checkpoint_save(checkpoint->file, match, checkpoint->addresses);
    checkpoint->match = match;
    record_save(checkpoint, match);
}

// Sends an invitation. All invitations of a restart share one nonce, so that a client acts on only
// one of the repetitions.
static void invite(const struct arena_checkpoint *checkpoint, const uint8_t token[RAIM_TOKEN_BYTES],
                   const struct checkpoint_address *address, struct transport *transport)
{
    struct raim_invite invite;
    uint8_t bytes[RAIM_INVITE_BYTES];
    memcpy(invite.nonce, checkpoint->invite_nonce, sizeof invite.nonce);
    const uint64_t proof = raim_crypto_siphash(token, invite.nonce, sizeof invite.nonce);
    for (size_t i = 0; i < sizeof invite.proof; i++)
        invite.proof[i] = (uint8_t)(proof >> 8 * i);
    const struct udp_address to = {
        .ip = {address->high, address->low}, .scope = address->scope, .port = address->port};
    transport_send_to(transport, to, bytes, raim_invite_write(&invite, bytes));
}

static void invite_absent_players(struct arena_checkpoint *checkpoint,
                                  const struct raim_match *match, struct transport *transport)
{
    const uint32_t slots = raim_match_world(match)->max_players;
    if (checkpoint->invites_left == 0 ||
        raim_tick_diff(raim_match_tick(match), checkpoint->next_invites_tick) < 0)
        return;
    checkpoint->invites_left--;
    checkpoint->next_invites_tick = raim_match_tick(match) + tick_hz(match) / INVITES_PER_S;
    for (uint32_t slot = 0; slot < slots; slot++) {
        const struct checkpoint_address *address = &checkpoint->addresses[slot];
        uint8_t token[RAIM_TOKEN_BYTES];
        if (address->port != 0 && raim_match_token(match, address->player, token))
            invite(checkpoint, token, address, transport);
    }
}

void arena_checkpoint_set_in_tick(struct arena_checkpoint *checkpoint, bool is_in_tick)
{
    if (checkpoint->untrusted_ticks > 0)
        checkpoint_set_in_tick(checkpoint->file, is_in_tick);
}

// An arena in which nobody is has nothing new.
static bool publish_due(struct arena_checkpoint *checkpoint, const struct raim_match *match)
{
    const uint32_t waited = raim_match_tick(match) - checkpoint->published_tick;
    if (checkpoint->file == NULL || waited < tick_hz(match) ||
        (raim_match_events(match) == checkpoint->published_events &&
         raim_match_playing(match) == 0))
        return false;
    publish(checkpoint, match);
    return true;
}

bool arena_checkpoint_run(struct arena_checkpoint *checkpoint, const struct raim_match *match,
                          struct transport *transport)
{
    invite_absent_players(checkpoint, match, transport);
    const uint32_t waited = raim_match_tick(match) - checkpoint->saved_tick;
    if (match != checkpoint->match || raim_match_events(match) != checkpoint->events ||
        waited >= tick_hz(match))
        save(checkpoint, match, transport);
    if (checkpoint->untrusted_ticks > 0 && --checkpoint->untrusted_ticks == 0)
        checkpoint_trust(checkpoint->file);
    return publish_due(checkpoint, match);
}

bool arena_checkpoint_has_address(const struct arena_checkpoint *checkpoint, struct ip_address ip)
{
    const uint64_t host = ip_address_host(ip);
    for (uint32_t slot = 0; slot < checkpoint->slots; slot++) {
        const struct checkpoint_address *address = &checkpoint->addresses[slot];
        if (address->port != 0 && address->host == host)
            return true;
    }
    return false;
}

void arena_checkpoint_end(struct arena_checkpoint *checkpoint, struct raim_match *match,
                          const struct transport *transport, bool keeps_checkpoint)
{
    if (!checkpoint->is_bound || !keeps_checkpoint) {
        raim_match_shutdown(match);
        checkpoint->is_over = true;
        return;
    }
    // Before the suspension, which drops the connections.
    find_addresses(checkpoint, match, transport);
    raim_match_suspend(match);
    checkpoint_trust(checkpoint->file);
    checkpoint_save(checkpoint->file, match, checkpoint->addresses);
    publish(checkpoint, match);
}
