// SPDX-License-Identifier: MIT
// Frames for tests of the wire: random ones, and the client's expected frame after it has received
// one.
#pragma once

#include "frame.h"
#include "hostile.h"

// --- Frames whose arrays are blocks of exactly the limits' size: ASan detects accesses beyond.

static inline void *frame_zeroes(size_t count, size_t size)
{
    void *block = calloc(count, size);
    assert_non_null(block);
    return block;
}

static inline struct raim_wire_frame frame_make(const struct raim_wire_limits *limits)
{
    const uint32_t bullets = raim_wire_bullets(limits);
    return (struct raim_wire_frame){
        .players = frame_zeroes(limits->players, sizeof(raim_wire_player)),
        .bullets = frame_zeroes(bullets, sizeof(raim_wire_bullet)),
        .seen_players = frame_zeroes(raim_set_words(limits->players), sizeof(uint64_t)),
        .seen_bullets = frame_zeroes(raim_set_words(bullets), sizeof(uint64_t)),
    };
}

static inline void frame_free(struct raim_wire_frame *frame)
{
    free(frame->players);
    free(frame->bullets);
    free(frame->seen_players);
    free(frame->seen_bullets);
}

static inline void frame_copy(const struct raim_wire_limits *limits, struct raim_wire_frame *to,
                              const struct raim_wire_frame *from)
{
    const uint32_t bullets = raim_wire_bullets(limits);
    to->tick = from->tick;
    to->self = from->self;
    memcpy(to->players, from->players, limits->players * sizeof *to->players);
    memcpy(to->bullets, from->bullets, bullets * sizeof *to->bullets);
    memcpy(to->seen_players, from->seen_players, raim_set_words(limits->players) * 8);
    memcpy(to->seen_bullets, from->seen_bullets, raim_set_words(bullets) * 8);
}

#define FOR_EACH_SLOT(slot, set, limit)                                                            \
    for (uint32_t slot = raim_set_next(set, 0, limit); slot < (limit);                             \
         slot = raim_set_next(set, (slot) + 1, limit))

static inline bool frame_same_player(const raim_wire_player *a, const raim_wire_player *b)
{
    return a->x == b->x && a->y == b->y && a->aim == b->aim && a->direction == b->direction &&
           a->life == b->life && a->shield == b->shield && a->health == b->health;
}

static inline bool frame_same_bullet(const raim_wire_bullet *a, const raim_wire_bullet *b)
{
    return a->x == b->x && a->y == b->y && a->tick == b->tick && a->aim == b->aim &&
           a->rewind == b->rewind;
}

// Names the first difference of two frames; NULL: equal.
static inline const char *frame_difference(const struct raim_wire_limits *limits,
                                           const struct raim_wire_frame *a,
                                           const struct raim_wire_frame *b)
{
    const uint32_t bullets = raim_wire_bullets(limits);
    const raim_wire_self *s = &a->self, *t = &b->self;
    if (a->tick != b->tick)
        return "tick";
    if (s->slot != t->slot || s->steers != t->steers || s->alive != t->alive ||
        s->timer != t->timer || s->shots != t->shots || s->hits != t->hits ||
        s->margin != t->margin)
        return "self";
    if (memcmp(a->seen_players, b->seen_players, raim_set_words(limits->players) * 8) != 0)
        return "which players";
    if (memcmp(a->seen_bullets, b->seen_bullets, raim_set_words(bullets) * 8) != 0)
        return "which bullets";
    FOR_EACH_SLOT (slot, a->seen_players, limits->players)
        if (!frame_same_player(&a->players[slot], &b->players[slot]))
            return "a player";
    FOR_EACH_SLOT (slot, a->seen_bullets, bullets)
        if (!frame_same_bullet(&a->bullets[slot], &b->bullets[slot]))
            return "a bullet";
    return NULL;
}

static inline void frame_assert_same(const struct raim_wire_limits *limits,
                                     const struct raim_wire_frame *a,
                                     const struct raim_wire_frame *b)
{
    const char *difference = frame_difference(limits, a, b);
    if (difference != NULL)
        fail_msg("%s differs at tick %u", difference, a->tick);
}

// --- The client's expected frame ---

// Whether a bullet's origin follows from its shooter: predicted from the origin, the shooter is
// where the frame has it.
static inline bool frame_is_fired(const struct raim_wire_limits *limits,
                                  const struct raim_wire_frame *frame, uint32_t slot)
{
    const raim_wire_bullet *bullet = &frame->bullets[slot];
    const uint32_t age = frame->tick - (bullet->tick + bullet->rewind);
    const uint32_t shooter = slot / limits->shots;
    if (age < 1 || age > 16 || !raim_set_has(frame->seen_players, shooter))
        return false;
    raim_wire_player start = frame->players[shooter];
    start.x = bullet->x;
    start.y = bullet->y;
    const raim_wire_player now = raim_wire_predict_player(limits, &start, age - 1);
    return now.x == frame->players[shooter].x && now.y == frame->players[shooter].y;
}

