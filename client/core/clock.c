// SPDX-License-Identifier: MIT
// Steers a client's input clock by the margins that the server reports.
#include "clock.h"

#include "frame.h"

#include <assert.h>
#include <math.h>

// The clock slews by at most these shares of real time.
static const double raise_rate = 0.05, lower_rate = 0.02;

static const double memory_s = 8;      // for which reported margins count
static const double deaf_s = 0.5;      // for which inputs may seem too early before a new start
static const double margin_wanted = 1; // ticks
static const double margin_spared = 1; // ticks above margin_wanted that are tolerated
// A first estimate may be far too large, because the first hello was lost. The server rejects
// inputs for 64 ticks ahead or more without reporting a margin. A small estimate is reported, and
// soon corrected.
static const double most_guessed = 32;  // largest first estimate, ticks
static const double start_margin = 1.5; // ticks added to the first estimate
enum { WINDOWS_TO_LOWER = 4, MARK_TICKS = 8, MIN_INPUTS = 4, MAX_INPUTS = 8 };

// The largest change, in ticks, that the clock slews to; it jumps over a larger one.
static double most_slewed(const struct raim_clock *clock)
{
    return fmax(8, clock->tick_hz / 8.0);
}

uint32_t raim_clock_inputs(uint32_t tick_hz)
{
    const uint32_t count = tick_hz / 15;
    return count < MIN_INPUTS ? MIN_INPUTS : count > MAX_INPUTS ? MAX_INPUTS : count;
}

void raim_clock_init(struct raim_clock *clock, uint32_t tick_hz, uint64_t round_trip_us)
{
    assert(tick_hz > 0);
    *clock = (struct raim_clock){
        .tick_hz = tick_hz,
        .round_trip = fmin(most_guessed, (double)round_trip_us * 1e-6 * tick_hz),
    };
}

static double to_ticks(const struct raim_clock *clock, uint64_t us)
{
    return (double)us * 1e-6 * clock->tick_hz;
}

static double steady_tick(const struct raim_clock *clock, uint64_t now_us)
{
    return to_ticks(clock, now_us - clock->start_us);
}

static double offset_at(const struct raim_clock *clock, uint64_t now_us)
{
    const double ticks = to_ticks(clock, now_us - clock->slews_since_us);
    return clock->wanted > clock->offset ? fmin(clock->wanted, clock->offset + raise_rate * ticks)
                                         : fmax(clock->wanted, clock->offset - lower_rate * ticks);
}

static double tick_at(const struct raim_clock *clock, uint64_t now_us)
{
    return steady_tick(clock, now_us) + offset_at(clock, now_us);
}

static double since_start(const struct raim_clock *clock, uint32_t tick)
{
    return (int32_t)(tick - clock->start_tick);
}

static void want(struct raim_clock *clock, uint64_t now_us, double offset)
{
    clock->offset = offset_at(clock, now_us);
    clock->slews_since_us = now_us;
    clock->wanted = offset;
    if (fabs(offset - clock->offset) > most_slewed(clock))
        clock->offset = offset;
}

// Sets the clock by the tick of a snapshot alone.
static void start(struct raim_clock *clock, uint64_t now_us, uint32_t tick, double lead)
{
    const uint32_t pressed_to = clock->next_tick;
    const bool was_set = clock->is_set;
    *clock = (struct raim_clock){
        .is_set = true,
        .tick_hz = clock->tick_hz,
        .start_tick = tick,
        .start_us = now_us,
        .slews_since_us = now_us,
        .round_trip = clock->round_trip,
        .offset = lead,
        .wanted = lead,
        .windows_end = tick - tick % RAIM_MARGIN_WINDOW,
        .next_tick = tick + (uint32_t)ceil(lead),
    };
    // A tick whose input has been sent gets no second input.
    if (was_set && (int32_t)(clock->next_tick - pressed_to) < 0)
        clock->next_tick = pressed_to;
}

static double first_lead(const struct raim_clock *clock)
{
    return clock->round_trip + start_margin;
}

// Whether the clock is so wrong that the reported margins are useless: its inputs are for ticks
// that have been played, or have been too far ahead for `deaf_s`.
static bool is_lost(struct raim_clock *clock, uint64_t now_us, uint32_t tick)
{
    const double lead = tick_at(clock, now_us) - since_start(clock, tick);
    if (lead < 0)
        return true;
    if (lead < first_lead(clock) + RAIM_MARGIN_WINDOW) {
        clock->early_since_us = 0;
        return false;
    }
    if (clock->early_since_us == 0)
        clock->early_since_us = now_us;
    return (double)(now_us - clock->early_since_us) > deaf_s * 1e6;
}

// The offset at which the inputs of a window were sent; the smallest where it changed.
static double window_offset(const struct raim_clock *clock, uint32_t end, int32_t margin)
{
    const uint32_t first = end - RAIM_MARGIN_WINDOW + (uint32_t)margin;
    double least = INFINITY;
    for (uint32_t i = 0; i < RAIM_MARGIN_WINDOW / MARK_TICKS; i++) {
        uint32_t tick = first + i * MARK_TICKS;
        if ((int32_t)(tick - clock->first_tick) < 0)
            tick = clock->first_tick;
        least = fmin(least, clock->marks[tick / MARK_TICKS % RAIM_CLOCK_MARKS]);
    }
    return least;
}

