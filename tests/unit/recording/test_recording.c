// SPDX-License-Identifier: MIT
// Recordings of matches are replayed to the bit.
#include "recording_fixture.h"

enum { BOTS = 3, CLIENTS = 5 };

static struct raim_match_def def_of(void)
{
    struct raim_match_def def = usual_def();
    def.bots = BOTS;
    def.sight = true;
    def.tuning.round_s = 8;
    def.tuning.break_s = 1;
    def.tuning.resume_grace_s = 1;
    strcpy(def.arena, "tests");
    return def;
}

// Plays rounds, kills, chat, joins, leaves, a pause, players who are away and come back, and
// snapshots in every second tick.
static void play_all(struct take *take, struct test_match *test)
{
    for (uint32_t i = 0; i < CLIENTS; i++) {
        play(test, i);
        record_ticks(take, test, 20);
    }
    watch(test, CLIENTS, 0);
    record_ticks(take, test, 400);
    say(test, 1, "hello");
    assert_true(raim_match_say(test->match, "from the operator"));
    record_ticks(take, test, 130);
    say_goodbye(test, 2);
    record_ticks(take, test, 60);
    leave(test, 2);
    leave(test, 3); // away for longer than its grace
    record_ticks(take, test, 100);
    play(test, 2);
    raim_match_pause(test->match, true);
    record_ticks(take, test, 30);
    raim_match_pause(test->match, false);
    raim_match_set_snapshot_interval(test->match, 2);
    record_ticks(take, test, 200);
    raim_match_set_snapshot_interval(test->match, 1);
    const struct raim_welcome welcome = test->peers[4].welcome;
    leave(test, 4);
    record_ticks(take, test, 20);
    resume(test, 4, welcome.token);
    record_ticks(take, test, 600);
}

// Begins to record a match; freed after the test.
static struct take *begin(const struct test_match *test)
{
    struct take *take = begin_take(test->match);
    test_at_end(free_take, take);
    return take;
}

static struct take *make_take(void)
{
    struct test_match *test = open_test_match(def_of());
    struct take *take = begin(test);
    play_all(take, test);
    end_take(take, test->match);
    close_test_match(test);
    return take;
}

static void assert_sets(const struct truth *truth, struct raim_recording *recording, uint32_t slot,
                        uint32_t *count)
{
    const uint64_t *players, *bullets;
    assert_true(raim_recording_sent(recording, slot, &players, &bullets));
    assert_true(players[0] == truth->players[slot]);
    const size_t words = raim_set_words(raim_recording_world(recording)->max_bullets);
    assert_memory_equal(bullets, truth->bullets[slot], words * sizeof *bullets);
    ++*count;
}

TEST(each_tick_is_replayed_to_the_bit)
{
    struct take *take = make_take();
    struct raim_recording *recording = open_take(take);
    assert_int_equal(raim_recording_info(recording)->ticks, take->ticks);
    assert_true(is_true(take, recording));
    uint32_t sets = 0;
    while (raim_recording_step(recording)) {
        const struct truth *truth = &take->truths[raim_recording_tick(recording)];
        assert_true(is_true(take, recording));
        const raim_input *inputs = raim_recording_inputs(recording);
        for (uint32_t slot = 0; slot < CLIENTS + BOTS; slot++) {
            if (raim_recording_name(recording, slot, NULL) == NULL)
                continue;
            assert_memory_equal(&inputs[slot], &truth->inputs[slot], sizeof *inputs);
            if (truth->plays[slot])
                assert_sets(truth, recording, slot, &sets);
        }
    }
    assert_null(raim_recording_fault(recording));
    assert_int_equal(raim_recording_tick(recording), take->ticks);
    assert_true(sets > 4000);
    assert_true(raim_recording_comparisons(recording) > take->ticks / 60);
}

