#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The sandbox holds for every thread, leaves what a reload needs, and says what it closes. What it
does to an intruder: rows 42 and 43 of tests/faults."""

import os
import pathlib
import re
import shutil
import signal
import socket
import tempfile
import unittest

import harness
from harness import ROOT, Stage, arena, config

SHIPPED = ROOT / "config/maps"


def threads(daemon, word):
    """What /proc says about each thread under this word."""
    return [re.search(rf"(?m)^{word}:\s*(\S+)", (task / "status").read_text(encoding="ascii"))[1]
            for task in pathlib.Path(f"/proc/{daemon.pid}/task").iterdir()]


class SandboxTest(unittest.TestCase):
    def setUp(self):
        self.stage = self.enterContext(Stage())
        self.path = self.stage.directory / "raimd.conf"

    def start(self, *arenas, **keys):
        """A daemon, and its sandbox: {"seccomp": "on", ...}."""
        self.path.write_text(config(*arenas, **keys), encoding="utf-8")
        daemon = self.stage.raimd("-c", self.path).wait_started()
        told = daemon.poll("word of the sandbox", lambda: re.search(
            r'(?:info|warning) sandbox (?:(off)|(started|incomplete) seccomp="(.*)"'
            r' landlock="(.*)")\n', daemon.log))
        self.halves = dict(zip(("off", "word", "seccomp", "landlock"), told.groups()))
        if not keys.get("sandbox", True):
            self.assertEqual(self.halves["off"], "off")
        return daemon

    def reload(self, daemon, text, words):
        before = daemon.log.count(words)
        self.path.write_text(text, encoding="utf-8")
        daemon.send(signal.SIGHUP)
        daemon.poll(words, lambda: daemon.log.count(words) > before)

    def need(self, half):
        if self.halves[half].startswith("off"):
            self.skipTest(f"skipped: {half} is {self.halves[half]}")

    def test_every_thread_is_filtered(self):
        daemon = self.start(arena("one"), arena("two"), workers=2)
        self.need("seccomp")
        daemon.poll("its workers", lambda: len(threads(daemon, "Seccomp")) >= 3)
        self.assertEqual(set(threads(daemon, "Seccomp")), {"2"})
        self.assertEqual(set(threads(daemon, "NoNewPrivs")), {"1"})

    def test_it_can_be_left_off(self):
        # As it is where these tests run.
        mine = re.search(r"(?m)^Seccomp:\s*(\d)", pathlib.Path("/proc/self/status").read_text(
            encoding="ascii"))[1]
        daemon = self.start(arena("one"), sandbox=False)
        self.assertEqual(set(threads(daemon, "Seccomp")), {mine})

    def test_a_core_is_left_only_where_it_is_wanted(self):
        for wanted in (False, True):
            with self.subTest(wanted):
                daemon = self.start(arena("one"), core_dumps=wanted)
                limits = pathlib.Path(f"/proc/{daemon.pid}/limits").read_text(encoding="ascii")
                limit = re.search(r"Max core file size +(\S+) +(\S+)", limits).groups()
                mine = re.search(r"Max core file size +(\S+) +(\S+)", pathlib.Path(
                    "/proc/self/limits").read_text(encoding="ascii")).groups()
                self.assertEqual(limit, mine if wanted else ("0", "0"))
                daemon.stop()

    def test_a_reload_brings_arenas_and_maps_beside_the_configuration(self):
        (self.stage.directory / "maps").mkdir()
        first = arena("one", map="maps/first.conf")
        shutil.copy(SHIPPED / "duel.conf", self.stage.directory / "maps/first.conf")
        daemon = self.start(first, workers=1)
        # A directory that is new, but beneath.
        (self.stage.directory / "maps/more").mkdir()
        shutil.copy(SHIPPED / "ruins.conf", self.stage.directory / "maps/more/second.conf")
        self.reload(daemon, config(first, arena("two", map="maps/more/second.conf"), workers=1),
                    "configuration reloaded applied=1 restart=0")
        daemon.poll("its port", lambda: len(daemon.get_json()["arenas"]) == 2)
        port = daemon.get_json()["arenas"][1]["port"]
        bots = self.stage.bots(daemon, 2, ports=[port])
        daemon.wait_pressing(2)
        bots.stop()
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as taken:
            self.assertRaises(OSError, taken.bind, ("127.0.0.1", port))

    def test_a_file_elsewhere_is_rejected_with_the_reason(self):
        with tempfile.TemporaryDirectory(prefix="raimd-outside-") as outside:
            elsewhere = pathlib.Path(outside, "duel.conf")
            shutil.copy(SHIPPED / "duel.conf", elsewhere)
            daemon = self.start(arena("one"))
            self.need("landlock")
            moved = config(arena("one", map=str(elsewhere)))
            self.reload(daemon, moved, "configuration rejected mistakes=1")
            self.assertIn(f'cannot read "{elsewhere}": Permission denied (outside of the '
                          "directories that raimd was started with", daemon.log)
            # A restart reads it, also through a link.
            os.symlink(outside, self.stage.directory / "link")
            daemon.stop()
            linked = arena("one", map="link/duel.conf")
            daemon = self.start(linked)
            self.reload(daemon, config(linked, arena("two", map=str(elsewhere))),
                        "configuration reloaded applied=1 restart=0")


if __name__ == "__main__":
    harness.main()
