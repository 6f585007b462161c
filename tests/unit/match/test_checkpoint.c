// SPDX-License-Identifier: MIT
// Checkpoints: a restored match continues exactly as the saved one, no session is lost, and no
// malformed bytes do harm.
#include "seat_fixture.h"

#include "match_internal.h"
#include "validate.h"

enum { GRACE_TICKS = 120, ROUNDS = 150, PLAYED_ON = 200, SAVED_MEMBER_BYTES = 128 };

static struct raim_match_def checkpoint_def(void)
{
    struct raim_match_def def = usual_def();
    def.tuning.resume_grace_s = GRACE_TICKS / 60.0;
    def.bots = 4;
    return def;
}

struct saved {
    uint8_t *bytes; // of exactly its size
    size_t size;
};

static struct saved save(const struct table *table)
{
    struct saved saved = {.size = raim_match_checkpoint_size(table->match)};
    saved.bytes = malloc(saved.size);
    raim_match_save(table->match, saved.bytes);
    return saved;
}

// Creates a match with the table's def, as another process would.
static struct raim_match *fresh_match(const struct table *table)
{
    struct raim_match_def def = table->def;
    def.seed = raim_random_next(&chance);
    struct raim_match *match = raim_match_create(&def);
    assert_non_null(match);
    return match;
}

// The table continues with a match restored from the checkpoint.
static void restart(struct table *table)
{
    const struct saved saved = save(table);
    struct raim_match *next = fresh_match(table);
    assert_null(raim_match_checkpoint_fault(next, saved.bytes, saved.size));
    assert_true(raim_match_restore(next, saved.bytes, saved.size));
    free(saved.bytes);
    for (uint32_t i = 0; i < SEATS; i++)
        stand_up(table, i);
    raim_match_destroy(table->match);
    table->match = next;
}

static struct seat *resume(struct table *table, uint32_t handle, const uint8_t *token)
{
    struct raim_hello hello = {.version = RAIM_PROTOCOL_VERSION, .resume = true, .name = "other"};
    memcpy(hello.token, token, sizeof hello.token);
    return connect_seat(table, handle, &hello);
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
        struct table *table = open_table(def);
        ticks(table, chance_int(0, 600));
        const struct saved saved = save(table);
        struct raim_match *next = fresh_match(table);
        assert_true(raim_match_restore(next, saved.bytes, saved.size));
        for (int tick = 0; tick < 300; tick++) {
            assert_int_equal(raim_world_digest(raim_match_world(next)),
                             raim_world_digest(raim_match_world(table->match)));
            raim_match_step(next);
            raim_match_step(table->match);
        }
        raim_match_destroy(next);
        free(saved.bytes);
        close_table(table);
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
        struct table *table = open_table(def);
        for (uint32_t i = 0; i < 6; i++)
            play(table, i);
        for (int i = 0; i < 600; i++) {
            tick(table);
            if (chance_int(0, 50) == 0) { // a client leaves, with or without GOODBYE
                const uint32_t handle = (uint32_t)chance_int(0, 5);
                if (chance_int(0, 1) == 0)
                    say_goodbye(table, handle);
                stand_up(table, handle);
                play(table, handle);
            }
            assert_true(raim_world_is_valid(table->match->world, table->map));
            for (uint32_t slot = 0; slot < table->match->world->max_players; slot++)
                if (table->match->members[slot].bot)
                    assert_true(raim_bot_is_valid(&table->match->members[slot].brain));
        }
        close_table(table);
    }
}

TEST(everybody_comes_back_as_who_they_were)
{
    struct table *table = open_table(checkpoint_def());
    struct raim_match_player before[6];
    uint8_t tokens[6][RAIM_TOKEN_BYTES];
    for (uint32_t i = 0; i < 6; i++)
        play(table, i);
    ticks(table, 600);
    raim_match_mute(table->match, (raim_player_id)table->seats[3].welcome.player, true);
    for (uint32_t i = 0; i < 6; i++) {
        before[i] = row_of(table, table->seats[i].welcome.player);
        memcpy(tokens[i], table->seats[i].welcome.token, sizeof tokens[i]);
    }
    const uint32_t events = raim_match_events(table->match);
    const struct raim_match_hits hits = counts(table).hits;
    assert_true(hits.total > 0);
    restart(table);
    assert_int_equal(raim_match_events(table->match), events);
    const struct raim_match_counts after = counts(table);
    assert_memory_equal(&after.hits, &hits, sizeof hits);
    assert_int_equal(after.players, 6);
    assert_int_equal(after.away, 6);
    for (uint32_t i = 0; i < 6; i++) {
        const struct raim_match_player row = row_of(table, before[i].id);
        assert_true(row.away);
        assert_same(&row, &before[i]);
        uint8_t token[RAIM_TOKEN_BYTES];
        assert_true(raim_match_token(table->match, row.id, token));
        assert_memory_equal(token, tokens[i], sizeof token);
    }
    for (uint32_t i = 0; i < 6; i++)
        resume(table, 5 - i, tokens[i]);
    ticks(table, 5);
    for (uint32_t i = 0; i < 6; i++) {
        const struct seat *seat = &table->seats[5 - i];
        assert_true(seat->any);
        assert_int_equal(seat->welcome.player, before[i].id);
        assert_string_equal(row_of(table, before[i].id).name, before[i].name);
        uint8_t token[RAIM_TOKEN_BYTES];
        assert_false(raim_match_token(table->match, before[i].id, token));
    }
    assert_int_equal(counts(table).away, 0);
    ticks(table, 60);
    close_table(table);
}

