// SPDX-License-Identifier: MIT
// Transitions: a successor takes over all clients in any state.     test_succession [--seed N]
#include "transition_fixture.h"

static struct raim_match_def succession_def(void)
{
    struct raim_match_def def = usual_def();
    def.tuning.resume_grace_s = 2;
    def.bots = 3;
    return def;
}

static struct raim_match_player row_of(const struct table *table, uint32_t id)
{
    struct raim_match_player rows[SLOTS];
    const uint32_t count = raim_match_players(table->match, rows, SLOTS);
    for (uint32_t i = 0; i < count; i++)
        if (rows[i].id == id)
            return rows[i];
    return (struct raim_match_player){.id = RAIM_NOBODY};
}

// Up to a tenth of a second passes without snapshots while everything is as predicted.
static bool is_up_to_date(const struct table *table, const struct seat *seat)
{
    return seat->any && raim_tick_diff(raim_match_tick(table->match), seat->newest) <= 6;
}

TEST(everybody_goes_on_in_the_next_match)
{
    struct raim_match_def def = succession_def();
    struct table *table = open_table(def);
    for (uint32_t handle = 0; handle < 4; handle++)
        play(table, handle);
    ticks(table, 100);
    assert_true(raim_match_mute(table->match, player_of(table, 1)->id, true));
    table->match->members[table->match->clients[2].slot].chat_debt_ticks = 1000;
    const uint32_t now = raim_match_tick(table->match), sequence = table->match->log.end;
    struct raim_welcome before[4];
    for (uint32_t handle = 0; handle < 4; handle++)
        before[handle] = table->seats[handle].welcome;
    player_of(table, 0)->score = 9;
    def.rules.player_speed = 150;
    succeed(table, def, false);
    assert_int_equal(raim_match_tick(table->match), now);
    tick(table);
    for (uint32_t handle = 0; handle < 4; handle++)
        assert_int_equal(player_of(table, handle)->state, RAIM_PLAYER_ALIVE);
    ticks(table, 9);
    for (uint32_t handle = 0; handle < 4; handle++) {
        const struct seat *seat = &table->seats[handle];
        assert_int_equal(seat->welcomes, 2);
        assert_int_equal(seat->welcome.tick, now + 1);
        assert_int_equal(seat->welcome.event_sequence, sequence + 1);
        assert_int_equal(seat->welcome.player, before[handle].player);
        assert_memory_equal(seat->welcome.token, before[handle].token, RAIM_TOKEN_BYTES);
        assert_int_equal(seat->welcome.obstacle_count, 3);
        assert_true(seat->welcome.rules[1] == 150);
        assert_int_equal(seat->welcome.phase.round, 2);
        assert_int_equal(seat->roster_sent, 7);
        assert_true(is_up_to_date(table, seat));
        assert_true(player_of(table, handle)->score < 9);
        assert_has_all(table, seat);
    }
    assert_true(row_of(table, before[1].player).muted);
    assert_int_equal(table->match->members[table->match->clients[2].slot].chat_debt_ticks, 990);
    assert_true(row_of(table, before[3].player).played_ticks >= 110);
    assert_int_equal(counts(table).players, 4);
    close_table(table);
}

TEST(a_round_that_is_kept_goes_on_with_its_scores)
{
    struct raim_match_def def = succession_def();
    def.tuning.round_s = 5;
    def.tuning.score_limit = 50;
    struct table *table = open_table(def);
    play(table, 0);
    ticks(table, 100);
    player_of(table, 0)->score = 9;
    player_of(table, 0)->deaths = 4;
    player_at(table, 1)->score = 7; // a bot
    def.tuning.round_s = 1;
    def.tuning.score_limit = 5;
    def.bots = 5;
    succeed(table, def, true);
    assert_int_equal(player_of(table, 0)->state, RAIM_PLAYER_DOWN);
    tick(table);
    const struct seat *seat = &table->seats[0];
    assert_int_equal(raim_match_round(table->match).left_ticks, 199);
    assert_int_equal(seat->welcome.phase.round, 1);
    assert_int_equal(seat->welcome.phase.end_tick, 300);
    assert_int_equal(seat->welcome.phase.score_limit, 50);
    assert_int_equal(player_of(table, 0)->score, 9);
    assert_int_equal(player_of(table, 0)->deaths, 4);
    assert_int_equal(player_of(table, 0)->state, RAIM_PLAYER_ALIVE);
    assert_int_equal(player_at(table, 1)->score, 7);
    ticks(table, 5);
    assert_has_all(table, seat);
    close_table(table);
}

