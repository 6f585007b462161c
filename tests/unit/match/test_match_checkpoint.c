// SPDX-License-Identifier: MIT
// Checkpoints: a restored match continues exactly as the saved one, no session is lost, and no
// malformed bytes do harm.
#include "peer_fixture.h"

#include "match_internal.h"
#include "validate.h"

enum { GRACE_TICKS = 120, ROUNDS = 150, PLAYED_ON = 200, SAVED_MEMBER_BYTES = 128 };

static struct raim_match_def checkpoint_def(void)
{
    struct raim_match_def def = usual_def();
    def.tuning.resume_grace_s = GRACE_TICKS / 60.0;
    def.bots = 4;
    def.bot_skill = RAIM_BOT_HARD;
    return def;
}

// Ignores the members that depend on a connection.
static void assert_same(const struct raim_match_player *row, const struct raim_match_player *before)
{
    assert_string_equal(row->name, before->name);
    assert_int_equal(row->id, before->id);
    assert_int_equal(row->bot, before->bot);
    assert_int_equal(row->muted, before->muted);
    assert_int_equal(row->score, before->score);
    assert_int_equal(row->deaths, before->deaths);
    assert_int_equal(row->played_ticks, before->played_ticks);
    assert_int_equal(row->inputs_due, before->inputs_due);
    assert_int_equal(row->inputs_missed, before->inputs_missed);
}

static void random_rounds(struct raim_match_def *def)
{
    def->tuning.round_s = chance_between(0.1, 4);
    def->tuning.break_s = chance_between(0, 1);
    def->tuning.score_limit = (uint32_t)chance_int(0, 3);
}

static void random_rules(raim_rules *rules)
{
    rules->player_radius = chance_between(4, 40);
    rules->player_speed = chance_between(10, 2000);
    rules->bullet_radius = chance_between(0.5, 20);
    rules->bullet_speed = chance_between(50, 20000);
    rules->bullet_lifetime = chance_between(0.05, 3);
    rules->fire_cooldown = chance_between(0.02, 1);
    rules->respawn_delay = chance_between(0, 2);
    rules->spawn_protection = chance_between(0, 2);
    rules->pellets = chance_int(1, RAIM_MAX_PELLETS);
    rules->spread = chance_between(0, 180);
    rules->bounces = chance_int(0, 3);
    rules->health = chance_int(1, 5);
    rules->damage = chance_int(1, 3);
    rules->regeneration = chance_between(0, 2);
}

TEST(bots_play_on_to_the_bit)
{
    for (int round = 0; round < chance_rounds(12); round++) {
        struct raim_match_def def = checkpoint_def();
        def.tick_hz = (uint32_t)chance_int(10, 240);
        def.lag_compensation_ms = (uint32_t)chance_int(0, 250);
        def.bots = (uint32_t)chance_int(1, 12);
        if (round > 0) {
            random_rules(&def.rules);
            random_rounds(&def);
        }
        struct test_match *test = open_test_match(def);
        ticks(test, chance_int(0, 600));
        const struct checkpoint saved = save(test);
        struct raim_match *next = make_successor(test);
        assert_true(raim_match_restore(next, saved.bytes, saved.size));
        for (int tick = 0; tick < 300; tick++) {
            assert_int_equal(raim_world_digest(raim_match_world(next)),
                             raim_world_digest(raim_match_world(test->match)));
            raim_match_step(next);
            raim_match_step(test->match);
        }
        raim_match_destroy(next);
        close_test_match(test);
    }
}

TEST(whatever_was_played_is_sound)
{
    for (int round = 0; round < chance_rounds(8); round++) {
        struct raim_match_def def = checkpoint_def();
        def.tick_hz = (uint32_t)chance_int(10, 240);
        def.lag_compensation_ms = (uint32_t)chance_int(0, 250);
        random_rules(&def.rules);
        random_rounds(&def);
        struct test_match *test = open_test_match(def);
        for (uint32_t i = 0; i < 6; i++)
            play(test, i);
        for (int i = 0; i < 600; i++) {
            tick(test);
            if (chance_int(0, 50) == 0) { // a client leaves, with or without GOODBYE
                const uint32_t handle = (uint32_t)chance_int(0, 5);
                if (chance_int(0, 1) == 0)
                    say_goodbye(test, handle);
                leave(test, handle);
                play(test, handle);
            }
            assert_true(raim_world_is_valid(test->match->world, test->map));
            for (uint32_t slot = 0; slot < test->match->world->max_players; slot++)
                if (test->match->sessions[slot].bot)
                    assert_true(raim_bot_is_valid(&test->match->sessions[slot].brain));
        }
        close_test_match(test);
    }
}

