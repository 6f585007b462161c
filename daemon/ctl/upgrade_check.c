// SPDX-License-Identifier: MIT
// Has another raimd say what it would take over from the present one: it is run with --check-state,
// without root's rights, as the user who has the state.
#define _GNU_SOURCE
#include "commands.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sysexits.h>
#include <unistd.h>

static bool complain(const char *path)
{
    fprintf(stderr, "raimctl: %s: %s\n", path, strerror(errno));
    return false;
}

// The option's value, or what the packages use.
static const char *value_of(const struct call *call, const char *option, const char *usual)
{
    const char *value = commands_option(call, option);
    return value != NULL ? value : usual;
}

// Opens a directory, which may lie in one that only root may enter, for the program that follows,
// and tells it by the variable. The directory may be missing.
static bool pass(const char *variable, const char *path, struct stat *owner)
{
    char passed[32];
    const int directory = open(path, O_RDONLY | O_DIRECTORY);
    if (directory < 0 && errno == ENOENT)
        return unsetenv(variable) == 0;
    snprintf(passed, sizeof passed, "/proc/self/fd/%d", directory);
    return (directory >= 0 && fstat(directory, owner) == 0 && setenv(variable, passed, 1) == 0) ||
           complain(path);
}

static bool become(const struct stat *owner)
{
    return geteuid() != 0 || owner->st_uid == 0 ||
           (setgroups(0, NULL) == 0 && setgid(owner->st_gid) == 0 && setuid(owner->st_uid) == 0) ||
           complain("cannot become the state's owner");
}

// In the child. The file may lie where only root can go, too.
static void run_check(const struct call *call, const char *path)
{
    struct stat owner = {0};
    const char *config = value_of(call, "config", "/etc/raimd/raimd.conf");
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    char *const words[] = {(char *)path, (char *)"--check-state", (char *)"-c", (char *)config,
                           NULL};
    if (!pass("RUNTIME_DIRECTORY", value_of(call, "runtime", "/run/raimd"), &owner) ||
        !pass("STATE_DIRECTORY", value_of(call, "state", "/var/lib/raimd"), &owner) ||
        !become(&owner))
        _exit(EX_OSERR);
    if (file >= 0)
        fexecve(file, words, environ);
    complain(path);
    _exit(EX_OSERR);
}

int upgrade_check(const struct call *call)
{
    int status = -1;
    const char *path = commands_argument(call, 0);
    const pid_t child = fork();
    if (child == 0)
        run_check(call, path);
    if (child < 0 || waitpid(child, &status, 0) != child) {
        complain("cannot start it");
        return EXIT_REJECTED;
    }
    const int code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    if (code == EX_USAGE)
        fprintf(stderr,
                "raimctl: %s is a raimd without --check-state: an older one, which cannot "
                "say what it takes over\n",
                path);
    else if (code > 1 || code < 0)
        fprintf(stderr, "raimctl: %s has not checked the state\n", path);
    return code == EXIT_SUCCESS ? EXIT_SUCCESS : EXIT_REJECTED;
}
