// SPDX-License-Identifier: MIT
// Writes, reads and counts snapshots as decisions in contexts. One description serves all three:
// every function takes what is to be written and returns what was written or read.
#include "entropy_delta.h"

#include "wire_case.h"

enum {
    KIND_BITS = 1,
    AGE_BITS = 8,
    TICK_BITS = 7, // at 60 Hz
    TIMER_BITS = 16,
    WAY_BITS = 4,
    LIFE_BITS = 3,
    BULLET_AIM_BITS = 16,
    FIRED_BITS = 4,
    REWIND_BITS = 6,
};

// Ages of baselines that are alike: up to 2, 4, 7, 12, and more.
enum { AGES = 5 };

// What a decision depends on.
enum {
    FLAGS_SELF = 0, // as predicted, same view, alive, timer, shots, hits, margin
    FLAGS_CASE = FLAGS_SELF + 8,
    FLAGS_AIM = FLAGS_CASE + 3 * 2 * AGES,    // case of the player, whether it looked ahead, age
    FLAGS_CHANGED = FLAGS_AIM + 4 * 2 * AGES, // x, y, way, life, shield
    FLAGS_NEW = FLAGS_CHANGED + 5,            // another one, after so many; shield
    FLAGS_BULLET = FLAGS_NEW + 5,             // any changed, changed, gone, fired
    FLAGS_NEW_BULLET = FLAGS_BULLET + 4,      // another one, after so many
    TREE_AGE = FLAGS_NEW_BULLET + 4,          //
    TREE_TIMER = TREE_AGE + (1 << AGE_BITS),  // number of bits
    TREE_WAY = TREE_TIMER + 32,               // by the old way; the last for new players
    TREE_SINCE = TREE_WAY + (RAIM_WAYS + 1) * 16, // by the baseline's age
    TREE_FIRED = TREE_SINCE + 9 * 8,
    TREE_REWIND = TREE_FIRED + 16,
    CHANGE_AIM = TREE_REWIND + 64, // turned or not, age
    CHANGE_PLACE = CHANGE_AIM + 2 * AGES * (16 + 1),
    MANTISSA_AIM = CHANGE_PLACE + 32 + 1, // by age and number of bits
    MANTISSA_PLACE = MANTISSA_AIM + AGES * 11 * 8,
    CONTEXTS = MANTISSA_PLACE + 23 * 8,
};
static_assert(CONTEXTS <= ENTROPY_CONTEXTS, "every context has its odds");

static uint32_t age_class(uint32_t age)
{
    return age <= 2 ? 0 : age <= 4 ? 1 : age <= 7 ? 2 : age <= 12 ? 3 : 4;
}

// What every function here works on.
struct pass {
    struct range_coder coder;
    enum coding coding;
    const struct raim_wire_limits *limits;
    const struct raim_wire_frame *baseline; // or NULL
    struct raim_wire_frame *frame;          // only written in CODING_READ
    uint32_t age;
};

static bool flag(struct pass *pass, uint32_t context, bool value)
{
    return range_coder_bit(&pass->coder, pass->coding, context, value);
}

static uint32_t tree(struct pass *pass, uint32_t context, uint32_t bits, uint32_t value)
{
    return range_coder_tree(&pass->coder, pass->coding, context, bits, value);
}

static uint32_t plain(struct pass *pass, uint32_t bits, uint32_t value)
{
    return range_coder_plain(&pass->coder, pass->coding, bits,
                             value & (uint32_t)((1ull << bits) - 1));
}

static int32_t plain_signed(struct pass *pass, uint32_t bits, int32_t value)
{
    const uint32_t sign = 1u << (bits - 1);
    return (int32_t)(plain(pass, bits, (uint32_t)value) ^ sign) - (int32_t)sign;
}

// A number that is not 0: how many bits it has, its sign, and its bits behind the first, of which
// the highest three have contexts.
static int32_t change(struct pass *pass, uint32_t context, uint32_t tree_bits, uint32_t mantissas,
                      int32_t value)
{
    enum { KNOWN = 3 };
    const uint32_t size = (uint32_t)(value < 0 ? -value : value);
    const uint32_t bits = tree(pass, context, tree_bits, raim_bits_for(size));
    const bool negative = flag(pass, context + (1u << tree_bits), value < 0);
    const uint32_t behind = bits > 0 ? bits - 1 : 0;
    const uint32_t known = behind < KNOWN ? behind : KNOWN, rest = behind - known;
    uint32_t result = 1u << known;
    result |= tree(pass, mantissas + 8 * bits, known, (size & ~(1u << behind)) >> rest);
    result = result << rest | plain(pass, rest, size);
    return negative ? -(int32_t)result : (int32_t)result;
}

