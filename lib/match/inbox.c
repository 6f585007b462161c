// SPDX-License-Identifier: MIT
// Stores inputs, clamps claimed view ages and hands one input out per tick.
#include "inbox.h"

// The age of the oldest view that a shooter can have had, in ticks before the input's tick. A
// client that acknowledges no snapshot has had no view: 0.
static uint32_t oldest_view(const struct raim_world *world,
                            const struct raim_rewind_limit *rewind_limit,
                            const struct raim_input_message *message, uint32_t index)
{
    if (!message->has_snapshot)
        return 0;
    const int32_t ahead = raim_tick_diff(message->tick - index, world->tick);
    const int32_t early = ahead < RAIM_INBOX_EARLY ? ahead : RAIM_INBOX_EARLY;
    const int32_t age = (int32_t)raim_rewind_limit_view(rewind_limit) + early;
    return age > 0 ? (uint32_t)age : 0;
}

// Converts an input as it will be played. `is_clamped` says whether it claimed an older view than
// its client can have had. One tick beyond the measured limit is tolerated, and so is a claim
// beyond the world's max_rewind, because clients lead their targets by the excess.
static raim_input to_world(const struct raim_world *world,
                           const struct raim_rewind_limit *rewind_limit,
                           const struct raim_input_message *message, uint32_t index,
                           bool *is_clamped)
{
    const raim_wire_input *input = &message->inputs[index];
    const uint32_t claimed =
        input->view_age < world->max_rewind ? input->view_age : world->max_rewind;
    const uint32_t oldest = oldest_view(world, rewind_limit, message, index);
    *is_clamped = input->fire && claimed > oldest + 1;
    return (raim_input){
        .move_x = input->move_x,
        .move_y = input->move_y,
        .fire = input->fire,
        .rewind = (uint8_t)(!input->fire       ? 0
                            : claimed < oldest ? claimed
                                               : oldest),
        .aim = input->aim,
    };
}

static bool has_other_keys(const raim_input *played, const raim_wire_input *pressed)
{
    return played->move_x != pressed->move_x || played->move_y != pressed->move_y ||
           (played->fire != 0) != pressed->fire;
}

// Compares the inputs of ticks that were played without them to what was played instead.
static void count_missed(struct raim_inbox *inbox, const struct raim_world *world,
                         const struct raim_input_message *message)
{
    for (uint32_t i = 0; inbox->repeated != 0 && i < message->count; i++) {
        const int32_t age = raim_tick_diff(world->tick, message->tick - i);
        const uint32_t slot = (message->tick - i) % RAIM_INBOX_TICKS;
        if (age < 1 || age > RAIM_INBOX_TICKS || (inbox->repeated >> slot & 1) == 0)
            continue;
        inbox->repeated &= ~((uint64_t)1 << slot);
        inbox->missed += has_other_keys(&inbox->waiting[slot], &message->inputs[i]);
    }
}

static void count_margin(struct raim_inbox *inbox, int32_t margin)
{
    inbox->least = inbox->has_least && inbox->least < margin ? inbox->least : margin;
    inbox->has_least = true;
}

// Adds the margin of a message newer than all before.
static void add_margin(struct raim_inbox *inbox, int32_t margin)
{
    const int32_t before = inbox->any ? inbox->newest_margin : margin;
    if (inbox->is_newest_delayed && margin - before < RAIM_INBOX_DELAYED)
        count_margin(inbox, before);
    inbox->is_newest_delayed = before - margin >= RAIM_INBOX_DELAYED;
    if (!inbox->is_newest_delayed)
        count_margin(inbox, margin);
    inbox->newest_margin = margin;
}

