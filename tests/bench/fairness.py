#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Is the wire fair: does it tell a player all that is on the screen, and nothing else?

Bots play matches on the shipped maps behind lines of 20, 80 and 150 ms; a judge that saw the true
world holds what each was told against what it saw (tests/bench/judge.h). Writes every figure to
build/bench/fairness.csv. A match is its map and seed: `--map M --seed N --explain K` plays one
again and prints its first late reveals and leaks with their positions.
"""

import argparse
import concurrent.futures
import csv
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
BENCH = ROOT / "build/release/bin/bench_fairness"
CSV = ROOT / "build/bench/fairness.csv"

PLAYERS = {"duel": 12, "crossfire": 24, "ruins": 48} # on each map
SEEDS = 8    # matches on each
TICKS = 7200 # of each, two minutes

KEYS = ["map", "rtt_ms", "loop_ticks", "kind"]


class Failure(Exception):
    """The measurement cannot be trusted, and why."""


def play(name, seed, ticks, explain):
    """The rows of a match; its explanations go to the standard output."""
    command = [BENCH, ROOT / f"config/maps/{name}.conf", seed, PLAYERS[name], ticks, explain]
    try:
        done = subprocess.run(list(map(str, command)), check=True, stdout=subprocess.PIPE,
                              text=True)
    except subprocess.CalledProcessError as error:
        raise Failure(f"{name}, seed {seed}: ended with {error.returncode}") from error
    rows = []
    for line in done.stdout.splitlines():
        if line.startswith("rtt_ms="):
            rows.append({"map": name, **dict(word.split("=") for word in line.split())})
        else:
            print(f"  {name} {line}")
    return rows


def total(rows):
    """The sums of all counts of rows."""
    return {key: sum(int(row[key]) for row in rows) for key in rows[0] if key not in KEYS}


def grouped(rows):
    """One row for each map, latency and kind."""
    groups = {}
    for row in rows:
        groups.setdefault(tuple(row[key] for key in KEYS), []).append(row)
    return [{**dict(zip(KEYS, group)), **total(each)} for group, each in groups.items()]


def share(part, whole):
    return part / whole if whole else 0.0


def percent(part, whole):
    return f"{100 * share(part, whole):.3g}%"


def show(rows):
    print("  of what was told            at once     soon   leaks"
          "   reveals     late   late share   in view behind walls: all, told")
    for row in rows:
        told = row["told"]
        print(f"  {row['map']:<9} {row['rtt_ms']:>3} ms {row['kind']:<7}"
              f"  {percent(row['plain'], told):>9} {percent(row['soon'], told):>8}"
              f" {row['leaks']:7} {row['reveals']:9} {row['late']:8}"
              f"   {percent(row['late'], row['reveals']):>10}"
              f"   {percent(row['hidden'], row['inside']):>15},"
              f" {percent(row['hidden_told'], row['inside'])}")


def write_csv(rows):
    CSV.parent.mkdir(parents=True, exist_ok=True)
    with CSV.open("w", newline="", encoding="ascii") as file:
        writer = csv.DictWriter(file, rows[0].keys())
        writer.writeheader()
        writer.writerows(rows)


def measure(options):
    names = [options.map] if options.map else list(PLAYERS)
    seeds = [options.seed] if options.seed else range(1, options.seeds + 1)
    matches = [(name, seed, options.ticks, options.explain) for name in names for seed in seeds]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        rows = grouped([row for match in pool.map(play, *zip(*matches)) for row in match])
    show(rows)
    write_csv(rows)
    players, bullets = (total([row for row in rows if row["kind"] == kind])
                        for kind in ("players", "bullets"))
    wrong = players["wrong"] + bullets["wrong"]
    if wrong:
        raise Failure(f"{wrong} times something was told that was not there")
    print(f"  {len(matches)} matches of {options.ticks} ticks; figures in {CSV.relative_to(ROOT)}")
    print(f"  without sight a client knew of {percent(players['hidden'], players['inside'])} of the"
          f" players in its rectangle through walls, now of"
          f" {percent(players['hidden_told'], players['inside'])}, who are about to be seen")
    print(f"bench fairness leaks={share(players['leaks'], players['told']):.3g}"
          f" late_reveals={share(players['late'], players['reveals']):.3g}"
          f" reveals={players['reveals']} judged={players['told']}"
          f" bullet_leaks={share(bullets['leaks'], bullets['told']):.3g}"
          f" bullet_late_reveals={share(bullets['late'], bullets['reveals']):.3g}"
          f" bullet_reveals={bullets['reveals']} bullets_judged={bullets['told']}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--map", choices=PLAYERS, help="play on this map only")
    parser.add_argument("--seed", type=int, help="play this match only")
    parser.add_argument("--seeds", type=int, default=SEEDS, help="matches on each map (%(default)s)")
    parser.add_argument("--ticks", type=int, default=TICKS, help="of each match (%(default)s)")
    parser.add_argument("--explain", type=int, default=0, metavar="K",
                        help="print the first K late reveals and leaks of each match")
    try:
        measure(parser.parse_args())
    except Failure as failure:
        print(f"bench fairness: {failure}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