static uint32_t windows_kept(const struct raim_clock *clock)
{
    const uint32_t count = (uint32_t)(memory_s * clock->tick_hz / RAIM_MARGIN_WINDOW);
    return count < WINDOWS_TO_LOWER     ? WINDOWS_TO_LOWER
           : count > RAIM_CLOCK_WINDOWS ? RAIM_CLOCK_WINDOWS
                                        : count;
}

// The smallest margin at an offset of 0 of the newest windows. A single extreme window may be one
// delayed packet, so it counts only as far below the second smallest as the clock would slew.
static double least_slack(const struct raim_clock *clock, uint32_t count)
{
    double least = INFINITY, second = INFINITY;
    for (uint32_t i = 0; i < count; i++) {
        const double slack = clock->windows[i];
        second = fmin(second, fmax(least, slack));
        least = fmin(least, slack);
    }
    return count > 1 ? fmax(least, second - most_slewed(clock)) : least;
}

static void add_window(struct raim_clock *clock, uint64_t now_us, double slack)
{
    const uint32_t kept = windows_kept(clock);
    clock->windows[clock->window_count++ % kept] = (float)slack;
    const uint32_t count = clock->window_count < kept ? clock->window_count : kept;
    const double needed = margin_wanted - least_slack(clock, count);
    const bool is_late = clock->wanted < needed;
    const bool is_early = clock->wanted > needed + margin_spared && count >= WINDOWS_TO_LOWER;
    if (is_late || is_early)
        want(clock, now_us, needed);
}

// Estimates the round trip by the slowest inputs of the newest window. An input that came `margin`
// ticks early reached the server in the tick before the server made the snapshot of the input's
// tick minus the margin. From sending the input to receiving that snapshot, a round trip minus half
// a tick passes on average.
static void measure_round_trip(struct raim_clock *clock, uint64_t now_us, uint32_t tick,
                               double slack)
{
    const double sample = steady_tick(clock, now_us) - since_start(clock, tick) - slack + 0.5;
    clock->round_trip += (fmax(0, sample) - clock->round_trip) / 8;
}

void raim_clock_receive(struct raim_clock *clock, uint64_t now_us, uint32_t tick, int32_t margin)
{
    if (!clock->is_set || is_lost(clock, now_us, tick)) {
        start(clock, now_us, tick, first_lead(clock));
        return;
    }
    // A window counts when inputs were sent for at least half of it.
    const uint32_t end = tick - tick % RAIM_MARGIN_WINDOW;
    if (!clock->has_pressed || end == clock->windows_end ||
        (int32_t)(end - clock->first_tick) < RAIM_MARGIN_WINDOW / 2)
        return;
    const double slack = margin - window_offset(clock, end, margin);
    clock->windows_end = end;
    measure_round_trip(clock, now_us, tick, slack);
    add_window(clock, now_us, slack);
}

void raim_clock_receive_tick(struct raim_clock *clock, uint64_t now_us, uint32_t tick)
{
    if (!clock->is_set)
        start(clock, now_us, tick, 1);
}

bool raim_clock_is_input_due(const struct raim_clock *clock, uint64_t now_us)
{
    return clock->is_set && tick_at(clock, now_us) >= since_start(clock, clock->next_tick);
}

uint64_t raim_clock_until_input_us(const struct raim_clock *clock, uint64_t now_us)
{
    assert(clock->is_set);
    const double left = since_start(clock, clock->next_tick) - tick_at(clock, now_us);
    return left > 0 ? (uint64_t)ceil(left * 1e6 / clock->tick_hz) : 0;
}

uint32_t raim_clock_take_input(struct raim_clock *clock, uint64_t now_us)
{
    assert(clock->is_set);
    const double now = tick_at(clock, now_us);
    if (now - since_start(clock, clock->next_tick) > most_slewed(clock))
        clock->next_tick = clock->start_tick + (uint32_t)floor(now);
    const uint32_t tick = clock->next_tick++;
    clock->first_tick = clock->has_pressed ? clock->first_tick : tick;
    clock->has_pressed = true;
    clock->marks[tick / MARK_TICKS % RAIM_CLOCK_MARKS] = (float)offset_at(clock, now_us);
    return tick;
}

double raim_clock_phase(const struct raim_clock *clock, uint64_t now_us)
{
    const double ahead = tick_at(clock, now_us) - since_start(clock, clock->next_tick - 1);
    return fmin(1, fmax(0, ahead));
}

enum {
    URGENT_COUNT = 3, // INPUTs with a key pressed or released
    AIM_TICKS = 2,    // from an INPUT to the next one with another aim
    ACK_TICKS = 2,    // from an INPUT that acknowledged something new to the next one that does
    MIN_HZ = 10,      // INPUTs a second
};

static bool has_other_keys(const raim_wire_input *a, const raim_wire_input *b)
{
    return a->move_x != b->move_x || a->move_y != b->move_y || a->fire != b->fire;
}

static uint32_t most_ticks(uint32_t tick_hz)
{
    return tick_hz > MIN_HZ ? tick_hz / MIN_HZ : 1;
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
