// SPDX-License-Identifier: MIT
// Votes: the server's reports about them, and the client's requests.
#include "client_internal.h"

#include "utf8.h"

#include <assert.h>
#include <string.h>

static_assert((int)RAIM_CLIENT_VOTE_KICK == RAIM_VOTE_KICK &&
                  (int)RAIM_CLIENT_VOTE_PAUSE == RAIM_VOTE_PAUSE &&
                  RAIM_VOTE_KINDS == RAIM_VOTE_PAUSE + 1,
              "kinds need no conversion");
static_assert((int)RAIM_CLIENT_VOTE_SILENT == RAIM_VOTE_SILENT &&
                  (int)RAIM_CLIENT_VOTE_YES == RAIM_VOTE_YES &&
                  (int)RAIM_CLIENT_VOTE_NO == RAIM_VOTE_NO,
              "choices need no conversion");

static void take_offer(struct raim_client_votes *votes, const struct raim_vote_offer *offer)
{
    votes->offer = *offer;
    for (uint32_t i = 0; i < offer->map_count; i++)
        raim_utf8_strip(votes->offer.maps[i]);
}

static void take_began(struct raim_client *client, uint64_t now_us,
                       const struct raim_vote_report *report)
{
    struct raim_client_votes *votes = &client->votes;
    votes->began = *report;
    raim_utf8_strip(votes->began.caller_name);
    raim_utf8_strip(votes->began.target_name);
    raim_utf8_strip(votes->began.subject.map);
    raim_utf8_strip(votes->began.subject.reason);
    votes->runs = true;
    votes->end_us = now_us + (uint64_t)report->left_ms * 1000;
    votes->tally = (struct raim_vote_tally){0};
    votes->choice = RAIM_VOTE_SILENT;
    votes->outcome = 0;
    raim_client_roster_add_vote(&client->roster, RAIM_CLIENT_VOTE_BEGAN);
}

// Appends ": 12" and what it counts.
static void append_amount(char *text, uint32_t amount, const char *unit)
{
    char digits[] = "    "; // an amount has at most four
    char *first = &digits[4];
    for (; amount > 0; amount /= 10)
        *--first = (char)('0' + amount % 10);
    strcat(strcat(strcat(text, ": "), first), unit);
}

static void take_rejection(struct raim_client *client, const struct raim_vote_report *report)
{
    static_assert(RAIM_VOTE_MAX_AMOUNT < 10000, "an amount has four digits");
    char text[RAIM_MAX_TEXT_BYTES + 1] = "";
    strcpy(text, raim_vote_rejection_text(report->rejection));
    if (report->amount > 0)
        append_amount(text, report->amount,
                      report->rejection == RAIM_VOTE_TOO_FEW ? " are needed" : " s");
    raim_client_roster_add_line(&client->roster, RAIM_CLIENT_VOTE_REJECTED, text);
}

bool raim_client_receive_vote(struct raim_client *client, uint64_t now_us, raim_reader *reader)
{
    struct raim_client_votes *votes = &client->votes;
    struct raim_vote_offer offer;
    struct raim_vote_report report;
    if (!raim_vote_report_read(reader, &report, &offer))
        return false;
    if (client->session.state != RAIM_CLIENT_PLAYING || raim_client_is_spectator(client))
        return true;
    const bool is_of_running = votes->runs && report.number == votes->began.number;
    switch ((enum raim_vote_report_kind)report.kind) {
    case RAIM_VOTE_OFFER:
        take_offer(votes, &offer);
        break;
    case RAIM_VOTE_BEGAN:
        take_began(client, now_us, &report);
        break;
    case RAIM_VOTE_TALLY:
        if (is_of_running) {
            votes->tally = report.tally;
            votes->choice = report.choice;
        }
        break;
    case RAIM_VOTE_ENDED:
        if (is_of_running) {
            votes->tally = report.tally;
            votes->outcome = report.outcome;
            votes->runs = false;
            raim_client_roster_add_vote(&client->roster, RAIM_CLIENT_VOTE_ENDED);
        }
        break;
    case RAIM_VOTE_REJECTED:
        take_rejection(client, &report);
        break;
    case RAIM_VOTE_REPORTS:
        break;
    }
    return true;
}

