// SPDX-License-Identifier: MIT
// Writes and reads SNAPSHOT.
#include "snapshot.h"

enum { DIRECTION_BITS = 4, MARGIN_BITS = 6, FIRED_BITS = 4 };
static_assert(RAIM_DIRECTIONS <= 1 << DIRECTION_BITS, "a way fits its bits");
static_assert(RAIM_MAX_MARGIN < 1 << (MARGIN_BITS - 1), "a margin fits its bits");

// One row per replicated field of a player; it drives writing and reading. A change travels as a
// difference in `small` or `medium` bits, where the field has them, or as the whole value.
static const struct field {
    uint8_t offset; // of an int32_t in raim_wire_player
    uint8_t bits;   // of the whole value
    uint8_t small, medium;
    bool is_signed; // otherwise it is a number modulo 2^bits
} fields[] = {
    {offsetof(raim_wire_player, x), RAIM_WIRE_COORDINATE_BITS, 10, 12, true},
    {offsetof(raim_wire_player, y), RAIM_WIRE_COORDINATE_BITS, 10, 12, true},
    {offsetof(raim_wire_player, aim), RAIM_WIRE_AIM_BITS, 7, 8, false},
    {offsetof(raim_wire_player, direction), DIRECTION_BITS, 0, 0, false},
    {offsetof(raim_wire_player, life), 3, 0, 0, false},
    {offsetof(raim_wire_player, shield), 1, 0, 0, false},
    {offsetof(raim_wire_player, health), 8, 0, 0, false},
};
enum { AIM = 2, FIELDS = sizeof fields / sizeof fields[0] }; // health is the last

// The frames between which a snapshot is the delta.
struct delta {
    const struct raim_wire_limits *limits;
    const struct raim_wire_frame *baseline, *frame;
    uint32_t age;                                        // of the baseline, 0 without one
    const uint64_t *baseline_players, *baseline_bullets; // the baseline's
};

static struct delta make_delta(const struct raim_wire_limits *limits,
                               const struct raim_wire_frame *baseline,
                               const struct raim_wire_frame *frame)
{
    static const uint64_t nothing[RAIM_WIRE_BULLETS / 64];
    static_assert(RAIM_WIRE_BULLETS % 64 == 0 && RAIM_WIRE_BULLETS >= RAIM_WIRE_PLAYERS,
                  "a set of no players or of no bullets");
    if (baseline == NULL)
        return (struct delta){limits, NULL, frame, 0, nothing, nothing};
    const uint32_t age = frame->tick - baseline->tick;
    assert(age > 0);
    assert(age < limits->history);
    return (struct delta){
        limits, baseline, frame, age, baseline->seen_players, baseline->seen_bullets};
}

#define FOR_EACH_SLOT(slot, set, limit)                                                            \
    for (uint32_t slot = raim_set_next(set, 0, limit); slot < (limit);                             \
         slot = raim_set_next(set, (slot) + 1, limit))

// --- Fields ---

static int field_count(const struct delta *delta)
{
    return delta->limits->has_health ? FIELDS : FIELDS - 1;
}

static int32_t get_field(const raim_wire_player *player, const struct field *field)
{
    int32_t value;
    memcpy(&value, (const uint8_t *)player + field->offset, sizeof value);
    return value;
}

static void set_field(raim_wire_player *player, const struct field *field, int32_t value)
{
    memcpy((uint8_t *)player + field->offset, &value, sizeof value);
}

static bool fits(int32_t value, uint32_t bits)
{
    return value >= -(1 << (bits - 1)) && value < 1 << (bits - 1);
}

static uint32_t low_bits(int32_t value, uint32_t bits)
{
    return (uint32_t)value & ((1u << bits) - 1);
}

static bool in_range(const struct field *field, int32_t value)
{
    return field->is_signed ? fits(value, field->bits) : (uint32_t)value >> field->bits == 0;
}

static void write_whole(raim_writer *writer, const struct field *field, int32_t value)
{
    assert(in_range(field, value));
    raim_write_bits(writer, low_bits(value, field->bits), field->bits);
}

