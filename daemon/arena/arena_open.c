// SPDX-License-Identifier: MIT
// Opens and closes an arena: its access control, transport, encryption and first match.
#define _GNU_SOURCE
#include "arena_internal.h"

#include "crypto.h"
#include "log.h"
#include "monotonic.h"
#include "server_key.h"
#include "systemd.h"

#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MESSAGES = 32 }; // room for the burst of commands of an operator's script

// The number of connections: more than there are slots for players and spectators, so that a full
// arena can still answer that it is full.
static uint32_t connections_for(const struct config_arena *config)
{
    const uint32_t places = config->match.tuning.max_players + config->match.tuning.max_spectators;
    return places + places / 8 + 8;
}

static int64_t now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec;
}

// The callback by which the match reports the stages of a tick.
static void begin_work(void *context, enum raim_match_work work)
{
    tick_timer_enter(context,
                     work == RAIM_MATCH_INTEREST ? TICK_STAGE_INTEREST : TICK_STAGE_ENCODE);
}

// The callback by which the access control asks for reserved slots.
static bool may_join(void *context, const char *name)
{
    const struct arena *arena = context;
    const struct raim_match *match = arena->worker.match;
    return reservations_take(arena->worker.reservations, name, raim_match_playing(match),
                             arena->worker.config->match.tuning.max_players, monotonic_ms());
}

void arena_take_reservations(struct arena *arena)
{
    struct raim_match_player *rows = arena->worker.rows;
    const struct raim_match *match = arena->worker.match;
    uint32_t omitted, count = raim_match_players(match, rows, arena->opened.status_rows);
    for (uint32_t i = 0; i < count; i++)
        may_join(arena, rows[i].subject);
    count = raim_match_departed(match, rows, arena->opened.max_players, &omitted);
    for (uint32_t i = 0; i < count; i++)
        may_join(arena, rows[i].subject);
}

// The callback by which the match asks whether a client may join or watch. Its connection brought
// the password, or else it has an access token.
static enum raim_match_admission admit(void *context, const struct raim_match_visitor *visitor,
                                       char name[RAIM_MAX_NAME_BYTES + 1])
{
    struct arena *arena = context;
    struct access_control *control = arena->worker.access_control;
    const bool has_password = arena->worker.config->password.is_set;
    if (has_password && transport_knows_password(arena->worker.transport, visitor->client)) {
        const bool is_reserved = !visitor->watches && arena->worker.reservations != NULL;
        return is_reserved && !may_join(arena, "") ? RAIM_MATCH_WANTS_ACCESS : RAIM_MATCH_ADMITTED;
    }
    if (control != NULL && atomic_load(&arena->shared.admits_tokens) &&
        access_control_admit(control, visitor->token, visitor->size, now_s(), visitor->watches,
                             name) == ACCESS_CONTROL_ADMITTED)
        return RAIM_MATCH_ADMITTED;
    if (has_password)
        return RAIM_MATCH_WANTS_PASSWORD;
    return control != NULL ? RAIM_MATCH_WANTS_ACCESS : RAIM_MATCH_ADMITTED;
}

static void resumed(void *context, uint32_t since)
{
    struct arena *arena = context;
    const uint32_t ticks = raim_match_tick(arena->worker.match) - since;
    const uint64_t gap_ms = arena_checkpoint_gap_ms(&arena->worker.checkpoint, since);
    histogram_count_by(&arena->worker.pauses, histogram_pause_bounds_ns,
                       ticks * arena->opened.tick_ns + gap_ms * (NS_PER_S / 1000));
}

static bool open_access_control(struct arena *arena, const struct config_arena *config,
                                struct store *store)
{
    char runtime[PATH_MAX], error[2 * PATH_MAX];
    if (!config->needs_access)
        return true;
    const bool has_runtime = unit_directories_find("RUNTIME_DIRECTORY", runtime, sizeof runtime);
    // The name of an arena is never used again, and an arena's table need not outlive a reboot.
    const bool has_state = !config->is_on_demand && store_has_directory(store);
    if (!has_state && !config->is_on_demand)
        log_arena_warning(
            config->name,
            "used tokens are stored only in %s arena=%s: there is no $STATE_DIRECTORY",
            has_runtime ? "the runtime directory" : "memory", config->name);
    const struct used_tokens_file_def used = {
        .name = config->name,
        .runtime = has_runtime ? runtime : NULL,
        .store = has_state ? store : NULL,
        .now_s = time(NULL),
        .is_continued = config->is_reopened,
    };
    arena->opened.used_tokens = used_tokens_file_open(&used, error, sizeof error);
    atomic_init(&arena->shared.admits_tokens, !has_state);
    if (error[0] != '\0')
        log_arena_error(config->name, "access tokens rejected arena=%s: %s", config->name, error);
    const struct access_control_def def = {
        .arena = config->name,
        .keys = &config->access_keys,
        .used = arena->opened.used_tokens != NULL
                    ? used_tokens_file_table(arena->opened.used_tokens)
                    : NULL,
    };
    arena->worker.access_control = access_control_create(&def);
    return arena->worker.access_control != NULL;
}

