// SPDX-License-Identifier: MIT
// Serves the most urgent first, until the message is full.
#include "priority.h"

#include <assert.h>
#include <math.h>
#include <string.h>

// Nearer than this, in units, nearness counts no more.
static const double near_units = 200;

// Who has waited for so much of its patience goes before all who have not, so that there is time
// left to serve everybody whose patience runs out at once.
static const double soon = 2.0 / 3;

#define FOR_EACH_PLACE(place, set, limit)                                                          \
    for (uint32_t place = raim_set_next(set, 0, limit); place < (limit);                           \
         place = raim_set_next(set, (place) + 1, limit))

static float urgency_of(const struct raim_priority *crowd, double distance, double speed,
                        uint32_t waited)
{
    const double weight = (1 + speed / crowd->player_speed) / fmax(distance, near_units);
    return (float)(weight * (waited + 1));
}

static double distance_between(int32_t ax, int32_t ay, int32_t bx, int32_t by)
{
    const double x = ax - bx, y = ay - by;
    return sqrt(x * x + y * y) / RAIM_WIRE_UNITS;
}

static uint32_t add_players(const struct raim_priority *crowd, const struct raim_wire_frame *frame,
                            int32_t x, int32_t y, uint32_t count)
{
    const double patience_ticks = RAIM_PRIORITY_PATIENCE_S * crowd->tick_hz;
    FOR_EACH_PLACE (place, frame->seen_players, crowd->limits->players) {
        const raim_wire_player *player = &frame->players[place];
        const uint32_t waited = crowd->waited[place];
        const double speed = player->way == RAIM_WAY_STAND ? 0 : crowd->player_speed;
        float urgency =
            urgency_of(crowd, distance_between(player->x, player->y, x, y), speed, waited);
        if (waited + 1 >= soon * patience_ticks)
            urgency += (float)waited;
        crowd->entries[count++] = (struct raim_priority_entry){urgency, place, false};
    }
    return count;
}

static uint32_t add_bullets(const struct raim_priority *crowd, const struct raim_wire_frame *frame,
                            int32_t x, int32_t y, uint32_t count)
{
    const uint32_t players = crowd->limits->players;
    FOR_EACH_PLACE (place, frame->seen_bullets, raim_wire_bullets(crowd->limits)) {
        const raim_wire_bullet *bullet = &frame->bullets[place];
        const double distance = distance_between(bullet->now_x, bullet->now_y, x, y);
        const float urgency =
            urgency_of(crowd, distance, crowd->bullet_speed, crowd->waited[players + place]);
        crowd->entries[count++] = (struct raim_priority_entry){urgency, place, true};
    }
    return count;
}

// --- a heap with the most urgent on top: Williams, Algorithm 232, Heapsort, 1964 ---

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

// --- filling a message ---

static bool is_known(const struct raim_wire_frame *baseline,
                     const struct raim_priority_entry *entry)
{
    return baseline != NULL &&
           raim_set_has(entry->is_bullet ? baseline->seen_bullets : baseline->seen_players,
                        entry->place);
}

static uint32_t bits_of(const struct raim_priority *crowd, const struct raim_wire_frame *baseline,
                        const struct raim_wire_frame *frame,
                        const struct raim_priority_entry *entry)
{
    return entry->is_bullet
               ? raim_snapshot_bullet_bits(crowd->limits, baseline, frame, entry->place)
               : raim_snapshot_player_bits(crowd->limits, baseline, frame, entry->place);
}

// Tells an entity where there is room for it. Before it is told, a known one counts as gone.
static void tell(const struct raim_priority *crowd, const struct raim_wire_frame *baseline,
                 struct raim_wire_frame *frame, const struct raim_priority_entry *entry,
                 size_t capacity_bits, size_t *bits)
{
    uint64_t *set = entry->is_bullet ? frame->seen_bullets : frame->seen_players;
    uint8_t *waited =
        &crowd->waited[entry->is_bullet ? crowd->limits->players + entry->place : entry->place];
    const size_t gone = is_known(baseline, entry) ? bits_of(crowd, baseline, frame, entry) : 0;
    raim_set_add(set, entry->place);
    const size_t more = *bits - gone + bits_of(crowd, baseline, frame, entry);
    if (more <= capacity_bits) {
        *bits = more;
        *waited = 0;
    } else {
        raim_set_remove(set, entry->place);
        *waited = (uint8_t)(*waited + (*waited < UINT8_MAX));
    }
}

// What it takes to tell that a baseline's all is gone, with nothing in the frame's sets.
static size_t gone_bits(const struct raim_priority *crowd, const struct raim_wire_frame *baseline,
                        const struct raim_wire_frame *frame)
{
    const struct raim_wire_limits *limits = crowd->limits;
    size_t bits = 0;
    FOR_EACH_PLACE (place, baseline->seen_players, limits->players)
        bits += raim_snapshot_player_bits(limits, baseline, frame, place);
    FOR_EACH_PLACE (place, baseline->seen_bullets, raim_wire_bullets(limits))
        bits += raim_snapshot_bullet_bits(limits, baseline, frame, place);
    return bits;
}

static void forget_unseen(const struct raim_priority *crowd, const struct raim_wire_frame *frame)
{
    const uint32_t players = crowd->limits->players, bullets = raim_wire_bullets(crowd->limits);
    for (uint32_t place = 0; place < players; place++)
        if (!raim_set_has(frame->seen_players, place))
            crowd->waited[place] = 0;
    for (uint32_t place = 0; place < bullets; place++)
        if (!raim_set_has(frame->seen_bullets, place))
            crowd->waited[players + place] = 0;
}

static void empty(const struct raim_priority *crowd, struct raim_wire_frame *frame)
{
    memset(frame->seen_players, 0, raim_set_words(crowd->limits->players) * sizeof(uint64_t));
    memset(frame->seen_bullets, 0,
           raim_set_words(raim_wire_bullets(crowd->limits)) * sizeof(uint64_t));
}

size_t raim_priority_write(const struct raim_priority *crowd,
                           const struct raim_wire_frame *baseline, struct raim_wire_frame *frame,
                           int32_t x, int32_t y, uint8_t *bytes, size_t capacity)
{
    const struct raim_priority_entry own = {.place = frame->self.place};
    const bool has_own = raim_set_has(frame->seen_players, own.place);
    forget_unseen(crowd, frame);
    raim_set_remove(frame->seen_players, own.place);
    uint32_t count = add_players(crowd, frame, x, y, 0);
    count = add_bullets(crowd, frame, x, y, count);
    empty(crowd, frame);

    size_t bits = baseline != NULL ? gone_bits(crowd, baseline, frame) : 0;
    if (bits > capacity * 8 / 2) {
        // To tell all that is new takes less than to tell all that is gone.
        baseline = NULL;
        bits = 0;
    }
    bits += RAIM_SNAPSHOT_FIXED_BITS;
    if (has_own)
        tell(crowd, baseline, frame, &own, capacity * 8, &bits);
    make_heap(crowd->entries, count);
    while (count > 0) {
        const struct raim_priority_entry entry = take_top(crowd->entries, &count);
        tell(crowd, baseline, frame, &entry, capacity * 8, &bits);
    }
    const size_t size = raim_snapshot_write(crowd->limits, baseline, frame, bytes, capacity);
    assert(size > 0);
    return size;
}