// A player before a restart.
struct member {
    struct raim_match_player row;
    uint8_t token[RAIM_TOKEN_BYTES];
};

static void note_members(const struct test_match *test, struct member members[6])
{
    for (uint32_t i = 0; i < 6; i++) {
        members[i].row = row_of(test, test->peers[i].welcome.player);
        memcpy(members[i].token, test->peers[i].welcome.token, sizeof members[i].token);
    }
}

// A match of six players after so many ticks.
static struct test_match *open_six(struct raim_match_def def, int count)
{
    struct test_match *test = open_test_match(def);
    for (uint32_t i = 0; i < 6; i++)
        play(test, i);
    ticks(test, count);
    return test;
}

TEST(everybody_comes_back_as_who_they_were)
{
    struct test_match *test = open_six(checkpoint_def(), 600);
    struct member before[6];
    raim_match_mute(test->match, (raim_player_id)test->peers[3].welcome.player, true);
    note_members(test, before);
    const uint32_t events = raim_match_events(test->match);
    const struct raim_match_hits hits = counts(test).hits;
    assert_true(hits.total > 0);
    restart(test);
    assert_int_equal(raim_match_events(test->match), events);
    const struct raim_match_counts after = counts(test);
    assert_memory_equal(&after.hits, &hits, sizeof hits);
    assert_int_equal(after.players, 6);
    assert_int_equal(after.away, 6);
    for (uint32_t i = 0; i < 6; i++) {
        const struct raim_match_player row = row_of(test, before[i].row.id);
        assert_true(row.away);
        assert_same(&row, &before[i].row);
        uint8_t token[RAIM_TOKEN_BYTES];
        assert_true(raim_match_token(test->match, row.id, token));
        assert_memory_equal(token, before[i].token, sizeof token);
    }
    for (uint32_t i = 0; i < 6; i++)
        resume(test, 5 - i, before[i].token);
    ticks(test, 5);
    for (uint32_t i = 0; i < 6; i++) {
        const struct peer *peer = &test->peers[5 - i];
        assert_true(peer->any);
        assert_int_equal(peer->welcome.player, before[i].row.id);
        assert_string_equal(row_of(test, before[i].row.id).name, before[i].row.name);
        uint8_t token[RAIM_TOKEN_BYTES];
        assert_false(raim_match_token(test->match, before[i].row.id, token));
    }
    assert_int_equal(counts(test).away, 0);
    ticks(test, 60);
}

TEST(the_round_goes_on)
{
    for (int round = 0; round < chance_rounds(20); round++) {
        struct raim_match_def def = checkpoint_def();
        random_rounds(&def);
        struct test_match *test = open_test_match(def);
        ticks(test, chance_int(0, 600));
        raim_match_pause(test->match, chance_int(0, 3) == 0);
        tick(test);
        const struct raim_match_round before = raim_match_round(test->match);
        restart(test);
        const struct raim_match_round after = raim_match_round(test->match);
        assert_int_equal(after.phase, before.phase);
        assert_int_equal(after.round, before.round);
        assert_int_equal(after.has_end, before.has_end);
        assert_int_equal(after.left_ticks, before.left_ticks);
        assert_int_equal(after.score_limit, before.score_limit);
        assert_int_equal(after.winner, before.winner);
        ticks(test, 30);
        close_test_match(test);
    }
}

TEST(who_does_not_come_back_has_the_whole_grace_time)
{
    struct test_match *test = open_test_match(checkpoint_def());
    play(test, 0);
    play(test, 1);
    ticks(test, 30);
    leave(test, 0); // away already before the restart
    ticks(test, GRACE_TICKS - 10);
    restart(test);
    ticks(test, GRACE_TICKS);
    assert_int_equal(counts(test).players, 2);
    tick(test);
    assert_int_equal(counts(test).players, 0);
    assert_int_equal(counts(test).bots, 4);
}

