// SPDX-License-Identifier: MIT
// Tests that every byte of a world that differs is told by a field.
#include "arena_fixture.h"
#include "test.h"
#include "verify.h"

static struct arena_fixture *played_world(void)
{
    const raim_rules rules = raim_rules_default();
    struct arena_fixture *f = fixture_create(&rules, 3, NULL, 0);
    const raim_player *player = fixture_put(f, (raim_vec2){0, 0});
    fixture_put(f, (raim_vec2){300, 0});
    *fixture_input(f, player) = (raim_input){.move_y = 1, .fire = 1};
    for (int tick = 0; tick < 40; tick++)
        fixture_step(f);
    return f;
}

TEST(equal_worlds_have_no_difference)
{
    struct arena_fixture *f = played_world();
    assert_int_equal(world_difference_find(f->world, f->world, NULL, 0), 0);
    fixture_destroy(f);
}

TEST(a_difference_names_its_player_and_field)
{
    struct arena_fixture *f = played_world(), *g = played_world();
    raim_world_players(g->world)[1].position.x += 0.25;
    raim_world_players(g->world)[2].score += 7;
    struct world_difference found[4];
    assert_int_equal(world_difference_find(f->world, g->world, found, 4), 2);
    assert_int_equal(found[0].part, WORLD_PLAYER);
    assert_int_equal(found[0].slot, 1);
    assert_int_equal(found[0].id, raim_world_players(f->world)[1].id);
    assert_string_equal(found[0].field, "position.x");
    assert_true(found[0].simulated - found[0].recorded == 0.25);
    assert_string_equal(found[1].field, "score");
    assert_int_equal(found[1].slot, 2);
    assert_int_equal(found[1].id, RAIM_NOBODY);
    fixture_destroy(f);
    fixture_destroy(g);
}

// No byte is left out but those that hold no state: the definition, which the file's head states,
// and reserved members.
TEST(every_byte_belongs_to_a_field)
{
    struct arena_fixture *f = played_world(), *g = played_world();
    const size_t size = raim_world_bytes(f->world);
    const size_t bullets_end = sizeof(struct raim_world) + 3 * sizeof(raim_player) +
                               g->world->max_bullets * sizeof(raim_bullet);
    uint32_t untold = 0;
    for (size_t byte = sizeof(struct raim_world); byte < size; byte++) {
        uint8_t *at = (uint8_t *)g->world + byte;
        *at ^= 0x5A;
        struct world_difference found;
        const uint32_t count = world_difference_find(f->world, g->world, &found, 1);
        assert_in_range(count, 0, 1);
        untold += count == 0;
        if (count == 1)
            assert_int_equal(found.part, byte < sizeof(struct raim_world) + 3 * sizeof(raim_player)
                                             ? WORLD_PLAYER
                                         : byte < bullets_end ? WORLD_BULLET
                                                              : WORLD_HISTORY);
        *at ^= 0x5A;
    }
    const uint32_t reserved = 3 * 1 + g->world->max_bullets * 6 + g->world->history_length * 3 * 5;
    assert_int_equal(untold, reserved);
    fixture_destroy(f);
    fixture_destroy(g);
}