// --- The receiver's own state ---

static uint32_t timer(struct pass *pass, uint32_t value)
{
    const uint32_t bits = tree(pass, TREE_TIMER, 5, raim_bits_for(value));
    return bits == 0 ? 0 : 1u << (bits - 1) | plain(pass, bits - 1, value);
}

static raim_wire_self self_state(struct pass *pass, const raim_wire_self *value)
{
    raim_wire_self self = {0};
    raim_wire_self from = {0};
    if (pass->baseline != NULL)
        from = raim_wire_predict_self(&pass->baseline->self, pass->age);
    const raim_wire_self *told = pass->coding == CODING_READ ? &from : value;
    const bool same_view = told->slot == from.slot && told->steers == from.steers;
    if (flag(pass, FLAGS_SELF,
             same_view && told->alive == from.alive && told->timer == from.timer &&
                 told->shots == from.shots && told->hits == from.hits &&
                 told->margin == from.margin))
        return from;
    self = from;
    if (!flag(pass, FLAGS_SELF + 1, same_view)) {
        self.slot = (uint16_t)plain(pass, raim_bits_for(pass->limits->players - 1), told->slot);
        self.steers = plain(pass, 1, told->steers) != 0;
    }
    self.alive = flag(pass, FLAGS_SELF + 2, told->alive);
    if (!flag(pass, FLAGS_SELF + 3, told->timer == from.timer))
        self.timer = (uint16_t)timer(pass, told->timer);
    if (!flag(pass, FLAGS_SELF + 4, told->shots == from.shots))
        self.shots = (uint8_t)plain(pass, 8, told->shots);
    if (!flag(pass, FLAGS_SELF + 5, told->hits == from.hits))
        self.hits = (uint8_t)plain(pass, 8, told->hits);
    if (!flag(pass, FLAGS_SELF + 6, told->margin == from.margin))
        self.margin = (int8_t)plain_signed(pass, 6, told->margin);
    return self;
}

// --- Players ---

static bool tells_aim(const struct pass *pass, uint32_t slot)
{
    return !raim_wire_is_own(pass->frame, slot);
}

// Who wanders looks ahead, and goes on looking there.
static bool predicts_ahead(const raim_wire_player *player)
{
    return player->way >= 1 && player->way <= 8 &&
           player->aim == (player->way - 1) << (RAIM_WIRE_AIM_BITS - 3);
}

static int32_t aim(struct pass *pass, enum wire_case how, const raim_wire_player *from,
                   int32_t value)
{
    const uint32_t age = age_class(pass->age);
    const uint32_t context = ((uint32_t)how * 2 + predicts_ahead(from)) * AGES + age;
    const int32_t turn = wire_aim_change(from->aim, value);
    if (flag(pass, FLAGS_AIM + context, turn == 0))
        return from->aim;
    const uint32_t kind = (how == WIRE_AS_PREDICTED ? 0u : AGES) + age;
    const int32_t turned =
        change(pass, CHANGE_AIM + kind * (16 + 1), 4, MANTISSA_AIM + age * 11 * 8, turn);
    return (from->aim + turned) & ((1 << RAIM_WIRE_AIM_BITS) - 1);
}

static int32_t residual(struct pass *pass, uint32_t context, int32_t from, int32_t to)
{
    if (flag(pass, context, to == from))
        return from;
    return from + change(pass, CHANGE_PLACE, 5, MANTISSA_PLACE, to - from);
}

static uint32_t way(struct pass *pass, uint32_t old, int32_t value)
{
    return tree(pass, TREE_WAY + old * 16, WAY_BITS, (uint32_t)value);
}

// Since when a player goes another way: 1 to the age.
static uint32_t since(struct pass *pass, uint32_t value)
{
    if (pass->age <= 8)
        return tree(pass, TREE_SINCE + pass->age * 8, 3, value - 1) + 1;
    return plain(pass, raim_bits_for(pass->age - 1), value - 1) + 1;
}

