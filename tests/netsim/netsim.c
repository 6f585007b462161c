// SPDX-License-Identifier: MIT
// Lets everything happen in the order of time, and watches.
#include "netsim.h"

#include "client_internal.h"
#include "match_internal.h"

#include "bot.h"
#include "message.h"
#include "picture_error.h"
#include "probe.h"
#include "random.h"
#include "watch.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TICK_HZ = 60, POLL_HZ = 480, POLLS_PER_FRAME = 5, SECOND_US = 1000000 };
#define NO_CONNECTION UINT32_MAX

static const double connect_timeout_s = 60; // where much is lost it may take long to get in

struct peer {
    struct raim_client *client;
    struct watch watch;
    struct probe probe;
    struct raim_bot brain;
    uint32_t connection;
    uint64_t poll_us; // when it looks next at what there is to do
    uint32_t polls;
    enum raim_client_state state;
    struct raim_match_player row; // of its player, as the server has it
    uint64_t inputs_wrong;        // ticks that the server played with other keys than it pressed
    uint64_t sent;                // INPUTs
    struct netsim_figures sums;   // of the means, since netsim_measure
    struct netsim_figures before; // totals at netsim_measure
    struct picture_error picture; // since netsim_measure
};

enum { EVENTS_REMEMBERED = 1 << 12, EVENTS_MAX_MS = 4000 };

struct netsim {
    struct netsim_def def;
    struct raim_match *match;
    struct network *network;
    uint64_t now_us, random;
    bool peaceful, broken;
    uint64_t event_us[EVENTS_REMEMBERED];    // when they were due, by number
    uint32_t events_due;                     // number of the next one
    uint64_t events_after_ms[EVENTS_MAX_MS]; // events by the time that they took to a client
    struct picture_truth truth;
    struct peer peers[NETSIM_MAX_PLAYERS];
};

struct netsim_def netsim_def_of(const struct raim_map *map, uint32_t players,
                                const struct network_line *line, uint64_t seed)
{
    struct netsim_def def = {
        .map = map,
        .players = players,
        .lag_compensation_ms = raim_match_default_def().lag_compensation_ms,
        .rules = raim_rules_default(),
        .seed = seed,
    };
    for (uint32_t i = 0; i < players; i++)
        def.lines[i] = *line;
    return def;
}

static bool create_peer(struct netsim *netsim, uint32_t player)
{
    struct peer *peer = &netsim->peers[player];
    char name[RAIM_MAX_NAME_BYTES + 1];
    snprintf(name, sizeof name, "bot-%u", player);
    struct raim_client_def def = raim_client_default_def();
    def.name = name;
    def.connect_timeout_s = connect_timeout_s;
    peer->client = raim_client_create(&def);
    peer->connection = NO_CONNECTION;
    watch_init(&peer->watch, 2 * netsim->def.lines[player].latency_ms / 1000, TICK_HZ);
    peer->poll_us = raim_random_below(&netsim->random, SECOND_US / POLL_HZ);
    raim_bot_init(&peer->brain, raim_random_next(&netsim->random));
    probe_init(&peer->probe, TICK_HZ, netsim->def.seed ^ player);
    network_set_line(netsim->network, player, &netsim->def.lines[player]);
    return peer->client != NULL;
}

struct netsim *netsim_create(const struct netsim_def *def)
{
    assert(def->players >= 1 && def->players <= NETSIM_MAX_PLAYERS);
    struct netsim *netsim = calloc(1, sizeof *netsim);
    if (netsim == NULL)
        return NULL;
    netsim->def = *def;
    netsim->random = def->seed;
    netsim->peaceful = def->peaceful;
    struct raim_match_def match_def = raim_match_default_def();
    match_def.map = def->map;
    match_def.rules = def->rules;
    match_def.tick_hz = TICK_HZ;
    match_def.tuning.max_players = def->players;
    match_def.tuning.max_spectators = 0;
    match_def.lag_compensation_ms = def->lag_compensation_ms;
    match_def.max_connections = 4 * def->players + 4; // some may be dead without a report yet
    match_def.bots = 0;
    match_def.seed = raim_random_next(&netsim->random);
    netsim->match = raim_match_create(&match_def);
    netsim->network =
        network_create(def->players, match_def.max_connections, raim_random_next(&netsim->random));
    bool good = netsim->match != NULL && netsim->network != NULL;
    for (uint32_t i = 0; i < def->players && good; i++)
        good = create_peer(netsim, i);
    if (good)
        return netsim;
    netsim_destroy(netsim);
    return NULL;
}

