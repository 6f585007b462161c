// SPDX-License-Identifier: MIT
// EVENTS: what the round trips of test_messages.c do not draw.
#include "events_fixture.h"
#include "hostile.h"

static bool read_events(const uint8_t *bytes, size_t size, struct raim_events_message *message)
{
    raim_reader reader = raim_reader_make(bytes, size);
    return raim_message_read(&reader) == RAIM_MESSAGE_EVENTS &&
           raim_events_read(&reader, message) && raim_reader_done(&reader);
}

TEST(a_snapshot_may_follow_events)
{
    static struct raim_events_message message = {.sequence = 7, .count = 1}, told;
    message.events[0] = (struct raim_wire_event){.kind = RAIM_WIRE_LEFT, .player = 1025};
    uint8_t bytes[64];
    const size_t size = write_events(&message, bytes, sizeof bytes);
    bytes[size] = 1;
    raim_reader reader = raim_reader_make(bytes, size + 1);
    assert_int_equal(raim_message_read(&reader), RAIM_MESSAGE_EVENTS);
    assert_true(raim_events_read(&reader, &told));
    assert_int_equal(reader.offset, 8 * size);
    assert_int_equal(raim_message_read(&reader), RAIM_MESSAGE_SNAPSHOT);
}

TEST(a_message_holds_1_to_64_events)
{
    for (uint32_t count = 0; count <= 64; count++) {
        uint8_t bytes[RAIM_MAX_MESSAGE_BYTES];
        static struct raim_events_message told;
        raim_writer writer = raim_message_write(RAIM_MESSAGE_EVENTS, bytes, sizeof bytes);
        raim_write_bits(&writer, 31, RAIM_EPOCH_BITS);
        raim_write_bits(&writer, 1, 16); // sequence
        raim_write_bits(&writer, (count - 1) & 63, 6);
        for (uint32_t i = 0; i < count; i++) {
            raim_write_ranged(&writer, RAIM_WIRE_LEFT, 0, RAIM_WIRE_EVENT_KINDS - 1);
            raim_write_bits(&writer, 1025, 16);
            raim_write_bits(&writer, RAIM_REASON_LEFT, 8);
            raim_write_bits(&writer, 0, 5);
        }
        const size_t size = raim_writer_finish(&writer);
        assert_int_equal(read_events(bytes, size, &told), count >= 1);
    }
}

TEST(the_longest_event_fits)
{
    struct raim_wire_event event = {.kind = RAIM_WIRE_CHAT, .player = 65535};
    uint8_t bytes[RAIM_MAX_EVENT_BYTES];
    memset(event.text, 'x', RAIM_MAX_CHAT_BYTES);
    assert_int_equal(raim_event_write(&event, bytes), RAIM_MAX_EVENT_BYTES);
}

static raim_writer begin_events(uint8_t *bytes, enum raim_wire_event_kind kind)
{
    raim_writer writer = raim_message_write(RAIM_MESSAGE_EVENTS, bytes, RAIM_MAX_MESSAGE_BYTES);
    raim_write_bits(&writer, 1, 16); // sequence
    raim_write_bits(&writer, 0, 11); // one event, padding
    raim_write_ranged(&writer, kind, 0, RAIM_WIRE_EVENT_KINDS - 1);
    if (kind != RAIM_WIRE_PHASE)
        raim_write_bits(&writer, 1025, 16);
    return writer;
}

TEST(a_kill_tells_every_rewind)
{
    static struct raim_events_message told;
    for (uint32_t rewind = 0; rewind <= RAIM_WIRE_REWIND; rewind++) {
        uint8_t bytes[RAIM_MAX_MESSAGE_BYTES];
        raim_writer writer = begin_events(bytes, RAIM_WIRE_KILL);
        raim_write_bits(&writer, 1026, 16); // victim
        raim_write_bits(&writer, 0, 2);     // neither score nor deaths
        raim_write_bits(&writer, rewind, 6);
        assert_true(read_events(bytes, raim_writer_finish(&writer), &told));
        assert_int_equal(told.events[0].rewind, rewind);
    }
}

