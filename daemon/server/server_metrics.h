// SPDX-License-Identifier: MIT
// Tables of the metrics that belong to no arena, in the order of the status.
#pragma once

#include "metric.h"

enum server_metrics {
    SERVER_METRICS_STORE,
    SERVER_METRICS_ON_DEMAND,
    SERVER_METRICS_RESULTS,
    SERVER_METRICS_MASTERS,
    SERVER_METRICS_DISCOVERY,
    SERVER_METRICS_BAN_LIST,
    SERVER_METRICS_AGONES,
    SERVER_METRICS_HOOK,
    SERVER_METRICS_CONTROL,
    SERVER_METRICS_LOGINS,
    SERVER_METRICS,
};

extern const struct metric_table *const server_metric_tables[SERVER_METRICS];
