// SPDX-License-Identifier: MIT
// Merges the rejections of an arena's match and transport.
#include "rejections.h"

#include <string.h>

static void add(struct rejections *list, int *length, const char *reason, uint64_t count)
{
    int i = 0;
    while (i < *length && strcmp(list[i].reason, reason) != 0)
        i++;
    if (i == *length)
        list[(*length)++] = (struct rejections){.reason = reason};
    list[i].count += count;
}

int rejections_list(const struct arena_status *status,
                    struct rejections list[REJECTIONS_MAX_REASONS])
{
    int length = 0;
    for (int i = 0; i < RAIM_REFUSALS; i++)
        add(list, &length, raim_refusal_name((enum raim_refusal)i), status->counts.refused[i]);
    for (int i = DATAGRAM_OK + 1; i < DATAGRAM_VERDICTS; i++) {
        add(list, &length, datagram_verdict_name((enum datagram_verdict)i),
            status->transport.refused[i]);
    }
    return length;
}
