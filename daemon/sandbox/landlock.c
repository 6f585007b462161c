// SPDX-License-Identifier: MIT
// Calls Landlock's system calls, for which glibc 2.36 has no wrappers.
#define _GNU_SOURCE
#include "landlock.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/landlock.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

// Constants of the stable kernel interface that older kernel headers lack.
#define ACCESS_FS_TRUNCATE (UINT64_C(1) << 14)
#define ACCESS_FS_IOCTL_DEV (UINT64_C(1) << 15)
#define ACCESS_NET_BIND_TCP (UINT64_C(1) << 0)
#define ACCESS_NET_CONNECT_TCP (UINT64_C(1) << 1)
#define SCOPE_SIGNAL (UINT64_C(1) << 1)
#define RULE_NET_PORT 2

#define FILE_READ LANDLOCK_ACCESS_FS_READ_FILE
#define READ (FILE_READ | LANDLOCK_ACCESS_FS_READ_DIR)
#define FILE_WRITE (FILE_READ | LANDLOCK_ACCESS_FS_WRITE_FILE | ACCESS_FS_TRUNCATE)
#define WRITE                                                                                      \
    (READ | FILE_WRITE | LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_REG |            \
     LANDLOCK_ACCESS_FS_MAKE_SOCK)

// struct landlock_ruleset_attr of version 6. An older kernel accepts unknown members that are 0.
struct rules {
    uint64_t handled_access_fs, handled_access_net, scoped;
};

// The accesses to files that this version of the interface can restrict.
static uint64_t known_file_access(int version)
{
    uint64_t known = (LANDLOCK_ACCESS_FS_MAKE_SYM << 1) - 1;
    if (version >= 2)
        known |= LANDLOCK_ACCESS_FS_REFER;
    if (version >= 3)
        known |= ACCESS_FS_TRUNCATE;
    if (version >= 5)
        known |= ACCESS_FS_IOCTL_DEV;
    return known;
}

int landlock_version(void)
{
    const long version =
        syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
    return version > 0 ? (int)version : 0;
}

int landlock_open(void)
{
    const int version = landlock_version();
    const struct rules rules = {
        .handled_access_fs = known_file_access(version),
        .handled_access_net = version >= 4 ? ACCESS_NET_BIND_TCP | ACCESS_NET_CONNECT_TCP : 0,
        .scoped = version >= 6 ? SCOPE_SIGNAL : 0,
    };
    return (int)syscall(SYS_landlock_create_ruleset, &rules, sizeof rules, 0);
}

void landlock_allow(int rules, const char *path, enum landlock_access access)
{
    static const uint64_t beneath[] = {
        [LANDLOCK_READ] = READ,
        [LANDLOCK_WRITE] = WRITE,
        [LANDLOCK_REMOVE] = LANDLOCK_ACCESS_FS_REMOVE_FILE,
    };
    struct stat status;
    struct landlock_path_beneath_attr rule = {
        .allowed_access = beneath[access] & known_file_access(landlock_version()),
        .parent_fd = open(path, O_PATH | O_CLOEXEC),
    };
    if (rule.parent_fd < 0)
        return;
    if (fstat(rule.parent_fd, &status) == 0 && !S_ISDIR(status.st_mode))
        rule.allowed_access &= FILE_WRITE;
    syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
    close(rule.parent_fd);
}

void landlock_allow_connect(int rules, uint16_t port)
{
    // struct landlock_net_port_attr of version 4.
    const struct {
        uint64_t allowed_access, port;
    } rule = {.allowed_access = ACCESS_NET_CONNECT_TCP, .port = port};
    syscall(SYS_landlock_add_rule, rules, RULE_NET_PORT, &rule, 0);
}

bool landlock_enter(int rules)
{
    return syscall(SYS_landlock_restrict_self, rules, 0) == 0;
}
