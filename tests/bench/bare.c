// SPDX-License-Identifier: MIT
// The least that moving a game's datagrams can cost: a loop driven by a 60 Hz timer that answers
// every datagram, and the load for it, which drains its sockets on a timer too. Loopback only.
//
//   bench_bare serve REPLY_BYTES WARMUP_S WINDOW_S
//     Calls recvfrom and sendto for each datagram. Prints "port=N", waits for the first datagram,
//     and after the warm-up measures one window: "cpu_ns=... ticks=... received=... sent=...". CPU
//     time is that of its one thread.
//   bench_bare mmsg REPLY_BYTES WARMUP_S WINDOW_S
//     The same with recvmmsg and sendmmsg, in batches of as many datagrams as raimd's.
//   bench_bare load PORT CLIENTS BYTES SECONDS
//     Sends one datagram from each client's socket per tick and reads all answers:
//     "sent=... received=...".
#define _GNU_SOURCE

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define TICK_HZ 60
#define NS_PER_S 1000000000LL
#define TICK_NS (NS_PER_S / TICK_HZ)
#define MAX_DATAGRAM 1500
#define BATCH 64
#define MAX_CLIENTS 10000
#define MAX_SECONDS 600

// Every client's datagram of a tick waits in one receive buffer until the tick that reads it.
#define RECEIVE_BUFFER (4 * 1024 * 1024)

// A serve without a load gives up after this.
#define FIRST_DATAGRAM_S 10

static uint8_t payload[MAX_DATAGRAM];

static void die(const char *what)
{
    perror(what);
    exit(1);
}

static int64_t now_ns(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return now.tv_sec * NS_PER_S + now.tv_nsec;
}

static void sleep_until(int64_t deadline_ns)
{
    const struct timespec deadline = {deadline_ns / NS_PER_S, deadline_ns % NS_PER_S};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &deadline, NULL) == EINTR) {
    }
}

static int open_socket(void)
{
    const int descriptor = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (descriptor < 0)
        die("socket");
    return descriptor;
}

static struct sockaddr_in loopback(uint16_t port)
{
    return (struct sockaddr_in){
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr = {htonl(INADDR_LOOPBACK)}};
}

// --- serve ---

struct traffic {
    int64_t received, sent;
};

// Answers all that has arrived.
typedef void answer(int descriptor, size_t reply_bytes, struct traffic *traffic);

static void answer_each(int descriptor, size_t reply_bytes, struct traffic *traffic)
{
    struct sockaddr_in from;
    socklen_t length = sizeof from;
    uint8_t datagram[MAX_DATAGRAM];
    while (recvfrom(descriptor, datagram, sizeof datagram, 0, (struct sockaddr *)&from, &length) >=
           0) {
        traffic->received++;
        if (sendto(descriptor, payload, reply_bytes, 0, (struct sockaddr *)&from, length) >= 0)
            traffic->sent++;
        length = sizeof from;
    }
    if (errno != EAGAIN)
        die("recvfrom");
}

static void answer_batches(int descriptor, size_t reply_bytes, struct traffic *traffic)
{
    static struct sockaddr_in addresses[BATCH];
    static uint8_t datagrams[BATCH][MAX_DATAGRAM];
    struct iovec parts[BATCH];
    struct mmsghdr headers[BATCH];
    int received;
    do {
        for (int i = 0; i < BATCH; i++) {
            parts[i] = (struct iovec){.iov_base = datagrams[i], .iov_len = MAX_DATAGRAM};
            headers[i] = (struct mmsghdr){.msg_hdr = {.msg_name = &addresses[i],
                                                      .msg_namelen = sizeof addresses[i],
                                                      .msg_iov = &parts[i],
                                                      .msg_iovlen = 1}};
        }
        received = recvmmsg(descriptor, headers, BATCH, MSG_DONTWAIT, NULL);
        if (received < 0 && errno != EAGAIN)
            die("recvmmsg");
        if (received <= 0)
            return;
        for (int i = 0; i < received; i++)
            parts[i] = (struct iovec){.iov_base = payload, .iov_len = reply_bytes};
        const int sent = sendmmsg(descriptor, headers, (unsigned)received, MSG_DONTWAIT);
        traffic->received += received;
        traffic->sent += sent > 0 ? sent : 0;
    } while (received == BATCH);
}