TEST(a_phase_tells_a_winner_in_breaks_alone_and_an_end_where_there_is_one)
{
    static struct raim_events_message told;
    for (uint32_t phase = 0; phase < 4; phase++) {
        for (int has_end = 0; has_end <= 1; has_end++) {
            uint8_t bytes[RAIM_MAX_MESSAGE_BYTES];
            raim_writer writer = begin_events(bytes, RAIM_WIRE_PHASE);
            raim_write_bits(&writer, phase, 2);
            raim_write_bits(&writer, 65535, 16); // round
            raim_write_bool(&writer, has_end);
            if (has_end)
                raim_write_bits(&writer, 1234, 32);
            raim_write_count(&writer, 50);
            if (phase == RAIM_PHASE_BREAK) {
                raim_write_bits(&writer, 1026, 16);
                raim_write_text(&writer, "ruins", RAIM_MAX_TITLE_BYTES);
            }
            const size_t size = raim_writer_finish(&writer);
            assert_int_equal(read_events(bytes, size, &told), phase < RAIM_PHASES);
            if (phase == RAIM_PHASES)
                continue;
            const struct raim_wire_phase expected = {
                .phase = (enum raim_phase)phase,
                .round = 65535,
                .has_end = has_end,
                .end_tick = has_end ? 1234 : 0,
                .score_limit = 50,
                .winner = phase == RAIM_PHASE_BREAK ? 1026 : 0,
                .next_map = {phase == RAIM_PHASE_BREAK ? 'r' : '\0', 'u', 'i', 'n', 's'},
            };
            const struct raim_wire_phase *read = &told.events[0].phase;
            assert_int_equal(read->phase, expected.phase);
            assert_int_equal(read->round, expected.round);
            assert_int_equal(read->has_end, expected.has_end);
            assert_int_equal(read->end_tick, expected.end_tick);
            assert_int_equal(read->score_limit, expected.score_limit);
            assert_int_equal(read->winner, expected.winner);
            assert_string_equal(read->next_map, expected.next_map);
        }
    }
}

TEST(an_event_of_no_known_kind_is_rejected)
{
    static struct raim_events_message told;
    for (uint32_t kind = RAIM_WIRE_EVENT_KINDS; kind < 8; kind++) {
        uint8_t bytes[RAIM_MAX_MESSAGE_BYTES] = {0};
        raim_writer writer = raim_message_write(RAIM_MESSAGE_EVENTS, bytes, sizeof bytes);
        raim_write_bits(&writer, 1, 16); // sequence
        raim_write_bits(&writer, 0, 11); // one event, padding
        raim_write_bits(&writer, kind, 3);
        const size_t size = raim_writer_finish(&writer);
        for (size_t longer = size; longer < size + 20; longer++)
            assert_false(read_events(bytes, longer, &told));
    }
}

TEST(an_event_of_a_later_version_is_skipped_by_its_size)
{
    static struct raim_events_message told;
    for (uint32_t size = 0; size < 128; size++) {
        uint8_t bytes[RAIM_MAX_MESSAGE_BYTES];
        raim_writer writer = raim_message_write(RAIM_MESSAGE_EVENTS, bytes, sizeof bytes);
        raim_write_bits(&writer, 0, RAIM_EPOCH_BITS);
        raim_write_bits(&writer, 1, 16); // sequence
        raim_write_bits(&writer, 1, 6);  // two events
        raim_write_bits(&writer, 5, 3);  // other
        raim_write_bits(&writer, 200, 8);
        raim_write_bits(&writer, size, 7);
        for (uint32_t i = 0; i < size; i++)
            raim_write_bits(&writer, chance_bits(8), 8);
        raim_write_bits(&writer, 0, 6); // padding
        raim_write_bits(&writer, RAIM_WIRE_LEFT, 3);
        raim_write_bits(&writer, 1025, 16);
        raim_write_bits(&writer, RAIM_REASON_LOST, 8);
        assert_int_equal(read_events(bytes, raim_writer_finish(&writer), &told), size <= 120);
        if (size > 120)
            continue;
        assert_true(told.events[0].kind == RAIM_WIRE_OTHER && told.events[0].type == 200);
        assert_int_equal(told.events[1].player, 1025);
        assert_int_equal(told.events[1].reason, RAIM_REASON_LOST);
    }
}
