#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""A raimd that master servers list: by a stub of dpmaster over real sockets, and as Debian's
quakestat finds it there."""

import json
import os
import shutil
import socket
import subprocess
import unittest

import harness
from harness import Stage, arena
from master import PREFIX, Master

HOSTNAME = "A hall: \\50% \"safe\"; 7 \u2694"
HOSTNAME_LISTED = "A hall: _50% _safe__ 7 \u2694"

# A type of master of quakestat, see qstat.cfg: its servers are asked by A2S.
QUAKESTAT_TYPE = r"""
gametype RAIMM new extend Q3M
    name = Raim Master
    template var = RAIMMASTER
    default port = 27950
    master packet = \377\377\377\377getservers Raim %s %s
    master protocol = 7
    master query = empty full
    master for gametype = A2S
end
"""

# In a network of its own: a name server that knows one name, at an address that only resolv.conf
# names, and the master of that name. Two addresses are sorted, for which the system's resolver asks
# for the machine's own.
NAMED_MASTER = f"""
import socket, sys
sys.path.insert(0, {str(harness.ROOT / "tests/daemon")!r})
from master import Master
names = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
names.bind(("127.0.0.53", 53))
with Master(port=27950):
    print("ready", flush=True)
    while True:
        query, sender = names.recvfrom(512)
        end = query.index(b"\\0", 12)
        kind = query[end + 2]
        address = {{1: bytes((127, 0, 0, 1)), 28: bytes(15) + b"\\1"}}[kind]
        names.sendto(query[:2] + b"\\x81\\x80\\0\\1\\0\\1" + bytes(4) + query[12:end + 5]
                     + b"\\xc0\\x0c\\0" + bytes((kind,)) + b"\\0\\1\\0\\0\\0\\x3c\\0"
                     + bytes((len(address),)) + address, sender)
