// SPDX-License-Identifier: MIT
// A router on loopback between clients and one port of a server, that spoils what passes it. Prints
// its own port, obeys the lines of standard input, and at its end prints what it did as JSON:
//   loss PCT, twice PCT, late PCT    of datagrams either way (late: by 20 to 80 ms)
//   cut, mend                        nothing passes; everything does
//   rebind                           clients come from new ports from now on
//   mutate N                         with each datagram of a client, N mutated ones from its port
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

enum { MAX_CLIENTS = 256, MAX_BYTES = 2048, WAITING = 4096, KEPT = 1024, MAX_MUTANTS = 256 };

struct packet {
    size_t size;
    uint8_t bytes[MAX_BYTES];
};

struct late {
    int64_t due_ms; // 0: a free place
    bool inwards;
    int client;
    struct packet packet;
};

static struct {
    double loss, twice, late; // shares
    bool is_cut, ended;
    unsigned mutants;
    uint64_t random;
    struct sockaddr_in server;
    int inside, client_count;
    struct sockaddr_in clients[MAX_CLIENTS];
    int outside[MAX_CLIENTS];
    struct late waiting[WAITING];
    struct packet kept[KEPT]; // of clients, the newest
    uint64_t kept_count;
    uint64_t passed, lost, doubled, delayed, mutated;
} relay;

// SplitMix64, of Sebastiano Vigna's public domain.
static uint64_t chance(void)
{
    uint64_t z = relay.random += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return z ^ z >> 31;
}

static bool happens(double share)
{
    return (double)(chance() >> 11) * 0x1p-53 < share;
}

