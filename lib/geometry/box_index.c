// SPDX-License-Identifier: MIT
// The bitmap index: marks the bands of each box's sides and accumulates the marks over the bands.
#include "box_index.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

// MIN: boxes whose minimum lies in a band or a lower one. MAX: boxes whose maximum lies in a band
// or a higher one.
enum { MIN_X, MAX_X, MIN_Y, MAX_Y, KINDS };

static uint64_t *set_of(const struct raim_box_index *index, int kind, int band)
{
    return &index->sets[(kind * RAIM_BOX_INDEX_BANDS + band) * index->words];
}

static int band_of(double bands)
{
    if (!(bands > 0))
        return 0;
    return bands < RAIM_BOX_INDEX_BANDS ? (int)bands : RAIM_BOX_INDEX_BANDS - 1;
}

static int column_of(const struct raim_box_index *index, double x)
{
    return band_of((x - index->origin.x) * index->per_unit.x);
}

static int row_of(const struct raim_box_index *index, double y)
{
    return band_of((y - index->origin.y) * index->per_unit.y);
}

bool raim_box_index_create(struct raim_box_index *index, raim_box area, int capacity)
{
    const raim_vec2 size = raim_vec2_sub(area.max, area.min);
    const size_t words = (size_t)(capacity + 63) / 64;
    *index = (struct raim_box_index){
        .origin = area.min,
        .per_unit = {RAIM_BOX_INDEX_BANDS / size.x, RAIM_BOX_INDEX_BANDS / size.y},
        .capacity = capacity,
        // One word more: calloc of 0 bytes may return NULL.
        .sets = calloc(KINDS * RAIM_BOX_INDEX_BANDS * words + 1, sizeof *index->sets),
    };
    return index->sets != NULL;
}

void raim_box_index_destroy(struct raim_box_index *index)
{
    free(index->sets);
    *index = (struct raim_box_index){0};
}

void raim_box_index_begin(struct raim_box_index *index, int count)
{
    assert(count <= index->capacity);
    index->words = (count + 63) / 64;
    memset(index->sets, 0,
           (size_t)(KINDS * RAIM_BOX_INDEX_BANDS * index->words) * sizeof *index->sets);
}

static void mark(struct raim_box_index *index, int kind, int band, int number)
{
    set_of(index, kind, band)[number / 64] |= (uint64_t)1 << number % 64;
}

void raim_box_index_add(struct raim_box_index *index, int number, raim_box box)
{
    mark(index, MIN_X, column_of(index, box.min.x), number);
    mark(index, MAX_X, column_of(index, box.max.x), number);
    mark(index, MIN_Y, row_of(index, box.min.y), number);
    mark(index, MAX_Y, row_of(index, box.max.y), number);
}

static void merge_band(struct raim_box_index *index, int kind, int band, int from)
{
    uint64_t *set = set_of(index, kind, band);
    const uint64_t *other = set_of(index, kind, from);
    for (int i = 0; i < index->words; i++)
        set[i] |= other[i];
}

void raim_box_index_end(struct raim_box_index *index)
{
    for (int band = 1; band < RAIM_BOX_INDEX_BANDS; band++) {
        merge_band(index, MIN_X, band, band - 1);
        merge_band(index, MIN_Y, band, band - 1);
        merge_band(index, MAX_X, RAIM_BOX_INDEX_BANDS - 1 - band, RAIM_BOX_INDEX_BANDS - band);
        merge_band(index, MAX_Y, RAIM_BOX_INDEX_BANDS - 1 - band, RAIM_BOX_INDEX_BANDS - band);
    }
}

void raim_box_index_find(const struct raim_box_index *index, raim_box box,
                         struct raim_box_index_search *search)
{
    search->sets[0] = set_of(index, MIN_X, column_of(index, box.max.x));
    search->sets[1] = set_of(index, MAX_X, column_of(index, box.min.x));
    search->sets[2] = set_of(index, MIN_Y, row_of(index, box.max.y));
    search->sets[3] = set_of(index, MAX_Y, row_of(index, box.min.y));
    search->words = index->words;
    search->word = 0;
    search->left = 0;
}
