// SPDX-License-Identifier: MIT
// ROSTER and EVENTS: round trips in as many messages as needed, and rejection of malformed
// messages.
#include "chance_phase.h"
#include "events_fixture.h"
#include "roster.h"

enum { MANY = 300, ROUNDS = 2000 };

static struct raim_roster_entry chance_entry(void)
{
    struct raim_roster_entry entry = {
        .player = chance_bits(16),
        .bot = chance_bool(),
        .score = chance_magnitude(32),
        .deaths = chance_magnitude(32),
    };
    chance_text(entry.name, RAIM_MAX_NAME_BYTES);
    return entry;
}

static void assert_same_entry(const struct raim_roster_entry *a, const struct raim_roster_entry *b)
{
    assert_int_equal(a->player, b->player);
    assert_int_equal(a->bot, b->bot);
    assert_int_equal(a->score, b->score);
    assert_int_equal(a->deaths, b->deaths);
    assert_string_equal(a->name, b->name);
}

// --- ROSTER ---

static bool read_roster(const uint8_t *bytes, size_t size, struct raim_roster_entry *entries,
                        uint32_t capacity, uint32_t *count)
{
    raim_reader reader = raim_reader_make(bytes, size);
    return raim_message_read(&reader) == RAIM_MESSAGE_ROSTER &&
           raim_roster_read(&reader, entries, capacity, count);
}

static bool accepts_roster(const uint8_t *bytes, size_t size)
{
    static struct raim_roster_entry entries[MANY], again[MANY];
    uint8_t written[2048];
    uint32_t count, count_written, count_again;
    if (!read_roster(bytes, size, entries, MANY, &count))
        return false;
    const size_t length =
        raim_roster_write(entries, count, &count_written, written, sizeof written);
    assert_int_equal(count_written, count);
    assert_true(read_roster(written, length, again, MANY, &count_again));
    assert_int_equal(count_again, count);
    for (uint32_t i = 0; i < count; i++)
        assert_same_entry(&entries[i], &again[i]);
    return true;
}

TEST(roster_goes_on_where_the_last_message_stopped)
{
    static struct raim_roster_entry entries[MANY], told[MANY];
    for (int i = 0; i < ROUNDS; i++) {
        const uint32_t count = 1 + chance_magnitude(31) % MANY;
        const size_t capacity = (size_t)chance_int(40, RAIM_MAX_MESSAGE_BYTES);
        uint8_t bytes[RAIM_MAX_MESSAGE_BYTES];
        for (uint32_t j = 0; j < count; j++)
            entries[j] = chance_entry();
        for (uint32_t done = 0, written, read; done < count; done += written) {
            const size_t size =
                raim_roster_write(&entries[done], count - done, &written, bytes, capacity);
            assert_true(size > 0 && size <= capacity);
            assert_true(read_roster(bytes, size, told, MANY, &read));
            assert_int_equal(read, written);
            for (uint32_t j = 0; j < written; j++)
                assert_same_entry(&entries[done + j], &told[j]);
            hostile_attack(accepts_roster, bytes, size);

            uint8_t longer[2 * RAIM_MAX_MESSAGE_BYTES];
            uint32_t more;
            if (done + written < count) // one more would not have fitted
                assert_true(raim_roster_write(&entries[done], written + 1, &more, longer,
                                              sizeof longer) > capacity);
        }
    }
}

TEST(empty_rosters_and_longer_ones_than_expected_are_rejected)
{
    const struct raim_roster_entry entries[2] = {{.name = "Ada"}, {.name = "Grace"}};
    struct raim_roster_entry told[2];
    uint8_t bytes[64];
    uint32_t written, read;
    const size_t size = raim_roster_write(entries, 2, &written, bytes, sizeof bytes);
    assert_true(read_roster(bytes, size, told, 2, &read));
    assert_false(read_roster(bytes, size, told, 1, &read));
    assert_int_equal(raim_roster_write(entries, 0, &written, bytes, sizeof bytes), 0);
    assert_int_equal(raim_roster_write(entries, 2, &written, bytes, 5), 0);
    assert_int_equal(written, 0);
    const uint8_t none[] = {RAIM_MESSAGE_ROSTER << 1};
    assert_false(read_roster(none, sizeof none, told, 2, &read));
}

// --- EVENTS ---

static bool read_events(const uint8_t *bytes, size_t size, struct raim_events_message *message)
{
    raim_reader reader = raim_reader_make(bytes, size);
    return raim_message_read(&reader) == RAIM_MESSAGE_EVENTS &&
           raim_events_read(&reader, message) && raim_reader_done(&reader);
}