void arena_mark_tokens(struct arena *const *arenas, int count, struct store *store)
{
    bool is_any = false;
    for (int i = 0; i < count; i++) {
        struct used_tokens_file *used = arenas[i]->opened.used_tokens;
        if (used == NULL || arenas[i]->opened.is_on_demand)
            continue;
        used_tokens_file_mark(used, arena_config(arenas[i])->name);
        arenas[i]->main.is_marking_tokens = is_any = true;
    }
    const uint64_t sync = is_any ? store_sync(store) : 0;
    for (int i = 0; is_any && i < count; i++)
        if (arenas[i]->main.is_marking_tokens)
            used_tokens_file_note_sync(arenas[i]->opened.used_tokens, sync);
}

void arena_mark_renamed_tokens(struct arena *arena, struct prepared_match *renamed,
                               struct arena *leaving, struct store *store)
{
    struct used_tokens_file *used = arena->opened.used_tokens;
    if (used == NULL || strcmp(renamed->config.name, arena_config(arena)->name) == 0)
        return;
    renamed->has_known_tokens = used_tokens_file_mark(used, renamed->config.name);
    if (leaving != NULL && leaving->opened.used_tokens != NULL)
        used_tokens_file_leave(leaving->opened.used_tokens);
    used_tokens_file_note_sync(used, store_sync(store));
    arena->main.is_marking_tokens = true;
}

bool arena_poll_token_marking(struct arena *arena)
{
    if (!arena->main.is_marking_tokens)
        return false;
    const enum store_outcome outcome = used_tokens_file_marked(arena->opened.used_tokens);
    if (outcome == STORE_WAITS)
        return true;
    arena->main.is_marking_tokens = false;
    atomic_store(&arena->shared.admits_tokens, outcome == STORE_WRITTEN);
    if (outcome == STORE_FAILED)
        log_arena_error(arena_config(arena)->name,
                        "access tokens rejected arena=%s: used tokens cannot be stored",
                        arena_config(arena)->name);
    return false;
}

static struct transport *open_transport(const struct config_arena *config,
                                        struct socket_activation *sockets, char *error,
                                        size_t capacity)
{
    const uint32_t peers = connections_for(config);
    const int socket = socket_activation_find(sockets, config->address, config->port);
    if (socket >= 0)
        return transport_adopt(socket, peers, error, capacity);
    return transport_open(config->address, config->port, peers, error, capacity);
}

// The capacity of the status: bots can be added at run time, up to the configured maximum.
static uint32_t most_players(const struct config_arena *config)
{
    const uint32_t most = config->match.tuning.max_players + CONFIG_MAX_BOTS;
    return most < RAIM_MAX_PLAYERS ? most : RAIM_MAX_PLAYERS;
}

static const char *find_ban(void *context, struct ip_address ip)
{
    const struct arena *arena = context;
    return bans_reason(arena->worker.commands.bans, ip);
}

static bool admits_token(void *context, const uint8_t *token, size_t size)
{
    const struct arena *arena = context;
    return arena->worker.access_control != NULL && atomic_load(&arena->shared.admits_tokens) &&
           access_control_check(arena->worker.access_control, token, size, now_s()) ==
               ACCESS_CONTROL_ADMITTED;
}

static bool admits_password(void *context, const uint8_t *key)
{
    const struct arena *arena = context;
    const struct config_password *password = &arena->worker.config->password;
    return password->is_set && password_check_key(&password->password, key);
}

static bool has_session(void *context, const uint8_t *token)
{
    const struct arena *arena = context;
    return raim_match_has_session(arena->worker.match, token);
}

static bool has_player_at(void *context, struct ip_address ip)
{
    const struct arena *arena = context;
    return arena_checkpoint_has_address(&arena->worker.checkpoint, ip);
}

static bool admits_master(void *context, struct udp_address from)
{
    struct arena *arena = context;
    return masters_admit(&arena->worker.masters, from, (int64_t)monotonic_ms());
}

