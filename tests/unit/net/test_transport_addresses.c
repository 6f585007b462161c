// SPDX-License-Identifier: MIT
// The transport over IPv6: clients of both families on one socket, and addresses that have much in
// common, of which none is taken for another.
#define _GNU_SOURCE
#define _GNU_SOURCE // struct in6_pktinfo
#include "batch.h"
#include "socket_address.h"
#include "test.h"
#include "transport_fixture.h"

#include <netinet/in.h>

// --- Clients at addresses of choice: a client on 127.0.0.1 by its port ---

enum { PLACES = 40, PEERS = 16, PORT = 7000 };

// They share their port and, as far as possible, 32 bits with each other or with a slot's number.
static const char *const texts[PLACES / 2] = {
    "::ffff:10.0.0.1",
    "::10.0.0.1",
    "2001:db8::a00:1",
    "2001:db8:1::a00:1",
    "2001:db8:0:1::a00:1",
    "a00:1::",
    "0:0:a00:1::",
    "a00:1:a00:1:a00:1:a00:1",
    "::ffff:0.0.0.1",
    "::ffff:0.0.0.2",
    "::2",
    "::3",
    "2001:db8::1",
    "2001:db8::2",
    "2001:db8::1:0:0:1",
    "fe80::1",
    "fe80::2",
    "::ffff:1.0.0.0",
    "ff:ffff::",
    "::ffff:0:10.0.0.1",
};

static struct {
    struct udp_address from;
    int socket; // bound to 127.0.0.1 at `port`
    uint16_t port;
} places[PLACES];

static void translate(void *address, bool is_received)
{
    const struct udp_address given = socket_udp_read(address);
    for (int i = 0; i < PLACES; i++) {
        if (is_received && given.port == places[i].port)
            socket_udp_write(places[i].from, AF_INET6, address);
        else if (!is_received && udp_address_equal(given, places[i].from))
            socket_udp_write(udp_address_v4(INADDR_LOOPBACK, places[i].port), AF_INET6, address);
        else
            continue;
        return;
    }
    fail_msg("a datagram of nobody");
}

// Half of the places differ from another in the interface or the port.
static struct udp_address place_address(int place)
{
    struct sockaddr_in6 v6 = {.sin6_family = AF_INET6, .sin6_port = htons(PORT)};
    const char *text = texts[place % (PLACES / 2)];
    assert_int_equal(inet_pton(AF_INET6, text, &v6.sin6_addr), 1);
    const bool is_link_local = strncmp(text, "fe80", 4) == 0;
    if (is_link_local)
        v6.sin6_scope_id = 1 + place / (PLACES / 2);
    else if (place >= PLACES / 2)
        v6.sin6_port = htons(PORT + 1);
    return socket_udp_read((struct sockaddr *)&v6);
}

// --- A client that connects and says its place ---

struct caller {
    ENetHost *host; // NULL: none
    ENetPeer *peer;
    uint32_t heard;
};

static struct caller callers[PLACES];
static uint32_t said[PLACES]; // messages that the server took from a place

static void set_address(struct caller *caller, int place)
{
    // Before libenet's own socket, the one of the place.
    enet_socket_destroy(caller->host->socket);
    caller->host->socket = dup(places[place].socket);
    enet_socket_set_option(caller->host->socket, ENET_SOCKOPT_NONBLOCK, 1);
}

static void begin_call(int place)
{
    struct caller *caller = &callers[place];
    const ENetAddress server = {.host = htonl(INADDR_LOOPBACK), .port = transport_port(transport)};
    caller->host = enet_host_create(NULL, 1, 2, 0, 0);
    assert_non_null(caller->host);
    set_address(caller, place);
    caller->peer = enet_host_connect(caller->host, &server, 2, 0);
    caller->heard = 0;
}

static void end_call(int place)
{
    struct caller *caller = &callers[place];
    if (caller->host != NULL)
        enet_host_destroy(caller->host);
    caller->host = NULL;
}

