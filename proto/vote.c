// SPDX-License-Identifier: MIT
// Writes and reads VOTE, and names its numbers.
#include "vote.h"

enum {
    ACTION_BITS = 2,
    REPORT_BITS = 3,
    KIND_BITS = 4,
    PLAYER_ID_BITS = 16,
    NUMBER_BITS = 8,
    CHOICE_BITS = 2,
    COUNT_BITS = 10,
    LEFT_BITS = 20,
    OUTCOME_BITS = 3,
    REJECTION_BITS = 5,
    AMOUNT_BITS = 12,
    OFFER_BITS = 16, // a set of kinds, of later ones too
};

static_assert(RAIM_WIRE_PLAYERS == 1 << COUNT_BITS, "a count fits its bits");
static_assert(RAIM_VOTE_MAX_AMOUNT == (1 << AMOUNT_BITS) - 1, "an amount fits its bits");
static_assert(RAIM_VOTE_MAX_LEFT_MS < 1 << LEFT_BITS, "a duration fits its bits");
static_assert(RAIM_VOTE_KINDS <= 1 << KIND_BITS && RAIM_VOTE_KINDS - 1 <= OFFER_BITS,
              "kinds fit their bits");
static_assert(RAIM_VOTE_OUTCOMES <= 1 << OUTCOME_BITS, "outcomes fit their bits");
static_assert(RAIM_VOTE_REJECTIONS <= 1 << REJECTION_BITS, "rejections fit their bits");
static_assert(RAIM_WIRE_VOTE_MAPS * (RAIM_MAX_TITLE_BYTES * 8 + 5) + 40 <=
                  RAIM_SMALL_MESSAGE_BYTES * 8,
              "the longest offer fits a message");

bool raim_vote_has_player(uint32_t kind)
{
    return kind == RAIM_VOTE_KICK || kind == RAIM_VOTE_MUTE || kind == RAIM_VOTE_SPECTATE;
}

// Reads a number from 1 to below `end`.
static uint32_t read_name(raim_reader *reader, uint32_t bits, uint32_t end)
{
    const uint32_t number = raim_read_bits(reader, bits);
    reader->failed = reader->failed || number == 0 || number >= end;
    return number;
}

static void write_subject(raim_writer *writer, const struct raim_vote_subject *subject)
{
    assert(subject->kind > 0 && subject->kind < RAIM_VOTE_KINDS);
    raim_write_bits(writer, subject->kind, KIND_BITS);
    if (raim_vote_has_player(subject->kind))
        raim_write_bits(writer, subject->player, PLAYER_ID_BITS);
    if (subject->kind == RAIM_VOTE_EXTEND)
        raim_write_ranged(writer, subject->minutes, 1, RAIM_VOTE_MAX_MINUTES);
    if (subject->kind == RAIM_VOTE_MAP)
        raim_write_text(writer, subject->map, RAIM_MAX_TITLE_BYTES);
    raim_write_text(writer, subject->reason, RAIM_MAX_VOTE_REASON_BYTES);
}

static void read_subject(raim_reader *reader, struct raim_vote_subject *subject)
{
    subject->kind = read_name(reader, KIND_BITS, RAIM_VOTE_KINDS);
    if (raim_vote_has_player(subject->kind))
        subject->player = raim_read_bits(reader, PLAYER_ID_BITS);
    if (subject->kind == RAIM_VOTE_EXTEND)
        subject->minutes = raim_read_ranged(reader, 1, RAIM_VOTE_MAX_MINUTES);
    if (subject->kind == RAIM_VOTE_MAP)
        raim_read_text(reader, subject->map, RAIM_MAX_TITLE_BYTES);
    raim_read_text(reader, subject->reason, RAIM_MAX_VOTE_REASON_BYTES);
}

size_t raim_vote_request_write(const struct raim_vote_request *request, uint8_t *bytes,
                               size_t capacity)
{
    assert(request->action < RAIM_VOTE_ACTIONS && request->choice < RAIM_VOTE_CHOICES);
    raim_writer writer = raim_message_write(RAIM_MESSAGE_VOTE, bytes, capacity);
    raim_write_bits(&writer, request->action, ACTION_BITS);
    if (request->action == RAIM_VOTE_CALL) {
        write_subject(&writer, &request->subject);
        return raim_writer_finish(&writer);
    }
    raim_write_bits(&writer, request->number & 0xFF, NUMBER_BITS);
    if (request->action == RAIM_VOTE_CAST)
        raim_write_bits(&writer, request->choice, CHOICE_BITS);
    return raim_writer_finish(&writer);
}

static void read_choice(raim_reader *reader, uint32_t *choice)
{
    *choice = raim_read_bits(reader, CHOICE_BITS);
    reader->failed = reader->failed || *choice >= RAIM_VOTE_CHOICES;
}

