// SPDX-License-Identifier: MIT
// Transitions over lines that lose and delay, with clients joining, leaving, playing and watching:
// all clients converge to the match's state, and every readable snapshot equals the world.
#include "transition_fixture.h"

enum { IN_FLIGHT = 1 << 14, LONGEST = 12, MAX_CLIENTS = 12, MAX_BOTS = 6, MAX_SPECTATORS = 6 };

struct packet {
    bool to_match, reliable, close;
    uint32_t handle, due, epoch;
    uint32_t tick; // of a snapshot's sending
    size_t size;
    uint8_t bytes[RAIM_MAX_MESSAGE_BYTES];
};

// Additional state of a peer.
static struct guest {
    uint32_t epoch;      // the match of its last welcome, by number
    bool misreads;       // acknowledges snapshots that overtake a WELCOME, which it cannot read
    bool says_so;        // reports to the match that it has no snapshot
    bool has_misread;    // since its last welcome
    uint32_t misread;    // that tick
    uint32_t last_due;   // of what is reliable
    uint32_t lost_ticks; // consecutive ticks without a readable snapshot
    bool has_session;
    uint8_t token[RAIM_TOKEN_BYTES];
} guests[PEERS];

static struct packet *packets[IN_FLIGHT];
static size_t packet_count;
static bool frozen[KEPT]; // by tick
static double loss;
static uint32_t epoch;
static uint32_t overtaken, undecodable, resumed, welcomed_again;

static void send(const struct test_match *test, struct packet packet, const uint8_t *data,
                 size_t size)
{
    if (!packet.reliable && chance_between(0, 1) < loss)
        return;
    const uint32_t now = raim_match_tick(test->match);
    packet.due = now + (uint32_t)chance_int(0, LONGEST);
    packet.size = size;
    packet.epoch = epoch;
    packet.tick = now;
    memcpy(packet.bytes, data, size);
    if (packet.reliable) { // in order
        uint32_t *last = &guests[packet.handle].last_due;
        if (raim_tick_diff(packet.due, *last) < 0)
            packet.due = *last;
        *last = packet.due;
    }
    assert_true(packet_count < IN_FLIGHT);
    packets[packet_count] = __real_malloc(sizeof packet);
    *packets[packet_count++] = packet;
}

static void drop_packets(uint32_t handle)
{
    size_t kept = 0;
    for (size_t i = 0; i < packet_count; i++)
        if (packets[i]->handle == handle)
            free(packets[i]);
        else
            packets[kept++] = packets[i];
    packet_count = kept;
}

static void assert_frame_is_true(struct test_match *test, struct peer *peer)
{
    const struct raim_wire_frame *frame = frame_at(peer, peer->newest);
    assert_int_equal(frame->self.steers,
                     peer->welcome.player != RAIM_NOBODY && !frozen[frame->tick % KEPT]);
    for (uint32_t slot = 0; slot < peer->limits.players; slot++) {
        if (!raim_set_has(frame->seen_players, slot))
            continue;
        const raim_player *truth = &test->truth[frame->tick % KEPT][slot];
        assert_int_equal(truth->state, RAIM_PLAYER_ALIVE);
        assert_true(frame->players[slot].x == truth->position.x * RAIM_WIRE_UNITS);
        assert_true(frame->players[slot].y == truth->position.y * RAIM_WIRE_UNITS);
        assert_int_equal(frame->players[slot].life, truth->life & 7);
        const bool is_own = frame->self.steers && frame->self.slot == slot;
        assert_int_equal(frame->players[slot].aim, is_own ? 0 : (truth->aim + 32) >> 6 & 1023);
    }
}

// Whether a message says that it belongs to another WELCOME than the peer's.
static bool is_of_other_epoch(const struct peer *peer, const struct packet *packet)
{
    static struct raim_events_message events;
    struct raim_snapshot_header header;
    raim_reader reader = raim_reader_make(packet->bytes, packet->size);
    if (raim_message_read(&reader) == RAIM_MESSAGE_EVENTS) {
        assert_true(raim_events_read(&reader, &events));
        return events.epoch != peer->welcome.epoch;
    }
    assert_true(raim_snapshot_read_header(&reader, &peer->limits, peer->welcome.tick, &header));
    return header.baseline_age == 0 && header.epoch != peer->welcome.epoch;
}