void netsim_destroy(struct netsim *netsim)
{
    if (netsim == NULL)
        return;
    for (uint32_t i = 0; i < netsim->def.players; i++)
        raim_client_destroy(netsim->peers[i].client);
    network_destroy(netsim->network);
    raim_match_destroy(netsim->match);
    free(netsim);
}

// --- what must be true ---

// Prints the first breach.
static void fail(struct netsim *netsim, const struct peer *peer, const char *what,
                 const char *which)
{
    if (netsim->broken)
        return;
    netsim->broken = true;
    fprintf(stderr, "netsim: seed %" PRIu64 ", step %" PRIu32 ", %.6f s, ", netsim->def.seed,
            raim_match_tick(netsim->match), (double)netsim->now_us / SECOND_US);
    if (peer != NULL)
        fprintf(stderr, "player %d ", (int)(peer - netsim->peers));
    fprintf(stderr, "%s%s\n", what, which);
}

static void check_watch(struct netsim *netsim, const struct peer *peer)
{
    if (peer->watch.problem[0] != '\0')
        fail(netsim, peer, peer->watch.problem, "");
}

// Some inputs come late, and a connection may be lost before its hello.
static void check_rejected(struct netsim *netsim)
{
    const struct raim_match_counts counts = raim_match_counts(netsim->match);
    for (int i = 0; i < RAIM_REJECTIONS; i++)
        if (i != RAIM_REJECTED_INPUT_LATE && i != RAIM_REJECTED_SILENT && counts.rejected[i] > 0)
            fail(netsim, NULL,
                 "the server rejected a message: ", raim_rejection_name((enum raim_rejection)i));
}

// --- a client ---

static void send_from(struct netsim *netsim, const struct peer *peer, bool reliable,
                      const uint8_t *data, size_t size)
{
    if (size > 0 && peer->connection != NO_CONNECTION)
        network_send(netsim->network, peer->connection, NETWORK_CLIENT, reliable, data, size,
                     netsim->now_us);
}

static raim_input think(const struct netsim *netsim, struct peer *peer)
{
    const struct netsim_liar *liar = netsim->def.liar;
    const struct raim_client *client = peer->client;
    struct raim_bot_enemy enemies[RAIM_BOT_MAX_ENEMIES];
    const raim_vec2 view = raim_client_view(client);
    const double lead_s = raim_client_lead_ticks(client) / TICK_HZ;
    struct raim_bot_observation sight = {
        .map = raim_client_map(client),
        .rules = raim_client_rules(client),
        .tick = (uint32_t)raim_client_own_tick(client),
        .tick_hz = raim_client_tick_hz(client),
        .position = raim_client_eye(client),
        .enemies = enemies,
    };
    for (uint32_t i = 0; i < peer->watch.player_count && sight.enemy_count < RAIM_BOT_MAX_ENEMIES;
         i++) {
        const struct raim_client_player *player = &peer->watch.players[i];
        const raim_vec2 away = raim_vec2_sub(player->position, sight.position);
        if (player->slot == raim_client_own_slot(client) || fabs(away.x) > view.x / 2 ||
            fabs(away.y) > view.y / 2)
            continue;
        enemies[sight.enemy_count++] = (struct raim_bot_enemy){
            .key = (player->slot + 1) << 8 | player->life,
            .position = raim_vec2_mad(player->position, player->velocity, lead_s),
            .velocity = player->velocity,
            .shielded = player->shielded,
        };
    }
    const uint32_t player = (uint32_t)(peer - netsim->peers);
    if (liar != NULL && liar->see != NULL)
        liar->see(liar->context, player, (uint32_t)(raim_client_own_tick(client) + 0.5), &sight);
    raim_input input = raim_bot_think(&peer->brain, &sight);
    if (liar != NULL && liar->press != NULL)
        liar->press(liar->context, player, &input);
    return input;
}

static void press(struct netsim *netsim, struct peer *peer)
{
    uint8_t bytes[RAIM_MAX_MESSAGE_BYTES];
    raim_input input = {0};
    if (raim_client_alive(peer->client) && peer->watch.has_frame)
        input = think(netsim, peer);
    if (netsim->peaceful)
        input.fire = 0;
    size_t size =
        raim_client_write_input(peer->client, netsim->now_us, &input, bytes, sizeof bytes);
    peer->sent += size > 0;
    const struct netsim_liar *liar = netsim->def.liar;
    if (size > 0 && liar != NULL && liar->send != NULL)
        size =
            liar->send(liar->context, (uint32_t)(peer - netsim->peers), bytes, size, sizeof bytes);
    send_from(netsim, peer, false, bytes, size);
}

