#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Sums up what ctest ran: one line with the tests inside the programs, by their own reports, then a
line for each reason to skip, for each program that failed, and the seeds that these printed.

    summary.py TITLE PRESET...      # of build/PRESET/Testing/Temporary/LastTest.log
"""

import collections
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
PROGRAM = re.compile(r"^\d+/\d+ Testing: (\S+)$(.*?)^Test (Passed|Failed)\.$", re.M | re.S)
RAN = re.compile(r"^(?:\[={10}\] .*?(\d+) test\(s\) run\.|Ran (\d+) tests? in )", re.M)
# unittest, cmocka without a reason, and what a script says itself.
SKIPPED = re.compile(r"""^(?:.*\.\.\.\ skipped\ ['"](?:skipped:\ )?(.*)['"]
                         |\[\ \ SKIPPED\ \]\ (\w+)
                         |skipped:\ (.*))$""", re.M | re.X)
LEFT = "only --all: "   # tests/daemon/browser.py


def read(preset):
    """The programs that ran: name, what they printed, how they ended."""
    log = ROOT / f"build/{preset}/Testing/Temporary/LastTest.log"
    if not log.exists():
        return []
    return PROGRAM.findall(log.read_text(encoding="utf-8", errors="replace"))


def skips_of(text):
    """The reasons of the tests that were skipped. cmocka names a skipped test twice, without one."""
    reasons = [reason or said for reason, _, said in SKIPPED.findall(text) if reason or said]
    return reasons or sorted({name for _, name, _ in SKIPPED.findall(text) if name})


def main():
    title, presets = sys.argv[1], sys.argv[2:]
    tests = failed = 0
    skips, failures, seeds = collections.Counter(), [], set()
    for preset in presets:
        for name, text, end in read(preset):
            ran = sum(int(cmocka or unittest) for cmocka, unittest in RAN.findall(text)) or 1
            tests += ran
            skips.update(skips_of(text))
            if end == "Failed":
                failed += 1
                failures.append(f"failed: {preset} {name}")
                seeds.update(re.findall(r"seed[= ]\d+", text))
    left = {reason for reason in skips if reason.startswith(LEFT)}
    skipped = sum(count for reason, count in skips.items() if reason not in left)
    passed = tests - failed - sum(skips.values())
    print(f"{title}: {passed} passed, {failed} failed, {skipped} skipped")
    for reason, count in skips.most_common():
        print(f"{'left' if reason in left else 'skipped'} {count}: {reason.removeprefix(LEFT)}")
    for line in failures + [f"failed with {seed}" for seed in sorted(seeds)]:
        print(line)


if __name__ == "__main__":
    main()
