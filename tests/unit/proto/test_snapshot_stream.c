// SPDX-License-Identifier: MIT
// Snapshots of an evolving world over a bad network that loses, delays, duplicates and reorders in
// both directions: each frame that a client decodes is exactly the expected one. `--cases N` sets
// the number of snapshots.
#include "frame_fixture.h"
#include "snapshot.h"

enum {
    CASES = 1000000, // snapshots written
    TICKS = 600,     // of one world
    PLAYERS = 16,
    SHOTS = 4,
    MAX_DELAY = 14, // ticks, less than any history
    IN_FLIGHT = 64, // messages and acknowledgements, each
    MANY_BYTES = 2048,
};

// Counts of the snapshots' outcomes, to prove that the test exercises them.
static struct {
    long written, whole, silent, read, repeated, unreadable;
    double bytes;
} counts;

struct packet {
    bool in_flight;
    uint32_t tick; // of the snapshot that it is or acknowledges
    uint32_t due;
    size_t size;
    uint8_t bytes[MANY_BYTES];
};

struct channel {
    uint32_t loss;  // of 16
    uint32_t delay; // ticks at most
    struct packet packets[IN_FLIGHT];
};

// A world and one viewer. Frames are kept by tick modulo `ring`.
static struct raim_wire_limits limits;
static uint32_t tick, ring;
static struct raim_wire_frame *truth; // the server's frame for the client
static struct raim_wire_frame *known; // the frame expected at the client
static bool *sent, *acked;
static uint32_t newest_acked;
static bool any_acked;
static uint64_t alive[1], hidden_players[1], hidden_bullets[1], flying[1];
static uint32_t heading[PLAYERS], next_shot[PLAYERS], restless;
static struct channel down, up;
static_assert(PLAYERS * SHOTS <= 64, "a set is a word");

// The client.
static struct raim_wire_frame *client, spare;
static bool *client_has;
static bool client_any;
static uint32_t client_newest;

static struct raim_wire_frame *at(struct raim_wire_frame *frames, uint32_t when)
{
    return &frames[when % ring];
}

// --- The world ---

// True with a probability of 1 in `times`.
static bool once_in(int times)
{
    return chance_int(1, times) == 1;
}

static void rise(uint32_t slot, raim_wire_player *player)
{
    const int32_t life = player->life;
    *player = chance_player(&limits);
    player->direction = RAIM_DIRECTION_STAND;
    player->life = (life + 1) & 7;
    raim_set_add(alive, slot);
}

static void walk(uint32_t slot, raim_wire_player *player)
{
    if (once_in((int)restless))
        heading[slot] = (uint32_t)chance_int(0, RAIM_DIRECTIONS - 1);
    const raim_wire_player before = *player;
    player->direction = (int32_t)heading[slot];
    *player = raim_wire_predict_player(&limits, player, 1);
    if (once_in(64)) { // pushed
        player->x += chance_signed(12);
        player->y += chance_signed(12);
    }
    if (player->x != frame_on_grid(player->x) || once_in(64)) { // a wall
        player->x = before.x;
        heading[slot] = (uint32_t)chance_int(0, RAIM_DIRECTIONS - 1);
    }
    if (player->y != frame_on_grid(player->y))
        player->y = before.y;
    player->direction =
        (int32_t)raim_wire_direction(&limits, player->x - before.x, player->y - before.y);
    if (once_in(2))
        player->aim = (player->aim + chance_signed(10)) & 0x3FF;
    if (once_in(128))
        player->shield ^= 1;
    if (once_in(256))
        raim_set_remove(alive, slot);
}

// The bullets' paths may be arbitrary, provided that both ends compute them alike.
static void fly(raim_wire_bullet *bullet)
{
    const int64_t age = tick - bullet->tick;
    bullet->now_x = frame_on_grid(bullet->x + age * (bullet->aim % 601 - 300));
    bullet->now_y = frame_on_grid(bullet->y + age * (bullet->aim % 599 - 299));
}

