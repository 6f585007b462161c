#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""What does a sealed arena's cryptography cost, a datagram? Writes every figure to
build/bench/seal.csv."""

import csv
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = ROOT / "build/release/bin/bench_seal"
CSV = ROOT / "build/bench/seal.csv"


def main():
    text = subprocess.run([PROGRAM, *sys.argv[1:]], check=True, text=True,
                          stdout=subprocess.PIPE).stdout
    CSV.parent.mkdir(parents=True, exist_ok=True)
    CSV.write_text(text, encoding="ascii")
    ns = {row["case"]: float(row["ns"]) for row in csv.DictReader(text.splitlines())}
    for case, value in ns.items():
        print(f"  {case:<32}{value:8.1f} ns")
    print("bench seal " + " ".join(
        f"{what}_{size}_ns={ns[f'server {what}: {size}']:.0f}"
        for size in (100, 1200) for what in ("opens", "seals"))
        + f" begin_us={ns['a session begins: 52'] / 1000:.0f}"
        f" no_ticket_ns={ns['no ticket: 52']:.0f}")


if __name__ == "__main__":
    main()
