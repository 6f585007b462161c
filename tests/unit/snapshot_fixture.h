// SPDX-License-Identifier: MIT
// Writes snapshots as a server and reads them as a client, against one baseline.
#pragma once

#include "frame_fixture.h"
#include "snapshot.h"

enum { ROUNDS = 20000, MANY_BYTES = 128 * 1024 };

// The baseline and the frame to write, the client's expected state of both, and the frame that it
// reads.
static struct raim_wire_limits limits;
static struct raim_wire_frame baseline, frame;
static struct raim_wire_frame known_before, known;
static struct raim_wire_frame told, again;
static bool whole;
static uint8_t bytes[MANY_BYTES], rewritten[MANY_BYTES];

static struct raim_wire_frame *const frames[] = {&baseline, &frame, &known_before,
                                                 &known,    &told,  &again};
enum { FRAMES = sizeof frames / sizeof frames[0] };

static inline void make_frames(struct raim_wire_limits made)
{
    limits = made;
    whole = false;
    for (int i = 0; i < FRAMES; i++)
        *frames[i] = frame_make(&limits);
}

static inline void free_frames(void)
{
    for (int i = 0; i < FRAMES; i++)
        frame_free(frames[i]);
}

// Ten ticks a second: a history of 16.
static inline void make_small_frames(uint32_t players, uint32_t shots)
{
    make_frames((struct raim_wire_limits){
        .players = players, .shots = shots, .history = 16, .stride = 960, .diagonal = 679});
    baseline.tick = 99;
    frame.tick = 100;
}

static inline size_t write_frame(uint8_t *into, size_t capacity)
{
    return raim_snapshot_write(&limits, whole ? NULL : &baseline, &frame, into, capacity);
}

// --- Reading as a client with one baseline ---

static inline bool read_snapshot(const uint8_t *message, size_t size, uint32_t near_tick,
                                 struct raim_wire_frame *into)
{
    struct raim_snapshot_header header;
    raim_reader reader = raim_reader_make(message, size);
    if (raim_message_read(&reader) != RAIM_MESSAGE_SNAPSHOT ||
        !raim_snapshot_read_header(&reader, &limits, near_tick, &header))
        return false;
    assert_true(header.baseline_age < limits.history);
    const bool has_baseline = header.baseline_age != 0;
    if (has_baseline && (whole || header.tick - header.baseline_age != known_before.tick))
        return false;
    return raim_snapshot_read(&reader, &header, &limits, has_baseline ? &known_before : NULL, into);
}

static inline void assert_set_inside(const uint64_t *set, uint32_t slots)
{
    if (slots % 64 != 0)
        assert_int_equal(set[slots / 64] >> slots % 64, 0);
}

static inline void assert_good_frame(const struct raim_wire_frame *good)
{
    const raim_wire_self *self = &good->self;
    assert_true(self->slot < limits.players);
    assert_true(self->margin >= -RAIM_MAX_MARGIN && self->margin <= RAIM_MAX_MARGIN);
    FOR_EACH_SLOT (slot, good->seen_players, limits.players) {
        const raim_wire_player *player = &good->players[slot];
        assert_true(player->x == frame_on_grid(player->x) && player->y == frame_on_grid(player->y));
        assert_true(player->aim >> RAIM_WIRE_AIM_BITS == 0 && player->life >> 3 == 0);
        assert_true(player->shield >> 1 == 0 && player->direction >= 0 &&
                    player->direction < RAIM_DIRECTIONS);
        assert_true(limits.has_health ? player->health >= 1 && player->health <= 255
                                      : player->health == 0);
        assert_true(!self->steers || self->slot != slot || player->aim == 0);
    }
    FOR_EACH_SLOT (slot, good->seen_bullets, raim_wire_bullets(&limits)) {
        const raim_wire_bullet *bullet = &good->bullets[slot];
        assert_true(bullet->x == frame_on_grid(bullet->x) && bullet->y == frame_on_grid(bullet->y));
        assert_true(bullet->rewind <= limits.max_rewind);
    }
}

static inline bool accepts_snapshot(const uint8_t *message, size_t size)
{
    const bool accepted = read_snapshot(message, size, frame.tick, &told);
    assert_set_inside(told.seen_players, limits.players);
    assert_set_inside(told.seen_bullets, raim_wire_bullets(&limits));
    if (!accepted)
        return false;
    assert_good_frame(&told);
    // A client has a bullet as it was sent, so writing its frame yields equal bytes.
    FOR_EACH_SLOT (slot, told.seen_bullets, raim_wire_bullets(&limits)) {
        told.bullets[slot].now_x = told.bullets[slot].x;
        told.bullets[slot].now_y = told.bullets[slot].y;
    }
    raim_reader reader = raim_reader_make(message, size);
    raim_message_read(&reader);
    const bool has_baseline = raim_read_ranged(&reader, 0, limits.history - 1) != 0;
    const size_t length = raim_snapshot_write(&limits, has_baseline ? &known_before : NULL, &told,
                                              rewritten, sizeof rewritten);
    assert_true(length > 0 && length <= size);
    assert_true(read_snapshot(rewritten, length, told.tick, &again));
    frame_assert_same(&limits, &told, &again);
    return true;
}

// --- Random cases ---

static inline void chance_case(void)
{
    const int size = chance_int(0, 199);
    const int most = size == 0 ? 1024 : size < 20 ? 130 : 12;
    make_frames(
        chance_limits((uint32_t)chance_int(1, most), (uint32_t)chance_int(1, most > 12 ? 8 : 6)));
    const uint32_t tick = chance_magnitude(32); // some ticks precede the wrap
    const uint32_t age = (uint32_t)chance_int(1, (int)limits.history - 1);
    const uint32_t rarity = (uint32_t)chance_int(0, 4);
    whole = chance_int(0, 3) == 0;
    chance_frame(&limits, &frame, tick, rarity);
    if (!whole) {
        chance_frame(&limits, &baseline, tick - age, rarity);
        chance_succession(&limits, &baseline, &frame);
        frame_expect(&limits, NULL, NULL, &baseline, &known_before);
    }
    frame_expect(&limits, whole ? NULL : &baseline, whole ? NULL : &known_before, &frame, &known);
}

static inline void assert_reported(size_t size)
{
    const int history = (int)limits.history;
    const uint32_t near_tick = frame.tick + (uint32_t)chance_int(-history, history - 1);
    assert_true(size > 0);
    assert_true(read_snapshot(bytes, size, near_tick, &told));
    frame_assert_same(&limits, &known, &told);
}
