// SPDX-License-Identifier: MIT
// Lists the files that stay accessible, and enters Landlock and the seccomp filter.
#define _GNU_SOURCE
#include "sandbox.h"

#include "landlock.h"
#include "syscall_filter.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

// Defined only in a coverage build, which writes its counts beside its sources when it ends.
void __gcov_init(void *) __attribute__((weak));

// Files that raimd reads while it runs, besides the configuration's directories.
static const char *const system_files[] = {
    RAIM_MAP_DIRECTORY,
    "/proc/sys/kernel/random/boot_id", // checkpoints
    "/sys/devices/system/cpu/online",  // sysconf
    "/dev/null",
    "/dev/urandom",
#ifdef RAIM_SANITIZED
    // For the reports of the sanitizers.
    "/proc",
    "/usr",
    "/lib",
    "/proc/self/exe",
#endif
};

// Files that getaddrinfo reads. What lies in /run may be replaced while raimd runs.
static const char *const resolver_files[] = {
    "/etc/gai.conf",    "/etc/host.conf",      "/etc/hosts",      "/etc/nsswitch.conf",
    "/etc/resolv.conf", "/run/NetworkManager", "/run/resolvconf", "/run/systemd/resolve",
};

// Process-wide, because the restriction of files is.
static struct path_list readable;
static bool is_entered;

void sandbox_forbid_cores(void)
{
    const struct rlimit none = {0};
    setrlimit(RLIMIT_CORE, &none);
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); // RLIMIT_CORE does not apply when core_pattern is a program
}

static void allow_all(int rules, const struct path_list *paths, enum landlock_access access)
{
    for (int i = 0; i < paths->count; i++)
        landlock_allow(rules, paths->items[i], access);
}

// False with errno when memory runs out.
static bool allow_paths(int rules, const struct sandbox_paths *paths)
{
    allow_all(rules, paths->readable, LANDLOCK_READ);
    allow_all(rules, paths->writable, LANDLOCK_WRITE);
    for (size_t i = 0; i < sizeof system_files / sizeof *system_files; i++)
        landlock_allow(rules, system_files[i], LANDLOCK_READ);
    for (size_t i = 0; paths->resolves_names && i < sizeof resolver_files / sizeof *resolver_files;
         i++)
        landlock_allow(rules, resolver_files[i], LANDLOCK_READ);
    if (paths->control == NULL)
        return true;
    struct path_list directories = {0};
    const bool good = path_list_add_directories(&directories, paths->control);
    allow_all(rules, &directories, LANDLOCK_REMOVE);
    path_list_clear(&directories);
    if (!good)
        errno = ENOMEM;
    return good;
}

// Each thread has a directory in /proc/self/task, whose link count is two more.
static bool has_other_threads(void)
{
    struct stat status;
    return stat("/proc/self/task", &status) == 0 && status.st_nlink > 3;
}

static bool restrict_files(const struct sandbox_paths *paths, char *words, size_t capacity)
{
    const int version = landlock_version();
    if (version == 0) {
        snprintf(words, capacity, "off: %s",
                 strerror(errno)); // ENOSYS, EOPNOTSUPP, or EPERM of a container's filter
        return false;
    }
    const int rules = landlock_open();
    const bool entered = rules >= 0 && allow_paths(rules, paths) && landlock_enter(rules);
    if (!entered)
        snprintf(words, capacity, "off: %s", strerror(errno));
    else
        snprintf(words, capacity, "abi %d%s", version,
                 has_other_threads() ? ", not for the threads before" : "");
    if (rules >= 0)
        close(rules);
    return entered;
}

// Stores the readable directories for sandbox_hint. Running out of memory only loses a hint.
static void remember(const struct sandbox_paths *paths)
{
    for (int i = 0; i < paths->readable->count; i++)
        path_list_add(&readable, paths->readable->items[i]);
    for (int i = 0; i < paths->writable->count; i++)
        path_list_add(&readable, paths->writable->items[i]);
    path_list_add(&readable, RAIM_MAP_DIRECTORY);
    is_entered = true;
}

struct sandbox_report sandbox_enter(const struct sandbox_paths *paths)
{
    struct sandbox_report report = {0};
    if (__gcov_init != NULL) {
        snprintf(report.seccomp, sizeof report.seccomp, "off: coverage is counted");
        snprintf(report.landlock, sizeof report.landlock, "off: coverage is counted");
        return report;
    }
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    const bool restricted = restrict_files(paths, report.landlock, sizeof report.landlock);
    if (restricted)
        remember(paths);
    const char *problem = syscall_filter_enter(paths->resolves_names);
    snprintf(report.seccomp, sizeof report.seccomp, "%s%s",
             problem == NULL ? "on" : "off: ", problem == NULL ? "" : problem);
    report.is_whole = restricted && problem == NULL;
    return report;
}

static bool lies_beneath(const char *path, const char *directory)
{
    const size_t length = strlen(directory);
    return strcmp(directory, "/") == 0 ||
           (strncmp(path, directory, length) == 0 && (path[length] == '/' || path[length] == '\0'));
}

const char *sandbox_hint(const char *path, int error)
{
    char whole[PATH_MAX];
    if (!is_entered || error != EACCES || realpath(path, whole) == NULL)
        return "";
    for (int i = 0; i < readable.count; i++)
        if (lies_beneath(whole, readable.items[i]))
            return "";
    return " (outside of the directories that raimd was started with, which its sandbox denies; "
           "restart raimd to read it)";
}
