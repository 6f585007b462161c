// SPDX-License-Identifier: MIT
// Writes and reads SNAPSHOT.
#include "snapshot.h"

enum { BASELINE_BITS = 6, MARGIN_BITS = 6 };
static_assert(RAIM_SNAPSHOT_HISTORY == 1 << BASELINE_BITS, "an age fits its bits");
static_assert(RAIM_MAX_MARGIN < 1 << (MARGIN_BITS - 1), "a margin fits its bits");

// One row per replicated field of a player; it drives writing and reading. A change travels as a
// difference in `small` or `medium` bits, where the field has them, or as the whole value.
static const struct field {
    uint8_t offset; // of an int32_t in raim_wire_player
    uint8_t bits;   // of the whole value
    uint8_t small, medium;
    bool is_signed; // otherwise it is a number modulo 2^bits
} fields[] = {
    {offsetof(raim_wire_player, x), RAIM_WIRE_COORDINATE_BITS, 9, 12, true},
    {offsetof(raim_wire_player, y), RAIM_WIRE_COORDINATE_BITS, 9, 12, true},
    {offsetof(raim_wire_player, aim), RAIM_WIRE_AIM_BITS, 6, 9, false},
    {offsetof(raim_wire_player, life), 3, 0, 0, false},
    {offsetof(raim_wire_player, shield), 1, 0, 0, false},
};
enum { FIELDS = sizeof fields / sizeof fields[0] };

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

static bool fits(int32_t value, uint32_t bits)
{
    return value >= -(1 << (bits - 1)) && value < 1 << (bits - 1);
}

static uint32_t low_bits(int32_t value, uint32_t bits)
{
    return (uint32_t)value & ((1u << bits) - 1);
}

// The bits that say what follows go out together with it: most of a snapshot is written here.
static void write_change(raim_writer *writer, const struct field *field, int32_t from, int32_t to)
{
    raim_write_bool(writer, from != to);
    if (from == to)
        return;
    if (field->small == 0) {
        write_whole(writer, field, to);
        return;
    }
    int32_t change = to - from;
    if (!field->is_signed) { // the short way around
        const int32_t half = 1 << (field->bits - 1);
        change = ((change + half) & (2 * half - 1)) - half;
    }
    if (fits(change, field->small)) {
        raim_write_bits(writer, 1 | low_bits(change, field->small) << 1, 1 + field->small);
    } else if (fits(change, field->medium)) {
        raim_write_bits(writer, 2 | low_bits(change, field->medium) << 2, 2 + field->medium);
    } else {
        raim_write_bits(writer, 0, 2);
        write_whole(writer, field, to);
    }
}

static int32_t read_change(raim_reader *reader, const struct field *field, int32_t from)
{
    if (!raim_read_bool(reader))
        return from;
    if (field->small != 0) {
        const uint32_t bits = raim_read_bool(reader)   ? field->small
                              : raim_read_bool(reader) ? field->medium
                                                       : 0;
        if (bits != 0) {
            const int32_t to = from + raim_read_signed(reader, bits);
            if (!field->is_signed)
                return to & ((1 << field->bits) - 1);
            reader->failed = reader->failed || !fits(to, field->bits);
            return to;
        }
    }
    return read_whole(reader, field);
}

static bool same_player(const raim_wire_player *a, const raim_wire_player *b)
{
    return a->x == b->x && a->y == b->y && a->aim == b->aim && a->life == b->life &&
           a->shield == b->shield;
}

static bool same_bullet(const raim_wire_bullet *a, const raim_wire_bullet *b)
{
    return a->x == b->x && a->y == b->y && a->born_tick == b->born_tick && a->aim == b->aim &&
           a->owner == b->owner;
}

static void write_player(raim_writer *writer, const raim_wire_player *player)
{
    for (int i = 0; i < FIELDS; i++)
        write_whole(writer, &fields[i], get_field(player, &fields[i]));
}

static void read_player(raim_reader *reader, raim_wire_player *player)
{
    for (int i = 0; i < FIELDS; i++)
        set_field(player, &fields[i], read_whole(reader, &fields[i]));
}

