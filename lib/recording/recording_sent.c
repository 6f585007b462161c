// SPDX-License-Identifier: MIT
// Predicts what a client is sent.
#include "recording_sent.h"

#include "lowest_bit.h"

void raim_sent_find_born(struct raim_sent_tick *tick, const uint64_t *flew)
{
    tick->born_count = 0;
    for (uint32_t word = 0; word < tick->bullet_words; word++)
        for (uint64_t born = tick->flying[word] & ~flew[word]; born != 0; born &= born - 1) {
            if (tick->born_count == RAIM_SENT_BORN)
                return;
            const uint32_t bullet = word * 64 + raim_lowest_bit(born);
            tick->born[tick->born_count] = (uint16_t)bullet;
            tick->shooters[tick->born_count++] = (uint16_t)(bullet / tick->bullets_per_player);
        }
}

void raim_sent_predict_players(const struct raim_sent_tick *tick, uint64_t *set)
{
    for (uint32_t word = 0; word < tick->player_words; word++)
        set[word] &= tick->living[word];
}

void raim_sent_predict_bullets(const struct raim_sent_tick *tick, uint32_t slot, uint64_t *set)
{
    uint64_t *bullets = set + tick->player_words;
    for (uint32_t word = 0; word < tick->bullet_words; word++)
        bullets[word] &= tick->flying[word];
    for (uint32_t i = 0; i < tick->born_count; i++) {
        const uint32_t shooter = tick->shooters[i];
        const uint64_t seen = (set[shooter / 64] >> shooter % 64 & 1) | (shooter == slot);
        bullets[tick->born[i] / 64] |= seen << tick->born[i] % 64;
    }
}