TEST(a_break_that_is_kept_goes_on_with_its_winner)
{
    struct raim_match_def def = succession_def();
    def.bots = 0;
    def.tuning.round_s = def.tuning.break_s = 1;
    struct table *table = open_table(def);
    play(table, 0);
    ticks(table, 2);
    player_of(table, 0)->score = 3;
    ticks(table, 78);
    const raim_player_id id = player_of(table, 0)->id;
    assert_int_equal(raim_match_round(table->match).winner, id);
    def.bots = 2; // they take other slots than the winner's
    succeed(table, def, true);
    assert_int_equal(player_of(table, 0)->id, id);
    assert_int_equal(raim_match_round(table->match).winner, id);
    tick(table);
    assert_int_equal(table->seats[0].welcome.phase.phase, RAIM_PHASE_BREAK);
    assert_int_equal(table->seats[0].welcome.phase.winner, id);
    assert_int_equal(table->seats[0].welcome.phase.end_tick, 120);
    ticks(table, 40);
    assert_int_equal(table->seats[0].phase.round, 2);
    close_table(table);
}

TEST(ids_stay_where_their_places_are_free_and_are_new_elsewhere)
{
    struct raim_match_def def = succession_def();
    struct table *table = open_table(def);
    for (uint32_t handle = 0; handle < 5; handle++)
        play(table, handle);
    for (int round = 0; round < 60; round++) {
        ticks(table, 3);
        const uint32_t handle = (uint32_t)chance_int(0, 4);
        say_goodbye(table, handle);
        stand_up(table, handle);
        play(table, handle);
        raim_player_id ids[5];
        for (uint32_t h = 0; h < 5; h++)
            ids[h] = player_of(table, h)->id;
        def.bots = (uint32_t)chance_int(0, 9);
        def.tuning.max_players = (uint32_t)chance_int(5, 8);
        succeed(table, def, false);
        const uint32_t slots = raim_match_world(table->match)->max_players;
        for (uint32_t h = 0; h < 5; h++) {
            const raim_player_id id = player_of(table, h)->id;
            const uint32_t slot = raim_player_slot(ids[h]);
            assert_int_equal(raim_player_slot(id), table->match->clients[h].slot);
            assert_int_equal(table->match->members[table->match->clients[h].slot].client, h);
            if (slot < slots)
                assert_int_equal(id, ids[h]);
            else
                assert_true(id != ids[h]);
            for (uint32_t other = 0; other < 5; other++)
                assert_true(other == h || (id != ids[other] && id != player_of(table, other)->id));
        }
        uint32_t bots = 0;
        for (uint32_t slot = 0; slot < slots; slot++) {
            const raim_player *player = player_at(table, slot);
            bots += player->id != RAIM_NOBODY && table->match->members[slot].bot;
            if (player->id != RAIM_NOBODY)
                assert_int_equal(player->id, player->generation * RAIM_MAX_PLAYERS + slot);
        }
        assert_int_equal(bots, def.bots);
    }
    close_table(table);
}

