#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Clients fight in two arenas of a real raimd; afterwards everybody tells the same story."""

import re
import socket
import subprocess
import unittest

import harness
from harness import Pace, Stage, arena

CLIENTS = 16 if harness.SLOW else 64
SECONDS = 10
JOIN_S = 1 if harness.SLOW else 0.4
LARGEST_DATAGRAM = 1200 # bytes
MIN_HZ = 10 # snapshots a second, however little there is to tell


class PlayTest(unittest.TestCase):
    """One session, looked at from every side."""

    @classmethod
    def setUpClass(cls):
        stage = cls.enterClassContext(Stage())
        cls.daemon = stage.serve(arena("north"), arena("south"))
        bots = stage.bots(cls.daemon, CLIENTS, SECONDS)
        cls.joined = cls.daemon.wait_players(CLIENTS)
        # The bots hold their fire at the end, so the last sample with all of them has the scores
        # that stay.
        cls.pace = Pace(cls.daemon)
        while cls.pace.sample()["players"]["now"] == CLIENTS:
            pass
        cls.pace.samples.pop()
        cls.status = cls.pace.samples[-1][1]
        cls.report = bots.report()
        cls.rows = {}
        for row in cls.report["players"]:
            cls.rows.setdefault(int(row["server"].rpartition(":")[2]), {})[row["name"]] = row

    def test_all_joined_and_stayed(self):
        self.assertEqual(self.report["connected"], CLIENTS)
        self.assertEqual(self.report["rejected"], 0)
        self.assertEqual(self.report["disconnected"], 0)
        self.assertEqual({row["end"] for row in self.report["players"]}, {"left"})
        for shown in self.status["arenas"]:
            self.assertEqual(len(shown["players"]), CLIENTS / 2)

    def test_no_event_was_ahead_of_another(self):
        self.assertGreater(self.report["events"], 0)
        self.assertEqual(self.report["events_ahead"], 0)

    def test_every_message_could_be_read(self):
        self.assertEqual(self.report["decode_errors"], 0)
        for shown in self.status["arenas"]:
            for reason in ("malformed", "unexpected", "ack", "oversize", "fragment"):
                self.assertEqual(shown["rejections"][reason], 0, (shown["name"], reason))

    def test_snapshots_came_ten_times_a_second_and_at_most_once_a_tick(self):
        played_s = SECONDS - JOIN_S # joining takes a few ticks
        # The kernel may drop a datagram of a client that is not scheduled for long.
        self.assertGreater(self.report["snapshots"], CLIENTS * played_s * MIN_HZ * 0.99)
        self.assertLessEqual(self.report["snapshots"],
                             CLIENTS * SECONDS * harness.TICK_HZ * 1.01)

    def test_datagrams_fit_the_mtu(self):
        self.assertGreater(self.report["largest_datagram"], 0)
        self.assertLessEqual(self.report["largest_datagram"], LARGEST_DATAGRAM)

    def test_arenas_tick_at_60_hz(self):
        self.assertEqual(len(self.status["arenas"]), 2)
        self.pace.check()

    def test_scores_are_the_kills_that_clients_were_told_of(self):
        self.assertGreater(self.report["kills"], 0)
        for shown, joined in zip(self.status["arenas"], self.joined["arenas"]):
            rows = self.rows[shown["port"]]
            for key, told in (("score", "kills"), ("deaths", "deaths")):
                self.assertEqual({player["name"]: player[key] for player in shown["players"]},
                                 {name: row[told] for name, row in rows.items()}, key)
            # Everybody was there before the first kill, or, on a busy machine, after a few.
            kills, missed = (sum(player["score"] for player in each["players"])
                             for each in (shown, joined))
            for row in rows.values():
                self.assertTrue(kills - missed <= row["kills_seen"] <= kills, (row, kills, missed))

    def test_clients_are_told_round_trips(self):
        for row in self.report["players"]: # on loopback: 0, or a few ticks of a busy machine
            self.assertIn(row["ping_ms"], range(0, 620, 10), row["name"])

    def test_status_shows_no_ip_address(self):
        for number, (_, status) in enumerate(self.pace.samples):
            self.assertIsNone(re.search(r"\d+\.\d+\.\d+\.\d+", str(status)), f"sample {number}")


class OptionsTest(unittest.TestCase):
    """raim-bots explains what is wrong with its command line, and does nothing else."""

    def test_wrong_usage_is_explained(self):
        server = "127.0.0.1:7246"
        for arguments in ([], ["host"], [server, "host:0"], ["host:65536"], [":7246"],
                          [f"{'h' * 256}:1"], ["--clients", "0", server], ["--clients", "2.5", server],
                          ["--clients", "4001", server], ["--seconds", "-1", server],
                          ["--seed", "0.5", server], ["--access", "!", server],
                          ["--latency", "nan", server], ["--jitter", "5001", server],
                          ["--loss", "101", server], ["--nonsense", server]):
            result = subprocess.run([harness.BIN / "raim-bots", *arguments], text=True,
                                    capture_output=True, check=False, timeout=harness.START_S)
            self.assertEqual(result.returncode, 64, arguments)
            self.assertIn("--help", result.stderr, arguments)
            self.assertEqual(result.stdout, "", arguments)

    def run_bots(self, *arguments):
        return subprocess.run([harness.BIN / "raim-bots", *map(str, arguments)], text=True,
                              capture_output=True, check=False, timeout=3 * harness.START_S)

    def test_it_gives_up_where_nobody_answers(self):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as silent:
            silent.bind(("127.0.0.1", 0))
            server = f"127.0.0.1:{silent.getsockname()[1]}"
            result = self.run_bots("--clients", 2, server)
        self.assertEqual(result.returncode, 69)
        self.assertEqual(result.stderr, f"raim-bots: no answer from {server}: is it running?\n")
        self.assertRegex(result.stdout, r"^( +\d+ s  0 of 2 play\n)+$")

    def test_all_bots_can_be_required(self):
        with harness.Stage() as stage:
            port = stage.serve(harness.arena(max_players=2)).ports[0]
            result = self.run_bots("--clients", 3, "--seconds", 3, f"127.0.0.1:{port}")
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertRegex(result.stdout, r"(?m)^ +2 s  2 of 3 play, ping p50 [\d.]+ p95 [\d.]+ "
                                            r"p99 [\d.]+ ms, late [\d.]+ %, lost [\d.]+ %$")
            result = self.run_bots("--clients", 3, "--seconds", 3, "--require-all",
                                   f"127.0.0.1:{port}")
            self.assertEqual(result.returncode, 69)
            result = self.run_bots("--clients", 2, "--seconds", 3, "--require-all",
                                   f"127.0.0.1:{port}")
            self.assertEqual(result.returncode, 0, result.stderr)


if __name__ == "__main__":
    harness.main()
