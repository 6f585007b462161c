// SPDX-License-Identifier: MIT
// What the result of a round needs: shots and hits of the round alone, players who left before its
// end, the subject of an access token, and the round's time, also after a checkpoint and a change
// of the match.
#include "peer_fixture.h"

#include "match_internal.h"

static struct raim_match_def round_def(void)
{
    struct raim_match_def def = usual_def();
    def.tuning.round_s = 1;
    def.tuning.break_s = 0;
    def.tuning.resume_grace_s = 5;
    return def;
}

// Joins, and presses nothing.
static void sit(struct test_match *test, uint32_t handle)
{
    play(test, handle)->is_idle = true;
}

static raim_player *player_of(const struct test_match *test, uint32_t handle)
{
    return &raim_world_players(test->match->world)[test->match->connections[handle].slot];
}

static uint32_t departed_of(const struct raim_match *match, struct raim_match_player rows[SLOTS])
{
    uint32_t omitted;
    const uint32_t count = raim_match_departed(match, rows, SLOTS, &omitted);
    assert_int_equal(omitted, match->departed.omitted);
    return count;
}

// Leaves with a GOODBYE, so that nobody waits for the player.
static void leave_arena(struct test_match *test, uint32_t handle)
{
    raim_match_kick(test->match, test->match->connections[handle].player, "");
    ticks(test, 3);
    leave(test, handle);
}

static void give(const struct test_match *test, uint32_t handle, uint32_t score, uint32_t shots,
                 uint32_t hits)
{
    raim_player *player = player_of(test, handle);
    player->score = score;
    player->shots += shots;
    player->hits += hits;
}

TEST(shots_and_hits_are_those_of_the_round)
{
    struct test_match *test = open_test_match(round_def());
    sit(test, 0);
    tick(test);
    const raim_player_id id = test->match->connections[0].player;
    give(test, 0, 1, 7, 3);
    assert_int_equal(row_of(test, id).shots, 7);
    assert_int_equal(row_of(test, id).hits, 3);
    ticks(test, 60); // the next round has begun
    assert_int_equal(raim_match_round(test->match).round, 2);
    assert_int_equal(row_of(test, id).shots, 0);
    give(test, 0, 1, 2, 1);
    assert_int_equal(row_of(test, id).shots, 2);
    assert_int_equal(row_of(test, id).hits, 1);
    assert_int_equal(player_of(test, 0)->shots, 9); // the world counts on
}

TEST(who_leaves_is_remembered_until_the_round_ends)
{
    struct raim_match_player rows[SLOTS];
    struct test_match *test = open_test_match(round_def());
    sit(test, 0);
    sit(test, 1);
    sit(test, 2);
    ticks(test, 2);
    give(test, 0, 4, 9, 5);
    player_of(test, 1)->deaths = 1;
    const raim_player_id first = test->match->connections[0].player;
    leave_arena(test, 0);
    leave_arena(test, 1);
    leave_arena(test, 2); // it has done nothing
    assert_int_equal(departed_of(test->match, rows), 2);
    assert_int_equal(rows[0].id, first);
    assert_string_equal(rows[0].name, "player");
    assert_int_equal(rows[0].score, 4);
    assert_int_equal(rows[0].shots, 9);
    assert_int_equal(rows[0].hits, 5);
    assert_int_equal(rows[1].deaths, 1);
    ticks(test, 60);
    assert_int_equal(departed_of(test->match, rows), 0);
}

TEST(of_too_many_the_best_are_remembered)
{
    struct raim_match_player rows[SLOTS];
    struct raim_match_def def = round_def();
    def.tuning.round_s = 0;
    struct test_match *test = open_test_match(def);
    uint32_t best = 0;
    for (uint32_t i = 1; i <= 3 * def.tuning.max_players; i++) {
        sit(test, 0);
        ticks(test, 2);
        give(test, 0, i * 5 % 23, 1, 0);
        leave_arena(test, 0);
    }
    assert_int_equal(departed_of(test->match, rows), def.tuning.max_players);
    assert_int_equal(test->match->departed.omitted, 2 * def.tuning.max_players);
    for (uint32_t i = 0; i < def.tuning.max_players; i++)
        best += rows[i].score;
    assert_int_equal(best, 22 + 21 + 20 + 19 + 18 + 17 + 16 + 15); // of 1..22 once, 1 and 5 twice
}

