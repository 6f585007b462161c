// SPDX-License-Identifier: MIT
// Transitions: a successor takes over all clients in any state.
#include "transition_fixture.h"

static struct raim_match_def succession_def(void)
{
    struct raim_match_def def = usual_def();
    def.tuning.resume_grace_s = 2;
    def.bots = 3;
    return def;
}

// Up to a tenth of a second passes without snapshots while everything is as predicted.
static bool is_up_to_date(const struct test_match *test, const struct peer *peer)
{
    return peer->any && raim_tick_diff(raim_match_tick(test->match), peer->newest) <= 6;
}

TEST(everybody_goes_on_in_the_next_match)
{
    struct raim_match_def def = succession_def();
    struct test_match *test = open_test_match(def);
    for (uint32_t handle = 0; handle < 4; handle++)
        play(test, handle);
    ticks(test, 100);
    assert_true(raim_match_mute(test->match, player_of(test, 1)->id, true));
    test->match->sessions[test->match->connections[2].slot].chat_debt_ticks = 1000;
    const uint32_t now = raim_match_tick(test->match), sequence = test->match->log.end;
    struct raim_welcome before[4];
    for (uint32_t handle = 0; handle < 4; handle++)
        before[handle] = test->peers[handle].welcome;
    player_of(test, 0)->score = 9;
    def.rules.player_speed = 150;
    succeed(test, def, false);
    assert_int_equal(raim_match_tick(test->match), now);
    tick(test);
    for (uint32_t handle = 0; handle < 4; handle++)
        assert_int_equal(player_of(test, handle)->state, RAIM_PLAYER_ALIVE);
    ticks(test, 9);
    for (uint32_t handle = 0; handle < 4; handle++) {
        const struct peer *peer = &test->peers[handle];
        assert_int_equal(peer->welcomes, 2);
        assert_int_equal(peer->welcome.tick, now + 1);
        assert_int_equal(peer->welcome.event_sequence, sequence + 1);
        assert_int_equal(peer->welcome.player, before[handle].player);
        assert_memory_equal(peer->welcome.token, before[handle].token, RAIM_TOKEN_BYTES);
        assert_int_equal(peer->welcome.obstacle_count, 3);
        assert_true(peer->welcome.rules[1] == 150);
        assert_int_equal(peer->welcome.phase.round, 2);
        assert_int_equal(peer->roster_sent, 7);
        assert_true(is_up_to_date(test, peer));
        assert_true(player_of(test, handle)->score < 9);
        assert_has_all(test, peer);
    }
    assert_true(row_of(test, before[1].player).muted);
    assert_int_equal(test->match->sessions[test->match->connections[2].slot].chat_debt_ticks, 990);
    assert_true(row_of(test, before[3].player).played_ticks >= 110);
    assert_int_equal(counts(test).players, 4);
}

TEST(a_round_that_is_kept_goes_on_with_its_scores)
{
    struct raim_match_def def = succession_def();
    def.tuning.round_s = 5;
    def.tuning.score_limit = 50;
    struct test_match *test = open_test_match(def);
    play(test, 0);
    ticks(test, 100);
    player_of(test, 0)->score = 9;
    player_of(test, 0)->deaths = 4;
    player_at(test, 1)->score = 7; // a bot
    def.tuning.round_s = 1;
    def.tuning.score_limit = 5;
    def.bots = 5;
    succeed(test, def, true);
    assert_int_equal(player_of(test, 0)->state, RAIM_PLAYER_DOWN);
    tick(test);
    const struct peer *peer = &test->peers[0];
    assert_int_equal(raim_match_round(test->match).left_ticks, 199);
    assert_int_equal(peer->welcome.phase.round, 1);
    assert_int_equal(peer->welcome.phase.end_tick, 300);
    assert_int_equal(peer->welcome.phase.score_limit, 50);
    assert_int_equal(player_of(test, 0)->score, 9);
    assert_int_equal(player_of(test, 0)->deaths, 4);
    assert_int_equal(player_of(test, 0)->state, RAIM_PLAYER_ALIVE);
    assert_int_equal(player_at(test, 1)->score, 7);
    ticks(test, 5);
    assert_has_all(test, peer);
}

TEST(a_break_that_is_kept_goes_on_with_its_winner)
{
    struct raim_match_def def = succession_def();
    def.bots = 0;
    def.tuning.round_s = def.tuning.break_s = 1;
    struct test_match *test = open_test_match(def);
    play(test, 0);
    ticks(test, 2);
    player_of(test, 0)->score = 3;
    ticks(test, 78);
    const raim_player_id id = player_of(test, 0)->id;
    assert_int_equal(raim_match_round(test->match).winner, id);
    def.bots = 2; // they take other slots than the winner's
    succeed(test, def, true);
    assert_int_equal(player_of(test, 0)->id, id);
    assert_int_equal(raim_match_round(test->match).winner, id);
    tick(test);
    assert_int_equal(test->peers[0].welcome.phase.phase, RAIM_PHASE_BREAK);
    assert_int_equal(test->peers[0].welcome.phase.winner, id);
    assert_int_equal(test->peers[0].welcome.phase.end_tick, 120);
    ticks(test, 40);
    assert_int_equal(test->peers[0].phase.round, 2);
}