static bool offer_encryption(struct arena *arena, bool required, char *error, size_t capacity)
{
    uint8_t secret[RAIM_KEY_BYTES];
    if (!server_key_get(secret, error, capacity))
        return false;
    const bool encrypted = transport_enable_encryption(arena->worker.transport, secret, required);
    raim_crypto_wipe(secret, sizeof secret);
    if (!encrypted)
        snprintf(error, capacity, "out of memory");
    return encrypted;
}

// Loads the map that the operator had chosen in the last process. Returns NULL, after logging why,
// if it cannot be loaded any more.
static struct config *load_checkpoint_map(const struct config_arena *config, const char *path)
{
    char *text = NULL;
    size_t size;
    struct diagnostics report = {.out = open_memstream(&text, &size)};
    if (report.out == NULL)
        return NULL;
    struct config *map = config_load_map("", path, config->match.rules.player_radius, &report);
    fclose(report.out);
    const char *words = report.no_memory || text == NULL ? "out of memory" : text;
    if (map == NULL)
        log_arena_warning(config->name, "map failed arena=%s: %.*s", config->name,
                          (int)strcspn(words, "\n"), words);
    free(text);
    return map;
}

// Prepares the first match, on the map that the last process played on.
static struct prepared_match *prepare_first_match(const struct arena *arena,
                                                  const struct config_arena *config,
                                                  struct config *owner)
{
    struct config_arena first = *config;
    struct checkpoint_map map = arena_checkpoint_find_map(&arena->worker.checkpoint, config);
    struct config *own_map = map.path[0] != '\0' ? load_checkpoint_map(config, map.path) : NULL;
    if (own_map == NULL)
        map.path[0] = '\0';
    else
        first.rotation_count = 0; // the rotation's maps belong to another owner
    first.match.map = own_map != NULL  ? own_map->maps[0]
                      : map.index == 0 ? config->match.map
                                       : config->rotation[map.index - 1];
    struct prepared_match *prepared =
        arena_prepare(arena, &first, own_map != NULL ? own_map : owner);
    config_unload(own_map); // the prepared match shares it
    if (prepared == NULL)
        return NULL;
    prepared->map = map;
    arena_name_maps(prepared->match, config);
    return prepared;
}

// An arena with the limits that do not change any more; NULL when memory runs out.
static struct arena *allocate(const struct config_arena *config)
{
    struct arena *arena = calloc(1, sizeof *arena);
    if (arena == NULL)
        return NULL;
    arena->opened.max_players = config->match.tuning.max_players;
    arena->opened.max_spectators = config->match.tuning.max_spectators;
    arena->opened.connections = connections_for(config);
    arena->opened.tick_ns = NS_PER_S / config->match.tick_hz;
    arena->opened.status_rows = most_players(config);
    return arena;
}

bool arena_check(struct config *owner, const struct config_arena *config)
{
    struct arena *arena = allocate(config);
    struct arena_checkpoint *checkpoint = arena != NULL ? &arena->worker.checkpoint : NULL;
    if (checkpoint != NULL &&
        arena_checkpoint_create(checkpoint, config->name, arena->opened.status_rows))
        arena->worker.current = prepare_first_match(arena, config, owner);
    const bool good = checkpoint != NULL && arena->worker.current != NULL &&
                      arena_checkpoint_check(checkpoint, arena->worker.current->match);
    arena_destroy(arena);
    return good;
}