static void run_callers(void)
{
    ENetEvent event;
    for (uint32_t i = 0; i < PLACES; i++) {
        while (callers[i].host != NULL && enet_host_service(callers[i].host, &event, 0) > 0) {
            if (event.type == ENET_EVENT_TYPE_RECEIVE) {
                uint32_t place;
                assert_int_equal(event.packet->dataLength, sizeof place);
                memcpy(&place, event.packet->data, sizeof place);
                assert_int_equal(place, i);
                callers[i].heard++;
                enet_packet_destroy(event.packet);
            } else if (event.type == ENET_EVENT_TYPE_DISCONNECT) {
                end_call((int)i);
            }
        }
    }
}

// Each message is of the peer that has the address of the place that it names.
static void serve(void)
{
    struct transport_event event;
    transport_receive(transport);
    while (transport_poll(transport, &event)) {
        if (event.kind != TRANSPORT_MESSAGE)
            continue;
        uint32_t place;
        assert_int_equal(event.size, sizeof place);
        memcpy(&place, event.data, sizeof place);
        assert_true(place < PLACES);
        assert_true(udp_address_equal(transport_source(transport, event.peer), places[place].from));
        said[place]++;
        transport_send(transport, event.peer, event.reliable, event.data, event.size);
    }
    transport_flush(transport);
}

static bool is_in(int place)
{
    return callers[place].host != NULL && callers[place].peer->state == ENET_PEER_STATE_CONNECTED;
}

static void say_place(uint32_t place)
{
    const bool reliable = chance_int(0, 1) == 1;
    ENetPacket *packet =
        enet_packet_create(&place, sizeof place, reliable ? ENET_PACKET_FLAG_RELIABLE : 0);
    assert_int_equal(enet_peer_send(callers[place].peer, reliable ? 0 : 1, packet), 0);
    enet_host_flush(callers[place].host);
}

static void run_places(int rounds)
{
    while (rounds-- > 0) {
        run_callers();
        serve();
    }
}

static int open_places(void **state)
{
    (void)state;
    char error[200] = "";
    memset(&kernel, 0, sizeof kernel);
    kernel.fail_at = -1;
    captured_count = 0;
    transport = transport_open("::", 0, PEERS, error, sizeof error);
    assert_string_equal(error, "");
    struct admission_limits limits = ADMISSION_LIMITS_DEFAULT;
    limits.connections_per_address = limits.connections_per_network = PEERS;
    limits.connects_per_second = 1000;
    transport_set_limits(transport, false, &limits);
    for (int i = 0; i < PLACES; i++) {
        struct sockaddr_in name = {.sin_family = AF_INET};
        socklen_t size = sizeof name;
        name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        places[i].from = place_address(i);
        places[i].socket = socket(AF_INET, SOCK_DGRAM, 0);
        assert_int_equal(bind(places[i].socket, (struct sockaddr *)&name, size), 0);
        assert_int_equal(getsockname(places[i].socket, (struct sockaddr *)&name, &size), 0);
        places[i].port = ntohs(name.sin_port);
        said[i] = 0;
    }
    kernel.translate = translate;
    return 0;
}

static int close_places(void **state)
{
    (void)state;
    for (int i = 0; i < PLACES; i++) {
        end_call(i);
        close(places[i].socket);
    }
    transport_close(transport);
    transport = NULL;
    return 0;
}

// --- Tests ---

TEST(addresses_that_share_bits_are_apart, open_places, close_places)
{
    for (int first = 0; first < PLACES; first += PEERS) {
        const int end = first + PEERS < PLACES ? first + PEERS : PLACES;
        for (int i = first; i < end; i++)
            begin_call(i);
        run_places(30);
        for (int i = first; i < end; i++) {
            assert_true(is_in(i));
            say_place((uint32_t)i);
        }
        run_places(30);
        for (int i = first; i < end; i++) {
            assert_int_equal(said[i], 1);
            assert_int_equal(callers[i].heard, 1);
            enet_peer_disconnect(callers[i].peer, 0);
        }
        for (int wait = 0; wait < 40; wait++) {
            kernel.monotonic_ms += 100;
            run_places(2);
        }
        assert_int_equal(transport_peers(transport), 0);
    }
}

