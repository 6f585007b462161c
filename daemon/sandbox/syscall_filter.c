// SPDX-License-Identifier: MIT
// The lists of system calls, and the filter that libseccomp makes of them.
#define _GNU_SOURCE
#include "syscall_filter.h"

#ifndef RAIM_HAVE_SECCOMP

const char *syscall_filter_enter(bool resolves_names)
{
    (void)resolves_names;
    return "not built in";
}

#elif !defined(__LP64__) || defined(__s390x__)

// 32-bit architectures name half of the calls differently, and s390x swaps the arguments of clone.
const char *syscall_filter_enter(bool resolves_names)
{
    (void)resolves_names;
    return "not written for this architecture";
}

#else

#include <errno.h>
#include <sched.h>
#include <seccomp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

// LeakSanitizer inspects the process from another one at exit.
#ifdef RAIM_SANITIZED
enum { IS_SANITIZED = true };
#else
enum { IS_SANITIZED = false };
#endif

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

// By name: libseccomp ignores names that its version or the machine's architecture does not have.
static const char *const allowed[] = {
    // files
    "access",
    "close",
    "close_range",
    "dup",
    "dup2",
    "dup3",
    "faccessat",
    "faccessat2",
    "fallocate",
    "fcntl",
    "fdatasync",
    "flock",
    "fstat",
    "fstatfs",
    "fsync",
    "ftruncate",
    "getcwd",
    "getdents",
    "getdents64",
    "lseek",
    "lstat",
    "newfstatat",
    "open",
    "openat",
    "pread64",
    "preadv",
    "pwrite64",
    "pwritev",
    "read",
    "readlink",
    "readlinkat",
    "readv",
    "rename",
    "renameat",
    "renameat2",
    "stat",
    "statx",
    "umask",
    "unlink",
    "unlinkat",
    "write",
    "writev",
    // sockets; add_sockets restricts socket and socketpair
    "accept",
    "accept4",
    "bind",
    "connect",
    "getpeername",
    "getsockname",
    "getsockopt",
    "listen",
    "recvfrom",
    "recvmmsg",
    "recvmsg",
    "sendfile",
    "sendmmsg",
    "sendmsg",
    "sendto",
    "setsockopt",
    "shutdown",
    // waiting and time
    "clock_getres",
    "clock_gettime",
    "clock_nanosleep",
    "epoll_create",
    "epoll_create1",
    "epoll_ctl",
    "epoll_pwait",
    "epoll_pwait2",
    "epoll_wait",
    "eventfd2",
    "gettimeofday",
    "nanosleep",
    "pipe",
    "pipe2",
    "poll",
    "ppoll",
    "pselect6",
    "select",
    "signalfd4",
    "time",
    "timerfd_create",
    "timerfd_gettime",
    "timerfd_settime",
    // memory; add_conditions denies executable mappings
    "brk",
    "madvise",
    "mincore",
    "mlock",
    "mlock2",
    "mremap",
    "munlock",
    "munmap",
    // threads
    "exit",
    "exit_group",
    "futex",
    "futex_waitv",
    "get_robust_list",
    "getcpu",
    "membarrier",
    "restart_syscall",
    "rseq",
    "sched_get_priority_max",
    "sched_get_priority_min",
    "sched_getaffinity",
    "sched_getparam",
    "sched_getscheduler",
    "sched_setscheduler",
    "sched_yield",
    "set_robust_list",
    "set_tid_address",
    // signals
    "rt_sigaction",
    "rt_sigpending",
    "rt_sigprocmask",
    "rt_sigreturn",
    "rt_sigsuspend",
    "rt_sigtimedwait",
    "sigaltstack",
    // information about the process and the machine
    "getegid",
    "geteuid",
    "getgid",
    "getpid",
    "getppid",
    "getrandom",
    "getrlimit",
    "getrusage",
    "gettid",
    "getuid",
    "sysinfo",
    "uname",
};

// Calls that end the process, except in a build with sanitizers, which need them.
static const char *const sanitizers[] = {
    "kill", "ptrace", "tkill", "wait4", "waitid",
};

