// SPDX-License-Identifier: MIT
// Implements system.h with POSIX.
#define _GNU_SOURCE // ppoll
#define _XOPEN_SOURCE 700
#include "internet.h"
#include "system.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#ifndef MSG_NOSIGNAL
#define MSG_NOSIGNAL 0 // macOS, where a datagram raises no SIGPIPE either
#endif

enum { MAX_WAIT_SOCKETS = 16 };

uint64_t raim_system_now_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

uint32_t raim_system_resolve(const char *host, uint16_t port, bool is_numeric,
                             struct raim_address *addresses, uint32_t capacity)
{
    return raim_internet_resolve(host, port, is_numeric, addresses, capacity);
}

static int open_socket(int family)
{
    const int number = socket(family, SOCK_DGRAM, 0);
    if (number >= 0 && (fcntl(number, F_SETFD, FD_CLOEXEC) != 0 ||
                        fcntl(number, F_SETFL, fcntl(number, F_GETFL) | O_NONBLOCK) != 0)) {
        close(number);
        return -1;
    }
    return number;
}

raim_socket raim_system_open_udp(const struct raim_address *address)
{
    struct sockaddr_storage to;
    const socklen_t size = (socklen_t)raim_internet_write(address, &to);
    const int number = open_socket(address->is_ipv6 ? AF_INET6 : AF_INET);
    if (number >= 0 && connect(number, (const struct sockaddr *)&to, size) != 0) {
        close(number);
        return RAIM_NO_SOCKET;
    }
    return number;
}

void raim_system_close(raim_socket socket)
{
    if (socket != RAIM_NO_SOCKET)
        close((int)socket);
}

bool raim_system_send(raim_socket socket, const uint8_t *data, size_t size)
{
    struct iovec part = {(void *)data, size};
    const struct msghdr header = {.msg_iov = &part, .msg_iovlen = 1};
    ssize_t sent = sendmsg((int)socket, &header, MSG_NOSIGNAL);
    // An error of an earlier datagram, which an ICMP message has reported, is not of this one.
    if (sent < 0 && errno == ECONNREFUSED)
        sent = sendmsg((int)socket, &header, MSG_NOSIGNAL);
    return sent >= 0;
}

enum raim_received raim_system_receive(raim_socket socket, uint8_t *data, size_t capacity,
                                       size_t *size)
{
    struct iovec part = {data, capacity};
    struct msghdr header = {.msg_iov = &part, .msg_iovlen = 1};
    const ssize_t got = recvmsg((int)socket, &header, MSG_DONTWAIT);
    *size = got > 0 ? (size_t)got : 0;
    if (got < 0)
        return errno == EAGAIN || errno == EWOULDBLOCK ? RAIM_RECEIVED_NOTHING
                                                       : RAIM_RECEIVED_ERROR;
    return (header.msg_flags & MSG_TRUNC) == 0 ? RAIM_RECEIVED_DATAGRAM : RAIM_RECEIVED_ERROR;
}

void raim_system_wait(const raim_socket *sockets, uint32_t count, uint64_t timeout_us)
{
    struct pollfd polled[MAX_WAIT_SOCKETS];
    const struct timespec timeout = {.tv_sec = (time_t)(timeout_us / 1000000),
                                     .tv_nsec = (long)(timeout_us % 1000000 * 1000)};
    assert(count <= MAX_WAIT_SOCKETS);
    for (uint32_t i = 0; i < count; i++)
        polled[i] = (struct pollfd){.fd = (int)sockets[i], .events = POLLIN};
#ifdef __APPLE__ // has no ppoll
    (void)timeout;
    poll(polled, count, (int)((timeout_us + 999) / 1000));
#else
    ppoll(polled, count, &timeout, NULL);
#endif
}

struct raim_thread {
    pthread_t thread;
    void (*run)(void *context);
    void *context;
};

static void *run_thread(void *data)
{
    const struct raim_thread *thread = data;
    thread->run(thread->context);
    return NULL;
}

static void *run_detached_thread(void *data)
{
    const struct raim_thread thread = *(struct raim_thread *)data;
    free(data);
    thread.run(thread.context);
    return NULL;
}

// The signals of the process are for the application's own threads.
static bool start(struct raim_thread *thread, const pthread_attr_t *attributes,
                  void *(*run)(void *))
{
    sigset_t all, before;
    pthread_t number;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const bool good = pthread_create(&number, attributes, run, thread) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (good && attributes == NULL)
        thread->thread = number;
    return good;
}