// Scores and deaths of a result then add up.
TEST(a_bot_that_makes_room_is_remembered_but_not_in_the_place_of_a_client)
{
    struct raim_match_player rows[SLOTS];
    struct raim_match_def def = with_bots(round_def(), 1);
    def.bot_fill = true;
    def.tuning.round_s = 0;
    struct test_match *test = open_test_match(def);
    for (uint32_t i = 0; i <= def.tuning.max_players; i++) {
        tick(test);
        raim_world_players(test->match->world)[0].score = 9;
        raim_world_players(test->match->world)[0].shots++;
        sit(test, 0);
        ticks(test, 3);
        assert_int_equal(test->match->bots, 0);
        if (i == 0) {
            assert_int_equal(departed_of(test->match, rows), 1);
            assert_true(rows[0].bot && rows[0].score == 9);
            assert_string_equal(rows[0].name, "Bot 1");
        }
        give(test, 0, 1, 1, 0);
        leave_arena(test, 0);
        ticks(test, 3);
        assert_int_equal(test->match->bots, 1);
    }
    assert_int_equal(departed_of(test->match, rows), def.tuning.max_players);
    for (uint32_t i = 0; i < def.tuning.max_players; i++)
        assert_false(rows[i].bot);
}

TEST(a_round_that_goes_on_in_another_match_keeps_everything)
{
    struct raim_match_player rows[SLOTS];
    struct test_match *test = open_test_match(with_bots(round_def(), 1));
    sit(test, 0);
    sit(test, 1);
    ticks(test, 2);
    give(test, 0, 2, 5, 2);
    give(test, 1, 1, 3, 1);
    const raim_player_id id = test->match->connections[0].player;
    leave_arena(test, 1);
    raim_match_set_round_start(test->match, 1234567890123);
    const uint32_t played = raim_match_round(test->match).played_ticks;
    for (int keeps = 1; keeps >= 0; keeps--) {
        struct raim_match *next = make_successor(test);
        raim_match_transfer(next, test->match, keeps == 1);
        go_on_with(test, next);
        assert_int_equal(row_of(test, id).shots, keeps ? 5 : 0);
        assert_int_equal(row_of(test, id).hits, keeps ? 2 : 0);
        assert_int_equal(departed_of(next, rows), keeps);
        assert_int_equal(raim_match_round(next).start_ms, keeps ? 1234567890123 : 0);
        assert_int_equal(raim_match_round(next).played_ticks, keeps ? played : 0);
    }
}

static enum raim_match_admission admit(void *context, const struct raim_match_visitor *visitor,
                                       char name[RAIM_MAX_NAME_BYTES + 1])
{
    (void)visitor;
    assert_string_equal(name, "");
    strcpy(name, context);
    return RAIM_MATCH_ADMITTED;
}

TEST(a_subject_is_kept_apart_from_the_name)
{
    char subject[] = " Ann ";
    const struct raim_match_guard guard = {.context = subject, .admit = admit};
    struct raim_match_def def = round_def();
    def.guard = &guard;
    struct test_match *test = open_test_match(def);
    sit(test, 0);
    sit(test, 1); // under the same name, which gets a number
    subject[0] = '\0';
    sit(test, 2);
    tick(test);
    for (uint32_t handle = 0; handle < 3; handle++) {
        const struct raim_match_player row = row_of(test, test->match->connections[handle].player);
        static const char *const names[] = {"Ann", "Ann (2)", "player"};
        assert_string_equal(row.name, names[handle]);
        assert_string_equal(row.subject, handle < 2 ? "Ann" : "");
    }
}

TEST(a_checkpoint_keeps_round_and_subject)
{
    char subject[] = "Ann";
    const struct raim_match_guard guard = {.context = subject, .admit = admit};
    struct raim_match_def def = round_def();
    def.guard = &guard;
    struct test_match *test = open_test_match(def);
    sit(test, 0);
    ticks(test, 65); // in the second round
    give(test, 0, 1, 4, 2);
    const raim_player_id id = test->match->connections[0].player;
    raim_match_set_round_start(test->match, 1234567890123);
    const struct raim_match_round before = raim_match_round(test->match);
    test->def.tuning.max_players--; // succeeds the saved match
    for (int i = 0; i < 2; i++, test->def.tuning.max_players++) {
        restart(test);
        const struct raim_match_player row = row_of(test, id);
        assert_true(row.shots == 4 && row.hits == 2);
        assert_string_equal(row.subject, "Ann");
        assert_int_equal(raim_match_round(test->match).start_ms, 1234567890123);
        assert_int_equal(raim_match_round(test->match).played_ticks, before.played_ticks);
    }
}
