// SPDX-License-Identifier: MIT
// A library to preload into a daemon without sanitizers: lets one of its allocations fail, the one
// whose number the page says. Those of libconfig and libseccomp are left out, because versions 1.5
// and 2.5.4 use what they get unseen: a start without memory for the text of its configuration ends
// there, before anybody plays, and the sandbox looks for arena before it asks libseccomp.
#define _GNU_SOURCE
#include "page.h"

#include <dlfcn.h>
#include <errno.h>
#include <stddef.h>

// The C library's own, so that none is missed and dlsym's do not come back here.
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);

static _Thread_local int in_library; // calls, for libconfig calls itself

static int fails(void)
{
    if (in_library)
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

// --- libseccomp: all that it does lies between these two ---

void *seccomp_init(uint32_t action)
{
    void *(*next)(uint32_t);
    *(void **)&next = dlsym(RTLD_NEXT, "seccomp_init");
    in_library++;
    return next(action);
}

void seccomp_release(void *filter)
{
    void (*next)(void *);
    *(void **)&next = dlsym(RTLD_NEXT, "seccomp_release");
    next(filter);
    in_library--;
}

// --- libconfig's functions that allocate ---

void config_init(void *config)
{
    void (*next)(void *);
    *(void **)&next = dlsym(RTLD_NEXT, "config_init");
    in_library++;
    next(config);
    in_library--;
}

int config_read_string(void *config, const char *text)
{
    int (*next)(void *, const char *);
    *(void **)&next = dlsym(RTLD_NEXT, "config_read_string");
    in_library++;
    const int result = next(config, text);
    in_library--;
    return result;
}
