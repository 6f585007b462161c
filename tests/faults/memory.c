// SPDX-License-Identifier: MIT
// A library to preload into a daemon without sanitizers: lets one of its allocations fail, the one
// whose number the page says. Those of libconfig are left out, because version 1.5 uses what it
// gets unseen: a start without memory for the text of its configuration ends there, before anybody
// plays.
#define _GNU_SOURCE
#include "page.h"

#include <dlfcn.h>
#include <errno.h>
#include <stddef.h>

// The C library's own, so that none is missed and dlsym's do not come back here.
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);

static _Thread_local int in_libconfig; // calls, for it calls itself

static int fails(void)
{
    if (in_libconfig)
        return 0;
    const uint64_t number = atomic_fetch_add(&page->allocations, 1) + 1;
    if (number != atomic_load(&page->failing))
        return 0;
    errno = ENOMEM;
    return 1;
}

void *malloc(size_t size)
{
    return fails() ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    return fails() ? NULL : __libc_calloc(count, size);
}

void *realloc(void *memory, size_t size)
{
    return fails() ? NULL : __libc_realloc(memory, size);
}

// --- libconfig's functions that allocate ---

void config_init(void *config)
{
    void (*next)(void *);
    *(void **)&next = dlsym(RTLD_NEXT, "config_init");
    in_libconfig++;
    next(config);
    in_libconfig--;
}

int config_read_string(void *config, const char *text)
{
    int (*next)(void *, const char *);
    *(void **)&next = dlsym(RTLD_NEXT, "config_read_string");
    in_libconfig++;
    const int result = next(config, text);
    in_libconfig--;
    return result;
}
