// SPDX-License-Identifier: MIT
// Trials: simulations in processes of their own, so that a failing assertion is a verdict, too, and
// several use the processors at once.
#pragma once

#include "simulation.h"

#include <sys/types.h>

struct trial {
    struct simulation_def def;
    struct simulation_verdict *verdict; // in memory shared with the process
    pid_t process;                      // 0: none
    bool is_perturbed;                  // the heap has other addresses and other garbage
    bool is_quiet;                      // its process prints nothing
};

// False when memory runs out.
bool trial_create(struct trial *trial);
void trial_start(struct trial *trial);

// Call it with the status of waitpid for the trial's process; completes the verdict.
void trial_finish(struct trial *trial, int status);

// Starts a trial and waits for it.
void trial_run(struct trial *trial);

// Finds the fewest faults with which the invariant of `verdict` still fails, by delta debugging
// (Zeller and Hildebrandt, Simplifying and Isolating Failure-Inducing Input, TSE 2002), and leaves
// them in the trial's def. Its verdict is then that of the smallest failing simulation. From the
// time `end_s` on it begins no other attempt.
void trial_shrink(struct trial *trial, double end_s);

// Of a monotonic clock.
double trial_clock_s(void);
