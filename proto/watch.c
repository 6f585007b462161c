// SPDX-License-Identifier: MIT
// Writes and reads WATCH.
#include "watch.h"

enum { PLAYER_ID_BITS = 16 };

size_t raim_watch_write(uint32_t target, uint8_t *bytes, size_t capacity)
{
    raim_writer writer = raim_message_write(RAIM_MESSAGE_WATCH, bytes, capacity);
    raim_write_bits(&writer, target, PLAYER_ID_BITS);
    return raim_writer_finish(&writer);
}

bool raim_watch_read(raim_reader *reader, uint32_t *target)
{
    *target = raim_read_bits(reader, PLAYER_ID_BITS);
    return raim_reader_done(reader);
}