static int32_t read_whole(raim_reader *reader, const struct field *field)
{
    return field->is_signed ? raim_read_signed(reader, field->bits)
                            : (int32_t)raim_read_bits(reader, field->bits);
}

// The change of a field: the difference modulo 2^32, or the shortest one modulo 2^bits. It is
// defined for any value of the baseline.
static int32_t change_of(const struct field *field, int32_t from, int32_t to)
{
    const uint32_t change = (uint32_t)to - (uint32_t)from;
    if (field->is_signed)
        return (int32_t)change;
    const uint32_t half = 1u << (field->bits - 1); // differences wrap to -half .. half - 1
    return (int32_t)((change + half) & (2 * half - 1)) - (int32_t)half;
}

// Writes prefix, change and the bits before them in one call, because most of a snapshot is written
// here. `lead` are the `lead_bits` before the change.
static void write_change(raim_writer *writer, const struct field *field, int32_t from, int32_t to,
                         uint32_t lead, uint32_t lead_bits)
{
    uint32_t code = 0, code_bits = 1;
    if (from != to) {
        assert(in_range(field, to));
        const int32_t change = change_of(field, from, to);
        if (field->small == 0) {
            code = 1 | low_bits(to, field->bits) << 1;
            code_bits = 1 + field->bits;
        } else if (fits(change, field->small)) {
            code = 1 | low_bits(change, field->small) << 2;
            code_bits = 2 + field->small;
        } else if (fits(change, field->medium)) {
            code = 3 | low_bits(change, field->medium) << 3;
            code_bits = 3 + field->medium;
        } else {
            code = 7 | low_bits(to, field->bits) << 3;
            code_bits = 3 + field->bits;
        }
    }
    raim_write_bits(writer, lead | code << lead_bits, lead_bits + code_bits);
}

static int32_t read_change(raim_reader *reader, const struct field *field, int32_t from)
{
    if (!raim_read_bool(reader))
        return from;
    const uint32_t bits = field->small == 0         ? 0
                          : !raim_read_bool(reader) ? field->small
                          : !raim_read_bool(reader) ? field->medium
                                                    : 0;
    if (bits == 0)
        return read_whole(reader, field);
    const uint32_t to = (uint32_t)from + (uint32_t)raim_read_signed(reader, bits);
    return (int32_t)(field->is_signed ? to : to & ((1u << field->bits) - 1));
}

// --- The receiver's state ---

// Writes 1 for the baseline's value, otherwise 0 and the value in `bits`.
static void write_unless_same(raim_writer *writer, uint32_t from, uint32_t to, uint32_t bits)
{
    if (from == to)
        raim_write_bits(writer, 1, 1);
    else
        raim_write_bits(writer, to << 1, 1 + bits);
}

static uint32_t read_unless_same(raim_reader *reader, uint32_t from, uint32_t bits)
{
    return raim_read_bool(reader) ? from : raim_read_bits(reader, bits);
}

static void write_view(raim_writer *writer, const struct delta *delta)
{
    const raim_wire_self *self = &delta->frame->self;
    raim_write_ranged(writer, self->slot, 0, delta->limits->players - 1);
    raim_write_bool(writer, self->steers);
}

static void read_view(raim_reader *reader, const struct delta *delta, raim_wire_self *self)
{
    self->slot = (uint16_t)raim_read_ranged(reader, 0, delta->limits->players - 1);
    self->steers = raim_read_bool(reader);
}

