// SPDX-License-Identifier: MIT
// Implements system.h with Winsock and the threads of Windows 7 and later.
#define _WIN32_WINNT 0x0601
#include "internet.h"
#include "system.h"

#include <assert.h>
#include <direct.h>
#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <process.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <windows.h>

enum { MAX_WAIT_SOCKETS = 16 };

uint64_t raim_system_now_us(void)
{
    LARGE_INTEGER frequency, now;
    QueryPerformanceFrequency(&frequency);
    QueryPerformanceCounter(&now);
    const uint64_t per_s = (uint64_t)frequency.QuadPart, count = (uint64_t)now.QuadPart;
    return count / per_s * 1000000 + count % per_s * 1000000 / per_s;
}

static BOOL CALLBACK start_winsock_once(INIT_ONCE *once, void *parameter, void **context)
{
    WSADATA data;
    (void)once;
    (void)parameter;
    (void)context;
    return WSAStartup(MAKEWORD(2, 2), &data) == 0;
}

// Before anything is asked of Winsock. It ends with the process.
static bool start_winsock(void)
{
    static INIT_ONCE once = INIT_ONCE_STATIC_INIT;
    return InitOnceExecuteOnce(&once, start_winsock_once, NULL, NULL);
}

uint32_t raim_system_resolve(const char *host, uint16_t port, bool is_numeric,
                             struct raim_address *addresses, uint32_t capacity)
{
    return start_winsock() ? raim_internet_resolve(host, port, is_numeric, addresses, capacity) : 0;
}

static SOCKET open_socket(int family)
{
    u_long non_blocking = 1;
    if (!start_winsock())
        return INVALID_SOCKET;
    const SOCKET number = WSASocketW(family, SOCK_DGRAM, IPPROTO_UDP, NULL, 0,
                                     WSA_FLAG_OVERLAPPED | WSA_FLAG_NO_HANDLE_INHERIT);
    if (number != INVALID_SOCKET && ioctlsocket(number, (long)FIONBIO, &non_blocking) != 0) {
        closesocket(number);
        return INVALID_SOCKET;
    }
    return number;
}

raim_socket raim_system_open_udp(const struct raim_address *address)
{
    struct sockaddr_storage to;
    const int size = raim_internet_write(address, &to);
    const SOCKET number = open_socket(address->is_ipv6 ? AF_INET6 : AF_INET);
    if (number != INVALID_SOCKET && connect(number, (const struct sockaddr *)&to, size) != 0) {
        closesocket(number);
        return RAIM_NO_SOCKET;
    }
    return (raim_socket)number;
}

void raim_system_close(raim_socket socket)
{
    if (socket != RAIM_NO_SOCKET)
        closesocket((SOCKET)socket);
}

bool raim_system_send(raim_socket socket, const uint8_t *data, size_t size)
{
    return send((SOCKET)socket, (const char *)data, (int)size, 0) != SOCKET_ERROR;
}

enum raim_received raim_system_receive(raim_socket socket, uint8_t *data, size_t capacity,
                                       size_t *size)
{
    const int got = recv((SOCKET)socket, (char *)data, (int)capacity, 0);
    *size = got > 0 ? (size_t)got : 0;
    // An ICMP message of an earlier datagram is WSAECONNRESET, a larger datagram WSAEMSGSIZE.
    if (got == SOCKET_ERROR)
        return WSAGetLastError() == WSAEWOULDBLOCK ? RAIM_RECEIVED_NOTHING : RAIM_RECEIVED_ERROR;
    return RAIM_RECEIVED_DATAGRAM;
}

void raim_system_wait(const raim_socket *sockets, uint32_t count, uint64_t timeout_us)
{
    struct fd_set readable = {.fd_count = count};
    struct timeval timeout = {.tv_sec = (long)(timeout_us / 1000000),
                              .tv_usec = (long)(timeout_us % 1000000)};
    assert(count <= MAX_WAIT_SOCKETS);
    if (count == 0) { // which select does not accept
        Sleep((DWORD)((timeout_us + 999) / 1000));
        return;
    }
    for (uint32_t i = 0; i < count; i++)
        readable.fd_array[i] = (SOCKET)sockets[i];
    select(0, &readable, NULL, NULL, &timeout);
}

struct raim_thread {
    HANDLE handle;
    void (*run)(void *context);
    void *context;
};

static unsigned __stdcall run_thread(void *data)
{
    const struct raim_thread *thread = data;
    thread->run(thread->context);
    return 0;
}

