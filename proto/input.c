// SPDX-License-Identifier: MIT
// Writes and reads INPUT.
#include "input.h"

enum { VIEW_AGE_BITS = 6, LOW_BITS = 16 };
static_assert(RAIM_WIRE_REWIND < 1 << VIEW_AGE_BITS, "a view's age fits its bits");

static void write_one(raim_writer *writer, const raim_wire_input *input)
{
    raim_write_ranged(writer, (uint32_t)(input->move_x + 1), 0, 2);
    raim_write_ranged(writer, (uint32_t)(input->move_y + 1), 0, 2);
    raim_write_bool(writer, input->fire);
    if (input->fire)
        raim_write_bits(writer, input->view_age, VIEW_AGE_BITS);
    raim_write_bits(writer, input->aim, 16);
}

static raim_wire_input read_one(raim_reader *reader)
{
    raim_wire_input input;
    input.move_x = (int8_t)((int)raim_read_ranged(reader, 0, 2) - 1);
    input.move_y = (int8_t)((int)raim_read_ranged(reader, 0, 2) - 1);
    input.fire = raim_read_bool(reader);
    input.view_age = (uint8_t)raim_read_bits(reader, input.fire ? VIEW_AGE_BITS : 0);
    input.aim = (uint16_t)raim_read_bits(reader, 16);
    return input;
}

static bool same(const raim_wire_input *a, const raim_wire_input *b)
{
    return a->move_x == b->move_x && a->move_y == b->move_y && a->fire == b->fire &&
           a->view_age == b->view_age && a->aim == b->aim;
}

// The tick with low bits `low` that is nearest to `tick`.
static uint32_t nearest(uint32_t tick, uint32_t low)
{
    return tick + (uint32_t)(int16_t)(low - tick);
}

size_t raim_input_write(const struct raim_input_message *message, uint8_t *bytes, size_t capacity)
{
    assert(message->count >= 1 && message->count <= RAIM_MAX_INPUTS);
    raim_writer writer = raim_message_write(RAIM_MESSAGE_INPUT, bytes, capacity);
    raim_write_bits(&writer, message->tick, 32);
    const bool has_snapshot =
        message->has_snapshot && nearest(message->tick, message->snapshot) == message->snapshot;
    raim_write_bool(&writer, has_snapshot);
    if (has_snapshot)
        raim_write_bits(&writer, (uint16_t)message->snapshot, LOW_BITS);
    raim_write_bits(&writer, message->events, LOW_BITS);
    raim_write_ranged(&writer, message->count, 1, RAIM_MAX_INPUTS);
    write_one(&writer, &message->inputs[0]);
    for (uint32_t i = 1; i < message->count; i++) {
        const bool repeated = same(&message->inputs[i], &message->inputs[i - 1]);
        raim_write_bool(&writer, repeated);
        if (!repeated)
            write_one(&writer, &message->inputs[i]);
    }
    return raim_writer_finish(&writer);
}

bool raim_input_read(raim_reader *reader, struct raim_input_message *message)
{
    *message = (struct raim_input_message){0};
    message->tick = raim_read_bits(reader, 32);
    message->has_snapshot = raim_read_bool(reader);
    if (message->has_snapshot)
        message->snapshot = nearest(message->tick, raim_read_bits(reader, LOW_BITS));
    message->events = (uint16_t)raim_read_bits(reader, LOW_BITS);
    message->count = raim_read_ranged(reader, 1, RAIM_MAX_INPUTS);
    message->inputs[0] = read_one(reader);
    for (uint32_t i = 1; i < message->count; i++) {
        const bool repeated = raim_read_bool(reader);
        message->inputs[i] = repeated ? message->inputs[i - 1] : read_one(reader);
    }
    return raim_reader_done(reader);
}