bool raim_vote_request_read(raim_reader *reader, struct raim_vote_request *request)
{
    *request = (struct raim_vote_request){.action = raim_read_bits(reader, ACTION_BITS)};
    if (request->action >= RAIM_VOTE_ACTIONS)
        return false;
    if (request->action == RAIM_VOTE_CALL) {
        read_subject(reader, &request->subject);
        return raim_reader_done(reader);
    }
    request->number = raim_read_bits(reader, NUMBER_BITS);
    if (request->action == RAIM_VOTE_CAST)
        read_choice(reader, &request->choice);
    return raim_reader_done(reader);
}

static raim_writer begin_report(uint32_t kind, uint8_t *bytes, size_t capacity)
{
    raim_writer writer = raim_message_write(RAIM_MESSAGE_VOTE, bytes, capacity);
    raim_write_bits(&writer, kind, REPORT_BITS);
    return writer;
}

size_t raim_vote_offer_write(const struct raim_vote_offer *offer, uint8_t *bytes, size_t capacity)
{
    assert(offer->map_count <= RAIM_WIRE_VOTE_MAPS);
    raim_writer writer = begin_report(RAIM_VOTE_OFFER, bytes, capacity);
    raim_write_bits(&writer, offer->kinds, OFFER_BITS);
    raim_write_ranged(&writer, offer->map_count, 0, RAIM_WIRE_VOTE_MAPS);
    for (uint32_t i = 0; i < offer->map_count; i++)
        raim_write_text(&writer, offer->maps[i], RAIM_MAX_TITLE_BYTES);
    return raim_writer_finish(&writer);
}

static void read_offer(raim_reader *reader, struct raim_vote_offer *offer)
{
    offer->kinds = raim_read_bits(reader, OFFER_BITS);
    offer->map_count = raim_read_ranged(reader, 0, RAIM_WIRE_VOTE_MAPS);
    for (uint32_t i = 0; i < offer->map_count && !reader->failed; i++)
        raim_read_text(reader, offer->maps[i], RAIM_MAX_TITLE_BYTES);
}

static void write_tally(raim_writer *writer, const struct raim_vote_tally *tally)
{
    raim_write_bits(writer, tally->yes, COUNT_BITS);
    raim_write_bits(writer, tally->no, COUNT_BITS);
    raim_write_bits(writer, tally->electors, COUNT_BITS);
    raim_write_bits(writer, tally->needed, COUNT_BITS);
}

static void read_tally(raim_reader *reader, struct raim_vote_tally *tally)
{
    tally->yes = raim_read_bits(reader, COUNT_BITS);
    tally->no = raim_read_bits(reader, COUNT_BITS);
    tally->electors = raim_read_bits(reader, COUNT_BITS);
    tally->needed = raim_read_bits(reader, COUNT_BITS);
}

static void write_began(raim_writer *writer, const struct raim_vote_report *report)
{
    assert(report->left_ms <= RAIM_VOTE_MAX_LEFT_MS);
    write_subject(writer, &report->subject);
    raim_write_bits(writer, report->caller, PLAYER_ID_BITS);
    raim_write_text(writer, report->caller_name, RAIM_MAX_NAME_BYTES);
    if (raim_vote_has_player(report->subject.kind))
        raim_write_text(writer, report->target_name, RAIM_MAX_NAME_BYTES);
    raim_write_bits(writer, report->left_ms, LEFT_BITS);
}

static void read_began(raim_reader *reader, struct raim_vote_report *report)
{
    read_subject(reader, &report->subject);
    report->caller = raim_read_bits(reader, PLAYER_ID_BITS);
    raim_read_text(reader, report->caller_name, RAIM_MAX_NAME_BYTES);
    if (raim_vote_has_player(report->subject.kind))
        raim_read_text(reader, report->target_name, RAIM_MAX_NAME_BYTES);
    report->left_ms = raim_read_bits(reader, LEFT_BITS);
    reader->failed = reader->failed || report->left_ms > RAIM_VOTE_MAX_LEFT_MS;
}

size_t raim_vote_report_write(const struct raim_vote_report *report, uint8_t *bytes,
                              size_t capacity)
{
    assert(report->kind > RAIM_VOTE_OFFER && report->kind < RAIM_VOTE_REPORTS);
    raim_writer writer = begin_report(report->kind, bytes, capacity);
    if (report->kind == RAIM_VOTE_REJECTED) {
        assert(report->rejection > 0 && report->rejection < 1 << REJECTION_BITS);
        assert(report->amount <= RAIM_VOTE_MAX_AMOUNT);
        raim_write_bits(&writer, report->rejection, REJECTION_BITS);
        raim_write_bits(&writer, report->amount, AMOUNT_BITS);
        return raim_writer_finish(&writer);
    }
    raim_write_bits(&writer, report->number & 0xFF, NUMBER_BITS);
    if (report->kind == RAIM_VOTE_BEGAN) {
        write_began(&writer, report);
        return raim_writer_finish(&writer);
    }
    write_tally(&writer, &report->tally);
    if (report->kind == RAIM_VOTE_TALLY)
        raim_write_bits(&writer, report->choice, CHOICE_BITS);
    else
        raim_write_bits(&writer, report->outcome, OUTCOME_BITS);
    return raim_writer_finish(&writer);
}

