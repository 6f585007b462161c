# SPDX-License-Identifier: MIT
"""Benches that are one program, which prints what each case costs as CSV: case,ns."""

import csv
import subprocess

from shared import BIN, FIGURES, SHORTEST, options_parser


def run(name, unit, doc):
    """Runs bench_NAME of the release, keeps what it prints in NAME.csv, and shows it. Returns the
    nanoseconds by case."""
    parser = options_parser(doc)
    parser.add_argument("rounds", type=int, nargs="?", help="of which the median is taken")
    rounds = 1 if SHORTEST else parser.parse_args().rounds
    text = subprocess.run([BIN / f"bench_{name}", *([] if rounds is None else [str(rounds)])],
                          check=True, text=True, stdout=subprocess.PIPE).stdout
    FIGURES.mkdir(parents=True, exist_ok=True)
    # A case may have commas in its name.
    rows = [line.rpartition(",")[::2] for line in text.splitlines()]
    with (FIGURES / f"{name}.csv").open("w", newline="", encoding="ascii") as file:
        csv.writer(file).writerows(rows)
    ns = {case: float(value) for case, value in rows[1:]}
    for case, value in ns.items():
        print(f"  {case:<32}{value:8.1f} {unit}")
    return ns
