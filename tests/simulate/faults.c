// SPDX-License-Identifier: MIT
#include "faults.h"

#include "random.h"

#include <stddef.h>
#include <stdlib.h>

// A simulation alternates between times with faults and quiet ones, in which everybody comes back
// and is checked.
enum { MIN_FAULTY_S = 10, MAX_FAULTY_S = 50, QUIET_S = 18, LONGEST_S = 12, MAX_AT_ONCE = 24 };

static const struct {
    const char *name;
    enum fault_victim victim;
} kinds[FAULT_KINDS] = {
#define FAULT_ROW(name, victim, meaning) {#name, victim},
    FAULTS(FAULT_ROW)
#undef FAULT_ROW
};

const char *fault_name(enum fault_kind kind)
{
    return kinds[kind].name;
}

enum fault_victim fault_victim(enum fault_kind kind)
{
    return kinds[kind].victim;
}

static int compare(const void *a, const void *b)
{
    const struct fault *left = a, *right = b;
    if (left->begin != right->begin)
        return left->begin < right->begin ? -1 : 1;
    return left->random < right->random ? -1 : left->random > right->random;
}

static void draw_fault(struct fault *fault, uint64_t *random, uint32_t begin, uint32_t end,
                       uint32_t tick_hz)
{
    const uint32_t from = begin + raim_random_below(random, end - begin);
    const double share = raim_random_unit(random);
    const uint32_t steps = 1 + (uint32_t)(share * share * LONGEST_S * tick_hz);
    *fault = (struct fault){
        .kind = (enum fault_kind)raim_random_below(random, FAULT_KINDS),
        .begin = from,
        .end = from + steps < end ? from + steps : end,
        .actor = raim_random_below(random, 256),
        .random = raim_random_next(random),
    };
}

void fault_schedule_draw(struct fault_schedule *schedule, uint64_t seed, uint32_t steps,
                         uint32_t tick_hz)
{
    uint64_t random = seed;
    *schedule = (struct fault_schedule){0};
    for (uint32_t step = 2 * tick_hz; schedule->quiet_count < MAX_QUIET;) {
        const uint32_t seconds =
            MIN_FAULTY_S + raim_random_below(&random, MAX_FAULTY_S - MIN_FAULTY_S);
        const uint32_t end = step + seconds * tick_hz;
        const uint32_t quiet_end = end + QUIET_S * tick_hz;
        if (quiet_end > steps)
            break;
        for (uint32_t left = raim_random_below(&random, MAX_AT_ONCE);
             left > 0 && schedule->count < MAX_FAULTS; left--)
            draw_fault(&schedule->faults[schedule->count++], &random, step, end, tick_hz);
        schedule->quiets[schedule->quiet_count++] = (struct fault_quiet){end, quiet_end};
        step = quiet_end;
    }
    qsort(schedule->faults, schedule->count, sizeof *schedule->faults, compare);
}

const struct fault_quiet *fault_schedule_quiet(const struct fault_schedule *schedule, uint32_t step)
{
    for (uint32_t i = 0; i < schedule->quiet_count; i++)
        if (step >= schedule->quiets[i].begin && step < schedule->quiets[i].end)
            return &schedule->quiets[i];
    return NULL;
}
