// SPDX-License-Identifier: MIT
// Reads /proc/self/stat and counts the entries of /proc/self/fd, see proc(5).
#define _GNU_SOURCE
#include "process_usage.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum { STAT_BYTES = 1024, NS_PER_S = 1000000000 };

struct process_usage {
    int stat;
    DIR *descriptors;
    double boot_s; // when the machine began, since 1970; read once, so that no start time moves
};

static double seconds_of(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / NS_PER_S;
}

struct process_usage *process_usage_open(void)
{
    struct process_usage *usage = calloc(1, sizeof *usage);
    if (usage == NULL)
        return NULL;
    usage->stat = open("/proc/self/stat", O_RDONLY | O_CLOEXEC);
    usage->descriptors = opendir("/proc/self/fd");
    usage->boot_s = seconds_of(CLOCK_REALTIME) - seconds_of(CLOCK_BOOTTIME);
    if (usage->stat >= 0 && usage->descriptors != NULL)
        return usage;
    process_usage_close(usage);
    return NULL;
}

void process_usage_close(struct process_usage *usage)
{
    if (usage == NULL)
        return;
    if (usage->stat >= 0)
        close(usage->stat);
    if (usage->descriptors != NULL)
        closedir(usage->descriptors);
    free(usage);
}

bool process_usage_parse(const char *text, struct process_usage_stat *stat)
{
    const char *rest = strrchr(text, ')'); // the program's name may contain anything
    *stat = (struct process_usage_stat){0};
    return rest != NULL &&
           sscanf(rest + 1,
                  " %*c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %" SCNu64 " %" SCNu64
                  " %*s %*s %*s %*s %" SCNu64 " %*s %" SCNu64 " %" SCNu64 " %" SCNu64,
                  &stat->user_ticks, &stat->system_ticks, &stat->threads, &stat->start_ticks,
                  &stat->virtual_bytes, &stat->resident_pages) == 6;
}

static uint64_t count_descriptors(DIR *directory)
{
    uint64_t count = 0;
    const struct dirent *entry;
    rewinddir(directory);
    while ((entry = readdir(directory)) != NULL)
        count += entry->d_name[0] != '.';
    return count;
}

bool process_usage_read(struct process_usage *usage, struct process_usage_values *values)
{
    char text[STAT_BYTES];
    struct process_usage_stat stat;
    struct rlimit limit = {0};
    if (usage == NULL)
        return false;
    const ssize_t size = pread(usage->stat, text, sizeof text - 1, 0);
    if (size <= 0)
        return false;
    text[size] = '\0';
    if (!process_usage_parse(text, &stat))
        return false;
    const double ticks_per_s = (double)sysconf(_SC_CLK_TCK);
    getrlimit(RLIMIT_NOFILE, &limit);
    *values = (struct process_usage_values){
        .cpu_s = (double)(stat.user_ticks + stat.system_ticks) / ticks_per_s,
        .started_s = usage->boot_s + (double)stat.start_ticks / ticks_per_s,
        .virtual_bytes = stat.virtual_bytes,
        .resident_bytes = stat.resident_pages * (uint64_t)sysconf(_SC_PAGESIZE),
        .threads = stat.threads,
        .open_descriptors = count_descriptors(usage->descriptors),
        .max_descriptors = limit.rlim_cur,
    };
    return true;
}

enum { LARGE_BLOCK_BYTES = 256 * 1024 };

void heap_init(void)
{
#ifdef __GLIBC__
    mallopt(M_MMAP_THRESHOLD, LARGE_BLOCK_BYTES);
#endif
}

void heap_trim(void)
{
#ifdef __GLIBC__
    malloc_trim(0);
#endif
}
