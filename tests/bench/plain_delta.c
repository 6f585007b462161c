// SPDX-License-Identifier: MIT
// Writes and reads plain deltas.
#include "plain_delta.h"

#include "wire_case.h"

enum { AGE_BITS = 8, TICK_BITS = 32, MARGIN_BITS = 6 };

// A difference travels in `small` or `medium` bits, where the field has them, or as a whole value.
// A run of a tick is 113 or 160 grid steps: the small differences hold one or two ticks of it.
static const struct field {
    uint8_t offset; // of an int32_t in raim_wire_player
    uint8_t bits;
    uint8_t small, medium;
    bool is_signed; // otherwise it is a number modulo 2^bits
} fields[] = {
    {offsetof(raim_wire_player, x), RAIM_WIRE_COORDINATE_BITS, 9, 12, true},
    {offsetof(raim_wire_player, y), RAIM_WIRE_COORDINATE_BITS, 9, 12, true},
    {offsetof(raim_wire_player, aim), RAIM_WIRE_AIM_BITS, 5, 8, false},
    {offsetof(raim_wire_player, life), 3, 0, 0, false},
    {offsetof(raim_wire_player, shield), 1, 0, 0, false},
};
enum { FIELDS = sizeof fields / sizeof fields[0] };

static int32_t *value_of(raim_wire_player *player, const struct field *field)
{
    return (int32_t *)(void *)((uint8_t *)player + field->offset);
}

static void write_whole(raim_writer *writer, const struct field *field, int32_t value)
{
    if (field->is_signed)
        raim_write_signed(writer, value, field->bits);
    else
        raim_write_bits(writer, (uint32_t)value, field->bits);
}

static int32_t read_whole(raim_reader *reader, const struct field *field)
{
    return field->is_signed ? raim_read_signed(reader, field->bits)
                            : (int32_t)raim_read_bits(reader, field->bits);
}

static void write_change(raim_writer *writer, const struct field *field, int32_t from, int32_t to)
{
    raim_write_bool(writer, from != to);
    if (from == to)
        return;
    const int32_t change = field->is_signed ? to - from : wire_aim_change(from, to);
    const uint32_t needed = wire_signed_bits(change);
    if (field->small == 0) {
        write_whole(writer, field, to);
    } else if (needed <= field->small) {
        raim_write_bool(writer, false);
        raim_write_signed(writer, change, field->small);
    } else if (needed <= field->medium) {
        raim_write_bits(writer, 1, 2);
        raim_write_signed(writer, change, field->medium);
    } else {
        raim_write_bits(writer, 3, 2);
        write_whole(writer, field, to);
    }
}

static int32_t read_change(raim_reader *reader, const struct field *field, int32_t from)
{
    if (!raim_read_bool(reader))
        return from;
    if (field->small == 0)
        return read_whole(reader, field);
    const uint32_t bits = !raim_read_bool(reader)   ? field->small
                          : !raim_read_bool(reader) ? field->medium
                                                    : 0;
    if (bits == 0)
        return read_whole(reader, field);
    const int32_t to = from + raim_read_signed(reader, bits);
    return field->is_signed ? to : to & ((1 << field->bits) - 1);
}

// --- The receiver's own state ---

static void write_self(raim_writer *writer, uint32_t age, const raim_wire_self *from,
                       const raim_wire_self *self)
{
    bool as_predicted = false;
    if (from != NULL) {
        const raim_wire_self predicted = raim_wire_predict_self(from, age);
        as_predicted = predicted.slot == self->slot && predicted.steers == self->steers &&
                       predicted.alive == self->alive && predicted.timer == self->timer &&
                       predicted.shots == self->shots && predicted.hits == self->hits;
    }
    raim_write_signed(writer, self->margin, MARGIN_BITS);
    raim_write_bool(writer, as_predicted);
    if (as_predicted)
        return;
    raim_write_bits(writer, self->slot, 10);
    raim_write_bool(writer, self->steers);
    raim_write_bool(writer, self->alive);
    raim_write_count(writer, self->timer);
    raim_write_bits(writer, self->shots, 8);
    raim_write_bits(writer, self->hits, 8);
}

