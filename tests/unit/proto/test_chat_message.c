// SPDX-License-Identifier: MIT
// CHAT: texts survive a round trip, truncated at a character's boundary; malformed messages are
// rejected.
#include "chat.h"
#include "hostile.h"
#include "notice.h"
#include "test.h"
#include "utf8.h"
#include "vote.h"

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

// --- Notice ---

// NOTICE: lines survive a round trip; malformed messages are rejected.

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

// --- Vote message ---

// VOTE: requests and reports survive a round trip; malformed messages are rejected.

static bool read_request(const uint8_t *bytes, size_t size, struct raim_vote_request *request)
{
    raim_reader reader = raim_reader_make(bytes, size);
    return raim_message_read(&reader) == RAIM_MESSAGE_VOTE &&
           raim_vote_request_read(&reader, request);
}

static bool read_report(const uint8_t *bytes, size_t size, struct raim_vote_report *report,
                        struct raim_vote_offer *offer)
{
    raim_reader reader = raim_reader_make(bytes, size);
    return raim_message_read(&reader) == RAIM_MESSAGE_VOTE &&
           raim_vote_report_read(&reader, report, offer);
}

static size_t write_report(const struct raim_vote_report *report,
                           const struct raim_vote_offer *offer, uint8_t *bytes, size_t capacity)
{
    return report->kind == RAIM_VOTE_OFFER ? raim_vote_offer_write(offer, bytes, capacity)
                                           : raim_vote_report_write(report, bytes, capacity);
}

// What is accepted is written with the same bytes: a message has one spelling.
static bool accepts_request(const uint8_t *bytes, size_t size)
{
    struct raim_vote_request request;
    uint8_t written[RAIM_MAX_MESSAGE_BYTES];
    if (!read_request(bytes, size, &request))
        return false;
    assert_in_range(request.action, 0, RAIM_VOTE_ACTIONS - 1);
    assert_int_equal(raim_vote_request_write(&request, written, sizeof written), size);
    assert_memory_equal(written, bytes, size);
    return true;
}

static bool accepts_report(const uint8_t *bytes, size_t size)
{
    static struct raim_vote_offer offer;
    struct raim_vote_report report;
    uint8_t written[RAIM_MAX_MESSAGE_BYTES];
    if (!read_report(bytes, size, &report, &offer))
        return false;
    assert_in_range(report.kind, 0, RAIM_VOTE_REPORTS - 1);
    assert_int_equal(write_report(&report, &offer, written, sizeof written), size);
    assert_memory_equal(written, bytes, size);
    return true;
}

static struct raim_vote_subject chance_subject(void)
{
    struct raim_vote_subject subject = {.kind = (uint32_t)chance_int(1, RAIM_VOTE_KINDS - 1)};
    if (raim_vote_has_player(subject.kind))
        subject.player = chance_bits(16);
    if (subject.kind == RAIM_VOTE_EXTEND)
        subject.minutes = (uint32_t)chance_int(1, RAIM_VOTE_MAX_MINUTES);
    if (subject.kind == RAIM_VOTE_MAP)
        chance_text(subject.map, RAIM_MAX_TITLE_BYTES);
    chance_text(subject.reason, RAIM_MAX_VOTE_REASON_BYTES);
    return subject;
}

static void assert_same_subject(const struct raim_vote_subject *a,
                                const struct raim_vote_subject *b)
{
    assert_int_equal(a->kind, b->kind);
    assert_int_equal(a->player, b->player);
    assert_int_equal(a->minutes, b->minutes);
    assert_string_equal(a->map, b->map);
    assert_string_equal(a->reason, b->reason);
}

TEST(requests_survive_the_wire)
{
    for (int i = 0; i < 20000; i++) {
        struct raim_vote_request request = {.action =
                                                (uint32_t)chance_int(0, RAIM_VOTE_ACTIONS - 1)},
                                 again;
        uint8_t bytes[RAIM_MAX_MESSAGE_BYTES];
        if (request.action == RAIM_VOTE_CALL)
            request.subject = chance_subject();
        else
            request.number = chance_bits(8);
        if (request.action == RAIM_VOTE_CAST)
            request.choice = (uint32_t)chance_int(0, RAIM_VOTE_CHOICES - 1);
        const size_t size = raim_vote_request_write(&request, bytes, sizeof bytes);
        assert_true(read_request(bytes, size, &again));
        assert_int_equal(again.action, request.action);
        assert_int_equal(again.number, request.number);
        assert_int_equal(again.choice, request.choice);
        assert_same_subject(&again.subject, &request.subject);
        hostile_attack(accepts_request, bytes, size);
    }
}

