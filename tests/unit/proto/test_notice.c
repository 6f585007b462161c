// SPDX-License-Identifier: MIT
// NOTICE: lines survive a round trip; malformed messages are rejected.
#include "hostile.h"
#include "notice.h"

static bool accepts(const uint8_t *bytes, size_t size)
{
    struct raim_notice *notice = malloc(sizeof *notice), again; // of exactly its size
    uint8_t written[256];
    assert_non_null(notice);
    raim_reader reader = raim_reader_make(bytes, size);
    const bool accepted =
        raim_message_read(&reader) == RAIM_MESSAGE_NOTICE && raim_notice_read(&reader, notice);
    if (accepted) {
        assert_in_range(strlen(notice->text), 0, RAIM_MAX_NOTICE_BYTES);
        assert_in_range(notice->kind, 0, RAIM_NOTICE_KINDS - 1);
        raim_reader copy =
            raim_reader_make(written, raim_notice_write(notice, written, sizeof written));
        raim_message_read(&copy);
        assert_true(raim_notice_read(&copy, &again));
        assert_string_equal(again.text, notice->text);
        assert_int_equal(again.kind, notice->kind);
    }
    free(notice);
    return accepted;
}

TEST(a_line_survives_the_wire)
{
    for (int i = 0; i < 20000; i++) {
        struct raim_notice notice = {.kind = (enum raim_notice_kind)chance_int(0, 1)}, read;
        uint8_t bytes[256];
        chance_text(notice.text, RAIM_MAX_NOTICE_BYTES);
        const size_t size = raim_notice_write(&notice, bytes, sizeof bytes);
        raim_reader reader = raim_reader_make(bytes, size);
        assert_int_equal(raim_message_read(&reader), RAIM_MESSAGE_NOTICE);
        assert_true(raim_notice_read(&reader, &read));
        assert_string_equal(read.text, notice.text);
        assert_int_equal(read.kind, notice.kind);
        hostile_attack(accepts, bytes, size);
    }
}

TEST(a_length_beyond_the_limit_is_rejected)
{
    uint8_t bytes[256];
    raim_writer writer = raim_message_write(RAIM_MESSAGE_NOTICE, bytes, sizeof bytes);
    raim_write_bits(&writer, 0, 1);
    raim_write_bits(&writer, RAIM_MAX_NOTICE_BYTES + 1, 7);
    for (int i = 0; i <= RAIM_MAX_NOTICE_BYTES; i++)
        raim_write_bits(&writer, 'x', 8);
    assert_false(accepts(bytes, raim_writer_finish(&writer)));
}
