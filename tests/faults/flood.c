// SPDX-License-Identifier: MIT
// Sends one datagram from each of many addresses to a port of 127.0.0.1, again and again, until its
// standard input ends: fault_flood PORT RATE. RATE is in datagrams a second, 0: as many as it can.
// A line of the standard input is an address and a datagram in hexadecimal; an empty line begins
// the flood. Prints the number sent.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { SOURCES = 1024, BYTES = 256, AT_ONCE = 8 };

static struct source {
    int socket;
    struct iovec datagram;
    uint8_t bytes[BYTES];
} sources[SOURCES];

static void fail(const char *what)
{
    perror(what);
    exit(1);
}

static void open_source(struct source *source, const char *address, const char *digits, int port)
{
    struct sockaddr_in from = {.sin_family = AF_INET}, to = {.sin_family = AF_INET};
    unsigned byte;
    size_t size = 0;
    inet_pton(AF_INET, address, &from.sin_addr);
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    to.sin_port = htons((uint16_t)port);
    source->socket = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK, 0);
    if (source->socket < 0 ||
        bind(source->socket, (const struct sockaddr *)&from, sizeof from) != 0 ||
        connect(source->socket, (const struct sockaddr *)&to, sizeof to) != 0)
        fail(address);
    while (size < BYTES && sscanf(digits + 2 * size, "%2x", &byte) == 1)
        source->bytes[size++] = (uint8_t)byte;
    source->datagram = (struct iovec){source->bytes, size};
}

static int64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * INT64_C(1000) + now.tv_nsec / 1000000;
}

static bool is_over(int wait_ms)
{
    struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
    return poll(&input, 1, wait_ms) != 0;
}

int main(int argc, char **argv)
{
    static char line[2 * BYTES + 64], address[64], digits[2 * BYTES + 1];
    static struct mmsghdr messages[AT_ONCE];
    int count = 0;
    int64_t sent = 0;
    if (argc != 3)
        return 2;
    const int64_t rate = atoi(argv[2]), begun_ms = now_ms();
    setvbuf(stdin, NULL, _IONBF, 0);
    while (count < SOURCES && fgets(line, sizeof line, stdin) != NULL &&
           sscanf(line, "%63s %512s", address, digits) == 2)
        open_source(&sources[count++], address, digits, atoi(argv[1]));
    for (int wait_ms = 0; !is_over(wait_ms);) {
        wait_ms = rate > 0 && sent > (now_ms() - begun_ms) * rate / 1000;
        if (wait_ms > 0)
            continue;
        for (int i = 0; i < count; i++) {
            for (int j = 0; j < AT_ONCE; j++)
                messages[j].msg_hdr =
                    (struct msghdr){.msg_iov = &sources[i].datagram, .msg_iovlen = 1};
            const int done = sendmmsg(sources[i].socket, messages, AT_ONCE, 0);
            sent += done > 0 ? done : 0;
        }
    }
    printf("%lld\n", (long long)sent);
    return 0;
}