static raim_wire_player changed(struct pass *pass, const raim_wire_player *from,
                                const raim_wire_player *value)
{
    raim_wire_player to = raim_wire_predict_player(pass->limits, from, pass->age);
    to.x = residual(pass, FLAGS_CHANGED, to.x, value->x);
    to.y = residual(pass, FLAGS_CHANGED + 1, to.y, value->y);
    if (flag(pass, FLAGS_CHANGED + 2, value->way != from->way))
        to.way = (int32_t)way(pass, (uint32_t)from->way, value->way);
    if (flag(pass, FLAGS_CHANGED + 3, value->life != from->life))
        to.life = (int32_t)plain(pass, LIFE_BITS, (uint32_t)value->life);
    if (flag(pass, FLAGS_CHANGED + 4, value->shield != from->shield))
        to.shield = !from->shield;
    return to;
}

static void known_player(struct pass *pass, uint32_t slot)
{
    const raim_wire_player *from = &pass->baseline->players[slot];
    raim_wire_player value = *from;
    enum wire_case how = WIRE_AS_PREDICTED;
    uint32_t since_tick = 1;
    if (pass->coding != CODING_READ) {
        const bool seen = raim_set_has(pass->frame->seen_players, slot);
        if (seen)
            value = pass->frame->players[slot];
        how = wire_case_of(pass->limits, from, seen ? &value : NULL, pass->age, &since_tick);
    }
    const uint32_t context = FLAGS_CASE + (from->way != 0) * AGES + age_class(pass->age);
    raim_wire_player to;
    if (flag(pass, context, how == WIRE_AS_PREDICTED)) {
        how = WIRE_AS_PREDICTED;
        to = raim_wire_predict_player(pass->limits, from, pass->age);
    } else if (flag(pass, context + 2 * AGES, how == WIRE_TURNED)) {
        how = WIRE_TURNED;
        const int32_t new_way = (int32_t)way(pass, (uint32_t)from->way, value.way);
        since_tick = since(pass, since_tick);
        to = wire_turned(pass->limits, from, pass->age, new_way, since_tick);
    } else if (flag(pass, context + 4 * AGES, how == WIRE_GONE)) {
        return;
    } else {
        how = WIRE_CHANGED;
        to = changed(pass, from, &value);
    }
    to.aim = tells_aim(pass, slot) ? aim(pass, how, from, value.aim) : 0;
    if (pass->coding == CODING_READ) {
        raim_set_add(pass->frame->seen_players, slot);
        pass->frame->players[slot] = to;
    }
}

static void new_player(struct pass *pass, uint32_t slot)
{
    raim_wire_player value = {0};
    if (pass->coding != CODING_READ)
        value = pass->frame->players[slot];
    slot = plain(pass, raim_bits_for(pass->limits->players - 1), slot);
    raim_wire_player to;
    to.x = plain_signed(pass, RAIM_WIRE_COORDINATE_BITS, value.x);
    to.y = plain_signed(pass, RAIM_WIRE_COORDINATE_BITS, value.y);
    to.aim =
        tells_aim(pass, slot) ? (int32_t)plain(pass, RAIM_WIRE_AIM_BITS, (uint32_t)value.aim) : 0;
    to.way = (int32_t)way(pass, RAIM_WAYS, value.way);
    to.life = (int32_t)plain(pass, LIFE_BITS, (uint32_t)value.life);
    to.shield = flag(pass, FLAGS_NEW + 4, value.shield != 0);
    if (pass->coding == CODING_READ && slot < pass->limits->players) {
        raim_set_add(pass->frame->seen_players, slot);
        pass->frame->players[slot] = to;
    }
}

// --- Bullets ---

static void bullet(struct pass *pass, uint32_t slot)
{
    raim_wire_bullet *bullets = pass->frame->bullets, value = {0};
    const bool reads = pass->coding == CODING_READ;
    uint32_t age = 1;
    if (!reads) {
        value = bullets[slot];
        age = wire_fired_age(pass->limits, pass->frame, slot);
    }
    raim_wire_bullet to = {.tick = pass->frame->tick};
    to.aim = (uint16_t)plain(pass, BULLET_AIM_BITS, value.aim);
    if (flag(pass, FLAGS_BULLET + 3, age != 0)) {
        age = tree(pass, TREE_FIRED, FIRED_BITS, age - 1) + 1;
        const raim_wire_player *shooter = &pass->frame->players[slot / pass->limits->shots];
        const raim_wire_player still = {.way = shooter->way};
        const raim_wire_player gone = raim_wire_predict_player(pass->limits, &still, age - 1);
        to.x = shooter->x - gone.x;
        to.y = shooter->y - gone.y;
        if (pass->limits->max_rewind > 0)
            to.rewind = (uint8_t)tree(pass, TREE_REWIND, REWIND_BITS, value.rewind);
        to.tick -= age + to.rewind;
    } else {
        to.x = plain_signed(pass, RAIM_WIRE_COORDINATE_BITS, value.now_x);
        to.y = plain_signed(pass, RAIM_WIRE_COORDINATE_BITS, value.now_y);
    }
    if (reads)
        bullets[slot] = to;
}

