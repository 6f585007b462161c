// SPDX-License-Identifier: MIT
// The match, its checkpoints as arena_checkpoint.h saves them, and its ends and beginnings.
#include "state.h"

#include "digest.h"
#include "random.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ANNOUNCEMENT_STEPS = 97, DIGEST_STEPS = 16, RTT_STEPS = 16 };

static double between(uint64_t *random, double low, double high)
{
    return low + raim_random_unit(random) * (high - low);
}

static struct raim_match_def draw_match(struct simulation *simulation)
{
    static const double graces_s[] = {8, 5, 3, 0}, delays_s[] = {0, 0, 0.5};
    uint64_t *random = &simulation->random;
    struct raim_match_def def = raim_match_default_def();
    def.map = simulation->def.maps[raim_random_below(random, SIMULATION_MAPS)];
    def.tick_hz = TICK_HZ;
    def.tuning.max_players = 20;
    def.tuning.max_spectators = 8;
    def.spectator_delay_s = delays_s[raim_random_below(random, 3)];
    def.max_connections = MAX_HANDLES;
    def.bots = raim_random_below(random, 5);
    def.tuning.resume_grace_s = graces_s[raim_random_below(random, 4)];
    def.tuning.round_s = raim_random_below(random, 2) == 0 ? 0 : between(random, 5, 60);
    def.tuning.score_limit = raim_random_below(random, 3) == 0 ? 5 : 0;
    def.tuning.break_s = between(random, 0, 4);
    def.seed = raim_random_next(random);
    def.bot_skill = (enum raim_bot_skill)(def.seed % RAIM_BOT_SKILLS);
    def.bot_fill = (def.seed >> 8) % 2 != 0;
    strcpy(def.arena, "simulated");
    return def;
}

static struct raim_match *create_match(const struct raim_match_def *def)
{
    struct raim_match *match = raim_match_create(def);
    assert(match != NULL);
    return match;
}

static void bind_match(struct simulation *simulation, struct raim_match *match,
                       const struct raim_match_def *def)
{
    simulation->match = match;
    simulation->match_def = *def;
    simulation->bound_tick = raim_match_tick(match);
    invariants_forget_match(simulation);
}

static void save(struct simulation *simulation)
{
    const size_t bytes = raim_match_checkpoint_size(simulation->match);
    if (bytes != simulation->checkpoint_bytes) {
        free(simulation->checkpoint);
        simulation->checkpoint = malloc(bytes);
        assert(simulation->checkpoint != NULL);
        simulation->checkpoint_bytes = bytes;
    }
    raim_match_save(simulation->match, simulation->checkpoint);
    simulation->checkpoint_def = simulation->match_def;
    simulation->checkpoint_events = raim_match_events(simulation->match);
    simulation->checkpoint_step = simulation->step;
}

bool server_begin(struct simulation *simulation)
{
    const struct raim_match_def def = draw_match(simulation);
    bind_match(simulation, create_match(&def), &def);
    recordings_begin(simulation);
    save(simulation);
    return true;
}

void server_end(struct simulation *simulation)
{
    recordings_end(simulation);
    raim_match_destroy(simulation->match);
    free(simulation->checkpoint);
}

void server_deliver(struct simulation *simulation, const struct network_delivery *delivery)
{
    uint8_t token[RAIM_TOKEN_BYTES];
    const uint32_t handle = delivery->connection;
    if (delivery->news != NETWORK_CONNECTED && !simulation->is_connected[handle])
        return;
    switch (delivery->news) {
    case NETWORK_CONNECTED:
        for (size_t i = 0; i < sizeof token; i++)
            token[i] = (uint8_t)raim_random_next(&simulation->random);
        simulation->is_connected[handle] = true;
        raim_match_connect(simulation->match, handle, token);
        break;
    case NETWORK_MESSAGE:
        raim_match_receive(simulation->match, handle, delivery->reliable, delivery->data,
                           delivery->size);
        break;
    case NETWORK_DISCONNECTED:
        simulation->is_connected[handle] = false;
        raim_match_disconnect(simulation->match, handle);
        break;
    }
}

static void pull(struct simulation *simulation)
{
    struct raim_outgoing out;
    while (raim_match_outgoing(simulation->match, &out)) {
        if (!simulation->is_connected[out.client] || out.size > RAIM_MAX_MESSAGE_BYTES) {
            fail(simulation, "messages_have_a_connection", "client %u, %zu bytes", out.client,
                 out.size);
            return;
        }
        if (out.size > 0)
            network_send(simulation->network, out.client, NETWORK_SERVER, out.reliable, out.data,
                         out.size, simulation->now_us);
        if (out.close)
            network_close(simulation->network, out.client, NETWORK_SERVER, out.reason,
                          simulation->now_us);
    }
}

