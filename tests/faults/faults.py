#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The table of faults: each row does harm to a real daemon and says what it saw.

faults.py [--short] [--csv FILE] [ROW...]     all rows, or these; see tests/faults/README.md

RAIM_BIN names the directory of the programs, RAIM_ASAN_BIN that of a build with sanitizers. As root
everything runs in a network namespace of its own, so that forged addresses and bound ports are
nobody's.
"""

import argparse
import csv
import importlib
import multiprocessing
import os
import pathlib
import re
import subprocess
import sys
import time
import traceback

NAMESPACE = "RAIM_FAULTS_NAMESPACE"
ROWS_IN = ("strangers", "ballots", "bans", "masters", "network", "process", "peers", "secure", "web",
           "cheats", "identity", "sandbox", "reload", "on_demand", "agones", "ipv6", "recordings",
           "operators", "hooks", "stalling_disk", "gateways", "upgrades")


def enter_namespace():
    """Begins anew in namespaces of our own, where that is allowed."""
    if os.geteuid() != 0 or NAMESPACE in os.environ:
        return
    words = ["unshare", "--net", "--mount", "sh", "-c", 'ip link set lo up && exec "$@"', "sh"]
    probe = subprocess.run([*words, "true"], stdin=subprocess.DEVNULL, capture_output=True,
                           check=False)
    if probe.returncode == 0:
        os.environ[NAMESPACE] = "1"
        os.execvp(words[0], [*words, sys.executable, *sys.argv])
    print("faults: no network namespace of our own here", flush=True)


def parse_arguments(numbers):
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--short", action="store_true",
                        help="less of everything, for the tests")
    parser.add_argument("--csv", type=pathlib.Path, help="write the table to this file, too")
    parser.add_argument("rows", nargs="*", type=int, metavar="ROW", help="as in the table")
    arguments = parser.parse_args()
    if unknown := set(arguments.rows) - set(numbers):
        parser.error(f"no row {min(unknown)}")
    return arguments


def known_keys(harness):
    """The keys of the configuration that this daemon has."""
    dumped = harness.run_raimd("--config-reference").stdout
    return set(re.findall(r"^ *# (\w+): ", dumped, re.MULTILINE))


def try_row(number, short, keys):
    """The row's result: (state, times, seen, seconds)."""
    import row
    _, _, function = row.ROWS[number]
    begin = time.monotonic()
    try:
        with row.harness.Stage() as stage:
            result = "ok", *function(row.Trial(stage, short, keys))
    except row.Skipped as word:
        result = "skipped", 0, str(word)
    except Exception as error: # whatever it is, the next row is tried
        if not isinstance(error, AssertionError):
            traceback.print_exc()
        result = "FAILED", 0, str(error) or type(error).__name__
    return *result, time.monotonic() - begin


def try_rows(numbers, short, keys):
    """Their results, one after the other. The short form measures nothing and mostly waits, so that
    four rows at a time do not disturb each other; the last ones, of which some take longest, begin
    first."""
    if not short:
        yield from (try_row(number, short, keys) for number in numbers)
        return
    with multiprocessing.get_context("fork").Pool(4) as pool:
        tried = {number: pool.apply_async(try_row, (number, short, keys))
                 for number in reversed(numbers)}
        for number in numbers:
            yield tried[number].get()


def main():
    enter_namespace()
    import row
    from row import harness
    for name in ROWS_IN: # which enter their rows
        importlib.import_module(name)

    arguments = parse_arguments(row.ROWS)
    keys = known_keys(harness)
    numbers = sorted(arguments.rows or row.ROWS)
    table = []
    print("   state   fault | how often | expected | seen", flush=True)
    for number, result in zip(numbers, try_rows(numbers, arguments.short, keys)):
        fault, expected, _ = row.ROWS[number]
        state, times, seen, seconds = result
        table.append((number, fault, times, expected, state, seen))
        first, *rest = seen.splitlines()
        print(f"{number:2} {state:7} {fault} | {times} | {expected} | {first}"
              f"  ({seconds:.0f} s)", *rest, sep="\n      ", flush=True)
    if arguments.csv:
        arguments.csv.parent.mkdir(parents=True, exist_ok=True)
        with open(arguments.csv, "w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(("row", "fault", "how often", "expected", "state", "seen"))
            writer.writerows(table)
    states = [line[4] for line in table]
    print(f"faults passed={states.count('ok')} failed={states.count('FAILED')}"
          f" skipped={states.count('skipped')}", flush=True)
    sys.exit(1 if "FAILED" in states else 0)


if __name__ == "__main__":
    main()
