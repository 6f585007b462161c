#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""What do latency and loss do to a player: how late do inputs come, what is corrected, how old is
what is shown?

Bots play through real clients against the real match over a simulated network
(tests/netsim/netsim.h), for each round trip and share of lost packets. Half of the round trip is
each way's; on top a packet takes up to the jitter longer each way. The last columns compare the
other players as shown with the world at the tick shown: their positions and aims, how much their
turns differ from picture to picture, and the share of those in sight who are not shown. Writes
every figure to build/bench/netsim.csv. Nothing here measures time: the same build gives the same figures.
"""

import csv
import subprocess
import sys

from shared import BIN, FIGURES, ROOT, often, options_parser

PROGRAM = BIN / "test_netsim"
CSV = FIGURES / "netsim.csv"
SECONDS = often(60, 2) # of each cell

# Of a line of the CSV: the column's name, its head in the table, and its format.
TABLE = [
    ("rtt_ms", "rtt ms", "{:.0f}"),
    ("loss_pct", "loss %", "{:.0f}"),
    ("late_share", "late inputs", "{:.4%}"),
    ("corrections_per_min", "corrections/min", "{:.1f}"),
    ("correction_units", "units each", "{:.1f}"),
    ("mispredicted_share", "mispredicted", "{:.3%}"),
    ("interpolation_ms", "interpolation ms", "{:.1f}"),
    ("view_delay_ms", "view age ms", "{:.1f}"),
    ("margin_ticks", "margin ticks", "{:.2f}"),
    ("snapshots_per_s", "snapshots/s", "{:.1f}"),
    ("position_error_units", "others off by", "{:.3f}"),
    ("aim_error_degrees", "aims off by deg", "{:.2f}"),
    ("aim_shake_degrees", "aims shake deg", "{:.2f}"),
    ("lacking_pct", "lacking %", "{:.3f}"),
]


class Failure(Exception):
    """The measurement cannot be trusted, and why."""


def measure(seconds):
    try:
        done = subprocess.run([PROGRAM, "--csv", str(seconds)], check=True, text=True,
                              stdout=subprocess.PIPE)
    except subprocess.CalledProcessError as error:
        raise Failure(f"the simulation ended with {error.returncode}") from error
    CSV.parent.mkdir(parents=True, exist_ok=True)
    CSV.write_text(done.stdout, encoding="ascii")
    rows = [{key: float(value) for key, value in row.items()}
            for row in csv.DictReader(done.stdout.splitlines())]
    print("  " + "  ".join(head for _, head, _ in TABLE))
    for row in rows:
        print("  " + "  ".join(form.format(row[key]).rjust(len(head))
                               for key, head, form in TABLE))
    print(f"  {rows[0]['players']:.0f} players, {seconds} s of each, up to {rows[0]['jitter_ms']:.0f}"
          f" ms of jitter each way; figures in {CSV.relative_to(ROOT)}")
    inputs, late = (sum(row[key] for row in rows if row["loss_pct"] <= 5)
                    for key in ("inputs", "late"))
    usual, = (row for row in rows if row["rtt_ms"] == 100 and row["loss_pct"] == 2)
    print(f"bench netsim rtt_ms=100 loss_pct=2 in_time={1 - usual['late_share']:.5f}"
          f" corrections_per_min={usual['corrections_per_min']:.2f}"
          f" interpolation_ms={usual['interpolation_ms']:.1f}"
          f" view_delay_ms={usual['view_delay_ms']:.1f}"
          f" in_time_to_5_pct={1 - late / inputs:.5f}"
          f" resumes={sum(row['resumes'] for row in rows):.0f}")


def main():
    parser = options_parser(__doc__)
    parser.add_argument("--seconds", type=int, default=SECONDS, help="of each cell (%(default)s)")
    try:
        measure(parser.parse_args().seconds)
    except Failure as failure:
        print(f"bench netsim: {failure}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
