#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Prometheus' own promtool finds nothing to say about the metrics that a raimd serves."""

import shutil
import subprocess
import unittest

import harness
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

    def promtool(self, text):
        done = subprocess.run([PROMTOOL, "check", "metrics"], input=text, text=True, check=False,
                              capture_output=True, timeout=harness.START_S)
        return done.returncode, done.stdout + done.stderr


if __name__ == "__main__":
    harness.main()