TEST(seeking_gives_what_playing_gives)
{
    struct take *take = make_take();
    struct raim_recording *recording = open_take(take);
    for (uint32_t i = 0; i < 100; i++) {
        const uint32_t tick = (uint32_t)chance_int(0, (int)take->ticks);
        assert_true(raim_recording_seek(recording, tick));
        assert_int_equal(raim_recording_tick(recording), tick);
        assert_true(is_true(take, recording));
    }
    assert_false(raim_recording_seek(recording, take->ticks + 1));
}

// The chapters of a kind.
static uint32_t count_chapters(const struct raim_recording *recording, enum raim_chapter_kind kind)
{
    uint32_t count, found = 0;
    const struct raim_chapter *chapters = raim_recording_chapters(recording, &count);
    for (uint32_t i = 0; i < count; i++)
        found += chapters[i].kind == kind;
    return found;
}

TEST(chapters_and_players_are_those_of_the_match)
{
    struct take *take = make_take();
    struct raim_recording *recording = open_take(take);
    const struct raim_recording_info *info = raim_recording_info(recording);
    assert_string_equal(info->arena, "tests");
    assert_string_equal(info->map, "fixture");
    assert_string_equal(info->version, "0.0.0-test");
    assert_true(info->is_complete && info->sight);
    assert_int_equal(info->tick_hz, 60);
    assert_int_equal(info->start_unix_ms, 1700000000123);
    assert_int_equal(info->bots, BOTS);
    assert_int_equal(info->clients, CLIENTS + 1); // one came twice
    assert_int_equal(count_chapters(recording, RAIM_CHAPTER_JOIN), CLIENTS + 1);
    assert_int_equal(count_chapters(recording, RAIM_CHAPTER_LEAVE), 2);
    assert_true(count_chapters(recording, RAIM_CHAPTER_ROUND) >= 3);
    assert_true(count_chapters(recording, RAIM_CHAPTER_ROUND_END) >= 2);
    uint32_t kills = 0, lines = 0;
    while (raim_recording_step(recording)) {
        const struct raim_events *events = raim_recording_events(recording);
        for (uint32_t i = 0; i < events->count; i++)
            kills += events->items[i].kind == RAIM_EVENT_KILL;
        uint32_t count;
        raim_recording_chat(recording, &count);
        lines += count;
    }
    assert_true(kills > 0);
    assert_int_equal(count_chapters(recording, RAIM_CHAPTER_KILL), kills);
    assert_int_equal(lines, 2);
    uint32_t count;
    const struct raim_recording_player *players = raim_recording_players(recording, &count);
    assert_int_equal(count, CLIENTS + 1 + BOTS);
    const raim_player *present = raim_world_players_const(raim_recording_world(recording));
    for (uint32_t i = 0; i < count; i++) {
        const raim_player *player = &present[raim_player_slot(players[i].id)];
        if (players[i].left != UINT32_MAX)
            continue;
        assert_int_equal(player->id, players[i].id);
        assert_int_equal(player->score, players[i].score);
        assert_int_equal(player->deaths, players[i].deaths);
        bool is_bot;
        assert_string_equal(
            raim_recording_name(recording, raim_player_slot(players[i].id), &is_bot),
            players[i].name);
        assert_int_equal(is_bot, players[i].is_bot);
    }
}

TEST(traffic_tells_of_silent_clients)
{
    struct raim_match_def def = def_of();
    def.tuning.round_s = 0;
    struct test_match *test = open_test_match(def);
    struct take *take = begin(test);
    play(test, 0);
    play(test, 1);
    record_ticks(take, test, 100);
    const uint32_t silent = test->match->connections[1].slot,
                   other = test->match->connections[0].slot;
    test->peers[1].is_over = true; // sends nothing any more
    record_ticks(take, test, 70);
    end_take(take, test->match);
    struct raim_recording *recording = open_take(take);
    assert_true(raim_recording_seek(recording, 100));
    struct raim_recording_traffic traffic = raim_recording_traffic(recording, silent);
    assert_int_equal(traffic.arrivals, 1);
    assert_false(traffic.is_guessed);
    assert_true(traffic.rtt_ms < 100);
    assert_true(raim_recording_seek(recording, 170));
    traffic = raim_recording_traffic(recording, silent);
    assert_int_equal(traffic.arrivals, 0);
    assert_true(traffic.is_guessed);
    assert_int_equal(raim_recording_traffic(recording, other).arrivals, 1);
    assert_int_equal(raim_recording_traffic(recording, 0).arrivals, 0); // a bot
}

