// SPDX-License-Identifier: MIT
// Tables of the metrics that belong to no arena, in the order of the status.
#pragma once

#include "metric.h"

#define SERVER_METRICS 10

extern const struct metric_table *const server_metric_tables[SERVER_METRICS];
