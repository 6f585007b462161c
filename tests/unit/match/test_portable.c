// SPDX-License-Identifier: MIT
// The portable state: a match that continues from it has the players, scores and round of the one
// that wrote it, whatever else differs, and no state invents a score.
#include "notice.h"
#include "portable.h"
#include "vote_fixture.h"

enum { CLIENTS = 6 };

struct portable {
    struct raim_portable_match state;
    struct raim_portable_player players[2 * SLOTS];
};

static struct raim_match_def portable_def(void)
{
    struct raim_match_def def = with_grace(usual_def(), 30);
    def.tuning.round_s = chance_between(2, 60);
    def.tuning.break_s = chance_between(0, 5);
    def.tuning.score_limit = (uint32_t)chance_int(0, 3);
    def.tick_hz = (uint32_t)chance_int(10, 240);
    def.bots = (uint32_t)chance_int(0, 8);
    return def;
}

static struct portable export(const struct raim_match *match)
{
    struct portable saved = {0};
    raim_match_export(match, &saved.state, saved.players, 2 * SLOTS);
    return saved;
}

static bool import(struct raim_match *match, const struct portable *saved)
{
    return raim_match_import(match, &saved->state, saved->players);
}

// A match in which clients have come, gone and been muted.
static struct test_match *open_played(void)
{
    struct test_match *test = open_test_match(portable_def());
    for (uint32_t i = 0; i < CLIENTS; i++)
        play(test, i);
    ticks(test, chance_int(1, 400));
    raim_match_kick(test->match, (raim_player_id)test->peers[0].welcome.player, "");
    raim_match_mute(test->match, (raim_player_id)test->peers[1].welcome.player, true);
    leave(test, (uint32_t)chance_int(2, CLIENTS - 1));
    raim_match_pause(test->match, chance_int(0, 3) == 0);
    tick(test);
    return test;
}

TEST(a_match_continues_as_it_was)
{
    for (int round = 0; round < chance_rounds(40); round++) {
        struct test_match *test = open_played();
        const struct portable saved = export(test->match);
        test->def.seed++;
        struct raim_match *next = raim_match_create(&test->def);
        assert_true(import(next, &saved));
        struct portable again = export(next);
        assert_int_equal(again.state.events, saved.state.events + 1); // see raim_match_transfer
        again.state.events--;
        assert_memory_equal(&again, &saved, sizeof saved);
        assert_int_equal(raim_match_counts(next).away, CLIENTS - 1);
        for (int i = 0; i < 30; i++)
            raim_match_step(next);
        raim_match_destroy(next);
        close_test_match(test);
    }
}

// Of the same name in the other state; NULL: nobody.
static const struct raim_portable_player *find(const struct portable *saved,
                                               const struct raim_portable_player *player)
{
    for (uint32_t i = 0; i < saved->state.players; i++)
        if (saved->players[i].bot == player->bot &&
            strcmp(saved->players[i].name, player->name) == 0)
            return &saved->players[i];
    return NULL;
}

TEST(other_ticks_rules_and_numbers_of_slots_keep_everybody_and_every_score)
{
    for (int round = 0; round < chance_rounds(40); round++) {
        struct test_match *test = open_played();
        const struct portable saved = export(test->match);
        struct raim_match_def def = portable_def();
        def.map = test->map;
        def.rules.player_speed *= 2;
        def.tuning.max_players = (uint32_t)chance_int(CLIENTS - 1, 12);
        struct raim_match *next = raim_match_create(&def);
        assert_true(import(next, &saved));
        const struct portable again = export(next);
        uint32_t clients = 0;
        for (uint32_t i = 0; i < again.state.players; i++) {
            const struct raim_portable_player *after = &again.players[i];
            const struct raim_portable_player *before = find(&saved, after);
            clients += !after->bot;
            assert_int_equal(after->score, before != NULL ? before->score : 0);
            assert_int_equal(after->deaths, before != NULL ? before->deaths : 0);
            if (after->bot)
                continue;
            assert_int_equal(after->shots, before->shots);
            assert_int_equal(after->hits, before->hits);
            assert_int_equal(after->muted, before->muted);
            assert_memory_equal(after->token, before->token, sizeof after->token);
            assert_true(raim_match_has_session(next, after->token));
        }
        assert_int_equal(clients, CLIENTS - 1);
        assert_int_equal(again.state.departed, saved.state.departed);
        assert_int_equal(again.state.round, saved.state.round);
        assert_int_equal(again.state.phase, saved.state.phase);
        const double seconds = (double)saved.state.left_ticks / saved.state.tick_hz;
        assert_true(fabs((double)again.state.left_ticks / def.tick_hz - seconds) <= 0.1);
        raim_match_destroy(next);
        close_test_match(test);
    }
}