// Calls that end the process, because only injected code makes them.
static const char *const deadly[] = {
    // other programs and processes
    "execve",
    "execveat",
    "fork",
    "vfork",
    "kcmp",
    "pidfd_getfd",
    "pidfd_open",
    "pidfd_send_signal",
    "process_madvise",
    "process_vm_readv",
    "process_vm_writev",
    // another root, another user, other namespaces
    "capset",
    "chroot",
    "fsconfig",
    "fsmount",
    "fsopen",
    "fspick",
    "mount",
    "mount_setattr",
    "move_mount",
    "open_by_handle_at",
    "open_tree",
    "pivot_root",
    "setfsgid",
    "setfsuid",
    "setgid",
    "setgroups",
    "setns",
    "setregid",
    "setresgid",
    "setresuid",
    "setreuid",
    "setuid",
    "umount",
    "umount2",
    "unshare",
    // kernel configuration, and subsystems with many known vulnerabilities
    "acct",
    "add_key",
    "bpf",
    "create_module",
    "delete_module",
    "fanotify_init",
    "finit_module",
    "init_module",
    "io_uring_enter",
    "io_uring_register",
    "io_uring_setup",
    "ioperm",
    "iopl",
    "kexec_file_load",
    "kexec_load",
    "keyctl",
    "lookup_dcookie",
    "mknod",
    "mknodat",
    "modify_ldt",
    "nfsservctl",
    "perf_event_open",
    "quotactl",
    "quotactl_fd",
    "reboot",
    "request_key",
    "swapoff",
    "swapon",
    "syslog",
    "userfaultfd",
    "vhangup",
    "vm86",
    "vm86old",
    // the machine's clock and name
    "adjtimex",
    "clock_adjtime",
    "clock_settime",
    "setdomainname",
    "sethostname",
    "settimeofday",
};

static int number_of(const char *name)
{
    return seccomp_syscall_resolve_name(name);
}

static bool add_all(scmp_filter_ctx filter, uint32_t action, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const int number = number_of(names[i]);
        if (number != __NR_SCMP_ERROR && seccomp_rule_add(filter, action, number, 0) != 0)
            return false;
    }
    return true;
}

// Compares an argument of a call with a value, or its masked bits.
static struct scmp_arg_cmp is(unsigned argument, uint64_t value)
{
    return (struct scmp_arg_cmp){.arg = argument, .op = SCMP_CMP_EQ, .datum_a = value};
}

static struct scmp_arg_cmp is_masked(unsigned argument, uint64_t mask, uint64_t value)
{
    return (struct scmp_arg_cmp){
        .arg = argument, .op = SCMP_CMP_MASKED_EQ, .datum_a = mask, .datum_b = value};
}

static bool add_if(scmp_filter_ctx filter, uint32_t action, const char *name,
                   struct scmp_arg_cmp condition)
{
    return seccomp_rule_add_array(filter, action, number_of(name), 1, &condition) == 0;
}

// Allows clone to create threads, but no processes. A filter cannot read the arguments of clone3,
// so clone3 fails with ENOSYS and the C library falls back to clone.
static bool add_threads(scmp_filter_ctx filter)
{
    const uint32_t of_process = IS_SANITIZED ? SCMP_ACT_ALLOW : SCMP_ACT_KILL_PROCESS;
    return add_if(filter, SCMP_ACT_ALLOW, "clone", is_masked(0, CLONE_THREAD, CLONE_THREAD)) &&
           add_if(filter, of_process, "clone", is_masked(0, CLONE_THREAD, 0));
}

// `other_types`: what happens to a socket that is not of UDP; SCMP_ACT_ALLOW allows all types.
static bool add_socket(scmp_filter_ctx filter, int family, uint32_t other_types)
{
    enum { TYPE_MASK = 0xf }; // the other bits are flags
    if (other_types == SCMP_ACT_ALLOW)
        return add_if(filter, SCMP_ACT_ALLOW, "socket", is(0, (uint64_t)family)) &&
               add_if(filter, SCMP_ACT_ALLOW, "socketpair", is(0, (uint64_t)family));
    bool good = true;
    for (int type = 0; good && type <= TYPE_MASK; type++) {
        const uint32_t action = type == SOCK_DGRAM ? SCMP_ACT_ALLOW : other_types;
        const struct scmp_arg_cmp conditions[] = {is(0, (uint64_t)family),
                                                  is_masked(1, TYPE_MASK, (uint64_t)type)};
        good = seccomp_rule_add_array(filter, action, number_of("socket"), COUNT(conditions),
                                      conditions) == 0;
    }
    return good;
}