static struct raim_thread *allocate_thread(void (*run)(void *context), void *context)
{
    struct raim_thread *thread = calloc(1, sizeof *thread);
    if (thread == NULL)
        return NULL;
    thread->run = run;
    thread->context = context;
    return thread;
}

struct raim_thread *raim_system_start_thread(void (*run)(void *context), void *context)
{
    struct raim_thread *thread = allocate_thread(run, context);
    if (thread == NULL || start(thread, NULL, run_thread))
        return thread;
    free(thread);
    return NULL;
}

void raim_system_join_thread(struct raim_thread *thread)
{
    pthread_join(thread->thread, NULL);
    free(thread);
}

bool raim_system_start_detached_thread(void (*run)(void *context), void *context)
{
    pthread_attr_t attributes;
    struct raim_thread *thread = allocate_thread(run, context);
    if (thread == NULL || pthread_attr_init(&attributes) != 0) {
        free(thread);
        return false;
    }
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    const bool good = start(thread, &attributes, run_detached_thread);
    pthread_attr_destroy(&attributes);
    if (!good)
        free(thread);
    return good;
}

struct raim_mutex {
    pthread_mutex_t mutex;
};

struct raim_mutex *raim_system_create_mutex(void)
{
    struct raim_mutex *mutex = calloc(1, sizeof *mutex);
    pthread_mutexattr_t attributes;
    if (mutex == NULL || pthread_mutexattr_init(&attributes) != 0) {
        free(mutex);
        return NULL;
    }
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
    const bool good = pthread_mutex_init(&mutex->mutex, &attributes) == 0;
    pthread_mutexattr_destroy(&attributes);
    if (good)
        return mutex;
    free(mutex);
    return NULL;
}

void raim_system_destroy_mutex(struct raim_mutex *mutex)
{
    if (mutex == NULL)
        return;
    pthread_mutex_destroy(&mutex->mutex);
    free(mutex);
}

void raim_system_lock(struct raim_mutex *mutex)
{
    pthread_mutex_lock(&mutex->mutex);
}

void raim_system_unlock(struct raim_mutex *mutex)
{
    pthread_mutex_unlock(&mutex->mutex);
}

bool raim_private_file_path(const char *name, char *path, size_t capacity)
{
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    int length = -1;
    // The XDG Base Directory Specification says that a relative path is ignored.
    if (state != NULL && state[0] == '/')
        length = snprintf(path, capacity, "%s/%s", state, name);
    else if (home != NULL && home[0] == '/')
        length = snprintf(path, capacity, "%s/.local/state/%s", home, name);
    return length > 0 && (size_t)length < capacity;
}

char *raim_private_file_read(const char *path, size_t most)
{
    const int file = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (file < 0)
        return errno == ENOENT ? calloc(1, 1) : NULL;
    char *text = calloc(1, most + 1);
    size_t size = 0;
    ssize_t got = text == NULL ? -1 : 1;
    while (got > 0 && size < most) {
        got = read(file, text + size, most - size);
        size += got > 0 ? (size_t)got : 0;
    }
    const int error = got < 0 ? errno : size == most ? EFBIG : 0;
    close(file);
    if (error == 0)
        return text;
    free(text);
    errno = error;
    return NULL;
}

// Makes the directories that a path names. The path is as before afterwards.
static void make_parents(char *path)
{
    for (char *slash = strchr(path + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(path, 0700);
        *slash = '/';
    }
}

bool raim_private_file_replace(const char *path, const char *text)
{
    char temporary[PATH_MAX];
    if (snprintf(temporary, sizeof temporary, "%s.new", path) >= (int)sizeof temporary) {
        errno = ENAMETOOLONG;
        return false;
    }
    make_parents(temporary);
    unlink(temporary); // left by a program that was interrupted
    const int file = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    FILE *out = file >= 0 ? fdopen(file, "w") : NULL;
    if (out == NULL)
        return false;
    bool good = fputs(text, out) >= 0 && fflush(out) == 0 && fsync(file) == 0;
    if (fclose(out) != 0)
        good = false;
    good = good && rename(temporary, path) == 0;
    const int error = errno;
    if (!good)
        unlink(temporary);
    errno = error;
    return good;
}