// Makes `known` the frame that a client must have after it has read `frame` as a delta against
// `baseline`, of which it has `known_before`; both NULL: a whole snapshot.
static inline void frame_expect(const struct raim_wire_limits *limits,
                                const struct raim_wire_frame *baseline,
                                const struct raim_wire_frame *known_before,
                                const struct raim_wire_frame *frame, struct raim_wire_frame *known)
{
    frame_copy(limits, known, frame);
    if (frame->self.steers)
        known->players[frame->self.slot].aim = 0;
    FOR_EACH_SLOT (slot, frame->seen_bullets, raim_wire_bullets(limits)) {
        const raim_wire_bullet *bullet = &frame->bullets[slot];
        if (baseline != NULL && raim_set_has(baseline->seen_bullets, slot) &&
            frame_same_bullet(&baseline->bullets[slot], bullet))
            known->bullets[slot] = known_before->bullets[slot];
        else if (!frame_is_fired(limits, frame, slot))
            known->bullets[slot] = (raim_wire_bullet){
                .x = bullet->now_x, .y = bullet->now_y, .tick = frame->tick, .aim = bullet->aim};
    }
}

// --- Random frames ---

static inline int32_t frame_on_grid(int64_t value)
{
    const int32_t reach = 1 << (RAIM_WIRE_COORDINATE_BITS - 1);
    return (int32_t)(value < -reach ? -reach : value > reach - 1 ? reach - 1 : value);
}

static inline struct raim_wire_limits chance_limits(uint32_t players, uint32_t shots)
{
    const int32_t stride = chance_int(2, 2 << chance_int(0, 11));
    return (struct raim_wire_limits){
        .players = players,
        .shots = shots,
        .history = 16u << chance_int(0, 4),
        .stride = stride,
        .diagonal = (stride * 181 + 128) / 256,
        .max_rewind = (uint32_t)(chance_bool() ? 0 : chance_int(1, RAIM_WIRE_REWIND)),
        .has_health = chance_bool(),
    };
}

static inline raim_wire_player chance_player(const struct raim_wire_limits *limits)
{
    return (raim_wire_player){
        .x = chance_signed(RAIM_WIRE_COORDINATE_BITS),
        .y = chance_signed(RAIM_WIRE_COORDINATE_BITS),
        .aim = (int32_t)chance_bits(RAIM_WIRE_AIM_BITS),
        .direction = chance_int(0, RAIM_DIRECTIONS - 1),
        .life = (int32_t)chance_bits(3),
        .shield = (int32_t)chance_bits(1),
        .health = limits->has_health ? chance_int(1, 255) : 0,
    };
}

static inline raim_wire_bullet chance_bullet(const struct raim_wire_limits *limits, uint32_t tick)
{
    return (raim_wire_bullet){
        .x = chance_signed(RAIM_WIRE_COORDINATE_BITS),
        .y = chance_signed(RAIM_WIRE_COORDINATE_BITS),
        .tick = tick - chance_magnitude(12),
        .now_x = chance_signed(RAIM_WIRE_COORDINATE_BITS),
        .now_y = chance_signed(RAIM_WIRE_COORDINATE_BITS),
        .aim = (uint16_t)chance_bits(16),
        .rewind = (uint8_t)chance_int(0, (int)limits->max_rewind),
    };
}

static inline raim_wire_self chance_self(const struct raim_wire_limits *limits)
{
    return (raim_wire_self){
        .slot = (uint16_t)chance_int(0, (int)limits->players - 1),
        .steers = chance_bool(),
        .alive = chance_bool(),
        .timer = (uint16_t)chance_magnitude(16),
        .shots = (uint8_t)chance_bits(8),
        .hits = (uint8_t)chance_bits(8),
        .margin = (int8_t)chance_int(-RAIM_MAX_MARGIN, RAIM_MAX_MARGIN),
    };
}

// A random set with one in 2^rarity slots.
static inline void chance_frame(const struct raim_wire_limits *limits,
                                struct raim_wire_frame *frame, uint32_t tick, uint32_t rarity)
{
    frame->tick = tick;
    frame->self = chance_self(limits);
    for (uint32_t slot = 0; slot < limits->players; slot++) {
        frame->players[slot] = chance_player(limits);
        if (chance_bits(rarity) == 0)
            raim_set_add(frame->seen_players, slot);
    }
    for (uint32_t slot = 0; slot < raim_wire_bullets(limits); slot++) {
        frame->bullets[slot] = chance_bullet(limits, tick);
        if (chance_bits(rarity) == 0)
            raim_set_add(frame->seen_bullets, slot);
    }
}