TEST(a_chat_rejection_that_waits_is_sent_by_the_next_match)
{
    struct raim_match_def def = succession_def();
    struct test_match *test = open_test_match(def);
    play(test, 0);
    ticks(test, 20);
    say(test, 0, "\xff");
    succeed(test, def, false);
    ticks(test, 20);
    assert_int_equal(test->peers[0].welcomes, 2);
    assert_int_equal(test->peers[0].chat_rejections, 1);
    assert_int_equal(test->peers[0].rejected.chat_rejection, RAIM_CHAT_TEXT);
}

TEST(ids_stay_where_their_places_are_free_and_are_new_elsewhere)
{
    struct raim_match_def def = succession_def();
    struct test_match *test = open_test_match(def);
    for (uint32_t handle = 0; handle < 5; handle++)
        play(test, handle);
    for (int round = 0; round < 60; round++) {
        ticks(test, 3);
        const uint32_t handle = (uint32_t)chance_int(0, 4);
        say_goodbye(test, handle);
        leave(test, handle);
        play(test, handle);
        raim_player_id ids[5];
        for (uint32_t h = 0; h < 5; h++)
            ids[h] = player_of(test, h)->id;
        def.bots = (uint32_t)chance_int(0, 9);
        def.tuning.max_players = (uint32_t)chance_int(5, 8);
        succeed(test, def, false);
        const uint32_t slots = raim_match_world(test->match)->max_players;
        for (uint32_t h = 0; h < 5; h++) {
            const raim_player_id id = player_of(test, h)->id;
            const uint32_t slot = raim_player_slot(ids[h]);
            assert_int_equal(raim_player_slot(id), test->match->connections[h].slot);
            assert_int_equal(test->match->sessions[test->match->connections[h].slot].client, h);
            if (slot < slots)
                assert_int_equal(id, ids[h]);
            else
                assert_true(id != ids[h]);
            for (uint32_t other = 0; other < 5; other++)
                assert_true(other == h || (id != ids[other] && id != player_of(test, other)->id));
        }
        uint32_t bots = 0;
        for (uint32_t slot = 0; slot < slots; slot++) {
            const raim_player *player = player_at(test, slot);
            bots += player->id != RAIM_NOBODY && test->match->sessions[slot].bot;
            if (player->id != RAIM_NOBODY)
                assert_int_equal(player->id, player->generation * RAIM_MAX_PLAYERS + slot);
        }
        assert_int_equal(bots, def.bots);
    }
}

TEST(who_is_away_stays_so_for_the_rest_of_its_time)
{
    struct raim_match_def def = succession_def();
    struct test_match *test = open_test_match(def);
    play(test, 0);
    play(test, 1);
    ticks(test, 10);
    const struct raim_welcome first = test->peers[0].welcome, second = test->peers[1].welcome;
    player_of(test, 0)->score = 3;
    leave(test, 0);
    ticks(test, 60);
    leave(test, 1);
    succeed(test, def, true);
    assert_int_equal(counts(test).away, 2);
    ticks(test, 30);
    assert_int_equal(row_of(test, first.player).score, 3);
    assert_int_equal(player_at(test, raim_player_slot((raim_player_id)first.player))->state,
                     RAIM_PLAYER_DOWN);
    const struct peer *again = resume(test, 5, first.token);
    ticks(test, 3);
    assert_int_equal(again->welcome.player, first.player);
    assert_int_equal(player_of(test, 5)->state, RAIM_PLAYER_ALIVE);
    assert_int_equal(player_of(test, 5)->score, 3);
    ticks(test, 120 - 33);
    assert_int_equal(counts(test).away, 1);
    tick(test);
    assert_int_equal(counts(test).away, 0);
    assert_int_equal(row_of(test, second.player).id, RAIM_NOBODY);
}

