// SPDX-License-Identifier: MIT
// Resource usage of the process, read from /proc: processor time, memory, threads and descriptors;
// and the return of free memory to the kernel. Files of /proc are opened before the sandbox closes
// it. Main thread only, where nothing else is said.
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct process_usage;

struct process_usage_values {
    double cpu_s;     // user and system
    double started_s; // since 1970
    uint64_t virtual_bytes, resident_bytes;
    uint64_t threads;
    uint64_t open_descriptors, max_descriptors;
};

// Returns NULL where /proc cannot be read, or when memory or descriptors run out.
struct process_usage *process_usage_open(void);

// Takes NULL.
void process_usage_close(struct process_usage *usage);

// Returns false if there are no values: `usage` is NULL, or /proc gave something else.
bool process_usage_read(struct process_usage *usage, struct process_usage_values *values);

// Reads the fields of /proc/self/stat that the values need, in the kernel's units.
struct process_usage_stat {
    uint64_t user_ticks, system_ticks, threads, start_ticks, virtual_bytes, resident_pages;
};
bool process_usage_parse(const char *text, struct process_usage_stat *stat);

// Matches are created and destroyed at run time, and the C library's heap would keep their memory.
// Both do nothing with a C library other than glibc.

// Makes blocks of 256 KiB or more return to the system when they are freed. Call it before the
// first large allocation.
void heap_init(void);

// Returns free memory between used blocks to the system. Takes milliseconds; any thread.
void heap_trim(void);
