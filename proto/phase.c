// SPDX-License-Identifier: MIT
// Writes and reads phases.
#include "phase.h"

enum { ROUND_BITS = 16, PLAYER_ID_BITS = 16 };

void raim_phase_write(raim_writer *writer, const struct raim_wire_phase *phase)
{
    raim_write_ranged(writer, phase->phase, 0, RAIM_PHASES - 1);
    raim_write_bits(writer, phase->round, ROUND_BITS);
    raim_write_bool(writer, phase->has_end);
    if (phase->has_end)
        raim_write_bits(writer, phase->end_tick, 32);
    raim_write_count(writer, phase->score_limit);
    if (phase->phase == RAIM_PHASE_BREAK) {
        raim_write_bits(writer, phase->winner, PLAYER_ID_BITS);
        raim_write_text(writer, phase->next_map, RAIM_MAX_TITLE_BYTES);
    }
}

void raim_phase_read(raim_reader *reader, struct raim_wire_phase *phase)
{
    *phase = (struct raim_wire_phase){0};
    phase->phase = (enum raim_phase)raim_read_ranged(reader, 0, RAIM_PHASES - 1);
    phase->round = raim_read_bits(reader, ROUND_BITS);
    phase->has_end = raim_read_bool(reader);
    if (phase->has_end)
        phase->end_tick = raim_read_bits(reader, 32);
    phase->score_limit = raim_read_count(reader);
    if (phase->phase == RAIM_PHASE_BREAK) {
        phase->winner = raim_read_bits(reader, PLAYER_ID_BITS);
        raim_read_text(reader, phase->next_map, RAIM_MAX_TITLE_BYTES);
    }
}
