// SPDX-License-Identifier: MIT
// CHAT: texts survive a round trip, truncated at a character's boundary; malformed messages are
// rejected.
#include "chat.h"
#include "hostile.h"

static bool read_chat(const uint8_t *bytes, size_t size, char *text)
{
    raim_reader reader = raim_reader_make(bytes, size);
    return raim_message_read(&reader) == RAIM_MESSAGE_CHAT && raim_chat_read(&reader, text);
}

static bool accepts_chat(const uint8_t *bytes, size_t size)
{
    char *text = malloc(RAIM_MAX_CHAT_BYTES + 1), again[RAIM_MAX_CHAT_BYTES + 1];
    uint8_t written[256];
    assert_non_null(text); // of exactly its size
    const bool accepted = read_chat(bytes, size, text);
    if (accepted) {
        assert_in_range(strlen(text), 0, RAIM_MAX_CHAT_BYTES);
        assert_true(read_chat(written, raim_chat_write(text, written, sizeof written), again));
        assert_string_equal(text, again);
    }
    free(text);
    return accepted;
}

TEST(chat_survives_the_wire)
{
    for (int i = 0; i < 50000; i++) {
        char text[RAIM_MAX_CHAT_BYTES + 1], told[RAIM_MAX_CHAT_BYTES + 1];
        uint8_t bytes[256];
        chance_text(text, RAIM_MAX_CHAT_BYTES);
        const size_t size = raim_chat_write(text, bytes, sizeof bytes);
        assert_true(read_chat(bytes, size, told));
        assert_string_equal(told, text);
        hostile_attack(accepts_chat, bytes, size);
    }
}

TEST(what_does_not_fit_is_cut_between_characters)
{
    static const char *const characters[] = {"x", "\xC3\x9C", "\xE4\xB8\xAD", "\xF0\x9F\x98\x80"};
    for (size_t width = 1; width <= 4; width++) {
        for (size_t start = 0; start <= RAIM_MAX_CHAT_BYTES; start++) {
            char text[2 * RAIM_MAX_CHAT_BYTES] = "", told[RAIM_MAX_CHAT_BYTES + 1];
            uint8_t bytes[256];
            memset(text, '.', start);
            for (size_t at = start; at + width < sizeof text; at += width)
                memcpy(text + at, characters[width - 1], width);
            assert_true(read_chat(bytes, raim_chat_write(text, bytes, sizeof bytes), told));
            const size_t whole = (RAIM_MAX_CHAT_BYTES - start) / width;
            assert_int_equal(strlen(told), start + whole * width);
            assert_memory_equal(told, text, strlen(told));
        }
    }
}

TEST(what_is_no_utf8_is_cut_all_the_same)
{
    char text[2 * RAIM_MAX_CHAT_BYTES] = "", told[RAIM_MAX_CHAT_BYTES + 1];
    uint8_t bytes[256];
    memset(text, 0x80, sizeof text - 1); // the middle of a character without an end
    assert_true(read_chat(bytes, raim_chat_write(text, bytes, sizeof bytes), told));
    assert_string_equal(told, "");
    text[7] = '.';
    assert_true(read_chat(bytes, raim_chat_write(text, bytes, sizeof bytes), told));
    assert_int_equal(strlen(told), 7);
}

TEST(chat_does_not_fit_less_than_it_needs)
{
    uint8_t bytes[256];
    const size_t size = raim_chat_write("hello", bytes, sizeof bytes);
    assert_int_equal(size, (5 + 7 + 5 * 8 + 7) / 8);
    for (size_t capacity = 0; capacity < size; capacity++)
        assert_int_equal(raim_chat_write("hello", bytes, capacity), 0);
    assert_int_equal(raim_chat_write("hello", bytes, size), size);
}

TEST(chat_holds_120_bytes_and_none_of_121)
{
    for (uint32_t length = 0; length < 128; length++) {
        uint8_t bytes[256];
        char told[RAIM_MAX_CHAT_BYTES + 1];
        raim_writer writer = raim_message_write(RAIM_MESSAGE_CHAT, bytes, sizeof bytes);
        raim_write_bits(&writer, length, 7);
        for (uint32_t i = 0; i < length; i++)
            raim_write_bits(&writer, 'x', 8);
        assert_int_equal(read_chat(bytes, raim_writer_finish(&writer), told), length <= 120);
        assert_int_equal(strlen(told), length <= 120 ? length : 0);
    }
}

static bool accepts_rejection(const uint8_t *bytes, size_t size)
{
    raim_reader reader = raim_reader_make(bytes, size);
    uint32_t rejection;
    return raim_message_read(&reader) == RAIM_MESSAGE_CHAT_REJECTED &&
           raim_chat_rejected_read(&reader, &rejection) && rejection <= 255;
}

TEST(a_rejection_survives_the_wire_also_an_unknown_one)
{
    for (uint32_t rejection = 0; rejection < 256; rejection++) {
        uint8_t bytes[4];
        uint32_t told;
        const size_t size = raim_chat_rejected_write(rejection, bytes, sizeof bytes);
        assert_int_equal(size, 2);
        raim_reader reader = raim_reader_make(bytes, size);
        assert_int_equal(raim_message_read(&reader), RAIM_MESSAGE_CHAT_REJECTED);
        assert_true(raim_chat_rejected_read(&reader, &told));
        assert_int_equal(told, rejection);
        hostile_attack(accepts_rejection, bytes, size);
        const bool is_known = rejection > 0 && rejection < RAIM_CHAT_REJECTIONS;
        assert_int_equal(strcmp(raim_chat_rejection_name(rejection), "unknown") != 0, is_known);
    }
}