static void connect_if_wanted(struct netsim *netsim, struct peer *peer)
{
    if (!raim_client_wants_connection(peer->client, netsim->now_us))
        return;
    if (peer->connection != NO_CONNECTION)
        network_drop(netsim->network, peer->connection, NETWORK_CLIENT, netsim->now_us);
    peer->connection =
        network_connect(netsim->network, (uint32_t)(peer - netsim->peers), netsim->now_us);
}

// What became of the client by what it was told, or by the time.
static void follow_state(struct netsim *netsim, struct peer *peer)
{
    const enum raim_client_state before = peer->state;
    peer->state = raim_client_get_state(peer->client);
    if (peer->state == RAIM_CLIENT_ENDED)
        fail(netsim, peer,
             "ended: ", raim_client_reason_name(raim_client_get_end(peer->client).reason));
    if (peer->state == before)
        return;
    if (peer->state == RAIM_CLIENT_PLAYING)
        watch_enter(&peer->watch, peer->client);
    else
        watch_leave(&peer->watch);
}

static void sample(struct peer *peer)
{
    const struct raim_client_quality quality = raim_client_get_quality(peer->client);
    struct netsim_figures *sums = &peer->sums;
    sums->samples++;
    sums->round_trip_ms += quality.round_trip_ms;
    sums->jitter_ms += quality.jitter_ms;
    sums->margin += quality.margin;
    sums->view_delay_ms += quality.view_delay_ms;
    sums->interpolation_ms += quality.interpolation_ms;
}

static void poll(struct netsim *netsim, struct peer *peer)
{
    connect_if_wanted(netsim, peer);
    follow_state(netsim, peer);
    peer->polls++;
    if (peer->connection != NO_CONNECTION && peer->polls % POLL_HZ == 0) {
        const struct network_share share =
            network_take_share(netsim->network, peer->connection, NETWORK_CLIENT);
        raim_client_count_loss(peer->client, share.came, share.sent);
    }
    if (peer->state != RAIM_CLIENT_PLAYING)
        return;
    watch_receive(&peer->watch, peer->client);
    if (peer->polls % POLLS_PER_FRAME == 0) {
        watch_frame(&peer->watch, peer->client, netsim->now_us);
        picture_error_add(&peer->picture, &netsim->truth, peer->client);
    }
    if (peer->polls % (POLL_HZ / 4) == 0)
        sample(peer);
    while (raim_client_is_input_due(peer->client, netsim->now_us)) {
        watch_frame(&peer->watch, peer->client, netsim->now_us);
        press(netsim, peer);
        // Inputs advance the client's own player, by more than a frame where several are due.
        watch_frame(&peer->watch, peer->client, netsim->now_us);
    }
    check_watch(netsim, peer);
}

// --- what the network brings ---

static void deliver_to_server(struct netsim *netsim, const struct network_delivery *delivery)
{
    uint8_t token[RAIM_TOKEN_BYTES];
    switch (delivery->news) {
    case NETWORK_CONNECTED:
        for (size_t i = 0; i < sizeof token; i++)
            token[i] = (uint8_t)raim_random_next(&netsim->random);
        raim_match_connect(netsim->match, delivery->connection, token);
        break;
    case NETWORK_MESSAGE:
        raim_match_receive(netsim->match, delivery->connection, delivery->reliable, delivery->data,
                           delivery->size);
        break;
    case NETWORK_DISCONNECTED:
        raim_match_disconnect(netsim->match, delivery->connection);
        break;
    }
}

// Counts by their latency the newest events that a client has taken.
static void measure_events(struct netsim *netsim, const struct peer *peer, uint64_t count)
{
    const uint32_t next = peer->client->roster.next_sequence;
    for (uint32_t i = 1; i <= count; i++) {
        const uint64_t due_us = netsim->event_us[(next - i) % EVENTS_REMEMBERED];
        const uint64_t ms = (netsim->now_us - due_us) / 1000;
        netsim->events_after_ms[ms < EVENTS_MAX_MS ? ms : EVENTS_MAX_MS - 1]++;
    }
}

