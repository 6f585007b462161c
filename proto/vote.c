// SPDX-License-Identifier: MIT
// Writes and reads VOTE, and names its numbers.
#include "vote.h"

enum { OFFER_BITS = 16 }; // a set of kinds, of later ones too

static_assert(RAIM_WIRE_PLAYERS == 1 << 10, "a count fits its bits");
static_assert(RAIM_VOTE_KINDS <= 1 << 4 && RAIM_VOTE_KINDS - 1 <= OFFER_BITS,
              "kinds fit their bits");
static_assert(RAIM_VOTE_REPORTS > 4 && RAIM_VOTE_REPORTS <= 8, "reports take three bits");
static_assert(RAIM_VOTE_MAX_AMOUNT == (1 << 12) - 1, "an amount fills its bits");
static_assert(RAIM_VOTE_OUTCOMES <= 1 << 3, "outcomes fit their bits");
static_assert(RAIM_VOTE_REJECTIONS <= 1 << 5, "rejections fit their bits");
static_assert(RAIM_WIRE_VOTE_MAPS * (RAIM_MAX_TITLE_BYTES * 8 + 5) + 40 <=
                  RAIM_SMALL_MESSAGE_BYTES * 8,
              "the longest offer fits a message");

bool raim_vote_has_player(uint32_t kind)
{
    return kind == RAIM_VOTE_KICK || kind == RAIM_VOTE_MUTE || kind == RAIM_VOTE_SPECTATE;
}

RAIM_PART_CODEC(vote_subject, RAIM_VOTE_SUBJECT_FIELDS)
RAIM_PART_CODEC(vote_tally, RAIM_VOTE_TALLY_FIELDS)
RAIM_PART_CODEC(vote_request, RAIM_VOTE_REQUEST_FIELDS)
RAIM_PART_CODEC(vote_report, RAIM_VOTE_REPORT_FIELDS)

size_t raim_vote_request_write(const struct raim_vote_request *request, uint8_t *bytes,
                               size_t capacity)
{
    raim_writer writer = raim_message_write(RAIM_MESSAGE_VOTE, bytes, capacity);
    write_vote_request(&writer, request);
    return raim_writer_finish(&writer);
}

bool raim_vote_request_read(raim_reader *reader, struct raim_vote_request *request)
{
    *request = (struct raim_vote_request){0};
    read_vote_request(reader, request);
    return raim_reader_done(reader);
}

size_t raim_vote_offer_write(const struct raim_vote_offer *offer, uint8_t *bytes, size_t capacity)
{
    assert(offer->map_count <= RAIM_WIRE_VOTE_MAPS);
    raim_writer writer = raim_message_write(RAIM_MESSAGE_VOTE, bytes, capacity);
    write_vote_report(&writer, &(struct raim_vote_report){.kind = RAIM_VOTE_OFFER});
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

size_t raim_vote_report_write(const struct raim_vote_report *report, uint8_t *bytes,
                              size_t capacity)
{
    assert(report->kind != RAIM_VOTE_OFFER);
    raim_writer writer = raim_message_write(RAIM_MESSAGE_VOTE, bytes, capacity);
    write_vote_report(&writer, report);
    return raim_writer_finish(&writer);
}

bool raim_vote_report_read(raim_reader *reader, struct raim_vote_report *report,
                           struct raim_vote_offer *offer)
{
    *report = (struct raim_vote_report){0};
    read_vote_report(reader, report);
    if (report->kind == RAIM_VOTE_OFFER)
        read_offer(reader, offer);
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
