// SPDX-License-Identifier: MIT
// A library to preload into a daemon: tries, in one of its threads, what somebody would who has
// taken it over. The page says what, in which thread, and tells what came of it.
#define _GNU_SOURCE
#include "page.h"

#include <dlfcn.h>
#include <errno.h>
#include <sys/epoll.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>

// The attempts, as sandbox.py numbers them. Each is tried in a worker; with MAIN_THREAD added to
// it, in the main thread.
enum {
    MAIN_THREAD = 100,
    RUN_PROGRAM = 1,
    FORK,
    TRACE,
    SOCKET_NETLINK,
    SOCKET_PACKET,
    SOCKET_TCP,
    MOUNT,
    USER_NAMESPACE,
    LOAD_BPF,
    USE_IO_URING,
    MAKE_EXECUTABLE,
    READ_FILE,
    WRITE_FILE,
    LIST_DIRECTORY,
};

static long run_program(void)
{
    char *const words[] = {"/bin/true", NULL};
    return execv(words[0], words);
}

static long make_process(void)
{
    const pid_t child = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
    if (child == 0)
        _exit(0);
    return child < 0 ? -1 : waitpid(child, NULL, 0);
}

static long make_executable(void)
{
    void *memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return mprotect(memory, 4096, PROT_READ | PROT_EXEC);
}

static long open_path(int flags)
{
    const char *path = getenv("INTRUDER_PATH");
    const int file = open(path != NULL ? path : "", flags | O_CLOEXEC, 0600);
    if (file >= 0)
        close(file);
    return file;
}

static long attempt(uint64_t what)
{
    switch (what) {
    case RUN_PROGRAM:
        return run_program();
    case FORK:
        return make_process();
    case TRACE:
        return syscall(SYS_ptrace, 0, 0, 0, 0);
    case SOCKET_NETLINK:
        return socket(AF_NETLINK, SOCK_RAW, 0);
    case SOCKET_PACKET:
        return socket(AF_PACKET, SOCK_RAW, 0);
    case SOCKET_TCP:
        return socket(AF_INET, SOCK_STREAM, 0);
    case MOUNT:
        return mount("none", "/proc", "proc", MS_REMOUNT, NULL);
    case USER_NAMESPACE:
        return syscall(SYS_unshare, 0);
    case LOAD_BPF:
        return syscall(SYS_bpf, 0, NULL, 0);
    case USE_IO_URING:
        return syscall(SYS_io_uring_setup, 1, NULL);
    case MAKE_EXECUTABLE:
        return make_executable();
    case READ_FILE:
        return open_path(O_RDONLY);
    case WRITE_FILE:
        return open_path(O_WRONLY | O_CREAT);
    case LIST_DIRECTORY:
        return open_path(O_RDONLY | O_DIRECTORY);
    default:
        errno = EINVAL;
        return -1;
    }
}

static void intrude(uint64_t thread)
{
    uint64_t wanted = atomic_load(&page->intrusion);
    if (wanted == 0 || wanted / MAIN_THREAD * MAIN_THREAD != thread ||
        !atomic_compare_exchange_strong(&page->intrusion, &wanted, 0))
        return;
    const int saved = errno;
    const long result = attempt(wanted % MAIN_THREAD);
    atomic_store(&page->intrusion_errno, result < 0 ? errno : 0);
    atomic_fetch_add(&page->intruded, 1);
    errno = saved;
}

// A worker receives, whether anybody plays or not.
int recvmmsg(int socket, struct mmsghdr *messages, unsigned count, int flags,
             struct timespec *timeout)
{
    static int (*next)(int, struct mmsghdr *, unsigned, int, struct timespec *);
    if (next == NULL)
        *(void **)&next = dlsym(RTLD_NEXT, "recvmmsg");
    intrude(0);
    return next(socket, messages, count, flags, timeout);
}

// The main thread waits here between what it does.
int epoll_wait(int epoll, struct epoll_event *events, int count, int timeout_ms)
{
    static int (*next)(int, struct epoll_event *, int, int);
    if (next == NULL)
        *(void **)&next = dlsym(RTLD_NEXT, "epoll_wait");
    const int result = next(epoll, events, count, timeout_ms);
    if (getpid() == syscall(SYS_gettid))
        intrude(MAIN_THREAD);
    return result;
}