static void deliver_to_client(struct netsim *netsim, const struct network_delivery *delivery)
{
    struct peer *peer = &netsim->peers[delivery->client];
    uint64_t taken;
    uint8_t bytes[RAIM_MAX_MESSAGE_BYTES];
    assert(peer->connection == delivery->connection);
    switch (delivery->news) {
    case NETWORK_CONNECTED:
        send_from(netsim, peer, true, bytes,
                  raim_client_write_hello(peer->client, netsim->now_us, bytes, sizeof bytes));
        break;
    case NETWORK_MESSAGE:
        taken = raim_client_get_stats(peer->client)->events;
        if (!raim_client_receive(peer->client, netsim->now_us, delivery->data, delivery->size))
            fail(netsim, peer, "could not read a message", "");
        measure_events(netsim, peer, raim_client_get_stats(peer->client)->events - taken);
        break;
    case NETWORK_DISCONNECTED:
        peer->connection = NO_CONNECTION;
        raim_client_disconnected(peer->client, netsim->now_us,
                                 delivery->lost ? RAIM_REASON_LOST : delivery->reason);
        break;
    }
    follow_state(netsim, peer);
}

// --- the server ---

// Whether the server played the last tick with the keys that the client pressed for it.
static bool was_input_played(const struct netsim *netsim, const struct peer *peer,
                             raim_player_id id)
{
    const uint32_t tick = raim_match_tick(netsim->match) - 1;
    const struct raim_prediction *prediction = &peer->client->prediction;
    const int32_t age = raim_tick_diff(prediction->next_tick, tick);
    if (!prediction->pressed || age < 1 || age >= RAIM_PREDICTION_TICKS)
        return false;
    const raim_input *pressed = &prediction->ticks[tick % RAIM_PREDICTION_TICKS].input;
    const raim_input *played = &netsim->match->inputs[raim_player_slot(id)];
    return pressed->move_x == played->move_x && pressed->move_y == played->move_y &&
           pressed->fire == played->fire;
}

static void watch_players(struct netsim *netsim)
{
    struct raim_match_player rows[NETSIM_MAX_PLAYERS];
    const uint32_t count = raim_match_players(netsim->match, rows, NETSIM_MAX_PLAYERS);
    for (uint32_t i = 0; i < count; i++) {
        struct peer *peer = &netsim->peers[strtoul(rows[i].name + strlen("bot-"), NULL, 10)];
        const bool is_due = rows[i].inputs_due > peer->row.inputs_due;
        const bool has_input = is_due && was_input_played(netsim, peer, rows[i].id);
        peer->inputs_wrong += is_due && !has_input;
        watch_step(&peer->watch, raim_match_world(netsim->match), has_input);
        peer->row = rows[i];
    }
}

// Tells the match what the transport measures; lines change, so a probe asks anew each time.
static void measure_clients(struct netsim *netsim)
{
    const struct netsim_liar *liar = netsim->def.liar;
    for (uint32_t i = 0; i < netsim->def.players; i++) {
        struct peer *peer = &netsim->peers[i];
        if (peer->connection == NO_CONNECTION)
            continue;
        const double held_ms =
            liar != NULL && liar->held_ms != NULL ? liar->held_ms(liar->context, i) : 0;
        probe_step(&peer->probe, network_get_line(netsim->network, i), held_ms);
        raim_match_set_rtt(netsim->match, peer->connection, probe_rtt_ms(&peer->probe),
                           (uint32_t)peer->probe.deviation_ms);
    }
}

static void tick(struct netsim *netsim)
{
    struct raim_outgoing out;
    measure_clients(netsim);
    raim_match_step(netsim->match);
    for (; netsim->events_due != raim_match_events(netsim->match); netsim->events_due++)
        netsim->event_us[netsim->events_due % EVENTS_REMEMBERED] = netsim->now_us;
    while (raim_match_outgoing(netsim->match, &out)) {
        if (out.size > 0)
            network_send(netsim->network, out.client, NETWORK_SERVER, out.reliable, out.data,
                         out.size, netsim->now_us);
        if (out.close)
            network_close(netsim->network, out.client, NETWORK_SERVER, out.reason, netsim->now_us);
    }
    check_rejected(netsim);
    watch_players(netsim);
    picture_truth_step(&netsim->truth, raim_match_world(netsim->match));
}

// --- time ---

static struct peer *next_to_poll(struct netsim *netsim)
{
    struct peer *next = &netsim->peers[0];
    for (uint32_t i = 1; i < netsim->def.players; i++)
        if (netsim->peers[i].poll_us < next->poll_us)
            next = &netsim->peers[i];
    return next;
}

