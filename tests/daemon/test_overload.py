#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""An arena that cannot hold its rate: fewer snapshots, told in status, metrics and log."""

import signal
import threading
import unittest

import harness
from harness import Stage, arena

CLIENTS = 4
STOPPED_S, RUNNING_S = 0.1, 0.01  # of a daemon that has a fraction of a CPU
END_S = 120                       # the interval shrinks after 16 s where nobody else is busy


class Quota:
    """Lets a process run for a fraction of the time."""

    def __init__(self, daemon):
        self._daemon, self._ends = daemon, threading.Event()
        self._thread = threading.Thread(target=self._run)

    def _run(self):
        while not self._ends.wait(RUNNING_S):
            self._daemon.send(signal.SIGSTOP)
            self._ends.wait(STOPPED_S)
            self._daemon.send(signal.SIGCONT)

    def __enter__(self):
        self._thread.start()

    def __exit__(self, *_):
        self._ends.set()
        self._thread.join()


class OverloadTest(unittest.TestCase):
    def test_an_arena_without_a_cpu_sends_fewer_snapshots_and_recovers(self):
        stage = self.enterContext(Stage())
        daemon = stage.serve(arena("one", max_players=CLIENTS), workers=1)
        stage.bots(daemon, CLIENTS)
        daemon.wait_pressing(CLIENTS)

        def shown():
            return daemon.get_json()["arenas"][0]

        with Quota(daemon):
            daemon.poll("the longest interval", lambda: shown()["snapshot_interval"] == 4, END_S)
            daemon.poll("its line in the log",
                        lambda: "snapshot rate reduced arena=one interval=" in daemon.log, END_S)
            daemon.poll("its metric", lambda: 'raimd_snapshot_interval_ticks{arena="one"} 4\n'
                        in daemon.ask("/metrics").text, END_S)
        daemon.poll("the end", lambda: shown()["snapshot_interval"] == 1, END_S)
        daemon.poll("its line in the log",
                    lambda: "snapshot rate restored arena=one" in daemon.log, END_S)
        self.assertEqual(sum(not player["away"] for player in shown()["players"]
                             if not player["bot"]), CLIENTS)


if __name__ == "__main__":
    harness.main()