"""


class MastersTest(unittest.TestCase):
    def setUp(self):
        self.stage = self.enterContext(Stage())

    def listed(self, master, count):
        return self.daemon.poll(f"{count} arenas that the master lists",
                                lambda: len(master.listed) == count and master.listed)

    def serve(self, *arenas, masters):
        self.daemon = self.stage.serve(
            *arenas, discovery_masters=[f"localhost:{masters[0].port}",
                                        *(f"127.0.0.1:{each.port}" for each in masters[1:])])
        return self.daemon

    def shown(self, index=0):
        return self.daemon.get_json()["arenas"][index]["masters"]

    def test_a_master_lists_the_arenas(self):
        with Master() as master:
            self.serve(arena("open", bots=2, max_players=4, hostname=HOSTNAME), arena("duel"),
                       arena("quiet", queries=False), masters=[master])
            port = self.daemon.ports[0]
            info = dict(self.listed(master, 2)["127.0.0.1", port])
            info.pop("challenge")
            self.assertEqual(info, {
                "gamename": "Raim", "protocol": "7", "hostname": HOSTNAME_LISTED,
                "mapname": "crossfire", "clients": "0", "bots": "2", "sv_maxclients": "4",
                "needpass": "0"})
            self.assertEqual({sender[1] for sender in master.listed}, set(self.daemon.ports[:2]))
            self.daemon.poll("log lines", lambda: self.daemon.log.count("listed arena=") == 2)
            self.assertIn(f"listed arena=open master=localhost:{master.port}\n", self.daemon.log)
            shown = self.daemon.poll("status", lambda: self.shown()["asked"] == 1 and self.shown())
            self.assertEqual(shown, {"listing": 1, "heartbeats": 1, "asked": 1, "limited": 0})
            row, = self.daemon.get_json()["masters"]
            self.assertEqual((row["host"], row["port"], row["addresses"], row["arenas"]),
                             ("localhost", master.port, row["addresses"], 2))
            self.assertGreaterEqual(row["addresses"], 1)
            self.assertIn('raimd_listing_masters{arena="open"} 1\n',
                          self.daemon.ask("/metrics").text)
            # It ends: the master is told.
            self.daemon.stop()
            harness.poll("the client_goodbye", lambda: not master.listed)
            self.assertEqual(master.odd, [])

    def test_an_arena_that_fills_says_so(self):
        with Master() as first, Master() as second:
            self.serve(arena(max_players=2), masters=[first, second])
            self.listed(second, 1)
            self.stage.bots(self.daemon, 2)
            def clients():
                return [info["clients"] for master in (first, second)
                        for info in master.listed.values()]
            self.daemon.poll("both masters know of two", lambda: clients() == ["2", "2"])
            self.assertEqual(self.shown()["limited"], 0)

    def test_only_masters_are_answered_and_only_after_a_heartbeat(self):
        with Master() as master, socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as stranger:
            self.serve(arena(), masters=[master])
            self.listed(master, 1)
            port = self.daemon.ports[0]
            stranger.connect(("127.0.0.1", port))
            self.daemon.poll("the first answer", lambda: self.shown()["asked"] == 1)
            before = self.daemon.get_json()["arenas"][0]
            for _ in range(50):
                stranger.send(PREFIX + b"getinfo xyz")
                master.socket.sendto(PREFIX + b"getinfo again", ("127.0.0.1", port))
            def counted():
                row = self.daemon.get_json()["arenas"][0]
                return row["packets_in"] >= before["packets_in"] + 100 and row
            row = self.daemon.poll("all datagrams", counted)
            # Four answers for the heartbeat, of which the first listed the arena.
            self.assertEqual((row["masters"]["asked"], row["masters"]["limited"]), (4, 47))
            self.assertEqual(row["rejections"]["connectionless"], 50 + 47)
            self.assertEqual(row["packets_out"] - before["packets_out"], 3)
            stranger.setblocking(False)
            self.assertRaises(BlockingIOError, stranger.recv, 1)

    @unittest.skipUnless(harness.HAS_IPV6, "skipped: no IPv6")
    def test_a_master_of_ipv6_lists_what_it_reaches(self):
        with Master("::1") as master:
            self.daemon = self.stage.serve(arena("six", address="::1"), arena("four"),
                                           discovery_masters=[f"[::1]:{master.port}"])
            self.assertEqual(list(self.listed(master, 1)), [("::1", self.daemon.ports[0])])

    @unittest.skipUnless(os.geteuid() == 0 and shutil.which("ip"), "skipped: wants root and ip")
    def test_a_name_is_resolved_in_the_sandbox(self):
        resolver = self.stage.write_config("nameserver 127.0.0.53\n", "resolv.conf")
        words = f"ip link set lo up && mount --bind {resolver} /etc/resolv.conf && exec \"$@\""
        named = subprocess.Popen(["unshare", "--net", "--mount", "sh", "-c", words, "sh",
                                  "/usr/bin/python3", "-c", NAMED_MASTER],
                                 stdout=subprocess.PIPE, text=True)
        self.addCleanup(named.wait)
        self.addCleanup(named.kill)
        self.assertEqual(named.stdout.readline(), "ready\n")
        named.stdout.close()
        daemon = self.stage.serve(arena(), discovery_masters=["master.example.org"],
                                  prefix=["nsenter", "-t", str(named.pid), "-n", "-m"])
        daemon.poll("a listed arena", lambda: "listed arena=arena master=master.example.org:27950\n"
                    in daemon.log)

    def test_a_name_that_is_none_is_a_warning(self):
        daemon = self.stage.serve(arena(), discovery_masters=["nobody.invalid"])
        daemon.poll("a warning", lambda: "master not found master=nobody.invalid: " in daemon.log)
        self.assertEqual(daemon.get_json()["masters"][0]["addresses"], 0)

    @unittest.skipUnless(shutil.which("quakestat"), "skipped: qstat is not installed")
    def test_quakestat_finds_the_arenas_by_the_master(self):
        types = self.stage.write_config(QUAKESTAT_TYPE, "qstat.cfg")
        with Master() as master:
            self.serve(arena("open", hostname="Open hall", bots=2), arena("duel"),
                       masters=[master])
            self.listed(master, 2)
            command = ["quakestat", "-cfg", types, "-mi", "0.5", "-raimm",
                       f"127.0.0.1:{master.port}", "-json"]
            found = json.loads(subprocess.check_output(command, timeout=harness.START_S))
            self.assertEqual({(row["name"], row["map"], row["status"]) for row in found
                              if "map" in row},
                             {("Open hall", "crossfire", "online"), ("duel", "crossfire", "online")})


if __name__ == "__main__":
    harness.main()
