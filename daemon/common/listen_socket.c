// SPDX-License-Identifier: MIT
// Binds TCP and Unix stream sockets and listens on them.
#define _GNU_SOURCE // SOCK_CLOEXEC
#include "listen_socket.h"

#include "socket_address.h"

#include <assert.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define BACKLOG 1024 // connections are accepted faster than a flood fills this

int listen_socket_tcp(const char *address, uint16_t port, char *error, size_t capacity)
{
    const int descriptor = socket_address_open(address, port, SOCK_STREAM, error, capacity);
    if (descriptor < 0 || listen(descriptor, BACKLOG) == 0)
        return descriptor;
    snprintf(error, capacity, "cannot listen on tcp %s port %u: %s", address, port,
             strerror(errno));
    close(descriptor);
    return -1;
}

uint16_t listen_socket_port(int descriptor)
{
    union socket_address name;
    const bool good = socket_address_of(descriptor, &name);
    assert(good);
    return socket_address_port(&name);
}

// Removes the socket of a killed raimd: one that refuses connections. False with a reason if
// anything else is at the path.
static bool remove_stale_socket(const char *path, const struct sockaddr_un *name, char *error,
                                size_t capacity)
{
    struct stat status;
    if (lstat(path, &status) != 0)
        return true;
    const int probe = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const bool answers = connect(probe, (const struct sockaddr *)name, sizeof *name) == 0;
    const bool is_stale = S_ISSOCK(status.st_mode) && !answers && errno == ECONNREFUSED;
    if (probe >= 0)
        close(probe);
    if (is_stale && unlink(path) == 0)
        return true;
    snprintf(error, capacity, "cannot bind \"%s\": %s", path,
             answers ? "another program listens there" : "the path is in use by another file");
    return false;
}

// fchmod before bind creates the socket with mode 0600; the final mode is set when it listens.
int listen_socket_unix(const char *path, char *error, size_t capacity)
{
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    assert(strlen(path) < sizeof name.sun_path);
    strcpy(name.sun_path, path);
    if (!remove_stale_socket(path, &name, error, capacity))
        return -1;
    const int descriptor = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (descriptor < 0 || fchmod(descriptor, 0600) != 0 ||
        bind(descriptor, (const struct sockaddr *)&name, sizeof name) != 0 ||
        listen(descriptor, BACKLOG) != 0 || chmod(path, 0660) != 0) {
        snprintf(error, capacity, "cannot bind \"%s\": %s", path, strerror(errno));
        if (descriptor >= 0)
            close(descriptor);
        return -1;
    }
    return descriptor;
}