static void write_self_change(raim_writer *writer, const struct delta *delta)
{
    const raim_wire_self *self = &delta->frame->self;
    const raim_wire_self from = raim_wire_predict_self(&delta->baseline->self, delta->age);
    const bool as_predicted = raim_wire_same_self(&from, self);
    raim_write_bool(writer, as_predicted);
    if (as_predicted)
        return;
    const bool same_view = from.slot == self->slot && from.steers == self->steers;
    raim_write_bool(writer, same_view);
    if (!same_view)
        write_view(writer, delta);
    raim_write_bool(writer, self->alive);
    raim_write_bool(writer, from.timer == self->timer);
    if (from.timer != self->timer)
        raim_write_count(writer, self->timer);
    write_unless_same(writer, from.shots, self->shots, 8);
    write_unless_same(writer, from.hits, self->hits, 8);
    write_unless_same(writer, low_bits(from.margin, MARGIN_BITS),
                      low_bits(self->margin, MARGIN_BITS), MARGIN_BITS);
}

static void write_self(raim_writer *writer, const struct delta *delta)
{
    const raim_wire_self *self = &delta->frame->self;
    assert(self->margin >= -RAIM_MAX_MARGIN && self->margin <= RAIM_MAX_MARGIN);
    if (delta->baseline != NULL) {
        write_self_change(writer, delta);
        return;
    }
    write_view(writer, delta);
    raim_write_bool(writer, self->alive);
    raim_write_count(writer, self->timer);
    raim_write_bits(writer, self->shots, 8);
    raim_write_bits(writer, self->hits, 8);
    raim_write_signed(writer, self->margin, MARGIN_BITS);
}

static uint16_t read_timer(raim_reader *reader)
{
    const uint32_t timer = raim_read_count(reader);
    reader->failed = reader->failed || timer > RAIM_WIRE_MAX_TIMER;
    return (uint16_t)timer;
}

static int8_t read_margin(raim_reader *reader)
{
    const int32_t margin = raim_read_signed(reader, MARGIN_BITS);
    reader->failed = reader->failed || margin < -RAIM_MAX_MARGIN;
    return (int8_t)margin;
}

static void read_self(raim_reader *reader, const struct delta *delta, raim_wire_self *self)
{
    if (delta->baseline == NULL) {
        read_view(reader, delta, self);
        self->alive = raim_read_bool(reader);
        self->timer = read_timer(reader);
        self->shots = (uint8_t)raim_read_bits(reader, 8);
        self->hits = (uint8_t)raim_read_bits(reader, 8);
        self->margin = read_margin(reader);
        return;
    }
    *self = raim_wire_predict_self(&delta->baseline->self, delta->age);
    if (raim_read_bool(reader))
        return;
    if (!raim_read_bool(reader))
        read_view(reader, delta, self);
    self->alive = raim_read_bool(reader);
    if (!raim_read_bool(reader))
        self->timer = read_timer(reader);
    self->shots = (uint8_t)read_unless_same(reader, self->shots, 8);
    self->hits = (uint8_t)read_unless_same(reader, self->hits, 8);
    if (!raim_read_bool(reader))
        self->margin = read_margin(reader);
}

// --- Players ---

// Predicts a player who kept its old way until `since` ticks ago and then took `way`.
static raim_wire_player apply_turn(const struct delta *delta, const raim_wire_player *from,
                                   int32_t direction, uint32_t since)
{
    raim_wire_player player = raim_wire_predict_player(delta->limits, from, delta->age - since);
    player.direction = direction;
    return raim_wire_predict_player(delta->limits, &player, since);
}

// How many ticks ago, 1 to age, a player turned to its new way. 0: it did not turn, or a single
// turn does not explain its position.
static uint32_t turn_age(const struct delta *delta, const raim_wire_player *from,
                         const raim_wire_player *to)
{
    if (to->direction == from->direction || to->life != from->life || to->shield != from->shield ||
        to->health != from->health)
        return 0;
    // Each tick since the turn adds an equal step to the distance from the old course.
    const raim_wire_player straight = apply_turn(delta, from, to->direction, 0);
    const raim_wire_player at_once = apply_turn(delta, from, to->direction, 1);
    const int64_t step_x = (int64_t)at_once.x - straight.x, away_x = (int64_t)to->x - straight.x;
    const int64_t step_y = (int64_t)at_once.y - straight.y, away_y = (int64_t)to->y - straight.y;
    const int64_t since = step_x != 0 ? away_x / step_x : step_y != 0 ? away_y / step_y : 1;
    const bool exact = since * step_x == away_x && since * step_y == away_y;
    return exact && since >= 1 && since <= delta->age ? (uint32_t)since : 0;
}