static void receive_snapshot(struct test_match *test, const struct packet *packet)
{
    struct peer *peer = &test->peers[packet->handle];
    struct guest *guest = &guests[packet->handle];
    if (!peer->welcome_sent)
        return;
    if (packet->epoch != guest->epoch && raim_tick_diff(packet->epoch, guest->epoch) > 0) {
        overtaken++;
        assert_true(guest->misreads || is_of_other_epoch(peer, packet));
        guest->has_misread = guest->has_misread || guest->misreads;
        guest->misread = packet->tick - peer->welcome.delay_ticks;
        return;
    }
    if (is_of_other_epoch(peer, packet))
        return;
    struct raim_snapshot_header header;
    raim_reader reader = raim_reader_make(packet->bytes, packet->size);
    uint16_t next = 0;
    if (read_past_events(&reader, &next) == RAIM_MESSAGE_EVENTS) {
        to_peer(test, peer, packet->bytes, packet->size);
        return;
    }
    const uint32_t near_tick = peer->any ? peer->newest : peer->welcome.tick;
    assert_true(raim_snapshot_read_header(&reader, &peer->limits, near_tick, &header));
    const bool is_news = raim_tick_diff(header.tick, near_tick) > 0;
    if (packet->epoch != guest->epoch && is_news) {
        // Its tick is another one, by another delay or because a tick has few bits on the wire. It
        // is a difference from what is not known.
        assert_true(header.baseline_age > 0);
        assert_null(frame_at(peer, header.tick - header.baseline_age));
        return;
    }
    if (is_news && header.baseline_age > 0 &&
        frame_at(peer, header.tick - header.baseline_age) == NULL) {
        assert_true(guest->misreads);
        undecodable++;
        return;
    }
    to_peer(test, peer, packet->bytes, packet->size);
    if (!is_news)
        return;
    guest->lost_ticks = 0;
    assert_frame_is_true(test, peer);
}

static void hear(struct test_match *test, const struct packet *packet)
{
    struct peer *peer = &test->peers[packet->handle];
    struct guest *guest = &guests[packet->handle];
    if (!packet->reliable) {
        receive_snapshot(test, packet);
        return;
    }
    const uint32_t welcomes = peer->welcomes;
    to_peer(test, peer, packet->bytes, packet->size);
    peer->is_over = peer->is_over || packet->close;
    if (peer->welcomes == welcomes)
        return;
    welcomed_again += welcomes > 0;
    guest->epoch = packet->epoch;
    guest->has_misread = false;
    guest->lost_ticks = 0;
    guest->has_session = peer->welcome.player != RAIM_NOBODY;
    memcpy(guest->token, peer->welcome.token, sizeof guest->token);
}

static void deliver_due(struct test_match *test)
{
    const uint32_t now = raim_match_tick(test->match);
    for (uint32_t late = 0; late <= 1; late++) { // in the order of sending
        size_t kept = 0;
        const size_t count = packet_count;
        for (size_t i = 0; i < count; i++) {
            struct packet *packet = packets[i];
            if (packet->due != now || packet->to_match != (late == 1)) {
                packets[kept++] = packet;
                continue;
            }
            if (packet->to_match)
                to_match(test, packet->handle, packet->reliable, packet->bytes, packet->size);
            else
                hear(test, packet);
            free(packet);
        }
        packet_count = kept;
    }
}

