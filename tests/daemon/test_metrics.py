#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Prometheus itself scrapes a raimd, and its promtool finds nothing to say about the metrics."""

import pathlib
import re
import shutil
import signal
import subprocess
import time
import unittest

import harness
import prometheus
from harness import Stage, arena

PROMTOOL = shutil.which("promtool")


class MetricsTest(unittest.TestCase):
    @unittest.skipIf(PROMTOOL is None, "no promtool here (Debian: prometheus)")
    def test_promtool_accepts_the_metrics(self):
        with Stage() as stage:
            daemon = stage.serve(arena("first", bots=2), arena("second"))
            stage.bots(daemon, 4)
            daemon.wait_pressing(4)
            text = daemon.ask("/metrics").text
        self.assertEqual(self.promtool(text), (0, ""))
        # Were the tool deaf, the test would prove nothing.
        self.assertNotEqual(self.promtool(text + "raimd_players 1 2 3\n")[0], 0)

    def test_process_is_told_as_by_every_client_library(self):
        with Stage() as stage:
            before = time.time()
            daemon = stage.serve(arena("first"), core_dumps=True) # /proc shows its descriptors
            text = daemon.ask("/metrics").text
            told = {name: float(value) for name, value in
                    re.findall(r"^(process_\w+) (\S+)$", text, re.M)}
            threads = len(list(pathlib.Path(f"/proc/{daemon.pid}/task").iterdir()))
            opened = len(list(pathlib.Path(f"/proc/{daemon.pid}/fd").iterdir()))
        self.assertEqual(told["process_threads"], threads)
        self.assertLess(abs(told["process_open_fds"] - opened), 3) # connections come and go
        self.assertLess(abs(told["process_start_time_seconds"] - before), 5)
        self.assertGreater(told["process_cpu_seconds_total"], 0)
        self.assertGreater(told["process_virtual_memory_bytes"],
                           told["process_resident_memory_bytes"])
        self.assertGreater(told["process_max_fds"], told["process_open_fds"])

    @unittest.skipIf(prometheus.PROGRAM is None, "no prometheus here (Debian: prometheus)")
    def test_prometheus_scrapes_all_of_it(self):
        with Stage() as stage:
            daemon = stage.serve(arena("first", bots=2, max_players=5), arena("second"))
            with prometheus.Prometheus(stage, daemon) as server:
                server.wait_scraped()
                clients = stage.bots(daemon, 4)
                daemon.wait_pressing(4)
                def number(query):
                    rows = server.query(query)
                    return float(rows[0]["value"][1]) if rows else None
                harness.poll("the joins", lambda: number("sum(raimd_joins_total)") == 4)
                self.assertEqual(number('raimd_max_players{arena="first"}'), 5)
                self.assertEqual(number("raimd_arenas"), 2)
                harness.poll("pings", lambda: (number("sum(raimd_ping_seconds_count)") or 0) >= 4)
                clients.stop(signal.SIGINT)
                harness.poll("the leaves", lambda: number(
                    'sum(raimd_leaves_total{reason="left"})') == 4)
                self.assertEqual(number("sum(raimd_leaves_total)"), 4)
                target, = server.targets()
                self.assertEqual((target["health"], target["lastError"]), ("up", ""))
                served = set(re.findall(r"^# TYPE (\w+) \w+$", daemon.ask("/metrics").text, re.M))
                self.assertEqual(served - set(server.metadata()), set())

    def promtool(self, text):
        done = subprocess.run([PROMTOOL, "check", "metrics"], input=text, text=True, check=False,
                              capture_output=True, timeout=harness.START_S)
        return done.returncode, done.stdout + done.stderr


if __name__ == "__main__":
    harness.main()
