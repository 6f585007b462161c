// SPDX-License-Identifier: MIT
// Takes snapshots apart by the tables of PROTOCOL.md, not by the code that writes them.
#include "wire_census.h"

#include "wire_case.h"

enum {
    KIND_BITS = 1,
    WHOLE_TICK_BITS = 32,
    SHOTS_BITS = 8,
    HITS_BITS = 8,
    MARGIN_BITS = 6,
    TURNED_BITS = 2 + 4, // and since when
    BULLET_AIM_BITS = 16,
    FIRED_BITS = 4,
};

const char *const census_part_names[CENSUS_PARTS] = {
    [CENSUS_HEADER] = "header",
    [CENSUS_SELF] = "self",
    [CENSUS_AS_PREDICTED] = "as_predicted",
    [CENSUS_TURNED] = "turned",
    [CENSUS_GONE] = "gone",
    [CENSUS_CHANGED] = "changed",
    [CENSUS_NEW_PLAYER] = "new_player",
    [CENSUS_KNOWN_BULLETS] = "known_bullets",
    [CENSUS_NEW_BULLET_FIRED] = "bullet_fired",
    [CENSUS_REWIND] = "rewind",
    [CENSUS_NEW_BULLET_SEEN] = "bullet_seen",
    [CENSUS_ENDS] = "ends",
};

#define FOR_EACH_SLOT(slot, set, limit)                                                            \
    for (uint32_t slot = raim_set_next(set, 0, limit); slot < (limit);                             \
         slot = raim_set_next(set, (slot) + 1, limit))

static void add(struct census *census, enum census_part part, uint32_t bits, uint32_t *total)
{
    census->parts[part].count++;
    census->parts[part].bits += bits;
    *total += bits;
}

static uint32_t count_bits(uint32_t value)
{
    uint8_t bytes[16];
    raim_writer writer = raim_writer_make(bytes, sizeof bytes);
    raim_write_count(&writer, value);
    return (uint32_t)raim_writer_bits(&writer);
}

static uint32_t self_bits(const struct raim_wire_limits *limits, const raim_wire_self *from,
                          const raim_wire_self *self, uint32_t age)
{
    const uint32_t view_bits = raim_bits_for(limits->players - 1) + 1;
    if (from == NULL)
        return view_bits + 1 + count_bits(self->timer) + SHOTS_BITS + HITS_BITS + MARGIN_BITS;
    const raim_wire_self predicted = raim_wire_predict_self(from, age);
    const bool view = predicted.slot == self->slot && predicted.steers == self->steers;
    const bool timer = predicted.timer == self->timer, shots = predicted.shots == self->shots;
    const bool hits = predicted.hits == self->hits, margin = predicted.margin == self->margin;
    if (view && timer && shots && hits && margin && predicted.alive == self->alive)
        return 1;
    return 1 + 1 + (view ? 0 : view_bits) + 1 + 1 + (timer ? 0 : count_bits(self->timer)) + 1 +
           (shots ? 0 : SHOTS_BITS) + 1 + (hits ? 0 : HITS_BITS) + 1 + (margin ? 0 : MARGIN_BITS);
}

static void add_changed(struct census *census, const struct raim_wire_limits *limits,
                        const raim_wire_player *from, const raim_wire_player *to, uint32_t age)
{
    const raim_wire_player predicted = raim_wire_predict_player(limits, from, age);
    census->position_needs[wire_signed_bits(to->x - predicted.x)]++;
    census->position_needs[wire_signed_bits(to->y - predicted.y)]++;
}

static void add_known_player(struct census *census, const struct raim_wire_limits *limits,
                             const struct raim_wire_frame *baseline,
                             const struct raim_wire_frame *frame, uint32_t slot, uint32_t *total)
{
    const raim_wire_player *from = &baseline->players[slot];
    const raim_wire_player *to =
        raim_set_has(frame->seen_players, slot) ? &frame->players[slot] : NULL;
    const uint32_t age = frame->tick - baseline->tick;
    const uint32_t bits = raim_snapshot_player_bits(limits, baseline, frame, slot);
    const bool has_aim = to != NULL && !raim_wire_is_own(frame, slot);
    const uint32_t need = has_aim ? wire_signed_bits(wire_aim_change(from->aim, to->aim)) : 0;
    uint32_t since, case_bits = bits;
    const enum wire_case how = wire_case_of(limits, from, to, age, &since);
    if (how == WIRE_AS_PREDICTED)
        case_bits = 1;
    else if (how == WIRE_TURNED)
        case_bits = TURNED_BITS + raim_bits_for(age - 1);
    else if (how == WIRE_CHANGED)
        add_changed(census, limits, from, to, age);
    static const enum census_part parts[WIRE_CASES] = {
        [WIRE_AS_PREDICTED] = CENSUS_AS_PREDICTED,
        [WIRE_TURNED] = CENSUS_TURNED,
        [WIRE_GONE] = CENSUS_GONE,
        [WIRE_CHANGED] = CENSUS_CHANGED,
    };
    add(census, parts[how], case_bits, total);
    *total += bits - case_bits;
    if (has_aim && how == WIRE_CHANGED)
        census->changed_aim_needs[need]++;
    if (has_aim && how != WIRE_CHANGED) {
        census->aim_needs[need]++;
        census->aims[bits - case_bits]++;
    }
}

