// SPDX-License-Identifier: MIT
// Writes and reads phases.
#include "phase.h"

void raim_phase_write(raim_writer *writer, const struct raim_wire_phase *message)
{
    RAIM_PHASE_FIELDS(RAIM_WRITE)
}

void raim_phase_read(raim_reader *reader, struct raim_wire_phase *message)
{
    *message = (struct raim_wire_phase){0};
    RAIM_PHASE_FIELDS(RAIM_READ)
}
