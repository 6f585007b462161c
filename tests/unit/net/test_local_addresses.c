// SPDX-License-Identifier: MIT
// The table of the machine's own addresses: numbers stay, and nobody fills it for good.
#define _GNU_SOURCE // struct in6_pktinfo
#include "local_addresses.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

// Takes a datagram to the address 2001:db8::N, or to another first byte.
static uint8_t find(struct local_addresses *addresses, uint8_t first, uint16_t n)
{
    struct local_control control = {{0}};
    struct msghdr header = {.msg_control = &control,
                            .msg_controllen = CMSG_SPACE(sizeof(struct in6_pktinfo))};
    struct in6_pktinfo info = {.ipi6_addr.s6_addr = {first, 1, 0x0D, 0xB8}};
    info.ipi6_addr.s6_addr[14] = (uint8_t)(n >> 8);
    info.ipi6_addr.s6_addr[15] = (uint8_t)n;
    struct cmsghdr *item = CMSG_FIRSTHDR(&header);
    *item = (struct cmsghdr){
        .cmsg_level = IPPROTO_IPV6, .cmsg_type = IPV6_PKTINFO, .cmsg_len = CMSG_LEN(sizeof info)};
    memcpy(CMSG_DATA(item), &info, sizeof info);
    return local_addresses_find(addresses, &header);
}

static void test_an_address_keeps_its_number(void **state)
{
    (void)state;
    struct local_addresses addresses = {0};
    assert_int_equal(find(&addresses, 0x20, 1), 1);
    assert_int_equal(find(&addresses, 0x20, 2), 2);
    assert_int_equal(find(&addresses, 0x20, 1), 1);
    assert_int_equal(find(&addresses, 0xFF, 1), 0); // multicast
}

static void test_a_full_table_takes_the_places_of_idle_addresses(void **state)
{
    (void)state;
    struct local_addresses addresses = {0};
    // Datagrams of anybody to a thousand addresses of a network that is local as a whole.
    for (uint16_t i = 0; i < 1000; i++)
        find(&addresses, 0x20, i);
    assert_int_equal(addresses.count, LOCAL_ADDRESSES_MAX);
    assert_int_equal(find(&addresses, 0x20, 5000), 0);
    const int64_t before_s = addresses.swept_s;
    // Nothing is looked for twice within the time, however many datagrams come.
    assert_int_equal(find(&addresses, 0x20, 5001), 0);
    assert_int_equal(addresses.swept_s, before_s);
    // Two players go on, and a minute passes.
    addresses.swept_s -= LOCAL_ADDRESSES_IDLE_S;
    assert_int_equal(find(&addresses, 0x20, 3), 4);
    assert_int_equal(find(&addresses, 0x20, 7), 8);
    const uint8_t number = find(&addresses, 0x20, 5000);
    assert_in_range(number, 1, LOCAL_ADDRESSES_MAX);
    assert_int_equal(find(&addresses, 0x20, 3), 4);
    assert_int_equal(find(&addresses, 0x20, 7), 8);
    assert_int_equal(find(&addresses, 0x20, 5000), number);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_an_address_keeps_its_number),
        cmocka_unit_test(test_a_full_table_takes_the_places_of_idle_addresses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
