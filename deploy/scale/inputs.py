# SPDX-License-Identifier: MIT
"""The inputs of the simulation: one table of values, units and sources, from which the options of
simulate.py are made."""

from typing import NamedTuple


SOURCES = """\
[AGONES]  agones-dev/agones at 676cc64 (2026-08): install/helm/agones/values.yaml,
          pkg/fleetautoscalers/fleetautoscalers.go, pkg/gameserversets/controller.go,
          pkg/gameserverallocations/allocator.go, pkg/apis/autoscaling/v1/fleetautoscaler.go
[K8S]     kubernetes.io, Considerations for large clusters (v1.31): 110 pods per node, 5,000 nodes,
          150,000 pods
[EKS]     devfloor9.github.io/engineering-playbook, Karpenter-based EKS scaling strategies (updated
          2026-02-18): 6 to 11 s from metric to container, 45 to 90 s more with a new node
[CA]      kubernetes.recipes, Cluster Autoscaler configuration: default 10 minutes
[EC2]     docs.amazonaws.cn, EC2 Auto Scaling user guide, "Spot price per unit hour example":
          On-Demand, us-east-1, c5.2xlarge 0.34; an example page, not the price list: check before use
[EGRESS]  cloudtoolstack.com, Cloud Egress Costs (early 2026), and leanopstech.com, AWS Data Transfer
          Pricing in 2026 (2026-04-27)
[IMC05]   Chambers, Feng, Sahu, Saha: Measurement-based Characterization of a Collection of On-line
          Games, IMC 2005, section on predictable daily changes
"""


class Input(NamedTuple):
    """A number, its unit, and where it comes from; "assumed": nobody has measured it for us."""
    name: str
    value: object
    unit: str
    source: str


INPUTS = (
    # The question.
    Input("players", 1_000_000, "players at the world's peak", "the question"),
    Input("arena_players", 16, "slots of an arena (`max_players`)", "the question"),
    Input("arena_fill", 0.9, "share of the slots that are taken", "assumed"),
    Input("round_s", 600, "s, mean length of an arena", "assumed: rounds of ten minutes"),
    Input("round_cv", 0.4, "standard deviation of the length / mean", "assumed"),
    Input("trough", 0.4, "lowest / highest number of players of a region in a day",
          "assumed; that there is one cycle in 24 h: [IMC05]"),
    # raimd.
    Input("arenas", 16, "arenas of a process", "ours"),
    Input("players_per_core", 1400, "players of one vCPU at 80 % of its time",
          "`./dev bench server players --realtime --latency mix --per-arena 16`: 1,420"),
    Input("bytes_to", 61.6, "bytes to a client per tick, with 28 of UDP and IP each",
          "the same run: 0.856 datagrams of 44 bytes"),
    Input("bytes_from", 84.8, "bytes from a client per tick, the same",
          "the same run: 1.06 datagrams of 52 bytes"),
    Input("datagrams", 1.92, "datagrams of a client per tick, both ways", "the same run"),
    Input("arena_s", 0.05, "s until a new arena can be joined",
          "assumed: the bar that is set for arenas on demand, which are being built"),
    # Agones.
    Input("sidecar_cores", 0.03, "vCPU that the SDK sidecar of each process reserves",
          "[AGONES] `values.yaml`: `agones.image.sdk.cpuRequest` 30m"),
    Input("batch_s", 0.5, "s, longest wait of an allocation for its batch",
          "[AGONES] `values.yaml`: `allocationBatchWaitTime` 500ms"),
    Input("sync_s", 30, "s between two decisions of the FleetAutoscaler",
          "[AGONES] `defaultIntervalSyncSeconds`"),
    Input("ports_per_node", 1001, "host ports for arenas",
          "[AGONES] `values.yaml`: `minPort` 7000, `maxPort` 8000"),
    Input("buffer_percent", 8, "% of a region's arenas that are kept free",
          "the rule of deploy/README.md: 41 s of 600 s, 6.4 %, and more than that"),
    Input("buffer_arenas", 0, "arenas that are kept free at least", "ours"),
    Input("surge_percent", 25, "% of the arenas that a rollout moves at a time",
          "[AGONES] Fleet: `maxSurge` 25%"),
    # Kubernetes and its nodes.
    Input("node_cores", 8, "vCPU of a node", "c5.2xlarge"),
    Input("node_reserved", 0.5, "vCPU that kubelet and daemons reserve",
          "assumed; [K8S] leaves it to the operator"),
    Input("pods_per_node", 100, "processes of a node",
          "[K8S]: 110 pods, of which ten are the system's (assumed)"),
    Input("pod_start_min_s", 6, "s from the decision to a running process, at least", "[EKS]"),
    Input("pod_start_max_s", 11, "s, the same, at most", "[EKS]"),
    Input("node_start_min_s", 45, "s that a new node takes on top, at least", "[EKS]"),
    Input("node_start_max_s", 90, "s, the same, at most", "[EKS]"),
    Input("node_idle_s", 600, "s after which an empty node is removed",
          "[CA] `scale-down-unneeded-time`"),
    # What goes wrong, and what is done on purpose.
    Input("lost_nodes", 4, "nodes lost in each region in the day, at random times",
          "chosen, so that there is a figure; far more than happen"),
    Input("notice_s", 10, "s until the players of a lost node ask for another arena",
          "assumed: a client's time limit"),
    Input("rollout_h", 20, "hour (UTC) at which a new version is rolled out",
          "chosen: near the peak of Europe"),
    # Prices.
    Input("node_usd_per_h", 0.34, "USD for an hour of a node", "[EC2] c5.2xlarge, us-east-1"),
)

# USD per GB to the Internet, up to so many TB a month: [EGRESS]; the last one is assumed.
EGRESS_TIERS = ((10, 0.09), (50, 0.085), (150, 0.07), (float("inf"), 0.05))
TICK_HZ = 60
DAYS_PER_MONTH = 30.4

# A region's share of the players, and its busiest hour (UTC): 20:00 local time; assumed.
REGIONS = {"europe": (0.35, 19), "north-america": (0.30, 1), "asia": (0.25, 12),
           "south-america": (0.10, 23)}