static void known_bullet(struct pass *pass, uint32_t slot)
{
    struct raim_wire_frame *frame = pass->frame;
    const raim_wire_bullet *from = &pass->baseline->bullets[slot];
    const bool reads = pass->coding == CODING_READ;
    const bool seen = !reads && raim_set_has(frame->seen_bullets, slot);
    const bool same = seen && raim_wire_same_launch(from, &frame->bullets[slot]);
    if (flag(pass, FLAGS_BULLET + 1, same)) {
        if (reads)
            frame->bullets[slot] = *from;
    } else if (flag(pass, FLAGS_BULLET + 2, !seen)) {
        return;
    } else {
        bullet(pass, slot);
    }
    if (reads)
        raim_set_add(frame->seen_bullets, slot);
}

static void new_bullet(struct pass *pass, uint32_t slot)
{
    const uint32_t slots = raim_wire_bullets(pass->limits);
    slot = plain(pass, raim_bits_for(slots - 1), slot);
    if (slot >= slots)
        return;
    bullet(pass, slot);
    if (pass->coding == CODING_READ)
        raim_set_add(pass->frame->seen_bullets, slot);
}

// --- The whole ---

#define FOR_EACH_SLOT(slot, set, limit)                                                            \
    for (uint32_t slot = raim_set_next(set, 0, limit); slot < (limit);                             \
         slot = raim_set_next(set, (slot) + 1, limit))

// What is new: each is led by a bit that says that there is one more.
static void newcomers(struct pass *pass, uint32_t context, const uint64_t *known,
                      const uint64_t *seen, uint32_t limit,
                      void (*tell)(struct pass *pass, uint32_t slot))
{
    uint32_t count = 0;
    if (pass->coding == CODING_READ) {
        for (; count < limit && flag(pass, context + (count < 3 ? count : 3), false); count++)
            tell(pass, 0);
        return;
    }
    FOR_EACH_SLOT (slot, seen, limit) {
        if (known != NULL && raim_set_has(known, slot))
            continue;
        flag(pass, context + (count < 3 ? count : 3), true);
        tell(pass, slot);
        count++;
    }
    if (count < limit)
        flag(pass, context + (count < 3 ? count : 3), false);
}

static bool any_bullet_changed(const struct pass *pass)
{
    const struct raim_wire_frame *from = pass->baseline, *to = pass->frame;
    FOR_EACH_SLOT (slot, from->seen_bullets, raim_wire_bullets(pass->limits))
        if (!raim_set_has(to->seen_bullets, slot) ||
            !raim_wire_same_launch(&from->bullets[slot], &to->bullets[slot]))
            return true;
    return false;
}

static void baseline_bullets(struct pass *pass)
{
    struct raim_wire_frame *frame = pass->frame;
    const uint64_t *known = pass->baseline->seen_bullets;
    const uint32_t slots = raim_wire_bullets(pass->limits);
    const bool reads = pass->coding == CODING_READ;
    if (raim_set_next(known, 0, slots) == slots)
        return;
    if (flag(pass, FLAGS_BULLET, !reads && any_bullet_changed(pass))) {
        FOR_EACH_SLOT (slot, known, slots)
            known_bullet(pass, slot);
    } else if (reads) {
        FOR_EACH_SLOT (slot, known, slots) {
            raim_set_add(frame->seen_bullets, slot);
            frame->bullets[slot] = pass->baseline->bullets[slot];
        }
    }
}

