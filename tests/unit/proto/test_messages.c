// SPDX-License-Identifier: MIT
// Every message: a round trip, malformed ones, and writers with too little room.
#include "codecs.h"

#include "utf8.h"

enum { ROUNDS = 5000 };

static const struct codec *codec; // under test
static uint8_t first[2 * RAIM_MAX_MESSAGE_BYTES], second[sizeof first];

// An accepted message is written with the same bytes: it has one spelling. Only INPUT has others,
// which repeat an input without saying so, and a HELLO of another version is not read further.
static bool accepts(const uint8_t *bytes, size_t size)
{
    static union message message, again;
    uint8_t written[sizeof first];
    memset(&message, 0xA5, sizeof message);
    if (!codec_read(codec, bytes, size, &message))
        return false;
    if (codec->kind == RAIM_MESSAGE_HELLO && message.hello.version != RAIM_PROTOCOL_VERSION)
        return size >= 7 && message.hello.name[0] == '\0';
    const size_t length = codec->write(&message, written, sizeof written);
    if (codec->kind != RAIM_MESSAGE_INPUT) {
        assert_int_equal(length, size);
        assert_memory_equal(written, bytes, size);
        return true;
    }
    assert_in_range(length, 1, size);
    assert_true(codec_read(codec, written, length, &again));
    assert_int_equal(again.input.count, message.input.count);
    for (uint32_t i = 0; i < again.input.count; i++) {
        const raim_wire_input *a = &message.input.inputs[i], *b = &again.input.inputs[i];
        assert_true(a->move_x == b->move_x && a->move_y == b->move_y && a->fire == b->fire);
        assert_true(a->view_age == b->view_age && a->aim == b->aim);
    }
    return true;
}

TEST(messages_survive_the_wire)
{
    static union message message, told;
    for (size_t i = 0; i < codec_count; i++)
        for (int round = 0; round < ROUNDS; round++) {
            codec = &codecs[i];
            memset(&message, 0, sizeof message);
            codec->draw(&message);
            const size_t size = codec->write(&message, first, RAIM_MAX_MESSAGE_BYTES);
            if (size == 0 || !codec_read(codec, first, size, &told))
                fail_msg("%s is not read", codec->name);
            assert_int_equal(codec->write(&told, second, RAIM_MAX_MESSAGE_BYTES), size);
            assert_memory_equal(first, second, size);
            hostile_attack(accepts, first, size);
        }
}

TEST(writers_say_when_a_message_does_not_fit)
{
    static union message message;
    for (size_t i = 0; i < codec_count; i++)
        for (int round = 0; round < 20; round++) {
            memset(&message, 0, sizeof message);
            codecs[i].draw(&message);
            if (codecs[i].kind == RAIM_MESSAGE_ROSTER || codecs[i].kind == RAIM_MESSAGE_OBSTACLES)
                message.roster.count = message.obstacles.count = 1;
            const size_t size = codecs[i].write(&message, first, sizeof first);
            assert_true(size > 0);
            assert_int_equal(codecs[i].write(&message, first, size), size);
            assert_int_equal(codecs[i].write(&message, first, size - 1), 0);
            assert_int_equal(codecs[i].write(&message, first, 0), 0);
        }
}

// --- Lists, which go on in another message where one ends ---

static union message listed, piece;

static size_t write_rest(uint32_t done, uint32_t count, uint32_t *written, uint8_t *bytes,
                         size_t capacity)
{
    return codec->kind == RAIM_MESSAGE_ROSTER
               ? raim_roster_write(&listed.roster.items[done], count, written, bytes, capacity)
               : raim_obstacles_write(&listed.obstacles.items[done], count, written, bytes,
                                      capacity);
}