static unsigned __stdcall run_detached_thread(void *data)
{
    const struct raim_thread thread = *(struct raim_thread *)data;
    free(data);
    thread.run(thread.context);
    return 0;
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
    if (thread == NULL)
        return NULL;
    thread->handle = (HANDLE)_beginthreadex(NULL, 0, run_thread, thread, 0, NULL);
    if (thread->handle != NULL)
        return thread;
    free(thread);
    return NULL;
}

void raim_system_join_thread(struct raim_thread *thread)
{
    WaitForSingleObject(thread->handle, INFINITE);
    CloseHandle(thread->handle);
    free(thread);
}

bool raim_system_start_detached_thread(void (*run)(void *context), void *context)
{
    struct raim_thread *thread = allocate_thread(run, context);
    if (thread == NULL)
        return false;
    const HANDLE handle = (HANDLE)_beginthreadex(NULL, 0, run_detached_thread, thread, 0, NULL);
    if (handle == NULL)
        free(thread);
    else
        CloseHandle(handle);
    return handle != NULL;
}

struct raim_mutex {
    CRITICAL_SECTION section; // which its owner may enter again
};

struct raim_mutex *raim_system_create_mutex(void)
{
    struct raim_mutex *mutex = calloc(1, sizeof *mutex);
    if (mutex != NULL)
        InitializeCriticalSection(&mutex->section);
    return mutex;
}

void raim_system_destroy_mutex(struct raim_mutex *mutex)
{
    if (mutex == NULL)
        return;
    DeleteCriticalSection(&mutex->section);
    free(mutex);
}

void raim_system_lock(struct raim_mutex *mutex)
{
    EnterCriticalSection(&mutex->section);
}

void raim_system_unlock(struct raim_mutex *mutex)
{
    LeaveCriticalSection(&mutex->section);
}

bool raim_private_file_path(const char *name, char *path, size_t capacity)
{
    const char *state = getenv("LOCALAPPDATA");
    const int length = state != NULL ? snprintf(path, capacity, "%s/%s", state, name) : -1;
    return length > 0 && (size_t)length < capacity;
}

static bool is_link(const char *path)
{
    const DWORD attributes = GetFileAttributesA(path);
    return attributes != INVALID_FILE_ATTRIBUTES && (attributes & FILE_ATTRIBUTE_REPARSE_POINT);
}

char *raim_private_file_read(const char *path, size_t most)
{
    if (is_link(path)) {
        errno = EACCES;
        return NULL;
    }
    const int file = _open(path, _O_RDONLY | _O_BINARY | _O_NOINHERIT);
    if (file < 0)
        return errno == ENOENT ? calloc(1, 1) : NULL;
    char *text = calloc(1, most + 1);
    size_t size = 0;
    int got = text == NULL ? -1 : 1;
    while (got > 0 && size < most) {
        got = _read(file, text + size, (unsigned)(most - size));
        size += got > 0 ? (size_t)got : 0;
    }
    const int error = got < 0 ? errno : size == most ? EFBIG : 0;
    _close(file);
    if (error == 0)
        return text;
    free(text);
    errno = error;
    return NULL;
}

static void make_parents(const char *path)
{
    char parent[MAX_PATH];
    if (strlen(path) >= sizeof parent)
        return;
    strcpy(parent, path);
    for (char *at = parent + 1; *at != '\0'; at++) {
        const char separator = *at;
        if (separator != '/' && separator != '\\')
            continue;
        *at = '\0';
        _mkdir(parent);
        *at = separator;
    }
}

bool raim_private_file_replace(const char *path, const char *text)
{
    char temporary[MAX_PATH];
    if (snprintf(temporary, sizeof temporary, "%s.new", path) >= (int)sizeof temporary) {
        errno = ENAMETOOLONG;
        return false;
    }
    make_parents(path);
    _unlink(temporary); // left by a program that was interrupted
    const int file = _open(temporary, _O_WRONLY | _O_CREAT | _O_EXCL | _O_BINARY | _O_NOINHERIT,
                           _S_IREAD | _S_IWRITE);
    FILE *out = file >= 0 ? _fdopen(file, "wb") : NULL;
    if (out == NULL)
        return false;
    bool good = fputs(text, out) >= 0 && fflush(out) == 0 && _commit(file) == 0;
    if (fclose(out) != 0)
        good = false;
    int error = errno;
    if (good && !MoveFileExA(temporary, path, MOVEFILE_REPLACE_EXISTING | MOVEFILE_WRITE_THROUGH)) {
        good = false;
        error = EACCES;
    }
    if (!good)
        _unlink(temporary);
    errno = error;
    return good;
}
