// SPDX-License-Identifier: MIT
// Monotonic time: CLOCK_MONOTONIC, the time since the machine started, which is never set. Any
// thread.
#pragma once

#include <stdint.h>

uint64_t monotonic_ns(void);
uint64_t monotonic_us(void);
uint64_t monotonic_ms(void);
