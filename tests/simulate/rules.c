// SPDX-License-Identifier: MIT
// What each kind of fault does when it begins, in each of its steps, and when it ends.
#include "state.h"

#include "chat.h"
#include "handshake.h"
#include "input.h"
#include "random.h"

#include <string.h>

static double between(uint64_t *random, double low, double high)
{
    return low + raim_random_unit(random) * (high - low);
}

// Small numbers are likely, large ones possible.
static double tail(uint64_t *random, double high)
{
    const double unit = raim_random_unit(random);
    return unit * unit * unit * high;
}

static struct peer *peer_of(struct simulation *simulation, const struct fault *fault)
{
    const uint32_t honest = simulation->honest_count;
    const uint32_t liars = simulation->peer_count - honest;
    if (fault_victim(fault->kind) == FAULT_LIAR)
        return liars > 0 ? &simulation->peers[honest + fault->actor % liars] : NULL;
    return &simulation->peers[fault->actor % honest];
}

// --- the network and the clients ---

static void spoil_line(struct simulation *simulation, struct peer *peer, uint64_t *random)
{
    const struct network_line line = {
        .latency_ms = tail(random, 400),
        .jitter_ms = tail(random, 300),
        .loss = tail(random, 0.5),
        .duplication = tail(random, 0.3),
        .reordering = tail(random, 0.3),
        .bytes_per_s = raim_random_below(random, 4) == 0 ? between(random, 2000, 30000) : 0,
    };
    peer_set_line(simulation, peer, &line);
}

static void leave(struct simulation *simulation, struct peer *peer, double again_s)
{
    uint8_t bytes[RAIM_MAX_MESSAGE_BYTES];
    if (peer->client == NULL)
        return;
    peer_send(simulation, peer, true, bytes,
              raim_client_write_goodbye(peer->client, bytes, sizeof bytes));
    peer_end(simulation, peer, again_s);
}

// --- lies ---

static void send_garbage(struct simulation *simulation, struct peer *peer, uint64_t *random)
{
    uint8_t bytes[RAIM_MAX_MESSAGE_BYTES];
    const uint32_t size =
        1 + raim_random_below(random,
                              raim_random_below(random, 8) == 0 ? RAIM_MAX_MESSAGE_BYTES - 1 : 40);
    for (uint32_t i = 0; i < size; i++)
        bytes[i] = (uint8_t)raim_random_next(random);
    peer_send(simulation, peer, raim_random_below(random, 2) == 0, bytes, size);
}

static void send_wild_input(struct simulation *simulation, struct peer *peer, uint64_t *random)
{
    uint8_t bytes[RAIM_MAX_MESSAGE_BYTES];
    const uint32_t tick = raim_match_tick(simulation->match);
    const uint32_t far = raim_random_below(random, 4) == 0 ? 1u << 31 : 40;
    struct raim_input_message message = {
        .tick = tick + raim_random_below(random, far) - far / 2,
        .has_snapshot = raim_random_below(random, 2) == 0,
        .snapshot = tick - raim_random_below(random, 80) + 8,
        .events = (uint16_t)raim_random_next(random),
        .count = 1 + raim_random_below(random, RAIM_MAX_INPUTS),
    };
    for (uint32_t i = 0; i < message.count; i++)
        message.inputs[i] = (raim_wire_input){
            .move_x = (int8_t)(raim_random_below(random, 3) - 1),
            .move_y = (int8_t)(raim_random_below(random, 3) - 1),
            .fire = true,
            .view_age = (uint8_t)raim_random_below(random, RAIM_WIRE_REWIND + 1),
            .aim = (uint16_t)raim_random_next(random),
        };
    peer_send(simulation, peer, raim_random_below(random, 8) == 0, bytes,
              raim_input_write(&message, bytes, sizeof bytes));
}

static void send_hello(struct simulation *simulation, struct peer *peer, uint64_t *random,
                       bool resumes)
{
    uint8_t bytes[RAIM_MAX_MESSAGE_BYTES];
    struct raim_hello hello = {
        .version = RAIM_PROTOCOL_VERSION + (raim_random_below(random, 8) == 0),
        .watch = raim_random_below(random, 4) == 0,
        .resume = resumes,
        .name = "liar",
    };
    const uint8_t *token = peer->client != NULL ? raim_client_token(peer->client) : NULL;
    if (token != NULL)
        memcpy(hello.token, token, sizeof hello.token);
    if (raim_random_below(random, 2) == 0)
        hello.token[raim_random_below(random, RAIM_TOKEN_BYTES)] ^= 1;
    peer_send(simulation, peer, true, bytes, raim_hello_write(&hello, bytes, sizeof bytes));
}

