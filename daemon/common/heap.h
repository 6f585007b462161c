// SPDX-License-Identifier: MIT
// What the process keeps of the memory that it has freed: matches come and go, and the C library's
// heap would keep their holes. Does nothing where that library is not glibc.
#pragma once

// Before the first large allocation: from 256 KiB on, blocks go back to the system when they are
// freed.
void heap_init(void);

// Gives back what lies free between blocks in use. Takes milliseconds; any thread.
void heap_trim(void);
