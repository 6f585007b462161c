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

const struct metric_table *const server_metric_tables[] = {
    &store_metrics,         &on_demand_metrics,    &results_metrics, &master_listing_metrics,
    &lan_discovery_metrics, &ban_source_metrics,   &agones_metrics,  &event_hook_metrics,
    &control_tcp_metrics,   &admin_logins_metrics,
};
