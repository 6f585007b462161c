// SPDX-License-Identifier: MIT
// Parses, prints, compares and binds addresses.
#define _GNU_SOURCE // SOCK_CLOEXEC
#define _GNU_SOURCE // be64toh
#include "socket_address.h"

#include "log.h"

#include <arpa/inet.h>
#include <assert.h>
#include <endian.h>
#include <errno.h>
#include <net/if.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

// The interface of a link-local address, by its name or its number; 0: none.
static uint32_t find_interface(const char *name)
{
    const size_t digits = strspn(name, "0123456789");
    if (name[digits] != '\0')
        return if_nametoindex(name);
    unsigned number = 0;
    return digits <= 9 && sscanf(name, "%9u", &number) == 1 ? number : 0;
}

static bool parse_v6(char *text, struct sockaddr_in6 *address)
{
    char *interface = strchr(text, '%');
    if (interface != NULL)
        *interface++ = '\0';
    if (inet_pton(AF_INET6, text, &address->sin6_addr) != 1 ||
        IN6_IS_ADDR_V4MAPPED(&address->sin6_addr))
        return false;
    if (IN6_IS_ADDR_LINKLOCAL(&address->sin6_addr) != (interface != NULL))
        return false;
    if (interface != NULL)
        address->sin6_scope_id = find_interface(interface);
    return interface == NULL || address->sin6_scope_id != 0;
}

bool socket_address_parse(const char *text, uint16_t port, union socket_address *address)
{
    char copy[SOCKET_ADDRESS_BYTES];
    size_t length = strlen(text);
    memset(address, 0, sizeof *address);
    if (inet_pton(AF_INET, text, &address->v4.sin_addr) == 1) {
        address->v4.sin_family = AF_INET;
        address->v4.sin_port = htons(port);
        return true;
    }
    const bool has_brackets = length >= 2 && text[0] == '[' && text[length - 1] == ']';
    if (has_brackets) {
        text++;
        length -= 2;
    }
    if (length >= sizeof copy)
        return false;
    memcpy(copy, text, length);
    copy[length] = '\0';
    address->v6.sin6_family = AF_INET6;
    address->v6.sin6_port = htons(port);
    return parse_v6(copy, &address->v6);
}

socklen_t socket_address_size(const union socket_address *address)
{
    return address->any.sa_family == AF_INET6 ? sizeof address->v6 : sizeof address->v4;
}

uint16_t socket_address_port(const union socket_address *address)
{
    return ntohs(address->any.sa_family == AF_INET6 ? address->v6.sin6_port : address->v4.sin_port);
}

static bool is_same_host(const union socket_address *a, const union socket_address *b)
{
    if (a->any.sa_family != b->any.sa_family)
        return false;
    if (a->any.sa_family == AF_INET)
        return a->v4.sin_addr.s_addr == b->v4.sin_addr.s_addr;
    return IN6_ARE_ADDR_EQUAL(&a->v6.sin6_addr, &b->v6.sin6_addr) &&
           a->v6.sin6_scope_id == b->v6.sin6_scope_id;
}

bool socket_address_equal(const union socket_address *a, const union socket_address *b)
{
    return is_same_host(a, b) && socket_address_port(a) == socket_address_port(b);
}

// Whether an address is every one of its family, and for "::" of the other, too.
static bool covers(const union socket_address *any, const union socket_address *other)
{
    return any->any.sa_family == AF_INET6
               ? IN6_IS_ADDR_UNSPECIFIED(&any->v6.sin6_addr)
               : any->v4.sin_addr.s_addr == INADDR_ANY && other->any.sa_family == AF_INET;
}

bool socket_address_overlaps(const union socket_address *a, const union socket_address *b)
{
    return is_same_host(a, b) || covers(a, b) || covers(b, a);
}

bool socket_address_is_loopback(const union socket_address *address)
{
    return address->any.sa_family == AF_INET6
               ? IN6_IS_ADDR_LOOPBACK(&address->v6.sin6_addr)
               : ntohl(address->v4.sin_addr.s_addr) >> 24 == IN_LOOPBACKNET;
}

void socket_address_print_host(const union socket_address *address, char text[SOCKET_ADDRESS_BYTES])
{
    if (address->any.sa_family == AF_INET) {
        inet_ntop(AF_INET, &address->v4.sin_addr, text, SOCKET_ADDRESS_BYTES);
        return;
    }
    inet_ntop(AF_INET6, &address->v6.sin6_addr, text, SOCKET_ADDRESS_BYTES);
    const unsigned scope = address->v6.sin6_scope_id;
    const size_t length = strlen(text);
    if (scope != 0)
        snprintf(text + length, SOCKET_ADDRESS_BYTES - length, "%%%u", scope);
}

