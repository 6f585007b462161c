// SPDX-License-Identifier: MIT
// A client's clock before a server that measures as the real one does, over a network of chance:
// inputs come in time, and no earlier than that takes.
#include "clock.h"

#include "chance.h"
#include "frame.h"
#include "test.h"

#include <math.h>

enum { STEP_US = 1000, IN_FLIGHT = 1024, INBOX = 64 };

// One way. Of the jitter some comes evenly, and some by a tail that has no end.
struct line {
    double latency_ms, even_ms, tail_ms, loss;
};

struct parcel {
    uint64_t due_us; // 0: none
    uint32_t tick;
    int32_t margin;
};

struct server {
    uint64_t start_us, steps;
    uint32_t tick;
    bool any, has_least;
    uint32_t newest; // input
    int32_t least, margin;
    bool has[INBOX];
    uint32_t played, missed; // ticks since the first input
};

struct link {
    uint32_t tick_hz;
    uint64_t now_us;
    struct line line;
    struct server server;
    struct raim_clock clock;
    bool any_snapshot;
    uint32_t newest_snapshot, pressed, presses;
    struct parcel up[IN_FLIGHT], down[IN_FLIGHT];
};

static void post(const struct link *link, struct parcel *parcels, uint32_t tick, int32_t margin)
{
    const struct line *line = &link->line;
    if (chance_between(0, 1) < line->loss)
        return;
    const double tail = line->tail_ms > 0 ? -line->tail_ms * log(1 - chance_between(0, 1)) : 0;
    const double ms = line->latency_ms + chance_between(0, line->even_ms) + tail;
    for (int i = 0; i < IN_FLIGHT; i++)
        if (parcels[i].due_us == 0) {
            parcels[i] = (struct parcel){link->now_us + 1 + (uint64_t)(ms * 1e3), tick, margin};
            return;
        }
    fail();
}

static bool take(const struct link *link, struct parcel *parcels, struct parcel *parcel)
{
    struct parcel *first = NULL;
    for (int i = 0; i < IN_FLIGHT; i++)
        if (parcels[i].due_us != 0 && parcels[i].due_us <= link->now_us &&
            (first == NULL || parcels[i].due_us < first->due_us))
            first = &parcels[i];
    if (first == NULL)
        return false;
    *parcel = *first;
    first->due_us = 0;
    return true;
}

// An INPUT, as lib/match's inbox takes it.
static void receive_input(struct server *server, uint32_t tick, uint32_t tick_hz)
{
    const int32_t told = (int32_t)raim_clock_inputs(tick_hz);
    const int32_t ahead = (int32_t)(tick - server->tick);
    if (ahead >= INBOX || (server->any && (int32_t)(tick - server->newest) <= 0))
        return;
    server->any = true;
    server->newest = tick;
    server->least = server->has_least && server->least < ahead ? server->least : ahead;
    server->has_least = true;
    for (int32_t i = 0; i < told && i <= ahead; i++)
        server->has[(tick - (uint32_t)i) % INBOX] = true;
}

static void serve(struct link *link)
{
    struct server *server = &link->server;
    struct parcel parcel;
    if (link->now_us < server->start_us + server->steps * 1000000 / link->tick_hz)
        return;
    server->steps++;
    while (take(link, link->up, &parcel))
        receive_input(server, parcel.tick, link->tick_hz);
    if (server->has_least && (server->tick + 1) % RAIM_MARGIN_WINDOW == 0) {
        server->margin = server->least > RAIM_MAX_MARGIN    ? RAIM_MAX_MARGIN
                         : server->least < -RAIM_MAX_MARGIN ? -RAIM_MAX_MARGIN
                                                            : server->least;
        server->has_least = false;
    }
    server->played += server->any;
    server->missed += server->any && !server->has[server->tick % INBOX];
    server->has[server->tick % INBOX] = false;
    server->tick++;
    post(link, link->down, server->tick, server->margin);
}

static void play(struct link *link, double seconds)
{
    for (const uint64_t end = link->now_us + (uint64_t)(seconds * 1e6); link->now_us < end;
         link->now_us += STEP_US) {
        struct parcel parcel;
        serve(link);
        while (take(link, link->down, &parcel)) {
            if (link->any_snapshot && (int32_t)(parcel.tick - link->newest_snapshot) <= 0)
                continue;
            link->any_snapshot = true;
            link->newest_snapshot = parcel.tick;
            raim_clock_receive(&link->clock, link->now_us, parcel.tick, parcel.margin);
        }
        while (raim_clock_is_input_due(&link->clock, link->now_us)) {
            const uint32_t tick = raim_clock_take_input(&link->clock, link->now_us);
            assert_true(link->pressed == 0 || (int32_t)(tick - link->pressed) > 0);
            link->pressed = tick;
            link->presses++;
            post(link, link->up, tick, 0);
        }
    }
}

static struct link open_link(uint32_t tick_hz, struct line line)
{
    struct link link = {.tick_hz = tick_hz, .line = line, .now_us = 12345678};
    link.server.start_us = link.now_us;
    link.server.tick = UINT32_MAX - 500; // it wraps
    const double round_trip_ms = 2 * line.latency_ms + line.even_ms;
    raim_clock_init(&link.clock, tick_hz, (uint64_t)(round_trip_ms * 1e3));
    return link;
}

static double missed_share(struct link *link, double seconds)
{
    link->server.played = link->server.missed = 0;
    play(link, seconds);
    return link->server.missed / (double)link->server.played;
}