static void write_player_delta(raim_writer *writer, const struct delta *delta, uint32_t slot)
{
    if (!raim_set_has(delta->frame->seen_players, slot)) {
        raim_write_bits(writer, 3, 3);
        return;
    }
    const raim_wire_player *from = &delta->baseline->players[slot];
    const raim_wire_player *to = &delta->frame->players[slot];
    const raim_wire_player predicted = raim_wire_predict_player(delta->limits, from, delta->age);
    const bool as_predicted = raim_wire_same_course(&predicted, to);
    const uint32_t since = as_predicted ? 0 : turn_age(delta, from, to);
    uint32_t lead = 0, lead_bits = 1;
    if (since > 0) {
        lead = 1 | (uint32_t)to->direction << 2 | (since - 1) << (2 + DIRECTION_BITS);
        lead_bits = 2 + DIRECTION_BITS + raim_bits_for(delta->age - 1);
    } else if (!as_predicted) {
        raim_write_bits(writer, 7, 3);
        for (int i = 0; i < field_count(delta); i++)
            if (i != AIM)
                write_change(writer, &fields[i], get_field(&predicted, &fields[i]),
                             get_field(to, &fields[i]), 0, 0);
        lead_bits = 0;
    }
    if (raim_wire_is_own(delta->frame, slot))
        raim_write_bits(writer, lead, lead_bits);
    else
        write_change(writer, &fields[AIM], raim_wire_sent_aim(delta->baseline, slot), to->aim, lead,
                     lead_bits);
}

static void write_new_player(raim_writer *writer, const struct delta *delta, uint32_t slot)
{
    raim_write_bool(writer, true);
    raim_write_ranged(writer, slot, 0, delta->limits->players - 1);
    for (int i = 0; i < field_count(delta); i++)
        if (i != AIM || !raim_wire_is_own(delta->frame, slot))
            write_whole(writer, &fields[i], get_field(&delta->frame->players[slot], &fields[i]));
}

static void write_players(raim_writer *writer, const struct delta *delta)
{
    const uint32_t slots = delta->limits->players;
    FOR_EACH_SLOT (slot, delta->baseline_players, slots)
        write_player_delta(writer, delta, slot);
    FOR_EACH_SLOT (slot, delta->frame->seen_players, slots)
        if (!raim_set_has(delta->baseline_players, slot))
            write_new_player(writer, delta, slot);
    raim_write_bool(writer, false);
}

static void check_player(raim_reader *reader, const struct delta *delta,
                         const raim_wire_player *player)
{
    reader->failed = reader->failed || player->direction >= RAIM_DIRECTIONS ||
                     (player->health == 0) == delta->limits->has_health ||
                     !fits(player->x, RAIM_WIRE_COORDINATE_BITS) ||
                     !fits(player->y, RAIM_WIRE_COORDINATE_BITS);
}

static void read_turned(raim_reader *reader, const struct delta *delta,
                        const raim_wire_player *from, raim_wire_player *to)
{
    const int32_t direction = (int32_t)raim_read_bits(reader, DIRECTION_BITS);
    const uint32_t since = raim_read_ranged(reader, 1, delta->age);
    reader->failed = reader->failed || direction >= RAIM_DIRECTIONS || direction == from->direction;
    if (!reader->failed)
        *to = apply_turn(delta, from, direction, since);
}