TEST(who_is_away_stays_so_for_the_rest_of_its_time)
{
    struct raim_match_def def = succession_def();
    struct table *table = open_table(def);
    play(table, 0);
    play(table, 1);
    ticks(table, 10);
    const struct raim_welcome first = table->seats[0].welcome, second = table->seats[1].welcome;
    player_of(table, 0)->score = 3;
    stand_up(table, 0);
    ticks(table, 60);
    stand_up(table, 1);
    succeed(table, def, true);
    assert_int_equal(counts(table).away, 2);
    ticks(table, 30);
    assert_int_equal(row_of(table, first.player).score, 3);
    assert_int_equal(player_at(table, raim_player_slot((raim_player_id)first.player))->state,
                     RAIM_PLAYER_DOWN);
    const struct seat *again = resume(table, 5, first.token);
    ticks(table, 3);
    assert_int_equal(again->welcome.player, first.player);
    assert_int_equal(player_of(table, 5)->state, RAIM_PLAYER_ALIVE);
    assert_int_equal(player_of(table, 5)->score, 3);
    ticks(table, 120 - 33);
    assert_int_equal(counts(table).away, 1);
    tick(table);
    assert_int_equal(counts(table).away, 0);
    assert_int_equal(row_of(table, second.player).id, RAIM_NOBODY);
    close_table(table);
}

TEST(spectators_go_on_watching)
{
    struct raim_match_def def = succession_def();
    def.tuning.max_spectators = 5;
    def.tuning.max_players = 4;
    struct table *table = open_table(def);
    play(table, 0);
    play(table, 1);
    ticks(table, 2);
    const uint32_t watched = player_of(table, 1)->id;
    const struct seat *late = watch(table, 2, watched);
    const struct seat *of_bot = watch(table, 3, player_at(table, 2)->id);
    ticks(table, 2 * DELAY_TICKS);
    assert_true(late->any && of_bot->any);
    const uint32_t now = raim_match_tick(table->match);
    def.bots = 2; // the bot is gone
    def.spectator_delay_s = 0.5;
    succeed(table, def, false);
    assert_int_equal(counts(table).spectators, 2);
    assert_int_equal(table->match->clients[2].watched, watched);
    assert_int_equal(table->match->clients[3].watched, player_at(table, 0)->id);
    ticks(table, 20);
    assert_int_equal(late->welcomes, 2);
    assert_false(late->any || of_bot->any);
    ticks(table, 20);
    assert_true(late->any && of_bot->any);
    assert_int_equal(late->welcome.delay_ticks, 30);
    assert_int_equal(late->welcome.phase.round, 2);
    assert_true(frame_at(&table->seats[2], now + 1) != NULL);
    assert_int_equal(frame_at(&table->seats[2], late->newest)->self.slot,
                     raim_player_slot((raim_player_id)watched));
    def.bots = 6;
    def.spectator_delay_s = 0;
    succeed(table, def, false);
    ticks(table, 3);
    assert_int_equal(table->match->clients[2].watched, player_of(table, 1)->id);
    assert_int_equal(table->match->clients[2].watched, watched);
    assert_int_equal(late->welcome.delay_ticks, 0);
    assert_true(late->any && of_bot->any);
    close_table(table);
}

TEST(who_is_not_in_is_where_it_was)
{
    struct raim_match_def def = succession_def();
    struct table *table = open_table(def);
    for (uint32_t handle = 0; handle < 4; handle++)
        play(table, handle);
    ticks(table, 10);
    const uint8_t token[RAIM_TOKEN_BYTES] = {42};
    table->seats[7].open = true;
    raim_match_connect(table->match, 7, token); // no HELLO yet
    raim_match_connect(table->match, 8, token);
    ticks(table, 200);
    raim_match_kick(table->match, player_of(table, 0)->id, "out");
    say_goodbye(table, 1);
    connect_seat(table, 9, &(struct raim_hello){.version = RAIM_PROTOCOL_VERSION, .name = ""});
    play(table, 10); // not welcome yet
    succeed(table, def, false);
    assert_int_equal(counts(table).players, 3);
    tick(table);
    assert_true(table->seats[0].is_over && table->seats[1].is_over && table->seats[9].is_over);
    assert_int_equal(table->seats[0].goodbye.reason, RAIM_REASON_KICKED);
    assert_string_equal(table->seats[0].goodbye.text, "out");
    assert_int_equal(table->seats[9].goodbye.reason, RAIM_REASON_NAME);
    assert_int_equal(table->seats[10].welcomes, 1);
    uint8_t bytes[RAIM_MAX_MESSAGE_BYTES];
    const struct raim_hello hello = {.version = RAIM_PROTOCOL_VERSION, .name = "slow"};
    to_match(table, 7, true, bytes, raim_hello_write(&hello, bytes, sizeof bytes));
    ticks(table, 3);
    assert_int_equal(table->seats[7].welcomes, 1);
    assert_memory_equal(table->seats[7].welcome.token, token, sizeof token);
    ticks(table, 100);
    assert_int_equal(table->seats[8].goodbye.reason, RAIM_REASON_SILENT);
    close_table(table);
}