TEST(spectators_go_on_watching)
{
    struct raim_match_def def = succession_def();
    def.tuning.max_spectators = 5;
    def.tuning.max_players = 4;
    struct test_match *test = open_test_match(def);
    play(test, 0);
    play(test, 1);
    ticks(test, 2);
    const uint32_t watched = player_of(test, 1)->id;
    const struct peer *late = watch(test, 2, watched);
    const struct peer *of_bot = watch(test, 3, player_at(test, 2)->id);
    ticks(test, 2 * DELAY_TICKS);
    assert_true(late->any && of_bot->any);
    const uint32_t now = raim_match_tick(test->match);
    def.bots = 2; // the bot is gone
    def.spectator_delay_s = 0.5;
    succeed(test, def, false);
    assert_int_equal(counts(test).spectators, 2);
    assert_int_equal(test->match->connections[2].watched, watched);
    assert_int_equal(test->match->connections[3].watched, player_at(test, 0)->id);
    ticks(test, 20);
    assert_int_equal(late->welcomes, 2);
    assert_false(late->any || of_bot->any);
    ticks(test, 20);
    assert_true(late->any && of_bot->any);
    assert_int_equal(late->welcome.delay_ticks, 30);
    assert_int_equal(late->welcome.phase.round, 2);
    assert_true(frame_at(&test->peers[2], now + 1) != NULL);
    assert_int_equal(frame_at(&test->peers[2], late->newest)->self.slot,
                     raim_player_slot((raim_player_id)watched));
    def.bots = 6;
    def.spectator_delay_s = 0;
    succeed(test, def, false);
    ticks(test, 3);
    assert_int_equal(test->match->connections[2].watched, player_of(test, 1)->id);
    assert_int_equal(test->match->connections[2].watched, watched);
    assert_int_equal(late->welcome.delay_ticks, 0);
    assert_true(late->any && of_bot->any);
}

TEST(who_is_not_in_is_where_it_was)
{
    struct raim_match_def def = succession_def();
    struct test_match *test = open_test_match(def);
    for (uint32_t handle = 0; handle < 4; handle++)
        play(test, handle);
    ticks(test, 10);
    const uint8_t token[RAIM_TOKEN_BYTES] = {42};
    test->peers[7].open = true;
    raim_match_connect(test->match, 7, token); // no HELLO yet
    raim_match_connect(test->match, 8, token);
    ticks(test, 200);
    raim_match_kick(test->match, player_of(test, 0)->id, "out");
    say_goodbye(test, 1);
    connect_peer(test, 9, &(struct raim_hello){.version = RAIM_PROTOCOL_VERSION, .name = ""});
    play(test, 10); // not welcome yet
    succeed(test, def, false);
    assert_int_equal(counts(test).players, 3);
    tick(test);
    assert_true(test->peers[0].is_over && test->peers[1].is_over && test->peers[9].is_over);
    assert_int_equal(test->peers[0].goodbye.reason, RAIM_REASON_KICKED);
    assert_string_equal(test->peers[0].goodbye.text, "out");
    assert_int_equal(test->peers[9].goodbye.reason, RAIM_REASON_NAME);
    assert_int_equal(test->peers[10].welcomes, 1);
    uint8_t bytes[RAIM_MAX_MESSAGE_BYTES];
    const struct raim_hello hello = {.version = RAIM_PROTOCOL_VERSION, .name = "slow"};
    to_match(test, 7, true, bytes, raim_hello_write(&hello, bytes, sizeof bytes));
    ticks(test, 3);
    assert_int_equal(test->peers[7].welcomes, 1);
    assert_memory_equal(test->peers[7].welcome.token, token, sizeof token);
    ticks(test, 100);
    assert_int_equal(test->peers[8].goodbye.reason, RAIM_REASON_SILENT);
}

TEST(counts_and_the_operators_words_go_on)
{
    struct raim_match_def def = succession_def();
    def.bots = 8;
    struct test_match *test = open_test_match(def);
    play(test, 0);
    ticks(test, 600);
    raim_match_receive(test->match, 0, true, (const uint8_t *)"nonsense", 8);
    raim_match_drain(test->match, true);
    raim_match_pause(test->match, true);
    tick(test);
    const struct raim_match_counts before = counts(test);
    assert_true(before.hits.total > 0 && before.snapshots > 0 && before.inputs_due > 0);
    succeed(test, def, false);
    const struct raim_match_counts after = counts(test);
    assert_memory_equal(&after.hits, &before.hits, sizeof after.hits);
    assert_memory_equal(after.rejected, before.rejected, sizeof after.rejected);
    assert_int_equal(before.joins, 1);
    assert_int_equal(after.joins, before.joins);
    assert_memory_equal(after.leaves, before.leaves, sizeof after.leaves);
    assert_int_equal(after.snapshots, before.snapshots);
    assert_int_equal(after.inputs_due, before.inputs_due);
    assert_int_equal(after.inputs_missed, before.inputs_missed);
    const struct peer *late = play(test, 1);
    ticks(test, 5);
    assert_int_equal(late->goodbye.reason, RAIM_REASON_DRAINING);
    assert_int_equal(test->peers[0].phase.phase, RAIM_PHASE_PAUSED);
    assert_int_equal(test->peers[0].phase.round, 2);
    raim_match_pause(test->match, false);
    tick(test);
    assert_int_equal(test->peers[0].phase.phase, RAIM_PHASE_PLAY);
}