// Returns false for a player who is removed.
static bool read_player_delta(raim_reader *reader, const struct delta *delta, uint32_t slot)
{
    const raim_wire_player *from = &delta->baseline->players[slot];
    raim_wire_player *to = &delta->frame->players[slot];
    *to = raim_wire_predict_player(delta->limits, from, delta->age);
    if (raim_read_bool(reader)) {
        if (!raim_read_bool(reader))
            read_turned(reader, delta, from, to);
        else if (!raim_read_bool(reader))
            return false;
        else
            for (int i = 0; i < field_count(delta); i++)
                if (i != AIM)
                    set_field(to, &fields[i],
                              read_change(reader, &fields[i], get_field(to, &fields[i])));
    }
    to->aim = raim_wire_is_own(delta->frame, slot)
                  ? 0
                  : read_change(reader, &fields[AIM], raim_wire_sent_aim(delta->baseline, slot));
    check_player(reader, delta, to);
    return true;
}

static void read_new_player(raim_reader *reader, const struct delta *delta, uint32_t slot)
{
    raim_wire_player *player = &delta->frame->players[slot];
    player->aim = player->health = 0;
    for (int i = 0; i < field_count(delta); i++)
        if (i != AIM || !raim_wire_is_own(delta->frame, slot))
            set_field(player, &fields[i], read_whole(reader, &fields[i]));
    check_player(reader, delta, player);
}

static void read_players(raim_reader *reader, const struct delta *delta, uint64_t *seen)
{
    const uint32_t slots = delta->limits->players;
    memset(seen, 0, raim_set_words(slots) * sizeof *seen);
    FOR_EACH_SLOT (slot, delta->baseline_players, slots)
        if (read_player_delta(reader, delta, slot))
            raim_set_add(seen, slot);
    for (uint32_t least = 0; raim_read_bool(reader);) {
        const uint32_t slot = raim_read_ranged(reader, 0, slots - 1);
        reader->failed =
            reader->failed || slot < least || raim_set_has(delta->baseline_players, slot);
        read_new_player(reader, delta, slot);
        raim_set_add(seen, slot);
        least = slot + 1;
    }
}

// --- Bullets ---

// A player's position `ticks` ago, if it has kept its present way since.
static raim_wire_player move_back(const struct delta *delta, const raim_wire_player *player,
                                  uint32_t ticks)
{
    const raim_wire_player later = raim_wire_predict_player(delta->limits, player, ticks);
    raim_wire_player before = *player;
    before.x = (int32_t)(2 * (uint32_t)player->x - (uint32_t)later.x);
    before.y = (int32_t)(2 * (uint32_t)player->y - (uint32_t)later.y);
    return before;
}

// How many ticks ago a bullet was fired, if its origin follows from its shooter in this frame;
// otherwise 0.
static uint32_t fired_age(const struct delta *delta, uint32_t slot)
{
    const raim_wire_bullet *bullet = &delta->frame->bullets[slot];
    const uint32_t shooter = slot / delta->limits->shots;
    const uint32_t age = delta->frame->tick - bullet->tick - bullet->rewind;
    if (age < 1 || age > 1 << FIRED_BITS || !raim_set_has(delta->frame->seen_players, shooter))
        return 0;
    const raim_wire_player origin = move_back(delta, &delta->frame->players[shooter], age - 1);
    return origin.x == bullet->x && origin.y == bullet->y ? age : 0;
}

static void write_bullet(raim_writer *writer, const struct delta *delta, uint32_t slot)
{
    const raim_wire_bullet *bullet = &delta->frame->bullets[slot];
    const uint32_t age = fired_age(delta, slot);
    if (age > 0) {
        raim_write_bits(writer, bullet->aim | 1u << 16 | (age - 1) << 17, 17 + FIRED_BITS);
        raim_write_ranged(writer, bullet->rewind, 0, delta->limits->max_rewind);
        return;
    }
    raim_write_bits(writer, bullet->aim, 17);
    raim_write_signed(writer, bullet->now_x, RAIM_WIRE_COORDINATE_BITS);
    raim_write_signed(writer, bullet->now_y, RAIM_WIRE_COORDINATE_BITS);
}

