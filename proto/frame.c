// SPDX-License-Identifier: MIT
// The memory of frames and the prediction rule that both ends share.
#include "frame.h"

uint32_t raim_wire_history(uint32_t tick_hz)
{
    uint32_t ticks = 16;
    while (ticks < tick_hz && ticks < RAIM_MAX_HISTORY)
        ticks *= 2;
    return ticks;
}

// The memory of a frame: both sets, the players, the bullets.

static_assert(sizeof(raim_wire_player) % 4 == 0 && _Alignof(raim_wire_bullet) == 4,
              "bullets may follow players");

size_t raim_wire_frame_bytes(const struct raim_wire_limits *limits)
{
    const size_t slots = raim_wire_bullets(limits);
    const size_t words = raim_set_words(limits->players) + raim_set_words((uint32_t)slots);
    const size_t bytes = words * sizeof(uint64_t) + limits->players * sizeof(raim_wire_player) +
                         slots * sizeof(raim_wire_bullet);
    return (bytes + 7) / 8 * 8;
}

void raim_wire_frame_init(struct raim_wire_frame *frame, const struct raim_wire_limits *limits,
                          void *memory)
{
    uint64_t *sets = memory;
    *frame = (struct raim_wire_frame){.seen_players = sets};
    frame->seen_bullets = sets + raim_set_words(limits->players);
    frame->players =
        (raim_wire_player *)(frame->seen_bullets + raim_set_words(raim_wire_bullets(limits)));
    frame->bullets = (raim_wire_bullet *)(frame->players + limits->players);
}

// The vector of each direction and whether it uses the diagonal's pace.
static const struct vector {
    int8_t x, y;
    bool diagonal;
} vectors[] = {
    {0, 0, false},  {1, 0, false},  {1, 1, true},   {0, 1, false}, {-1, 1, true},
    {-1, 0, false}, {-1, -1, true}, {0, -1, false}, {1, -1, true}, {1, 0, true},
    {0, 1, true},   {-1, 0, true},  {0, -1, true},
};
static_assert(sizeof vectors / sizeof vectors[0] == RAIM_DIRECTIONS, "one row a direction");

static int32_t pace_of(const struct raim_wire_limits *limits, const struct vector *vector)
{
    return vector->diagonal ? limits->diagonal : limits->stride;
}

uint32_t raim_wire_direction(const struct raim_wire_limits *limits, int32_t dx, int32_t dy)
{
    // The nearest point w to d has the least |w - d|^2 - |d|^2 = |w|^2 - 2 w d. In 64 bits: a
    // stride is below 2^20, so even a jump across all of the grid does not overflow.
    uint32_t nearest = RAIM_DIRECTION_STAND;
    int64_t least = 0;
    for (uint32_t direction = RAIM_DIRECTION_RUN; direction < RAIM_DIRECTIONS; direction++) {
        const struct vector *vector = &vectors[direction];
        const int64_t pace = pace_of(limits, vector);
        const int64_t square = pace * (vector->x * vector->x + vector->y * vector->y);
        const int64_t along = vector->x * (int64_t)dx + vector->y * (int64_t)dy;
        const int64_t distance = pace * (square - 2 * along);
        if (distance < least) {
            least = distance;
            nearest = direction;
        }
    }
    return nearest;
}

raim_wire_player raim_wire_predict_player(const struct raim_wire_limits *limits,
                                          const raim_wire_player *player, uint32_t age)
{
    assert(player->direction >= 0 && player->direction < RAIM_DIRECTIONS);
    const struct vector *vector = &vectors[player->direction];
    const uint32_t distance = (uint32_t)pace_of(limits, vector) * age;
    raim_wire_player later = *player;
    later.x = (int32_t)((uint32_t)player->x + (uint32_t)vector->x * distance);
    later.y = (int32_t)((uint32_t)player->y + (uint32_t)vector->y * distance);
    return later;
}

raim_wire_self raim_wire_predict_self(const raim_wire_self *self, uint32_t age)
{
    raim_wire_self later = *self;
    later.timer = self->timer > age ? (uint16_t)(self->timer - age) : 0;
    return later;
}

static bool same_set(const uint64_t *a, const uint64_t *b, uint32_t slots)
{
    return memcmp(a, b, raim_set_words(slots) * sizeof *a) == 0;
}

enum raim_wire_change raim_wire_compare(const struct raim_wire_limits *limits,
                                        const struct raim_wire_frame *from,
                                        const struct raim_wire_frame *to)
{
    const uint32_t age = to->tick - from->tick, slots = raim_wire_bullets(limits);
    const raim_wire_self self = raim_wire_predict_self(&from->self, age);
    enum raim_wire_change change = RAIM_WIRE_PREDICTED;
    if (!raim_wire_same_self(&self, &to->self) ||
        !same_set(from->seen_players, to->seen_players, limits->players) ||
        !same_set(from->seen_bullets, to->seen_bullets, slots))
        return RAIM_WIRE_CHANGED;
    for (uint32_t slot = raim_set_next(to->seen_players, 0, limits->players);
         slot < limits->players;
         slot = raim_set_next(to->seen_players, slot + 1, limits->players)) {
        const raim_wire_player predicted =
            raim_wire_predict_player(limits, &from->players[slot], age);
        if (!raim_wire_same_course(&predicted, &to->players[slot]))
            return RAIM_WIRE_CHANGED;
        if (raim_wire_sent_aim(from, slot) != raim_wire_sent_aim(to, slot))
            change = RAIM_WIRE_AIMS;
    }
    for (uint32_t slot = raim_set_next(to->seen_bullets, 0, slots); slot < slots;
         slot = raim_set_next(to->seen_bullets, slot + 1, slots))
        if (!raim_wire_same_launch(&from->bullets[slot], &to->bullets[slot]))
            return RAIM_WIRE_CHANGED;
    return change;
}