TEST(the_round_goes_on)
{
    for (int round = 0; round < chance_rounds(20); round++) {
        struct raim_match_def def = checkpoint_def();
        random_rounds(&def);
        struct table *table = open_table(def);
        ticks(table, chance_int(0, 600));
        raim_match_pause(table->match, chance_int(0, 3) == 0);
        tick(table);
        const struct raim_match_round before = raim_match_round(table->match);
        restart(table);
        const struct raim_match_round after = raim_match_round(table->match);
        assert_int_equal(after.phase, before.phase);
        assert_int_equal(after.round, before.round);
        assert_int_equal(after.has_end, before.has_end);
        assert_int_equal(after.left_ticks, before.left_ticks);
        assert_int_equal(after.score_limit, before.score_limit);
        assert_int_equal(after.winner, before.winner);
        ticks(table, 30);
        close_table(table);
    }
}

TEST(who_does_not_come_back_has_the_whole_grace_time)
{
    struct table *table = open_table(checkpoint_def());
    play(table, 0);
    play(table, 1);
    ticks(table, 30);
    stand_up(table, 0); // away already before the restart
    ticks(table, GRACE_TICKS - 10);
    restart(table);
    ticks(table, GRACE_TICKS);
    assert_int_equal(counts(table).players, 2);
    tick(table);
    assert_int_equal(counts(table).players, 0);
    assert_int_equal(counts(table).bots, 4);
    close_table(table);
}

TEST(suspended_sessions_are_told_so_and_go_on)
{
    struct table *table = open_table(checkpoint_def());
    play(table, 0);
    play(table, 1);
    watch(table, 2, 0);
    ticks(table, 60);
    const struct raim_welcome welcome = table->seats[1].welcome;
    raim_match_suspend(table->match);
    deliver(table);
    for (uint32_t i = 0; i < 3; i++) {
        assert_true(table->seats[i].is_over);
        assert_int_equal(table->seats[i].goodbye.reason, RAIM_REASON_RESTART);
    }
    assert_int_equal(counts(table).players, 2);
    assert_int_equal(counts(table).spectators, 0);
    restart(table);
    const struct seat *seat = resume(table, 7, welcome.token);
    ticks(table, 5);
    assert_int_equal(seat->welcome.player, welcome.player);
    close_table(table);
}

TEST(nobody_gets_in_with_a_token_that_is_nearly_right)
{
    struct table *table = open_table(checkpoint_def());
    play(table, 0);
    ticks(table, 10);
    struct raim_welcome welcome = table->seats[0].welcome;
    restart(table);
    welcome.token[RAIM_TOKEN_BYTES - 1] ^= 1;
    const struct seat *seat = resume(table, 1, welcome.token);
    ticks(table, 5);
    assert_int_not_equal(seat->welcome.player, welcome.player);
    assert_true(row_of(table, welcome.player).away);
    close_table(table);
}

static void assert_refused(const struct table *table, struct raim_match_def def,
                           const struct raim_map *map)
{
    const struct saved saved = save(table);
    def.map = map;
    struct raim_match *other = raim_match_create(&def);
    const uint64_t digest = raim_world_digest(raim_match_world(other));
    assert_non_null(raim_match_checkpoint_fault(other, saved.bytes, saved.size));
    assert_false(raim_match_restore(other, saved.bytes, saved.size));
    assert_int_equal(raim_world_digest(raim_match_world(other)), digest);
    raim_match_destroy(other);
    free(saved.bytes);
}

// A match with other rules and at least as many slots takes over all players.
static void random_heir(struct table *table)
{
    struct raim_match_def *def = &table->def;
    random_rules(&def->rules);
    random_rounds(def);
    def->bots = (uint32_t)chance_int(0, 12);
    def->tuning.max_players = (uint32_t)chance_int(6, 12);
    def->max_connections = (uint32_t)chance_int(12, SEATS);
    def->lag_compensation_ms = (uint32_t)chance_int(0, 250);
}

