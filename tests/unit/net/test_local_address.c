// SPDX-License-Identifier: MIT
// The machine's address of a datagram: an answer leaves from where the datagram arrived, however
// many addresses of a local network somebody sends to.
#define _GNU_SOURCE // struct in6_pktinfo
#include "batch.h"
#include "test.h"

#include <netinet/in.h>

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