static void send_goodbye(struct simulation *simulation, struct peer *peer, uint64_t *random)
{
    uint8_t bytes[RAIM_MAX_MESSAGE_BYTES];
    struct raim_client_goodbye client_goodbye = {.reason = raim_random_below(random, 256)};
    for (int i = 0; i < RAIM_TOKEN_BYTES && raim_random_below(random, 2) == 0; i++)
        client_goodbye.token[i] = (uint8_t)raim_random_next(random);
    peer_send(simulation, peer, true, bytes,
              raim_client_goodbye_write(&client_goodbye, bytes, sizeof bytes));
}

static void send_chat(struct simulation *simulation, struct peer *peer, uint64_t *random)
{
    uint8_t bytes[RAIM_MAX_MESSAGE_BYTES];
    char text[RAIM_MAX_CHAT_BYTES + 1] = "";
    const uint32_t size = raim_random_below(random, RAIM_MAX_CHAT_BYTES);
    for (uint32_t i = 0; i < size; i++)
        text[i] = raim_random_below(random, 8) == 0 ? (char)(1 + raim_random_below(random, 255))
                                                    : (char)('a' + i % 26);
    const struct raim_chat chat = raim_chat_of(text);
    peer_send(simulation, peer, true, bytes, raim_chat_write(&chat, bytes, sizeof bytes));
}

static void send_recorded(struct simulation *simulation, struct peer *peer, uint64_t *random)
{
    const uint32_t count =
        simulation->recorded_count < MAX_RECORDED ? simulation->recorded_count : MAX_RECORDED;
    uint8_t bytes[RAIM_MAX_MESSAGE_BYTES];
    if (count == 0)
        return;
    const struct recorded *recorded = &simulation->recorded[raim_random_below(random, count)];
    raim_reader reader = raim_reader_make(recorded->bytes, recorded->size);
    const uint32_t kind = raim_message_read(&reader);
    // A HELLO or GOODBYE has the token of its session, which nobody else can know: links are
    // encrypted, or trusted.
    if (kind == RAIM_MESSAGE_HELLO || kind == RAIM_MESSAGE_GOODBYE)
        return;
    memcpy(bytes, recorded->bytes, recorded->size);
    peer_send(simulation, peer, recorded->reliable, bytes, recorded->size);
}

// --- the operator ---

static bool pick_player(const struct simulation *simulation, const struct fault *fault,
                        struct raim_match_player *player)
{
    struct raim_match_player rows[MAX_SLOTS];
    const uint32_t count = raim_match_players(simulation->match, rows, MAX_SLOTS);
    if (count == 0)
        return false;
    *player = rows[fault->actor % count];
    return true;
}

static void tune(struct simulation *simulation, uint64_t *random)
{
    const struct raim_match_def *def = &simulation->match_def;
    struct raim_match_tuning tuning = def->tuning;
    if (random != NULL) {
        tuning.max_players = 1 + raim_random_below(random, def->tuning.max_players);
        tuning.max_spectators = raim_random_below(random, def->tuning.max_spectators + 1);
        tuning.resume_grace_s = tail(random, 10);
        tuning.idle_timeout_s = tail(random, 10);
        tuning.round_s = between(random, 0, 20);
        tuning.score_limit = raim_random_below(random, 4);
        strcpy(tuning.motd, "tuned");
    }
    raim_match_tune(simulation->match, &tuning);
}

static void pause_match(struct simulation *simulation, bool paused)
{
    raim_match_pause(simulation->match, paused);
}

// --- the three moments of a fault ---

