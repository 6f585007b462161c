// SPDX-License-Identifier: MIT
// Adds up the time of each stage of a tick.
#include "tick_profile.h"

#include "monotonic.h"

const char *const tick_stage_names[TICK_STAGES] = {
    [TICK_STAGE_RECEIVE] = "receive",   [TICK_STAGE_STEP] = "step",
    [TICK_STAGE_INTEREST] = "interest", [TICK_STAGE_ENCODE] = "encode",
    [TICK_STAGE_SEND] = "send",
};

void tick_timer_begin(struct tick_timer *timer, bool is_on, uint64_t now_ns)
{
    timer->is_on = is_on;
    if (is_on)
        *timer = (struct tick_timer){.is_on = true, .since_ns = now_ns};
}

void tick_timer_enter(struct tick_timer *timer, enum tick_stage stage)
{
    if (!timer->is_on)
        return;
    const uint64_t now_ns = monotonic_ns();
    timer->spent_ns[timer->stage] += now_ns - timer->since_ns;
    timer->since_ns = now_ns;
    timer->stage = stage;
}

void tick_timer_end(struct tick_timer *timer, struct tick_profile *profile)
{
    if (!timer->is_on)
        return;
    tick_timer_enter(timer, timer->stage);
    const uint32_t row = profile->count++ % TICK_PROFILE_WINDOW;
    for (int stage = 0; stage < TICK_STAGES; stage++) {
        const uint64_t ns = timer->spent_ns[stage];
        profile->ns[stage][row] = ns < UINT32_MAX ? (uint32_t)ns : UINT32_MAX;
        histogram_count(&profile->stages[stage], ns);
    }
    timer->is_on = false;
}

uint32_t tick_profile_kept(const struct tick_profile *profile)
{
    return profile->count < TICK_PROFILE_WINDOW ? profile->count : TICK_PROFILE_WINDOW;
}
