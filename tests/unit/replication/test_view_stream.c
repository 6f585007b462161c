// SPDX-License-Identifier: MIT
// Snapshots of a match over lines that lose, duplicate and delay: every entity of every snapshot
// equals the world's.
#include "view_fixture.h"

#include <math.h>

enum { CLIENTS = 10, TICKS = 3000, IN_FLIGHT = 4096 };

struct packet {
    bool to_match;
    uint32_t handle, due;
    size_t size;
    uint8_t bytes[RAIM_MAX_MESSAGE_BYTES];
};

struct quality {
    double loss, doubling;
    int shortest, longest; // ticks that a message takes
};

struct line {
    struct quality quality;
    struct packet packets[IN_FLIGHT];
    size_t count;
};

static void send_over(struct line *line, bool to_match, uint32_t handle, uint32_t now,
                      const uint8_t *data, size_t size)
{
    for (int copies = chance_between(0, 1) < line->quality.doubling ? 2 : 1; copies > 0; copies--) {
        if (chance_between(0, 1) < line->quality.loss)
            continue;
        assert_true(line->count < IN_FLIGHT);
        struct packet *packet = &line->packets[line->count++];
        packet->to_match = to_match;
        packet->handle = handle;
        packet->due = now + (uint32_t)chance_int(line->quality.shortest, line->quality.longest);
        packet->size = size;
        memcpy(packet->bytes, data, size);
    }
}

// A bullet sent without its origin is accurate to half a grid step per axis.
static void assert_bullet_is_true(const struct stage *stage, const struct raim_wire_frame *frame,
                                  const struct raim_wire_frame *truth, uint32_t slot)
{
    const raim_wire_bullet *told = &frame->bullets[slot], *real = &truth->bullets[slot];
    const double step = stage->match->def.rules.bullet_speed / stage->match->def.tick_hz;
    const raim_vec2 direction = raim_angle_direction(real->aim);
    const raim_vec2 reported_at = raim_vec2_mad(raim_units(told->x, told->y), direction,
                                                step * raim_tick_diff(frame->tick, told->tick));
    const raim_vec2 real_at = raim_vec2_mad(raim_units(real->x, real->y), direction,
                                            step * raim_tick_diff(frame->tick, real->tick));
    assert_int_equal(told->aim, real->aim);
    assert_true(fabs(reported_at.x - real_at.x) <= 0.51 * RAIM_MAP_GRID);
    assert_true(fabs(reported_at.y - real_at.y) <= 0.51 * RAIM_MAP_GRID);
}

static void assert_frame_is_true(const struct stage *stage, uint32_t handle,
                                 const struct raim_wire_frame *frame)
{
    const struct raim_wire_limits *limits = &stage->limits;
    const struct raim_wire_frame *truth =
        raim_history_at(&stage->match->interest.history, frame->tick);
    struct raim_sent_view *shown =
        raim_sent_view_at(&stage->match->interest, &stage->match->connections[handle], frame->tick);
    const uint32_t bullets = raim_wire_bullets(limits);
    assert_true(shown->valid && shown->sent && shown->tick == frame->tick);
    assert_memory_equal(frame->seen_players, shown->players, raim_set_words(limits->players) * 8);
    assert_memory_equal(frame->seen_bullets, raim_sent_view_bullets(limits, shown),
                        raim_set_words(bullets) * 8);
    assert_true(frame->self.slot == shown->self.slot && frame->self.steers &&
                frame->self.alive == shown->self.alive && frame->self.timer == shown->self.timer &&
                frame->self.shots == shown->self.shots && frame->self.hits == shown->self.hits &&
                frame->self.margin == shown->self.margin);
    for (uint32_t slot = 0; slot < limits->players; slot++) {
        const raim_wire_player *told = &frame->players[slot], *real = &truth->players[slot];
        if (!raim_set_has(frame->seen_players, slot))
            continue;
        assert_true(raim_set_has(truth->seen_players, slot));
        assert_true(told->x == real->x && told->y == real->y &&
                    told->direction == real->direction && told->life == real->life &&
                    told->shield == real->shield && told->health == real->health);
        assert_int_equal(told->aim, slot == frame->self.slot ? 0 : real->aim);
    }
    for (uint32_t slot = 0; slot < bullets; slot++) {
        if (!raim_set_has(frame->seen_bullets, slot))
            continue;
        assert_true(raim_set_has(truth->seen_bullets, slot));
        assert_bullet_is_true(stage, frame, truth, slot);
    }
}