static void write_bullet(raim_writer *writer, const struct raim_wire_limits *limits, uint32_t tick,
                         const raim_wire_bullet *bullet)
{
    assert(tick - bullet->born_tick <= RAIM_WIRE_MAX_AGE);
    raim_write_signed(writer, bullet->x, RAIM_WIRE_COORDINATE_BITS);
    raim_write_signed(writer, bullet->y, RAIM_WIRE_COORDINATE_BITS);
    raim_write_count(writer, tick - bullet->born_tick);
    raim_write_bits(writer, bullet->aim, 16);
    raim_write_ranged(writer, bullet->owner, 0, limits->players - 1);
}

static void read_bullet(raim_reader *reader, const struct raim_wire_limits *limits, uint32_t tick,
                        raim_wire_bullet *bullet)
{
    bullet->x = raim_read_signed(reader, RAIM_WIRE_COORDINATE_BITS);
    bullet->y = raim_read_signed(reader, RAIM_WIRE_COORDINATE_BITS);
    const uint32_t age = raim_read_count(reader);
    reader->failed = reader->failed || age > RAIM_WIRE_MAX_AGE;
    bullet->born_tick = tick - age;
    bullet->aim = (uint16_t)raim_read_bits(reader, 16);
    bullet->owner = (uint16_t)raim_read_ranged(reader, 0, limits->players - 1);
}

// --- The memory of a frame: both sets, the players, the bullets ---

size_t raim_wire_frame_bytes(const struct raim_wire_limits *limits)
{
    const size_t sets = raim_set_words(limits->players) + raim_set_words(limits->bullets);
    const size_t bytes = sets * sizeof(uint64_t) + limits->players * sizeof(raim_wire_player) +
                         limits->bullets * sizeof(raim_wire_bullet);
    return (bytes + 7) / 8 * 8;
}

void raim_wire_frame_init(struct raim_wire_frame *frame, const struct raim_wire_limits *limits,
                          void *memory)
{
    uint64_t *sets = memory;
    *frame = (struct raim_wire_frame){.seen_players = sets};
    frame->seen_bullets = sets + raim_set_words(limits->players);
    frame->players = (raim_wire_player *)(frame->seen_bullets + raim_set_words(limits->bullets));
    frame->bullets = (raim_wire_bullet *)(frame->players + limits->players);
}

// --- The receiving player's own state ---

static raim_wire_self predict_self(const raim_wire_self *from, uint32_t age)
{
    raim_wire_self self = *from;
    self.timer = from->timer > age ? (uint16_t)(from->timer - age) : 0;
    return self;
}

static void write_self(raim_writer *writer, uint32_t age, const raim_wire_self *from,
                       const raim_wire_self *self)
{
    if (from != NULL) {
        const raim_wire_self predicted = predict_self(from, age);
        const bool as_predicted = predicted.alive == self->alive &&
                                  predicted.timer == self->timer &&
                                  predicted.shots == self->shots && predicted.hits == self->hits;
        raim_write_bool(writer, as_predicted);
        if (as_predicted)
            return;
    }
    raim_write_bool(writer, self->alive);
    raim_write_count(writer, self->timer);
    raim_write_bits(writer, self->shots, 8);
    raim_write_bits(writer, self->hits, 8);
}

static void read_self(raim_reader *reader, uint32_t age, const raim_wire_self *from,
                      raim_wire_self *self)
{
    if (from != NULL && raim_read_bool(reader)) {
        *self = predict_self(from, age);
        return;
    }
    self->alive = raim_read_bool(reader);
    const uint32_t timer = raim_read_count(reader);
    reader->failed = reader->failed || timer > RAIM_WIRE_MAX_TIMER;
    self->timer = (uint16_t)timer;
    self->shots = (uint8_t)raim_read_bits(reader, 8);
    self->hits = (uint8_t)raim_read_bits(reader, 8);
}

// --- Sets of places ---

// The lowest place at or above `place` that is in the set, or `limit`.
static uint32_t next_in(const uint64_t *set, uint32_t place, uint32_t limit)
{
    while (place < limit) {
        const uint64_t rest = set[place / 64] >> (place % 64);
        if (rest != 0) {
            place += (uint32_t)__builtin_ctzll(rest);
            return place < limit ? place : limit;
        }
        place = (place / 64 + 1) * 64;
    }
    return limit;
}

#define FOR_EACH_PLACE(place, set, limit)                                                          \
    for (uint32_t place = next_in(set, 0, limit); place < (limit);                                 \
         place = next_in(set, (place) + 1, limit))

