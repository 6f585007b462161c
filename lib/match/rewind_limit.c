// SPDX-License-Identifier: MIT
// Windowed minimum of round trips and a running median of their jitter.
#include "rewind_limit.h"

// The median moves in steps of 1/SCALE tick per sample, so a client that delays its answers for a
// second does not move it by a tick.
enum { GROWTHS_PER_S = 5, SCALE = RAIM_REWIND_LIMIT_SCALE };

static uint32_t least_of(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

uint32_t raim_rewind_limit_delay(const struct raim_rewind_limit *rewind_limit)
{
    uint32_t least = UINT32_MAX;
    for (int i = 0; i < RAIM_REWIND_LIMIT_PARTS; i++)
        least = least_of(least, rewind_limit->delays[i] - 1); // 0, none, wraps to UINT32_MAX
    return least;
}

// Jitter in whole ticks: the lesser of twice the distance from the minimum to the median, which
// assumes a symmetric distribution, and the transport's measurement.
static uint32_t jitter_of(const struct raim_rewind_limit *rewind_limit, uint32_t least)
{
    const int32_t beyond = rewind_limit->median - (int32_t)(least * SCALE);
    uint32_t jitter = rewind_limit->is_acked && beyond > 0 ? 2 * (uint32_t)beyond : 0;
    if (rewind_limit->transport_left > 0)
        jitter = least_of(jitter, rewind_limit->transport_jitter);
    // The rounding tolerates the steps by which the median oscillates around a whole tick.
    return least_of((jitter + SCALE / 8) / SCALE, RAIM_REWIND_LIMIT_JITTER);
}

// Lowers the allowed view age to the measured one, or raises it towards that by up to `growth`.
static void settle(struct raim_rewind_limit *rewind_limit, uint32_t growth)
{
    const uint32_t acked = raim_rewind_limit_delay(rewind_limit);
    const uint32_t reported =
        rewind_limit->transport_left > 0 ? rewind_limit->transport_delay : UINT32_MAX;
    const uint32_t delay = least_of(acked, reported);
    if (delay == UINT32_MAX || !rewind_limit->is_acked)
        return; // the client has had no view yet, or no measurement holds any more
    const uint32_t wanted = delay + RAIM_REWIND_LIMIT_SHOW + jitter_of(rewind_limit, delay);
    const uint32_t most = rewind_limit->is_known ? rewind_limit->allowed + growth : UINT32_MAX;
    rewind_limit->is_known = true;
    rewind_limit->allowed = least_of(wanted, most);
}

void raim_rewind_limit_step(struct raim_rewind_limit *rewind_limit, uint32_t tick_hz)
{
    rewind_limit->transport_left -= rewind_limit->transport_left > 0;
    if (++rewind_limit->part_ticks * RAIM_REWIND_LIMIT_PARTS >= tick_hz) {
        rewind_limit->part_ticks = 0;
        rewind_limit->part = (rewind_limit->part + 1) % RAIM_REWIND_LIMIT_PARTS;
        rewind_limit->delays[rewind_limit->part] = 0;
    }
    const bool grows = ++rewind_limit->growth_ticks * GROWTHS_PER_S >= tick_hz;
    if (grows)
        rewind_limit->growth_ticks = 0;
    settle(rewind_limit, grows);
}

void raim_rewind_limit_acknowledge(struct raim_rewind_limit *rewind_limit, uint32_t delay_ticks)
{
    uint32_t *least = &rewind_limit->delays[rewind_limit->part];
    const int32_t delay = (int32_t)(delay_ticks * SCALE);
    if (*least == 0 || delay_ticks + 1 < *least)
        *least = delay_ticks + 1;
    // Running median: a constant step towards each sample settles at the median, and a few
    // outliers, as of a client that sometimes delays its answers, do not move it.
    if (!rewind_limit->is_acked)
        rewind_limit->median = delay;
    else
        rewind_limit->median += (delay > rewind_limit->median) - (delay < rewind_limit->median);
    // Beyond this distance from the minimum the jitter is cut anyway, and the median would take
    // long to return.
    const int32_t most = (int32_t)(raim_rewind_limit_delay(rewind_limit) * SCALE +
                                   RAIM_REWIND_LIMIT_JITTER * SCALE / 2);
    if (rewind_limit->median > most)
        rewind_limit->median = most;
    rewind_limit->is_acked = true;
    settle(rewind_limit, 0);
}

void raim_rewind_limit_measure(struct raim_rewind_limit *rewind_limit, uint32_t rtt_ms,
                               uint32_t deviation_ms, uint32_t tick_hz)
{
    enum { MAX_MS = 60000 };
    const uint64_t thousandths = (uint64_t)least_of(rtt_ms, MAX_MS) * tick_hz;
    const uint32_t ticks = (uint32_t)((thousandths + 500) / 1000);
    rewind_limit->transport_left = tick_hz;
    rewind_limit->transport_delay = ticks > 0 ? ticks - 1 : 0;
    rewind_limit->transport_jitter =
        (uint32_t)((uint64_t)least_of(deviation_ms, MAX_MS) * 4 * tick_hz * SCALE / 1000);
    settle(rewind_limit, 0);
}

uint32_t raim_rewind_limit_view(const struct raim_rewind_limit *rewind_limit)
{
    return rewind_limit->is_known ? rewind_limit->allowed : 0;
}