enum raim_rejection raim_inbox_receive(struct raim_inbox *inbox, const struct raim_world *world,
                                       const struct raim_rewind_limit *rewind_limit,
                                       const struct raim_input_message *message)
{
    const int32_t ahead = raim_tick_diff(message->tick, world->tick);
    if (ahead >= RAIM_INBOX_TICKS)
        return RAIM_REJECTED_INPUT_EARLY;
    count_missed(inbox, world, message);
    if (!inbox->any || raim_tick_diff(message->tick, inbox->newest_tick) > 0) {
        // A liar's tick may be 2^31 away; margins that far below the least one sent are equal.
        add_margin(inbox, ahead > -RAIM_INBOX_TICKS ? ahead : -RAIM_INBOX_TICKS);
        inbox->first_tick = inbox->any ? inbox->first_tick : message->tick;
        inbox->any = true;
        inbox->newest_tick = message->tick;
        if (ahead < 0)
            inbox->held = to_world(world, rewind_limit, message, 0, &inbox->is_held_clamped);
    }
    if (ahead < 0)
        return RAIM_REJECTED_INPUT_LATE;
    for (uint32_t i = 0; i < message->count && (int32_t)i <= ahead; i++) {
        const uint32_t slot = (message->tick - i) % RAIM_INBOX_TICKS;
        // The first input received for a tick wins; repetitions cannot change it.
        if ((inbox->has >> slot & 1) != 0)
            continue;
        inbox->has |= (uint64_t)1 << slot;
        inbox->repeated &= ~((uint64_t)1 << slot);
        bool is_clamped;
        inbox->waiting[slot] = to_world(world, rewind_limit, message, i, &is_clamped);
        inbox->clamped &= ~((uint64_t)1 << slot);
        inbox->clamped |= (uint64_t)is_clamped << slot;
    }
    return RAIM_REJECTIONS;
}

// Ends the window of RAIM_MARGIN_WINDOW ticks when its last tick is played.
static void measure_margin(struct raim_inbox *inbox, uint32_t tick)
{
    if (!inbox->has_least || (tick + 1) % RAIM_MARGIN_WINDOW != 0)
        return;
    inbox->margin = inbox->least > RAIM_MAX_MARGIN    ? RAIM_MAX_MARGIN
                    : inbox->least < -RAIM_MAX_MARGIN ? -RAIM_MAX_MARGIN
                                                      : inbox->least;
    inbox->has_least = false;
}

// Remembers what is played in a tick without an input, until a message tells what was pressed. In a
// silence the tick is missed in any case.
static void repeat(struct raim_inbox *inbox, uint32_t slot, bool is_silent)
{
    inbox->waiting[slot] = inbox->held;
    inbox->repeated &= ~((uint64_t)1 << slot);
    inbox->repeated |= (uint64_t)!is_silent << slot;
    inbox->missed += is_silent;
}

static raim_input take(struct raim_inbox *inbox, const struct raim_world *world, bool due)
{
    const uint32_t slot = world->tick % RAIM_INBOX_TICKS;
    if ((inbox->has >> slot & 1) != 0) {
        inbox->has &= ~((uint64_t)1 << slot);
        inbox->held = inbox->waiting[slot];
        inbox->is_held_clamped = (inbox->clamped >> slot & 1) != 0;
        inbox->starved_ticks = 0;
        return inbox->held;
    }
    inbox->starved_ticks++;
    if (inbox->starved_ticks > RAIM_INBOX_HOLD_S * world->tick_hz)
        inbox->held = (raim_input){.aim = inbox->held.aim};
    if (due)
        repeat(inbox, slot, inbox->starved_ticks > RAIM_INBOX_SILENT_S * world->tick_hz);
    return inbox->held;
}

raim_input raim_inbox_take(struct raim_inbox *inbox, const struct raim_world *world,
                           struct raim_inbox_tally *tally)
{
    const bool due = inbox->any && raim_tick_diff(world->tick, inbox->first_tick) >= 0;
    measure_margin(inbox, world->tick);
    const raim_input input = take(inbox, world, due);
    tally->due += due;
    tally->missed += inbox->missed;
    inbox->missed = 0;
    return input;
}
