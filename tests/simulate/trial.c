// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "trial.h"

#include <fcntl.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MAX_CPU_S = 600, MAX_ATTEMPTS = 200 };

bool trial_create(struct trial *trial)
{
    *trial = (struct trial){0};
    trial->verdict = mmap(NULL, sizeof *trial->verdict, PROT_READ | PROT_WRITE,
                          MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return trial->verdict != MAP_FAILED;
}

static _Noreturn void run_here(const struct trial *trial)
{
    const struct rlimit cpu = {MAX_CPU_S, MAX_CPU_S};
    setrlimit(RLIMIT_CPU, &cpu); // a simulation that hangs ends
    const int nowhere = trial->is_quiet ? open("/dev/null", O_WRONLY | O_CLOEXEC) : -1;
    if (nowhere >= 0)
        dup2(nowhere, STDERR_FILENO);
    if (trial->is_perturbed) {
        mallopt(M_PERTURB, 0xA5);
        if (malloc(12345) == NULL)
            _exit(1);
    }
    simulation_run(&trial->def, trial->verdict);
    _exit(0);
}

void trial_start(struct trial *trial)
{
    memset(trial->verdict, 0, sizeof *trial->verdict);
    fflush(NULL);
    trial->process = fork();
    if (trial->process == 0)
        run_here(trial);
    if (trial->process < 0) {
        perror("fork");
        exit(71);
    }
}

void trial_finish(struct trial *trial, int status)
{
    struct simulation_verdict *verdict = trial->verdict;
    trial->process = 0;
    if (verdict->is_failed || (verdict->is_over && status == 0))
        return;
    verdict->is_failed = true;
    strcpy(verdict->invariant, "program_survives");
    if (WIFSIGNALED(status))
        snprintf(verdict->why, sizeof verdict->why, "ended by signal %d (%s)", WTERMSIG(status),
                 strsignal(WTERMSIG(status)));
    else
        snprintf(verdict->why, sizeof verdict->why, "ended with status %d", WEXITSTATUS(status));
}

void trial_run(struct trial *trial)
{
    int status = 0;
    trial_start(trial);
    waitpid(trial->process, &status, 0);
    trial_finish(trial, status);
}

double trial_clock_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

// --- shrinking ---

// Whether the same invariant fails with only some of the faults.
static bool still_fails(struct trial *trial, const bool dropped[MAX_FAULTS], const char *invariant)
{
    memcpy(trial->def.dropped, dropped, sizeof trial->def.dropped);
    trial_run(trial);
    return trial->verdict->is_failed && strcmp(trial->verdict->invariant, invariant) == 0;
}

static bool may_try(int attempts, double end_s)
{
    return attempts < MAX_ATTEMPTS && trial_clock_s() < end_s;
}

void trial_shrink(struct trial *trial, double end_s)
{
    struct fault_schedule schedule;
    uint32_t left[MAX_FAULTS], count = 0;
    bool dropped[MAX_FAULTS];
    const struct simulation_verdict failed = *trial->verdict;
    struct simulation_verdict smallest = failed;
    int attempts = 0;
    simulation_faults(trial->def.seed, &schedule);
    memcpy(dropped, trial->def.dropped, sizeof dropped);
    for (uint32_t i = 0; i < schedule.count; i++) {
        if (schedule.faults[i].begin > failed.step)
            dropped[i] = true; // it had not begun
        if (!dropped[i])
            left[count++] = i;
    }
    trial->is_quiet = true;
    trial->def.until = failed.step + 10 * failed.tick_hz;
    for (uint32_t chunk = count; chunk > 0 && may_try(attempts, end_s);) {
        bool has_shrunk = false;
        for (uint32_t from = 0; from < count && may_try(attempts, end_s);) {
            bool without[MAX_FAULTS];
            const uint32_t size = count - from < chunk ? count - from : chunk;
            memcpy(without, dropped, sizeof without);
            for (uint32_t i = 0; i < size; i++)
                without[left[from + i]] = true;
            attempts++;
            if (!still_fails(trial, without, failed.invariant)) {
                from += size;
                continue;
            }
            memcpy(dropped, without, sizeof dropped);
            memmove(&left[from], &left[from + size], (count - from - size) * sizeof *left);
            count -= size;
            smallest = *trial->verdict;
            trial->def.until = smallest.step;
            has_shrunk = true;
        }
        if (chunk > 1)
            chunk = (chunk + 1) / 2;
        else if (!has_shrunk)
            break;
    }
    memcpy(trial->def.dropped, dropped, sizeof dropped);
    trial->def.until = smallest.step;
    *trial->verdict = smallest;
}