static void read_self(raim_reader *reader, uint32_t age, const raim_wire_self *from,
                      raim_wire_self *self)
{
    const int8_t margin = (int8_t)raim_read_signed(reader, MARGIN_BITS);
    if (!raim_read_bool(reader)) {
        self->slot = (uint16_t)raim_read_bits(reader, 10);
        self->steers = raim_read_bool(reader);
        self->alive = raim_read_bool(reader);
        self->timer = (uint16_t)raim_read_count(reader);
        self->shots = (uint8_t)raim_read_bits(reader, 8);
        self->hits = (uint8_t)raim_read_bits(reader, 8);
    } else if (from != NULL) {
        *self = raim_wire_predict_self(from, age);
    }
    self->margin = margin;
}

// --- Bullets, as launches ---

static void write_bullet(raim_writer *writer, const struct raim_wire_limits *limits, uint32_t tick,
                         const raim_wire_bullet *bullet)
{
    raim_write_signed(writer, bullet->x, RAIM_WIRE_COORDINATE_BITS);
    raim_write_signed(writer, bullet->y, RAIM_WIRE_COORDINATE_BITS);
    raim_write_count(writer, tick - bullet->tick);
    raim_write_ranged(writer, bullet->rewind, 0, limits->max_rewind);
    raim_write_bits(writer, bullet->aim, 16);
}

static void read_bullet(raim_reader *reader, const struct raim_wire_limits *limits, uint32_t tick,
                        raim_wire_bullet *bullet)
{
    bullet->x = raim_read_signed(reader, RAIM_WIRE_COORDINATE_BITS);
    bullet->y = raim_read_signed(reader, RAIM_WIRE_COORDINATE_BITS);
    bullet->tick = tick - raim_read_count(reader);
    bullet->rewind = (uint8_t)raim_read_ranged(reader, 0, limits->max_rewind);
    bullet->aim = (uint16_t)raim_read_bits(reader, 16);
}

#define FOR_EACH_SLOT(slot, set, limit)                                                            \
    for (uint32_t slot = raim_set_next(set, 0, limit); slot < (limit);                             \
         slot = raim_set_next(set, (slot) + 1, limit))

// The bits that lead what a baseline has: 0 unchanged, 01 gone, 11 changed.
static bool write_state(raim_writer *writer, bool changed, bool stays)
{
    raim_write_bool(writer, changed);
    if (changed)
        raim_write_bool(writer, stays);
    return changed && stays;
}

static void write_players(raim_writer *writer, const struct raim_wire_limits *limits,
                          const struct raim_wire_frame *baseline,
                          const struct raim_wire_frame *frame)
{
    if (baseline != NULL) {
        FOR_EACH_SLOT (slot, baseline->seen_players, limits->players) {
            raim_wire_player from = baseline->players[slot], to = frame->players[slot];
            const bool stays = raim_set_has(frame->seen_players, slot);
            bool changed = !stays;
            for (int i = 0; i < FIELDS; i++)
                changed = changed || *value_of(&from, &fields[i]) != *value_of(&to, &fields[i]);
            if (write_state(writer, changed, stays))
                for (int i = 0; i < FIELDS; i++)
                    write_change(writer, &fields[i], *value_of(&from, &fields[i]),
                                 *value_of(&to, &fields[i]));
        }
    }
    FOR_EACH_SLOT (slot, frame->seen_players, limits->players) {
        if (baseline != NULL && raim_set_has(baseline->seen_players, slot))
            continue;
        raim_wire_player player = frame->players[slot];
        raim_write_bool(writer, true);
        raim_write_ranged(writer, slot, 0, limits->players - 1);
        for (int i = 0; i < FIELDS; i++)
            write_whole(writer, &fields[i], *value_of(&player, &fields[i]));
    }
    raim_write_bool(writer, false);
}

static void write_bullets(raim_writer *writer, const struct raim_wire_limits *limits,
                          const struct raim_wire_frame *baseline,
                          const struct raim_wire_frame *frame)
{
    const uint32_t slots = raim_wire_bullets(limits);
    if (baseline != NULL) {
        FOR_EACH_SLOT (slot, baseline->seen_bullets, slots) {
            const bool stays = raim_set_has(frame->seen_bullets, slot);
            const bool changed =
                !stays || !raim_wire_same_launch(&baseline->bullets[slot], &frame->bullets[slot]);
            if (write_state(writer, changed, stays))
                write_bullet(writer, limits, frame->tick, &frame->bullets[slot]);
        }
    }
    FOR_EACH_SLOT (slot, frame->seen_bullets, slots) {
        if (baseline != NULL && raim_set_has(baseline->seen_bullets, slot))
            continue;
        raim_write_bool(writer, true);
        raim_write_ranged(writer, slot, 0, slots - 1);
        write_bullet(writer, limits, frame->tick, &frame->bullets[slot]);
    }
    raim_write_bool(writer, false);
}