bool netsim_step(struct netsim *netsim)
{
    const uint64_t step = (uint64_t)raim_match_tick(netsim->match) + 1;
    const uint64_t tick_us = step * SECOND_US / TICK_HZ;
    while (!netsim->broken) {
        struct network_delivery delivery;
        struct peer *peer = next_to_poll(netsim);
        const uint64_t next_us = network_next_us(netsim->network);
        if (next_us <= peer->poll_us && next_us <= tick_us) {
            netsim->now_us = next_us;
            if (!network_next(netsim->network, next_us, &delivery))
                continue;
            if (delivery.end == NETWORK_SERVER)
                deliver_to_server(netsim, &delivery);
            else
                deliver_to_client(netsim, &delivery);
        } else if (peer->poll_us <= tick_us) {
            netsim->now_us = peer->poll_us;
            peer->poll_us += SECOND_US / POLL_HZ;
            poll(netsim, peer);
        } else {
            netsim->now_us = tick_us;
            tick(netsim);
            break;
        }
    }
    return !netsim->broken;
}

bool netsim_run(struct netsim *netsim, double seconds)
{
    bool good = !netsim->broken;
    for (int i = 0; i < seconds * TICK_HZ && good; i++)
        good = netsim_step(netsim);
    return good;
}

bool netsim_enter(struct netsim *netsim, double seconds)
{
    while (!netsim_all_play(netsim))
        if (!netsim_step(netsim))
            return false;
    return netsim_run(netsim, seconds);
}

bool netsim_settle(struct netsim *netsim)
{
    const uint64_t until_us = netsim->now_us + (uint64_t)(connect_timeout_s * SECOND_US);
    uint32_t agreeing = 0;
    netsim->peaceful = true;
    // Bullets that were fired already may still hit.
    bool good = netsim_run(netsim, 2 + raim_rules_default().bullet_lifetime);
    while (good && agreeing < netsim->def.players && netsim->now_us < until_us) {
        good = netsim_step(netsim);
        agreeing = 0;
        for (uint32_t i = 0; i < netsim->def.players; i++)
            agreeing += watch_agrees(&netsim->peers[i].watch, netsim->peers[i].client,
                                     raim_match_world(netsim->match));
    }
    if (good && agreeing < netsim->def.players)
        fail(netsim, NULL, "in the end not everybody knows the points", "");
    return !netsim->broken;
}

bool netsim_all_play(const struct netsim *netsim)
{
    for (uint32_t i = 0; i < netsim->def.players; i++)
        if (netsim->peers[i].state != RAIM_CLIENT_PLAYING)
            return false;
    return true;
}

void netsim_set_line(struct netsim *netsim, uint32_t player, const struct network_line *line)
{
    network_set_line(netsim->network, player, line);
}

void netsim_rebind(struct netsim *netsim, uint32_t player)
{
    network_rebind(netsim->network, player, netsim->now_us);
}

// --- figures ---

// What is counted from the beginning on.
static struct netsim_figures totals(const struct netsim *netsim, const struct peer *peer)
{
    const struct raim_client_quality quality = raim_client_get_quality(peer->client);
    struct netsim_figures figures = {
        .inputs_due = peer->row.inputs_due,
        .inputs_missed = peer->row.inputs_missed,
        .inputs_wrong = peer->inputs_wrong,
        .inputs_sent = peer->sent,
        .events_repeated = raim_client_get_stats(peer->client)->events_repeated,
        .snapshots = raim_client_get_stats(peer->client)->snapshots,
        .predictions = quality.predictions,
        .mispredictions = quality.mispredictions,
        .corrections_units = quality.corrections_units,
        .exact_frames = peer->watch.exact,
        .resumes = raim_client_get_stats(peer->client)->resumes,
    };
    if (peer->row.id != RAIM_NOBODY) {
        const raim_player *player = &raim_world_players_const(
            raim_match_world(netsim->match))[raim_player_slot(peer->row.id)];
        figures.shots = player->shots;
        figures.hits = player->hits;
    }
    return figures;
}

double netsim_event_ms(const struct netsim *netsim, double share)
{
    uint64_t all = 0, faster = 0;
    int ms = 0;
    for (int i = 0; i < EVENTS_MAX_MS; i++)
        all += netsim->events_after_ms[i];
    while (ms < EVENTS_MAX_MS - 1 &&
           (double)(faster + netsim->events_after_ms[ms]) < share * (double)all)
        faster += netsim->events_after_ms[ms++];
    return ms;
}

