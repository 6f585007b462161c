// SPDX-License-Identifier: MIT
// Stores and hands out inputs.
#include "inbox.h"

// What counts of the age of a shooter's view.
static uint8_t rewind_of(const struct raim_world *world, const struct raim_input_message *message,
                         uint32_t index)
{
    const uint32_t show_ticks = (RAIM_INBOX_SHOW_MS * world->tick_hz + 999) / 1000;
    const int32_t known = raim_tick_diff(message->tick - index, message->snapshot);
    const uint32_t shown = (known > 0 ? (uint32_t)known : 0) + show_ticks;
    const uint32_t most = shown < world->max_rewind ? shown : world->max_rewind;
    const uint32_t told = message->has_snapshot ? message->inputs[index].view_age : 0;
    return (uint8_t)(told < most ? told : most);
}

static raim_input to_world(const struct raim_world *world, const struct raim_input_message *message,
                           uint32_t index)
{
    const raim_wire_input *input = &message->inputs[index];
    return (raim_input){
        .move_x = input->move_x,
        .move_y = input->move_y,
        .fire = input->fire,
        .rewind = input->fire ? rewind_of(world, message, index) : 0,
        .aim = input->aim,
    };
}

enum raim_refusal raim_inbox_receive(struct raim_inbox *inbox, const struct raim_world *world,
                                     const struct raim_input_message *message)
{
    const int32_t ahead = raim_tick_diff(message->tick, world->tick);
    if (ahead >= RAIM_INBOX_TICKS)
        return RAIM_REFUSED_INPUT_EARLY;
    if (!inbox->any || raim_tick_diff(message->tick, inbox->newest_tick) > 0) {
        inbox->first_tick = inbox->any ? inbox->first_tick : message->tick;
        inbox->any = true;
        inbox->newest_tick = message->tick;
        inbox->least = inbox->has_least && inbox->least < ahead ? inbox->least : ahead;
        inbox->has_least = true;
        if (ahead < 0)
            inbox->held = to_world(world, message, 0);
    }
    if (ahead < 0)
        return RAIM_REFUSED_INPUT_LATE;
    for (uint32_t i = 0; i < message->count && (int32_t)i <= ahead; i++) {
        const uint32_t slot = (message->tick - i) % RAIM_INBOX_TICKS;
        // What was told first stands: a repetition cannot change it.
        if ((inbox->has >> slot & 1) != 0)
            continue;
        inbox->has |= (uint64_t)1 << slot;
        inbox->waiting[slot] = to_world(world, message, i);
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

raim_input raim_inbox_take(struct raim_inbox *inbox, const struct raim_world *world,
                           struct raim_inbox_tally *tally)
{
    const uint32_t tick = world->tick, slot = tick % RAIM_INBOX_TICKS;
    const bool due = inbox->any && raim_tick_diff(tick, inbox->first_tick) >= 0;
    tally->due += due;
    measure_margin(inbox, tick);
    if ((inbox->has >> slot & 1) != 0) {
        inbox->has &= ~((uint64_t)1 << slot);
        inbox->held = inbox->waiting[slot];
        inbox->hungry_ticks = 0;
        return inbox->held;
    }
    tally->missed += due;
    inbox->hungry_ticks++;
    if (inbox->hungry_ticks > RAIM_INBOX_HOLD_S * world->tick_hz)
        inbox->held = (raim_input){.aim = inbox->held.aim};
    return inbox->held;
}