static struct raim_wire_event chance_event(void)
{
    struct raim_wire_event event = {
        .kind = (enum raim_wire_event_kind)chance_int(0, RAIM_WIRE_EVENT_KINDS - 1),
        .player = chance_bits(16),
    };
    switch (event.kind) {
    case RAIM_WIRE_JOINED:
        event.entry = chance_entry();
        event.entry.player = event.player;
        break;
    case RAIM_WIRE_LEFT:
        event.reason = chance_magnitude(8);
        break;
    case RAIM_WIRE_KILL:
        event.victim = chance_bits(16);
        event.score = chance_magnitude(32);
        event.deaths = chance_magnitude(32);
        event.rewind = (uint32_t)chance_int(0, RAIM_WIRE_REWIND);
        break;
    case RAIM_WIRE_CHAT:
        chance_text(event.text, RAIM_MAX_CHAT_BYTES);
        event.by_operator = chance_bool();
        event.player = event.by_operator ? 0 : event.player; // not sent
        break;
    case RAIM_WIRE_PHASE:
        event.player = 0; // not told
        event.phase = chance_phase();
        break;
    case RAIM_WIRE_OTHER:
        event.player = 0; // not told
        event.type = chance_bits(8);
        event.size = chance_magnitude(5);
        for (uint32_t i = 0; i < event.size; i++)
            event.text[i] = (char)chance_bits(8);
        break;
    case RAIM_WIRE_EVENT_KINDS:
        break;
    }
    return event;
}

static void assert_same_event(const struct raim_wire_event *a, const struct raim_wire_event *b)
{
    assert_int_equal(a->kind, b->kind);
    assert_int_equal(a->player, b->player);
    assert_same_entry(&a->entry, &b->entry);
    assert_int_equal(a->reason, b->reason);
    assert_int_equal(a->victim, b->victim);
    assert_int_equal(a->score, b->score);
    assert_int_equal(a->deaths, b->deaths);
    assert_int_equal(a->rewind, b->rewind);
    assert_int_equal(a->by_operator, b->by_operator);
    assert_int_equal(a->type, b->type);
    assert_int_equal(a->size, b->size);
    assert_memory_equal(a->text, b->text, sizeof a->text);
    assert_same_phase(&a->phase, &b->phase);
}

static bool accepts_events(const uint8_t *bytes, size_t size)
{
    static struct raim_events_message message, again;
    uint8_t written[16384];
    if (!read_events(bytes, size, &message))
        return false;
    assert_in_range(message.count, 1, RAIM_MAX_EVENTS_MESSAGE);
    const size_t length = write_events(&message, written, sizeof written);
    assert_int_equal(length, size);
    assert_true(read_events(written, length, &again));
    assert_int_equal(again.sequence, message.sequence);
    assert_int_equal(again.count, message.count);
    for (uint32_t i = 0; i < message.count; i++)
        assert_same_event(&message.events[i], &again.events[i]);
    return true;
}

TEST(events_survive_the_wire)
{
    static struct raim_events_message message, told;
    for (int i = 0; i < ROUNDS; i++) {
        message.sequence = (uint16_t)chance_bits(16);
        message.count = 1 + chance_magnitude(31) % RAIM_MAX_EVENTS_MESSAGE;
        for (uint32_t j = 0; j < message.count; j++)
            message.events[j] = chance_event();
        uint8_t bytes[16384];
        const size_t size = write_events(&message, bytes, sizeof bytes);
        assert_true(read_events(bytes, size, &told));
        assert_int_equal(told.sequence, message.sequence);
        assert_int_equal(told.count, message.count);
        for (uint32_t j = 0; j < message.count; j++)
            assert_same_event(&message.events[j], &told.events[j]);
        hostile_attack(accepts_events, bytes, size);
    }
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
    if (kind == RAIM_WIRE_CHAT)
        raim_write_bool(&writer, false); // not by the operator
    if (kind != RAIM_WIRE_PHASE)
        raim_write_bits(&writer, 1025, 16);
    return writer;
}

TEST(chat_holds_120_bytes_and_none_of_121)
{
    static struct raim_events_message told;
    for (uint32_t length = 0; length < 128; length++) {
        uint8_t bytes[RAIM_MAX_MESSAGE_BYTES];
        raim_writer writer = begin_events(bytes, RAIM_WIRE_CHAT);
        raim_write_bits(&writer, length, 7);
        for (uint32_t i = 0; i < length; i++)
            raim_write_bits(&writer, 'x', 8);
        const size_t size = raim_writer_finish(&writer);
        assert_int_equal(read_events(bytes, size, &told), length <= 120);
        if (length <= 120)
            assert_int_equal(strlen(told.events[0].text), length);
    }
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
            assert_same_phase(&told.events[0].phase, &expected);
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