void netsim_measure(struct netsim *netsim)
{
    memset(netsim->events_after_ms, 0, sizeof netsim->events_after_ms);
    for (uint32_t i = 0; i < netsim->def.players; i++) {
        struct peer *peer = &netsim->peers[i];
        peer->before = totals(netsim, peer);
        peer->sums = (struct netsim_figures){0};
        peer->watch.farthest_jump = 0;
        peer->picture = (struct picture_error){0};
    }
}

static double share(double part, uint64_t whole)
{
    return whole > 0 ? part / (double)whole : 0;
}

struct netsim_figures netsim_figures(const struct netsim *netsim, uint32_t player)
{
    const struct peer *peer = &netsim->peers[player];
    const struct netsim_figures *before = &peer->before;
    struct netsim_figures figures = totals(netsim, peer);
    const double samples = peer->sums.samples > 0 ? peer->sums.samples : 1;
    figures.samples = peer->sums.samples;
    figures.inputs_due -= before->inputs_due;
    figures.inputs_missed -= before->inputs_missed;
    figures.inputs_wrong -= before->inputs_wrong;
    figures.inputs_sent -= before->inputs_sent;
    figures.events_repeated -= before->events_repeated;
    figures.snapshots -= before->snapshots;
    figures.predictions -= before->predictions;
    figures.mispredictions -= before->mispredictions;
    figures.corrections_units -= before->corrections_units;
    figures.exact_frames -= before->exact_frames;
    figures.resumes -= before->resumes;
    figures.shots -= before->shots;
    figures.hits -= before->hits;
    figures.round_trip_ms = peer->sums.round_trip_ms / samples;
    figures.jitter_ms = peer->sums.jitter_ms / samples;
    figures.margin = peer->sums.margin / samples;
    figures.view_delay_ms = peer->sums.view_delay_ms / samples;
    figures.interpolation_ms = peer->sums.interpolation_ms / samples;
    figures.farthest_jump = peer->watch.farthest_jump;
    const struct picture_error *picture = &peer->picture;
    figures.position_error_units = share(picture->position_units, picture->shown);
    figures.aim_error_degrees = share(picture->aim_degrees, picture->shown);
    figures.aim_shake_degrees = share(picture->shake_degrees, picture->turns);
    figures.lacking_share = share((double)picture->lacking, picture->seen);
    return figures;
}

struct netsim_figures netsim_figures_of_all(const struct netsim *netsim)
{
    struct netsim_figures all = {0};
    const double players = netsim->def.players;
    for (uint32_t i = 0; i < netsim->def.players; i++) {
        const struct netsim_figures one = netsim_figures(netsim, i);
        all.samples += one.samples;
        all.inputs_due += one.inputs_due;
        all.inputs_missed += one.inputs_missed;
        all.inputs_wrong += one.inputs_wrong;
        all.inputs_sent += one.inputs_sent;
        all.events_repeated += one.events_repeated;
        all.snapshots += one.snapshots;
        all.predictions += one.predictions;
        all.mispredictions += one.mispredictions;
        all.corrections_units += one.corrections_units;
        all.exact_frames += one.exact_frames;
        all.resumes += one.resumes;
        all.shots += one.shots;
        all.hits += one.hits;
        all.round_trip_ms += one.round_trip_ms / players;
        all.jitter_ms += one.jitter_ms / players;
        all.margin += one.margin / players;
        all.view_delay_ms += one.view_delay_ms / players;
        all.interpolation_ms += one.interpolation_ms / players;
        all.position_error_units += one.position_error_units / players;
        all.aim_error_degrees += one.aim_error_degrees / players;
        all.aim_shake_degrees += one.aim_shake_degrees / players;
        all.lacking_share += one.lacking_share / players;
        all.farthest_jump = fmax(all.farthest_jump, one.farthest_jump);
    }
    return all;
}

uint64_t netsim_now_us(const struct netsim *netsim)
{
    return netsim->now_us;
}

const struct raim_match *netsim_match(const struct netsim *netsim)
{
    return netsim->match;
}

const struct raim_client *netsim_client(const struct netsim *netsim, uint32_t player)
{
    return netsim->peers[player].client;
}

raim_player_id netsim_player_id(const struct netsim *netsim, uint32_t player)
{
    return netsim->peers[player].watch.id;
}
