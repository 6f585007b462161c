// SPDX-License-Identifier: MIT
// Searches for bugs by simulation; `./dev simulate` runs it.
//     simulate [--hours H] [--seconds S] [--seed N] [--jobs J]     seeds from N on, until one fails
//     simulate --seed N --until STEP [--only LIST]                 one simulation again
#define _GNU_SOURCE
#include "trial.h"

#include "map_file.h"
#include "rules.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MAX_JOBS = 64, REPEATED_SHARE = 8 };

struct options {
    double hours;   // of virtual time
    double seconds; // of real time, shrinking included
    uint64_t seed;
    bool has_seed;
    long jobs;
    uint32_t until; // 0: search
    const char *only;
};

static const struct raim_map *maps[SIMULATION_MAPS];

static int usage(void)
{
    fputs("usage: simulate [--hours H] [--seconds S] [--seed N] [--jobs J]\n"
          "       simulate --seed N --until STEP [--only FAULT[,FAULT...]]\n",
          stderr);
    return 64;
}

static bool read_options(int argc, char **argv, struct options *options)
{
    *options = (struct options){.hours = 10, .seconds = 1e9, .jobs = sysconf(_SC_NPROCESSORS_ONLN)};
    for (int i = 1; i < argc; i += 2) {
        const char *value = i + 1 < argc ? argv[i + 1] : NULL;
        if (value == NULL)
            return false;
        char *end = NULL;
        errno = 0;
        if (strcmp(argv[i], "--hours") == 0)
            options->hours = strtod(value, &end);
        else if (strcmp(argv[i], "--seconds") == 0)
            options->seconds = strtod(value, &end);
        else if (strcmp(argv[i], "--jobs") == 0)
            options->jobs = strtol(value, &end, 10);
        else if (strcmp(argv[i], "--until") == 0)
            options->until = (uint32_t)strtoul(value, &end, 10);
        else if (strcmp(argv[i], "--seed") == 0) {
            options->seed = strtoull(value, &end, 10);
            options->has_seed = true;
        } else if (strcmp(argv[i], "--only") == 0)
            options->only = value;
        else
            return false;
        if (errno != 0 || (end != NULL && (end == value || *end != '\0')))
            return false;
    }
    if (options->jobs < 1 || options->jobs > MAX_JOBS)
        options->jobs = options->jobs < 1 ? 1 : MAX_JOBS;
    return options->until == 0 || options->has_seed;
}

static bool load_maps(void)
{
    static const char *const names[SIMULATION_MAPS] = {"duel", "crossfire", "ruins"};
    struct diagnostics report = {.out = stderr};
    for (int i = 0; i < SIMULATION_MAPS; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/config/maps/%s.conf", RAIM_SOURCE_DIR, names[i]);
        maps[i] = map_file_load(path, NULL, raim_rules_default().player_radius, &report);
        if (maps[i] == NULL)
            return false;
    }
    return true;
}

static struct simulation_def def_of(uint64_t seed, uint32_t until)
{
    struct simulation_def def = {.seed = seed, .until = until};
    memcpy(def.maps, maps, sizeof def.maps);
    return def;
}

// --- reports ---

static void print_faults(const struct simulation_def *def)
{
    struct fault_schedule schedule;
    simulation_faults(def->seed, &schedule);
    for (uint32_t i = 0; i < schedule.count; i++)
        if (!def->dropped[i] && schedule.faults[i].begin <= def->until)
            printf("    fault %" PRIu32 ": %s of actor %" PRIu32 ", steps %" PRIu32 " to %" PRIu32
                   "\n",
                   i, fault_name(schedule.faults[i].kind), schedule.faults[i].actor,
                   schedule.faults[i].begin, schedule.faults[i].end);
}

static void print_failure(const struct trial *trial)
{
    const struct simulation_verdict *verdict = trial->verdict;
    printf("simulate: FAILED: %s: %s\n    seed %" PRIu64 ", step %" PRIu32 " (%.3f s)\n",
           verdict->invariant, verdict->why, trial->def.seed, verdict->step,
           verdict->tick_hz > 0 ? verdict->step / (double)verdict->tick_hz : 0);
}

static void print_replay(const struct simulation_def *def)
{
    struct fault_schedule schedule;
    const char *separator = " --only ";
    simulation_faults(def->seed, &schedule);
    printf("    replay: ./dev simulate --seed %" PRIu64 " --until %" PRIu32, def->seed, def->until);
    for (uint32_t i = 0; i < schedule.count; i++)
        if (!def->dropped[i] && schedule.faults[i].begin <= def->until) {
            printf("%s%" PRIu32, separator, i);
            separator = ",";
        }
    printf("%s\n", separator[0] == ' ' ? " --only none" : "");
}

// --- one simulation ---

static bool select_faults(struct simulation_def *def, const char *only)
{
    for (int i = 0; i < MAX_FAULTS; i++)
        def->dropped[i] = only != NULL;
    if (only == NULL || strcmp(only, "none") == 0)
        return true;
    for (const char *at = only;;) {
        char *end;
        const unsigned long index = strtoul(at, &end, 10);
        if (end == at || index >= MAX_FAULTS || (*end != ',' && *end != '\0'))
            return false;
        def->dropped[index] = false;
        if (*end == '\0')
            return true;
        at = end + 1;
    }
}

