# SPDX-License-Identifier: MIT
"""A row of the table of faults: a function that does the harm and says what it saw."""

import contextlib
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/daemon"))

import harness  # noqa: E402
from stalls import Outages  # noqa: E402

ROWS = {} # number: (fault, expected, function)


class Skipped(Exception):
    """The row cannot be tried here; the message is the word for it."""


def row(number, fault, expected):
    """Makes a function of a Trial the row of this number. It returns how often the fault was
    there, and what was seen; an assertion that fails is what was seen, too."""
    def enter(function):
        ROWS[number] = (fault, expected, function)
        return function
    return enter


class Trial:
    """What a row works with: a stage to start daemons on, and what this build and machine can."""

    def __init__(self, stage, short, keys):
        self.stage = stage
        self.short = short
        self.keys = keys

    def often(self, full, short):
        return short if self.short else full

    def has(self, key):
        """Whether the daemon knows this key of the configuration."""
        return key in self.keys

    def traceable(self):
        """The keys with which an ordinary user may look into a daemon."""
        return {"core_dumps": True} if self.has("core_dumps") else {}

    def need_key(self, key):
        if not self.has(key):
            raise Skipped(f"not built in: {key}")

    def live_long(self, seconds):
        """Lets the full form's programs live for so long."""
        if not self.short:
            harness.LIFE_S = max(harness.LIFE_S, seconds)

    @staticmethod
    def need_root():
        if os.geteuid() != 0:
            raise Skipped("needs root")

    @staticmethod
    def is_sanitized():
        return b"__asan_init" in (harness.BIN / "raimd").read_bytes()

    @contextlib.contextmanager
    def sanitized_build(self):
        """Within, programs are those of the build with sanitizers, where RAIM_ASAN_BIN names one."""
        before = harness.BIN
        harness.BIN = pathlib.Path(os.environ.get("RAIM_ASAN_BIN", before))
        try:
            yield
        finally:
            harness.BIN = before

    def bots(self, daemon, clients, **keywords):
        """Clients that are in the game, and know it."""
        bots = self.stage.bots(daemon, clients, **keywords)
        bots.outages = Outages(daemon.pid, bots.pid)
        daemon.wait_pressing(clients)
        return bots


def expect(condition, seen):
    """What is seen, which fails the row when the condition does not hold."""
    if not condition:
        raise AssertionError(seen)
    return seen


def arena_of(daemon, index=0):
    return daemon.get_json()["arenas"][index]


def raimctl(*words):
    """What raimctl prints."""
    return subprocess.run([harness.BIN / "raimctl", *map(str, words)], text=True, check=True,
                          stdin=subprocess.DEVNULL, capture_output=True,
                          timeout=harness.START_S).stdout.strip()


def ticks_go_on(daemon, count=30):
    """Waits for so many ticks more than now."""
    begin = arena_of(daemon)["tick"]
    daemon.poll(f"{count} ticks", lambda: arena_of(daemon)["tick"] >= begin + count)


def end_bots(bots):
    """The report of clients that are asked to leave."""
    bots.stop()
    return bots.report()


def count_lost(bots):
    """Ends a trial's bots. Returns how many sessions were interrupted, but for those that each client
    has resumed because the machine held up both ends for too long, and the report."""
    outages = bots.outages.end()
    report = end_bots(bots)
    if outages > 0:
        print(f"the machine held up raimd and its clients {outages} times", flush=True)
    excused = outages * report["connected"]
    return report["disconnected"] + max(report["resumes"] - excused, 0), report
