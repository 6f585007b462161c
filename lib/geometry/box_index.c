// SPDX-License-Identifier: MIT
// Marks where boxes begin and end, and adds up the marks.
#include "box_index.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { BEGUN_X, UNENDED_X, BEGUN_Y, UNENDED_Y, KINDS }; // up to a band, and from it on

static uint64_t *set_of(const struct raim_box_index *bands, int kind, int band)
{
    return &bands->sets[(kind * RAIM_BOX_INDEX + band) * bands->words];
}

static int band_of(double bands)
{
    if (!(bands > 0))
        return 0;
    return bands < RAIM_BOX_INDEX ? (int)bands : RAIM_BOX_INDEX - 1;
}

static int column_of(const struct raim_box_index *bands, double x)
{
    return band_of((x - bands->origin.x) * bands->per_unit.x);
}

static int row_of(const struct raim_box_index *bands, double y)
{
    return band_of((y - bands->origin.y) * bands->per_unit.y);
}

bool raim_box_index_create(struct raim_box_index *bands, raim_box area, int capacity)
{
    const raim_vec2 size = raim_vec2_sub(area.max, area.min);
    const size_t words = (size_t)(capacity + 63) / 64;
    *bands = (struct raim_box_index){
        .origin = area.min,
        .per_unit = {RAIM_BOX_INDEX / size.x, RAIM_BOX_INDEX / size.y},
        .capacity = capacity,
        // One more: an allocation of nothing may be NULL.
        .sets = calloc(KINDS * RAIM_BOX_INDEX * words + 1, sizeof *bands->sets),
    };
    return bands->sets != NULL;
}

void raim_box_index_destroy(struct raim_box_index *bands)
{
    free(bands->sets);
    *bands = (struct raim_box_index){0};
}

void raim_box_index_begin(struct raim_box_index *bands, int count)
{
    assert(count <= bands->capacity);
    bands->words = (count + 63) / 64;
    memset(bands->sets, 0, (size_t)(KINDS * RAIM_BOX_INDEX * bands->words) * sizeof *bands->sets);
}

static void mark(struct raim_box_index *bands, int kind, int band, int index)
{
    set_of(bands, kind, band)[index / 64] |= (uint64_t)1 << index % 64;
}

void raim_box_index_add(struct raim_box_index *bands, int index, raim_box box)
{
    mark(bands, BEGUN_X, column_of(bands, box.min.x), index);
    mark(bands, UNENDED_X, column_of(bands, box.max.x), index);
    mark(bands, BEGUN_Y, row_of(bands, box.min.y), index);
    mark(bands, UNENDED_Y, row_of(bands, box.max.y), index);
}

static void add_up(struct raim_box_index *bands, int kind, int band, int before)
{
    uint64_t *set = set_of(bands, kind, band);
    const uint64_t *other = set_of(bands, kind, before);
    for (int i = 0; i < bands->words; i++)
        set[i] |= other[i];
}

void raim_box_index_end(struct raim_box_index *bands)
{
    for (int band = 1; band < RAIM_BOX_INDEX; band++) {
        add_up(bands, BEGUN_X, band, band - 1);
        add_up(bands, BEGUN_Y, band, band - 1);
        add_up(bands, UNENDED_X, RAIM_BOX_INDEX - 1 - band, RAIM_BOX_INDEX - band);
        add_up(bands, UNENDED_Y, RAIM_BOX_INDEX - 1 - band, RAIM_BOX_INDEX - band);
    }
}

void raim_box_index_find(const struct raim_box_index *bands, raim_box box,
                         struct raim_box_index_search *search)
{
    search->sets[0] = set_of(bands, BEGUN_X, column_of(bands, box.max.x));
    search->sets[1] = set_of(bands, UNENDED_X, column_of(bands, box.min.x));
    search->sets[2] = set_of(bands, BEGUN_Y, row_of(bands, box.max.y));
    search->sets[3] = set_of(bands, UNENDED_Y, row_of(bands, box.min.y));
    search->words = bands->words;
    search->word = 0;
    search->left = 0;
}
