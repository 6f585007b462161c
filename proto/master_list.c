// SPDX-License-Identifier: MIT
// Reads entries as long as they are whole and begin with the mark of a family.
#include "master_list.h"

#include "message.h"

#include <assert.h>
#include <string.h>

#define TEXT_OF(number) TEXT_OF_VALUE(number)
#define TEXT_OF_VALUE(number) #number

static const char request_text[] = "\xFF\xFF\xFF\xFFgetserversExt " RAIM_MASTER_GAME
                                   " " TEXT_OF(RAIM_PROTOCOL_VERSION) " empty full ipv4 ipv6";

enum { IPV4_MARK = '\\', IPV6_MARK = '/', PORT_BYTES = 2 };

size_t raim_master_list_write_request(uint8_t request[RAIM_MASTER_REQUEST_BYTES])
{
    static_assert(sizeof request_text <= RAIM_MASTER_REQUEST_BYTES, "the request fits");
    memcpy(request, request_text, sizeof request_text - 1);
    return sizeof request_text - 1;
}

// The bytes of the head of an answer, which the mark of the first entry follows; 0: no answer.
static size_t head_size(const uint8_t *data, size_t size)
{
    static const char *const heads[] = {"\xFF\xFF\xFF\xFFgetserversExtResponse",
                                        "\xFF\xFF\xFF\xFFgetserversResponse"};
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
        const size_t length = strlen(heads[i]);
        if (size >= length && memcmp(data, heads[i], length) == 0)
            return length;
    }
    return 0;
}

bool raim_master_list_read(const uint8_t *data, size_t size, struct raim_master_list *list)
{
    size_t at = head_size(data, size);
    list->count = 0;
    list->is_last = false;
    if (at == 0)
        return false;
    while (at < size && list->count < RAIM_MASTER_LIST_MAX) {
        const bool is_ipv6 = data[at] == IPV6_MARK;
        const size_t bytes = is_ipv6 ? 16 : 4;
        if (data[at] == IPV4_MARK && size - at >= 4 && memcmp(data + at + 1, "EOT", 3) == 0) {
            list->is_last = true;
            break;
        }
        if ((!is_ipv6 && data[at] != IPV4_MARK) || size - at - 1 < bytes + PORT_BYTES)
            break;
        struct raim_master_entry entry = {.is_ipv6 = is_ipv6};
        memcpy(entry.address, data + at + 1, bytes);
        entry.port = (uint16_t)(data[at + 1 + bytes] << 8 | data[at + 2 + bytes]);
        if (entry.port != 0)
            list->entries[list->count++] = entry;
        at += 1 + bytes + PORT_BYTES;
    }
    return true;
}