// Calls from a place, and returns whether it is let in.
static bool call_from(const char *text)
{
    int place = 0;
    while (place < PLACES / 2 && strcmp(texts[place], text) != 0)
        place++;
    assert_true(place < PLACES / 2);
    begin_call(place);
    run_places(10);
    return is_in(place);
}

TEST(connections_are_limited_by_64_and_48, open_places, close_places)
{
    struct admission_limits limits = ADMISSION_LIMITS_DEFAULT;
    limits.connections_per_address = 2;
    limits.connections_per_network = 3;
    transport_set_limits(transport, false, &limits);
    assert_true(call_from("2001:db8::1"));
    assert_true(call_from("2001:db8::2"));
    assert_false(call_from("2001:db8::1:0:0:1"));
    assert_false(call_from("2001:db8::a00:1"));
    assert_int_equal(transport_stats(transport)->rejected[DATAGRAM_CONNECTIONS], 2);
    assert_true(call_from("2001:db8:0:1::a00:1")); // another /64, the third of the /48
    assert_true(call_from("2001:db8:1::a00:1"));   // another /48
    assert_true(call_from("::ffff:10.0.0.1"));
}

// Connections come and go, politely and not; a peer is never the sender of what came from another
// address, and slots are used again.
TEST(no_address_takes_over_a_peer, open_places, close_places)
{
    uint32_t connected = 0;
    for (int step = 0; step < 3000; step++) {
        const int place = chance_int(0, PLACES - 1);
        const bool was_in = is_in(place);
        if (callers[place].host == NULL && chance_int(0, 1) == 0)
            begin_call(place);
        else if (was_in && chance_int(0, 9) == 0)
            enet_peer_disconnect(callers[place].peer, 0);
        else if (was_in && chance_int(0, 9) == 0)
            end_call(place); // without a word: the server drops it later
        else if (was_in)
            say_place((uint32_t)place);
        kernel.monotonic_ms += 40; // a silent peer's timeout comes within 400 steps
        run_places(2);
        connected += is_in(place) && !was_in;
    }
    uint32_t messages = 0;
    for (int i = 0; i < PLACES; i++)
        messages += said[i];
    assert_true(connected > 10 * PEERS);
    assert_true(messages > 300);
}

// Repeats datagrams of connected places from other ones, which have no connection.
TEST(a_datagram_from_another_address_is_nobodys, open_places, close_places)
{
    for (int i = 0; i < PLACES; i += 3)
        begin_call(i);
    run_places(30);
    captured_count = 0;
    for (int i = 0; i < PLACES; i += 3) {
        assert_true(is_in(i));
        say_place((uint32_t)i);
    }
    run_places(2);
    uint32_t before[PLACES];
    memcpy(before, said, sizeof before);
    const uint64_t packets = transport_stats(transport)->packets_in;
    const size_t count = captured_count;
    assert_true(count >= PLACES / 3);
    for (int place = 0; place < PLACES; place++) {
        struct sockaddr_in to = {.sin_family = AF_INET,
                                 .sin_port = htons(transport_port(transport))};
        to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        for (size_t i = 0; i < count && place % 3 != 0; i++)
            sendto(places[place].socket, captured[i].data, captured[i].size, 0,
                   (struct sockaddr *)&to, sizeof to);
        serve();
    }
    assert_true(transport_stats(transport)->packets_in >= packets + count * PLACES / 2);
    assert_memory_equal(said, before, sizeof said);
    for (int i = 0; i < PLACES; i += 3)
        say_place((uint32_t)i);
    run_places(30);
    for (int i = 0; i < PLACES; i += 3)
        assert_int_equal(said[i], before[i] + 1);
}

