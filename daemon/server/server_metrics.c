// SPDX-License-Identifier: MIT
// Lists the modules' tables.
#define _GNU_SOURCE // PATH_MAX
#include "server_metrics.h"

#include "admin_logins.h"
#include "agones.h"
#include "ban_source.h"
#include "control_tcp.h"
#include "event_hook.h"
#include "lan_discovery.h"
#include "master_listing.h"
#include "on_demand.h"
#include "results.h"
#include "store.h"

const struct metric_table *const server_metric_tables[SERVER_METRICS] = {
    [SERVER_METRICS_STORE] = &store_metrics,
    [SERVER_METRICS_ON_DEMAND] = &on_demand_metrics,
    [SERVER_METRICS_RESULTS] = &results_metrics,
    [SERVER_METRICS_MASTERS] = &master_listing_metrics,
    [SERVER_METRICS_DISCOVERY] = &lan_discovery_metrics,
    [SERVER_METRICS_BAN_LIST] = &ban_source_metrics,
    [SERVER_METRICS_AGONES] = &agones_metrics,
    [SERVER_METRICS_HOOK] = &event_hook_metrics,
    [SERVER_METRICS_CONTROL] = &control_tcp_metrics,
    [SERVER_METRICS_LOGINS] = &admin_logins_metrics,
};
