// SPDX-License-Identifier: MIT
// Lets everything happen in the order of virtual time.
#include "state.h"

#include "random.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static const uint64_t never = UINT64_MAX;

void fail(struct simulation *simulation, const char *invariant, const char *format, ...)
{
    struct simulation_verdict *verdict = simulation->verdict;
    va_list arguments;
    if (simulation->is_failed)
        return;
    simulation->is_failed = verdict->is_failed = true;
    snprintf(verdict->invariant, sizeof verdict->invariant, "%s", invariant);
    va_start(arguments, format);
    vsnprintf(verdict->why, sizeof verdict->why, format, arguments);
    va_end(arguments);
}

void simulation_faults(uint64_t seed, struct fault_schedule *schedule)
{
    uint64_t random = seed;
    fault_schedule_draw(schedule, raim_random_next(&random), LENGTH_S * TICK_HZ, TICK_HZ);
}

static double between(uint64_t *random, double low, double high)
{
    return low + raim_random_unit(random) * (high - low);
}

static void draw_addresses(struct simulation *simulation)
{
    simulation->honest_count = 8;
    simulation->peer_count = 8 + raim_random_below(&simulation->random, 3);
    const uint32_t spectators = raim_random_below(&simulation->random, 3);
    for (uint32_t i = 0; i < simulation->peer_count; i++) {
        struct peer *peer = &simulation->peers[i];
        *peer = (struct peer){
            .index = i,
            .is_liar = i >= simulation->honest_count,
            .watches = i < spectators,
            .random = raim_random_next(&simulation->random),
            .connection = NO_CONNECTION,
            .poll_us = raim_random_below(&simulation->random, SECOND_US / TICK_HZ),
            .begin_us = raim_random_below(&simulation->random, SECOND_US),
            .line = {.latency_ms = between(&simulation->random, 0, 120),
                     .jitter_ms = between(&simulation->random, 0, 8)},
            .local_us = raim_random_next(&simulation->random) >> 24,
            .clock_rate = 1,
        };
        raim_bot_init(&peer->brain, raim_random_next(&peer->random));
        network_set_line(simulation->network, i, &peer->line);
    }
}

static struct peer *next_to_poll(struct simulation *simulation)
{
    struct peer *next = &simulation->peers[0];
    for (uint32_t i = 1; i < simulation->peer_count; i++)
        if (simulation->peers[i].poll_us < next->poll_us)
            next = &simulation->peers[i];
    return next;
}

static void play_faults(struct simulation *simulation)
{
    for (uint32_t i = 0; i < simulation->schedule.count; i++) {
        struct fault *fault = &simulation->schedule.faults[i];
        if (fault->is_dropped)
            continue;
        if (simulation->step == fault->begin) {
            fault->is_active = true;
            fault_begin(simulation, fault);
        }
        if (simulation->step == fault->end && fault->is_active) {
            fault->is_active = false;
            fault_end(simulation, fault);
        }
        if (fault->is_active)
            fault_during(simulation, fault);
    }
}

static void play_until(struct simulation *simulation, uint64_t tick_us)
{
    while (!simulation->is_failed) {
        struct network_delivery delivery;
        struct peer *peer = next_to_poll(simulation);
        const uint64_t next_us = network_next_us(simulation->network);
        if (next_us != never && next_us <= peer->poll_us && next_us <= tick_us) {
            simulation->now_us = next_us;
            if (!network_next(simulation->network, next_us, &delivery))
                continue;
            if (delivery.end == NETWORK_SERVER)
                server_deliver(simulation, &delivery);
            else
                peer_deliver(simulation, &delivery);
        } else if (peer->poll_us <= tick_us) {
            simulation->now_us = peer->poll_us;
            peer->poll_us += SECOND_US / (2 * TICK_HZ);
            peer_poll(simulation, peer);
        } else {
            simulation->now_us = tick_us;
            return;
        }
    }
}

static void note_quiet(struct simulation *simulation)
{
    const struct fault_quiet *quiet = fault_schedule_quiet(&simulation->schedule, simulation->step);
    const bool begins = quiet != NULL && simulation->quiet == NULL;
    simulation->quiet = quiet;
    for (uint32_t i = 0; begins && i < simulation->peer_count; i++) {
        struct peer *peer = &simulation->peers[i];
        peer->settled_us =
            peer->connection == NO_CONNECTION
                ? simulation->now_us
                : network_settled_us(simulation->network, (uint32_t)peer->connection);
    }
}

static void play(struct simulation *simulation)
{
    const uint32_t length = LENGTH_S * TICK_HZ;
    const uint32_t until = simulation->def.until > 0 && simulation->def.until < length
                               ? simulation->def.until
                               : length;
    for (simulation->step = 1; simulation->step <= until && !simulation->is_failed;
         simulation->step++) {
        simulation->verdict->step = simulation->step;
        play_until(simulation, (uint64_t)simulation->step * SECOND_US / TICK_HZ);
        if (simulation->is_failed)
            break;
        note_quiet(simulation);
        play_faults(simulation);
        server_step(simulation);
        if (simulation->quiet != NULL)
            invariants_check_quiet(simulation);
    }
}

void simulation_run(const struct simulation_def *def, struct simulation_verdict *verdict)
{
    const struct heap_counts heap = heap_count();
    struct simulation *simulation = calloc(1, sizeof *simulation);
    assert(simulation != NULL);
    simulation->def = *def;
    simulation->verdict = verdict;
    simulation->random = def->seed;
    *verdict = (struct simulation_verdict){.tick_hz = TICK_HZ};
    simulation_faults(def->seed, &simulation->schedule);
    for (uint32_t i = 0; i < MAX_FAULTS; i++)
        simulation->schedule.faults[i].is_dropped = def->dropped[i];
    (void)raim_random_next(&simulation->random); // the faults' own
    simulation->network =
        network_create(MAX_SEATS, MAX_HANDLES, raim_random_next(&simulation->random));
    assert(simulation->network != NULL);
    draw_addresses(simulation);
    verdict->clients = simulation->honest_count;
    if (server_begin(simulation))
        play(simulation);
    for (uint32_t i = 0; i < simulation->peer_count; i++)
        raim_client_destroy(simulation->peers[i].client);
    server_end(simulation);
    invariants_release(simulation);
    network_destroy(simulation->network);
    const bool is_failed = simulation->is_failed;
    simulation->is_failed = true; // the state is gone
    free(simulation);
    const uint64_t left = heap_count().live - heap.live;
    if (!is_failed && left != 0) {
        verdict->is_failed = true;
        snprintf(verdict->invariant, sizeof verdict->invariant, "nothing_leaks");
        snprintf(verdict->why, sizeof verdict->why, "%lld blocks are left in the end",
                 (long long)left);
    }
    verdict->is_over = true;
}
