// SPDX-License-Identifier: MIT
// Cost of a flood of datagrams from strangers: queries, connect requests, connects. An arena's
// transport takes them over loopback, next to a loop that receives the same and does nothing, and
// the guard judges queries without a socket.
//
//   bench_queries [ROUNDS]
//     Prints lines "case,ns": nanoseconds a datagram, the median over rounds.
#define _GNU_SOURCE // recvmmsg

#include "connectionless.h"
#include "measure.h"
#include "query_guard.h"
#include "transport.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    DATAGRAMS = 200, // a round; so many small ones fit any receive buffer
    BATCH = 64,
    CALLS = 20000, // of the guard, a round
    MAX_ROUNDS = 100000,
};

static double times[MAX_ROUNDS];

static void die(const char *what)
{
    perror(what);
    exit(1);
}

static void print_median(const char *name, int rounds)
{
    printf("%s,%.1f\n", name, measure_quantile(times, rounds, 0.5));
}

// --- Over loopback ---

static int open_sender(uint16_t port)
{
    const struct sockaddr_in to = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr = {htonl(INADDR_LOOPBACK)}};
    const int sender = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (sender < 0 || connect(sender, (const struct sockaddr *)&to, sizeof to) != 0)
        die("socket");
    return sender;
}

static void send_round(int sender, const uint8_t *data, size_t size)
{
    for (int i = 0; i < DATAGRAMS; i++)
        if (send(sender, data, size, 0) < 0)
            die("send");
}

static void measure_bare(const uint8_t *data, size_t size, int rounds)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t length = sizeof address;
    const int receiver = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (receiver < 0 || bind(receiver, (struct sockaddr *)&address, length) != 0 ||
        getsockname(receiver, (struct sockaddr *)&address, &length) != 0)
        die("bind");
    const int sender = open_sender(ntohs(address.sin_port));
    static uint8_t bytes[BATCH][RAIM_MAX_DATAGRAM_BYTES];
    struct sockaddr_in from[BATCH];
    struct iovec parts[BATCH];
    struct mmsghdr headers[BATCH] = {0};
    for (int i = 0; i < BATCH; i++) {
        parts[i] = (struct iovec){.iov_base = bytes[i], .iov_len = sizeof bytes[i]};
        headers[i].msg_hdr = (struct msghdr){.msg_name = &from[i],
                                             .msg_namelen = sizeof from[i],
                                             .msg_iov = &parts[i],
                                             .msg_iovlen = 1};
    }
    for (int round = 0; round < rounds; round++) {
        send_round(sender, data, size);
        const int64_t begin = measure_ns(CLOCK_MONOTONIC);
        while (recvmmsg(receiver, headers, BATCH, MSG_DONTWAIT, NULL) == BATCH) {
        }
        times[round] = (double)(measure_ns(CLOCK_MONOTONIC) - begin) / DATAGRAMS;
    }
    close(sender);
    close(receiver);
}

static void measure_transport(bool admits, bool limited, const uint8_t *data, size_t size,
                              int rounds)
{
    char error[200];
    struct transport *transport = transport_open("127.0.0.1", 0, 64, error, sizeof error);
    if (transport == NULL) {
        fprintf(stderr, "%s\n", error);
        exit(1);
    }
    struct admission_limits limits = ADMISSION_LIMITS_DEFAULT;
    limits.loopback = limited;
    transport_enable_queries(transport, admits);
    transport_set_limits(transport, true, &limits);
    const int sender = open_sender(transport_port(transport));
    // The first round takes the tokens that were saved up.
    for (int round = -1; round < rounds; round++) {
        send_round(sender, data, size);
        struct transport_event event;
        const int64_t begin = measure_ns(CLOCK_MONOTONIC);
        transport_receive(transport);
        while (transport_poll(transport, &event)) {
        }
        if (round >= 0)
            times[round] = (double)(measure_ns(CLOCK_MONOTONIC) - begin) / DATAGRAMS;
    }
    close(sender);
    transport_close(transport);
}

// --- The guard alone ---

// With so many milliseconds between two questions. Those who answer tell the challenge.
static void measure_guard(uint8_t *data, size_t size, int64_t pause_ms, bool answers, int rounds)
{
    struct query_guard guard;
    static const uint8_t secret[CHALLENGE_SECRET_BYTES] = {1};
    query_guard_init(&guard, 1, secret);
    const struct udp_address from = udp_address_v4(INADDR_LOOPBACK, 1000);
    enum query_kind kind;
    uint8_t reply[QUERY_CHALLENGE_REPLY];
    int64_t now_ms = 0;
    for (int round = 0; round < rounds; round++) {
        const int64_t begin = measure_ns(CLOCK_MONOTONIC);
        for (int call = 0; call < CALLS; call++) {
            now_ms += pause_ms;
            if (query_guard_judge(&guard, from, data, size, now_ms, &kind, reply) ==
                    QUERY_CHALLENGED &&
                answers)
                memcpy(data + size - 4, reply + 5, 4);
        }
        times[round] = (double)(measure_ns(CLOCK_MONOTONIC) - begin) / CALLS;
    }
}

int main(int argc, char **argv)
{
    static const uint8_t forged[52] = {0x8F, 0xFF, 0, 1, 0x82, 0xFF, 0, 1};
    const int rounds = argc > 1 ? atoi(argv[1]) : 1000;
    if (rounds < 1 || rounds > MAX_ROUNDS) {
        fprintf(stderr, "usage: bench_queries [ROUNDS]\n");
        return 64;
    }
    uint8_t question[] = "\xFF\xFF\xFF\xFFTSource Engine Query\0\1\2\3\4";
    const size_t size = sizeof question - 1;
    uint8_t garbage[sizeof question];
    memset(garbage, 0xFF, sizeof garbage);
    uint8_t connect_request[RAIM_CONNECTIONLESS_BYTES];
    raim_connect_request_write(&(struct raim_connect_request){0}, connect_request);
    printf("case,ns\n");
    measure_bare(question, size, rounds);
    print_median("bare recvmmsg", rounds);
    measure_transport(false, true, question, size, rounds);
    print_median("transport: no queries admitted", rounds);
    measure_transport(true, true, garbage, size, rounds);
    print_median("transport: no query", rounds);
    measure_transport(true, true, question, size, rounds);
    print_median("transport: limited", rounds);
    measure_transport(true, true, forged, sizeof forged, rounds);
    print_median("transport: connect, no cookie", rounds);
    measure_bare(connect_request, sizeof connect_request, rounds);
    print_median("bare recvmmsg of connect_requests", rounds);
    measure_transport(true, true, connect_request, sizeof connect_request, rounds);
    print_median("transport: connect_requests limited", rounds);
    measure_transport(true, false, connect_request, sizeof connect_request, rounds);
    print_median("transport: connect_requests answered", rounds);
    measure_guard(garbage, size, 0, false, rounds);
    print_median("guard: no query", rounds);
    measure_guard(question, size, 0, false, rounds);
    print_median("guard: limited", rounds);
    measure_guard(question, size, 100, false, rounds);
    print_median("guard: challenged", rounds);
    measure_guard(question, size, 100, true, rounds);
    print_median("guard: admitted", rounds);
    return 0;
}
