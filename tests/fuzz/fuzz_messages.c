// SPDX-License-Identifier: MIT
// Fuzzes every reader of proto/: an accepted message survives writing and reading, and the written
// one is never longer. Most messages have a unique encoding and are written as equal bytes. An
// input is a byte that chooses limits and baseline, then a message.
#include "fuzz.h"

#include "codecs.h"
#include "fuzz_baseline.h"
#include "name.h"

uint64_t chance; // for codecs.c, which draws nothing here

// The message under test, and what the writer makes of it.
static const uint8_t *message;
static size_t message_size;
static uint8_t written[RAIM_MAX_MESSAGE_BYTES];

static void assert_one_spelling(size_t size)
{
    assert(size == message_size);
    assert(memcmp(written, message, size) == 0);
}

// After the kind of what was written.
static raim_reader read_again(size_t size)
{
    assert(size > 0);
    raim_reader reader = raim_reader_make(written, size);
    raim_message_read(&reader);
    return reader;
}

static void check_clean(const char *text, uint32_t max)
{
    char cleaned[RAIM_MAX_CHAT_BYTES + 1], again[RAIM_MAX_CHAT_BYTES + 1];
    assert(max <= RAIM_MAX_CHAT_BYTES);
    if (!raim_text_clean(text, cleaned, max))
        return;
    assert(cleaned[0] != '\0' && strlen(cleaned) <= max);
    assert(raim_text_clean(cleaned, again, max));
    assert(strcmp(cleaned, again) == 0);
}

// A clean name stays as it is, and so does one with a number behind it, which looks the same.
static void check_name(const char *name)
{
    char cleaned[RAIM_MAX_NAME_BYTES + 1], again[RAIM_MAX_NAME_BYTES + 1];
    if (!raim_name_clean(name, cleaned))
        return;
    assert(raim_name_clean(cleaned, again) && strcmp(cleaned, again) == 0);
    raim_name_is_reserved(cleaned);
    const struct raim_name_key key = raim_name_key_of(cleaned);
    assert(key.number < 10000);
    for (uint32_t number = 2; number < 10000; number += 1113) {
        raim_name_append_number(cleaned, number, again);
        assert(raim_name_key_of(again).number == number);
        assert(raim_name_clean(again, cleaned) && strcmp(cleaned, again) == 0);
        raim_name_clean(name, cleaned);
    }
}

static void check_hello(raim_reader *reader)
{
    struct raim_hello hello;
    if (!raim_hello_read(reader, &hello) || hello.version != RAIM_PROTOCOL_VERSION)
        return;
    assert_one_spelling(raim_hello_write(&hello, written, message_size));
    check_clean(hello.name, RAIM_MAX_NAME_BYTES);
    check_name(hello.name);
}

static void check_input(raim_reader *reader)
{
    struct raim_input_message told, again;
    if (!raim_input_read(reader, &told))
        return;
    // Who repeats an input without saying so spends more than the writer.
    raim_reader second = read_again(raim_input_write(&told, written, message_size));
    assert(raim_input_read(&second, &again));
    assert(told.tick == again.tick && told.has_snapshot == again.has_snapshot);
    assert(told.snapshot == again.snapshot && told.count == again.count);
    for (uint32_t i = 0; i < told.count; i++) {
        const raim_wire_input *a = &told.inputs[i], *b = &again.inputs[i];
        assert(a->move_x >= -1 && a->move_x <= 1 && a->move_y >= -1 && a->move_y <= 1);
        assert(a->move_x == b->move_x && a->move_y == b->move_y);
        assert(a->fire == b->fire && a->aim == b->aim && a->view_age == b->view_age);
        assert(a->view_age <= (a->fire ? RAIM_WIRE_REWIND : 0));
    }
}

static void check_chat(raim_reader *reader)
{
    struct raim_chat chat;
    if (!raim_chat_read(reader, &chat))
        return;
    assert_one_spelling(raim_chat_write(&chat, written, message_size));
    check_clean(chat.text, RAIM_MAX_CHAT_BYTES);
}

// The bytes as a client's message, and as a server's.
static void check_other(uint32_t kind, const raim_reader *reader)
{
    static union message value;
    for (size_t i = 0; i < codec_count; i++) {
        raim_reader again = *reader;
        if (kind == (uint32_t)codecs[i].kind && codecs[i].read(&again, &value))
            assert_one_spelling(codecs[i].write(&value, written, message_size));
    }
}

// --- Snapshots ---