struct arena *arena_create(struct config *owner, const struct config_arena *config,
                           struct socket_activation *sockets, struct store *store,
                           const struct wakeup *wakeup, char *error, size_t capacity)
{
    struct arena *arena = allocate(config);
    if (arena == NULL) {
        snprintf(error, capacity, "out of memory");
        return NULL;
    }
    arena->opened.is_on_demand = config->is_on_demand;
    if (config->is_on_demand) // it is silent only if its first tick is late
        atomic_init(&arena->shared.ticked_ms, monotonic_ms());
    arena->opened.wakeup = wakeup;
    arena->main.store = store;
    raim_crypto_random(arena->opened.origin_key, sizeof arena->opened.origin_key);
    arena->opened.guard =
        (struct raim_match_guard){.context = arena, .admit = admit, .resumed = resumed};
    snapshot_pace_init(&arena->worker.pace, config->match.tick_hz);
    arena->worker.observer =
        (struct raim_match_observer){.context = &arena->worker.timer, .begins = begin_work};
    const bool has_access_control = open_access_control(arena, config, store);
    if (has_access_control &&
        arena_checkpoint_create(&arena->worker.checkpoint, config->name, arena->opened.status_rows))
        arena->worker.current = prepare_first_match(arena, config, owner);
    arena->main.current = arena->worker.current;
    arena->worker.rows = calloc(arena->opened.status_rows, sizeof *arena->worker.rows);
    const size_t status_size =
        sizeof(struct arena_status) + arena->opened.status_rows * sizeof(struct arena_player);
    if (!triple_buffer_create(&arena->shared.status, status_size) ||
        !triple_buffer_create(&arena->shared.masters, sizeof(struct masters_list)) ||
        !mailbox_create(&arena->shared.mailbox, MESSAGES, sizeof(struct command)) ||
        !has_access_control || arena->worker.current == NULL || arena->worker.rows == NULL) {
        snprintf(error, capacity, "out of memory");
        arena_destroy(arena);
        return NULL;
    }
    arena->worker.transport = open_transport(config, sockets, error, capacity);
    if (arena->worker.transport == NULL) {
        arena_destroy(arena);
        return NULL;
    }
    arena->opened.port = transport_port(arena->worker.transport);
    transport_set_policy(arena->worker.transport, &(struct admission_policy){
                                                      .context = arena,
                                                      .find_ban = find_ban,
                                                      .admits_token = admits_token,
                                                      .admits_password = admits_password,
                                                      .has_session = has_session,
                                                      .has_player_at = has_player_at,
                                                      .admits_master = admits_master,
                                                  });
    if (config->encryption != CONFIG_ENCRYPTION_OFF &&
        !offer_encryption(arena, config->encryption == CONFIG_ENCRYPTION_REQUIRED, error,
                          capacity)) {
        arena_destroy(arena);
        return NULL;
    }
    if (owner->gateway.is_trusted &&
        !transport_enable_gateways(arena->worker.transport, owner->gateway.key)) {
        snprintf(error, capacity, "out of memory");
        arena_destroy(arena);
        return NULL;
    }
    arena_play_match(arena, arena->worker.current);
    return arena;
}

void arena_set_reservations(struct arena *arena, struct reservations *reservations)
{
    assert(arena->worker.reservations == NULL && arena->worker.access_control != NULL);
    arena->worker.reservations = reservations;
    access_control_reserve(arena->worker.access_control, may_join, arena);
}

bool arena_enable_event_queue(struct arena *arena)
{
    assert(arena->worker.queue == NULL);
    arena->worker.queue = event_queue_create(&(struct event_queue_def){
        .slots = arena->opened.status_rows, .departed = arena->opened.max_players});
    return arena->worker.queue != NULL;
}

bool arena_enable_recording(struct arena *arena, struct recorder *recorder)
{
    struct raim_match *match = arena->worker.match;
    assert(arena->worker.recording.stream == NULL);
    if (!recording_memory_create(&arena->worker.current->records, match))
        return false;
    arena->worker.recording.stream = recorder_open_stream(
        recorder, raim_world_bytes(raim_match_world(match)), arena->opened.status_rows);
    return arena->worker.recording.stream != NULL;
}

struct recorder_stream *arena_recorder_stream(struct arena *arena)
{
    return arena->worker.recording.stream;
}

struct event_queue *arena_get_event_queue(struct arena *arena)
{
    return arena->worker.queue;
}

void arena_close_port(struct arena *arena)
{
    if (arena->worker.transport != NULL)
        transport_close(arena->worker.transport);
    arena->worker.transport = NULL;
}

void arena_destroy(struct arena *arena)
{
    if (arena == NULL)
        return;
    arena_close_port(arena);
    recorder_close_stream(arena->worker.recording.stream);
    triple_buffer_destroy(&arena->shared.status);
    triple_buffer_destroy(&arena->shared.masters);
    mailbox_destroy(&arena->shared.mailbox);
    if (arena->opened.is_on_demand && !atomic_load(&arena->shared.keeps_checkpoint))
        arena_checkpoint_discard(&arena->worker.checkpoint); // even if no worker ran it
    arena_checkpoint_destroy(&arena->worker.checkpoint, arena->main.store);
    arena_collect(arena);
    prepared_match_free_all(prepared_match_take(&arena->shared.offered));
    prepared_match_free(arena->worker.next);
    prepared_match_free(arena->worker.current);
    access_control_destroy(arena->worker.access_control);
    if (arena->opened.is_on_demand && !atomic_load(&arena->shared.keeps_checkpoint))
        used_tokens_file_remove(arena->opened.used_tokens);
    else
        used_tokens_file_close(arena->opened.used_tokens);
    reservations_destroy(arena->worker.reservations);
    event_queue_destroy(arena->worker.queue);
    free(arena->worker.rows);
    free(arena);
}
