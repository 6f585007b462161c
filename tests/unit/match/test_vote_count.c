// SPDX-License-Identifier: MIT
// Counting votes: whatever joins, leaves, resumes, idles and votes at random, the count is that of
// a plain oracle, which compares every player with every other one.
#include "vote_fixture.h"

enum { ROUNDS = 80, ACTS = 120, MAX_OF_ORIGIN = 2 };

// What the oracle knows of a player.
struct voter {
    bool here, away;
    uint64_t origin; // 0: not known
    uint32_t joined_tick, player;
    uint32_t choice, order;
    uint8_t token[RAIM_TOKEN_BYTES];
};

struct ballot {
    struct test_match *test;
    struct voter voters[PEERS]; // by handle
    uint32_t order;
    uint32_t began_tick, target;
    bool is_personal;
    uint32_t newcomer_ticks;
    int origins; // that may be
};

static bool is_active(const struct ballot *ballot, const struct voter *voter)
{
    const struct raim_match *match = ballot->test->match;
    return voter->here &&
           (voter->choice != RAIM_VOTE_SILENT ||
            (!voter->away &&
             match->sessions[raim_player_slot((raim_player_id)voter->player)].idle_ticks <
                 match->policy.idle_ticks));
}

static bool may_vote(const struct ballot *ballot, const struct voter *voter)
{
    if (!is_active(ballot, voter))
        return false;
    return !ballot->is_personal || (voter->player != ballot->target &&
                                    raim_tick_diff(ballot->began_tick, voter->joined_tick) >=
                                        (int32_t)ballot->newcomer_ticks);
}

static bool is_of_one_origin(const struct voter *one, const struct voter *other)
{
    return one == other || (one->origin != 0 && one->origin == other->origin);
}

// The number of origins among the voters that a predicate takes.
static uint32_t origins_of(const struct ballot *ballot,
                           bool (*takes)(const struct ballot *, const struct voter *))
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < PEERS; i++) {
        bool is_first = takes(ballot, &ballot->voters[i]);
        for (uint32_t j = 0; j < i; j++)
            if (takes(ballot, &ballot->voters[j]) &&
                is_of_one_origin(&ballot->voters[i], &ballot->voters[j]))
                is_first = false;
        count += is_first;
    }
    return count;
}

// Whether a voter is not one of the electors of its origin: others of it have voted later, or, of
// the silent ones, have a lower handle.
static bool is_beyond(const struct ballot *ballot, const struct voter *voter)
{
    uint32_t before = 0;
    const uint32_t order = voter->choice == RAIM_VOTE_SILENT ? 0 : voter->order;
    for (uint32_t i = 0; i < PEERS; i++) {
        const struct voter *other = &ballot->voters[i];
        const uint32_t others = other->choice == RAIM_VOTE_SILENT ? 0 : other->order;
        before += other != voter && may_vote(ballot, other) && is_of_one_origin(voter, other) &&
                  (others > order || (others == order && other < voter));
    }
    return before >= MAX_OF_ORIGIN && origins_of(ballot, is_active) > 1;
}

static bool says_yes(const struct ballot *ballot, const struct voter *voter)
{
    return may_vote(ballot, voter) && !is_beyond(ballot, voter) && voter->choice == RAIM_VOTE_YES;
}

static struct raim_vote_count oracle(const struct ballot *ballot)
{
    struct raim_vote_count count = {0};
    struct raim_vote_tally *tally = &count.tally;
    for (uint32_t i = 0; i < PEERS; i++) {
        const struct voter *voter = &ballot->voters[i];
        if (!may_vote(ballot, voter) || is_beyond(ballot, voter))
            continue;
        tally->electors++;
        tally->yes += voter->choice == RAIM_VOTE_YES;
        tally->no += voter->choice == RAIM_VOTE_NO;
    }
    const bool is_one = origins_of(ballot, is_active) <= 1;
    count.is_broad = is_one || origins_of(ballot, says_yes) >= 2;
    count.may_be_broad = is_one || origins_of(ballot, may_vote) >= 2;
    const uint32_t least = !ballot->is_personal && tally->electors < 2 ? tally->electors : 2;
    tally->needed = tally->electors * ballot->test->def.tuning.votes.yes_percent / 100 + 1;
    if (tally->needed < least)
        tally->needed = least;
    while (3 * count.quorum < tally->electors || count.quorum < least)
        count.quorum++;
    if (count.quorum > tally->needed)
        count.quorum = tally->needed;
    return count;
}

static void join_ballot(struct ballot *ballot, uint32_t handle)
{
    struct voter *voter = &ballot->voters[handle];
    *voter = (struct voter){.here = true,
                            .origin = (uint64_t)chance_int(ballot->origins == 1, ballot->origins)};
    if (voter->origin != 0) // some share the lowest bits, by which the table begins to look
        voter->origin = voter->origin << 40 | 7;
    join_voter(ballot->test, handle, voter->origin, "voter");
    voter->joined_tick = raim_match_tick(ballot->test->match);
    voter->player = player_of(ballot->test, handle);
    memcpy(voter->token, ballot->test->match->connections[handle].token, sizeof voter->token);
}

// An away player comes back through a free handle.
static void resume_voter(struct ballot *ballot, uint32_t from, uint32_t to)
{
    struct raim_hello hello = {.version = RAIM_PROTOCOL_VERSION, .resume = true, .name = "voter"};
    struct voter voter = ballot->voters[from];
    memcpy(hello.token, voter.token, sizeof hello.token);
    connect_peer(ballot->test, to, &hello);
    voter.away = false;
    voter.origin = 0; // connect_peer names no origin
    ballot->voters[from] = (struct voter){0};
    ballot->voters[to] = voter;
}

