#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The demo, on the ports that the README names: its arenas keep their pace, and its bots fight."""

import contextlib
import json
import os
import re
import signal
import socket
import subprocess
import unittest

import harness
from harness import BIN, STOP_S, Pace, Stage


def demo_ports_are_free():
    with contextlib.ExitStack() as stack:
        try:
            for kind, port in ((socket.SOCK_DGRAM, 7246), (socket.SOCK_DGRAM, 7247),
                               (socket.SOCK_STREAM, 7246)):
                probe = stack.enter_context(socket.socket(socket.AF_INET, kind))
                if kind == socket.SOCK_STREAM:
                    probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


class DemoTest(unittest.TestCase):
    def test_two_arenas_at_60_hz_with_bots_scoring(self):
        if not demo_ports_are_free():
            self.skipTest("skipped: port 7246 or 7247 is in use")
        stage = self.enterContext(Stage())
        env = {**os.environ, "XDG_RUNTIME_DIR": str(stage.directory)}
        daemon = stage.raimd("--demo", env=env).wait_started()
        self.assertEqual(daemon.ports, [7246, 7247])
        self.assertEqual(daemon.status_address, ("127.0.0.1", 7246))

        def both_have_scored():
            arenas = daemon.get_json()["arenas"]
            return all(any(player["score"] for player in each["players"]) for each in arenas)
        found = subprocess.run([harness.BIN / "raimctl", "discover", "--json"], check=True,
                               capture_output=True, text=True)
        addresses = [each["address"] for each in json.loads(found.stdout)["servers"]]
        self.assertLessEqual({"127.0.0.1:7246", "127.0.0.1:7247"}, set(addresses))
        pace = Pace(daemon)
        pace.sample_for(5)
        daemon.poll("score in both arenas", both_have_scored, 20)
        pace.check(tolerance=0.03)
        status = pace.samples[-1][1]
        self.assertEqual([each["name"] for each in status["arenas"]], ["duel", "crossfire"])
        self.assertEqual(status["players"]["now"], 0)
        self.assertGreater(status["players"]["bots"], 1)
        self.assertTrue(all(re.match(r"^Bot \d+$", player["name"]) and player["bot"]
                            for each in status["arenas"] for player in each["players"]))
        with self.subTest("raimctl finds it"):
            shown = subprocess.run([BIN / "raimctl", "status"], env=env, capture_output=True,
                                   text=True, check=True).stdout
            self.assertIn("crossfire", shown)
        daemon.stop(signal.SIGINT, deadline_s=STOP_S)


if __name__ == "__main__":
    harness.main()
