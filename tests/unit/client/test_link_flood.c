// SPDX-License-Identifier: MIT
// One update of a link does a bounded amount of work, however much arrives.
#include "link.h"
#include "system.h"
#include "test.h"

static struct {
    bool is_on;
    enum raim_received kind; // of what waits without an end
    int received;            // from the server, in this update
} flood;

// In this test something always waits.
enum raim_received __real_raim_system_receive(raim_socket socket, uint8_t *data, size_t capacity,
                                              size_t *size);
enum raim_received __wrap_raim_system_receive(raim_socket socket, uint8_t *data, size_t capacity,
                                              size_t *size);

enum raim_received __wrap_raim_system_receive(raim_socket socket, uint8_t *data, size_t capacity,
                                              size_t *size)
{
    if (!flood.is_on)
        return __real_raim_system_receive(socket, data, capacity, size);
    flood.received++;
    assert_true(flood.received < 10000);
    *size = capacity < 100 ? capacity : 100;
    memset(data, 0xA5, *size);
    return flood.kind;
}

static void check_flood(enum raim_received kind)
{
    const struct raim_client_def def = raim_client_default_def();
    struct raim_link *link = raim_link_open("127.0.0.1", 9, &def);
    assert_non_null(link);
    flood.is_on = true;
    flood.kind = kind;
    for (int i = 0; i < 20; i++) {
        flood.received = 0;
        raim_link_update(link);
        assert_in_range(flood.received, 1, 300);
    }
    raim_link_close(link);
    flood.is_on = false;
}

TEST(an_update_takes_256_datagrams_at_the_most)
{
    check_flood(RAIM_RECEIVED_DATAGRAM);
}

TEST(an_update_takes_256_errors_at_the_most)
{
    check_flood(RAIM_RECEIVED_ERROR);
}