static void fire(struct raim_wire_frame *now, uint32_t shooter)
{
    const uint32_t slot = shooter * limits.shots + next_shot[shooter]++ % limits.shots;
    const int rewind = chance_int(0, (int)limits.max_rewind);
    raim_set_add(flying, slot);
    now->bullets[slot] = (raim_wire_bullet){
        .x = now->players[shooter].x,
        .y = now->players[shooter].y,
        .tick = tick - 1 - (uint32_t)rewind,
        .aim = (uint16_t)chance_bits(16),
        .rewind = (uint8_t)rewind,
    };
}

static void step_self(raim_wire_self *self)
{
    *self = raim_wire_predict_self(self, 1);
    if (!once_in(16))
        return;
    const raim_wire_self other = chance_self(&limits);
    self->slot = once_in(8) ? other.slot : self->slot;
    self->steers = once_in(8) ? other.steers : self->steers;
    self->alive = other.alive;
    self->timer = once_in(2) ? other.timer % 64 : self->timer;
    self->shots = (uint8_t)(self->shots + chance_int(0, 1));
    self->hits = (uint8_t)(self->hits + chance_int(0, 1));
    self->margin = once_in(8) ? other.margin : self->margin;
}

// Advances the world by a tick and changes the hidden sets.
static void step_world(void)
{
    const struct raim_wire_frame *before = at(truth, tick++);
    struct raim_wire_frame *now = at(truth, tick);
    frame_copy(&limits, now, before);
    now->tick = tick;
    step_self(&now->self);
    for (uint32_t slot = 0; slot < limits.players; slot++) {
        if (raim_set_has(alive, slot))
            walk(slot, &now->players[slot]);
        else if (once_in(16))
            rise(slot, &now->players[slot]);
        if (once_in((int)restless))
            hidden_players[0] ^= (uint64_t)1 << slot;
        if (raim_set_has(alive, slot) && once_in(32))
            fire(now, slot);
    }
    FOR_EACH_SLOT (slot, flying, raim_wire_bullets(&limits)) {
        fly(&now->bullets[slot]);
        if (once_in(64))
            raim_set_remove(flying, slot);
        if (once_in((int)restless))
            hidden_bullets[0] ^= (uint64_t)1 << slot;
    }
    now->seen_players[0] = alive[0] & ~hidden_players[0];
    now->seen_bullets[0] = flying[0] & ~hidden_bullets[0];
}

// --- The network ---

static void push(struct channel *channel, uint32_t about, const uint8_t *bytes, size_t size)
{
    const int copies = chance_bits(4) < channel->loss ? 0 : once_in(8) ? 2 : 1;
    for (int copy = 0; copy < copies; copy++) {
        struct packet *packet = &channel->packets[chance_int(0, IN_FLIGHT - 1)];
        if (packet->in_flight)
            continue; // lost as well
        packet->in_flight = true;
        packet->tick = about;
        packet->due = tick + (uint32_t)chance_int(0, (int)channel->delay);
        packet->size = size;
        memcpy(packet->bytes, bytes, size);
    }
}

// One of the due messages, in the arbitrary order of the array.
static struct packet *pull(struct channel *channel)
{
    for (int i = 0; i < IN_FLIGHT; i++) {
        struct packet *packet = &channel->packets[i];
        if (packet->in_flight && packet->due == tick) {
            packet->in_flight = false;
            return packet;
        }
    }
    return NULL;
}

// --- The server ---

static bool is_baseline(uint32_t when)
{
    return acked[when % ring] && tick - when < limits.history && tick != when;
}

// The newest that was acknowledged, or another, or none.
static bool choose_baseline(uint32_t *when)
{
    if (once_in(64))
        return false;
    *when = newest_acked;
    for (int i = 0; i < 4 && once_in(2); i++) {
        const uint32_t other = tick - (uint32_t)chance_int(1, (int)limits.history - 1);
        *when = is_baseline(other) ? other : *when;
    }
    return any_acked && is_baseline(*when);
}