static void press(struct test_match *test, uint32_t handle)
{
    struct peer *peer = &test->peers[handle];
    struct guest *guest = &guests[handle];
    const bool has_snapshot = guest->has_misread || peer->any;
    if (!peer->welcome_sent || peer->is_over || (!has_snapshot && !guest->says_so))
        return;
    uint8_t bytes[RAIM_MAX_MESSAGE_BYTES];
    struct raim_input_message message = {
        .tick = raim_match_tick(test->match) + LONGEST,
        .has_snapshot = has_snapshot,
        .snapshot = guest->has_misread ? guest->misread : peer->newest,
        .events = (uint16_t)next_event(peer),
        .count = 1,
    };
    message.inputs[0] = (raim_wire_input){
        .move_x = (int8_t)chance_int(-1, 1),
        .move_y = (int8_t)chance_int(-1, 1),
        .fire = chance_int(0, 1) == 0,
        .view_age = (uint8_t)chance_int(0, RAIM_WIRE_REWIND),
        .aim = (uint16_t)chance_int(0, 65535),
    };
    send(test, (struct packet){.to_match = true, .handle = handle}, bytes,
         raim_input_write(&message, bytes, sizeof bytes));
}

static void come_or_go(struct test_match *test, uint32_t handle)
{
    struct guest *guest = &guests[handle];
    if (test->peers[handle].open) {
        if (chance_int(0, 3) == 0)
            say_goodbye(test, handle);
        leave(test, handle);
        drop_packets(handle);
        return;
    }
    const struct guest before = *guest;
    *guest = (struct guest){
        .epoch = epoch,
        .misreads = chance_int(0, 2) == 0,
        .says_so = chance_int(0, 1) == 0,
        .last_due = raim_match_tick(test->match),
    };
    if (chance_int(0, 2) == 0)
        watch(test, handle, (uint32_t)chance_int(0, 2) * player_at(test, 0)->id);
    else if (before.has_session) {
        resumed += raim_sessions_find(test->match, before.token) != RAIM_NOBODY;
        resume(test, handle, before.token);
    } else
        play(test, handle);
}

// Invariants of a match's internals.
static void assert_sane(const struct test_match *test)
{
    const struct raim_match *match = test->match;
    uint32_t playing = 0, watching = 0, bots = 0;
    for (uint32_t slot = 0; slot < match->world->max_players; slot++) {
        const raim_player *player = player_at(test, slot);
        if (player->id == RAIM_NOBODY)
            continue;
        assert_int_equal(raim_player_slot(player->id), slot);
        assert_int_equal(player->id / RAIM_MAX_PLAYERS, player->generation);
        bots += match->sessions[slot].bot;
        if (match->sessions[slot].bot)
            continue;
        playing++;
        if (!player->away)
            assert_int_equal(match->connections[match->sessions[slot].client].player, player->id);
    }
    for (uint32_t handle = 0; handle < PEERS; handle++) {
        const struct raim_connection *client = &match->connections[handle];
        watching += raim_is_spectator(client);
        assert_int_equal(client->delay_ticks,
                         raim_is_spectator(client) ? match->delayed_spectators.delay_ticks : 0);
        if (client->player != RAIM_NOBODY)
            assert_int_equal(match->sessions[client->slot].client, handle);
    }
    assert_int_equal(bots, match->def.bots);
    assert_int_equal(playing, match->playing);
    assert_int_equal(watching, match->watching);
}

static struct raim_match_def chance_def(const struct test_match *test)
{
    struct raim_match_def def = usual_def();
    const struct raim_match_counts now =
        test != NULL ? counts(test) : (struct raim_match_counts){0};
    def.bots = (uint32_t)chance_int(1, MAX_BOTS);
    def.tuning.max_players =
        (uint32_t)chance_int((int)now.players > 1 ? (int)now.players : 1, MAX_CLIENTS);
    def.tuning.max_spectators = (uint32_t)chance_int((int)now.spectators, MAX_SPECTATORS);
    def.spectator_delay_s = chance_int(0, 1) * chance_between(0, 1);
    def.tuning.resume_grace_s = chance_int(0, 3) == 0 ? 0 : chance_between(0, 3);
    def.sight = chance_int(0, 1) == 0;
    def.tuning.round_s = chance_int(0, 1) * chance_between(0.1, 3);
    def.tuning.break_s = chance_int(0, 1) * chance_between(0, 1);
    def.tuning.score_limit = (uint32_t)chance_int(0, 4);
    def.lag_compensation_ms = (uint32_t)chance_int(0, 1) * 200;
    def.rules.player_speed = chance_between(100, 600);
    def.rules.bullet_speed = chance_between(300, 2000);
    def.rules.respawn_delay = chance_between(0, 1);
    def.rules.spawn_protection = chance_between(0, 0.5);
    strcpy(def.tuning.motd, chance_int(0, 1) == 0 ? "" : "welcome");
    return def;
}