TEST(counts_and_the_operators_words_go_on)
{
    struct raim_match_def def = succession_def();
    def.bots = 8;
    struct table *table = open_table(def);
    play(table, 0);
    ticks(table, 600);
    raim_match_receive(table->match, 0, true, (const uint8_t *)"nonsense", 8);
    raim_match_drain(table->match, true);
    raim_match_pause(table->match, true);
    tick(table);
    const struct raim_match_counts before = counts(table);
    assert_true(before.hits.total > 0 && before.snapshots > 0 && before.inputs_due > 0);
    succeed(table, def, false);
    const struct raim_match_counts after = counts(table);
    assert_memory_equal(&after.hits, &before.hits, sizeof after.hits);
    assert_memory_equal(after.refused, before.refused, sizeof after.refused);
    assert_int_equal(before.joins, 1);
    assert_int_equal(after.joins, before.joins);
    assert_memory_equal(after.leaves, before.leaves, sizeof after.leaves);
    assert_int_equal(after.snapshots, before.snapshots);
    assert_int_equal(after.inputs_due, before.inputs_due);
    assert_int_equal(after.inputs_missed, before.inputs_missed);
    const struct seat *late = play(table, 1);
    ticks(table, 5);
    assert_int_equal(late->goodbye.reason, RAIM_REASON_DRAINING);
    assert_int_equal(table->seats[0].phase.phase, RAIM_PHASE_PAUSED);
    assert_int_equal(table->seats[0].phase.round, 2);
    raim_match_pause(table->match, false);
    tick(table);
    assert_int_equal(table->seats[0].phase.phase, RAIM_PHASE_PLAY);
    close_table(table);
}

TEST(what_was_meant_for_the_match_before_does_no_harm)
{
    struct raim_match_def def = succession_def();
    struct table *table = open_table(def);
    play(table, 0);
    ticks(table, 100);
    const uint32_t newest = table->seats[0].newest, now = raim_match_tick(table->match);
    succeed(table, def, false);
    for (int i = 0; i < 20; i++) { // only acknowledgements of the previous match
        send_input(table, 0, now + (uint32_t)i + 1, true, newest - (uint32_t)i);
        raim_match_step(table->match);
        deliver(table);
    }
    for (int i = 0; i < RAIM_REFUSALS; i++)
        assert_int_equal(counts(table).refused[i], 0);
    assert_false(table->match->clients[0].has_acked);
    assert_true(is_up_to_date(table, &table->seats[0]));
    // A snapshot that was never sent is refused.
    send_input(table, 0, raim_match_tick(table->match) + 1, true, now + 1);
    assert_int_equal(counts(table).refused[RAIM_REFUSED_ACK], 1);
    close_table(table);
}

TEST(who_says_that_it_has_no_snapshot_is_told_whole_ones)
{
    struct raim_match_def def = succession_def();
    struct table *table = open_table(def);
    struct seat *seat = play(table, 0);
    ticks(table, 50);
    for (uint32_t i = 0; i < KEPT; i++)
        seat->frame_ticks[i] = i + 1; // it forgets them all
    seat->any = false;
    send_input(table, 0, raim_match_tick(table->match) + 1, false, 0);
    ticks(table, 10);
    assert_true(is_up_to_date(table, seat));
    close_table(table);
}
