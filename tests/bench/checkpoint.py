#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""What does a checkpoint cost the tick that writes it? Matches of bots, written down after every
step, into a file on a tmpfs as systemd's runtime directory is. All figures go to
build/bench/checkpoint.csv; the line at the end is of 64 players, and must stay below 20 us."""

import csv
import subprocess
import sys
import tempfile

from shared import BIN, FIGURES, SHORTEST, often, options_parser

PROGRAM = BIN / "bench_checkpoint"
CSV = FIGURES / "checkpoint.csv"
TMPFS = "/dev/shm"

PLAYERS = (2, 16, 64, 200)
TICKS = often(6000, 60)
RUNS = often(5, 1)
MAX_US = 20


def measure(players):
    """The figures of a run as numbers by name."""
    with tempfile.TemporaryDirectory(dir=TMPFS, prefix="raimd-bench-") as directory:
        text = subprocess.run([PROGRAM, directory, str(players), str(TICKS)], check=True, text=True,
                              stdout=subprocess.PIPE).stdout
    return {key: float(value) for key, value in (word.split("=") for word in text.split())}


def main():
    options_parser(__doc__).parse_args()
    best = {}
    CSV.parent.mkdir(parents=True, exist_ok=True)
    with open(CSV, "w", newline="", encoding="ascii") as file:
        writer = csv.writer(file)
        writer.writerow(["players", "run", "save_us", "p90_us", "p99_us", "bytes", "step_us"])
        for players in PLAYERS:
            rows = [measure(players) for _ in range(RUNS)]
            for run, row in enumerate(rows):
                writer.writerow([players, run, *row.values()])
            best[players] = sorted(rows, key=lambda row: row["save_us"])[RUNS // 2]
            print(f"  {players:4} players, {best[players]['bytes'] / 1024:6.1f} KiB:"
                  f" {best[players]['save_us']:6.2f} us, p90 {best[players]['p90_us']:.2f} us,"
                  f" p99 {best[players]['p99_us']:.2f} us; a step"
                  f" {best[players]['step_us']:.0f} us")
    row = best[64]
    print(f"bench checkpoint save_us={row['save_us']:.2f} p99_us={row['p99_us']:.2f}"
          f" bytes={row['bytes']:.0f}")
    if row["save_us"] > MAX_US and not SHORTEST:
        sys.exit(f"a checkpoint of 64 players costs more than {MAX_US} us")


if __name__ == "__main__":
    main()
