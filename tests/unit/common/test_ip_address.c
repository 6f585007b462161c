// SPDX-License-Identifier: MIT
// Addresses of both families: what limits count as one host and one network, and hashes.
#include "chance.h"
#include "ip_address.h"
#include "test.h"
#include "url.h"

// An address that can send, of either family. Some differ in a few bits only.
static struct ip_address any_sender(void)
{
    struct ip_address ip = {UINT64_C(0x20010DB800000000), 1};
    if (chance_int(0, 2) == 0)
        return ip_address_v4((uint32_t)raim_random_next(&chance) & UINT32_C(0x0F0003FF));
    if (chance_int(0, 1) == 0)
        ip.high = raim_random_next(&chance);
    ip.high ^= UINT64_C(1) << chance_int(0, 63);
    ip.low ^= UINT64_C(1) << chance_int(0, 63);
    if (chance_int(0, 3) == 0)
        ip.high = raim_random_next(&chance) >> 32 & UINT32_C(0x0F0003FF); // in ::/32
    if (ip.high >> 56 == 0xFF)
        ip.high ^= UINT64_C(1) << 63; // no multicast
    return ip;
}

static bool same_leading(struct ip_address a, struct ip_address b, int bits)
{
    for (int bit = 0; bit < bits; bit++) {
        const uint64_t x = bit < 64 ? a.high ^ b.high : a.low ^ b.low;
        if ((x >> (63 - bit % 64) & 1) != 0)
            return false;
    }
    return true;
}

TEST(hosts_and_networks_are_those_of_their_prefixes)
{
    for (int i = 0; i < 1000000; i++) {
        const struct ip_address a = any_sender(), b = any_sender();
        const bool is_v4 = ip_address_is_v4(a);
        const bool is_one_family = is_v4 == ip_address_is_v4(b);
        assert_int_equal(ip_address_host(a) == ip_address_host(b),
                         is_one_family && same_leading(a, b, is_v4 ? 128 : 64));
        assert_int_equal(ip_address_network(a) == ip_address_network(b),
                         is_one_family && same_leading(a, b, is_v4 ? 120 : 48));
    }
}

TEST(the_loopback_is_of_both_families)
{
    assert_true(ip_address_is_loopback(ip_address_v4(0x7F000001)));
    assert_true(ip_address_is_loopback(ip_address_v4(0x7FFFFFFF)));
    assert_true(ip_address_is_loopback((struct ip_address){0, 1}));
    assert_false(ip_address_is_loopback(ip_address_v4(0x80000001)));
    assert_false(ip_address_is_loopback((struct ip_address){0, 0x7F000001})); // ::127.0.0.1
    assert_false(ip_address_is_loopback((struct ip_address){1, 1}));
}

TEST(a_translated_address_counts_as_its_ipv4_address)
{
    const struct ip_address nat64 = {UINT64_C(0x0064FF9B00000000), 0x01020304};
    const struct ip_address other = {UINT64_C(0x0064FF9B00000000), 0x01020404};
    assert_true(ip_address_host(nat64) == ip_address_host(ip_address_v4(0x01020304)));
    assert_true(ip_address_network(nat64) == ip_address_network(ip_address_v4(0x01020399)));
    assert_true(ip_address_host(nat64) != ip_address_host(other));
    assert_true(ip_address_network(nat64) != ip_address_network(other));
    // Limits exempt the loopback; nobody from elsewhere becomes it.
    const struct ip_address loopback = {UINT64_C(0x0064FF9B00000000), 0x7F000001};
    assert_false(ip_address_is_loopback(loopback));
    // Outside of the /96 it is an address like any other.
    const struct ip_address outside = {UINT64_C(0x0064FF9B00000000),
                                       UINT64_C(1) << 32 | 0x01020304};
    assert_true(ip_address_host(outside) == outside.high);
    const struct ip_address local = {UINT64_C(0x0064FF9B00010000), 0x01020304}; // RFC 8215
    assert_true(ip_address_host(local) == local.high);
}

// Universal hashing: of two addresses, at most twice as many as chance would have it collide.
TEST(two_addresses_rarely_have_one_hash)
{
    enum { PAIRS = 100000, BITS = 10 };
    int equal = 0;
    for (int i = 0; i < PAIRS; i++) {
        const struct udp_address_hash hash = udp_address_hash_init(raim_random_next(&chance));
        const struct udp_address a = {
            .ip = any_sender(), .scope = (uint32_t)chance_int(0, 1), .port = 7246};
        struct udp_address b = {.ip = any_sender(),
                                .scope = (uint32_t)chance_int(0, 1),
                                .port = (uint16_t)chance_int(7240, 7250)};
        if (chance_int(0, 1) == 0)
            b.ip = a.ip;
        equal +=
            !udp_address_equal(a, b) &&
            (udp_address_hash_of(&hash, a) ^ udp_address_hash_of(&hash, b)) >> (64 - BITS) == 0;
    }
    assert_true(equal < 4 * PAIRS >> BITS);
}

// --- Url ---

// Which URLs an operator may configure, and the ports of their servers.

TEST(urls_and_their_ports)
{
    static const struct {
        const char *text;
        uint16_t port;
    } good[] = {
        {"http://a", 80},
        {"https://a.example/b?c=d#e", 443},
        {"http://127.0.0.1:8080/x", 8080},
        {"https://[::1]:65535", 65535},
        {"http://[2001:db8::1]/", 80},
        {"http://a?b", 80},
    };
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        uint16_t port = 0;
        assert_true(url_read(good[i].text, &port));
        assert_int_equal(port, good[i].port);
    }
}

TEST(other_texts_are_rejected)
{
    static const char *const bad[] = {
        "",           "a",          "ftp://a",         "file:///etc/passwd", "http://",
        "http:///a",  "http://a:0", "http://a:",       "http://a:65536",     "http://a:1x",
        "http://a b", "http://a\n", "http://u@a/",     "http://u:p@a/",      "http://[::1",
        "http://a\"", "HTTP://a",   "http://\xc3\xa4", "http://a{b}",        "http://[]/",
    };
    char longest[URL_BYTES + 8];
    uint16_t port;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(url_read(bad[i], &port));
    memset(longest, 'a', sizeof longest);
    memcpy(longest, "http://", 7);
    longest[URL_BYTES - 1] = '\0';
    assert_true(url_read(longest, &port));
    longest[URL_BYTES - 1] = 'a';
    longest[URL_BYTES] = '\0';
    assert_false(url_read(longest, &port));
}
