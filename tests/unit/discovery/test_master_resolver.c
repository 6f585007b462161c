// SPDX-License-Identifier: MIT
// The thread that resolves master servers: what it finds, what it cannot, and its end.
#define _GNU_SOURCE
#include "master_resolver.h"
#include "test.h"

#include <time.h>

enum { PAUSES = 4000, PAUSE_NS = 5000000 };

static void pause_a_little(void)
{
    nanosleep(&(struct timespec){.tv_nsec = PAUSE_NS}, NULL);
}

static void take(struct master_resolver *resolver, struct masters_list *list,
                 const char *problems[CONFIG_MAX_MASTERS])
{
    for (int i = 0; !master_resolver_take(resolver, list, problems); i++) {
        assert_true(i < PAUSES);
        pause_a_little();
    }
}

TEST(addresses_are_resolved_in_order)
{
    const struct config_masters masters = {
        .count = 3,
        .items = {{"192.0.2.1", 27950}, {"2001:db8::1", 1}, {"a..b", 2}},
    };
    struct masters_list list;
    const char *problems[CONFIG_MAX_MASTERS];
    struct master_resolver *resolver = master_resolver_start(&masters);
    assert_non_null(resolver);
    take(resolver, &list, problems);
    assert_int_equal(list.count, 2);
    assert_int_equal(list.items[0].master, 0);
    assert_true(udp_address_equal(list.items[0].to, udp_address_v4(0xC0000201, 27950)));
    assert_int_equal(list.items[1].master, 1);
    assert_int_equal(list.items[1].to.port, 1);
    assert_true(list.items[1].to.ip.high == UINT64_C(0x20010DB800000000));
    assert_true(list.items[1].to.ip.low == 1);
    assert_null(problems[0]);
    assert_null(problems[1]);
    assert_non_null(problems[2]);
    assert_false(master_resolver_take(resolver, &list, problems)); // nothing new
    master_resolver_stop(resolver);
}

TEST(it_may_be_stopped_at_any_time)
{
    const struct config_masters masters = {.count = 1, .items = {{"localhost", 27950}}};
    for (int i = 0; i < 50; i++) {
        struct master_resolver *resolver = master_resolver_start(&masters);
        assert_non_null(resolver);
        if (i % 2 == 0)
            pause_a_little();
        master_resolver_stop(resolver);
    }
    master_resolver_stop(NULL);
}

TEST(only_names_need_the_systems_resolver)
{
    struct config_masters masters = {.count = 2, .items = {{"192.0.2.1", 1}, {"::1", 1}}};
    assert_false(master_resolver_needs_names(&masters));
    strcpy(masters.items[1].host, "master.example.org");
    assert_true(master_resolver_needs_names(&masters));
    assert_false(master_resolver_needs_names(&(struct config_masters){.count = 0}));
}