static void assert_list_goes_on(const char *name)
{
    codec = codec_of(name);
    for (int round = 0; round < ROUNDS / 2; round++) {
        const size_t capacity = (size_t)chance_int(84, RAIM_MAX_MESSAGE_BYTES);
        memset(&listed, 0, sizeof listed);
        codec->draw(&listed);
        const uint32_t count = listed.roster.count;
        for (uint32_t done = 0, written; done < count; done += written) {
            const size_t size = write_rest(done, count - done, &written, first, capacity);
            assert_in_range(size, 1, capacity);
            assert_true(codec_read(codec, first, size, &piece));
            assert_int_equal(piece.roster.count, written);
            assert_int_equal(codec->write(&piece, second, sizeof second), size);
            assert_memory_equal(first, second, size);
            uint32_t more;
            if (done + written < count) // one more would not have fitted
                assert_true(write_rest(done, written + 1, &more, second, sizeof second) > capacity);
        }
    }
    uint32_t written = 1;
    assert_int_equal(write_rest(0, 0, &written, first, sizeof first), 0);
    assert_int_equal(written, 0);
    const uint8_t none = (uint8_t)(codec->kind << 1);
    assert_false(codec_read(codec, &none, 1, &piece));
}

TEST(roster_goes_on_where_the_last_message_ended)
{
    assert_list_goes_on("roster");
}

TEST(obstacles_go_on_where_the_last_message_ended)
{
    assert_list_goes_on("obstacles");
}

TEST(lists_longer_than_expected_are_rejected)
{
    struct raim_roster_entry entries[3] = {{.name = "Ada"}, {.name = "Grace"}, {.name = "Joan"}};
    struct raim_wire_obstacle obstacles[3] = {{.count = 3}, {.count = 3}, {.count = 3}};
    for (uint32_t capacity = 1; capacity <= 3; capacity++) {
        uint32_t written, read;
        size_t size = raim_roster_write(entries, 3, &written, first, sizeof first);
        raim_reader reader = raim_reader_make(first, size);
        raim_message_read(&reader);
        assert_int_equal(raim_roster_read(&reader, entries, capacity, &read), capacity == 3);
        size = raim_obstacles_write(obstacles, 3, &written, first, sizeof first);
        reader = raim_reader_make(first, size);
        raim_message_read(&reader);
        assert_int_equal(raim_obstacles_read(&reader, obstacles, capacity, &read), capacity == 3);
    }
}

// --- Texts ---

TEST(no_text_is_longer_than_its_maximum)
{
    static const struct {
        const char *codec;
        uint32_t max, length_bits;
        struct {
            uint32_t value, bits;
        } before[5];
    } rows[] = {
        {"chat", RAIM_MAX_CHAT_BYTES, 7, {{0}}},
        {"notice", RAIM_MAX_NOTICE_BYTES, 7, {{0, 1}}},
        {"hello",
         RAIM_MAX_NAME_BYTES,
         5,
         {{RAIM_HELLO_MAGIC, 32}, {RAIM_PROTOCOL_VERSION, 16}, {0, 32}, {0, 2 + 8}}},
        {"events", RAIM_MAX_CHAT_BYTES, 7, {{0, 5 + 16 + 6}, {RAIM_WIRE_CHAT, 3}, {1025 << 1, 17}}},
    };
    static union message message;
    for (size_t row = 0; row < sizeof rows / sizeof *rows; row++)
        for (uint32_t length = 0; length < 1u << rows[row].length_bits; length++) {
            codec = codec_of(rows[row].codec);
            raim_writer writer = raim_message_write(codec->kind, first, sizeof first);
            for (int i = 0; i < 5; i++)
                raim_write_bits(&writer, rows[row].before[i].value, rows[row].before[i].bits);
            raim_write_bits(&writer, length, rows[row].length_bits);
            for (uint32_t i = 0; i < length; i++)
                raim_write_bits(&writer, 'x', 8);
            if (codec_read(codec, first, raim_writer_finish(&writer), &message) !=
                (length <= rows[row].max))
                fail_msg("%s with a text of %u bytes", codec->name, length);
        }
}

