// SPDX-License-Identifier: MIT
// Stores and hands out inputs.
#include "inbox.h"

static raim_input to_world(const raim_wire_input *input)
{
    return (raim_input){
        .move_x = input->move_x,
        .move_y = input->move_y,
        .fire = input->fire,
        .aim = input->aim,
    };
}

enum raim_refusal raim_inbox_receive(struct raim_inbox *inbox, uint32_t tick,
                                     const struct raim_input_message *message)
{
    const int32_t ahead = raim_tick_diff(message->tick, tick);
    if (ahead >= RAIM_INBOX_TICKS)
        return RAIM_REFUSED_INPUT_EARLY;
    if (!inbox->any || raim_tick_diff(message->tick, inbox->newest_tick) > 0) {
        inbox->any = true;
        inbox->newest_tick = message->tick;
        inbox->least = inbox->has_least && inbox->least < ahead ? inbox->least : ahead;
        inbox->has_least = true;
        if (ahead < 0)
            inbox->held = to_world(&message->inputs[0]);
    }
    if (ahead < 0)
        return RAIM_REFUSED_INPUT_LATE;
    for (uint32_t i = 0; i < message->count && (int32_t)i <= ahead; i++) {
        const uint32_t slot = (message->tick - i) % RAIM_INBOX_TICKS;
        // What was told first stands: a repetition cannot change it.
        if ((inbox->has >> slot & 1) != 0)
            continue;
        inbox->has |= (uint64_t)1 << slot;
        inbox->waiting[slot] = to_world(&message->inputs[i]);
    }
    return RAIM_REFUSALS;
}

// Ends the window when its last tick is played.
static void measure_margin(struct raim_inbox *inbox, uint32_t tick)
{
    if (!inbox->has_least || (tick + 1) % RAIM_MARGIN_WINDOW != 0)
        return;
    inbox->margin = inbox->least > RAIM_MAX_MARGIN    ? RAIM_MAX_MARGIN
                    : inbox->least < -RAIM_MAX_MARGIN ? -RAIM_MAX_MARGIN
                                                      : inbox->least;
    inbox->has_least = false;
}

raim_input raim_inbox_take(struct raim_inbox *inbox, uint32_t tick, uint32_t tick_hz)
{
    const uint32_t slot = tick % RAIM_INBOX_TICKS;
    measure_margin(inbox, tick);
    if ((inbox->has >> slot & 1) != 0) {
        inbox->has &= ~((uint64_t)1 << slot);
        inbox->held = inbox->waiting[slot];
        inbox->hungry_ticks = 0;
        return inbox->held;
    }
    inbox->hungry_ticks++;
    if (inbox->hungry_ticks > RAIM_INBOX_HOLD_S * tick_hz)
        inbox->held = (raim_input){.aim = inbox->held.aim};
    return inbox->held;
}