TEST(inputs_come_in_time)
{
    static const struct line lines[] = {
        {0, 0, 0, 0},       {20, 5, 0, 0.005}, {50, 30, 0, 0.02},
        {125, 30, 0, 0.02}, {30, 0, 10, 0.02}, {5, 60, 0, 0.01},
    };
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        struct link link = open_link(60, lines[i]);
        play(&link, 10);
        assert_true(missed_share(&link, 120) <= 0.001);
    }
}

TEST(every_tick_rate_is_served)
{
    static const uint32_t rates[] = {10, 30, 128, 240};
    for (size_t i = 0; i < sizeof rates / sizeof rates[0]; i++) {
        struct link link = open_link(rates[i], (struct line){40, 20, 0, 0.01});
        play(&link, 20);
        assert_true(missed_share(&link, 60) <= 0.001);
        assert_true(link.clock.wanted - link.clock.round_trip <= 4 + 0.03 * rates[i]);
    }
}

TEST(an_even_line_settles_it_for_good)
{
    for (int i = 0; i < 20; i++) {
        struct link link = open_link(60, (struct line){.latency_ms = chance_between(0, 250)});
        // What the first estimate is worth makes no difference in the end.
        link.clock.round_trip = chance_between(0, 20);
        play(&link, 25);
        const double offset = link.clock.wanted;
        assert_int_equal(missed_share(&link, 30), 0);
        assert_true(link.clock.wanted == offset);
        assert_true(link.server.margin >= 1 && link.server.margin <= 2);
        assert_true(fabs(link.clock.round_trip * 1e3 / 60 - 2 * link.line.latency_ms) <= 20);
    }
}

// While the line stays the same, so does the clock, bar what the jitter's own extremes are.
TEST(jitter_does_not_make_it_swing)
{
    struct link link = open_link(60, (struct line){60, 30, 0, 0.02});
    double least = INFINITY, most = -INFINITY;
    int turns = 0, direction = 0;
    play(&link, 10);
    for (int i = 0; i < 600; i++) {
        const double before = link.clock.wanted;
        play(&link, 0.1);
        const double offset = link.clock.wanted;
        const int now = (offset > before) - (offset < before);
        turns += now != 0 && direction != 0 && now != direction;
        direction = now != 0 ? now : direction;
        least = fmin(least, offset);
        most = fmax(most, offset);
    }
    assert_true(most - least <= 2);
    assert_true(turns <= 12);
}

TEST(it_follows_a_line_that_changes)
{
    struct link link = open_link(60, (struct line){30, 5, 0, 0});
    play(&link, 10);
    link.line.latency_ms = 130; // both ways: 12 ticks
    play(&link, 3);
    assert_true(missed_share(&link, 20) <= 0.001);
    const double far = link.clock.wanted;
    link.line.latency_ms = 30;
    play(&link, 20);
    assert_true(link.clock.wanted < far - 4);
    assert_true(link.server.margin >= 1 && link.server.margin <= 3);
}

TEST(a_single_hold_up_is_not_followed)
{
    struct link link = open_link(60, (struct line){30, 0, 0, 0});
    play(&link, 10);
    const double offset = link.clock.wanted;
    // Everything of 0.4 s arrives at its end.
    for (int ms = 400; ms > 0; ms -= 10) {
        link.line.latency_ms = 30 + ms;
        play(&link, 0.01);
    }
    link.line.latency_ms = 30;
    for (int i = 0; i < 100; i++) {
        play(&link, 0.02);
        assert_true(link.clock.wanted - offset < 10);
    }
    play(&link, 20);
    assert_true(fabs(link.clock.wanted - offset) <= 1);
}

TEST(a_pause_skips_what_would_come_too_late)
{
    struct link link = open_link(60, (struct line){30, 0, 0, 0});
    play(&link, 10);
    const uint32_t pressed = link.pressed;
    for (const uint64_t end = link.now_us + 1000000; link.now_us < end; link.now_us += STEP_US)
        serve(&link); // the client stands still
    const uint32_t presses = link.presses;
    play(&link, 0.002);
    assert_true(link.pressed - pressed >= 50 && link.presses - presses <= 3);
    play(&link, 12);
    assert_true(missed_share(&link, 10) == 0);
}

TEST(a_server_that_lost_time_is_found_again)
{
    struct link link = open_link(60, (struct line){30, 0, 0, 0});
    play(&link, 10);
    // So long that the server rejects whatever the client says: it is too early.
    link.server.tick -= 80;
    link.server.newest = link.server.tick - 1;
    link.newest_snapshot -= 80;
    play(&link, 4);
    assert_true(missed_share(&link, 20) <= 0.001);
    // The other way round.
    link.server.tick += 500;
    play(&link, 4);
    assert_true(missed_share(&link, 20) <= 0.001);
}

TEST(the_phase_never_leaves_its_tick)
{
    struct link link = open_link(60, (struct line){30, 5, 0, 0});
    play(&link, 5);
    double shown = 0;
    for (int i = 0; i < 2000; i++) {
        play(&link, 0.002);
        const double phase = raim_clock_phase(&link.clock, link.now_us);
        const double now = (int32_t)(link.clock.next_tick - link.clock.start_tick) + phase;
        assert_true(phase >= 0 && phase <= 1 && now >= shown);
        shown = now;
    }
    // However late the next press.
    assert_true(raim_clock_phase(&link.clock, link.now_us + 1000000) == 1);
}
