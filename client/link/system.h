// SPDX-License-Identifier: MIT
// Everything that the client library asks the operating system for: a steady clock, addresses of
// hosts, UDP sockets, threads, mutexes and files. system_posix.c and system_windows.c implement it.
// Thread rule: any thread may call any function; a socket belongs to one thread at a time.
#pragma once

#include "raim_address.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Microseconds of a clock that never goes back.
uint64_t raim_system_now_us(void);

// --- Addresses ---

// Writes the addresses of a host in the system's order of preference and returns their number; 0:
// there are none. Of a numeric address it returns at once, and with `is_numeric` any other host has
// no addresses; otherwise a name may take seconds.
uint32_t raim_system_resolve(const char *host, uint16_t port, bool is_numeric,
                             struct raim_address *addresses, uint32_t capacity);

// --- UDP sockets, which never block ---

typedef intptr_t raim_socket;
#define RAIM_NO_SOCKET ((raim_socket)-1)

// Opens a socket for datagrams to and from one address. RAIM_NO_SOCKET where the system has no
// route to it or no socket.
raim_socket raim_system_open_udp(const struct raim_address *address);

// RAIM_NO_SOCKET is fine.
void raim_system_close(raim_socket socket);

// False where the datagram is lost at once.
bool raim_system_send(raim_socket socket, const uint8_t *data, size_t size);

enum raim_received {
    RAIM_RECEIVED_NOTHING,  // no datagram waits
    RAIM_RECEIVED_DATAGRAM, // of `size` bytes, 0 or more
    RAIM_RECEIVED_ERROR,    // of an earlier datagram sent (ICMP), or one larger than `capacity`
    RAIM_RECEIVED_LOSS,     // the server has lost this socket; another one may reach it
};

// Takes a datagram, or an error, from the socket.
enum raim_received raim_system_receive(raim_socket socket, uint8_t *data, size_t capacity,
                                       size_t *size);

// Waits until a datagram comes to one of at most 16 sockets, or for a time.
void raim_system_wait(const raim_socket *sockets, uint32_t count, uint64_t timeout_us);

// --- Threads ---

struct raim_thread;

// Starts a thread, which receives no signals. NULL if the system provides none. Joining waits for
// its end and frees it.
struct raim_thread *raim_system_start_thread(void (*run)(void *context), void *context);
void raim_system_join_thread(struct raim_thread *thread);

// Starts a thread that nobody joins. False if the system provides none.
bool raim_system_start_detached_thread(void (*run)(void *context), void *context);

// A mutex that its owner may lock again. NULL when memory runs out; destroying takes NULL.
struct raim_mutex;
struct raim_mutex *raim_system_create_mutex(void);
void raim_system_destroy_mutex(struct raim_mutex *mutex);
void raim_system_lock(struct raim_mutex *mutex);
void raim_system_unlock(struct raim_mutex *mutex);

// Small text files that belong to the user alone: reads one as a whole, and replaces one
// atomically. Windows takes paths in the code page of the process. Two threads must not replace one
// file at once.

// Writes the path of a file below the user's directory for state: $XDG_STATE_HOME or
// ~/.local/state, on Windows %LOCALAPPDATA%. False where none is set, or for a longer path.
bool raim_private_file_path(const char *name, char *path, size_t capacity);

// Returns the text of the file, to be freed; "" where the file does not exist. NULL with errno
// where it cannot be read, is a symbolic link, or has `most` bytes or more.
char *raim_private_file_read(const char *path, size_t most);

// Replaces the file, or creates it and the directories above it, all accessible to the user alone.
// A concurrent reader gets the old text or the new one. Returns false with errno.
bool raim_private_file_replace(const char *path, const char *text);