void socket_address_print(const union socket_address *address, char text[SOCKET_ADDRESS_PORT_BYTES])
{
    char host[SOCKET_ADDRESS_BYTES];
    socket_address_print_host(address, host);
    snprintf(text, SOCKET_ADDRESS_PORT_BYTES,
             address->any.sa_family == AF_INET6 ? "[%s]:%u" : "%s:%u", host,
             (unsigned)socket_address_port(address));
}

bool socket_address_of(int descriptor, union socket_address *address)
{
    socklen_t size = sizeof *address;
    memset(address, 0, sizeof *address);
    if (getsockname(descriptor, &address->any, &size) != 0)
        return false;
    errno = EAFNOSUPPORT;
    return address->any.sa_family == AF_INET || address->any.sa_family == AF_INET6;
}

static int bind_socket(const union socket_address *address, int type)
{
    const int on = 1, off = 0;
    const int family = address->any.sa_family;
    const int descriptor = socket(family, type | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (descriptor < 0)
        return -1;
    // Without SO_REUSEADDR the kernel rejects the TCP port of a raimd that has just ended.
    if ((type == SOCK_STREAM &&
         setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) != 0) ||
        (family == AF_INET6 &&
         setsockopt(descriptor, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off) != 0) ||
        bind(descriptor, &address->any, socket_address_size(address)) != 0) {
        const int error = errno;
        close(descriptor);
        errno = error;
        return -1;
    }
    return descriptor;
}

int socket_address_bind(const union socket_address *address, int type)
{
    const int descriptor = bind_socket(address, type);
    if (descriptor >= 0 || errno != EAFNOSUPPORT || address->any.sa_family != AF_INET6 ||
        !IN6_IS_ADDR_UNSPECIFIED(&address->v6.sin6_addr))
        return descriptor;
    const union socket_address v4 = {
        .v4 = {.sin_family = AF_INET, .sin_port = address->v6.sin6_port}};
    log_warning("socket port=%u: this machine has no IPv6, \"::\" is 0.0.0.0 here",
                socket_address_port(address));
    return bind_socket(&v4, type);
}

int socket_address_open(const char *address, uint16_t port, int type, char *error, size_t capacity)
{
    const char *protocol = type == SOCK_DGRAM ? "udp" : "tcp";
    union socket_address name;
    char text[SOCKET_ADDRESS_PORT_BYTES];
    if (!socket_address_parse(address, port, &name)) {
        snprintf(error, capacity, "cannot bind %s %s port %u: not an IPv4 or IPv6 address",
                 protocol, address, (unsigned)port);
        return -1;
    }
    const int descriptor = socket_address_bind(&name, type);
    if (descriptor >= 0)
        return descriptor;
    const int problem = errno;
    const bool is_privileged = problem == EACCES && port > 0 && port < IPPORT_RESERVED;
    socket_address_print(&name, text);
    snprintf(error, capacity, "cannot bind %s %s: %s%s", protocol, text, strerror(problem),
             is_privileged ? "; a port below 1024 takes CAP_NET_BIND_SERVICE, by "
                             "privileged-ports.conf under systemd or by setcap(8): raimd(8), "
                             "PRIVILEGED PORTS"
                           : "");
    return -1;
}

struct udp_address socket_udp_read(const struct sockaddr *address)
{
    if (address->sa_family == AF_INET) {
        const struct sockaddr_in *v4 = (const struct sockaddr_in *)address;
        return udp_address_v4(ntohl(v4->sin_addr.s_addr), ntohs(v4->sin_port));
    }
    if (address->sa_family != AF_INET6)
        return (struct udp_address){0};
    const struct sockaddr_in6 *v6 = (const struct sockaddr_in6 *)address;
    uint64_t parts[2];
    memcpy(parts, &v6->sin6_addr, sizeof parts);
    return (struct udp_address){
        .ip = {be64toh(parts[0]), be64toh(parts[1])},
        .scope = v6->sin6_scope_id,
        .port = ntohs(v6->sin6_port),
    };
}

void socket_udp_write(struct udp_address from, int family, union socket_address *address)
{
    if (family == AF_INET) {
        address->v4.sin_family = AF_INET;
        address->v4.sin_port = htons(from.port);
        address->v4.sin_addr.s_addr = htonl((uint32_t)from.ip.low);
        return;
    }
    const uint64_t parts[] = {htobe64(from.ip.high), htobe64(from.ip.low)};
    address->v6.sin6_family = AF_INET6;
    address->v6.sin6_port = htons(from.port);
    address->v6.sin6_scope_id = from.scope;
    memcpy(&address->v6.sin6_addr, parts, sizeof parts);
}

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

void listen_socket_log(const char *before, const char *address, uint16_t port, const char *behind)
{
    const bool has_brackets = strchr(address, ':') != NULL;
    log_info(has_brackets ? "%s[%s]:%u%s" : "%s%s:%u%s", before, address, port, behind);
}

// Removes the socket of a killed raimd: one that rejects connections. False with a reason if
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
