// SPDX-License-Identifier: MIT
// Messages to the service manager (sd_notify), and what it hands over. Without systemd, at build or
// at run time, every call does nothing.
#pragma once

#include <stdbool.h>
#include <stdint.h>

void notify_ready(void);
void notify_reloading(void); // until the next notify_ready
void notify_stopping(void);
void notify_players(uint32_t players, uint32_t bots); // STATUS=
void notify_alive(void);                              // WATCHDOG=1

// How often the service manager wants to hear notify_alive, in ms: half its limit; 0 for never.
uint32_t notify_watchdog_ms(void);

// The descriptors that the service manager passed to this process: `count` from `first` on. They
// are closed on exec, and the environment forgets them: a second call finds none.
struct notify_descriptors {
    int first, count;
};
struct notify_descriptors notify_take_descriptors(void);