static int replay(const struct options *options)
{
    struct trial trial;
    if (!trial_create(&trial))
        return 71;
    trial.def = def_of(options->seed, options->until);
    if (!select_faults(&trial.def, options->only))
        return usage();
    trial_run(&trial);
    if (trial.verdict->is_failed)
        print_failure(&trial);
    else
        printf("simulate: seed %" PRIu64 " holds until step %" PRIu32 "\n", options->seed,
               trial.verdict->step);
    print_faults(&trial.def);
    return trial.verdict->is_failed;
}

// --- the search ---

struct totals {
    uint64_t simulations, repeated, steps, client_steps;
    struct simulation_verdict sums;
};

static void add(struct totals *totals, const struct simulation_verdict *verdict)
{
    struct simulation_verdict *sums = &totals->sums;
    totals->simulations++;
    totals->steps += verdict->step;
    sums->tick_hz = verdict->tick_hz;
    sums->clients = verdict->clients;
    sums->snapshots += verdict->snapshots;
    sums->entities += verdict->entities;
    sums->judged += verdict->judged;
    sums->resumes += verdict->resumes;
    sums->restores += verdict->restores;
    sums->transfers += verdict->transfers;
    sums->kills += verdict->kills;
    sums->quiet_checks += verdict->quiet_checks;
}

static double hours_of(const struct totals *totals)
{
    return totals->sums.tick_hz > 0 ? (double)totals->steps / totals->sums.tick_hz / 3600 : 0;
}

// A second run of a seed, with another heap, has the same worlds.
static bool repeats(struct trial *trial)
{
    const struct simulation_verdict first = *trial->verdict;
    trial->is_perturbed = true;
    trial_run(trial);
    trial->is_perturbed = false;
    if (trial->verdict->is_failed || trial->verdict->digest == first.digest)
        return !trial->verdict->is_failed;
    trial->verdict->is_failed = true;
    strcpy(trial->verdict->invariant, "seeds_repeat");
    snprintf(trial->verdict->why, sizeof trial->verdict->why,
             "digest %016" PRIx64 ", and then %016" PRIx64, first.digest, trial->verdict->digest);
    return false;
}

// Shrinks the failure until a time.
static void report_failure(struct trial *trial, double end_s)
{
    print_failure(trial);
    fflush(stdout);
    if (strcmp(trial->verdict->invariant, "seeds_repeat") == 0)
        return;
    trial_shrink(trial, end_s);
    puts("simulate: the fewest faults:");
    print_failure(trial);
    print_faults(&trial->def);
    print_replay(&trial->def);
}

static struct trial *trial_of(struct trial *trials, long count, pid_t process)
{
    for (long i = 0; i < count; i++)
        if (trials[i].process == process)
            return &trials[i];
    return NULL;
}

static int search(const struct options *options)
{
    static struct trial trials[MAX_JOBS];
    struct totals totals = {0};
    const double begin_s = trial_clock_s();
    uint64_t next = options->seed;
    long running = 0;
    struct trial *failed = NULL;
    for (long i = 0; i < options->jobs; i++)
        if (!trial_create(&trials[i]))
            return 71;
    for (;;) {
        int status;
        const bool goes_on = failed == NULL && hours_of(&totals) < options->hours &&
                             trial_clock_s() - begin_s < options->seconds;
        for (long i = 0; i < options->jobs && goes_on; i++)
            if (trials[i].process == 0) {
                trials[i].def = def_of(next++, 0);
                trial_start(&trials[i]);
                running++;
            }
        if (running == 0)
            break;
        struct trial *trial = trial_of(trials, options->jobs, waitpid(-1, &status, 0));
        if (trial == NULL)
            continue;
        running--;
        trial_finish(trial, status);
        add(&totals, trial->verdict);
        const bool is_repeated = (trial->def.seed - options->seed) % REPEATED_SHARE == 0;
        bool good = !trial->verdict->is_failed;
        if (good && is_repeated && failed == NULL) {
            totals.repeated++;
            good = repeats(trial);
        }
        if (!good && failed == NULL) {
            failed = trial;
            trial->process = -1; // it is kept
        }
    }
    const double wall_s = trial_clock_s() - begin_s;
    if (failed != NULL)
        report_failure(failed, begin_s + options->seconds);
    printf("simulate seed=%" PRIu64 " simulations=%" PRIu64 " hours=%.2f clients=%" PRIu32
           " wall_s=%.1f times_real=%.0f snapshots=%" PRIu64 " entities=%" PRIu64 " judged=%" PRIu64
           " kills=%" PRIu64 " resumes=%" PRIu64 " restores=%" PRIu64 " transfers=%" PRIu64
           " quiet_checks=%" PRIu64 " repeated=%" PRIu64 " failures=%d\n",
           options->seed, totals.simulations, hours_of(&totals), totals.sums.clients, wall_s,
           hours_of(&totals) * 3600 / wall_s, totals.sums.snapshots, totals.sums.entities,
           totals.sums.judged, totals.sums.kills, totals.sums.resumes, totals.sums.restores,
           totals.sums.transfers, totals.sums.quiet_checks, totals.repeated, failed != NULL);
    return failed != NULL;
}

int main(int argc, char **argv)
{
    struct options options;
    if (!read_options(argc, argv, &options))
        return usage();
    if (!load_maps())
        return 78;
    if (options.until > 0)
        return replay(&options);
    if (!options.has_seed && getrandom(&options.seed, sizeof options.seed, 0) < 0)
        return 71;
    printf("simulate seed=%" PRIu64 " jobs=%ld\n", options.seed, options.jobs);
    fflush(stdout);
    return search(&options);
}