static bool can_vote(const struct raim_client *client)
{
    return client->session.state == RAIM_CLIENT_PLAYING && !raim_client_is_spectator(client) &&
           (client->welcome.capabilities & RAIM_CAPABILITY_VOTES) != 0;
}

// Copies a text, cut at a character's boundary.
static void copy_text(char *to, size_t capacity, const char *text)
{
    if (text == NULL)
        return;
    size_t length = 0;
    while (length < capacity - 1 && text[length] != '\0')
        length++;
    while (length > 0 && ((uint8_t)text[length] & 0xC0) == 0x80)
        length--;
    memcpy(to, text, length);
}

size_t raim_client_write_vote_call(struct raim_client *client,
                                   const struct raim_client_vote_call *call, uint8_t *bytes,
                                   size_t capacity)
{
    struct raim_vote_request request = {
        .action = RAIM_VOTE_CALL,
        .subject = {.kind = (uint32_t)call->kind, .player = call->player, .minutes = call->minutes},
    };
    const uint32_t kind = request.subject.kind;
    if (!can_vote(client) || kind == 0 || kind >= RAIM_VOTE_KINDS ||
        (kind == RAIM_VOTE_EXTEND && (call->minutes == 0 || call->minutes > RAIM_VOTE_MAX_MINUTES)))
        return 0;
    copy_text(request.subject.map, sizeof request.subject.map, call->map);
    copy_text(request.subject.reason, sizeof request.subject.reason, call->reason);
    return raim_vote_request_write(&request, bytes, capacity);
}

size_t raim_client_write_vote_cast(struct raim_client *client, enum raim_client_vote_choice choice,
                                   uint8_t *bytes, size_t capacity)
{
    const struct raim_vote_request request = {
        .action = RAIM_VOTE_CAST, .number = client->votes.began.number, .choice = (uint32_t)choice};
    return can_vote(client) && client->votes.runs && request.choice < RAIM_VOTE_CHOICES
               ? raim_vote_request_write(&request, bytes, capacity)
               : 0;
}

size_t raim_client_write_vote_withdraw(struct raim_client *client, uint8_t *bytes, size_t capacity)
{
    const struct raim_vote_request request = {.action = RAIM_VOTE_WITHDRAW,
                                              .number = client->votes.began.number};
    return can_vote(client) && client->votes.runs
               ? raim_vote_request_write(&request, bytes, capacity)
               : 0;
}

struct raim_client_vote raim_client_get_vote(const struct raim_client *client, uint64_t now_us)
{
    const struct raim_client_votes *votes = &client->votes;
    const struct raim_vote_subject *subject = &votes->began.subject;
    struct raim_client_vote vote = {
        .runs = votes->runs,
        .kind = (enum raim_client_vote_kind)subject->kind,
        .caller = (raim_player_id)votes->began.caller,
        .player = (raim_player_id)subject->player,
        .minutes = subject->minutes,
        .left_s =
            votes->runs && votes->end_us > now_us ? (double)(votes->end_us - now_us) * 1e-6 : 0,
        .yes = votes->tally.yes,
        .no = votes->tally.no,
        .electors = votes->tally.electors,
        .needed = votes->tally.needed,
        .choice = (enum raim_client_vote_choice)votes->choice,
        .outcome = votes->outcome,
    };
    memcpy(vote.caller_name, votes->began.caller_name, sizeof vote.caller_name);
    memcpy(vote.player_name, votes->began.target_name, sizeof vote.player_name);
    memcpy(vote.map, subject->map, sizeof vote.map);
    memcpy(vote.reason, subject->reason, sizeof vote.reason);
    return vote;
}

uint32_t raim_client_vote_kinds(const struct raim_client *client)
{
    return can_vote(client) ? (client->votes.offer.kinds & RAIM_VOTE_EVERY_KIND) << 1 : 0;
}

uint32_t raim_client_vote_map_count(const struct raim_client *client)
{
    return client->votes.offer.map_count;
}

const char *raim_client_vote_map(const struct raim_client *client, uint32_t index)
{
    assert(index < client->votes.offer.map_count);
    return client->votes.offer.maps[index];
}

const char *raim_client_vote_kind_name(uint32_t kind)
{
    return raim_vote_kind_name(kind);
}

const char *raim_client_vote_outcome_name(uint32_t outcome)
{
    return raim_vote_outcome_name(outcome);
}