static void entities(struct pass *pass)
{
    const struct raim_wire_frame *baseline = pass->baseline, *frame = pass->frame;
    const uint32_t players = pass->limits->players, bullets = raim_wire_bullets(pass->limits);
    if (baseline != NULL)
        FOR_EACH_SLOT (slot, baseline->seen_players, players)
            known_player(pass, slot);
    newcomers(pass, FLAGS_NEW, baseline != NULL ? baseline->seen_players : NULL,
              frame->seen_players, players, new_player);
    if (baseline != NULL)
        baseline_bullets(pass);
    newcomers(pass, FLAGS_NEW_BULLET, baseline != NULL ? baseline->seen_bullets : NULL,
              frame->seen_bullets, bullets, new_bullet);
}

// Returns false for what cannot be a snapshot against this baseline.
static bool snapshot(struct pass *pass, uint32_t near_tick)
{
    struct raim_wire_frame *frame = pass->frame;
    const struct raim_wire_frame *baseline = pass->baseline;
    const bool reads = pass->coding == CODING_READ;
    range_coder_begin(&pass->coder, pass->coding);
    const uint32_t kind = plain(pass, KIND_BITS, 1);
    const uint32_t age = tree(pass, TREE_AGE, AGE_BITS, pass->age);
    const uint32_t tick = plain(pass, age != 0 ? TICK_BITS : 32, reads ? 0 : frame->tick);
    if (reads) {
        const uint32_t half = 1u << (TICK_BITS - 1);
        frame->tick = tick;
        if (age != 0) // the nearest of those that are alike
            frame->tick = near_tick + (((tick - near_tick + half) & (2 * half - 1)) - half);
        pass->age = baseline != NULL ? frame->tick - baseline->tick : 0;
        if (kind != 1 || age != pass->age)
            return false;
    }
    const raim_wire_self self = self_state(pass, &frame->self);
    if (reads)
        frame->self = self;
    entities(pass);
    return true;
}

static uint32_t age_of(const struct raim_wire_frame *baseline, const struct raim_wire_frame *frame)
{
    return baseline != NULL ? frame->tick - baseline->tick : 0;
}

size_t entropy_delta_write(const struct entropy_odds *odds, const struct raim_wire_limits *limits,
                           const struct raim_wire_frame *baseline,
                           const struct raim_wire_frame *frame, uint8_t *bytes, size_t capacity)
{
    struct entropy_odds learning = *odds;
    struct raim_wire_frame written = *frame;
    struct pass pass = {
        .coder = {.bytes = bytes, .capacity = capacity, .odds = learning.odds},
        .coding = CODING_WRITE,
        .limits = limits,
        .baseline = baseline,
        .frame = &written,
        .age = age_of(baseline, frame),
    };
    snapshot(&pass, 0);
    return range_coder_finish(&pass.coder);
}

bool entropy_delta_read(const struct entropy_odds *odds, const struct raim_wire_limits *limits,
                        const struct raim_wire_frame *baseline, uint32_t near_tick,
                        const uint8_t *bytes, size_t size, struct raim_wire_frame *frame)
{
    struct entropy_odds learning = *odds;
    struct pass pass = {
        .coder = {.bytes = (uint8_t *)bytes, .capacity = size, .odds = learning.odds},
        .coding = CODING_READ,
        .limits = limits,
        .baseline = baseline,
        .frame = frame,
    };
    memset(frame->seen_players, 0, raim_set_words(limits->players) * sizeof(uint64_t));
    memset(frame->seen_bullets, 0, raim_set_words(raim_wire_bullets(limits)) * sizeof(uint64_t));
    return snapshot(&pass, near_tick);
}

void entropy_delta_learn(struct entropy_counts *counts, const struct raim_wire_limits *limits,
                         const struct raim_wire_frame *baseline,
                         const struct raim_wire_frame *frame)
{
    struct raim_wire_frame counted = *frame;
    struct pass pass = {
        .coder = {.counts = counts->seen},
        .coding = CODING_COUNT,
        .limits = limits,
        .baseline = baseline,
        .frame = &counted,
        .age = age_of(baseline, frame),
    };
    snapshot(&pass, 0);
}

void entropy_odds_from(struct entropy_odds *odds, const struct entropy_counts *counts)
{
    for (int i = 0; i < ENTROPY_CONTEXTS; i++) {
        const double zeros = (double)counts->seen[i][0] + 0.5;
        const double both = zeros + (double)counts->seen[i][1] + 0.5;
        const double least = 64, chance = zeros / both * ODDS_ONE;
        odds->odds[i] = (uint16_t)(chance < least              ? least
                                   : chance > ODDS_ONE - least ? ODDS_ONE - least
                                                               : chance);
    }
}
