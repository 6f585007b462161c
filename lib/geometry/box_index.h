// SPDX-License-Identifier: MIT
// Which of many boxes touch a box: the plane is cut into bands across and along, and there is a set
// of boxes, a bit for each, for all that begin up to a band and for all that end from it on. Those
// that a box touches are what four sets have in common. It costs about the same however large the
// boxes are, and finds each only once.
#pragma once

#include "vec2.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RAIM_BOX_INDEX 64 // along either axis

struct raim_box_index {
    raim_vec2 origin, per_unit;
    int capacity, words; // boxes; what sets of them take now
    uint64_t *sets;
};

// What lies outside the area counts to its outermost bands. False when memory runs out.
bool raim_box_index_create(struct raim_box_index *bands, raim_box area, int capacity);
void raim_box_index_destroy(struct raim_box_index *bands);

// To fill them: begin, add boxes by numbers from 0 to below the count, end.
void raim_box_index_begin(struct raim_box_index *bands, int count);
void raim_box_index_add(struct raim_box_index *bands, int index, raim_box box);
void raim_box_index_end(struct raim_box_index *bands);

// A search for those near a box.
struct raim_box_index_search {
    const uint64_t *sets[4];
    int words, word;
    uint64_t left; // of the word
};

void raim_box_index_find(const struct raim_box_index *bands, raim_box box,
                         struct raim_box_index_search *search);

// The next number, ascending, or -1. All that touch the box come, and some others in its bands.
static inline int raim_box_index_next(struct raim_box_index_search *search)
{
    while (search->left == 0) {
        if (search->word == search->words)
            return -1;
        const int word = search->word++;
        search->left = search->sets[0][word] & search->sets[1][word] & search->sets[2][word] &
                       search->sets[3][word];
    }
    const int index = (search->word - 1) * 64 + __builtin_ctzll(search->left);
    search->left &= search->left - 1;
    return index;
}
