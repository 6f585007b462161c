// SPDX-License-Identifier: MIT
// Addresses of sockets: their text, which of them overlap, and sockets bound to them.
#define _GNU_SOURCE
#include "socket_address.h"
#include "test.h"

#include <arpa/inet.h>
#include <errno.h>
#include <unistd.h>

static union socket_address address_of(const char *text)
{
    union socket_address address;
    if (!socket_address_parse(text, 7246, &address))
        fail_msg("\"%s\" is no address", text);
    return address;
}

TEST(addresses_are_printed_as_they_are_read)
{
    static const struct {
        const char *text, *with_port;
    } good[] = {
        {"192.0.2.1", "192.0.2.1:7246"},
        {"0.0.0.0", "0.0.0.0:7246"},
        {"::", "[::]:7246"},
        {"::1", "[::1]:7246"},
        {"2001:db8::1", "[2001:db8::1]:7246"},
        {"fe80::1%1", "[fe80::1%1]:7246"},
    };
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        char text[SOCKET_ADDRESS_BYTES], with_port[SOCKET_ADDRESS_PORT_BYTES];
        const union socket_address address = address_of(good[i].text);
        socket_address_print_host(&address, text);
        socket_address_print(&address, with_port);
        assert_string_equal(text, good[i].text);
        assert_string_equal(with_port, good[i].with_port);
        assert_int_equal(socket_address_port(&address), 7246);
    }
    const union socket_address one = address_of("[::1]"), same = address_of("::1");
    assert_true(socket_address_equal(&one, &same));
    const union socket_address named = address_of("fe80::1%lo");
    assert_int_not_equal(named.v6.sin6_scope_id, 0);
}

TEST(other_texts_are_rejected)
{
    static const char *const bad[] = {
        "",
        "localhost",
        "127.1",
        "192.0.2.256",
        "192.0.2.1 ",
        "[192.0.2.1]",
        "[",
        "[]",
        "[::1",
        "::1]",
        "::ffff:192.0.2.1",
        "::1%lo",
        "fe80::1",
        "fe80::1%",
        "fe80::1%0",
        "fe80::1%no-such-interface",
        "2001:db8::1%1",
        "1:2:3:4:5:6:7",
        ":::",
        "2001:0db8:0000:0000:0000:0000:0000:0001%0000000000000000000000000000001",
    };
    union socket_address address;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (socket_address_parse(bad[i], 1, &address))
            fail_msg("\"%s\" was taken for an address", bad[i]);
}

TEST(wide_addresses_overlap_what_they_cover)
{
    static const struct {
        const char *a, *b;
        bool overlap;
    } pairs[] = {
        {"::", "::", true},
        {"::", "0.0.0.0", true},
        {"::", "192.0.2.1", true},
        {"::", "2001:db8::1", true},
        {"0.0.0.0", "::1", false},
        {"0.0.0.0", "192.0.2.1", true},
        {"::1", "127.0.0.1", false},
        {"::1", "::1", true},
        {"::1", "::2", false},
        {"192.0.2.1", "192.0.2.2", false},
        {"fe80::1%1", "fe80::1%2", false},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        const union socket_address a = address_of(pairs[i].a), b = address_of(pairs[i].b);
        assert_int_equal(socket_address_overlaps(&a, &b), pairs[i].overlap);
        assert_int_equal(socket_address_overlaps(&b, &a), pairs[i].overlap);
    }
}

TEST(the_loopback_is_of_both_families)
{
    static const char *const loopback[] = {"127.0.0.1", "127.255.0.3", "::1"};
    static const char *const other[] = {"0.0.0.0", "::", "128.0.0.1", "2001:db8::1"};
    for (size_t i = 0; i < sizeof loopback / sizeof *loopback; i++) {
        const union socket_address address = address_of(loopback[i]);
        assert_true(socket_address_is_loopback(&address));
    }
    for (size_t i = 0; i < sizeof other / sizeof *other; i++) {
        const union socket_address address = address_of(other[i]);
        assert_false(socket_address_is_loopback(&address));
    }
}

TEST(a_bound_socket_has_its_address)
{
    const union socket_address wanted = address_of("127.0.0.1");
    union socket_address any = wanted, bound, again;
    any.v4.sin_port = 0;
    const int first = socket_address_bind(&any, SOCK_DGRAM);
    assert_true(first >= 0);
    assert_true(socket_address_of(first, &bound));
    assert_int_equal(bound.v4.sin_addr.s_addr, wanted.v4.sin_addr.s_addr);
    assert_int_equal(socket_address_bind(&bound, SOCK_DGRAM), -1);
    assert_int_equal(errno, EADDRINUSE);
    close(first);
    const int second = socket_address_bind(&bound, SOCK_DGRAM);
    assert_true(second >= 0 && socket_address_of(second, &again));
    assert_true(socket_address_equal(&bound, &again));
    close(second);
    int pair[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_DGRAM, 0, pair), 0);
    assert_false(socket_address_of(pair[0], &bound));
    assert_int_equal(errno, EAFNOSUPPORT);
    close(pair[0]);
    close(pair[1]);
}

// Root without its rights, as a service has none.
TEST(a_port_that_takes_a_right_says_which)
{
    char error[256];
    const uid_t user = geteuid();
    if (user == 0)
        assert_int_equal(seteuid(65534), 0);
    for (int type = SOCK_STREAM; type <= SOCK_DGRAM; type++) {
        const int socket = socket_address_open("127.0.0.1", 1, type, error, sizeof error);
        if (socket >= 0) { // net.ipv4.ip_unprivileged_port_start
            close(socket);
            continue;
        }
        const char *kind = type == SOCK_DGRAM ? "udp" : "tcp";
        assert_memory_equal(strstr(error, kind), kind, 3);
        assert_non_null(strstr(error, " 127.0.0.1:1: Permission denied; a port below 1024 takes "
                                      "CAP_NET_BIND_SERVICE, by privileged-ports.conf"));
        assert_string_equal(error + strlen(error) - 16, "PRIVILEGED PORTS");
    }
    assert_int_equal(seteuid(user), 0);
}
