// SPDX-License-Identifier: MIT
// INPUT: round trips, and rejection of malformed messages.
#include "hostile.h"
#include "input.h"

static bool read_input(const uint8_t *bytes, size_t size, struct raim_input_message *message)
{
    raim_reader reader = raim_reader_make(bytes, size);
    return raim_message_read(&reader) == RAIM_MESSAGE_INPUT && raim_input_read(&reader, message);
}

// A few directions only, so that inputs repeat.
static struct raim_input_message chance_input(void)
{
    struct raim_input_message message = {
        .tick = chance_magnitude(32),
        .has_snapshot = chance_bool(),
        .count = (uint32_t)chance_int(1, RAIM_MAX_INPUTS),
    };
    message.snapshot =
        message.has_snapshot ? message.tick + (uint32_t)(int16_t)chance_magnitude(16) : 0;
    message.events = (uint16_t)chance_magnitude(16);
    for (uint32_t i = 0; i < message.count; i++) {
        if (i > 0 && chance_bool()) {
            message.inputs[i] = message.inputs[i - 1];
            continue;
        }
        message.inputs[i] = (raim_wire_input){
            .move_x = (int8_t)chance_int(-1, 1),
            .move_y = (int8_t)chance_int(-1, 1),
            .fire = chance_bool(),
            .aim = (uint16_t)(chance_bool() ? 0 : chance_bits(16)),
        };
        if (message.inputs[i].fire)
            message.inputs[i].view_age = (uint8_t)chance_int(0, RAIM_WIRE_REWIND);
    }
    return message;
}

static void assert_same(const struct raim_input_message *a, const struct raim_input_message *b)
{
    assert_int_equal(a->tick, b->tick);
    assert_int_equal(a->has_snapshot, b->has_snapshot);
    assert_int_equal(a->snapshot, b->snapshot);
    assert_int_equal(a->events, b->events);
    assert_int_equal(a->count, b->count);
    for (uint32_t i = 0; i < a->count; i++) {
        assert_int_equal(a->inputs[i].move_x, b->inputs[i].move_x);
        assert_int_equal(a->inputs[i].move_y, b->inputs[i].move_y);
        assert_int_equal(a->inputs[i].fire, b->inputs[i].fire);
        assert_int_equal(a->inputs[i].view_age, b->inputs[i].view_age);
        assert_int_equal(a->inputs[i].aim, b->inputs[i].aim);
    }
}

static bool accepts_input(const uint8_t *bytes, size_t size)
{
    struct raim_input_message message, again;
    uint8_t written[64];
    if (!read_input(bytes, size, &message))
        return false;
    assert_in_range(message.count, 1, RAIM_MAX_INPUTS);
    for (uint32_t i = 0; i < message.count; i++) {
        assert_true(message.inputs[i].move_x >= -1 && message.inputs[i].move_x <= 1);
        assert_true(message.inputs[i].move_y >= -1 && message.inputs[i].move_y <= 1);
        assert_true(message.inputs[i].view_age <= (message.inputs[i].fire ? RAIM_WIRE_REWIND : 0));
    }
    assert_true(read_input(written, raim_input_write(&message, written, sizeof written), &again));
    assert_same(&message, &again);
    return true;
}

TEST(input_survives_the_wire)
{
    for (int i = 0; i < 200000; i++) {
        const struct raim_input_message message = chance_input();
        struct raim_input_message told;
        uint8_t bytes[64];
        const size_t size = raim_input_write(&message, bytes, sizeof bytes);
        assert_true(read_input(bytes, size, &told));
        assert_same(&message, &told);
        hostile_attack(accepts_input, bytes, size);
    }
}

TEST(repeated_inputs_cost_one_bit)
{
    struct raim_input_message message = {.count = 1};
    uint8_t bytes[64];
    const size_t alone = raim_input_write(&message, bytes, sizeof bytes);
    message.count = RAIM_MAX_INPUTS;
    assert_true(raim_input_write(&message, bytes, sizeof bytes) <= alone + 1);
}

TEST(an_age_of_the_view_costs_six_bits_of_those_who_fire)
{
    struct raim_input_message message = {.count = RAIM_MAX_INPUTS};
    uint8_t bytes[64];
    for (int i = 0; i < RAIM_MAX_INPUTS; i++) // no two are alike
        message.inputs[i].aim = (uint16_t)(i + 1);
    const size_t holding = raim_input_write(&message, bytes, sizeof bytes);
    for (int i = 0; i < RAIM_MAX_INPUTS; i++)
        message.inputs[i].fire = true;
    const size_t firing = raim_input_write(&message, bytes, sizeof bytes);
    assert_int_equal(firing, holding + 6 * RAIM_MAX_INPUTS / 8);
}

TEST(another_age_of_the_view_is_another_input)
{
    struct raim_input_message message = {.count = 2, .inputs = {{.fire = true}, {.fire = true}}};
    struct raim_input_message told;
    uint8_t bytes[64];
    const size_t same = raim_input_write(&message, bytes, sizeof bytes);
    for (uint8_t age = 1; age <= RAIM_WIRE_REWIND; age++) {
        message.inputs[1].view_age = age;
        const size_t size = raim_input_write(&message, bytes, sizeof bytes);
        assert_true(size > same);
        assert_true(read_input(bytes, size, &told));
        assert_same(&message, &told);
    }
}

TEST(input_moves_by_no_more_than_one)
{
    for (uint32_t x = 0; x < 4; x++) {
        for (uint32_t y = 0; y < 4; y++) {
            uint8_t bytes[64];
            struct raim_input_message told;
            raim_writer writer = raim_message_write(RAIM_MESSAGE_INPUT, bytes, sizeof bytes);
            raim_write_bits(&writer, 1, 32); // tick
            raim_write_bits(&writer, 0, 20); // no snapshot, no events, one input
            raim_write_bits(&writer, x, 2);
            raim_write_bits(&writer, y, 2);
            raim_write_bits(&writer, 0, 17); // fire, aim
            const size_t size = raim_writer_finish(&writer);
            assert_int_equal(read_input(bytes, size, &told), x < 3 && y < 3);
        }
    }
}