// A successor of a baseline's player: it is as predicted, turns once, or is random.
static inline raim_wire_player chance_successor(const struct raim_wire_limits *limits,
                                                raim_wire_player player, uint32_t age)
{
    const uint32_t since = chance_bool() ? 0 : (uint32_t)chance_int(1, (int)age);
    player = raim_wire_predict_player(limits, &player, age - since);
    player.direction = since != 0 ? chance_int(0, RAIM_DIRECTIONS - 1) : player.direction;
    player = raim_wire_predict_player(limits, &player, since);
    if (chance_int(0, 2) == 0)
        player.x += chance_signed(13);
    if (chance_int(0, 2) == 0)
        player.y += chance_signed(13);
    if (chance_bool())
        player.aim = (player.aim + chance_signed(10)) & 0x3FF;
    if (chance_int(0, 7) == 0)
        player.life = (player.life + 1) & 7;
    if (chance_int(0, 7) == 0)
        player.shield ^= 1;
    if (limits->has_health && chance_int(0, 7) == 0)
        player.health = chance_int(1, 255);
    player.x = frame_on_grid(player.x);
    player.y = frame_on_grid(player.y);
    return chance_int(0, 9) == 0 ? chance_player(limits) : player;
}

// A random bullet of random age, fired from the shooter's predicted position, from near it, or from
// anywhere.
static inline raim_wire_bullet chance_shot(const struct raim_wire_limits *limits,
                                           const struct raim_wire_frame *frame, uint32_t slot)
{
    raim_wire_bullet bullet = chance_bullet(limits, frame->tick);
    const raim_wire_player *shooter = &frame->players[slot / limits->shots];
    const int age = chance_int(0, 17), back = age - 1;
    const raim_wire_player step = raim_wire_predict_player(limits, shooter, 1);
    if (chance_int(0, 3) == 0)
        return bullet;
    bullet.tick = frame->tick - (uint32_t)age - bullet.rewind;
    bullet.x = frame_on_grid(shooter->x - back * (step.x - shooter->x) + (chance_int(0, 9) == 0));
    bullet.y = frame_on_grid(shooter->y - back * (step.y - shooter->y));
    return bullet;
}

static inline raim_wire_self chance_next_self(const struct raim_wire_limits *limits,
                                              const raim_wire_self *from, uint32_t age)
{
    const raim_wire_self other = chance_self(limits);
    raim_wire_self self = raim_wire_predict_self(from, age);
    const uint32_t same = chance_bits(7) | chance_bits(7);
    self.slot = same & 1 ? self.slot : other.slot;
    self.steers = same & 2 ? self.steers : other.steers;
    self.alive = same & 4 ? self.alive : other.alive;
    self.timer = same & 8 ? self.timer : other.timer;
    self.shots = same & 16 ? self.shots : other.shots;
    self.hits = same & 32 ? self.hits : other.hits;
    self.margin = same & 64 ? self.margin : other.margin;
    return self;
}

static inline void chance_other_launch(const struct raim_wire_limits *limits,
                                       raim_wire_bullet *bullet)
{
    if (chance_bool())
        bullet->tick--;
    else
        bullet->rewind = (uint8_t)((bullet->rewind + 1u) % (limits->max_rewind + 1));
}

// Turns a random frame into a successor of the baseline, in which most slots are as predicted.
static inline void chance_succession(const struct raim_wire_limits *limits,
                                     const struct raim_wire_frame *baseline,
                                     struct raim_wire_frame *frame)
{
    const uint32_t age = frame->tick - baseline->tick;
    if (chance_bool())
        frame->self = chance_next_self(limits, &baseline->self, age);
    FOR_EACH_SLOT (slot, baseline->seen_players, limits->players) {
        if (chance_int(0, 5) == 0)
            continue;
        raim_set_add(frame->seen_players, slot);
        frame->players[slot] = chance_successor(limits, baseline->players[slot], age);
    }
    const bool all_fly_on = chance_bool();
    for (uint32_t slot = 0; slot < raim_wire_bullets(limits); slot++) {
        const bool is_known = raim_set_has(baseline->seen_bullets, slot);
        const int fate = all_fly_on ? 2 : chance_int(0, 2);
        if (!is_known || fate == 1)
            frame->bullets[slot] = chance_shot(limits, frame, slot);
        else if (fate == 2)
            frame->bullets[slot] = baseline->bullets[slot];
        if (!all_fly_on && chance_int(0, 3) == 0) // nearly equal is a difference
            chance_other_launch(limits, &frame->bullets[slot]);
        if (is_known && fate != 0)
            raim_set_add(frame->seen_bullets, slot);
    }
}