TEST(suspended_sessions_are_told_so_and_go_on)
{
    struct test_match *test = open_test_match(checkpoint_def());
    play(test, 0);
    play(test, 1);
    watch(test, 2, 0);
    ticks(test, 60);
    const struct raim_welcome welcome = test->peers[1].welcome;
    raim_match_suspend(test->match);
    deliver(test);
    for (uint32_t i = 0; i < 3; i++) {
        assert_true(test->peers[i].is_over);
        assert_int_equal(test->peers[i].goodbye.reason, RAIM_REASON_RESTART);
    }
    assert_int_equal(counts(test).players, 2);
    assert_int_equal(counts(test).spectators, 0);
    restart(test);
    const struct peer *peer = resume(test, 7, welcome.token);
    ticks(test, 5);
    assert_int_equal(peer->welcome.player, welcome.player);
}

static void assert_rejected(const struct test_match *test, struct raim_match_def def,
                            const struct raim_map *map)
{
    const struct checkpoint saved = save(test);
    def.map = map;
    struct raim_match *other = raim_match_create(&def);
    const uint64_t digest = raim_world_digest(raim_match_world(other));
    assert_non_null(raim_match_checkpoint_fault(other, saved.bytes, saved.size));
    assert_false(raim_match_restore(other, saved.bytes, saved.size));
    assert_int_equal(raim_world_digest(raim_match_world(other)), digest);
    raim_match_destroy(other);
}

// A match with other rules and at least as many slots takes over all players.
static void random_heir(struct test_match *test)
{
    struct raim_match_def *def = &test->def;
    random_rules(&def->rules);
    random_rounds(def);
    def->bots = (uint32_t)chance_int(0, 12);
    def->tuning.max_players = (uint32_t)chance_int(6, 12);
    def->max_connections = (uint32_t)chance_int(12, PEERS);
    def->lag_compensation_ms = (uint32_t)chance_int(0, 250);
}

TEST(other_rules_and_places_take_everybody_over)
{
    for (int round = 0; round < chance_rounds(20); round++) {
        struct raim_match_def def = checkpoint_def();
        def.tuning.max_players = 14; // may exceed the successor's connections
        struct test_match *test = open_six(def, chance_int(100, 600));
        struct member before[6];
        note_members(test, before);
        const uint32_t told = raim_match_round(test->match).round;
        random_heir(test);
        restart(test);
        assert_int_equal(raim_match_round(test->match).round, told);
        assert_int_equal(counts(test).away, 6);
        assert_int_equal(counts(test).bots, test->def.bots);
        for (uint32_t i = 0; i < 6; i++) {
            const struct raim_match_player row = row_of(test, before[i].row.id);
            const uint32_t slot = raim_player_slot(before[i].row.id);
            if (slot >= test->def.bots && slot < test->def.bots + test->def.tuning.max_players)
                assert_same(&row, &before[i].row); // otherwise its slot is a bot's, or missing
        }
        for (uint32_t i = 0; i < 6; i++)
            resume(test, i, before[i].token);
        ticks(test, 5);
        for (uint32_t i = 0; i < 6; i++) {
            const struct raim_match_player row = row_of(test, test->peers[i].welcome.player);
            assert_string_equal(row.name, before[i].row.name);
            assert_true(row.score >= before[i].row.score || test->def.tuning.score_limit > 0 ||
                        test->def.tuning.round_s < 3);
        }
        assert_int_equal(counts(test).players, 6);
        ticks(test, 200);
        close_test_match(test);
    }
}

TEST(who_has_no_place_any_more_keeps_all_away)
{
    struct test_match *test = open_six(checkpoint_def(), 20);
    const struct checkpoint saved = save(test);
    struct raim_match_def def = test->def;
    def.tuning.max_players = 5;
    struct raim_match *other = raim_match_create(&def);
    assert_false(raim_match_restore(other, saved.bytes, saved.size));
    assert_int_equal(raim_match_counts(other).players, 0);
    raim_match_step(other);
    raim_match_destroy(other);
}

TEST(another_arena_is_rejected)
{
    const raim_box boxes[] = {{{-300, -300}, {-100, -99}}, {{100, -50}, {300, 20}}};
    struct test_match *test = open_test_match(checkpoint_def());
    struct raim_map *map = fixture_map(boxes, 2);
    ticks(test, 20);
    assert_rejected(test, test->def, map);
    struct raim_match_def def = test->def;
    def.tick_hz = 61;
    assert_rejected(test, def, test->map);
    raim_map_destroy(map);
}