static void assert_same_frame(const struct raim_wire_limits *limits,
                              const struct raim_wire_frame *a, const struct raim_wire_frame *b)
{
    const uint32_t bullets = raim_wire_bullets(limits);
    assert(a->tick == b->tick);
    assert(raim_wire_same_self(&a->self, &b->self));
    for (uint32_t slot = 0; slot < limits->players; slot++) {
        assert(raim_set_has(a->seen_players, slot) == raim_set_has(b->seen_players, slot));
        if (!raim_set_has(a->seen_players, slot))
            continue;
        assert(raim_wire_same_course(&a->players[slot], &b->players[slot]));
        assert(a->players[slot].aim == b->players[slot].aim);
    }
    for (uint32_t slot = 0; slot < bullets; slot++) {
        assert(raim_set_has(a->seen_bullets, slot) == raim_set_has(b->seen_bullets, slot));
        if (raim_set_has(a->seen_bullets, slot))
            assert(raim_wire_same_launch(&a->bullets[slot], &b->bullets[slot]) &&
                   a->bullets[slot].rewind <= limits->max_rewind);
    }
}

// What raim_snapshot_player_bits and raim_snapshot_bullet_bits foretell of a snapshot's bits.
static size_t foretold_bits(const struct raim_wire_limits *limits,
                            const struct raim_wire_frame *baseline,
                            const struct raim_wire_frame *frame)
{
    size_t bits = RAIM_SNAPSHOT_FIXED_BITS;
    for (uint32_t slot = 0; slot < limits->players; slot++)
        if (raim_set_has(frame->seen_players, slot) ||
            (baseline != NULL && raim_set_has(baseline->seen_players, slot)))
            bits += raim_snapshot_player_bits(limits, baseline, frame, slot);
    for (uint32_t slot = 0; slot < raim_wire_bullets(limits); slot++)
        if (raim_set_has(frame->seen_bullets, slot) ||
            (baseline != NULL && raim_set_has(baseline->seen_bullets, slot)))
            bits += raim_snapshot_bullet_bits(limits, baseline, frame, slot);
    return bits;
}

// As a client knows a bullet, so it would tell it.
static void tell_as_told(const struct raim_wire_limits *limits, struct raim_wire_frame *frame)
{
    for (uint32_t slot = 0; slot < raim_wire_bullets(limits); slot++) {
        frame->bullets[slot].now_x = frame->bullets[slot].x;
        frame->bullets[slot].now_y = frame->bullets[slot].y;
    }
}

static void check_snapshot(raim_reader *reader, uint8_t chooser)
{
    static struct frames {
        struct raim_wire_frame baseline, told, again;
    } frames_of[FUZZ_LIMITS];
    const struct raim_wire_limits *limits = &fuzz_limits[chooser % FUZZ_LIMITS];
    struct frames *frames = &frames_of[chooser % FUZZ_LIMITS];
    if (frames->told.players == NULL)
        *frames = (struct frames){fuzz_frame(limits), fuzz_frame(limits), fuzz_frame(limits)};

    struct raim_snapshot_header header, header_again;
    if (!raim_snapshot_read_header(reader, limits, FUZZ_NEAR_TICK, &header))
        return;
    const struct raim_wire_frame *baseline = NULL;
    if (header.baseline_age != 0) {
        fuzz_fill_baseline(&frames->baseline, limits, header.tick - header.baseline_age,
                           chooser / FUZZ_LIMITS);
        baseline = &frames->baseline;
    }
    if (!raim_snapshot_read(reader, &header, limits, baseline, &frames->told))
        return;
    tell_as_told(limits, &frames->told);
    const size_t size = raim_snapshot_write(limits, baseline, &frames->told, written, message_size);
    assert(size > 0 && (size - 1) * 8 < foretold_bits(limits, baseline, &frames->told));
    if (baseline == NULL)
        assert_one_spelling(size);
    raim_reader second = read_again(size);
    assert(raim_snapshot_read_header(&second, limits, FUZZ_NEAR_TICK, &header_again));
    assert(header.tick == header_again.tick && header.baseline_age == header_again.baseline_age &&
           header.epoch == header_again.epoch);
    assert(raim_snapshot_read(&second, &header, limits, baseline, &frames->again));
    assert_same_frame(limits, &frames->told, &frames->again);
}

// What is no message may still be a name, or chat.
static void check_bare_text(void)
{
    char text[RAIM_MAX_MESSAGE_BYTES + 1];
    memcpy(text, message, message_size);
    text[message_size] = '\0';
    check_clean(text, RAIM_MAX_NAME_BYTES);
    check_clean(text, RAIM_MAX_CHAT_BYTES);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1 || size > 1 + RAIM_MAX_MESSAGE_BYTES)
        return 0;
    message = data + 1;
    message_size = size - 1;
    raim_reader reader = raim_reader_make(message, message_size);
    const uint32_t kind = raim_message_read(&reader);
    switch (kind) {
    case RAIM_MESSAGE_HELLO:
        check_hello(&reader);
        break;
    case RAIM_MESSAGE_INPUT:
        check_input(&reader);
        break;
    case RAIM_MESSAGE_SNAPSHOT:
        check_snapshot(&reader, data[0]);
        break;
    case RAIM_MESSAGE_CHAT:
        check_chat(&reader);
        break;
    default:
        if (kind == 0 || kind >= RAIM_MESSAGE_KINDS)
            check_bare_text();
        else
            check_other(kind, &reader);
    }
    return 0;
}