// --- ends and beginnings ---

static void restore(struct simulation *simulation)
{
    struct raim_match_def def = simulation->checkpoint_def;
    def.seed = raim_random_next(&simulation->random);
    recordings_end(simulation);
    raim_match_destroy(simulation->match);
    memset(simulation->is_connected, 0, sizeof simulation->is_connected);
    bind_match(simulation, create_match(&def), &def);
    if (!raim_match_restore(simulation->match, simulation->checkpoint,
                            simulation->checkpoint_bytes))
        fail(simulation, "checkpoints_restore", "%s",
             raim_match_checkpoint_fault(simulation->match, simulation->checkpoint,
                                         simulation->checkpoint_bytes));
    simulation->bound_tick = raim_match_tick(simulation->match);
    recordings_begin(simulation);
    simulation->verdict->restores++;
    invariants_check_restored(simulation);
}

void server_crash(struct simulation *simulation)
{
    for (uint32_t handle = 0; handle < MAX_HANDLES; handle++)
        if (simulation->is_connected[handle])
            network_drop(simulation->network, handle, NETWORK_SERVER, simulation->now_us);
    restore(simulation);
}

void server_restart(struct simulation *simulation)
{
    save(simulation);
    raim_match_suspend(simulation->match);
    pull(simulation);
    restore(simulation);
}

void server_change_map(struct simulation *simulation, uint64_t *random)
{
    const struct raim_match_counts counts = raim_match_counts(simulation->match);
    struct raim_match_def def = simulation->match_def;
    def.map = simulation->def.maps[raim_random_below(random, SIMULATION_MAPS)];
    def.bots = raim_random_below(random, 5);
    def.seed = raim_random_next(random);
    def.bot_skill = (enum raim_bot_skill)(def.seed % RAIM_BOT_SKILLS);
    def.bot_fill = (def.seed >> 8) % 2 != 0;
    if (raim_random_below(random, 2) == 0)
        def.rules.player_speed = between(random, 100, 600);
    if (def.tuning.max_players < counts.players)
        def.tuning.max_players = counts.players;
    struct raim_match *next = create_match(&def);
    recordings_end(simulation);
    raim_match_transfer(next, simulation->match, raim_random_below(random, 2) == 0);
    raim_match_destroy(simulation->match);
    bind_match(simulation, next, &def);
    recordings_begin(simulation);
    simulation->checkpoint_events = raim_match_events(next) - 1; // so that it is saved at once
    simulation->verdict->transfers++;
}

// --- a tick ---

// As ENet measures it, without noise.
static void measure_clients(struct simulation *simulation)
{
    for (uint32_t i = 0; i < simulation->peer_count; i++) {
        const struct peer *peer = &simulation->peers[i];
        const struct network_line *line = network_get_line(simulation->network, i);
        if (peer->connection != NO_CONNECTION && simulation->is_connected[peer->connection])
            raim_match_set_rtt(simulation->match, (uint32_t)peer->connection,
                               (uint32_t)(2 * line->latency_ms), (uint32_t)line->jitter_ms);
    }
}

static void announce(struct simulation *simulation)
{
    char text[32];
    snprintf(text, sizeof text, "%llu", (unsigned long long)simulation->announcements + 1);
    simulation->announcements += raim_match_say(simulation->match, text);
}

void server_step(struct simulation *simulation)
{
    if (simulation->step % RTT_STEPS == 0)
        measure_clients(simulation);
    if (simulation->step % ANNOUNCEMENT_STEPS == 0)
        announce(simulation);
    const uint64_t calls = heap_count().calls;
    raim_match_step(simulation->match);
    if (heap_count().calls != calls)
        fail(simulation, "ticks_do_not_allocate", "%llu calls",
             (unsigned long long)(heap_count().calls - calls));
    if (raim_match_events(simulation->match) != simulation->checkpoint_events ||
        simulation->step - simulation->checkpoint_step >= TICK_HZ)
        save(simulation);
    invariants_check_step(simulation);
    if (simulation->crashes_now) {
        simulation->crashes_now = false;
        server_crash(simulation);
        return;
    }
    pull(simulation);
    recordings_take(simulation);
    if (simulation->step % DIGEST_STEPS == 0) {
        struct simulation_verdict *verdict = simulation->verdict;
        verdict->digest =
            verdict->digest * 31 + raim_world_digest(raim_match_world(simulation->match));
    }
}
