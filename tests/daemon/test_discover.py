#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""raimctl discover: arenas of a local network of the test's own, at given addresses, and in the
lists of master servers. The network is two namespaces with a cable between them, which wants root;
without, its tests are skipped."""

import json
import os
import pathlib
import re
import shutil
import socket
import subprocess
import unittest

import harness
from harness import BIN, Stage, arena
from master import Master

SERVERS, CLIENT = "10.77.0.1", "10.77.0.2"
PORT = 7245
MAX_AT_ONCE = 8    # requests of an address that are answered at once
REQUESTS = 60

# Asks the servers REQUESTS times, with a hop limit; prints the size of each answer.
ASK = f"""
import os, socket, sys
request = b"\\xff\\xff\\xff\\xffRAIM\\x10\\1" + os.urandom(8)
asker = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
asker.setsockopt(socket.IPPROTO_IP, socket.IP_TTL, int(sys.argv[1]))
asker.settimeout(0.5)
for _ in range({REQUESTS}):
    asker.sendto(request.ljust(int(sys.argv[2]), b"\\0"), ("{SERVERS}", {PORT}))
try:
    while True:
        print(len(asker.recv(2048)))
except TimeoutError:
    pass
"""


def discover(*words, prefix=(), status=0):
    """The rows that are found, without their pings."""
    result = subprocess.run([*prefix, BIN / "raimctl", "discover", "--json", *words], text=True,
                            capture_output=True, check=False, timeout=harness.START_S)
    if result.returncode != status:
        raise AssertionError(f"{result.returncode}: {result.stderr}")
    harness.check_sane(result.stderr)
    rows = json.loads(result.stdout)["servers"]
    for row in rows:
        row.pop("ping_ms", None)
    return rows


class AddressesTest(unittest.TestCase):
    def setUp(self):
        self.stage = self.enterContext(Stage())

    def test_arenas_are_found_by_address_and_by_masters(self):
        with Master() as master:
            daemon = self.stage.serve(
                arena("one", hostname="Hall \u2694", tags=["ffa", "eu"], bots=2, max_players=8),
                arena("two", access="token", access_key="a" * 64),
                discovery_masters=[f"127.0.0.1:{master.port}"])
            addresses = [f"127.0.0.1:{port}" for port in daemon.ports]
            first = {"address": addresses[0], "answers": True, "name": "Hall \u2694", "players": 0,
                     "max": 8, "bots": 2, "map": "crossfire", "locked": False,
                     "tags": ["ffa", "eu"]}
            second = {"address": addresses[1], "answers": True, "name": "two", "players": 0,
                      "max": 64, "bots": 0, "map": "crossfire", "locked": True, "tags": []}
            self.assertEqual(discover(addresses[1]), [second])
            harness.poll("a list", lambda: len(master.listed) == 2)
            found = discover("--master", f"127.0.0.1:{master.port}", addresses[0])
            self.assertEqual(sorted(found, key=lambda row: row["name"] != "two"), [second, first])
            shown = subprocess.run([BIN / "raimctl", "discover", addresses[0]], text=True,
                                   capture_output=True, check=True, timeout=harness.START_S)
            self.assertRegex(shown.stdout, rf"(?m)^{re.escape(addresses[0])} +Hall \u2694 +\d+ +0/8"
                                           r" +2 +crossfire +ffa,eu$")

    def test_who_does_not_answer_is_said(self):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as silent:
            silent.bind(("127.0.0.1", 0))
            address = f"127.0.0.1:{silent.getsockname()[1]}"
            self.assertEqual(discover(address, "--master", address, status=69),
                             [{"address": address, "answers": False}])
        for bad in ("[::1", "a:b", "a:0", ""):
            result = subprocess.run([BIN / "raimctl", "discover", bad], capture_output=True,
                                    text=True, check=False, timeout=harness.START_S)
            self.assertEqual((result.returncode, result.stdout), (69, ""))
            self.assertIn("no such address", result.stderr)


@unittest.skipUnless(os.geteuid() == 0 and shutil.which("ip"), "skipped: wants root and ip")
class NetworkTest(unittest.TestCase):
    def setUp(self):
        self.servers, self.client = self.namespace(), self.namespace()
        names = [f"rd{os.getpid()}{side}" for side in "ab"]
        self.run_ip("link", "add", names[0], "type", "veth", "peer", "name", names[1])
        for name, pid, address in zip(names, (self.servers, self.client), (SERVERS, CLIENT)):
            self.run_ip("link", "set", name, "netns", str(pid))
            self.run_in(pid, "sh", "-c", "echo 0 > /proc/sys/net/ipv6/conf/all/accept_dad;"
                        f" echo 0 > /proc/sys/net/ipv6/conf/{name}/accept_dad")
            self.run_in(pid, "ip", "address", "add", f"{address}/24", "broadcast", "10.77.0.255",
                        "dev", name)
            self.run_in(pid, "ip", "link", "set", name, "up")
            self.run_in(pid, "ip", "link", "set", "lo", "up")
        self.cable = names[1]
        self.stage = self.enterContext(Stage())

    def namespace(self):
        """A process that is alone in a network namespace."""
        process = subprocess.Popen(["unshare", "--net", "sleep", str(harness.LIFE_S)])
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        own = os.readlink("/proc/self/ns/net")
        harness.poll("a namespace", lambda: os.readlink(f"/proc/{process.pid}/ns/net") != own)
        harness.poll("its program", lambda: pathlib.Path(
            f"/proc/{process.pid}/comm").read_text(encoding="ascii") == "sleep\n")
        return process.pid

    @staticmethod
    def run_ip(*words):
        result = subprocess.run(["ip", *words], capture_output=True, text=True, check=False,
                                timeout=harness.START_S)
        if result.returncode != 0:
            raise unittest.SkipTest(f"skipped: ip {' '.join(words)}: {result.stderr}")

    @staticmethod
    def inside(pid):
        return ["nsenter", "-t", str(pid), "-n"]

    def run_in(self, pid, *words):
        return subprocess.run([*self.inside(pid), *words], capture_output=True, text=True,
                              check=True, timeout=harness.START_S).stdout

    def serve(self, *arenas, **keys):
        return self.stage.serve(*arenas, prefix=self.inside(self.servers), **keys)

    def found(self, status=0):
        rows = discover(prefix=self.inside(self.client), status=status)
        return sorted((row["name"], row["address"]) for row in rows)

    def test_every_arena_of_every_daemon_is_found_once(self):
        one = self.serve(arena("both", address="::"), arena("four", address="0.0.0.0"),
                         arena("own", address="127.0.0.1"),
                         arena("quiet", address="0.0.0.0", queries=False))
        two = self.serve(arena("other", address=SERVERS))
        off = self.serve(arena("hidden", address="0.0.0.0"), discovery_lan=False)
        self.assertIn("LAN discovery started port=7245\n", one.log)
        self.assertNotIn("LAN discovery", off.log)
        expected = [("both", f"{SERVERS}:{one.ports[0]}"), ("four", f"{SERVERS}:{one.ports[1]}"),
                    ("other", f"{SERVERS}:{two.ports[0]}")]
        self.assertEqual(self.found(), expected)
        # Without an address of IPv4, those of IPv6 are found by multicast.
        self.run_in(self.client, "ip", "-4", "address", "flush", "dev", self.cable)
        (name, address), = self.found()
        self.assertEqual(name, "both")
        self.assertRegex(address, rf"^\[fe80::[0-9a-f:]+%{self.cable}\]:{one.ports[0]}$")

    def status(self, daemon):
        host, port = daemon.status_address
        return json.loads(self.run_in(
            self.servers, "/usr/bin/python3", "-c", "import urllib.request as u;"
            f"print(u.urlopen('http://{host}:{port}/status').read().decode())"))

    @unittest.skipUnless((BIN / "raim").exists(), "skipped: raim is not built")
    def test_the_game_asks_every_arena(self):
        daemons = [self.serve(arena("both", address="::"), arena("four", address="0.0.0.0"),
                              arena("own")), self.serve(arena("other", address="0.0.0.0"))]
        home = {name: str(self.stage.directory) for name in
                ("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME")}
        def look():
            """The home screen, for two seconds."""
            result = subprocess.run(
                [*self.inside(self.client), BIN / "raim", "--headless", "--frames", "60",
                 "--frame-cap", "30", "--size", "320x180"], capture_output=True, text=True,
                check=False, timeout=harness.START_S,
                env={**os.environ, **home, "ASAN_OPTIONS": "detect_leaks=0"})
            self.assertEqual(result.returncode, 69, result.stderr)
            def arenas():
                return [row for daemon in daemons for row in self.status(daemon)["arenas"]]
            # The last of the queries may be in no status yet.
            ended = [row["tick"] for row in arenas()]
            rows = harness.poll("ticks after the queries", lambda: next(
                (now for now in [arenas()]
                 if all(row["tick"] > tick + 60 for row, tick in zip(now, ended))), None))
            return {row["name"]: row["queries"] for row in rows}
        asked = look()
        self.assertTrue(all(asked[name] >= 2 for name in ("both", "four", "other")), asked)
        self.assertEqual(asked["own"], 0)
        # Without an address of IPv4, by multicast.
        self.run_in(self.client, "ip", "-4", "address", "flush", "dev", self.cable)
        again = look()
        self.assertGreater(again["both"], asked["both"])
        self.assertEqual((again["four"], again["other"]), (asked["four"], asked["other"]))

    def test_strangers_beyond_a_router_and_floods_are_not_answered(self):
        daemon = self.serve(arena(address="0.0.0.0"))
        def ask(hops, size):
            return self.run_in(self.client, "/usr/bin/python3", "-c", ASK, str(hops),
                               str(size)).split()
        self.assertEqual(ask(64, 540), [])
        self.assertEqual(ask(254, 540), [])
        self.assertEqual(ask(255, 539), []) # could be smaller than the answer
        answers = ask(255, 540)
        self.assertIn(len(answers), range(1, MAX_AT_ONCE + 4))
        self.assertEqual(set(answers), {"30"}) # of 540 bytes
        counts = self.status(daemon)["lan_discovery"]
        self.assertEqual((counts["on"], counts["answered"], counts["rejected"]),
                         (True, len(answers), 3 * REQUESTS))
        self.assertEqual(counts["limited"], REQUESTS - len(answers))


if __name__ == "__main__":
    harness.main()
