// SPDX-License-Identifier: MIT
// Service manager protocol (sd_notify(3), sd_watchdog_enabled(3), sd_listen_fds(3)): state
// messages, the watchdog and passed descriptors. Without systemd every call does nothing.
#pragma once

#include <stdbool.h>
#include <stdint.h>

void sd_notify_ready(void);
void sd_notify_reloading(void); // until the next sd_notify_ready
void sd_notify_stopping(void);
void sd_notify_players(uint32_t players, uint32_t bots); // STATUS=
void sd_notify_alive(void);                              // WATCHDOG=1

// The interval for sd_notify_alive in milliseconds, half the watchdog's limit; 0: no watchdog.
uint32_t sd_notify_watchdog_ms(void);

// The descriptors that the service manager passed to this process: `count` of them, from `first`
// on. Taking them sets close-on-exec and clears the environment variables, so a second call finds
// none.
struct sd_notify_descriptors {
    int first, count;
};
struct sd_notify_descriptors sd_notify_take_descriptors(void);
