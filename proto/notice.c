// SPDX-License-Identifier: MIT
// Writes and reads NOTICE.
#include "notice.h"

static_assert(RAIM_NOTICE_KINDS == 2, "the kind is one bit");

size_t raim_notice_write(const struct raim_notice *notice, uint8_t *bytes, size_t capacity)
{
    raim_writer writer = raim_message_write(RAIM_MESSAGE_NOTICE, bytes, capacity);
    raim_write_bits(&writer, notice->kind, 1);
    raim_write_text(&writer, notice->text, RAIM_MAX_NOTICE_BYTES);
    return raim_writer_finish(&writer);
}

bool raim_notice_read(raim_reader *reader, struct raim_notice *notice)
{
    notice->kind = (enum raim_notice_kind)raim_read_bits(reader, 1);
    raim_read_text(reader, notice->text, RAIM_MAX_NOTICE_BYTES);
    return raim_reader_done(reader);
}

void raim_notice_statement(const uint8_t server_key[RAIM_KEY_BYTES],
                           const uint8_t challenge[RAIM_CHALLENGE_BYTES],
                           uint8_t statement[RAIM_STATEMENT_BYTES])
{
    static const char label[16] = "raimd admin 1";
    memcpy(statement, label, sizeof label);
    memcpy(statement + sizeof label, server_key, RAIM_KEY_BYTES);
    memcpy(statement + sizeof label + RAIM_KEY_BYTES, challenge, RAIM_CHALLENGE_BYTES);
}
