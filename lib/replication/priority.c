// SPDX-License-Identifier: MIT
// Adds the most urgent entities first, until the message is full.
#include "priority.h"

#include <assert.h>
#include <math.h>
#include <string.h>

// Distances below this, in units, count as this.
static const double near_units = 200;

// Players who have waited for this fraction of RAIM_PRIORITY_PATIENCE_S precede all others. The
// remaining third of the time suffices to send all players whose patience ends at once.
static const double soon = 2.0 / 3;

#define FOR_EACH_SLOT(slot, set, limit)                                                            \
    for (uint32_t slot = raim_set_next(set, 0, limit); slot < (limit);                             \
         slot = raim_set_next(set, (slot) + 1, limit))

static float urgency_of(const struct raim_priority *priority, double distance, double speed,
                        uint32_t waited)
{
    const double weight = (1 + speed / priority->player_speed) / fmax(distance, near_units);
    return (float)(weight * (waited + 1));
}

static double distance_between(int32_t ax, int32_t ay, int32_t bx, int32_t by)
{
    const double x = ax - bx, y = ay - by;
    return sqrt(x * x + y * y) / RAIM_WIRE_UNITS;
}

static uint32_t add_players(const struct raim_priority *priority,
                            const struct raim_wire_frame *frame, int32_t x, int32_t y,
                            uint32_t count)
{
    const double patience_ticks = RAIM_PRIORITY_PATIENCE_S * priority->tick_hz;
    FOR_EACH_SLOT (slot, frame->seen_players, priority->limits->players) {
        const raim_wire_player *player = &frame->players[slot];
        const uint32_t waited = priority->waited[slot];
        const double speed = player->direction == RAIM_DIRECTION_STAND ? 0 : priority->player_speed;
        float urgency =
            urgency_of(priority, distance_between(player->x, player->y, x, y), speed, waited);
        if (waited + 1 >= soon * patience_ticks)
            urgency += (float)waited;
        priority->entries[count++] = (struct raim_priority_entry){urgency, slot, false};
    }
    return count;
}

static uint32_t add_bullets(const struct raim_priority *priority,
                            const struct raim_wire_frame *frame, int32_t x, int32_t y,
                            uint32_t count)
{
    const uint32_t players = priority->limits->players;
    FOR_EACH_SLOT (slot, frame->seen_bullets, raim_wire_bullets(priority->limits)) {
        const raim_wire_bullet *bullet = &frame->bullets[slot];
        const double distance = distance_between(bullet->now_x, bullet->now_y, x, y);
        const float urgency = urgency_of(priority, distance, priority->bullet_speed,
                                         priority->waited[players + slot]);
        priority->entries[count++] = (struct raim_priority_entry){urgency, slot, true};
    }
    return count;
}

// A binary heap with the most urgent entity on top: Williams, "Algorithm 232: Heapsort", 1964.

static void sink(struct raim_priority_entry *heap, uint32_t count, uint32_t index)
{
    const struct raim_priority_entry entry = heap[index];
    for (uint32_t child; (child = 2 * index + 1) < count; index = child) {
        if (child + 1 < count && heap[child + 1].urgency > heap[child].urgency)
            child++;
        if (heap[child].urgency <= entry.urgency)
            break;
        heap[index] = heap[child];
    }
    heap[index] = entry;
}

static void make_heap(struct raim_priority_entry *heap, uint32_t count)
{
    for (uint32_t i = count / 2; i > 0; i--)
        sink(heap, count, i - 1);
}

static struct raim_priority_entry take_top(struct raim_priority_entry *heap, uint32_t *count)
{
    const struct raim_priority_entry top = heap[0];
    heap[0] = heap[--*count];
    sink(heap, *count, 0);
    return top;
}

static bool is_in_baseline(const struct raim_wire_frame *baseline,
                           const struct raim_priority_entry *entry)
{
    return baseline != NULL &&
           raim_set_has(entry->is_bullet ? baseline->seen_bullets : baseline->seen_players,
                        entry->slot);
}

static uint32_t bits_of(const struct raim_priority *priority,
                        const struct raim_wire_frame *baseline, const struct raim_wire_frame *frame,
                        const struct raim_priority_entry *entry)
{
    return entry->is_bullet
               ? raim_snapshot_bullet_bits(priority->limits, baseline, frame, entry->slot)
               : raim_snapshot_player_bits(priority->limits, baseline, frame, entry->slot);
}

