// SPDX-License-Identifier: MIT
// VOTE: requests and reports survive a round trip; malformed messages are rejected.
#include "hostile.h"
#include "vote.h"

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