// Real sockets of the kernel, one of each family. Both are connected, so that they receive nothing
// but what comes from the address that they sent to; 127.0.0.2 is not what the kernel prefers.
TEST(one_socket_serves_both_families, open_places, close_places)
{
    kernel.translate = NULL;
    const struct sockaddr_in6 v6 = {.sin6_family = AF_INET6,
                                    .sin6_addr = IN6ADDR_LOOPBACK_INIT,
                                    .sin6_port = htons(transport_port(transport))};
    const struct sockaddr_in v4 = {.sin_family = AF_INET,
                                   .sin_addr = {htonl(INADDR_LOOPBACK + 1)},
                                   .sin_port = htons(transport_port(transport))};
    static const uint8_t query[] = "\xFF\xFF\xFF\xFFTSource Engine Query";
    uint8_t answer[64];
    const int six = socket(AF_INET6, SOCK_DGRAM, 0), four = socket(AF_INET, SOCK_DGRAM, 0);
    transport_enable_queries(transport, true);
    assert_int_equal(connect(six, (const struct sockaddr *)&v6, sizeof v6), 0);
    assert_int_equal(connect(four, (const struct sockaddr *)&v4, sizeof v4), 0);
    assert_int_equal(send(six, query, sizeof query, 0), sizeof query);
    assert_int_equal(send(four, query, sizeof query, 0), sizeof query);
    serve();
    assert_int_equal(recv(six, answer, sizeof answer, MSG_DONTWAIT), 9);
    assert_int_equal(recv(four, answer, sizeof answer, MSG_DONTWAIT), 9);
    close(six);
    close(four);
}

// The kernel would send what goes to :: to this machine.
TEST(the_unspecified_address_is_not_answered, open_places, close_places)
{
    static const uint8_t connect_request[512] = {0xFF, 0xFF, 0xFF, 0xFF, 'R', 'A', 'I', 'M', 1, 2};
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(transport_port(transport))};
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    for (int i = 0; i < 2; i++) {
        sendto(places[i].socket, connect_request, sizeof connect_request, 0, (struct sockaddr *)&to,
               sizeof to);
        serve();
        assert_int_equal(transport_stats(transport)->packets_out, 1);
        places[1].from = (struct udp_address){.port = PORT};
    }
    assert_int_equal(transport_stats(transport)->rejected[DATAGRAM_MALFORMED], 1);
}

// The class of a received datagram, of either family.
static int class_of(int socket)
{
    uint8_t bytes[64], control[64];
    struct iovec part = {bytes, sizeof bytes};
    struct msghdr header = {.msg_iov = &part,
                            .msg_iovlen = 1,
                            .msg_control = control,
                            .msg_controllen = sizeof control};
    int class = -1;
    assert_true(recvmsg(socket, &header, MSG_DONTWAIT) > 0);
    for (struct cmsghdr *item = CMSG_FIRSTHDR(&header); item != NULL;
         item = CMSG_NXTHDR(&header, item)) {
        if (item->cmsg_level == IPPROTO_IP && item->cmsg_type == IP_TOS)
            class = *CMSG_DATA(item);
        if (item->cmsg_level == IPPROTO_IPV6 && item->cmsg_type == IPV6_TCLASS)
            memcpy(&class, CMSG_DATA(item), sizeof class);
    }
    return class;
}