// Adds an entity to the snapshot if it fits. Until then an entity of the baseline is counted as
// removed, so its removal bits are subtracted.
static void add_entity(const struct raim_priority *priority, const struct raim_wire_frame *baseline,
                       struct raim_wire_frame *frame, const struct raim_priority_entry *entry,
                       size_t capacity_bits, size_t *bits)
{
    uint64_t *set = entry->is_bullet ? frame->seen_bullets : frame->seen_players;
    uint8_t *waited =
        &priority->waited[entry->is_bullet ? priority->limits->players + entry->slot : entry->slot];
    const size_t gone =
        is_in_baseline(baseline, entry) ? bits_of(priority, baseline, frame, entry) : 0;
    raim_set_add(set, entry->slot);
    const size_t more = *bits - gone + bits_of(priority, baseline, frame, entry);
    if (more <= capacity_bits) {
        *bits = more;
        *waited = 0;
    } else {
        raim_set_remove(set, entry->slot);
        *waited = (uint8_t)(*waited + (*waited < UINT8_MAX));
    }
}

// The bits that remove every entity of the baseline, while the frame's sets are empty.
static size_t gone_bits(const struct raim_priority *priority,
                        const struct raim_wire_frame *baseline, const struct raim_wire_frame *frame)
{
    const struct raim_wire_limits *limits = priority->limits;
    size_t bits = 0;
    FOR_EACH_SLOT (slot, baseline->seen_players, limits->players)
        bits += raim_snapshot_player_bits(limits, baseline, frame, slot);
    FOR_EACH_SLOT (slot, baseline->seen_bullets, raim_wire_bullets(limits))
        bits += raim_snapshot_bullet_bits(limits, baseline, frame, slot);
    return bits;
}

static void reset_unseen(const struct raim_priority *priority, const struct raim_wire_frame *frame)
{
    const uint32_t players = priority->limits->players,
                   bullets = raim_wire_bullets(priority->limits);
    for (uint32_t slot = 0; slot < players; slot++)
        if (!raim_set_has(frame->seen_players, slot))
            priority->waited[slot] = 0;
    for (uint32_t slot = 0; slot < bullets; slot++)
        if (!raim_set_has(frame->seen_bullets, slot))
            priority->waited[players + slot] = 0;
}

static void empty(const struct raim_priority *priority, struct raim_wire_frame *frame)
{
    memset(frame->seen_players, 0, raim_set_words(priority->limits->players) * sizeof(uint64_t));
    memset(frame->seen_bullets, 0,
           raim_set_words(raim_wire_bullets(priority->limits)) * sizeof(uint64_t));
}

size_t raim_priority_write(const struct raim_priority *priority,
                           const struct raim_wire_frame *baseline, struct raim_wire_frame *frame,
                           int32_t x, int32_t y, uint8_t *bytes, size_t capacity)
{
    const struct raim_priority_entry own = {.slot = frame->self.slot};
    const bool has_own = raim_set_has(frame->seen_players, own.slot);
    reset_unseen(priority, frame);
    raim_set_remove(frame->seen_players, own.slot);
    uint32_t count = add_players(priority, frame, x, y, 0);
    count = add_bullets(priority, frame, x, y, count);
    empty(priority, frame);

    size_t bits = baseline != NULL ? gone_bits(priority, baseline, frame) : 0;
    if (bits > capacity * 8 / 2) {
        // Removals would fill more than half of the message. A snapshot without a baseline needs
        // none.
        baseline = NULL;
        bits = 0;
    }
    bits += RAIM_SNAPSHOT_FIXED_BITS;
    if (has_own)
        add_entity(priority, baseline, frame, &own, capacity * 8, &bits);
    make_heap(priority->entries, count);
    while (count > 0) {
        const struct raim_priority_entry entry = take_top(priority->entries, &count);
        add_entity(priority, baseline, frame, &entry, capacity * 8, &bits);
    }
    const size_t size = raim_snapshot_write(priority->limits, baseline, frame, bytes, capacity);
    assert(size > 0);
    return size;
}
