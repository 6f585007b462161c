#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Simulates a day of raimd fleets in four regions under Agones, and prints what it takes.

simulate.py runs all scenarios (a few minutes for a million players) and writes deploy/scale/results.csv;
--scenario NAME runs one and writes nothing. Every input is an option. The same seed and inputs
give the same figures. deploy/SCALE.md explains inputs and results.
"""

import argparse
import concurrent.futures
import csv
import pathlib
import sys

import region as regions
from inputs import DAYS_PER_MONTH, EGRESS_TIERS, INPUTS, REGIONS, SOURCES, TICK_HZ

RESULTS = pathlib.Path(__file__).resolve().parent / "results.csv"

# The inputs that differ.
SCENARIOS = {
    "8 % free": {},
    "8 % free, nodes ready": {"node_start_min_s": 0, "node_start_max_s": 0},
    "1 % free": {"buffer_percent": 1},
}

# Figure, heading of the table, format.
FIGURES = (
    ("players_per_node", "players a node holds", "{:,.0f}"),
    ("peak_nodes", "nodes at the peak", "{:,.0f}"),
    ("peak_nodes_in_rollout", "nodes in the rollout", "{:,.0f}"),
    ("peak_cores", "vCPU at the peak", "{:,.0f}"),
    ("peak_processes", "processes, most", "{:,.0f}"),
    ("gbit_to_peak", "Gbit/s to players at the peak", "{:.1f}"),
    ("gbit_from_peak", "Gbit/s from players at the peak", "{:.1f}"),
    ("node_kpps", "1,000 datagrams/s of a full node, both ways", "{:,.0f}"),
    ("usd_nodes", "nodes, USD per 1,000 players and month", "{:,.0f}"),
    ("usd_egress", "traffic, USD per 1,000 players and month", "{:,.0f}"),
    ("wait_p50_s", "time to an arena, p50, s", "{:.2f}"),
    ("wait_p99_s", "p99", "{:.2f}"),
    ("rollout_p99_s", "p99 in the rollout", "{:.1f}"),
    ("rollout_max_s", "longest in the rollout", "{:.1f}"),
    ("again_p50_s", "p50 after a lost node", "{:.2f}"),
    ("again_p99_s", "p99 after a lost node", "{:.1f}"),
    ("rejected_percent", "allocations rejected and repeated, %", "{:.1f}"),
    ("drained_busy", "processes with players that the autoscaler drained", "{:,.0f}"),
    ("hit_mean", "players hit by a lost node, mean", "{:,.0f}"),
    ("rollout_min", "rollout, until the last old process ends, min", "{:.0f}"),
)


def world_peak(inputs):
    """The most players of all regions at a time, for shares that add to 1."""
    return max(sum(regions.concurrent_players(inputs, share, peak_h, minute * 60)
                   for share, peak_h in REGIONS.values()) for minute in range(1440))


def egress_usd(gigabytes):
    """The price of so many GB in a month, by tiers."""
    usd, below = 0.0, 0.0
    for up_to_tb, price in EGRESS_TIERS:
        usd += max(0, min(gigabytes, up_to_tb * 1000) - below) * price
        below = up_to_tb * 1000
    return usd


def run_region(inputs, name):
    share, peak_h = REGIONS[name]
    peak = inputs.players * share / world_peak(inputs)
    return regions.Region(inputs, peak, peak_h, f"{inputs.seed}:{name}").run()


def all_waits(runs, which):
    waits = regions.Waits()
    for run in runs:
        waits.counts.update(getattr(run, which).counts)
    return waits


def figures(inputs, runs):
    """The figures of a day of all regions."""
    players = inputs.arena_players * inputs.arena_fill
    per_node = regions.processes_per_node(inputs) * inputs.arenas * players
    player_h = sum(run.player_s for run in runs) / 3600
    node_h = sum(run.node_s for run in runs) / 3600
    gb_month = player_h * 3600 * TICK_HZ * inputs.bytes_to / 1e9 * DAYS_PER_MONTH
    usd_nodes = node_h * inputs.node_usd_per_h * DAYS_PER_MONTH
    thousands = player_h / 24 / 1000
    waits, again = all_waits(runs, "waits"), all_waits(runs, "waits_after_loss")
    rollout = all_waits(runs, "waits_in_rollout")
    hit = [players_hit for run in runs for players_hit in run.players_hit]
    bits = TICK_HZ * 8 * inputs.players / 1e9
    rejected, given = sum(run.rejected for run in runs), sum(run.given for run in runs)
    return {
        "players_per_node": per_node,
        "peak_nodes": sum(run.peak_nodes for run in runs),
        "peak_nodes_in_rollout": sum(run.peak_nodes_in_rollout for run in runs),
        "peak_cores": sum(run.peak_nodes for run in runs) * inputs.node_cores,
        "peak_processes": sum(run.peak_processes for run in runs),
        "gbit_to_peak": bits * inputs.bytes_to,
        "gbit_from_peak": bits * inputs.bytes_from,
        "node_kpps": per_node * TICK_HZ * inputs.datagrams / 1000,
        "usd_nodes": usd_nodes / thousands,
        "usd_egress": egress_usd(gb_month) / thousands,
        "wait_p50_s": waits.quantile(0.5),
        "wait_p99_s": waits.quantile(0.99),
        "rollout_p99_s": rollout.quantile(0.99),
        "rollout_max_s": rollout.quantile(1),
        "again_p50_s": again.quantile(0.5),
        "again_p99_s": again.quantile(0.99),
        "rejected_percent": 100 * rejected / (rejected + given),
        "drained_busy": sum(run.drained_busy for run in runs),
        "hit_mean": sum(hit) / len(hit) if hit else 0,
        "rollout_min": max(run.rollout_s or float("inf") for run in runs) / 60,
    }


def scenario_inputs(options, name):
    """The inputs of a scenario; an option that was given overrules it."""
    values = {it.name: it.value for it in INPUTS} | SCENARIOS[name]
    values |= {key: it for key, it in vars(options).items() if it is not None}
    return argparse.Namespace(**values)


def simulate(options, names):
    """The figures of each named scenario. Regions do not know of each other and run at once."""
    with concurrent.futures.ProcessPoolExecutor(options.jobs) as pool:
        asked = {name: scenario_inputs(options, name) for name in names}
        runs = {name: [pool.submit(run_region, inputs, region) for region in REGIONS]
                for name, inputs in asked.items()}
        return {name: figures(asked[name], [run.result() for run in runs[name]])
                for name in names}


def write_results(results, path=RESULTS):
    with open(path, "w", newline="", encoding="ascii") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["scenario", *(figure for figure, _, _ in FIGURES)])
        for name, row in results.items():
            writer.writerow([name, *(f"{row[figure]:.6g}" for figure, _, _ in FIGURES)])


def read_results(path=RESULTS):
    with open(path, newline="", encoding="ascii") as file:
        return {row.pop("scenario"): {key: float(value) for key, value in row.items()}
                for row in csv.DictReader(file)}


def results_table(results):
    """The figures as a Markdown table: a column for each scenario."""
    lines = ["| | " + " | ".join(results) + " |", "|---|" + "---:|" * len(results)]
    lines += [f"| {heading} | " + " | ".join(form.format(row[figure]) for row in results.values())
              + " |" for figure, heading, form in FIGURES]
    return "\n".join(lines)


def inputs_table():
    """The inputs as a Markdown table."""
    return "\n".join(["| input | value | unit | source |", "|---|---:|---|---|"] + [
        f"| `{it.name}` | {it.value:,} | {it.unit} | {it.source} |" for it in INPUTS])


def parse(arguments):
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--scenario", choices=SCENARIOS, help="this one alone")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, help="processes; by default one per processor")
    parser.add_argument("--print-inputs", action="store_true", help="print them with their sources and end")
    for it in INPUTS:
        parser.add_argument("--" + it.name.replace("_", "-"), type=type(it.value), metavar="N",
                            help=f"{it.unit}; {it.value:,}".replace("%", "%%"))
    return parser.parse_args(arguments)


def main(arguments):
    options = parse(arguments)
    if options.print_inputs:
        print(inputs_table(), SOURCES, sep="\n\n")
        return
    results = simulate(options, [options.scenario] if options.scenario else list(SCENARIOS))
    if not options.scenario:
        write_results(results)
    print(results_table(results))


if __name__ == "__main__":
    main(sys.argv[1:])
