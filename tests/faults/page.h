// SPDX-License-Identifier: MIT
// What a test shares with the daemon that it makes fail: the page in the file that FAULT_PAGE
// names.
#pragma once

#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

// As page.py packs it: numbers of eight bytes.
struct page {
    _Atomic int64_t clock_step_s;    // added to CLOCK_REALTIME
    _Atomic int64_t send_errno;      // of every sendmmsg, 0: none
    _Atomic uint64_t clocks_stepped; // readings that were changed
    _Atomic uint64_t sends_rejected;
    _Atomic uint64_t allocations;    // counted from the start on
    _Atomic uint64_t failing;        // the number of the one that fails, 0: none
    _Atomic uint64_t intrusion;      // what an intruder is to try next, 0: nothing
    _Atomic uint64_t intruded;       // how many attempts returned
    _Atomic int64_t intrusion_errno; // of the last of them, 0: it succeeded
    _Atomic uint64_t deadly_port;    // the process dies when it invites players to this port
    _Atomic int64_t boot_step_s;     // added to CLOCK_BOOTTIME
};

static struct page no_page;
static struct page *page = &no_page;

__attribute__((constructor)) static void open_page(void)
{
    const char *path = getenv("FAULT_PAGE");
    const int file = path != NULL ? open(path, O_RDWR | O_CLOEXEC) : -1;
    void *mapped = file >= 0 ? mmap(NULL, sizeof *page, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0)
                             : MAP_FAILED;
    if (file >= 0)
        close(file);
    if (mapped != MAP_FAILED)
        page = mapped;
}
