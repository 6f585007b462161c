// SPDX-License-Identifier: MIT
// Fuzzes socket activation: any environment and descriptors of any kind. Only bound UDP sockets
// are found, each by its own address and port.
#define _GNU_SOURCE
#include "fuzz.h"

#include "log.h"
#include "systemd.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

enum { FIRST = 3, SLOTS = 5 };

// In place of the log, which would fill the screen.
void log_init(void)
{
}

bool log_is_journal(void)
{
    return false;
}

void log_write(enum log_level level, const struct log_subject *subject, const char *format, ...)
{
    (void)level, (void)subject;
    char line[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
}

// A descriptor of a kind; -1 for none.
static int make(unsigned kind)
{
    const struct sockaddr_in loopback = {.sin_family = AF_INET,
                                         .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    const struct sockaddr_in6 loopback_v6 = {.sin6_family = AF_INET6,
                                             .sin6_addr = IN6ADDR_LOOPBACK_INIT};
    int made = -1;
    switch (kind % 8) {
    case 0:
    case 1:
        made = socket(AF_INET, SOCK_DGRAM, 0);
        if (bind(made, (const struct sockaddr *)&loopback, sizeof loopback) != 0)
            abort();
        break;
    case 2:
        made = socket(AF_INET, SOCK_DGRAM, 0); // bound to nothing
        break;
    case 3:
        made = socket(AF_INET, SOCK_STREAM, 0);
        break;
    case 4:
        made = socket(AF_INET6, SOCK_DGRAM, 0);
        break;
    case 5:
        made = socket(AF_INET6, SOCK_DGRAM, 0);
        // Not everywhere is there IPv6: then it stays unbound, or there is none.
        if (made >= 0)
            bind(made, (const struct sockaddr *)&loopback_v6, sizeof loopback_v6);
        break;
    case 6:
        made = open("/dev/null", O_RDONLY);
        break;
    default:
        break;
    }
    return made;
}

static void check_found(struct socket_activation *passed)
{
    for (int i = 0; i < passed->count; i++) {
        const struct activated_socket *socket = &passed->sockets[i];
        char address[SOCKET_ADDRESS_BYTES];
        union socket_address bound;
        const uint16_t port = socket_address_port(&socket->address);
        socket_address_print_host(&socket->address, address);
        const int found = socket_activation_find(passed, address, port);
        assert(found >= 0 && socket->used && port != 0);
        assert(socket_address_of(found, &bound) && socket_address_equal(&bound, &socket->address));
        close(found);
    }
}

// An input: the kinds of five descriptors, how LISTEN_PID is wrong, then LISTEN_FDS as text.
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_input input = {data, size};
    char count[32] = "", pid[32];
    int kept[SLOTS];
    for (int i = 0; i < SLOTS; i++)
        kept[i] = fcntl(FIRST + i, F_DUPFD_CLOEXEC, 100); // whatever the process has there
    for (int i = 0; i < SLOTS; i++) {
        const int made = make(fuzz_byte(&input));
        if (made >= 0 && made != FIRST + i) {
            dup2(made, FIRST + i);
            close(made);
        } else if (made < 0) {
            close(FIRST + i);
        }
    }
    const uint8_t stranger = fuzz_byte(&input);
    snprintf(pid, sizeof pid, "%s%d%s", stranger % 8 == 7 ? " " : "",
             (int)getpid() + (stranger % 8 == 6), stranger % 8 == 5 ? "x" : "");
    size_t taken;
    const uint8_t *text = fuzz_block(&input, sizeof count - 1, &taken);
    memcpy(count, text, taken);
    setenv("LISTEN_PID", pid, 1);
    setenv("LISTEN_FDS", count, 1);
    static struct socket_activation passed;
    socket_activation_init(&passed);
    assert(passed.count <= SLOTS && getenv("LISTEN_FDS") == NULL);
    assert(socket_activation_find(&passed, "no address", 1) == -1);
    assert(socket_activation_find(&passed, "192.0.2.1", 1) == -1);
    check_found(&passed);
    socket_activation_warn_unused(&passed);
    for (int i = 0; i < SLOTS; i++) {
        close(FIRST + i);
        if (kept[i] >= 0) {
            dup2(kept[i], FIRST + i);
            close(kept[i]);
        }
    }
    return 0;
}
