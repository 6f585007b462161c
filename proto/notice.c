// SPDX-License-Identifier: MIT
// The statement of an admin's login.
#include "notice.h"

void raim_notice_statement(const uint8_t server_key[RAIM_KEY_BYTES],
                           const uint8_t challenge[RAIM_CHALLENGE_BYTES],
                           uint8_t statement[RAIM_STATEMENT_BYTES])
{
    static const char label[16] = "raimd admin 1";
    memcpy(statement, label, sizeof label);
    memcpy(statement + sizeof label, server_key, RAIM_KEY_BYTES);
    memcpy(statement + sizeof label + RAIM_KEY_BYTES, challenge, RAIM_CHALLENGE_BYTES);
}