size_t plain_delta_write(const struct raim_wire_limits *limits,
                         const struct raim_wire_frame *baseline,
                         const struct raim_wire_frame *frame, uint8_t *bytes, size_t capacity)
{
    raim_writer writer = raim_message_write(RAIM_MESSAGE_SNAPSHOT, bytes, capacity);
    const uint32_t age = baseline != NULL ? frame->tick - baseline->tick : 0;
    raim_write_bits(&writer, frame->tick, TICK_BITS);
    raim_write_bits(&writer, age, AGE_BITS);
    write_self(&writer, age, baseline != NULL ? &baseline->self : NULL, &frame->self);
    write_players(&writer, limits, baseline, frame);
    write_bullets(&writer, limits, baseline, frame);
    return raim_writer_finish(&writer);
}

// --- Reading ---

static void read_players(raim_reader *reader, const struct raim_wire_limits *limits,
                         const struct raim_wire_frame *baseline, struct raim_wire_frame *frame)
{
    memset(frame->seen_players, 0, raim_set_words(limits->players) * sizeof(uint64_t));
    if (baseline != NULL) {
        FOR_EACH_SLOT (slot, baseline->seen_players, limits->players) {
            raim_wire_player *to = &frame->players[slot];
            const bool changed = raim_read_bool(reader);
            if (changed && !raim_read_bool(reader))
                continue; // gone
            raim_set_add(frame->seen_players, slot);
            *to = baseline->players[slot];
            for (int i = 0; changed && i < FIELDS; i++)
                *value_of(to, &fields[i]) =
                    read_change(reader, &fields[i], *value_of(to, &fields[i]));
        }
    }
    while (raim_read_bool(reader)) {
        const uint32_t slot = raim_read_ranged(reader, 0, limits->players - 1);
        raim_set_add(frame->seen_players, slot);
        for (int i = 0; i < FIELDS; i++)
            *value_of(&frame->players[slot], &fields[i]) = read_whole(reader, &fields[i]);
    }
}

static void read_bullets(raim_reader *reader, const struct raim_wire_limits *limits,
                         const struct raim_wire_frame *baseline, struct raim_wire_frame *frame)
{
    const uint32_t slots = raim_wire_bullets(limits);
    memset(frame->seen_bullets, 0, raim_set_words(slots) * sizeof(uint64_t));
    if (baseline != NULL) {
        FOR_EACH_SLOT (slot, baseline->seen_bullets, slots) {
            const bool changed = raim_read_bool(reader);
            if (changed && !raim_read_bool(reader))
                continue; // gone
            raim_set_add(frame->seen_bullets, slot);
            frame->bullets[slot] = baseline->bullets[slot];
            if (changed)
                read_bullet(reader, limits, frame->tick, &frame->bullets[slot]);
        }
    }
    while (raim_read_bool(reader)) {
        const uint32_t slot = raim_read_ranged(reader, 0, slots - 1);
        raim_set_add(frame->seen_bullets, slot);
        read_bullet(reader, limits, frame->tick, &frame->bullets[slot]);
    }
}

bool plain_delta_read(const struct raim_wire_limits *limits, const struct raim_wire_frame *baseline,
                      const uint8_t *bytes, size_t size, struct raim_wire_frame *frame)
{
    raim_reader reader = raim_reader_make(bytes, size);
    if (raim_message_read(&reader) != RAIM_MESSAGE_SNAPSHOT)
        return false;
    frame->tick = raim_read_bits(&reader, TICK_BITS);
    const uint32_t age = raim_read_bits(&reader, AGE_BITS);
    if (age != (baseline != NULL ? frame->tick - baseline->tick : 0))
        return false;
    read_self(&reader, age, baseline != NULL ? &baseline->self : NULL, &frame->self);
    read_players(&reader, limits, baseline, frame);
    read_bullets(&reader, limits, baseline, frame);
    return raim_reader_done(&reader);
}
