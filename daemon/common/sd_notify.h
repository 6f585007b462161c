// SPDX-License-Identifier: MIT
// Service manager protocol (sd_notify(3), sd_watchdog_enabled(3), sd_listen_fds(3)): state
// messages, the watchdog and passed descriptors. Without systemd, at build or at run time, every
// call does nothing.
#pragma once

#include <stdbool.h>
#include <stdint.h>

void notify_ready(void);
void notify_reloading(void); // until the next notify_ready
void notify_stopping(void);
void notify_players(uint32_t players, uint32_t bots); // STATUS=
void notify_alive(void);                              // WATCHDOG=1

// The interval for notify_alive in milliseconds, half the watchdog's limit; 0: no watchdog.
uint32_t notify_watchdog_ms(void);

// The descriptors that the service manager passed to this process: `count` of them, from `first`
// on. Taking them sets close-on-exec and clears the environment variables, so a second call finds
// none.
struct notify_descriptors {
    int first, count;
};
struct notify_descriptors notify_take_descriptors(void);
