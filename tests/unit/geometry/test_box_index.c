// SPDX-License-Identifier: MIT
// Tests of the bitmap index over boxes. The oracle compares every box.
#include "box_index.h"
#include "chance.h"
#include "lowest_bit.h"
#include "test.h"

enum { MAX = 300 };

static const raim_box area = {{-1000, -200}, {3000, 600}};

static raim_vec2 chance_point(void)
{
    // Some of the points are outside the area.
    return (raim_vec2){chance_between(-1500, 3500), chance_between(-300, 700)};
}

static raim_box chance_box(double size)
{
    const raim_vec2 corner = chance_point();
    return (raim_box){corner,
                      {corner.x + chance_between(0, size), corner.y + chance_between(0, size)}};
}

// Creates random boxes and an index of them. Returns their number.
static int chance_boxes(struct raim_box_index *index, raim_box *boxes)
{
    const int count = chance_int(0, MAX);
    raim_box_index_begin(index, count);
    for (int i = 0; i < count; i++) {
        boxes[i] = chance_box(chance_int(0, 1) == 0 ? 0 : 800);
        raim_box_index_add(index, i, boxes[i]);
    }
    raim_box_index_end(index);
    return count;
}

TEST(all_boxes_that_touch_are_found_once_in_order)
{
    struct raim_box_index index;
    raim_box boxes[MAX];
    assert_true(raim_box_index_create(&index, area, MAX));
    for (int round = 0; round < 200; round++) {
        const int count = chance_boxes(&index, boxes);
        const raim_box box = chance_box(1000);
        struct raim_box_index_search search;
        raim_box_index_find(&index, box, &search);
        int next = 0;
        for (int found; (found = raim_box_index_next(&search)) >= 0; next = found + 1) {
            assert_in_range(found, next, count - 1);
            for (int i = next; i < found; i++)
                assert_false(raim_box_overlaps(boxes[i], box));
        }
        for (int i = next; i < count; i++)
            assert_false(raim_box_overlaps(boxes[i], box));
    }
    raim_box_index_destroy(&index);
}

TEST(few_boxes_are_found_that_do_not_touch)
{
    struct raim_box_index index;
    raim_box boxes[MAX];
    assert_true(raim_box_index_create(&index, area, MAX));
    const raim_vec2 band = {(area.max.x - area.min.x) / RAIM_BOX_INDEX_BANDS,
                            (area.max.y - area.min.y) / RAIM_BOX_INDEX_BANDS};
    for (int round = 0; round < 200; round++) {
        chance_boxes(&index, boxes);
        const raim_vec2 at = {chance_between(area.min.x, area.max.x),
                              chance_between(area.min.y, area.max.y)};
        const raim_box grown = {raim_vec2_sub(at, band), raim_vec2_add(at, band)};
        struct raim_box_index_search search;
        raim_box_index_find(&index, (raim_box){at, at}, &search);
        // Boxes outside the area belong to the outermost bands.
        const bool is_inner = at.x > area.min.x + band.x && at.x < area.max.x - band.x &&
                              at.y > area.min.y + band.y && at.y < area.max.y - band.y;
        for (int found; (found = raim_box_index_next(&search)) >= 0;)
            assert_true(!is_inner || raim_box_overlaps(boxes[found], grown));
    }
    raim_box_index_destroy(&index);
}

TEST(an_empty_index_finds_nothing)
{
    struct raim_box_index index;
    assert_true(raim_box_index_create(&index, area, 0));
    raim_box_index_begin(&index, 0);
    raim_box_index_end(&index);
    struct raim_box_index_search search;
    raim_box_index_find(&index, area, &search);
    assert_int_equal(raim_box_index_next(&search), -1);
    raim_box_index_destroy(&index);
}

// --- Lowest bit ---

// The search for the lowest bit, which compilers without a builtin use, equals the builtin.

TEST(every_bit_is_found_below_others)
{
    for (uint32_t bit = 0; bit < 64; bit++) {
        const uint64_t alone = (uint64_t)1 << bit;
        const uint64_t others = ~(alone - 1) & UINT64_C(0x9e3779b97f4a7c15);
        assert_int_equal(raim_lowest_bit_search(alone), bit);
        assert_int_equal(raim_lowest_bit_search(alone | others), bit);
        assert_int_equal(raim_lowest_bit_search(~(alone - 1)), bit);
        assert_int_equal(raim_lowest_bit(alone | others), bit);
    }
}