static void act(struct ballot *ballot)
{
    const uint32_t handle = (uint32_t)chance_int(0, 11);
    struct voter *voter = &ballot->voters[handle];
    const int what = chance_int(0, 9);
    if (!voter->here) {
        if (what < 3)
            join_ballot(ballot, handle);
    } else if (voter->away) {
        if (what < 2 && !ballot->voters[handle + 4].here && !ballot->test->peers[handle + 4].open)
            resume_voter(ballot, handle, handle + 4);
    } else if (what == 0) {
        leave(ballot->test, handle);
        voter->away = true;
    } else if (what == 1) {
        say_goodbye(ballot->test, handle);
        *voter = (struct voter){0};
        leave(ballot->test, handle);
    } else if (what < 6) {
        voter->choice = (uint32_t)chance_int(0, 2);
        voter->order = ++ballot->order;
        cast_vote(ballot->test, handle, voter->choice);
    } else {
        tick(ballot->test);
    }
}

// Calls a vote; false if it could not pass, as the oracle says, too.
static bool begin_ballot(struct ballot *ballot)
{
    const struct raim_match *match = ballot->test->match;
    ballot->is_personal = chance_int(0, 1) == 0;
    ballot->target = player_of(ballot->test, 1);
    ballot->began_tick = raim_match_tick(match);
    ballot->voters[0].choice = RAIM_VOTE_YES;
    ballot->voters[0].order = ++ballot->order;
    call_vote(ballot->test, 0,
              &(struct raim_vote_subject){.kind = ballot->is_personal ? RAIM_VOTE_MUTE
                                                                      : RAIM_VOTE_RESTART,
                                          .player = ballot->is_personal ? ballot->target : 0});
    const struct raim_vote_count expected = oracle(ballot);
    assert_int_equal(is_vote_running(ballot->test),
                     expected.may_be_broad && expected.tally.electors >= expected.tally.needed);
    return is_vote_running(ballot->test);
}

static void compare(const struct ballot *ballot)
{
    const struct raim_vote_count counted = raim_vote_count_running(ballot->test->match);
    const struct raim_vote_count expected = oracle(ballot);
    assert_int_equal(counted.tally.electors, expected.tally.electors);
    assert_int_equal(counted.tally.yes, expected.tally.yes);
    assert_int_equal(counted.tally.no, expected.tally.no);
    assert_int_equal(counted.tally.needed, expected.tally.needed);
    assert_int_equal(counted.quorum, expected.quorum);
    assert_int_equal(counted.is_broad, expected.is_broad);
    assert_int_equal(counted.may_be_broad, expected.may_be_broad);
}

TEST(the_count_is_that_of_a_plain_oracle)
{
    uint32_t compared = 0;
    for (int round = 0; round < ROUNDS; round++) {
        struct raim_match_def def = vote_def();
        def.tuning.max_players = PEERS; // nobody is rejected or evicted
        def.bots = (uint32_t)chance_int(0, 3);
        def.tuning.resume_grace_s = 600;
        def.tuning.idle_timeout_s = 1;
        def.tuning.votes.time_s = 300;
        def.tuning.votes.newcomer_delay_s = 0.5;
        def.tuning.votes.yes_percent = (uint32_t)chance_int(1, 99);
        struct ballot ballot = {
            .test = open_vote(def, 0), .newcomer_ticks = 30, .origins = chance_int(1, 5)};
        for (uint32_t i = 0; i < 6; i++) {
            join_ballot(&ballot, i);
            ballot.test->peers[i].is_idle = chance_int(0, 4) == 0;
        }
        ticks(ballot.test, 40);
        begin_ballot(&ballot);
        for (int i = 0; i < ACTS && is_vote_running(ballot.test); i++) {
            compare(&ballot);
            compared++;
            act(&ballot);
        }
        close_test_match(ballot.test);
    }
    assert_true(compared > ROUNDS * 5);
}

// By the rules in the document, without the shortcuts of the code.
static uint32_t decide(uint32_t percent, bool silent_is_no, const struct raim_vote_count *count,
                       bool is_over)
{
    const struct raim_vote_tally *tally = &count->tally;
    const uint32_t silent = tally->electors - tally->yes - tally->no;
    const uint32_t all = 100 * tally->electors;
    if (100 * 100 * tally->yes > percent * all && count->is_broad)
        return RAIM_VOTE_PASSED;
    if (100 * 100 * (tally->yes + silent) <= percent * all)
        return RAIM_VOTE_FAILED;
    if (!is_over)
        return 0;
    const uint32_t cast = silent_is_no ? tally->electors : tally->yes + tally->no;
    return 100 * tally->yes > percent * cast && tally->yes >= count->quorum && count->is_broad
               ? RAIM_VOTE_PASSED
               : RAIM_VOTE_FAILED;
}

TEST(every_tally_is_decided_by_the_rules)
{
    struct test_match *test = open_vote(vote_def(), 0);
    struct raim_vote_tuning *tuning = &test->match->policy.tuning.votes;
    for (uint32_t percent = 1; percent <= 99; percent += 7)
        for (uint32_t electors = 0; electors <= 12; electors++)
            for (uint32_t yes = 0; yes <= electors; yes++)
                for (uint32_t no = 0; no + yes <= electors; no++)
                    for (int mode = 0; mode < 8; mode++) {
                        const struct raim_vote_count count = {
                            .tally = {yes, no, electors, electors * percent / 100 + 1},
                            .quorum = (electors + 2) / 3,
                            .is_broad = (mode & 4) != 0,
                        };
                        tuning->yes_percent = percent;
                        tuning->silent_is_no = (mode & 1) != 0;
                        assert_int_equal(
                            raim_vote_count_decide(test->match, &count, (mode & 2) != 0),
                            decide(percent, tuning->silent_is_no, &count, (mode & 2) != 0));
                    }
}
