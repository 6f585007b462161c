# SPDX-License-Identifier: MIT
"""What all benches share: where their programs are, where figures go, and the shortest form."""

import argparse
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
BIN = ROOT / "build/release/bin"

# The shortest form shows within seconds that a bench still runs. It judges no figure, and keeps
# figures that were measured apart from its own.
SHORTEST = "--shortest" in sys.argv[1:]
FIGURES = ROOT / "build/bench/shortest" if SHORTEST else ROOT / "build/bench"


def options_parser(doc):
    """A parser of the options that every bench has; `doc` is the script's own documentation."""
    parser = argparse.ArgumentParser(description=doc.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--shortest", action="store_true",
                        help="show that the bench runs; its figures mean nothing")
    return parser


def often(full, shortest):
    """How much of something, by the form that was asked for."""
    return shortest if SHORTEST else full