static void write_known_player(raim_writer *writer, const struct raim_wire_frame *baseline,
                               const struct raim_wire_frame *frame, uint32_t place)
{
    const raim_wire_player *from = &baseline->players[place], *to = &frame->players[place];
    const bool stays = raim_set_has(frame->seen_players, place);
    const bool unchanged = stays && same_player(from, to);
    raim_write_bool(writer, !unchanged);
    if (unchanged)
        return;
    raim_write_bool(writer, stays);
    if (!stays)
        return;
    for (int i = 0; i < FIELDS; i++)
        write_change(writer, &fields[i], get_field(from, &fields[i]), get_field(to, &fields[i]));
}

static void write_new_player(raim_writer *writer, const struct raim_wire_limits *limits,
                             const struct raim_wire_frame *frame, uint32_t place)
{
    raim_write_bool(writer, true);
    raim_write_ranged(writer, place, 0, limits->players - 1);
    write_player(writer, &frame->players[place]);
}

static void write_known_bullet(raim_writer *writer, const struct raim_wire_limits *limits,
                               const struct raim_wire_frame *baseline,
                               const struct raim_wire_frame *frame, uint32_t place)
{
    const raim_wire_bullet *from = &baseline->bullets[place], *to = &frame->bullets[place];
    const bool stays = raim_set_has(frame->seen_bullets, place);
    const bool unchanged = stays && same_bullet(from, to);
    raim_write_bool(writer, !unchanged);
    if (unchanged)
        return;
    raim_write_bool(writer, stays);
    if (stays) // the place holds another bullet by now
        write_bullet(writer, limits, frame->tick, to);
}

static void write_new_bullet(raim_writer *writer, const struct raim_wire_limits *limits,
                             const struct raim_wire_frame *frame, uint32_t place)
{
    raim_write_bool(writer, true);
    raim_write_ranged(writer, place, 0, limits->bullets - 1);
    write_bullet(writer, limits, frame->tick, &frame->bullets[place]);
}

size_t raim_snapshot_write(const struct raim_snapshot_header *header,
                           const struct raim_wire_limits *limits,
                           const struct raim_wire_frame *baseline,
                           const struct raim_wire_frame *frame, uint8_t *bytes, size_t capacity)
{
    assert(header->tick == frame->tick);
    assert((baseline == NULL) == (header->baseline_age == 0));
    assert(baseline == NULL || baseline->tick == header->tick - header->baseline_age);
    raim_writer writer = raim_message_write(RAIM_MESSAGE_SNAPSHOT, bytes, capacity);
    raim_write_bits(&writer, header->tick, 32);
    raim_write_bits(&writer, header->baseline_age, BASELINE_BITS);
    raim_write_signed(&writer, header->margin, MARGIN_BITS);
    write_self(&writer, header->baseline_age, baseline != NULL ? &baseline->self : NULL,
               &frame->self);
    if (baseline != NULL)
        FOR_EACH_PLACE (place, baseline->seen_players, limits->players)
            write_known_player(&writer, baseline, frame, place);
    FOR_EACH_PLACE (place, frame->seen_players, limits->players)
        if (baseline == NULL || !raim_set_has(baseline->seen_players, place))
            write_new_player(&writer, limits, frame, place);
    raim_write_bool(&writer, false);
    if (baseline != NULL)
        FOR_EACH_PLACE (place, baseline->seen_bullets, limits->bullets)
            write_known_bullet(&writer, limits, baseline, frame, place);
    FOR_EACH_PLACE (place, frame->seen_bullets, limits->bullets)
        if (baseline == NULL || !raim_set_has(baseline->seen_bullets, place))
            write_new_bullet(&writer, limits, frame, place);
    raim_write_bool(&writer, false);
    return raim_writer_finish(&writer);
}

uint32_t raim_snapshot_player_bits(const struct raim_wire_limits *limits,
                                   const struct raim_wire_frame *baseline,
                                   const struct raim_wire_frame *frame, uint32_t place)
{
    uint8_t bytes[32];
    raim_writer writer = raim_writer_make(bytes, sizeof bytes);
    if (baseline != NULL && raim_set_has(baseline->seen_players, place))
        write_known_player(&writer, baseline, frame, place);
    else
        write_new_player(&writer, limits, frame, place);
    return (uint32_t)raim_writer_bits(&writer);
}

