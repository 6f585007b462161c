#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Players behind a gateway for browsers, whom raimd treats by their own addresses, and datagrams that
a browser carries."""

import contextlib
import json
import signal
import socket
import subprocess
import time
import unittest

import harness
from gateway import KEY, Gateway, announcement
from harness import BIN, SLOW, START_S, Stage, arena, poll
from ports import free_port

try:
    import voter
    from voter import Voter, pump_until
except ImportError:
    voter = None

MAP = str(harness.ROOT / "config/maps/crossfire.conf")
EX_UNAVAILABLE = 69 # no bot plays
SMALL = 1124 # bytes of a datagram, encrypted


def player(number):
    return f"203.0.113.{number + 1}", 50000 + number


class GatewayTest(unittest.TestCase):
    def setUp(self):
        self.stage = self.enterContext(Stage())
        self.run_directory, self.state = (self.stage.directory / name for name in ("run", "state"))
        for directory in (self.run_directory, self.state):
            directory.mkdir()
        key_file = self.stage.directory / "gateway.key"
        key_file.touch(0o600)
        key_file.write_text(KEY.hex() + "\n", encoding="ascii")
        self.path = key_file

    def serve(self, *, key_file=None, **keys):
        keys = {"address": "127.0.0.1", "recording": "none"} | keys
        path = self.stage.write_config(harness.config(
            arena("web", **keys), gateway_key_file=str(key_file or self.path)))
        return self.start(path)

    def start(self, path):
        env = {"STATE_DIRECTORY": str(self.state), "RUNTIME_DIRECTORY": str(self.run_directory)}
        self.config, self.daemon = path, self.stage.raimd("-c", path, env=env).wait_started()
        return self.daemon

    def gateway(self, player_of=player, **keys):
        return self.enterContext(Gateway(self.daemon.ports[0], player_of, **keys))

    def bots(self, gateway, count, seconds=0, network=()):
        return self.stage.bots(self.daemon, count, seconds, ports=[gateway.port], network=network)

    def ctl(self, *words):
        result = subprocess.run(
            [BIN / "raimctl", "-s", self.run_directory / "control.sock", *words], text=True,
            check=True, stdin=subprocess.DEVNULL, capture_output=True, timeout=START_S)
        return result.stdout

    def arena(self):
        return self.daemon.get_json()["arenas"][0]

    def rejected(self, reason):
        return self.arena()["rejections"].get(reason, 0)

    def ban_of_one(self):
        """Bans the first player's address, and returns how many then play on, of two."""
        self.ctl("ban", player(0)[0], "spam")
        self.ctl("ban", "198.51.100.1", "spam") # answered when the first one is in force
        return self.daemon.get_json()["players"]["now"]

    def test_a_ban_hits_the_one_player_of_the_address(self):
        self.serve()
        gateway = self.gateway()
        bots = [self.bots(gateway, 1)]
        self.daemon.wait_pressing(1)
        bots.append(self.bots(gateway, 1))
        self.daemon.wait_pressing(2)
        self.ctl("ban", player(0)[0], "spam")
        bots[0].wait(START_S)
        self.assertEqual([(row["end"], row["text"]) for row in json.loads(bots[0].out)["players"]],
                         [("banned", "spam")])
        self.daemon.wait_pressing(1)
        self.assertGreater(self.arena()["announcements"], 2)
        # The address stays out, at every later socket of the gateway, and nobody else does.
        gateway.player_of = lambda number: player(0 if number == 2 else number)
        again = self.bots(gateway, 1)
        again.expected_status = EX_UNAVAILABLE
        again.wait(START_S)
        poll("the rejection", lambda: self.rejected("banned"))
        self.daemon.wait_pressing(1)

    def test_the_limits_of_an_address_are_those_of_the_player(self):
        self.serve(limits={"connections_per_address": 2})
        here = self.gateway(lambda number: player(0))
        there = self.gateway(lambda number: player(1))
        self.bots(here, 3)
        self.daemon.wait_players(2)
        poll("a rejection", lambda: self.rejected("connections") + self.rejected("sessions"))
        self.bots(there, 2)
        self.daemon.wait_pressing(4)

    def expect_no_player(self, gateway, reason):
        """The gateway's announcements change nothing: its players come from its own address."""
        self.bots(gateway, 2)
        self.daemon.wait_pressing(2)
        poll(f"counted as {reason}", lambda: self.rejected(reason))
        self.assertEqual(self.ban_of_one(), 2)
        self.assertEqual(self.arena()["announcements"], 0)

    def test_another_key_has_no_effect(self):
        self.serve()
        self.expect_no_player(self.gateway(key=bytes(32)), "gateway_key")

    def test_a_clock_that_is_a_minute_behind_has_no_effect(self):
        self.serve()
        self.expect_no_player(self.gateway(offset_s=-60), "gateway_time")

    def test_a_clock_that_is_a_minute_ahead_has_no_effect(self):
        self.serve()
        self.expect_no_player(self.gateway(offset_s=60), "gateway_time")

    def test_a_copy_has_no_effect_from_another_socket_or_later(self):
        self.serve()
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as own, \
                socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as other:
            for sock in own, other:
                sock.connect(("127.0.0.1", self.daemon.ports[0]))
            copy = announcement(own.getsockname(), player(0))
            other.send(copy)
            poll("a rejection", lambda: self.rejected("gateway_socket") == 1)
            own.send(copy)
            poll("an announcement", lambda: self.arena()["announcements"] == 1)
            own.send(copy)
            poll("a rejection", lambda: self.rejected("gateway_time") == 1)
            own.send(copy[:-1])
            poll("a rejection", lambda: self.rejected("connectionless") == 1)
            self.assertEqual(self.arena()["announcements"], 1)
            # None of it was answered.
            for sock in own, other:
                with self.assertRaises(BlockingIOError):
                    sock.recv(2048, socket.MSG_DONTWAIT)

    def test_without_a_key_an_announcement_is_nothing(self):
        path = self.stage.write_config(harness.config(arena("web", recording="none")))
        self.start(path)
        self.expect_no_player(self.gateway(), "connectionless")

    def test_a_gateway_that_falls_silent_has_no_players(self):
        self.serve()
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as own:
            own.connect(("127.0.0.1", self.daemon.ports[0]))
            own.setblocking(False)
            own.send(announcement(own.getsockname(), player(5)))
            poll("an announcement", lambda: self.arena()["announcements"] == 1)
            self.ctl("ban", player(5)[0], "spam")
            request = b"\xff\xff\xff\xffRAIM\x01\x02".ljust(512, b"\0")
            kinds = set()

            def is_free():
                own.send(request)
                answers = []
                time.sleep(0.1)
                with contextlib.suppress(BlockingIOError):
                    while True:
                        answers.append(own.recv(2048)[8])
                kinds.update(answers)
                return 2 in answers and 5 not in answers
            poll("the end of what was announced", is_free, 30, 0.5)
            self.assertIn(5, kinds) # it was rejected before

    def test_a_restart_goes_on_with_the_next_announcement(self):
        self.serve(port=free_port())
        gateway = self.gateway(lambda number: player(number % 2)) # bots come again by new sockets
        bots = self.bots(gateway, 2)
        self.daemon.wait_pressing(2)
        self.daemon.expected_status = -signal.SIGKILL
        self.daemon.send(signal.SIGKILL)
        self.daemon.wait(START_S)
        self.start(self.config)
        self.daemon.wait_pressing(2)
        self.assertGreater(gateway.invitations, 0)
        self.ctl("ban", player(0)[0], "spam")
        self.daemon.wait_players(1)
        self.assertIsNone(bots.process.poll())

    def test_players_by_ipv6_and_a_gateway_by_ipv6(self):
        if not socket.has_ipv6:
            self.skipTest("skipped: no IPv6 here")
        self.serve(address="::1")
        gateway = self.gateway(lambda number: (f"2001:db8:{number}::7", 50000), host="::1")
        self.bots(gateway, 2)
        self.daemon.wait_pressing(2)
        self.ctl("ban", "2001:db8:0::/64", "spam")
        self.daemon.wait_players(1)

    @unittest.skipUnless(voter, "skipped: python3-enet is not installed")
    def test_players_of_one_gateway_are_electors_of_their_own(self):
        self.serve(map=str(harness.ROOT / "config/maps/duel.conf"), address_validation=False,
                   votes={"newcomer_delay": 0, "call_delay": 1})
        gateway = self.gateway()
        voters = [Voter(gateway.port, 2 + i, name) for i, name in
                  enumerate(("Ada", "Bob", "Cleo", "Dan", "Eve"))]
        pump_until(voters, "welcome", lambda: all(each.welcomes for each in voters))
        voters[0].call(voter.KICK, player=voters[4].player)
        pump_until(voters, "a vote", lambda: all(each.of_kind(voter.BEGAN) for each in voters[:4]))
        voters[1].cast(voter.NO)
        pump_until(voters, "a tally", lambda: voters[1].of_kind(voter.TALLY))
        self.assertEqual(voters[1].of_kind(voter.TALLY)[-1]["electors"], 4)

    def test_no_datagram_is_larger_than_a_browser_carries(self):
        """64 players in view of each other, a map of many obstacles."""
        self.serve(max_players=80, bots=60, map=str(harness.ROOT / "config/maps/crossfire.conf"))
        gateway = self.gateway(lambda number: ("127.0.0.1", 50000 + number))
        bots = self.bots(gateway, 4, 5 if SLOW else 8, ["--small-datagrams"])
        report = bots.report(60)
        self.assertEqual([row["end"] for row in report["players"]], ["left"] * 4)
        self.assertEqual(report["decode_errors"], 0)
        print(gateway.largest, report["largest_datagram"], flush=True)
        self.assertLessEqual(max(gateway.largest.values()), SMALL)
        self.assertGreater(gateway.largest["down"], SMALL - 100)
        # Another client, beside them, has larger ones.
        large = self.bots(gateway, 1, 2).report(60)
        self.assertGreater(large["largest_datagram"], SMALL)


if __name__ == "__main__":
    unittest.main(verbosity=2)