// Players who overlap stay where they are in a pause, and part afterwards.
TEST(a_pause_holds_players_who_overlap)
{
    struct raim_match_def def = def_of();
    def.bots = 0;
    def.tuning.round_s = 0;
    struct test_match *test = open_test_match(def);
    play(test, 0);
    play(test, 1);
    ticks(test, 30);
    raim_match_pause(test->match, true);
    ticks(test, 2);
    raim_player *players = raim_world_players(test->match->world);
    assert_true(players[0].state == RAIM_PLAYER_ALIVE && players[1].state == RAIM_PLAYER_ALIVE);
    players[1].position = players[1].previous = players[0].position;
    struct take *take = begin(test);
    record_ticks(take, test, 20);
    assert_true(players[0].position.x == players[1].position.x);
    raim_match_pause(test->match, false);
    record_ticks(take, test, 20);
    assert_true(players[0].position.x != players[1].position.x);
    end_take(take, test->match);
    assert_replays(take, 40);
}

TEST(an_empty_match_is_recorded_while_it_sleeps)
{
    struct raim_match_def def = def_of();
    def.bots = 0;
    def.tuning.round_s = 0;
    struct test_match *test = open_test_match(def);
    struct take *take = begin(test);
    record_ticks(take, test, 200);
    assert_true(raim_match_is_dormant(test->match));
    play(test, 0);
    record_ticks(take, test, 200);
    end_take(take, test->match);
    assert_replays(take, 400);
}

// A recording begins with a seed of its own and in the midst of a round; another follows on the
// next map, and one of a restored match.
TEST(recordings_follow_each_other)
{
    struct test_match *test = open_test_match(def_of());
    play(test, 0);
    play(test, 1);
    ticks(test, 100);
    const uint64_t random = test->match->world->random;
    struct take *first = begin(test);
    assert_true(test->match->world->random != random);
    record_ticks(first, test, 200);
    end_take(first, test->match);
    struct raim_match *next = make_successor(test);
    raim_match_transfer(next, test->match, false);
    go_on_with(test, next);
    struct take *second = begin(test);
    record_ticks(second, test, 200);
    end_take(second, test->match);
    restart(test);
    struct take *third = begin(test);
    record_ticks(third, test, 200);
    end_take(third, test->match);
    struct take *takes[] = {first, second, third};
    for (int i = 0; i < 3; i++) {
        assert_replays(takes[i], 200);
    }
}

TEST(an_overflowing_tape_keeps_what_it_took)
{
    struct test_match *test = open_test_match(def_of());
    struct take *take = begin(test);
    record_ticks(take, test, 100);
    char text[RAIM_MAX_CHAT_BYTES + 1];
    memset(text, 'x', sizeof text);
    text[RAIM_MAX_CHAT_BYTES] = '\0';
    for (int i = 0; i < 100000; i++)
        raim_recording_input_chat(take->records, RAIM_NOBODY, text);
    assert_true(raim_recording_input_has_overflowed(take->records));
    tick(test);
    assert_true(raim_recording_writer_end(take->writer));
    take_bytes(take);
    assert_replays(take, 100);
}

static int set_up_group(void **state)
{
    (void)state;
    if (!raim_recording_is_supported())
        exit(0); // test_golden_recording sees the rejection
    return 0;
}

TEST_GROUP(set_up_group, NULL)