TEST(a_text_that_does_not_fit_is_cut_between_characters)
{
    static const char *const characters[] = {"x", "\xC3\x9C", "\xE4\xB8\xAD", "\xF0\x9F\x98\x80"};
    static union message told;
    codec = codec_of("chat");
    for (size_t width = 1; width <= 4; width++)
        for (size_t start = 0; start <= RAIM_MAX_CHAT_BYTES; start++) {
            char text[2 * RAIM_MAX_CHAT_BYTES] = "";
            memset(text, '.', start);
            for (size_t at = start; at + width < sizeof text; at += width)
                memcpy(text + at, characters[width - 1], width);
            const struct raim_chat chat = raim_chat_of(text);
            assert_true(
                codec_read(codec, first, raim_chat_write(&chat, first, sizeof first), &told));
            const size_t whole = (RAIM_MAX_CHAT_BYTES - start) / width;
            assert_int_equal(strlen(told.chat.text), start + whole * width);
            assert_memory_equal(told.chat.text, text, strlen(told.chat.text));
        }
    char text[2 * RAIM_MAX_CHAT_BYTES] = "";
    memset(text, 0x80, sizeof text - 1); // the middle of a character without an end
    for (size_t start = 0; start < 8; start++) {
        text[start] = '.';
        const struct raim_chat chat = raim_chat_of(text);
        assert_true(codec_read(codec, first, raim_chat_write(&chat, first, sizeof first), &told));
        assert_int_equal(strlen(told.chat.text), start); // before the last that begins one
    }
}

// Texts of files are UTF-8.
TEST(utf8_is_what_unicode_says)
{
    static const char *const valid[] = {
        "",
        "Ada",
        "\xC2\x80\xDF\xBF",                     // U+0080, U+07FF
        "\xE0\xA0\x80\xED\x9F\xBF\xEF\xBF\xBF", // U+0800, U+D7FF, U+FFFF
        "\xF0\x90\x80\x80\xF4\x8F\xBF\xBF",     // U+10000, U+10FFFF
    };
    static const char *const invalid[] = {
        "\x80",         "\xC0\x80",         "\xC1\xBF", "\xC2",         "\xC2\x41",
        "\xE0\x9F\xBF", "\xED\xA0\x80",     "\xE1\x80", "\xE1\x80\x41", "\xF0\x8F\xBF\xBF",
        "\xF0\x90\x80", "\xF4\x90\x80\x80", "\xF5",     "\xFF",         "Ada\xC3",
    };
    for (size_t i = 0; i < sizeof valid / sizeof *valid; i++)
        if (!raim_utf8_is_valid((const uint8_t *)valid[i], strlen(valid[i])))
            fail_msg("text %zu is rejected", i);
    for (size_t i = 0; i < sizeof invalid / sizeof *invalid; i++)
        if (raim_utf8_is_valid((const uint8_t *)invalid[i], strlen(invalid[i])))
            fail_msg("text %zu is accepted", i);
    assert_false(raim_utf8_is_valid((const uint8_t *)"a\0b", 3));
}

TEST(codes_have_names)
{
    for (uint32_t kind = 1; kind < RAIM_VOTE_KINDS; kind++)
        assert_int_equal(raim_vote_kind_find(raim_vote_kind_name(kind)), kind);
    assert_int_equal(raim_vote_kind_find("unknown"), 0);
    for (uint32_t code = 0; code < 300; code++) {
        assert_int_equal(strcmp(raim_vote_kind_name(code), "unknown") != 0,
                         code > 0 && code < RAIM_VOTE_KINDS);
        assert_int_equal(strcmp(raim_chat_rejection_name(code), "unknown") != 0,
                         code > 0 && code < RAIM_CHAT_REJECTIONS);
        assert_int_equal(strcmp(raim_reason_name(code), "unknown") != 0, code < RAIM_REASONS);
        if (code == 0 || code >= RAIM_VOTE_REJECTIONS)
            continue;
        assert_string_not_equal(raim_vote_rejection_name(code), "unknown");
        assert_true(raim_vote_rejection_text(code)[0] != '\0');
    }
}
