// SPDX-License-Identifier: MIT
// Counts the ticks since the newest INPUT.
#include "input_pace.h"

enum {
    URGENT_COUNT = 3, // INPUTs with a key pressed or released
    AIM_TICKS = 2,    // from an INPUT to the next one with another aim
    ACK_TICKS = 2,    // from an INPUT that acknowledged something new to the next one that does
    LEAST_HZ = 10,    // INPUTs a second
};

static bool has_other_keys(const raim_wire_input *a, const raim_wire_input *b)
{
    return a->move_x != b->move_x || a->move_y != b->move_y || a->fire != b->fire;
}

static uint32_t most_ticks(uint32_t tick_hz)
{
    return tick_hz > LEAST_HZ ? tick_hz / LEAST_HZ : 1;
}

static bool is_due(const struct raim_input_pace *pace, uint32_t tick_hz, uint32_t tick,
                   const raim_wire_input *input)
{
    const uint32_t since = tick - pace->sent_tick;
    return pace->urgent_count > 0 || (input->aim != pace->sent_aim && since >= AIM_TICKS) ||
           (pace->has_news && (since >= ACK_TICKS || !pace->was_ack)) ||
           since >= most_ticks(tick_hz);
}

bool raim_input_pace_take(struct raim_input_pace *pace, uint32_t tick_hz, uint32_t tick,
                          const raim_wire_input *input, struct raim_input_circumstances is)
{
    if (!pace->any || is.may_fire || has_other_keys(input, &pace->last))
        pace->urgent_count = URGENT_COUNT;
    pace->last = *input;
    pace->has_news = pace->has_news || is.has_news;
    if (!is_due(pace, tick_hz, tick, input))
        return false;
    pace->any = true;
    pace->urgent_count -= pace->urgent_count > 0;
    pace->sent_tick = tick;
    pace->sent_aim = input->aim;
    pace->was_ack = pace->has_news;
    pace->has_news = false;
    return true;
}