static void read_bullet(raim_reader *reader, const struct delta *delta, uint32_t slot)
{
    raim_wire_bullet *bullet = &delta->frame->bullets[slot];
    *bullet = (raim_wire_bullet){.tick = delta->frame->tick};
    bullet->aim = (uint16_t)raim_read_bits(reader, 16);
    if (!raim_read_bool(reader)) {
        bullet->x = raim_read_signed(reader, RAIM_WIRE_COORDINATE_BITS);
        bullet->y = raim_read_signed(reader, RAIM_WIRE_COORDINATE_BITS);
        return;
    }
    const uint32_t before = raim_read_bits(reader, FIRED_BITS);
    bullet->rewind = (uint8_t)raim_read_ranged(reader, 0, delta->limits->max_rewind);
    const uint32_t shooter = slot / delta->limits->shots;
    reader->failed = reader->failed || !raim_set_has(delta->frame->seen_players, shooter);
    if (reader->failed)
        return;
    const raim_wire_player origin = move_back(delta, &delta->frame->players[shooter], before);
    check_player(reader, delta, &origin);
    bullet->x = origin.x;
    bullet->y = origin.y;
    bullet->tick -= before + 1 + bullet->rewind;
}

static bool is_same_bullet(const struct delta *delta, uint32_t slot)
{
    return raim_set_has(delta->frame->seen_bullets, slot) &&
           raim_wire_same_launch(&delta->baseline->bullets[slot], &delta->frame->bullets[slot]);
}

static void write_bullet_delta(raim_writer *writer, const struct delta *delta, uint32_t slot)
{
    const bool stays = raim_set_has(delta->frame->seen_bullets, slot);
    if (is_same_bullet(delta, slot)) {
        raim_write_bool(writer, false);
        return;
    }
    raim_write_bits(writer, 1 | (uint32_t)stays << 1, 2);
    if (stays) // the slot holds another bullet now
        write_bullet(writer, delta, slot);
}

static void write_new_bullet(raim_writer *writer, const struct delta *delta, uint32_t slot)
{
    raim_write_bool(writer, true);
    raim_write_ranged(writer, slot, 0, raim_wire_bullets(delta->limits) - 1);
    write_bullet(writer, delta, slot);
}

static void write_bullet_deltas(raim_writer *writer, const struct delta *delta)
{
    const uint32_t slots = raim_wire_bullets(delta->limits);
    bool any = false, any_changed = false;
    FOR_EACH_SLOT (slot, delta->baseline_bullets, slots) {
        any = true;
        any_changed = any_changed || !is_same_bullet(delta, slot);
    }
    if (any)
        raim_write_bool(writer, any_changed);
    if (any_changed)
        FOR_EACH_SLOT (slot, delta->baseline_bullets, slots)
            write_bullet_delta(writer, delta, slot);
}

static void write_bullets(raim_writer *writer, const struct delta *delta)
{
    write_bullet_deltas(writer, delta);
    FOR_EACH_SLOT (slot, delta->frame->seen_bullets, raim_wire_bullets(delta->limits))
        if (!raim_set_has(delta->baseline_bullets, slot))
            write_new_bullet(writer, delta, slot);
    raim_write_bool(writer, false);
}

static void read_bullet_deltas(raim_reader *reader, const struct delta *delta, uint64_t *seen)
{
    const uint32_t slots = raim_wire_bullets(delta->limits);
    const bool any = raim_set_next(delta->baseline_bullets, 0, slots) < slots;
    const bool any_changed = any && raim_read_bool(reader);
    FOR_EACH_SLOT (slot, delta->baseline_bullets, slots) {
        const bool changed = any_changed && raim_read_bool(reader);
        if (changed && !raim_read_bool(reader))
            continue; // removed
        raim_set_add(seen, slot);
        if (changed)
            read_bullet(reader, delta, slot);
        else
            delta->frame->bullets[slot] = delta->baseline->bullets[slot];
    }
}