TEST(other_rules_and_places_take_everybody_over)
{
    for (int round = 0; round < chance_rounds(20); round++) {
        struct raim_match_def def = checkpoint_def();
        def.tuning.max_players = 14; // may exceed the successor's connections
        struct table *table = open_table(def);
        struct raim_match_player before[6];
        uint8_t tokens[6][RAIM_TOKEN_BYTES];
        for (uint32_t i = 0; i < 6; i++)
            play(table, i);
        ticks(table, chance_int(100, 600));
        for (uint32_t i = 0; i < 6; i++) {
            before[i] = row_of(table, table->seats[i].welcome.player);
            memcpy(tokens[i], table->seats[i].welcome.token, sizeof tokens[i]);
        }
        const uint32_t told = raim_match_round(table->match).round;
        random_heir(table);
        restart(table);
        assert_int_equal(raim_match_round(table->match).round, told);
        assert_int_equal(counts(table).away, 6);
        assert_int_equal(counts(table).bots, table->def.bots);
        for (uint32_t i = 0; i < 6; i++) {
            const struct raim_match_player row = row_of(table, before[i].id);
            const uint32_t slot = raim_player_slot(before[i].id);
            if (slot >= table->def.bots && slot < table->def.bots + table->def.tuning.max_players)
                assert_same(&row, &before[i]); // otherwise its slot is a bot's, or missing
        }
        for (uint32_t i = 0; i < 6; i++)
            resume(table, i, tokens[i]);
        ticks(table, 5);
        for (uint32_t i = 0; i < 6; i++) {
            const struct raim_match_player row = row_of(table, table->seats[i].welcome.player);
            assert_string_equal(row.name, before[i].name);
            assert_true(row.score >= before[i].score || table->def.tuning.score_limit > 0 ||
                        table->def.tuning.round_s < 3);
        }
        assert_int_equal(counts(table).players, 6);
        ticks(table, 200);
        close_table(table);
    }
}

TEST(who_has_no_place_any_more_keeps_all_away)
{
    struct table *table = open_table(checkpoint_def());
    for (uint32_t i = 0; i < 6; i++)
        play(table, i);
    ticks(table, 20);
    const struct saved saved = save(table);
    struct raim_match_def def = table->def;
    def.tuning.max_players = 5;
    struct raim_match *other = raim_match_create(&def);
    assert_false(raim_match_restore(other, saved.bytes, saved.size));
    assert_int_equal(raim_match_counts(other).players, 0);
    raim_match_step(other);
    raim_match_destroy(other);
    free(saved.bytes);
    close_table(table);
}

TEST(another_arena_is_refused)
{
    const raim_box boxes[] = {{{-300, -300}, {-100, -99}}, {{100, -50}, {300, 20}}};
    struct table *table = open_table(checkpoint_def());
    struct raim_map *map = fixture_map(boxes, 2);
    ticks(table, 20);
    assert_refused(table, table->def, map);
    struct raim_match_def def = table->def;
    def.tick_hz = 61;
    assert_refused(table, def, table->map);
    raim_map_destroy(map);
    close_table(table);
}

TEST(what_is_cut_short_or_goes_on_is_refused)
{
    struct table *table = open_table(checkpoint_def());
    play(table, 0);
    ticks(table, 60);
    const struct saved saved = save(table);
    struct raim_match *next = fresh_match(table);
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
    free(saved.bytes);
    close_table(table);
}

// Random damage that is not refused by the first check alone.
static void damage(struct saved *saved)
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
static void damage_world(struct saved *saved, const struct raim_world *world)
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

TEST(damage_is_refused_or_harmless)
{
    struct table *table = open_table(checkpoint_def());
    uint8_t tokens[6][RAIM_TOKEN_BYTES];
    int accepted = 0;
    for (uint32_t i = 0; i < 6; i++)
        play(table, i);
    for (int round = 0; round < chance_rounds(ROUNDS); round++) {
        ticks(table, 3);
        if (round == 0)
            for (uint32_t i = 0; i < 6; i++)
                memcpy(tokens[i], table->seats[i].welcome.token, sizeof tokens[i]);
        struct saved saved = save(table);
        if (round % 4 == 0)
            damage(&saved);
        else
            damage_world(&saved, raim_match_world(table->match));
        struct raim_match *next = fresh_match(table);
        const uint64_t digest = raim_world_digest(raim_match_world(next));
        if (!raim_match_restore(next, saved.bytes, saved.size)) {
            assert_int_equal(raim_world_digest(raim_match_world(next)), digest);
            raim_match_destroy(next);
            free(saved.bytes);
            continue;
        }
        accepted++;
        struct table *other = calloc(1, sizeof *other);
        *other = *table;
        memset(other->seats, 0, sizeof other->seats);
        other->match = next;
        for (uint32_t i = 0; i < 6; i++)
            resume(other, i, tokens[i]);
        ticks(other, PLAYED_ON);
        for (uint32_t i = 0; i < SEATS; i++)
            stand_up(other, i);
        raim_match_destroy(next);
        free(other);
        free(saved.bytes);
    }
    print_message("accepted %d of %d\n", accepted, ROUNDS);
    assert_true(accepted > chance_rounds(ROUNDS / 50));
    assert_true(accepted < ROUNDS);
    close_table(table);
}