uint32_t raim_snapshot_bullet_bits(const struct raim_wire_limits *limits,
                                   const struct raim_wire_frame *baseline,
                                   const struct raim_wire_frame *frame, uint32_t place)
{
    uint8_t bytes[32];
    raim_writer writer = raim_writer_make(bytes, sizeof bytes);
    if (baseline != NULL && raim_set_has(baseline->seen_bullets, place))
        write_known_bullet(&writer, limits, baseline, frame, place);
    else
        write_new_bullet(&writer, limits, frame, place);
    return (uint32_t)raim_writer_bits(&writer);
}

bool raim_snapshot_read_header(raim_reader *reader, struct raim_snapshot_header *header)
{
    header->tick = raim_read_bits(reader, 32);
    header->baseline_age = raim_read_bits(reader, BASELINE_BITS);
    header->margin = raim_read_signed(reader, MARGIN_BITS);
    reader->failed = reader->failed || header->margin < -RAIM_MAX_MARGIN;
    return !reader->failed;
}

static void read_players(raim_reader *reader, const struct raim_wire_limits *limits,
                         const struct raim_wire_frame *baseline, struct raim_wire_frame *frame)
{
    memset(frame->seen_players, 0, raim_set_words(limits->players) * sizeof(uint64_t));
    if (baseline != NULL) {
        FOR_EACH_PLACE (place, baseline->seen_players, limits->players) {
            const raim_wire_player *from = &baseline->players[place];
            raim_wire_player *to = &frame->players[place];
            const bool changed = raim_read_bool(reader);
            if (changed && !raim_read_bool(reader))
                continue; // gone
            raim_set_add(frame->seen_players, place);
            *to = *from;
            for (int i = 0; changed && i < FIELDS; i++)
                set_field(to, &fields[i],
                          read_change(reader, &fields[i], get_field(from, &fields[i])));
        }
    }
    for (uint32_t least = 0; raim_read_bool(reader);) {
        const uint32_t place = raim_read_ranged(reader, 0, limits->players - 1);
        const bool known = baseline != NULL && raim_set_has(baseline->seen_players, place);
        reader->failed = reader->failed || place < least || known;
        read_player(reader, &frame->players[place]);
        raim_set_add(frame->seen_players, place);
        least = place + 1;
    }
}

static void read_bullets(raim_reader *reader, const struct raim_wire_limits *limits,
                         const struct raim_wire_frame *baseline, struct raim_wire_frame *frame)
{
    memset(frame->seen_bullets, 0, raim_set_words(limits->bullets) * sizeof(uint64_t));
    if (baseline != NULL) {
        FOR_EACH_PLACE (place, baseline->seen_bullets, limits->bullets) {
            const bool changed = raim_read_bool(reader);
            if (changed && !raim_read_bool(reader))
                continue; // gone
            raim_set_add(frame->seen_bullets, place);
            if (changed)
                read_bullet(reader, limits, frame->tick, &frame->bullets[place]);
            else
                frame->bullets[place] = baseline->bullets[place];
        }
    }
    for (uint32_t least = 0; raim_read_bool(reader);) {
        const uint32_t place = raim_read_ranged(reader, 0, limits->bullets - 1);
        const bool known = baseline != NULL && raim_set_has(baseline->seen_bullets, place);
        reader->failed = reader->failed || place < least || known;
        read_bullet(reader, limits, frame->tick, &frame->bullets[place]);
        raim_set_add(frame->seen_bullets, place);
        least = place + 1;
    }
}

bool raim_snapshot_read(raim_reader *reader, const struct raim_snapshot_header *header,
                        const struct raim_wire_limits *limits,
                        const struct raim_wire_frame *baseline, struct raim_wire_frame *frame)
{
    assert((baseline == NULL) == (header->baseline_age == 0));
    assert(baseline == NULL || baseline->tick == header->tick - header->baseline_age);
    frame->tick = header->tick;
    read_self(reader, header->baseline_age, baseline != NULL ? &baseline->self : NULL,
              &frame->self);
    read_players(reader, limits, baseline, frame);
    read_bullets(reader, limits, baseline, frame);
    return raim_reader_done(reader);
}