static int64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static int open_socket(void)
{
    const struct sockaddr_in any = {.sin_family = AF_INET,
                                    .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    const int opened = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (opened < 0 || bind(opened, (const struct sockaddr *)&any, sizeof any) != 0) {
        perror("relay");
        exit(1);
    }
    return opened;
}

static void put_out(bool inwards, int client, const struct packet *packet)
{
    const struct sockaddr_in *to = inwards ? &relay.server : &relay.clients[client];
    const int from = inwards ? relay.outside[client] : relay.inside;
    // A datagram that the kernel does not take is lost, as on any router.
    if (sendto(from, packet->bytes, packet->size, 0, (const struct sockaddr *)to, sizeof *to) >= 0)
        relay.passed++;
}

static void delay(bool inwards, int client, const struct packet *packet)
{
    for (int i = 0; i < WAITING; i++) {
        struct late *late = &relay.waiting[i];
        if (late->due_ms != 0)
            continue;
        *late = (struct late){now_ms() + 20 + (int64_t)(chance() % 61), inwards, client, *packet};
        relay.delayed++;
        return;
    }
    put_out(inwards, client, packet);
}

static void pass(bool inwards, int client, const struct packet *packet)
{
    if (relay.is_cut || happens(relay.loss)) {
        relay.lost++;
        return;
    }
    if (happens(relay.twice)) {
        relay.doubled++;
        put_out(inwards, client, packet);
    }
    if (happens(relay.late))
        delay(inwards, client, packet);
    else
        put_out(inwards, client, packet);
}

static void mutate(struct packet *packet)
{
    for (uint64_t edits = 1 + chance() % 4; edits > 0; edits--) {
        const size_t at = packet->size > 0 ? chance() % packet->size : 0;
        const struct packet *other = &relay.kept[chance() % KEPT];
        const size_t length = other->size < MAX_BYTES - at ? other->size : MAX_BYTES - at;
        switch (chance() % 8) {
        case 0: // another one behind a piece of this
            memcpy(packet->bytes + at, other->bytes, length);
            packet->size = at + length;
            break;
        case 1:
            packet->size = at;
            break;
        case 2: // commands of another one, with the header of this
            if (at > 4 && other->size > 4) {
                memcpy(packet->bytes + at, other->bytes + 4,
                       length - 4 < MAX_BYTES - at ? length - 4 : MAX_BYTES - at);
                packet->size = at + length - 4;
            }
            break;
        case 3:
        case 4:
            packet->bytes[at] = (uint8_t)chance();
            break;
        default:
            packet->bytes[at] ^= (uint8_t)(1u << chance() % 8);
        }
    }
}

static void send_mutants(int client, const struct packet *packet)
{
    static struct packet mutants[MAX_MUTANTS];
    static struct mmsghdr headers[MAX_MUTANTS];
    static struct iovec parts[MAX_MUTANTS];
    for (unsigned i = 0; i < relay.mutants; i++) {
        mutants[i] = chance() % 2 != 0 ? *packet : relay.kept[chance() % KEPT];
        mutate(&mutants[i]);
        parts[i] = (struct iovec){mutants[i].bytes, mutants[i].size};
        headers[i].msg_hdr = (struct msghdr){.msg_name = &relay.server,
                                             .msg_namelen = sizeof relay.server,
                                             .msg_iov = &parts[i],
                                             .msg_iovlen = 1};
    }
    const int sent = sendmmsg(relay.outside[client], headers, relay.mutants, 0);
    relay.mutated += sent > 0 ? (uint64_t)sent : 0;
}

static int find_client(const struct sockaddr_in *from)
{
    for (int i = 0; i < relay.client_count; i++)
        if (relay.clients[i].sin_port == from->sin_port &&
            relay.clients[i].sin_addr.s_addr == from->sin_addr.s_addr)
            return i;
    if (relay.client_count == MAX_CLIENTS)
        return -1;
    relay.clients[relay.client_count] = *from;
    relay.outside[relay.client_count] = open_socket();
    return relay.client_count++;
}

static void read_inside(void)
{
    struct packet packet;
    struct sockaddr_in from;
    socklen_t length = sizeof from;
    ssize_t size;
    while ((size = recvfrom(relay.inside, packet.bytes, MAX_BYTES, 0, (struct sockaddr *)&from,
                            &length)) >= 0) {
        const int client = find_client(&from);
        packet.size = (size_t)size;
        if (client < 0)
            continue;
        relay.kept[relay.kept_count++ % KEPT] = packet;
        pass(true, client, &packet);
        if (relay.mutants > 0)
            send_mutants(client, &packet);
    }
}

static void read_outside(int client)
{
    struct packet packet;
    ssize_t size;
    while ((size = recv(relay.outside[client], packet.bytes, MAX_BYTES, 0)) >= 0) {
        packet.size = (size_t)size;
        pass(false, client, &packet);
    }
}

static void rebind(void)
{
    for (int i = 0; i < relay.client_count; i++) {
        close(relay.outside[i]);
        relay.outside[i] = open_socket();
    }
}

static void obey(const char *line)
{
    char verb[16];
    double number = 0;
    if (sscanf(line, "%15s %lf", verb, &number) < 1)
        return;
    if (strcmp(verb, "loss") == 0)
        relay.loss = number / 100;
    else if (strcmp(verb, "twice") == 0)
        relay.twice = number / 100;
    else if (strcmp(verb, "late") == 0)
        relay.late = number / 100;
    else if (strcmp(verb, "mutate") == 0)
        relay.mutants = number < MAX_MUTANTS ? (unsigned)number : MAX_MUTANTS;
    else if (strcmp(verb, "cut") == 0 || strcmp(verb, "mend") == 0)
        relay.is_cut = verb[0] == 'c';
    else if (strcmp(verb, "rebind") == 0)
        rebind();
}

static void read_orders(void)
{
    static char text[256];
    static size_t length;
    const ssize_t size = read(STDIN_FILENO, text + length, sizeof text - 1 - length);
    if (size <= 0) {
        relay.ended = true;
        return;
    }
    length += (size_t)size;
    for (char *end; (end = memchr(text, '\n', length)) != NULL;) {
        *end = '\0';
        obey(text);
        length -= (size_t)(end + 1 - text);
        memmove(text, end + 1, length);
    }
}

static void send_late(void)
{
    const int64_t now = now_ms();
    for (int i = 0; i < WAITING; i++) {
        struct late *late = &relay.waiting[i];
        if (late->due_ms == 0 || late->due_ms > now)
            continue;
        late->due_ms = 0;
        if (!relay.is_cut)
            put_out(late->inwards, late->client, &late->packet);
    }
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: %s SERVER_PORT SEED\n", argv[0]);
        return 64;
    }
    relay.server = (struct sockaddr_in){.sin_family = AF_INET,
                                        .sin_port = htons((uint16_t)atoi(argv[1])),
                                        .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    relay.random = strtoull(argv[2], NULL, 10);
    relay.inside = open_socket();
    struct sockaddr_in name;
    socklen_t length = sizeof name;
    getsockname(relay.inside, (struct sockaddr *)&name, &length);
    printf("%d\n", ntohs(name.sin_port));
    fflush(stdout);
    while (!relay.ended) {
        static struct pollfd waits[2 + MAX_CLIENTS];
        waits[0] = (struct pollfd){.fd = STDIN_FILENO, .events = POLLIN};
        waits[1] = (struct pollfd){.fd = relay.inside, .events = POLLIN};
        const int clients = relay.client_count;
        for (int i = 0; i < clients; i++)
            waits[2 + i] = (struct pollfd){.fd = relay.outside[i], .events = POLLIN};
        poll(waits, 2 + (nfds_t)clients, 5);
        if (waits[1].revents != 0)
            read_inside();
        for (int i = 0; i < clients; i++)
            if (waits[2 + i].revents != 0)
                read_outside(i);
        send_late();
        if (waits[0].revents != 0) // last: it may close what was waited for
            read_orders();
    }
    printf("{\"passed\": %llu, \"lost\": %llu, \"doubled\": %llu, \"delayed\": %llu, "
           "\"mutated\": %llu}\n",
           (unsigned long long)relay.passed, (unsigned long long)relay.lost,
           (unsigned long long)relay.doubled, (unsigned long long)relay.delayed,
           (unsigned long long)relay.mutated);
    return 0;
}
