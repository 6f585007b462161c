// SPDX-License-Identifier: MIT
// The sd_notify(3) protocol, by libsystemd where the build has it.
#define _GNU_SOURCE
#include "notify.h"

#include "monotonic.h"

#ifdef RAIM_HAVE_SYSTEMD
#include <systemd/sd-daemon.h>
#endif

#include <inttypes.h>
#include <stdio.h>

// A failure is the manager's affair: it acts on what it did not hear.
static void tell(const char *state)
{
#ifdef RAIM_HAVE_SYSTEMD
    sd_notify(0, state);
#else
    (void)state;
#endif
}

void notify_ready(void)
{
    tell("READY=1");
}

void notify_reloading(void)
{
    // The manager orders this by the clock against a reload that it asked for itself.
    char state[64];
    snprintf(state, sizeof state, "RELOADING=1\nMONOTONIC_USEC=%" PRIu64, monotonic_us());
    tell(state);
}

void notify_stopping(void)
{
    tell("STOPPING=1\nSTATUS=");
}

void notify_players(uint32_t players, uint32_t bots)
{
    char state[64];
    snprintf(state, sizeof state, "STATUS=%" PRIu32 " players, %" PRIu32 " bots", players, bots);
    tell(state);
}

void notify_alive(void)
{
    tell("WATCHDOG=1");
}

uint32_t notify_watchdog_ms(void)
{
    uint64_t limit_us = 0;
#ifdef RAIM_HAVE_SYSTEMD
    if (sd_watchdog_enabled(0, &limit_us) <= 0)
        return 0;
#endif
    const uint64_t half_ms = limit_us / 2000;
    if (limit_us > 0 && half_ms == 0)
        return 1;
    return half_ms > UINT32_MAX ? UINT32_MAX : (uint32_t)half_ms;
}

struct notify_descriptors notify_take_descriptors(void)
{
#ifdef RAIM_HAVE_SYSTEMD
    const int count = sd_listen_fds(true);
    return (struct notify_descriptors){.first = SD_LISTEN_FDS_START,
                                       .count = count > 0 ? count : 0};
#else
    return (struct notify_descriptors){0};
#endif
}