static int serve(answer *answer_all, size_t reply_bytes, int64_t warmup_s, int64_t window_s)
{
    const int descriptor = open_socket();
    const int buffer = RECEIVE_BUFFER;
    // Root may pass the system's limit; everybody else gets as much as that allows.
    if (setsockopt(descriptor, SOL_SOCKET, SO_RCVBUFFORCE, &buffer, sizeof buffer) != 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &buffer, sizeof buffer);
    struct sockaddr_in address = loopback(0);
    socklen_t length = sizeof address;
    if (bind(descriptor, (struct sockaddr *)&address, length) != 0 ||
        getsockname(descriptor, (struct sockaddr *)&address, &length) != 0)
        die("bind");
    printf("port=%u\n", ntohs(address.sin_port));
    fflush(stdout);

    struct traffic traffic = {0};
    int64_t deadline = now_ns(CLOCK_MONOTONIC);
    const int64_t give_up = deadline + FIRST_DATAGRAM_S * NS_PER_S;
    while (traffic.received == 0) {
        if (deadline > give_up) {
            fprintf(stderr, "no datagram came\n");
            return 1;
        }
        sleep_until(deadline += TICK_NS);
        answer_all(descriptor, reply_bytes, &traffic);
    }
    for (int64_t tick = 0; tick < warmup_s * TICK_HZ; tick++) {
        sleep_until(deadline += TICK_NS);
        answer_all(descriptor, reply_bytes, &traffic);
    }

    traffic = (struct traffic){0};
    const int64_t cpu_before = now_ns(CLOCK_THREAD_CPUTIME_ID);
    for (int64_t tick = 0; tick < window_s * TICK_HZ; tick++) {
        sleep_until(deadline += TICK_NS);
        answer_all(descriptor, reply_bytes, &traffic);
    }
    const int64_t cpu_ns = now_ns(CLOCK_THREAD_CPUTIME_ID) - cpu_before;
    printf("cpu_ns=%lld ticks=%lld received=%lld sent=%lld\n", (long long)cpu_ns,
           (long long)(window_s * TICK_HZ), (long long)traffic.received, (long long)traffic.sent);
    close(descriptor);
    return 0;
}

// --- load ---

static int64_t drain(int descriptor)
{
    uint8_t datagram[MAX_DATAGRAM];
    int64_t count = 0;
    while (recv(descriptor, datagram, sizeof datagram, 0) >= 0)
        count++;
    return count;
}

static int load(uint16_t port, size_t clients, size_t bytes, int64_t seconds)
{
    int *descriptors = calloc(clients, sizeof *descriptors);
    if (descriptors == NULL)
        die("calloc");
    const struct sockaddr_in server = loopback(port);
    for (size_t i = 0; i < clients; i++) {
        descriptors[i] = open_socket();
        if (connect(descriptors[i], (const struct sockaddr *)&server, sizeof server) != 0)
            die("connect");
    }

    struct traffic traffic = {0};
    int64_t deadline = now_ns(CLOCK_MONOTONIC);
    for (int64_t tick = 0; tick < seconds * TICK_HZ; tick++) {
        sleep_until(deadline += TICK_NS);
        for (size_t i = 0; i < clients; i++) {
            traffic.received += drain(descriptors[i]);
            if (send(descriptors[i], payload, bytes, 0) >= 0)
                traffic.sent++;
        }
    }
    printf("sent=%lld received=%lld\n", (long long)traffic.sent, (long long)traffic.received);
    for (size_t i = 0; i < clients; i++)
        close(descriptors[i]);
    free(descriptors);
    return 0;
}

// --- options ---

static int usage(void)
{
    fprintf(stderr, "usage: bench_bare serve|mmsg REPLY_BYTES WARMUP_S WINDOW_S\n"
                    "       bench_bare load PORT CLIENTS BYTES SECONDS\n");
    return 64;
}

// Reads a whole number of 1 to `max`; 0 for anything else.
static long number(const char *text, long max)
{
    char *end;
    errno = 0;
    const long value = strtol(text, &end, 10);
    return errno == 0 && end != text && *end == '\0' && value >= 1 && value <= max ? value : 0;
}

int main(int argc, char **argv)
{
    const bool is_batched = argc > 1 && strcmp(argv[1], "mmsg") == 0;
    if (argc == 5 && (is_batched || strcmp(argv[1], "serve") == 0)) {
        const long bytes = number(argv[2], MAX_DATAGRAM);
        const long warmup_s = number(argv[3], MAX_SECONDS);
        const long window_s = number(argv[4], MAX_SECONDS);
        answer *answer_all = is_batched ? answer_batches : answer_each;
        return bytes && warmup_s && window_s ? serve(answer_all, (size_t)bytes, warmup_s, window_s)
                                             : usage();
    }
    if (argc == 6 && strcmp(argv[1], "load") == 0) {
        const long port = number(argv[2], UINT16_MAX);
        const long clients = number(argv[3], MAX_CLIENTS);
        const long bytes = number(argv[4], MAX_DATAGRAM);
        const long seconds = number(argv[5], MAX_SECONDS);
        return port && clients && bytes && seconds
                   ? load((uint16_t)port, (size_t)clients, (size_t)bytes, seconds)
                   : usage();
    }
    return usage();
}