static void read_bullets(raim_reader *reader, const struct delta *delta, uint64_t *seen)
{
    const uint32_t slots = raim_wire_bullets(delta->limits);
    memset(seen, 0, raim_set_words(slots) * sizeof *seen);
    read_bullet_deltas(reader, delta, seen);
    for (uint32_t least = 0; raim_read_bool(reader);) {
        const uint32_t slot = raim_read_ranged(reader, 0, slots - 1);
        reader->failed =
            reader->failed || slot < least || raim_set_has(delta->baseline_bullets, slot);
        read_bullet(reader, delta, slot);
        raim_set_add(seen, slot);
        least = slot + 1;
    }
}

// --- The whole ---

size_t raim_snapshot_write(const struct raim_wire_limits *limits,
                           const struct raim_wire_frame *baseline,
                           const struct raim_wire_frame *frame, uint8_t *bytes, size_t capacity)
{
    const struct delta delta = make_delta(limits, baseline, frame);
    raim_writer writer = raim_message_write(RAIM_MESSAGE_SNAPSHOT, bytes, capacity);
    raim_write_ranged(&writer, delta.age, 0, limits->history - 1);
    if (baseline != NULL)
        raim_write_ranged(&writer, frame->tick % (2 * limits->history), 0, 2 * limits->history - 1);
    else {
        raim_write_bits(&writer, frame->epoch, RAIM_EPOCH_BITS);
        raim_write_bits(&writer, frame->tick, 32);
    }
    write_self(&writer, &delta);
    write_players(&writer, &delta);
    write_bullets(&writer, &delta);
    return raim_writer_finish(&writer);
}

uint32_t raim_snapshot_player_bits(const struct raim_wire_limits *limits,
                                   const struct raim_wire_frame *baseline,
                                   const struct raim_wire_frame *frame, uint32_t slot)
{
    const struct delta delta = make_delta(limits, baseline, frame);
    uint8_t bytes[32];
    raim_writer writer = raim_writer_make(bytes, sizeof bytes);
    if (raim_set_has(delta.baseline_players, slot))
        write_player_delta(&writer, &delta, slot);
    else
        write_new_player(&writer, &delta, slot);
    return (uint32_t)raim_writer_bits(&writer);
}

uint32_t raim_snapshot_bullet_bits(const struct raim_wire_limits *limits,
                                   const struct raim_wire_frame *baseline,
                                   const struct raim_wire_frame *frame, uint32_t slot)
{
    const struct delta delta = make_delta(limits, baseline, frame);
    uint8_t bytes[32];
    raim_writer writer = raim_writer_make(bytes, sizeof bytes);
    if (raim_set_has(delta.baseline_bullets, slot))
        write_bullet_delta(&writer, &delta, slot);
    else
        write_new_bullet(&writer, &delta, slot);
    return (uint32_t)raim_writer_bits(&writer);
}

bool raim_snapshot_read_header(raim_reader *reader, const struct raim_wire_limits *limits,
                               uint32_t near_tick, struct raim_snapshot_header *header)
{
    header->baseline_age = raim_read_ranged(reader, 0, limits->history - 1);
    header->epoch = 0;
    if (header->baseline_age == 0) {
        header->epoch = raim_read_bits(reader, RAIM_EPOCH_BITS);
        header->tick = raim_read_bits(reader, 32);
    } else {
        const uint32_t ticks = 2 * limits->history, first = near_tick - limits->history + 1;
        header->tick = first + (raim_read_ranged(reader, 0, ticks - 1) - first) % ticks;
    }
    return !reader->failed;
}

bool raim_snapshot_read(raim_reader *reader, const struct raim_snapshot_header *header,
                        const struct raim_wire_limits *limits,
                        const struct raim_wire_frame *baseline, struct raim_wire_frame *frame)
{
    frame->tick = header->tick;
    frame->epoch = header->epoch;
    assert((baseline == NULL) == (header->baseline_age == 0));
    const struct delta delta = make_delta(limits, baseline, frame);
    assert(delta.age == header->baseline_age);
    read_self(reader, &delta, &frame->self);
    read_players(reader, &delta, frame->seen_players);
    read_bullets(reader, &delta, frame->seen_bullets);
    return raim_reader_done(reader);
}
