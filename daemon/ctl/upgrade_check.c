// SPDX-License-Identifier: MIT
// Has another raimd say what it would take over from the present one: it is run with --check-state,
// without root's rights, as the user who has the state.
#define _GNU_SOURCE
#include "commands.h"

#include "program.h"

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
static void run_check(const struct call *call, const char *path, const int pipe[2])
{
    struct stat owner = {0};
    const char *config = value_of(call, "config", "/etc/raimd/raimd.conf");
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    char *const words[] = {(char *)path, (char *)"--check-state", (char *)"-c", (char *)config,
                           NULL};
    close(pipe[0]);
    if (dup2(pipe[1], STDOUT_FILENO) < 0 ||
        !pass("RUNTIME_DIRECTORY", value_of(call, "runtime", "/run/raimd"), &owner) ||
        !pass("STATE_DIRECTORY", value_of(call, "state", "/var/lib/raimd"), &owner) ||
        !become(&owner))
        _exit(EX_OSERR);
    if (file >= 0)
        fexecve(file, words, environ);
    complain(path);
    _exit(EX_OSERR);
}

// Prints what comes, and copies the last line, without its end.
static void read_answer(int from, char *last, size_t capacity)
{
    char *line = NULL;
    size_t allocated = 0;
    FILE *stream = fdopen(from, "r");
    last[0] = '\0';
    while (stream != NULL && getline(&line, &allocated, stream) > 0) {
        fputs(line, stdout);
        line[strcspn(line, "\n")] = '\0';
        snprintf(last, capacity, "%s", line);
    }
    free(line);
    if (stream != NULL)
        fclose(stream);
}

int upgrade_check(const struct call *call)
{
    int status = -1, pipe[2];
    char answer[sizeof PROGRAM_TAKES_PART + 1];
    const char *path = commands_argument(call, 0);
    const pid_t child = pipe2(pipe, O_CLOEXEC) == 0 ? fork() : -1;
    if (child == 0)
        run_check(call, path, pipe);
    if (child < 0) {
        complain("cannot start it");
        return EXIT_REJECTED;
    }
    close(pipe[1]);
    read_answer(pipe[0], answer, sizeof answer);
    waitpid(child, &status, 0);
    const int code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    if ((code == EXIT_SUCCESS && strcmp(answer, PROGRAM_TAKES_ALL) == 0) ||
        (code == EXIT_FAILURE && strcmp(answer, PROGRAM_TAKES_PART) == 0))
        return code;
    fprintf(stderr,
            "raimctl: %s has not checked the state: it is no raimd, or an older one without "
            "--check-state, or it failed\n",
            path);
    return EX_UNAVAILABLE;
}