static struct raim_vote_report chance_report(struct raim_vote_offer *offer)
{
    struct raim_vote_report report = {.kind = (uint32_t)chance_int(0, RAIM_VOTE_REPORTS - 1)};
    *offer = (struct raim_vote_offer){0};
    if (report.kind == RAIM_VOTE_OFFER) {
        offer->kinds = chance_bits(16);
        offer->map_count = (uint32_t)chance_int(0, RAIM_WIRE_VOTE_MAPS);
        for (uint32_t i = 0; i < offer->map_count; i++)
            chance_text(offer->maps[i], RAIM_MAX_TITLE_BYTES);
        return report;
    }
    if (report.kind == RAIM_VOTE_REJECTED) {
        report.rejection = (uint32_t)chance_int(1, 31);
        report.amount = chance_bits(12);
        return report;
    }
    report.number = chance_bits(8);
    if (report.kind == RAIM_VOTE_BEGAN) {
        report.subject = chance_subject();
        report.caller = chance_bits(16);
        chance_text(report.caller_name, RAIM_MAX_NAME_BYTES);
        if (raim_vote_has_player(report.subject.kind))
            chance_text(report.target_name, RAIM_MAX_NAME_BYTES);
        report.left_ms = (uint32_t)chance_int(0, RAIM_VOTE_MAX_LEFT_MS);
        return report;
    }
    report.tally = (struct raim_vote_tally){.yes = chance_bits(10),
                                            .no = chance_bits(10),
                                            .electors = chance_bits(10),
                                            .needed = chance_bits(10)};
    if (report.kind == RAIM_VOTE_TALLY)
        report.choice = (uint32_t)chance_int(0, RAIM_VOTE_CHOICES - 1);
    else
        report.outcome = (uint32_t)chance_int(1, RAIM_VOTE_OUTCOMES - 1);
    return report;
}

TEST(reports_survive_the_wire)
{
    static struct raim_vote_offer offer, offer_again;
    for (int i = 0; i < 5000; i++) {
        const struct raim_vote_report report = chance_report(&offer);
        struct raim_vote_report again;
        uint8_t bytes[RAIM_MAX_MESSAGE_BYTES];
        const size_t size = write_report(&report, &offer, bytes, sizeof bytes);
        assert_true(size > 0);
        assert_true(read_report(bytes, size, &again, &offer_again));
        assert_int_equal(again.kind, report.kind);
        assert_int_equal(again.number, report.number);
        assert_same_subject(&again.subject, &report.subject);
        assert_string_equal(again.caller_name, report.caller_name);
        assert_string_equal(again.target_name, report.target_name);
        assert_int_equal(again.left_ms, report.left_ms);
        assert_memory_equal(&again.tally, &report.tally, sizeof report.tally);
        assert_int_equal(again.outcome, report.outcome);
        assert_int_equal(again.rejection, report.rejection);
        assert_int_equal(again.amount, report.amount);
        hostile_attack(accepts_report, bytes, size);
    }
}

TEST(the_longest_offer_fits_a_message)
{
    static struct raim_vote_offer offer = {.kinds = 0xFFFF, .map_count = RAIM_WIRE_VOTE_MAPS};
    uint8_t bytes[RAIM_MAX_MESSAGE_BYTES];
    for (uint32_t i = 0; i < RAIM_WIRE_VOTE_MAPS; i++)
        memset(offer.maps[i], 'm', RAIM_MAX_TITLE_BYTES);
    assert_true(raim_vote_offer_write(&offer, bytes, sizeof bytes) > 0);
}

TEST(kinds_have_names)
{
    for (uint32_t kind = 1; kind < RAIM_VOTE_KINDS; kind++)
        assert_int_equal(raim_vote_kind_find(raim_vote_kind_name(kind)), kind);
    assert_int_equal(raim_vote_kind_find("unknown"), 0);
    assert_string_equal(raim_vote_kind_name(0), "unknown");
    assert_string_equal(raim_vote_kind_name(RAIM_VOTE_KINDS), "unknown");
    for (uint32_t rejection = 1; rejection < RAIM_VOTE_REJECTIONS; rejection++) {
        assert_string_not_equal(raim_vote_rejection_name(rejection), "unknown");
        assert_true(raim_vote_rejection_text(rejection)[0] != '\0');
    }
}

// --- Utf8 ---

// Texts of files are UTF-8.

static bool is_valid(const char *text)
{
    return raim_utf8_is_valid((const uint8_t *)text, strlen(text));
}

TEST(characters_of_every_length_are_accepted)
{
    assert_true(is_valid(""));
    assert_true(is_valid("Ada"));
    assert_true(is_valid("\xC2\x80\xDF\xBF"));                     // U+0080, U+07FF
    assert_true(is_valid("\xE0\xA0\x80\xED\x9F\xBF\xEF\xBF\xBF")); // U+0800, U+D7FF, U+FFFF
    assert_true(is_valid("\xF0\x90\x80\x80\xF4\x8F\xBF\xBF"));     // U+10000, U+10FFFF
}

TEST(everything_else_is_rejected)
{
    const char *const texts[] = {
        "\x80",         "\xC0\x80",         "\xC1\xBF", "\xC2",         "\xC2\x41",
        "\xE0\x9F\xBF", "\xED\xA0\x80",     "\xE1\x80", "\xE1\x80\x41", "\xF0\x8F\xBF\xBF",
        "\xF0\x90\x80", "\xF4\x90\x80\x80", "\xF5",     "\xFF",         "Ada\xC3",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (is_valid(texts[i]))
            fail_msg("text %zu is accepted", i);
    assert_false(raim_utf8_is_valid((const uint8_t *)"a\0b", 3));
}