// Where no snapshot was needed, the client's prediction is complete.
static void assert_predicted(uint32_t from, uint32_t to)
{
    struct raim_wire_frame *predicted = at(known, to);
    const struct raim_wire_frame *before = at(known, from);
    frame_copy(&limits, predicted, before);
    predicted->tick = to;
    predicted->self = raim_wire_predict_self(&before->self, to - from);
    FOR_EACH_SLOT (slot, before->seen_players, limits.players)
        predicted->players[slot] =
            raim_wire_predict_player(&limits, &before->players[slot], to - from);
    frame_expect(&limits, at(truth, from), before, at(truth, to), &spare);
    frame_assert_same(&limits, predicted, &spare);
}

static void assert_size(const struct raim_wire_frame *baseline, size_t size)
{
    const struct raim_wire_frame *frame = at(truth, tick);
    size_t bits = RAIM_SNAPSHOT_FIXED_BITS + 7;
    const uint64_t players = frame->seen_players[0] | (baseline ? baseline->seen_players[0] : 0);
    const uint64_t bullets = frame->seen_bullets[0] | (baseline ? baseline->seen_bullets[0] : 0);
    FOR_EACH_SLOT (slot, &players, limits.players)
        bits += raim_snapshot_player_bits(&limits, baseline, frame, slot);
    FOR_EACH_SLOT (slot, &bullets, raim_wire_bullets(&limits))
        bits += raim_snapshot_bullet_bits(&limits, baseline, frame, slot);
    if (size * 8 > bits)
        fail_msg("%zu bytes are more than %zu bits", size, bits);
}

static void tell(void)
{
    uint32_t when = 0;
    const bool has_baseline = choose_baseline(&when);
    const struct raim_wire_frame *baseline = has_baseline ? at(truth, when) : NULL;
    sent[tick % ring] = acked[tick % ring] = false;
    if (has_baseline && raim_wire_is_predicted(&limits, baseline, at(truth, tick)) && once_in(2)) {
        assert_predicted(when, tick);
        counts.silent++;
        return;
    }
    uint8_t bytes[MANY_BYTES];
    const size_t size =
        raim_snapshot_write(&limits, baseline, at(truth, tick), bytes, sizeof bytes);
    assert_true(size > 0);
    if (once_in(8))
        assert_size(baseline, size);
    frame_expect(&limits, baseline, has_baseline ? at(known, when) : NULL, at(truth, tick),
                 at(known, tick));
    sent[tick % ring] = true;
    push(&down, tick, bytes, size);
    counts.written++;
    counts.whole += !has_baseline;
    counts.bytes += (double)size;
}

static void hear(void)
{
    const struct packet *packet;
    while ((packet = pull(&up)) != NULL) {
        assert_true(sent[packet->tick % ring]);
        acked[packet->tick % ring] = true;
        if (!any_acked || (int32_t)(packet->tick - newest_acked) > 0)
            newest_acked = packet->tick;
        any_acked = true;
    }
}

// --- The client ---

static const struct raim_wire_frame *client_at(uint32_t when)
{
    const uint32_t slot = when % limits.history;
    return client_has[slot] && client[slot].tick == when ? &client[slot] : NULL;
}

static void keep(struct raim_wire_frame *frame)
{
    const uint32_t slot = frame->tick % limits.history;
    const struct raim_wire_frame replaced = client[slot];
    client[slot] = *frame;
    *frame = replaced;
    client_has[slot] = true;
    if (!client_any || (int32_t)(client[slot].tick - client_newest) > 0)
        client_newest = client[slot].tick;
    client_any = true;
}