static void hear(const struct stage *stage, struct viewer *viewer, const struct packet *packet)
{
    const struct raim_wire_frame *frame = stage_read(stage, viewer, packet->bytes, packet->size);
    if (frame != NULL)
        assert_frame_is_true(stage, packet->handle, frame);
}

static void deliver(struct stage *stage, struct line *line)
{
    const uint32_t now = stage->match->world->tick;
    for (size_t i = 0; i < line->count;) {
        struct packet *packet = &line->packets[i];
        if (packet->due != now) {
            i++;
            continue;
        }
        struct viewer *viewer = &stage->viewers[packet->handle];
        if (packet->to_match)
            raim_match_receive(stage->match, packet->handle, false, packet->bytes, packet->size);
        else
            hear(stage, viewer, packet);
        *packet = line->packets[--line->count];
    }
}

static void press(struct stage *stage, struct line *line, uint32_t handle)
{
    struct viewer *viewer = &stage->viewers[handle];
    uint8_t bytes[RAIM_MAX_MESSAGE_BYTES];
    if (!viewer->sits || !viewer->any)
        return;
    if (chance_int(0, 19) == 0)
        viewer->pressed = (raim_wire_input){
            .move_x = (int8_t)chance_int(-1, 1),
            .move_y = (int8_t)chance_int(-1, 1),
            .fire = chance_int(0, 1) == 0,
            .aim = (uint16_t)chance_int(0, 65535),
        };
    viewer->has_named = true;
    viewer->name = viewer->newest;
    const uint32_t now = stage->match->world->tick;
    const size_t size = stage_write_input(viewer, now + (uint32_t)line->quality.longest, bytes);
    send_over(line, true, handle, now, bytes, size);
}

static void play(struct quality quality)
{
    static struct line whole; // too large for a stack
    struct line *line = &whole;
    const raim_box walls[] = {{{-300, -200}, {-240, 200}}, {{240, -300}, {300, 100}}};
    struct raim_match_def def = raim_match_default_def();
    def.tuning.max_players = CLIENTS;
    def.bots = 4;
    def.seed = raim_random_next(&chance);
    struct stage *stage = stage_open(fixture_map(walls, 2), def);
    uint64_t told = 0;
    line->quality = quality;
    line->count = 0;
    for (int i = 0; i < chance_rounds(TICKS); i++) {
        struct raim_outgoing out;
        const uint32_t handle = (uint32_t)chance_int(0, CLIENTS - 1);
        if (!stage->viewers[handle].sits) {
            stage_join(stage, handle);
        } else if (chance_int(0, 199) == 0) {
            stage_leave(stage, handle);
            for (size_t p = line->count; p > 0; p--) // of its connection
                if (line->packets[p - 1].handle == handle)
                    line->packets[p - 1] = line->packets[--line->count];
        }
        raim_match_step(stage->match);
        while (raim_match_outgoing(stage->match, &out))
            if (!out.reliable)
                send_over(line, false, out.client, stage->match->world->tick, out.data, out.size);
        deliver(stage, line);
        for (uint32_t client = 0; client < CLIENTS; client++)
            press(stage, line, client);
    }
    for (uint32_t client = 0; client < CLIENTS; client++)
        told += stage->viewers[client].told;
    assert_true(told > 100);
    assert_int_equal(raim_match_counts(stage->match).rejected[RAIM_REJECTED_ACK], 0);
    assert_int_equal(raim_match_counts(stage->match).rejected[RAIM_REJECTED_MALFORMED], 0);
}

TEST(every_snapshot_equals_the_world)
{
    play((struct quality){.shortest = 1, .longest = 1});
}

TEST(loss_doubling_and_disorder_desynchronise_nothing)
{
    play((struct quality){.loss = 0.05, .doubling = 0.05, .shortest = 1, .longest = 6});
    play((struct quality){.loss = 0.4, .doubling = 0.2, .shortest = 1, .longest = 20});
}

TEST(acknowledgements_that_hardly_ever_come_desynchronise_nothing)
{
    play((struct quality){.loss = 0.9, .shortest = 2, .longest = 30});
}
