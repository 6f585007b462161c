// SPDX-License-Identifier: MIT
// The load of arenas and workers, by the times of their ticks: overload of an arena, load of a
// worker, the pace of snapshots, which sheds load, and the profile of a tick's stages. Thread rule:
// overload and worker_load belong to the main thread; a snapshot_pace, a profile and a timer to one
// thread at a time.
#pragma once

#include "metric.h"

#include <stdbool.h>
#include <stdint.h>

// Overload detection with hysteresis. An arena is overloaded once more than a tenth of the ticks of
// the last ten seconds began late or were skipped, until fewer than a twentieth are. Between the
// two thresholds the state stays, so that the log has a line per change and not one per second.

// Period of overload_update.
#define OVERLOAD_EVERY_MS 1000U

enum {
    OVERLOAD_WINDOW = 10,        // samples
    OVERLOAD_BEGIN_PERCENT = 10, // of the ticks that are due in the window
    OVERLOAD_END_PERCENT = 5,
    OVERLOAD_MACHINE_PERCENT = 50, // a worker that is less busy is not the cause
};

// Zeroed for a new arena.
struct overload {
    uint64_t late[OVERLOAD_WINDOW], skipped[OVERLOAD_WINDOW]; // rings of samples
    uint32_t samples;                                         // ever taken
    bool is_on;
    bool is_of_machine;                         // its worker had time left
    uint32_t due;                               // ticks that are due in the window
    uint64_t late_in_window, skipped_in_window; // as of the newest sample
};

extern const struct metric_table overload_metrics; // of a struct overload

// Adds a sample: the counts of an arena since its start, and how busy its worker was in the last
// seconds. Returns true if the state has changed.
bool overload_update(struct overload *overload, uint64_t late_ticks, uint64_t skipped_ticks,
                     uint32_t tick_hz, uint32_t busy_percent);

// Who is late, of an overload: "raimd", or "machine", which did not run a worker that had little to
// do.
const char *overload_cause(const struct overload *overload);

// Writes "late=... skipped=... due=..." of the last window, for the log.
#define OVERLOAD_LINE_BYTES 96
void overload_write(const struct overload *overload, char line[OVERLOAD_LINE_BYTES]);

// A worker is overloaded once it was busy for more than 90 % of five seconds, until it was for less
// than 75 %. Its ticks may still be in time, but nothing is left for one more player.
enum {
    WORKER_LOAD_WINDOW = 5, // samples, of OVERLOAD_EVERY_MS
    WORKER_LOAD_BEGIN_PERCENT = 90,
    WORKER_LOAD_END_PERCENT = 75,
};

// Zeroed for a new worker.
struct worker_load {
    uint64_t busy_ns[WORKER_LOAD_WINDOW], at_ns[WORKER_LOAD_WINDOW]; // rings of samples
    uint32_t samples;                                                // ever taken
    uint32_t percent;                                                // of the last window
    bool is_on;
};

// Adds a sample: the worker's busy time since its start, at a time of CLOCK_MONOTONIC. Returns true
// if the state has changed.
bool worker_load_update(struct worker_load *load, uint64_t busy_ns, uint64_t now_ns);

// Load shedding by plan: how often each client of an arena receives a snapshot. An arena whose
// ticks end too late for their period sends each client only every second, third or fourth
// snapshot, in turn, so that both the time and the bytes of every tick shrink; ticks and inputs
// stay complete.
//
// The interval grows by a tick after OVERDUE_TICKS consecutive ticks that ended later than their
// period, and after each window of half a second in which ticks ended, on average, later than
// BEGIN_PERCENT of the period after their deadline. It shrinks only after five seconds in which
// they would have ended before END_PERCENT with the shorter interval, too. After a change neither
// the next CATCH_UP_TICKS overdue ticks nor the next window are judged: ticks that are behind have
// to catch up first.

enum {
    SNAPSHOT_PACE_MAX = 4,     // ticks between two snapshots of a client, at most
    SNAPSHOT_PACE_MIN_HZ = 10, // snapshots of a client a second, at least, as PROTOCOL.md says
    SNAPSHOT_PACE_BEGIN_PERCENT = 90,
    SNAPSHOT_PACE_END_PERCENT = 80,
    SNAPSHOT_PACE_WINDOWS_PER_S = 2,
    SNAPSHOT_PACE_CALM_WINDOWS = 10, // before the interval shrinks
    // Twice as many as an arena plays at once after a stall; then it skips ticks and is in time.
    SNAPSHOT_PACE_OVERDUE_TICKS = 8,
    SNAPSHOT_PACE_CATCH_UP_TICKS = 4,
    // The number of periods that a tick counts for at most, so that a single stall of the machine
    // is no load.
    SNAPSHOT_PACE_MAX_PERIODS = 2,
};

struct snapshot_pace {
    uint32_t most;     // highest interval, which leaves SNAPSHOT_PACE_MIN_HZ
    uint32_t window;   // ticks of a window
    uint32_t interval; // ticks between two snapshots of a client, 1 to `most`
    uint32_t ticks;    // in the present window
    uint64_t sum_ns;   // from their deadlines to their ends
    uint32_t calm;     // consecutive windows after which the interval could shrink
    int32_t overdue; // consecutive ticks that ended late; below 0: those not judged after a change
    bool settles;    // the present window follows a change
};

// Starts with an interval of 1.
void snapshot_pace_init(struct snapshot_pace *pace, uint32_t tick_hz);

// Adds a tick that ended `late_ns` after its deadline. `period_ns` is that of the ticks. Returns
// the interval from the next tick on.
uint32_t snapshot_pace_update(struct snapshot_pace *pace, uint64_t late_ns, uint64_t period_ns);

// Profile of an arena's ticks: how long each stage of a tick takes. Interest management and
// encoding alternate client by client, so measuring a tick reads the clock several times per
// client. Therefore one tick in TICK_PROFILE_EVERY is measured.

// A prime, so that what happens every few ticks is measured in its share of them.
#define TICK_PROFILE_EVERY 7

// Measured ticks kept for the percentiles: about 30 s at 60 Hz.
#define TICK_PROFILE_WINDOW 256

enum tick_stage {
    TICK_STAGE_RECEIVE,  // reads datagrams and handles their messages
    TICK_STAGE_STEP,     // executes commands, plays the tick, saves the checkpoint
    TICK_STAGE_INTEREST, // finds what each client may be sent
    TICK_STAGE_ENCODE,   // writes the messages
    TICK_STAGE_SEND,     // passes them to ENet, and the datagrams to the kernel
    TICK_STAGES,
};

extern const char *const tick_stage_names[TICK_STAGES];

struct tick_profile {
    struct histogram stages[TICK_STAGES];          // of all measured ticks
    uint32_t count;                                // of measured ticks ever
    uint32_t ns[TICK_STAGES][TICK_PROFILE_WINDOW]; // ring of the newest durations
};

// Measures one tick.
struct tick_timer {
    bool is_on;
    enum tick_stage stage; // the present one
    uint64_t since_ns;     // its beginning
    uint64_t spent_ns[TICK_STAGES];
};

// Begins a tick in its first stage, at `now_ns`. A timer that is not on ignores all further calls.
void tick_timer_begin(struct tick_timer *timer, bool is_on, uint64_t now_ns);

// Ends the present stage and begins, or continues, another one.
void tick_timer_enter(struct tick_timer *timer, enum tick_stage stage);

// Ends the tick and adds its durations to the profile.
void tick_timer_end(struct tick_timer *timer, struct tick_profile *profile);

// The number of ticks in the window, whose durations are the first of each ring.
uint32_t tick_profile_kept(const struct tick_profile *profile);