static void step(struct test_match *test)
{
    struct raim_outgoing out;
    const long before = allocations;
    raim_match_step(test->match);
    assert_int_equal(allocations, before);
    const struct raim_world *world = raim_match_world(test->match);
    memcpy(test->truth[world->tick % KEPT], raim_world_players_const(world),
           world->max_players * sizeof(raim_player));
    frozen[world->tick % KEPT] = raim_match_round(test->match).phase != RAIM_PHASE_PLAY;
    while (raim_match_outgoing(test->match, &out))
        send(test,
             (struct packet){.reliable = out.reliable, .close = out.close, .handle = out.client},
             out.data, out.size);
    deliver_due(test);
    for (uint32_t handle = 0; handle < PEERS; handle++)
        press(test, handle);
    assert_sane(test);
}

static void assert_nobody_is_lost(struct test_match *test)
{
    const uint32_t history = raim_wire_history(test->def.tick_hz);
    for (uint32_t handle = 0; handle < PEERS; handle++) {
        const struct peer *peer = &test->peers[handle];
        if (!peer->welcome_sent || peer->is_over || guests[handle].epoch != epoch)
            continue;
        // A late one waits for the past of the match to reach back; and whoever had misread, until
        // what it named is too old.
        const uint32_t most = peer->welcome.delay_ticks + history + 6 * LONGEST;
        assert_true(++guests[handle].lost_ticks < (loss > 0.3 ? 4 : 1) * most);
    }
}

static void play_on(double lost, int count)
{
    struct test_match *test = open_test_match(chance_def(NULL));
    test->is_far = true;
    loss = lost;
    epoch = 0;
    packet_count = 0;
    memset(guests, 0, sizeof guests);
    for (int i = 0; i < count; i++) {
        if (chance_int(0, 9) == 0)
            come_or_go(test, (uint32_t)chance_int(0, PEERS - 1));
        if (chance_int(0, 199) == 0)
            raim_match_pause(test->match, chance_int(0, 2) == 0);
        if (chance_int(0, 99) == 0)
            raim_match_say(test->match, "hear");
        const bool turns = raim_match_is_round_due(test->match);
        if (chance_int(0, turns ? 1 : 99) == 0) {
            epoch++;
            succeed(test, chance_def(test), !turns && chance_int(0, 1) == 0);
        }
        step(test);
        assert_nobody_is_lost(test);
    }
    // Once changes cease, every client has the complete state.
    raim_match_pause(test->match, true);
    loss = 0;
    for (int i = 0; i < 4 * LONGEST + 200; i++)
        step(test);
    for (uint32_t handle = 0; handle < PEERS; handle++) {
        const struct peer *peer = &test->peers[handle];
        if (!peer->welcome_sent || peer->is_over)
            continue;
        assert_has_all(test, peer);
        assert_int_equal(peer->phase.phase, RAIM_PHASE_PAUSED);
        assert_int_equal(peer->phase.round, raim_match_round(test->match).round);
        assert_int_equal(peer->welcome.event_sequence + peer->received_count, test->match->log.end);
    }
    assert_int_equal(counts(test).rejected[RAIM_REJECTED_MALFORMED], 0);
    for (uint32_t handle = 0; handle < PEERS; handle++)
        drop_packets(handle);
}

TEST(whatever_comes_everybody_knows_what_the_match_knows)
{
    overtaken = undecodable = resumed = welcomed_again = 0;
    for (int i = 0; i < 6; i++)
        play_on(i * 0.1, 2000);
    printf("welcomed anew %u, resumed %u, overtaken %u, undecodable %u\n", welcomed_again, resumed,
           overtaken, undecodable);
    assert_true(welcomed_again > 100 && resumed > 0 && overtaken > 0);
}