static void receive(const struct packet *packet)
{
    struct raim_snapshot_header header;
    raim_reader reader = raim_reader_make(packet->bytes, packet->size);
    assert_int_equal(raim_message_read(&reader), RAIM_MESSAGE_SNAPSHOT);
    assert_true(raim_snapshot_read_header(&reader, &limits, client_newest, &header));
    if (header.tick != packet->tick)
        fail_msg("tick %u is not %u", header.tick, packet->tick);
    const struct raim_wire_frame *baseline = NULL;
    if (header.baseline_age != 0) {
        baseline = client_at(header.tick - header.baseline_age);
        if (baseline == NULL) { // its baseline has left the client's history
            assert_true(client_newest - (header.tick - header.baseline_age) >= limits.history);
            counts.unreadable++;
            return;
        }
    }
    assert_true(raim_snapshot_read(&reader, &header, &limits, baseline, &spare));
    frame_assert_same(&limits, at(known, packet->tick), &spare);
    counts.read++;
    if (client_at(packet->tick) != NULL)
        counts.repeated++;
    else
        keep(&spare);
    push(&up, packet->tick, packet->bytes, 0);
}

// --- All together ---

static struct raim_wire_frame *make_ring(uint32_t count)
{
    struct raim_wire_frame *frames = frame_zeroes(count, sizeof *frames);
    for (uint32_t i = 0; i < count; i++)
        raim_wire_frame_init(&frames[i], &limits, frame_zeroes(1, raim_wire_frame_bytes(&limits)));
    return frames;
}

static void free_ring(struct raim_wire_frame *frames, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        free(frames[i].seen_players); // where its memory begins
    free(frames);
}

static void chance_channel(struct channel *channel)
{
    const uint32_t losses[] = {0, 0, 1, 2, 8, 14};
    *channel = (struct channel){.loss = losses[chance_int(0, 5)],
                                .delay = (uint32_t)chance_int(0, MAX_DELAY)};
}

static void make_world(void)
{
    limits = chance_limits((uint32_t)chance_int(1, PLAYERS), (uint32_t)chance_int(1, SHOTS));
    ring = 2 * limits.history;
    truth = make_ring(ring);
    known = make_ring(ring);
    client = make_ring(limits.history + 1);
    spare = client[limits.history];
    sent = frame_zeroes(ring, sizeof *sent);
    acked = frame_zeroes(ring, sizeof *acked);
    client_has = frame_zeroes(limits.history, sizeof *client_has);
    any_acked = client_any = false;
    alive[0] = hidden_players[0] = hidden_bullets[0] = flying[0] = 0;
    restless = (uint32_t)1 << chance_int(3, 10);
    // Soon the tick wraps, or its low bits do, or neither.
    tick = chance_bool() ? chance_bits(32) : 0u - (uint32_t)chance_int(1, TICKS);
    tick = chance_bool() ? tick : tick - tick % (2 * limits.history) - 1;
    client_newest = tick + (uint32_t)chance_int(-1000, 1000); // the tick of its WELCOME
    at(truth, tick)->tick = tick;
    for (uint32_t slot = 0; slot < limits.players; slot++)
        rise(slot, &at(truth, tick)->players[slot]);
    chance_channel(&down);
    chance_channel(&up);
}

static void free_world(void)
{
    free_ring(truth, ring);
    free_ring(known, ring);
    client[limits.history] = spare; // the two were swapped
    free_ring(client, limits.history + 1);
    free(sent);
    free(acked);
    free(client_has);
}

TEST(a_client_knows_what_it_was_told_whatever_the_network_does)
{
    while (counts.written < CASES) {
        make_world();
        for (int i = 0; i < TICKS && counts.written < CASES; i++) {
            step_world();
            tell();
            const struct packet *packet;
            while ((packet = pull(&down)) != NULL)
                receive(packet);
            hear();
        }
        free_world();
    }
    printf("%ld snapshots of %.1f bytes, %ld whole; read %ld, %ld of them again; %ld too late; "
           "%ld ticks with nothing to tell\n",
           counts.written, counts.bytes / (double)counts.written, counts.whole, counts.read,
           counts.repeated, counts.unreadable, counts.silent);
}