TEST(what_is_cut_short_or_goes_on_is_rejected)
{
    struct test_match *test = open_test_match(checkpoint_def());
    play(test, 0);
    ticks(test, 60);
    const struct checkpoint saved = save(test);
    struct raim_match *next = make_successor(test);
    const uint64_t digest = raim_world_digest(raim_match_world(next));
    for (size_t size = 0; size < saved.size; size++) {
        uint8_t *exact = malloc(size > 0 ? size : 1);
        memcpy(exact, saved.bytes, size);
        assert_false(raim_match_restore(next, exact, size));
        free(exact);
    }
    uint8_t *longer = calloc(1, saved.size + 1);
    memcpy(longer, saved.bytes, saved.size);
    assert_false(raim_match_restore(next, longer, saved.size + 1));
    free(longer);
    assert_int_equal(raim_world_digest(raim_match_world(next)), digest);
    raim_match_destroy(next);
}

// Random damage that is not rejected by the first check alone.
static void damage(struct checkpoint *saved)
{
    for (int i = chance_int(1, 4); i > 0; i--) {
        uint8_t *byte = &saved->bytes[chance_int(0, (int)saved->size - 1)];
        const int kind = chance_int(0, 4);
        if (kind == 4) { // valid bytes at a wrong offset
            const size_t size = 8U * (size_t)chance_int(1, 8);
            const int last = (int)((saved->size - size) / 8);
            memmove(saved->bytes + 8 * chance_int(0, last), saved->bytes + 8 * chance_int(0, last),
                    size);
            continue;
        }
        if (kind == 0)
            *byte ^= (uint8_t)(1 << chance_int(0, 7));
        else if (kind == 1)
            *byte = (uint8_t)chance_int(0, 255);
        else if (kind == 2)
            *byte = (uint8_t)(*byte + 1);
        else
            *byte = (uint8_t)(chance_int(0, 1) * 255);
    }
}

// The offset of a byte of a player or a flying bullet, not of a free slot.
static void damage_world(struct checkpoint *saved, const struct raim_world *world)
{
    const size_t players_at = saved->size - raim_world_bytes(world) -
                              world->max_players * SAVED_MEMBER_BYTES + sizeof *world;
    const size_t bullets_at = players_at + world->max_players * sizeof(raim_player);
    const uint32_t player = (uint32_t)chance_int(0, (int)world->max_players - 1);
    const uint32_t bullet = (uint32_t)chance_int(0, (int)world->max_bullets - 1);
    if (chance_int(0, 1) == 0 && raim_world_players_const(world)[player].id != RAIM_NOBODY)
        saved->bytes[players_at + player * sizeof(raim_player) +
                     (size_t)chance_int(0, sizeof(raim_player) - 1)] = (uint8_t)chance_int(0, 255);
    else if (raim_world_bullets_const(world)[bullet].owner != RAIM_NOBODY)
        saved->bytes[bullets_at + bullet * sizeof(raim_bullet) +
                     (size_t)chance_int(0, sizeof(raim_bullet) - 1)] = (uint8_t)chance_int(0, 255);
}

TEST(damage_is_rejected_or_harmless)
{
    struct test_match *test = open_six(checkpoint_def(), 3);
    struct member members[6];
    int accepted = 0;
    note_members(test, members);
    for (int round = 0; round < chance_rounds(ROUNDS); round++) {
        ticks(test, 3);
        struct checkpoint saved = save(test);
        if (round % 4 == 0)
            damage(&saved);
        else
            damage_world(&saved, raim_match_world(test->match));
        struct raim_match *next = make_successor(test);
        const uint64_t digest = raim_world_digest(raim_match_world(next));
        if (!raim_match_restore(next, saved.bytes, saved.size)) {
            assert_int_equal(raim_world_digest(raim_match_world(next)), digest);
            raim_match_destroy(next);
            continue;
        }
        accepted++;
        struct test_match *other = calloc(1, sizeof *other);
        *other = *test;
        memset(other->peers, 0, sizeof other->peers);
        other->match = next;
        for (uint32_t i = 0; i < 6; i++)
            resume(other, i, members[i].token);
        ticks(other, PLAYED_ON);
        for (uint32_t i = 0; i < PEERS; i++)
            leave(other, i);
        raim_match_destroy(next);
        free(other);
    }
    print_message("accepted %d of %d\n", accepted, ROUNDS);
    assert_true(accepted > chance_rounds(ROUNDS / 50));
    assert_true(accepted < ROUNDS);
}
