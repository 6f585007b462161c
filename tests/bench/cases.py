# SPDX-License-Identifier: MIT
"""Benches that are one program, which prints what each case costs as CSV: case,ns."""

import csv
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]


def run(name, unit):
    """Runs build/release/bin/bench_NAME, keeps what it prints in build/bench/NAME.csv, and shows it.
    The nanoseconds by case."""
    text = subprocess.run([ROOT / "build/release/bin" / f"bench_{name}", *sys.argv[1:]], check=True,
                          text=True, stdout=subprocess.PIPE).stdout
    kept = ROOT / "build/bench" / f"{name}.csv"
    kept.parent.mkdir(parents=True, exist_ok=True)
    kept.write_text(text, encoding="ascii")
    ns = {row["case"]: float(row["ns"]) for row in csv.DictReader(text.splitlines())}
    for case, value in ns.items():
        print(f"  {case:<32}{value:8.1f} {unit}")
    return ns