// Allows sockets for new arenas, the journal and the service manager. Denies TCP: the HTTP socket
// is created before the filter is entered, and a running raimd opens no connections. The system's
// resolver asks for TCP, where an answer of DNS is too long, and for the machine's addresses by
// netlink; it goes on where it may not, so that it needs no more than UDP.
static bool add_sockets(scmp_filter_ctx filter, bool resolves_names)
{
    const uint32_t tcp = resolves_names ? SCMP_ACT_ERRNO(EACCES) : SCMP_ACT_KILL_PROCESS;
    const uint32_t netlink = resolves_names ? SCMP_ACT_ERRNO(EAFNOSUPPORT) : SCMP_ACT_KILL_PROCESS;
    bool good = add_socket(filter, AF_UNIX, SCMP_ACT_ALLOW) && add_socket(filter, AF_INET, tcp) &&
                add_socket(filter, AF_INET6, tcp);
    for (int family = 0; good && family <= AF_NETLINK; family++)
        if (family != AF_UNIX && family != AF_INET && family != AF_INET6)
            good = add_if(filter, family == AF_NETLINK ? netlink : SCMP_ACT_KILL_PROCESS, "socket",
                          is(0, (uint64_t)family));
    return good && add_if(filter, SCMP_ACT_KILL_PROCESS, "socket",
                          (struct scmp_arg_cmp){.op = SCMP_CMP_GT, .datum_a = AF_NETLINK});
}

static bool add_sanitizers(scmp_filter_ctx filter)
{
    return add_all(filter, IS_SANITIZED ? SCMP_ACT_ALLOW : SCMP_ACT_KILL_PROCESS, sanitizers,
                   COUNT(sanitizers)) &&
           (!IS_SANITIZED || (add_if(filter, SCMP_ACT_ALLOW, "prctl", is(0, PR_GET_DUMPABLE)) &&
                              add_if(filter, SCMP_ACT_ALLOW, "prctl", is(0, PR_SET_DUMPABLE)) &&
                              add_if(filter, SCMP_ACT_ALLOW, "prctl", is(0, PR_SET_PTRACER))));
}

static bool add_conditions(scmp_filter_ctx filter, bool resolves_names)
{
    return add_threads(filter) && add_sockets(filter, resolves_names) &&
           add_if(filter, SCMP_ACT_ALLOW, "prctl", is(0, PR_SET_NAME)) &&
           add_if(filter, SCMP_ACT_ALLOW, "prctl", is(0, PR_GET_NAME)) &&
           add_if(filter, SCMP_ACT_ALLOW, "mmap", is_masked(2, PROT_EXEC, 0)) &&
           add_if(filter, SCMP_ACT_ALLOW, "mprotect", is_masked(2, PROT_EXEC, 0)) &&
           add_if(filter, SCMP_ACT_ALLOW, "prlimit64", is(2, 0)) &&
           add_if(filter, SCMP_ACT_ALLOW, "tgkill", is(0, (uint32_t)getpid())) &&
           add_if(filter, SCMP_ACT_ALLOW, "ioctl", is(1, FIONBIO)) &&
           add_if(filter, SCMP_ACT_ALLOW, "ioctl", is(1, FIONREAD)) &&
           add_if(filter, SCMP_ACT_ALLOW, "ioctl", is(1, TCGETS)) &&
           // the interface of a link-local address
           add_if(filter, SCMP_ACT_ALLOW, "ioctl", is(1, SIOCGIFINDEX));
}

// Builds and loads the filter. Optimization level 2 makes it a binary tree instead of a list,
// because every call that moves datagrams passes it.
static const char *fill(scmp_filter_ctx filter, bool resolves_names)
{
    if (seccomp_attr_set(filter, SCMP_FLTATR_CTL_TSYNC, 1) != 0)
        return "the kernel cannot filter all threads";
    if (seccomp_attr_set(filter, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS) != 0 ||
        seccomp_attr_set(filter, SCMP_FLTATR_CTL_OPTIMIZE, 2) != 0)
        return "libseccomp is too old";
    if (!add_all(filter, SCMP_ACT_ALLOW, allowed, COUNT(allowed)) ||
        !add_all(filter, SCMP_ACT_KILL_PROCESS, deadly, COUNT(deadly)) ||
        !add_conditions(filter, resolves_names) || !add_sanitizers(filter))
        return "libseccomp rejects the rules";
    return seccomp_load(filter) == 0 ? NULL : "the kernel rejects the filter";
}

// Whether there is enough memory for libseccomp, which does not check its allocations (2.5.4). No
// other thread runs that could use the memory up in between.
static bool has_room(void)
{
    enum { ROOM_BYTES = 4 * 1024 * 1024 };    // libseccomp uses less than a quarter
    void *volatile room = malloc(ROOM_BYTES); // volatile: the compiler would remove the pair
    const bool has = room != NULL;
    free(room);
    return has;
}

const char *syscall_filter_enter(bool resolves_names)
{
    if (!has_room())
        return "out of memory";
    const scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ERRNO(ENOSYS));
    if (filter == NULL)
        return "libseccomp cannot create a filter";
    const char *problem = fill(filter, resolves_names);
    seccomp_release(filter);
    return problem;
}

#endif
