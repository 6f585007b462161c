// SPDX-License-Identifier: MIT
// Load shedding: fewer snapshots while ticks take too long, all of them again when they do not.
#include "arena_load.h"
#include "test.h"

enum { TICK_HZ = 60 };

static const uint64_t period_ns = 1000000000 / TICK_HZ;

// A server whose ticks take `fixed` percent of the period, and `snapshots` percent more where every
// client is served. A tick begins when the last one has ended, as in an arena.
struct server {
    struct snapshot_pace pace;
    uint64_t fixed, snapshots;
    uint64_t behind_ns; // beginning of the next tick after its deadline
    uint32_t changes;   // of the interval
};

static struct server server_of(uint64_t fixed, uint64_t snapshots)
{
    struct server server = {.fixed = fixed, .snapshots = snapshots};
    snapshot_pace_init(&server.pace, TICK_HZ);
    return server;
}

static void run(struct server *server, double seconds)
{
    for (int tick = 0; tick < seconds * TICK_HZ; tick++) {
        const uint32_t before = server->pace.interval;
        const uint64_t percent = server->fixed + server->snapshots / before;
        const uint64_t end_ns = server->behind_ns + percent * period_ns / 100;
        server->behind_ns = end_ns > period_ns ? end_ns - period_ns : 0;
        if (server->behind_ns > 4 * period_ns)
            server->behind_ns %= period_ns; // skipped ticks
        server->changes += snapshot_pace_update(&server->pace, end_ns, period_ns) != before;
    }
}

TEST(an_arena_that_holds_its_rate_serves_everybody)
{
    struct server server = server_of(20, 65);
    run(&server, 600);
    assert_int_equal(server.pace.interval, 1);
    assert_int_equal(server.changes, 0);
}

TEST(the_interval_grows_until_the_rate_is_held)
{
    const struct {
        uint64_t fixed, snapshots;
        uint32_t interval;
    } cases[] = {{20, 75, 2}, {20, 90, 2}, {20, 180, 3}, {20, 250, 4}, {20, 1000, 4}, {150, 0, 4}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct server server = server_of(cases[i].fixed, cases[i].snapshots);
        run(&server, 4);
        assert_int_equal(server.pace.interval, cases[i].interval);
        run(&server, 600);
        assert_int_equal(server.pace.interval, cases[i].interval);
        assert_int_equal(server.changes, cases[i].interval - 1); // no flapping
    }
}

// Seconds until the interval has this value.
static double time_until(struct server *server, uint32_t interval)
{
    double periods = 0;
    for (int tick = 0; server->pace.interval != interval; tick++) {
        assert_true(tick < 1000);
        const double percent = (double)(server->fixed + server->snapshots / server->pace.interval);
        periods += percent > 100 ? percent / 100 : 1;
        run(server, 0.5 / TICK_HZ);
    }
    return periods / TICK_HZ;
}

TEST(an_overload_is_shed_within_a_second)
{
    const struct {
        uint64_t fixed, snapshots;
        uint32_t interval;
        double seconds;
    } cases[] = {{20, 90, 2, 0.2}, {20, 180, 3, 0.6}, {20, 250, 4, 1}, {20, 1000, 4, 3.5}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct server server = server_of(cases[i].fixed, cases[i].snapshots);
        assert_true(time_until(&server, cases[i].interval) <= cases[i].seconds);
    }
}

TEST(recovery_takes_five_seconds_a_step)
{
    struct server server = server_of(20, 1000);
    run(&server, 10);
    assert_int_equal(server.pace.interval, 4);
    server.snapshots = 30;
    server.behind_ns = 0;
    for (uint32_t interval = 4; interval > 1; interval--) {
        run(&server, 4.5);
        assert_int_equal(server.pace.interval, interval);
        run(&server, 1);
        assert_int_equal(server.pace.interval, interval - 1);
    }
    const uint32_t changes = server.changes;
    run(&server, 600);
    assert_int_equal(server.changes, changes);
}

TEST(an_interval_that_is_needed_now_and_then_stays)
{
    struct server server = server_of(20, 90);
    run(&server, 2);
    assert_int_equal(server.pace.interval, 2);
    for (int i = 0; i < 10; i++) {
        server.snapshots = 30;
        run(&server, 4);
        server.snapshots = 90;
        run(&server, 1);
    }
    assert_int_equal(server.changes, 1);
}

TEST(every_load_finds_its_interval_and_keeps_it)
{
    for (uint64_t fixed = 0; fixed <= 100; fixed += 5)
        for (uint64_t snapshots = 0; snapshots <= 400; snapshots += 5) {
            struct server server = server_of(fixed, snapshots);
            server.pace.interval = 4;
            run(&server, 20);
            server.changes = 0;
            run(&server, 120);
            assert_true(server.changes == 0);
        }
}

TEST(a_single_stall_is_no_load)
{
    struct snapshot_pace pace;
    snapshot_pace_init(&pace, TICK_HZ);
    for (int tick = 0; tick < 60 * TICK_HZ; tick++) {
        const bool stalls = tick % TICK_HZ < 4; // four ticks of every second, by a second each
        assert_int_equal(
            snapshot_pace_update(&pace, stalls ? 60 * period_ns : period_ns / 3, period_ns), 1);
    }
}

TEST(ten_snapshots_a_second_remain)
{
    const uint32_t rates[][2] = {{10, 1}, {19, 1}, {20, 2}, {30, 3}, {60, 4}, {240, 4}};
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++) {
        struct snapshot_pace pace;
        const uint64_t period = 1000000000 / rates[i][0];
        snapshot_pace_init(&pace, rates[i][0]);
        for (int tick = 0; tick < 10 * (int)rates[i][0]; tick++)
            snapshot_pace_update(&pace, 2 * period, period);
        assert_int_equal(pace.interval, rates[i][1]);
    }
}
