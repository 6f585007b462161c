// SPDX-License-Identifier: MIT
// A bitmap index over axis-aligned boxes: answers which boxes may overlap a query box. Each axis is
// divided into RAIM_BOX_INDEX_BANDS equal bands, as in a bitmap index with range encoding (Chan and
// Ioannidis, Bitmap Index Design and Evaluation, 1998). Every band has two bit sets per axis, with
// one bit per box: the boxes whose minimum lies in this band or a lower one, and the boxes whose
// maximum lies in this band or a higher one. A query is the intersection of four sets. Its cost
// hardly depends on the size of the boxes, and it reports each box once.
// Units: coordinates are in units, and finite.
// Thread rule: an index may be queried by any number of threads while no thread fills it.
#pragma once

#include "lowest_bit.h"
#include "vec2.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define RAIM_BOX_INDEX_BANDS 64 // per axis

struct raim_box_index {
    raim_vec2 origin, per_unit; // corner of the area; bands per unit
    int capacity, words;        // boxes that fit; 64-bit words of each set now
    uint64_t *sets;
};

// Allocates an index for up to `capacity` boxes. The area has a positive width and height; anything
// outside it is assigned to the outermost bands. Returns false when memory runs out; the index may
// then be destroyed, and nothing else.
bool raim_box_index_create(struct raim_box_index *index, raim_box area, int capacity);
void raim_box_index_destroy(struct raim_box_index *index);

// The bytes at `sets` that queries read.
static inline size_t raim_box_index_bytes(const struct raim_box_index *index)
{
    return 4 * RAIM_BOX_INDEX_BANDS * (size_t)index->words * sizeof *index->sets;
}

// Filling: begin with the number of boxes, 0 to the capacity; add each box under a number from 0 to
// count - 1; end. Queries are valid after the end.
void raim_box_index_begin(struct raim_box_index *index, int count);
void raim_box_index_add(struct raim_box_index *index, int number, raim_box box);
void raim_box_index_end(struct raim_box_index *index);

// A running query. It borrows the index, which must not change meanwhile.
struct raim_box_index_search {
    const uint64_t *sets[4];
    int words, word;
    uint64_t left; // bits of the current word that are not yet reported
};

// Starts a query for the boxes near a box.
void raim_box_index_find(const struct raim_box_index *index, raim_box box,
                         struct raim_box_index_search *search);

// Returns the number of the next box in ascending order, or -1 at the end. Reports every box that
// overlaps or touches the query box, and some others from the bands that it covers.
static inline int raim_box_index_next(struct raim_box_index_search *search)
{
    while (search->left == 0) {
        if (search->word == search->words)
            return -1;
        const int word = search->word++;
        search->left = search->sets[0][word] & search->sets[1][word] & search->sets[2][word] &
                       search->sets[3][word];
    }
    const int number = (search->word - 1) * 64 + (int)raim_lowest_bit(search->left);
    search->left &= search->left - 1;
    return number;
}

#ifdef __cplusplus
}
#endif