TEST(a_session_resumes_and_plays)
{
    struct test_match *test = open_test_match(with_grace(usual_def(), 30));
    play(test, 0);
    play(test, 1);
    ticks(test, 100);
    const struct portable saved = export(test->match);
    const struct raim_welcome welcome = test->peers[1].welcome;
    leave(test, 0);
    leave(test, 1);
    raim_match_destroy(test->match);
    test->match = raim_match_create(&test->def);
    assert_true(import(test->match, &saved));
    const struct peer *peer = resume(test, 3, welcome.token);
    ticks(test, 5);
    assert_true(peer->any);
    assert_int_equal(peer->welcome.player, welcome.player);
    assert_int_equal(counts(test).away, 1);
    const uint32_t slot = raim_player_slot((raim_player_id)welcome.player);
    assert_int_equal(raim_world_players_const(test->match->world)[slot].state, RAIM_PLAYER_ALIVE);
}

static void assert_rejected(const struct raim_match_def *def, const struct portable *saved)
{
    struct raim_match *match = raim_match_create(def);
    const uint64_t digest = raim_world_digest(raim_match_world(match));
    assert_false(import(match, saved));
    assert_int_equal(raim_world_digest(raim_match_world(match)), digest);
    assert_int_equal(raim_match_playing(match), 0);
    raim_match_destroy(match);
}

TEST(a_state_that_no_match_has_is_rejected)
{
    struct test_match *test = open_test_match(usual_def());
    play(test, 0);
    tick(test);
    const struct portable good = export(test->match);
    struct portable bad[15];
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        bad[i] = good;
    bad[0].state.tick_hz = 0;
    bad[1].state.tick_hz = 241;
    bad[2].state.round = 0;
    bad[3].state.phase = RAIM_PHASE_PAUSED;
    bad[4].state.phase = 256; // PLAY, were it cut to a byte
    bad[5].state.paused = 3;
    bad[6].state.start_ms = -1;
    bad[7].players[0].inputs_missed = bad[7].players[0].inputs_due + 1;
    strcpy(bad[8].players[0].name, "a\nb");
    memset(bad[9].players[0].name, 'x', sizeof bad[9].players[0].name);
    memset(bad[10].players[0].token, 0, RAIM_TOKEN_BYTES); // anybody could continue it
    bad[11].players[0].id = 65536;
    strcpy(bad[12].state.vote, "\xff");
    bad[13].state.players--, bad[13].state.departed++; // with a session
    bad[14].state.departed++;                          // without a name
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_rejected(&test->def, &bad[i]);
}

TEST(of_more_players_than_slots_those_with_the_most_points_stay)
{
    for (int round = 0; round < chance_rounds(20); round++) {
        struct test_match *test = open_test_match(usual_def());
        for (uint32_t i = 0; i < CLIENTS; i++)
            play(test, i);
        tick(test);
        struct portable saved = export(test->match);
        for (uint32_t i = 0; i < CLIENTS; i++)
            saved.players[i].score = (uint32_t)chance_int(0, 3);
        struct raim_match_def def = test->def;
        def.tuning.max_players = (uint32_t)chance_int(1, CLIENTS);
        struct raim_match *next = raim_match_create(&def);
        assert_true(import(next, &saved));
        const struct portable again = export(next);
        assert_int_equal(again.state.players, def.tuning.max_players);
        assert_int_equal(again.state.departed + again.state.omitted,
                         CLIENTS - def.tuning.max_players);
        for (uint32_t i = 0; i < again.state.players; i++)
            for (uint32_t j = 0; j < again.state.departed; j++)
                assert_true(again.players[i].score >= again.players[again.state.players + j].score);
        raim_match_destroy(next);
        close_test_match(test);
    }
}

