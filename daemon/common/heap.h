// SPDX-License-Identifier: MIT
// Returns freed memory to the system: matches are created and destroyed at run time, and the C
// library's heap would keep their memory. Does nothing with a C library other than glibc.
#pragma once

// Makes blocks of 256 KiB or more return to the system when they are freed. Call it before the
// first large allocation.
void heap_init(void);

// Returns free memory between used blocks to the system. Takes milliseconds; any thread.
void heap_trim(void);