TEST(datagrams_have_their_class_in_both_families, open_places, close_places)
{
    const int on = 1;
    kernel.translate = NULL;
    const int six = socket(AF_INET6, SOCK_DGRAM, 0), four = socket(AF_INET, SOCK_DGRAM, 0);
    struct sockaddr_in6 v6 = {.sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT};
    struct sockaddr_in v4 = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t v6_size = sizeof v6, v4_size = sizeof v4;
    setsockopt(six, IPPROTO_IPV6, IPV6_RECVTCLASS, &on, sizeof on);
    setsockopt(four, IPPROTO_IP, IP_RECVTOS, &on, sizeof on);
    assert_int_equal(bind(six, (struct sockaddr *)&v6, sizeof v6), 0);
    assert_int_equal(bind(four, (struct sockaddr *)&v4, sizeof v4), 0);
    getsockname(six, (struct sockaddr *)&v6, &v6_size);
    getsockname(four, (struct sockaddr *)&v4, &v4_size);
    for (uint32_t dscp = 0; dscp < 64; dscp++) {
        transport_set_dscp(transport, dscp);
        transport_send_to(transport, socket_udp_read((struct sockaddr *)&v6), (const uint8_t *)"x",
                          1);
        transport_send_to(transport, socket_udp_read((struct sockaddr *)&v4), (const uint8_t *)"x",
                          1);
        transport_flush(transport);
        assert_int_equal(class_of(six), dscp << 2);
        assert_int_equal(class_of(four), dscp << 2);
    }
    close(six);
    close(four);
}

static bool has_ipv6(void)
{
    const struct sockaddr_in6 loopback = {.sin6_family = AF_INET6,
                                          .sin6_addr = IN6ADDR_LOOPBACK_INIT};
    const int probe = socket(AF_INET6, SOCK_DGRAM, 0);
    const bool has =
        probe >= 0 && bind(probe, (const struct sockaddr *)&loopback, sizeof loopback) == 0;
    if (probe >= 0)
        close(probe);
    return has;
}

static int set_up_group(void **state)
{
    (void)state;
    if (!has_ipv6()) {
        print_message("skipped: this machine has no IPv6\n");
        exit(0);
    }
    return 0;
}

TEST_GROUP(set_up_group, NULL)

// --- Local address ---

// The machine's address of a datagram: an answer leaves from where the datagram arrived, however
// many addresses of a local network somebody sends to.

// Reads where a datagram to FIRST01:db8::N has arrived.
static struct ip_address arrive(uint8_t first, uint16_t n)
{
    struct local_control control = {{0}};
    struct msghdr header = {.msg_control = &control,
                            .msg_controllen = CMSG_SPACE(sizeof(struct in6_pktinfo))};
    struct in6_pktinfo info = {.ipi6_addr.s6_addr = {first, 1, 0x0D, 0xB8}, .ipi6_ifindex = 3};
    info.ipi6_addr.s6_addr[14] = (uint8_t)(n >> 8);
    info.ipi6_addr.s6_addr[15] = (uint8_t)n;
    struct cmsghdr *item = CMSG_FIRSTHDR(&header);
    *item = (struct cmsghdr){
        .cmsg_level = IPPROTO_IPV6, .cmsg_type = IPV6_PKTINFO, .cmsg_len = CMSG_LEN(sizeof info)};
    memcpy(CMSG_DATA(item), &info, sizeof info);
    return local_address_read(&header);
}

TEST(an_answer_leaves_from_where_the_datagram_arrived)
{
    for (uint32_t n = 1; n < 0x10000; n += 7) {
        struct local_control control;
        struct msghdr sent;
        const struct ip_address local = arrive(0x20, (uint16_t)n);
        assert_true(local.high == UINT64_C(0x20010DB800000000) && local.low == n);
        local_address_write(local, &control, &sent);
        const struct ip_address source = local_address_read(&sent);
        assert_true(ip_address_equal(source, local));
    }
}

TEST(a_multicast_address_is_no_source)
{
    struct local_control control;
    struct msghdr sent;
    assert_true(ip_address_is_none(arrive(0xFF, 1)));
    local_address_write(arrive(0xFF, 1), &control, &sent);
    assert_int_equal(sent.msg_controllen, 0);
    struct msghdr without = {0};
    assert_true(ip_address_is_none(local_address_read(&without)));
}