static void add_players(struct census *census, const struct raim_wire_limits *limits,
                        const struct raim_wire_frame *baseline, const struct raim_wire_frame *frame,
                        uint32_t *total)
{
    if (baseline != NULL)
        FOR_EACH_SLOT (slot, baseline->seen_players, limits->players)
            add_known_player(census, limits, baseline, frame, slot, total);
    FOR_EACH_SLOT (slot, frame->seen_players, limits->players)
        if (baseline == NULL || !raim_set_has(baseline->seen_players, slot))
            add(census, CENSUS_NEW_PLAYER, raim_snapshot_player_bits(limits, baseline, frame, slot),
                total);
}

static void add_bullet(struct census *census, const struct raim_wire_limits *limits,
                       const struct raim_wire_frame *frame, uint32_t slot, uint32_t lead,
                       uint32_t *total)
{
    const uint32_t bits = lead + BULLET_AIM_BITS + 1;
    if (wire_fired_age(limits, frame, slot) == 0) {
        add(census, CENSUS_NEW_BULLET_SEEN, bits + 2 * RAIM_WIRE_COORDINATE_BITS, total);
        return;
    }
    add(census, CENSUS_NEW_BULLET_FIRED, bits + FIRED_BITS, total);
    add(census, CENSUS_REWIND, raim_bits_for(limits->max_rewind), total);
}

static void add_bullets(struct census *census, const struct raim_wire_limits *limits,
                        const struct raim_wire_frame *baseline, const struct raim_wire_frame *frame,
                        uint32_t *total)
{
    const uint32_t slots = raim_wire_bullets(limits);
    uint32_t known = 0, known_bits = 0;
    bool any_changed = false;
    if (baseline != NULL) {
        FOR_EACH_SLOT (slot, baseline->seen_bullets, slots) {
            const bool stays = raim_set_has(frame->seen_bullets, slot);
            const bool same =
                stays && raim_wire_same_launch(&baseline->bullets[slot], &frame->bullets[slot]);
            any_changed = any_changed || !same;
            known++;
            known_bits += same || stays ? 1 : 2;
            if (stays && !same)
                add_bullet(census, limits, frame, slot, 1, total);
        }
    }
    if (known > 0)
        add(census, CENSUS_KNOWN_BULLETS, 1 + (any_changed ? known_bits : 0), total);
    FOR_EACH_SLOT (slot, frame->seen_bullets, slots)
        if (baseline == NULL || !raim_set_has(baseline->seen_bullets, slot))
            add_bullet(census, limits, frame, slot, 1 + raim_bits_for(slots - 1), total);
}

bool census_add(struct census *census, const struct raim_wire_limits *limits,
                const struct raim_wire_frame *baseline, const struct raim_wire_frame *frame,
                size_t size)
{
    uint32_t total = 0;
    const uint32_t age = baseline != NULL ? frame->tick - baseline->tick : 0;
    const uint32_t age_bits = raim_bits_for(limits->history - 1);
    census->snapshots++;
    add(census, CENSUS_HEADER, KIND_BITS + age_bits + (age != 0 ? age_bits + 1 : WHOLE_TICK_BITS),
        &total);
    add(census, CENSUS_SELF,
        self_bits(limits, baseline != NULL ? &baseline->self : NULL, &frame->self, age), &total);
    add_players(census, limits, baseline, frame, &total);
    add_bullets(census, limits, baseline, frame, &total);
    const uint32_t ends = (uint32_t)size * 8 - total;
    add(census, CENSUS_ENDS, ends, &total);
    return ends >= 2 && ends < 2 + 8;
}