bool raim_vote_report_read(raim_reader *reader, struct raim_vote_report *report,
                           struct raim_vote_offer *offer)
{
    *report = (struct raim_vote_report){.kind = raim_read_bits(reader, REPORT_BITS)};
    if (report->kind == RAIM_VOTE_OFFER) {
        read_offer(reader, offer);
        return raim_reader_done(reader);
    }
    if (report->kind == RAIM_VOTE_REJECTED) {
        // Rejections of later servers are read, too.
        report->rejection = read_name(reader, REJECTION_BITS, 1 << REJECTION_BITS);
        report->amount = raim_read_bits(reader, AMOUNT_BITS);
        return raim_reader_done(reader);
    }
    if (report->kind >= RAIM_VOTE_REPORTS)
        return false;
    report->number = raim_read_bits(reader, NUMBER_BITS);
    if (report->kind == RAIM_VOTE_BEGAN) {
        read_began(reader, report);
        return raim_reader_done(reader);
    }
    read_tally(reader, &report->tally);
    if (report->kind == RAIM_VOTE_TALLY)
        read_choice(reader, &report->choice);
    else
        report->outcome = read_name(reader, OUTCOME_BITS, RAIM_VOTE_OUTCOMES);
    return raim_reader_done(reader);
}

static const char *const kind_names[RAIM_VOTE_KINDS] = {
    [RAIM_VOTE_KICK] = "kick",         [RAIM_VOTE_MUTE] = "mute",
    [RAIM_VOTE_MAP] = "map",           [RAIM_VOTE_NEXTMAP] = "nextmap",
    [RAIM_VOTE_RESTART] = "restart",   [RAIM_VOTE_EXTEND] = "extend",
    [RAIM_VOTE_SPECTATE] = "spectate", [RAIM_VOTE_PAUSE] = "pause",
};

static const char *const outcome_names[RAIM_VOTE_OUTCOMES] = {
    [RAIM_VOTE_PASSED] = "passed",       [RAIM_VOTE_FAILED] = "failed",
    [RAIM_VOTE_WITHDRAWN] = "withdrawn", [RAIM_VOTE_CANCELLED] = "cancelled",
    [RAIM_VOTE_MOOT] = "moot",
};

static const struct {
    const char *name, *text;
} rejections[RAIM_VOTE_REJECTIONS] = {
    [RAIM_VOTE_DISABLED] = {"disabled", "this arena does not offer such votes"},
    [RAIM_VOTE_RUNNING] = {"running", "another vote is running"},
    [RAIM_VOTE_TOO_SOON] = {"too_soon", "wait before you call a vote again"},
    [RAIM_VOTE_NEWCOMER] = {"newcomer", "play for a while before you call a vote"},
    [RAIM_VOTE_NO_PLAYER] = {"no_player", "there is no such player"},
    [RAIM_VOTE_IMMUNE] = {"immune", "this player is an administrator"},
    [RAIM_VOTE_TOO_FEW] = {"too_few", "too few players are here"},
    [RAIM_VOTE_NO_MAP] = {"no_map", "the rotation has no such map"},
    [RAIM_VOTE_NOT_NOW] = {"not_now", "this is not possible now"},
    [RAIM_VOTE_WATCHING] = {"watching", "spectators do not vote"},
    [RAIM_VOTE_NONE] = {"none", "no vote is running"},
    [RAIM_VOTE_NOT_CALLER] = {"not_caller", "only who called a vote may withdraw it"},
    [RAIM_VOTE_BAD] = {"bad", "the request cannot be read"},
};

const char *raim_vote_kind_name(uint32_t kind)
{
    return kind > 0 && kind < RAIM_VOTE_KINDS ? kind_names[kind] : "unknown";
}

const char *raim_vote_outcome_name(uint32_t outcome)
{
    return outcome > 0 && outcome < RAIM_VOTE_OUTCOMES ? outcome_names[outcome] : "unknown";
}

const char *raim_vote_rejection_name(uint32_t rejection)
{
    return rejection > 0 && rejection < RAIM_VOTE_REJECTIONS ? rejections[rejection].name
                                                             : "unknown";
}

const char *raim_vote_rejection_text(uint32_t rejection)
{
    return rejection > 0 && rejection < RAIM_VOTE_REJECTIONS ? rejections[rejection].text
                                                             : "the server rejects the vote";
}

uint32_t raim_vote_kind_find(const char *name)
{
    for (uint32_t kind = 1; kind < RAIM_VOTE_KINDS; kind++)
        if (strcmp(name, kind_names[kind]) == 0)
            return kind;
    return 0;
}