void fault_begin(struct simulation *simulation, struct fault *fault)
{
    struct raim_match_player player;
    struct peer *peer = peer_of(simulation, fault);
    uint64_t *random = &fault->random;
    const double lasts_s = (double)(fault->end - fault->begin) / TICK_HZ;
    const bool has_player = pick_player(simulation, fault, &player);
    if (peer == NULL)
        return;
    switch (fault->kind) {
    case FAULT_bad_line:
        spoil_line(simulation, peer, random);
        break;
    case FAULT_partition:
        network_cut(simulation->network, peer->index, simulation->now_us,
                    simulation->now_us + (uint64_t)(lasts_s * SECOND_US));
        break;
    case FAULT_new_address:
        network_rebind(simulation->network, peer->index, simulation->now_us);
        break;
    case FAULT_client_crash:
        if (peer->client != NULL)
            peer_end(simulation, peer, lasts_s);
        break;
    case FAULT_leave:
        leave(simulation, peer, lasts_s);
        break;
    case FAULT_clock_step:
        peer_set_clock(simulation, peer, peer->clock_rate);
        peer->local_us += (uint64_t)(tail(random, 20) * SECOND_US);
        break;
    case FAULT_clock_drift:
        peer_set_clock(simulation, peer, between(random, 0.97, 1.03));
        break;
    case FAULT_stall:
        peer->is_stalled = true;
        break;
    case FAULT_mutation:
        peer->mutates = true;
        peer->lie_random = raim_random_next(random);
        break;
    case FAULT_second_hello:
        send_hello(simulation, peer, random, false);
        break;
    case FAULT_stale_token:
        send_hello(simulation, peer, random, true);
        break;
    case FAULT_false_goodbye:
        send_goodbye(simulation, peer, random);
        break;
    case FAULT_odd_name:
        peer->has_odd_name = true;
        if (peer->client != NULL)
            peer_end(simulation, peer, 0.1);
        break;
    case FAULT_kick:
        if (has_player)
            raim_match_kick(simulation->match, player.id, "simulated");
        break;
    case FAULT_ban:
        if (has_player && !player.bot && !player.away)
            raim_match_ban(simulation->match, player.client, "simulated");
        break;
    case FAULT_mute:
        if (has_player)
            raim_match_mute(simulation->match, player.id, raim_random_below(random, 2) == 0);
        break;
    case FAULT_pause:
        pause_match(simulation, true);
        break;
    case FAULT_map_change:
        server_change_map(simulation, random);
        break;
    case FAULT_tune:
        tune(simulation, random);
        break;
    case FAULT_drain:
        raim_match_drain(simulation->match, true);
        break;
    case FAULT_overload:
        raim_match_set_snapshot_interval(
            simulation->match, 2 + raim_random_below(random, RAIM_MAX_SNAPSHOT_INTERVAL - 1));
        break;
    case FAULT_crash:
        server_crash(simulation);
        break;
    case FAULT_crash_before_send:
        simulation->crashes_now = true;
        break;
    case FAULT_restart:
        server_restart(simulation);
        break;
    default:
        break;
    }
}

void fault_during(struct simulation *simulation, struct fault *fault)
{
    struct peer *peer = peer_of(simulation, fault);
    uint64_t *random = &fault->random;
    if (peer == NULL)
        return;
    switch (fault->kind) {
    case FAULT_garbage:
        send_garbage(simulation, peer, random);
        break;
    case FAULT_wild_input:
        send_wild_input(simulation, peer, random);
        break;
    case FAULT_chat_flood:
        send_chat(simulation, peer, random);
        break;
    case FAULT_spoof:
        send_recorded(simulation, peer, random);
        break;
    default:
        break;
    }
}

void fault_end(struct simulation *simulation, struct fault *fault)
{
    struct peer *peer = peer_of(simulation, fault);
    if (peer == NULL)
        return;
    switch (fault->kind) {
    case FAULT_bad_line:
        peer_set_line(simulation, peer, &peer->line);
        break;
    case FAULT_clock_drift:
        peer_set_clock(simulation, peer, 1);
        break;
    case FAULT_stall:
        peer->is_stalled = false;
        peer->was_announced = false; // of unread chat the client keeps the newest lines
        break;
    case FAULT_mutation:
        peer->mutates = false;
        break;
    case FAULT_odd_name:
        peer->has_odd_name = false;
        break;
    case FAULT_pause:
        pause_match(simulation, false);
        break;
    case FAULT_tune:
        tune(simulation, NULL);
        break;
    case FAULT_drain:
        raim_match_drain(simulation->match, false);
        break;
    case FAULT_overload:
        raim_match_set_snapshot_interval(simulation->match, 1);
        break;
    default:
        break;
    }
}