// Who has left a round belongs to its result, and has no session any more.
TEST(who_has_left_the_round_is_kept_with_his_score)
{
    struct raim_match_player rows[SLOTS];
    uint32_t omitted;
    struct test_match *test = open_test_match(with_grace(usual_def(), 30));
    play(test, 0);
    play(test, 1);
    tick(test);
    raim_world_players(test->match->world)[0].score = 7;
    raim_match_kick(test->match, (raim_player_id)test->peers[0].welcome.player, "");
    const struct portable saved = export(test->match);
    struct raim_match *next[2] = {raim_match_create(&test->def), raim_match_create(&test->def)};
    uint8_t *bytes = malloc(raim_match_checkpoint_size(test->match));
    raim_match_save(test->match, bytes);
    assert_true(import(next[0], &saved));
    assert_true(raim_match_restore(next[1], bytes, raim_match_checkpoint_size(test->match)));
    raim_match_import_rest(next[1], &saved.state, saved.players);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(raim_match_departed(next[i], rows, SLOTS, &omitted), 1);
        assert_string_equal(rows[0].name, saved.players[1].name);
        assert_int_equal(rows[0].score, 7);
        assert_int_equal(raim_match_playing(next[i]), 1);
        raim_match_destroy(next[i]);
    }
    struct portable other = saved;
    other.state.round++;
    struct raim_match *restored = raim_match_create(&test->def);
    assert_true(raim_match_restore(restored, bytes, raim_match_checkpoint_size(test->match)));
    raim_match_import_rest(restored, &other.state, other.players);
    assert_int_equal(raim_match_departed(restored, rows, SLOTS, &omitted), 0);
    raim_match_destroy(restored);
    free(bytes);
}

TEST(ids_that_clash_or_do_not_fit_become_new_ones)
{
    struct test_match *test = open_test_match(usual_def());
    play(test, 0);
    play(test, 1);
    play(test, 2);
    tick(test);
    struct portable saved = export(test->match);
    saved.players[0].id = saved.players[1].id = RAIM_MAX_PLAYERS;
    saved.players[2].id = UINT16_MAX;
    struct raim_match *next = raim_match_create(&test->def);
    assert_true(import(next, &saved));
    const struct portable again = export(next);
    assert_int_equal(again.state.players, 3);
    for (uint32_t i = 0; i < 3; i++)
        assert_int_equal(raim_player_slot((raim_player_id)again.players[i].id), i);
    raim_match_destroy(next);
}

// The NOTICEs that a client receives in some ticks, and the last one.
static uint32_t listen(struct test_match *test, uint32_t handle, int count,
                       struct raim_notice *last)
{
    uint32_t notices = 0;
    struct raim_outgoing out;
    for (int i = 0; i < count; i++) {
        raim_match_step(test->match);
        while (raim_match_outgoing(test->match, &out)) {
            raim_reader reader = raim_reader_make(out.data, out.size);
            if (raim_message_read(&reader) != RAIM_MESSAGE_NOTICE)
                continue;
            assert_int_equal(out.client, handle);
            assert_true(raim_notice_read(&reader, last));
            notices++;
        }
    }
    return notices;
}

TEST(who_resumes_is_told_once_that_the_vote_is_cancelled)
{
    for (int has_vote = 0; has_vote < 2; has_vote++) {
        struct raim_notice notice = {.text = ""};
        struct raim_match_vote vote;
        struct test_match *test = open_vote(with_grace(vote_def(), 30), 5);
        const struct raim_welcome welcome = test->peers[1].welcome;
        if (has_vote)
            call_on(test, 0, RAIM_VOTE_KICK, 4);
        tick(test);
        const struct portable saved = export(test->match);
        assert_string_equal(saved.state.vote, has_vote ? "kick E (spam)" : "");
        for (uint32_t i = 0; i < 5; i++)
            leave(test, i);
        raim_match_destroy(test->match);
        test->match = raim_match_create(&test->def);
        assert_true(import(test->match, &saved));
        assert_false(raim_match_running_vote(test->match, &vote));
        for (int times = 0; times < 2; times++) {
            resume(test, 3, welcome.token);
            assert_int_equal(listen(test, 3, 30, &notice), has_vote && times == 0);
            leave(test, 3);
            raim_match_step(test->match);
        }
        assert_string_equal(notice.text,
                            has_vote ? "Vote cancelled by a restart: kick E (spam)" : "");
        close_test_match(test);
    }
}
