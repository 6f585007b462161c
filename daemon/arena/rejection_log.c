// SPDX-License-Identifier: MIT
// Computes the differences of a transport's counters since the last update.
#include "rejection_log.h"

#include <stdio.h>

// Appends "NAME=COUNT", truncated to the line, unless the count is 0.
static void add(char line[REJECTION_LOG_LINE_BYTES], size_t *length, const char *name,
                uint64_t count)
{
    if (count == 0 || *length >= REJECTION_LOG_LINE_BYTES)
        return;
    const int written = snprintf(line + *length, REJECTION_LOG_LINE_BYTES - *length, "%s%s=%llu",
                                 *length > 0 ? " " : "", name, (unsigned long long)count);
    *length += (size_t)written;
}

bool rejection_log_update(struct rejection_log *log, const struct transport_stats *stats,
                          char line[REJECTION_LOG_LINE_BYTES])
{
    uint64_t fresh[DATAGRAM_VERDICTS], sum = 0;
    for (int i = DATAGRAM_OK + 1; i < DATAGRAM_VERDICTS; i++) {
        fresh[i] = stats->rejected[i] - log->seen[i];
        log->seen[i] = stats->rejected[i];
        sum += fresh[i];
    }
    const uint64_t queries = stats->queries_limited - log->queries_seen;
    log->queries_seen = stats->queries_limited;
    sum += queries;
    if (sum < REJECTION_LOG_MIN)
        return false;
    size_t length = 0;
    add(line, &length, "count", sum);
    for (int i = DATAGRAM_OK + 1; i < DATAGRAM_VERDICTS; i++)
        add(line, &length, datagram_verdict_name((enum datagram_verdict)i), fresh[i]);
    add(line, &length, "queries", queries);
    return true;
}
